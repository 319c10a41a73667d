"""Statements about orbits of maps, and the theorems that conclude them."""

from slrsym.proof.dynamical import descent as _descent  # noqa: F401  (its theorems)
from slrsym.proof.dynamical import measure as _measure  # noqa: F401
from slrsym.proof.dynamical.functions import function_of as function_of
from slrsym.proof.dynamical.functions import point_set as point_set
from slrsym.proof.dynamical.maps import BoxMap as BoxMap
from slrsym.proof.dynamical.maps import box_map as box_map
from slrsym.proof.dynamical.measure import jacobian_at as jacobian_at
from slrsym.proof.dynamical.spheres import AlmostEveryPairConvergesTo as AlmostEveryPairConvergesTo
from slrsym.proof.dynamical.spheres import SphereDescent as SphereDescent
from slrsym.proof.dynamical.statements import AccumulationPointsSolve as AccumulationPointsSolve
from slrsym.proof.dynamical.statements import (
    AlmostEveryStartConvergesTo as AlmostEveryStartConvergesTo,
)
from slrsym.proof.dynamical.statements import DecreasesAlong as DecreasesAlong
from slrsym.proof.dynamical.statements import Injective as Injective
from slrsym.proof.dynamical.statements import InvertibleJacobian as InvertibleJacobian
from slrsym.proof.dynamical.statements import NullStarts as NullStarts
from slrsym.proof.dynamical.statements import OrbitsConvergeTo as OrbitsConvergeTo
from slrsym.proof.dynamical.statements import OrbitStatement as OrbitStatement
from slrsym.proof.dynamical.statements import StepsVanish as StepsVanish
from slrsym.proof.dynamical.statements import VanishesAlong as VanishesAlong
from slrsym.proof.dynamical.theorems import by_theorem as by_theorem
from slrsym.proof.dynamical.theorems import names_of_theorems as names_of_theorems
