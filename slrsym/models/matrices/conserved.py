"""Quadratic functions that a flow in matrices conserves, found by linear algebra."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any

import sympy as sp
from sympy import Expr, Matrix, Trace

from slrsym.matrices.letters import Letter
from slrsym.matrices.trace_polynomials import TraceAlgebra, TracePolynomial, Words


def conserved_quantities(
    algebra: TraceAlgebra, velocities: Mapping[Any, Any], rates: Mapping[Any, Expr]
) -> list[Any]:
    """Return matrices, and numbers that are not their traces, that a flow conserves."""
    letters = [x for x in velocities if isinstance(x, Letter)]
    numbers = [x for x in velocities if not isinstance(x, Letter)]
    of_rates = {s for rate in rates.values() for s in rate.free_symbols}
    pairs: list[tuple[Any, Any]] = list(combinations_with_replacement(numbers, 2))
    pairs += [(v, w) for v, w in combinations_with_replacement(letters, 2) if v.shape == w.shape]
    slopes = [_slope_of_pair(algebra, velocities, v, w) for v, w in pairs]
    matrices, traces = [], []
    for size in sorted({n for x in letters for n in x.shape if n != 1}, key=str):
        squares = [(x, turned) for x in letters for turned in (False, True)
                   if x.shape[turned] == size]  # fmt: skip
        moved = [_slope_of_square(algebra, velocities[x], x, turned) for x, turned in squares]
        for c in _combinations(moved, of_rates):
            terms = [k * (x.T * x if turned else x * x.T)
                     for k, (x, turned) in zip(c, squares, strict=True) if k != 0]  # fmt: skip
            matrices.append(sum(terms[1:], terms[0]))
            places = [pairs.index((x, x)) for x, _ in squares]
            traces.append([sum((k for k, at in zip(c, places, strict=True) if at == i), sp.S.Zero)
                           for i in range(len(pairs))])  # fmt: skip
    found: list[Any] = matrices
    for c in _combinations(slopes, of_rates):
        if Matrix([*traces, c]).rank() > (Matrix(traces).rank() if traces else 0):
            traces.append(c)
            found.append(sp.Add(*(k * _product(v, w) for k, (v, w) in zip(c, pairs, strict=True))))
    return found


def _product(v: Any, w: Any) -> Any:
    return Trace(v * w.T) if isinstance(v, Letter) else v * w


def _slope_of_pair(
    algebra: TraceAlgebra, velocities: Mapping[Any, Any], v: Any, w: Any
) -> TracePolynomial:
    """Return the derivative of v w, or of tr(v w'), along a flow."""
    if not isinstance(v, Letter):
        parts = [{p: c * y for p, c in velocities[x].items()} for x, y in ((v, w), (w, v))]
    else:
        parts = []
        for x, y in ((v, w), (w, v)):
            turned = algebra.alphabet.transposed[algebra.number_of_letter(y)]
            words = {(*word, turned): c for word, c in velocities[x].items()}
            parts.append(algebra.polynomial_with_traces(algebra.trace(words, x.shape[0])))
    return algebra.total(parts)


def _slope_of_square(algebra: TraceAlgebra, velocity: Words, x: Letter, turned: bool) -> Words:
    """Return the derivative of x x' along a flow, or of x' x, as words."""
    at = algebra.number_of_letter(x)
    transposed = algebra.alphabet.transposed[at]
    found: list[Words] = []
    for word, c in velocity.items():
        back = algebra.alphabet.transpose(word)
        both = [(transposed, *word), (*back, at)] if turned else [(*word, transposed), (at, *back)]
        found += [{w: c} for w in both]
    return algebra.total(found)


def _combinations(parts: Sequence[Mapping[Any, Expr]], of_rates: set[Any]) -> list[list[Expr]]:
    """Return constants with which sums of words vanish, one list for each dimension."""
    rows = sorted({key for part in parts for key in part}, key=str)
    if not parts:
        return []
    entries: list[list[Expr]] = []
    for key in rows:
        coefficients = [_monomials(part.get(key, sp.S.Zero), of_rates) for part in parts]
        for monomial in sorted({m for c in coefficients for m in c}, key=str):
            entries.append([c.get(monomial, sp.S.Zero) for c in coefficients])
    if not entries:
        return []
    null = Matrix(entries).nullspace()
    return [_without_denominators(list(v)) for v in null]


def _monomials(c: Expr, of_rates: Iterable[Any]) -> dict[Any, Expr]:
    """Return the coefficients of an expression by monomials in all but rates."""
    found: dict[Any, Expr] = {}
    for term in sp.Add.make_args(sp.expand(c)):
        factor, rest = term.as_independent(
            *(term.free_symbols - set(of_rates)), *term.atoms(Trace), as_Add=False
        )
        found[rest] = found.get(rest, sp.S.Zero) + factor
    found.pop(sp.S.Zero, None)
    return found


def _without_denominators(v: list[Expr]) -> list[Expr]:
    common = sp.S.One
    for x in v:
        common = sp.lcm(common, sp.fraction(sp.together(x))[1])
    scaled = [sp.cancel(x * common) for x in v]
    first = next((x for x in scaled if x != 0), sp.S.One)
    return [-x for x in scaled] if first.could_extract_minus_sign() else scaled
