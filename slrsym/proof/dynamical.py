"""Statements about orbits of maps, and the theorems that conclude them."""

from slrsym.search.dynamical import AccumulationPointsSolve as AccumulationPointsSolve
from slrsym.search.dynamical import AlmostEveryPairConvergesTo as AlmostEveryPairConvergesTo
from slrsym.search.dynamical import (
    AlmostEveryStartConvergesTo as AlmostEveryStartConvergesTo,
)
from slrsym.search.dynamical import BoxMap as BoxMap
from slrsym.search.dynamical import DecreasesAlong as DecreasesAlong
from slrsym.search.dynamical import Injective as Injective
from slrsym.search.dynamical import InvertibleJacobian as InvertibleJacobian
from slrsym.search.dynamical import LocalDiffeomorphism as LocalDiffeomorphism
from slrsym.search.dynamical import NullPairs as NullPairs
from slrsym.search.dynamical import NullStarts as NullStarts
from slrsym.search.dynamical import OrbitsConvergeTo as OrbitsConvergeTo
from slrsym.search.dynamical import OrbitStatement as OrbitStatement
from slrsym.search.dynamical import SphereDescent as SphereDescent
from slrsym.search.dynamical import StepsVanish as StepsVanish
from slrsym.search.dynamical import VanishesAlong as VanishesAlong
from slrsym.search.dynamical import box_map as box_map
from slrsym.search.dynamical import by_theorem as by_theorem
from slrsym.search.dynamical import function_of as function_of
from slrsym.search.dynamical import jacobian_at as jacobian_at
from slrsym.search.dynamical import names_of_theorems as names_of_theorems
from slrsym.search.dynamical import point_set as point_set
