"""Maps of a square for statements about orbits, and what every proof about one shows."""

from sympy import Ge, Symbol, symbols

from slrsym.proof import all_of, chain, sign
from slrsym.prover.statements.maps import box_map, lambda_of_coordinates, point_set

from ._entries import known

x, y, u, v = symbols("x y u v", real=True)
a = Symbol("a", positive=True)


def function(value):
    return lambda_of_coordinates((x, y), value)


# Everything tends to the origin; a saddle there, and two sinks; a step out of the square; a cycle.
half = box_map({x: x / 2, y: y / 2})
saddle = box_map({x: 5 * x / 4 - x**3 / 4, y: y / 2})
outward = box_map({x: 2 * x, y: y / 2})
cycle = box_map({x: -3 * x / 2 + x**3 / 2, y: y / 2})
bowl = function(x**2 + y**2)
square_of = function(x**2)
origin, sinks = point_set([(0, 0)]), point_set([(1, 0), (-1, 0)])


def stays(g, by=sign):
    return all_of(
        *(chain(r.lhs).ge(r.rhs, by=by) if isinstance(r, Ge) else chain(r.lhs).le(r.rhs, by=by)
          for r in g.inside_conditions(g.images))
    )  # fmt: skip


def granted(statement, id="granted"):
    """A claim that no one has shown, so that what rests on it is looked at by itself."""
    return known(id, statement, stays(half))
