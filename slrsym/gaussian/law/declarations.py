"""What may name a random variable, and what may be a parameter of its law."""

from __future__ import annotations

from typing import Any

from sympy import Dummy, Expr, Symbol, sympify

__all__ = ["is_plainly_real", "real_expression", "real_symbol"]

# What a bound variable may be declared: that it is real, and what follows from that.
_PLAIN = frozenset({"commutative", "complex", "extended_real", "finite", "hermitian", "real"})


def is_plainly_real(symbol: Symbol) -> bool:
    """Whether a symbol is declared real, and nothing else."""
    return bool(symbol.is_real) and not set(symbol._assumptions_orig) - _PLAIN


def real_symbol(symbol: Any, role: str) -> Symbol:
    """The name of a random variable."""
    symbol = sympify(symbol)
    if not isinstance(symbol, Symbol):
        raise TypeError(f"{role} must be named by a SymPy Symbol; got {symbol!r}")
    if not symbol.is_real:
        raise ValueError(
            f"{role} {symbol} is not declared real; write Symbol({symbol.name!r}, real=True)"
        )
    more = set(symbol._assumptions_orig) - _PLAIN
    if more:
        raise ValueError(
            f"{role} {symbol} is declared {min(more)}, which its law does not make it; "
            f"write Symbol({symbol.name!r}, real=True)"
        )
    return symbol


def real_expression(expr: Any, what: str) -> Expr:
    """A parameter of a law."""
    expr = sympify(expr)
    if not isinstance(expr, Expr):
        raise TypeError(f"{what} must be an expression; got {expr!r}")
    loose = sorted(s.name for s in expr.free_symbols if not s.is_real and not _is_placeholder(s))
    if loose:
        raise ValueError(
            f"{what} is {expr}, and {', '.join(loose)} is not declared real; "
            f"write Symbol({loose[0]!r}, real=True)"
        )
    if expr.is_real is False or (not expr.is_finite and expr.is_finite is not None):
        raise ValueError(f"{what} must be real and finite; got {expr}")
    return expr


def _is_placeholder(symbol: Symbol) -> bool:
    """Whether the symbol stands for a new value in the midst of a simultaneous `subs`."""
    return isinstance(symbol, Dummy) and symbol.name.startswith("subs_")
