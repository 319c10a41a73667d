"""Random piecewise polynomials of Gaussian vectors, with integrals that share no code with slrsym.

An integrand is a polynomial in two affine forms u, w of the vector, times functions with kinks and
jumps at affine functions of u and w. The forms have the rational covariance that exact arithmetic
gives; a form of variance 0 is put in as the number that it is, and what is left is integrated in
floats between the places where something bends or jumps.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from hypothesis import strategies as st
from numpy.typing import NDArray

from slrsym.gaussian import GaussianLaw

NAMES = sp.symbols("x y z", real=True)
U, W = sp.symbols("u w", real=True)
# Coefficients of u and w, and a constant.
Row = tuple[Fraction, Fraction, Fraction]
Place = tuple[NDArray[Any], NDArray[Any]]


@dataclass(frozen=True)
class Example:
    """An integrand and a law, and what the reference needs of them."""

    integrand: sp.Expr
    law: GaussianLaw
    tree: Any
    mean: tuple[Fraction, Fraction]
    cov: tuple[Fraction, Fraction, Fraction]

    def reference(self) -> float:
        """Integrate in floats between kinks, after forms of variance 0 are numbers."""
        return _mean_of_tree(self.tree, self.mean, self.cov)


# A tree is (head, *parts); a part is a tree, a row, or data of the head.
ROWS = ("linear", "sign", "heaviside", "abs", "max", "min")
RELATIONS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    ">": (sp.Gt, lambda d: d > 0),
    ">=": (sp.Ge, lambda d: d >= 0),
    "<": (sp.Lt, lambda d: d < 0),
    "<=": (sp.Le, lambda d: d <= 0),
    "==": (sp.Eq, lambda d: d == 0),
    "!=": (sp.Ne, lambda d: d != 0),
}


def as_sympy(tree: Any, forms: dict[sp.Symbol, sp.Expr]) -> Any:
    """Write a tree in the variables of the law."""

    def form(row: Row) -> sp.Expr:
        a, b, c = (sp.Rational(q.numerator, q.denominator) for q in row)
        return sp.expand(a * forms[U] + b * forms[W] + c)

    head, *parts = tree
    if head == "linear":
        return form(parts[0])
    if head == "sign":
        return sp.sign(form(parts[0])) ** parts[1]
    if head == "heaviside":
        return sp.Heaviside(form(parts[0]), sp.Rational(*parts[1].as_integer_ratio()))
    if head == "abs":
        return sp.Abs(form(parts[0]))
    if head in ("max", "min"):
        return (sp.Max if head == "max" else sp.Min)(*map(form, parts))
    if head == "relation":
        relation = RELATIONS[parts[0]][0]
        found = relation(form(parts[1]), form(parts[2]))
        try:
            sp.Piecewise((1, found), (0, True))
        except RecursionError:
            # SymPy rewrites 2*x - y > y - x for ever.
            found = relation(form(parts[1]) - form(parts[2]), 0)
        return found
    inner = [as_sympy(part, forms) for part in parts]
    if head == "cases":
        return sp.Piecewise((inner[1], inner[0]), (inner[2], True))
    return {"+": sp.Add, "*": sp.Mul, "and": sp.And, "or": sp.Or, "not": sp.Not}[head](*inner)


def as_numbers(tree: Any, place: Any, exact: Callable[[Row], Any]) -> Any:
    """Evaluate a tree at places, which `exact` turns a row into numbers at."""
    head, *parts = tree
    if head == "linear":
        return exact(parts[0])
    if head == "sign":
        return np.sign(exact(parts[0])) ** parts[1]
    if head == "heaviside":
        return np.heaviside(exact(parts[0]), float(parts[1]))
    if head == "abs":
        return np.abs(exact(parts[0]))
    if head == "max":
        return np.maximum.reduce(np.broadcast_arrays(*map(exact, parts)))
    if head == "min":
        return np.minimum.reduce(np.broadcast_arrays(*map(exact, parts)))
    if head == "relation":
        difference = tuple(p - q for p, q in zip(parts[1], parts[2], strict=True))
        return RELATIONS[parts[0]][1](exact(difference))
    inner = [as_numbers(part, place, exact) for part in parts]
    if head == "cases":
        return np.where(inner[0], inner[1], inner[2])
    if head in ("+", "*"):
        return (sum if head == "+" else math.prod)(inner)
    if head == "not":
        return np.logical_not(inner[0])
    return (np.logical_and if head == "and" else np.logical_or).reduce(np.broadcast_arrays(*inner))


def kink_rows(tree: Any) -> Iterator[Row]:
    """Yield affine functions of u and w, one of which is 0 wherever the tree bends or jumps."""
    head, *parts = tree
    if head in ("sign", "heaviside", "abs"):
        yield parts[0]
    elif head in ("max", "min", "relation"):
        rows = [part for part in parts if isinstance(part, tuple)]
        for p, q in itertools.combinations(rows, 2):
            yield tuple(a - b for a, b in zip(p, q, strict=True))  # type: ignore[misc]
    elif head != "linear":
        for part in parts:
            yield from kink_rows(part)


NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
REACH = 9.5


def _rule(cuts: list[float]) -> Place:
    """Nodes and weights against the standard normal density, between cuts."""
    inner = [c for c in cuts if abs(c) < REACH]
    ends = np.array(sorted({*np.linspace(-REACH, REACH, 9), *inner}))
    half = np.diff(ends) / 2
    places = ((ends[:-1] + ends[1:]) / 2)[:, None] + half[:, None] * NODES
    weights = half[:, None] * WEIGHTS * np.exp(-(places**2) / 2) / math.sqrt(2 * math.pi)
    return places.ravel(), weights.ravel()


def _mean_of_tree(
    tree: Any, mean: tuple[Fraction, Fraction], cov: tuple[Fraction, Fraction, Fraction]
) -> float:
    (first, second), (a, b, c) = mean, cov
    # u = m + p s, w = n + q s + r t for standard normal s and t, in squares of which all is exact.
    if a == 0 and c > 0:
        swapped = _swapped(tree)
        return _mean_of_tree(swapped, (second, first), (c, b, a))
    slope = b / a if a else Fraction(0)
    rest = c - slope * b
    assert a >= 0 <= rest

    def in_coordinates(row: Row) -> Row:
        # Constant, and coefficients of (u - m) and of what is left of w.
        p, q, constant = row
        return p + q * slope, q if rest else Fraction(0), constant + p * first + q * second

    kinks = [in_coordinates(row) for row in kink_rows(tree)]
    scale, spread = math.sqrt(a), math.sqrt(rest)

    def values(s: Any, t: Any) -> Any:
        def exact(row: Row) -> Any:
            p, q, constant = in_coordinates(row)
            if not p and not q:
                # Exactly at a kink, or not: a sign of it is that of a fraction.
                return np.asarray(float(constant))
            return float(constant) + float(p) * scale * s + float(q) * spread * t

        return as_numbers(tree, (s, t), exact)

    if a == 0:
        return float(values(0.0, 0.0))
    outer = [-float(k / p) / scale for p, q, k in kinks if not q and p]
    slanted = [(float(p) * scale, float(q) * spread, float(k)) for p, q, k in kinks if q]
    if rest == 0:
        s, weights = _rule(outer)
        return float(np.sum(weights * np.broadcast_to(values(s, 0.0), s.shape)))
    for (p, q, k), (pp, qq, kk) in itertools.combinations(slanted, 2):
        if abs(p * qq - pp * q) > 1e-12:
            outer.append(-(k * qq - kk * q) / (p * qq - pp * q))
    # A line that is nearly vertical makes a change in s that is as quick as it is steep.
    for p, q, k in slanted:
        if abs(q) < abs(p):
            outer += [-(k + j * q) / p for j in range(-8, 9, 2)]
    total = 0.0
    for s, weight in zip(*_rule(outer), strict=True):
        t, weights = _rule([-(k + p * s) / q for p, q, k in slanted])
        total += weight * float(np.sum(weights * np.broadcast_to(values(s, t), t.shape)))
    return total


def _swapped(tree: Any) -> Any:
    """Exchange u and w in a tree."""
    head, *parts = tree
    if head in (*ROWS, "relation"):
        flipped = [
            (part[1], part[0], part[2]) if isinstance(part, tuple) else part for part in parts
        ]
        return head, *flipped
    return head, *map(_swapped, parts)


SMALL = st.sampled_from([Fraction(k) for k in (0, 1, -1, 2)] + [Fraction(1, 2), Fraction(-3, 2)])
FEW = st.sampled_from([Fraction(k) for k in (1, -1, 2)] + [Fraction(1, 2)])


@st.composite
def examples(draw: Any, planes: int = 6) -> Example:
    """A random integrand and law, singular in one of two; one in `planes` is of two dimensions."""
    size = draw(st.integers(1, 3))
    singular = draw(st.booleans())
    rank = draw(st.integers(0, size - 1)) if singular else size
    root = [[draw(SMALL) for _ in range(rank)] for _ in range(size)]
    if not singular:
        # Triangular, with no zero on the diagonal.
        root = [
            [draw(FEW) if i == j else root[i][j] * (j < i) for j in range(size)]
            for i in range(size)
        ]
    mean = [draw(SMALL) for _ in range(size)]
    cov = [[_dot(p, q) for q in root] for p in root]
    rows = [[draw(SMALL) for _ in range(size)], _null_vector(root, size)]
    if not any(rows[1]):
        # A multiple of the first, unless it shall be another direction.
        plane = draw(st.integers(1, planes)) == planes
        rows[1] = [draw(SMALL) if plane else 2 * c for c in rows[0]]
    forms = [
        sp.Add(*(_rational(c) * name for c, name in zip(row, NAMES, strict=False))) for row in rows
    ]
    centre = [_dot(row, mean) for row in rows]
    images = [[_dot(row, column) for column in zip(*root, strict=True)] for row in rows]
    moments = (
        _dot(images[0], images[0]), _dot(images[0], images[1]), _dot(images[1], images[1]),
    )  # fmt: skip
    tree = draw(_trees(centre))
    law = GaussianLaw(
        {name: _rational(m) for name, m in zip(NAMES, mean, strict=False)},
        [[_rational(c) for c in line] for line in cov],
    )
    integrand = as_sympy(tree, dict(zip((U, W), forms, strict=True)))
    return Example(integrand, law, tree, (centre[0], centre[1]), moments)


def _rational(q: Fraction) -> sp.Rational:
    return sp.Rational(q.numerator, q.denominator)


def _dot(p: Any, q: Any) -> Fraction:
    return sum((a * b for a, b in zip(p, q, strict=True)), Fraction(0))


def _null_vector(root: list[list[Fraction]], size: int) -> list[Fraction]:
    """Coefficients of an affine form of variance 0, all zero if there is none."""
    found = sp.Matrix(size, len(root[0]), lambda i, j: _rational(root[i][j])).T.nullspace()
    if len(root[0]) == 0:
        return [Fraction(1)] * size
    return [Fraction(int(c.p), int(c.q)) for c in found[-1]] if found else [Fraction(0)] * size


def _trees(centre: list[Fraction]) -> Any:
    """Trees with kinks, some of which are exactly where a form has its mean."""

    @st.composite
    def row(draw: Any) -> Row:
        p, q = draw(st.sampled_from([(1, 0), (0, 1), (0, -1), (1, 1), (2, -1), (0, 2)]))
        at_mean = -(p * centre[0] + q * centre[1])
        return Fraction(p), Fraction(q), at_mean if draw(st.booleans()) else draw(SMALL)

    rows = row()
    relation = st.tuples(st.just("relation"), st.sampled_from(list(RELATIONS)), rows, rows)
    condition = st.recursive(
        relation,
        lambda inner: st.one_of(
            st.tuples(st.sampled_from(["and", "or"]), inner, inner),
            st.tuples(st.just("not"), inner),
        ),
        max_leaves=2,
    )
    value = st.tuples(st.just("linear"), rows)
    kinked = st.one_of(
        st.tuples(st.just("sign"), rows, st.integers(1, 3)),
        st.tuples(st.just("heaviside"), rows, st.sampled_from([0.0, 0.5, 1.0])),
        st.tuples(st.just("abs"), rows),
        st.tuples(st.sampled_from(["max", "min"]), rows, rows),
        st.tuples(st.just("max"), rows, rows, rows),
        st.tuples(st.just("cases"), condition, value, value),
        st.tuples(st.just("cases"), condition, st.just(("linear", ONE)), st.just(("linear", ZERO))),
    )
    factor = st.one_of(kinked, kinked, value)
    product = st.one_of(kinked, st.tuples(st.just("*"), kinked, factor))
    return st.one_of(product, st.tuples(st.just("+"), product, product))


ZERO: Row = (Fraction(0), Fraction(0), Fraction(0))
ONE: Row = (Fraction(0), Fraction(0), Fraction(1))
