"""Hypotheses about any function: Lipschitz, smooth, convex, monotone, bounded, Polyak-Lojasiewicz.

Each is a `ForAll` about the function or its derivatives, as it could be written by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import And, Derivative, Eq, Expr, Ge, Gt, Le, Lt, Symbol, sympify
from sympy.core.relational import Relational

from slrsym.prover.rules.chain import D, chain
from slrsym.prover.rules.step import Link, Proof
from slrsym.prover.rules.structure import all_of, instance
from slrsym.prover.statements.expressions import ForAll, ProofError, conjuncts

_X = Symbol("x", real=True)


def _for_all(
    f: Any, variable: Symbol | None, said: Callable[[Expr, Symbol], Any], **bounds: Any
) -> ForAll:
    """Return a hypothesis about the values f(x), after a check of its parameters."""
    x = _X if variable is None else variable
    if not callable(f):
        raise ProofError(f"f must be a function such as Function('f', real=True); got {f!r}")
    for name, bound in bounds.items():
        if x in sympify(bound).free_symbols:
            raise ProofError(f"{name} = {bound} must not depend on {x}; give another variable")
    found: ForAll = ForAll(x, said(f(x), x))
    return found


def Lipschitz(f: Any, bound: Any, variable: Symbol | None = None) -> ForAll:
    """Return the hypothesis that a function has a derivative between -bound and bound.

    Parameters
    ----------
    f : Function
        A function of one real variable.
    bound : expression
        The Lipschitz constant.
    variable : Symbol, optional
        What the variable is called; ``x`` by default.

    Returns
    -------
    ForAll
        ``-bound <= f'(x)`` and ``f'(x) <= bound`` for all real x.

    Raises
    ------
    ProofError
        If `f` is no function, or the bound contains the variable.
    """
    return _for_all(
        f, variable, lambda y, x: And(Le(D(y, x), bound), Ge(D(y, x), -bound)), bound=bound
    )


def Smooth(f: Any, bound: Any, variable: Symbol | None = None) -> ForAll:
    """Return the hypothesis that a second derivative lies between -bound and bound.

    Parameters
    ----------
    f : Function
        A function of one real variable.
    bound : expression
        The Lipschitz constant of the derivative: f is `bound`-smooth.
    variable : Symbol, optional
        What the variable is called; ``x`` by default.

    Returns
    -------
    ForAll
        ``-bound <= f''(x)`` and ``f''(x) <= bound`` for all real x.

    Raises
    ------
    ProofError
        If `f` is no function, or the bound contains the variable.
    """
    return _for_all(
        f, variable, lambda y, x: And(Le(D(y, x, x), bound), Ge(D(y, x, x), -bound)), bound=bound
    )


def Convex(f: Any, modulus: Any = 0, variable: Symbol | None = None) -> ForAll:
    """Return the hypothesis that a function is convex, or strongly convex.

    Parameters
    ----------
    f : Function
        A function of one real variable.
    modulus : expression, optional
        How much the second derivative is at least; 0 by default.
    variable : Symbol, optional
        What the variable is called; ``x`` by default.

    Returns
    -------
    ForAll
        ``f''(x) >= modulus`` for all real x.

    Raises
    ------
    ProofError
        If `f` is no function, or the modulus contains the variable.
    """
    return _for_all(f, variable, lambda y, x: Ge(D(y, x, x), modulus), modulus=modulus)


def Increasing(f: Any, variable: Symbol | None = None) -> ForAll:
    """Return the hypothesis that a function never falls.

    Parameters
    ----------
    f : Function
        A function of one real variable.
    variable : Symbol, optional
        What the variable is called; ``x`` by default.

    Returns
    -------
    ForAll
        ``f'(x) >= 0`` for all real x.

    Raises
    ------
    ProofError
        If `f` is no function.
    """
    return _for_all(f, variable, lambda y, x: Ge(D(y, x), 0))


def Bounded(f: Any, bound: Any, variable: Symbol | None = None) -> ForAll:
    """Return the hypothesis that the values of a function lie between -bound and bound.

    Parameters
    ----------
    f : Function
        A function of one real variable.
    bound : expression
        What no value exceeds in size.
    variable : Symbol, optional
        What the variable is called; ``x`` by default.

    Returns
    -------
    ForAll
        ``-bound <= f(x)`` and ``f(x) <= bound`` for all real x.

    Raises
    ------
    ProofError
        If `f` is no function, or the bound contains the variable.
    """
    return _for_all(f, variable, lambda y, x: And(Le(y, bound), Ge(y, -bound)), bound=bound)


def PolyakLojasiewicz(f: Any, modulus: Any, least: Any, variable: Symbol | None = None) -> ForAll:
    """Return the hypothesis that the slope bounds how far a function is above its infimum.

    Parameters
    ----------
    f : Function
        A function of one real variable.
    modulus : expression
        The constant of the inequality.
    least : expression
        The infimum of f.
    variable : Symbol, optional
        What the variable is called; ``x`` by default.

    Returns
    -------
    ForAll
        ``2*modulus*(f(x) - least) <= f'(x)**2`` for all real x.

    Raises
    ------
    ProofError
        If `f` is no function, or a parameter contains the variable.
    """
    return _for_all(
        f, variable, lambda y, x: Le(2 * modulus * (y - least), D(y, x) ** 2),
        modulus=modulus, least=least,
    )  # fmt: skip


_TURNED: dict[type, type] = {Le: Ge, Ge: Le, Lt: Gt, Gt: Lt, Eq: Eq}


def bounds_at(hypothesis: ForAll, variable: Symbol) -> Proof:
    """Return the proof of what a hypothesis says of derivatives at a variable.

    Parameters
    ----------
    hypothesis : ForAll
        Such as `Lipschitz` returns: a relation of a derivative with a bound, or several.
    variable : Symbol
        The variable at which the bounds are needed.

    Returns
    -------
    Proof
        Of each relation, with the derivative on the left.

    Raises
    ------
    ProofError
        If the hypothesis states something else.
    """
    proofs = []
    for part in conjuncts(hypothesis.instantiate(variable)):
        if not isinstance(part, Relational) or type(part) not in _TURNED:
            raise ProofError(f"{part} bounds no derivative; prove the bound")
        if not isinstance(part.lhs, Derivative):
            part = _TURNED[type(part)](part.rhs, part.lhs, evaluate=False)
        if not isinstance(part.lhs, Derivative):
            raise ProofError(f"{part} bounds no derivative; prove the bound")
        link = Link.from_relation(part)
        steps = chain(link.lhs)
        proofs.append(steps._extended(link.relation, link.rhs, instance(hypothesis, variable)))
    return proofs[0] if len(proofs) == 1 else all_of(*proofs)
