"""What comes from SymPy itself: normal random variables of its `stats`, and its own Owen's T."""

from __future__ import annotations

from typing import Any

import sympy
from sympy import Expr, Indexed, Matrix, Symbol, sympify

from slrsym.gaussian.functions import OwensT
from slrsym.gaussian.independent import Law, ProductLaw
from slrsym.gaussian.law import GaussianLaw

__all__ = ["in_own_functions", "without_random_symbols"]


def in_own_functions(expr: Expr) -> Expr:
    """The expression with this package's Owen's T in place of SymPy's, where SymPy has one."""
    theirs = getattr(sympy, "owens_t", None)
    return expr if theirs is None else expr.replace(theirs, OwensT)


def without_random_symbols(expr: Expr) -> tuple[Expr, Law]:
    """An expression in random variables of `sympy.stats`, in symbols; and the law of these."""
    from sympy.stats.rv import random_symbols

    found = sorted(random_symbols(expr), key=str)
    if not found:
        raise TypeError(
            "law is missing: give a Law, such as standard_normal(x), or write the integrand in "
            "normal random variables of sympy.stats"
        )
    names: dict[Any, Symbol] = {}
    laws: list[Law] = []
    for variable in found:
        mean, cov = _moments(variable)
        size = len(mean)
        own = [
            Symbol(variable.name if size == 1 else f"{variable.name}_{k}", real=True)
            for k in range(size)
        ]
        names |= {variable: own[0]} if size == 1 else dict(_entries(variable, own))
        laws.append(GaussianLaw(dict(zip(own, mean, strict=True)), cov))
    taken = {s.name for s in expr.free_symbols - set(found)}
    twice = taken & {s.name for law in laws for s in law.symbols}
    if twice:
        raise ValueError(f"expr contains a symbol of the same name as a variable: {min(twice)}")
    plain = expr.xreplace(names)
    left = random_symbols(plain)
    if left:
        raise TypeError(f"expr must be in entries of {left[0]}, such as {left[0]}[0]")
    return plain, laws[0] if len(laws) == 1 else ProductLaw(*laws)


def _entries(variable: Any, own: list[Symbol]) -> list[tuple[Any, Symbol]]:
    return [(Indexed(variable, sympify(k)), symbol) for k, symbol in enumerate(own)]


def _moments(variable: Any) -> tuple[list[Expr], Matrix]:
    distribution = variable.pspace.distribution
    kind = type(distribution).__name__
    if kind == "NormalDistribution":
        return [distribution.mean], Matrix([[distribution.std**2]])
    if kind == "MultivariateNormalDistribution":
        return list(distribution.mu), Matrix(distribution.sigma)
    raise TypeError(f"{variable} must be normal; it has the law {distribution}")
