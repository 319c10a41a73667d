"""Hypotheses about any function: Lipschitz, smooth, convex, monotone, bounded, Polyak-Lojasiewicz.

Each is a `ForAll` about the function or its derivatives, as it could be written by hand. For a
function of vectors it is a `ForAllMatrices` about its gradient or its Hessian.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import And, Derivative, Eq, Expr, Ge, Gt, Identity, Le, Lt, Symbol, Trace, sympify
from sympy.core.relational import Relational

from slrsym.matrices.functions import ForAllMatrices, SmoothFunction
from slrsym.matrices.letters import Letter, matrix
from slrsym.matrices.means import Loewner
from slrsym.prover.rules.chain import D, chain
from slrsym.prover.rules.step import Link, Proof
from slrsym.prover.rules.structure import all_of, instance
from slrsym.prover.statements.expressions import ForAll, ProofError, conjuncts

_X = Symbol("x", real=True)


def _for_all(
    f: Any, variable: Any, said: Callable[[Expr, Any], Any],
    of_vectors: Callable[[SmoothFunction, Any], Any] | None = None, **bounds: Any,
) -> Any:  # fmt: skip
    """Return a hypothesis about the values f(x), after a check of its parameters."""
    x = variable if variable is not None else _X
    if isinstance(f, SmoothFunction):
        x = variable if variable is not None else matrix("z", f.size, 1)
        if of_vectors is None:
            raise ProofError(f"{f} is a function of vectors, which are not smaller or larger")
        if not isinstance(x, Letter) or tuple(x.shape) != (f.size, 1):
            raise ProofError(f"the variable of {f} is a vector of size {f.size}; got {x}")
    if not callable(f):
        raise ProofError(f"f must be a function such as Function('f', real=True); got {f!r}")
    for name, bound in bounds.items():
        if x in sympify(bound).free_symbols:
            raise ProofError(f"{name} = {bound} must not depend on {x}; give another variable")
    if of_vectors is not None and isinstance(f, SmoothFunction):
        return ForAllMatrices(x, of_vectors(f, x))
    return ForAll(x, said(f(x), x))


def _length(f: SmoothFunction, z: Any) -> Expr:
    """Return the squared length of a gradient."""
    return Trace(f.gradient(z).T * f.gradient(z))


def _at_most(bound: Any, of: Expr) -> Any:
    bound = sympify(bound)
    if not bound.is_nonnegative:
        raise ProofError(
            f"{bound} may be negative, and bounds a length; declare its symbols nonnegative"
        )
    return Le(of, bound**2, evaluate=False)


def Lipschitz(f: Any, bound: Any, variable: Any = None) -> Any:
    """Return the hypothesis that a function has a derivative between -bound and bound.

    Parameters
    ----------
    f : Function
        A function of one real variable, or of vectors.
    bound : expression
        The Lipschitz constant.
    variable : Symbol or Letter, optional
        What the variable is called; ``x`` by default, and ``z`` if it is a vector.

    Returns
    -------
    ForAll or ForAllMatrices
        ``-bound <= f'(x)`` and ``f'(x) <= bound`` for all real x.
        For a function of vectors, that the squared length of the gradient is at most
        ``bound**2``, and `bound` is nonnegative by declaration.

    Raises
    ------
    ProofError
        If `f` is no function, or the bound contains the variable.
    """
    return _for_all(
        f, variable, lambda y, x: And(Le(D(y, x), bound), Ge(D(y, x), -bound)),
        lambda h, z: _at_most(bound, _length(h, z)), bound=bound,
    )  # fmt: skip


def Smooth(f: Any, bound: Any, variable: Any = None) -> Any:
    """Return the hypothesis that a second derivative lies between -bound and bound.

    Parameters
    ----------
    f : Function
        A function of one real variable, or of vectors.
    bound : expression
        The Lipschitz constant of the derivative: f is `bound`-smooth.
    variable : Symbol or Letter, optional
        What the variable is called; ``x`` by default, and ``z`` if it is a vector.

    Returns
    -------
    ForAll or ForAllMatrices
        ``-bound <= f''(x)`` and ``f''(x) <= bound`` for all real x.
        For a function of vectors, that the Hessian lies between ``-bound`` and ``bound`` times
        the identity.

    Raises
    ------
    ProofError
        If `f` is no function, or the bound contains the variable.
    """
    return _for_all(
        f, variable, lambda y, x: And(Le(D(y, x, x), bound), Ge(D(y, x, x), -bound)),
        lambda h, z: And(Loewner(bound * Identity(h.size), h.hessian(z)),
                         Loewner(h.hessian(z), -bound * Identity(h.size))), bound=bound,
    )  # fmt: skip


def Convex(f: Any, modulus: Any = 0, variable: Any = None) -> Any:
    """Return the hypothesis that a function is convex, or strongly convex.

    Parameters
    ----------
    f : Function
        A function of one real variable, or of vectors.
    modulus : expression, optional
        How much the second derivative is at least; 0 by default.
    variable : Symbol or Letter, optional
        What the variable is called; ``x`` by default, and ``z`` if it is a vector.

    Returns
    -------
    ForAll or ForAllMatrices
        ``f''(x) >= modulus`` for all real x.
        For a function of vectors, that the Hessian is at least ``modulus`` times the identity.

    Raises
    ------
    ProofError
        If `f` is no function, or the modulus contains the variable.
    """
    return _for_all(
        f, variable, lambda y, x: Ge(D(y, x, x), modulus),
        lambda h, z: Loewner(h.hessian(z), modulus * Identity(h.size)), modulus=modulus,
    )  # fmt: skip


def Increasing(f: Any, variable: Any = None) -> Any:
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


def Bounded(f: Any, bound: Any, variable: Any = None) -> Any:
    """Return the hypothesis that the values of a function lie between -bound and bound.

    Parameters
    ----------
    f : Function
        A function of one real variable, or of vectors.
    bound : expression
        What no value exceeds in size.
    variable : Symbol or Letter, optional
        What the variable is called; ``x`` by default, and ``z`` if it is a vector.

    Returns
    -------
    ForAll or ForAllMatrices
        ``-bound <= f(x)`` and ``f(x) <= bound`` for all real x.

    Raises
    ------
    ProofError
        If `f` is no function, or the bound contains the variable.
    """
    return _for_all(
        f, variable, lambda y, x: And(Le(y, bound), Ge(y, -bound)),
        lambda h, z: And(Le(h(z), bound), Ge(h(z), -bound)), bound=bound,
    )  # fmt: skip


def PolyakLojasiewicz(f: Any, modulus: Any, least: Any, variable: Any = None) -> Any:
    """Return the hypothesis that the slope bounds how far a function is above its infimum.

    Parameters
    ----------
    f : Function
        A function of one real variable, or of vectors.
    modulus : expression
        The constant of the inequality.
    least : expression
        The infimum of f.
    variable : Symbol or Letter, optional
        What the variable is called; ``x`` by default, and ``z`` if it is a vector.

    Returns
    -------
    ForAll or ForAllMatrices
        ``2*modulus*(f(x) - least) <= f'(x)**2`` for all real x.
        For a function of vectors, with the squared length of the gradient on the right.

    Raises
    ------
    ProofError
        If `f` is no function, or a parameter contains the variable.
    """
    return _for_all(
        f, variable, lambda y, x: Le(2 * modulus * (y - least), D(y, x) ** 2),
        lambda h, z: Le(2 * modulus * (h(z) - least), _length(h, z)),
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
