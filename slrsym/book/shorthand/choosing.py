"""Which of the paper's letters a claim needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from sympy import Add, Expr, Mul, Pow, Symbol, preorder_traversal, sqrt

from slrsym import notation
from slrsym.book.shorthand.letters import DRIFT, MEAN, SMALL_A, SPREAD, A, B
from slrsym.book.shorthand.names import names_in
from slrsym.book.shorthand.rewriting import Shorthand

__all__ = ["chosen"]


def chosen(expressions: Iterable[Any], *, risk: bool = True, risk_on_m: bool = True) -> Shorthand:
    """The abbreviations for a set of expressions."""
    expressions = list(expressions)
    taken = names_in(expressions)
    spreads: Counter[Expr] = Counter()
    for expr in expressions:
        for node in preorder_traversal(expr):
            if isinstance(node, Pow) and node.exp.is_Rational and node.exp.q == 2:
                found = _spread(node.base)
                if found is not None:
                    spreads[found] += 1
    result = Shorthand(risk=risk, risk_on_m=risk_on_m, risk_closed=risk)
    own = notation.lam * notation.gamma
    if own in spreads:
        result.spread = own
    elif spreads:
        most = max(spreads.values())
        result.spread = min((x for x, n in spreads.items() if n == most), key=str)
    paper = any(notation.d in e.free_symbols for e in expressions)
    letters: dict[Symbol, Expr] = {}
    if paper:
        letters[DRIFT] = sqrt(notation.d / 2)
    if "s" not in taken and (paper or result.spread == own):
        letters[SPREAD] = own
    if "t" not in taken and paper:
        letters[MEAN] = notation.lam * DRIFT * notation.kappa
    if not {"A", "B"} & taken and result.spread is not None:
        inner = SPREAD if result.spread == own and SPREAD in letters else result.spread
        letters[A] = sqrt(1 + 2 * inner**2)
        letters[B] = sqrt(1 + 4 * inner**2)
        if "a" not in taken and MEAN in letters:
            letters[SMALL_A] = MEAN / A
    result.letters = letters
    return result


def _spread(base: Expr) -> Expr | None:
    """x, of 1 + 2 x^2 or 1 + 4 x^2, if it is positive or a letter."""
    if not isinstance(base, Add) or len(base.args) != 2:
        return None
    one, rest = base.as_coeff_Add()
    if one != 1:
        return None
    number, square = rest.as_coeff_Mul()
    if number not in (2, 4):
        return None
    root = Mul(*(Pow(b, e / 2) for b, e in square.as_powers_dict().items()))
    letters = Mul.make_args(root)
    return root if all(x.is_Symbol for x in letters) and root**2 == square else None
