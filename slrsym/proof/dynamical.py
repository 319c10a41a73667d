"""Statements about orbits of maps, and the theorems that conclude them."""

from slrsym.prover.rules.convergence_theorems import unevaluated_jacobian_at
from slrsym.prover.rules.descent_theorems import BAYES_RISK
from slrsym.prover.rules.theorems import by_theorem, names_of_theorems
from slrsym.prover.statements.maps import (
    BoxMap,
    SphereDescent,
    box_map,
    lambda_of_coordinates,
    point_set,
)
from slrsym.prover.statements.orbits import (
    AccumulationPointsSolve,
    AlmostEveryPairConvergesTo,
    AlmostEveryStartConvergesTo,
    DecreasesAlong,
    Injective,
    InvertibleJacobian,
    LocalDiffeomorphism,
    NullPairs,
    NullStarts,
    OrbitsConvergeTo,
    OrbitStatement,
    StepsVanish,
    VanishesAlong,
)
