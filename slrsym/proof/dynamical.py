"""Statements about orbits of maps and flows, and the theorems that conclude them."""

from slrsym.prover.rules.convergence_theorems import unevaluated_jacobian_at
from slrsym.prover.rules.flow_search import (
    find_cofactors,
    find_conserved,
    find_lasalle_constants,
)
from slrsym.prover.rules.theorems import by_theorem, names_of_theorems
from slrsym.prover.statements.flows import Flow, flow
from slrsym.prover.statements.maps import (
    BoxMap,
    box_map,
    lambda_of_coordinates,
    point_set,
)
from slrsym.prover.statements.orbits import (
    AccumulationPointsSolve,
    AlmostEveryStartConvergesTo,
    DecreasesAlong,
    Injective,
    InvertibleJacobian,
    LocalDiffeomorphism,
    NullStarts,
    OrbitsConvergeTo,
    OrbitStatement,
    StepsVanish,
    VanishesAlong,
)
from slrsym.prover.statements.trajectories import (
    ArrivesAt,
    ConstantAlong,
    DecaysAlong,
    EndsBy,
    FlowLimitsSolve,
    FlowsConvergeTo,
    FlowStatement,
    LastsForEver,
    NullFlowStarts,
    RegionKept,
    SolvedBy,
)
