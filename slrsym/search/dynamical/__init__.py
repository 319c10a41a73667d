"""Statements about orbits of maps, and the theorems that conclude them."""

from slrsym.search.dynamical import descent as _descent  # noqa: F401  (its theorems)
from slrsym.search.dynamical import measure as _measure  # noqa: F401
from slrsym.search.dynamical.functions import function_of as function_of
from slrsym.search.dynamical.functions import point_set as point_set
from slrsym.search.dynamical.maps import BoxMap as BoxMap
from slrsym.search.dynamical.maps import box_map as box_map
from slrsym.search.dynamical.measure import jacobian_at as jacobian_at
from slrsym.search.dynamical.spheres import AlmostEveryPairConvergesTo as AlmostEveryPairConvergesTo
from slrsym.search.dynamical.spheres import SphereDescent as SphereDescent
from slrsym.search.dynamical.statements import AccumulationPointsSolve as AccumulationPointsSolve
from slrsym.search.dynamical.statements import (
    AlmostEveryStartConvergesTo as AlmostEveryStartConvergesTo,
)
from slrsym.search.dynamical.statements import DecreasesAlong as DecreasesAlong
from slrsym.search.dynamical.statements import Injective as Injective
from slrsym.search.dynamical.statements import InvertibleJacobian as InvertibleJacobian
from slrsym.search.dynamical.statements import NullStarts as NullStarts
from slrsym.search.dynamical.statements import OrbitsConvergeTo as OrbitsConvergeTo
from slrsym.search.dynamical.statements import OrbitStatement as OrbitStatement
from slrsym.search.dynamical.statements import StepsVanish as StepsVanish
from slrsym.search.dynamical.statements import VanishesAlong as VanishesAlong
from slrsym.search.dynamical.theorems import by_theorem as by_theorem
from slrsym.search.dynamical.theorems import names_of_theorems as names_of_theorems
