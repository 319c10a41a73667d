"""Statements about orbits of maps, and the theorems that conclude them."""

from slrsym.search.descents import BAYES_RISK as BAYES_RISK
from slrsym.search.starts import jacobian_at as jacobian_at
from slrsym.search.theorems import by_theorem as by_theorem
from slrsym.search.theorems import names_of_theorems as names_of_theorems
from slrsym.statements.maps import BoxMap as BoxMap
from slrsym.statements.maps import SphereDescent as SphereDescent
from slrsym.statements.maps import box_map as box_map
from slrsym.statements.maps import function_of as function_of
from slrsym.statements.maps import point_set as point_set
from slrsym.statements.orbits import AccumulationPointsSolve as AccumulationPointsSolve
from slrsym.statements.orbits import AlmostEveryPairConvergesTo as AlmostEveryPairConvergesTo
from slrsym.statements.orbits import AlmostEveryStartConvergesTo as AlmostEveryStartConvergesTo
from slrsym.statements.orbits import DecreasesAlong as DecreasesAlong
from slrsym.statements.orbits import Injective as Injective
from slrsym.statements.orbits import InvertibleJacobian as InvertibleJacobian
from slrsym.statements.orbits import LocalDiffeomorphism as LocalDiffeomorphism
from slrsym.statements.orbits import NullPairs as NullPairs
from slrsym.statements.orbits import NullStarts as NullStarts
from slrsym.statements.orbits import OrbitsConvergeTo as OrbitsConvergeTo
from slrsym.statements.orbits import OrbitStatement as OrbitStatement
from slrsym.statements.orbits import StepsVanish as StepsVanish
from slrsym.statements.orbits import VanishesAlong as VanishesAlong
