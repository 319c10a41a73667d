r"""The paper's abbreviations: which of them a claim is written with, and what they stand for.

Expressions are rewritten before they are typeset: :math:`\sqrt{1+2\lambda^2\gamma^2}` becomes
:math:`A`. What a letter stands for is known, so whatever is written can be read back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from sympy import (
    Add,
    Basic,
    Derivative,
    Expr,
    Function,
    Lambda,
    Mul,
    Pow,
    S,
    Subs,
    Symbol,
    asin,
    pi,
    preorder_traversal,
    sqrt,
)
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanFunction

from slrsym import notation
from slrsym.gaussian import Expectation, IIDSum
from slrsym.gaussian.law import Law

__all__ = ["Shorthand", "chosen"]

# The spread of a score, and its mean.
_S = Symbol("s", positive=True)
_T = Symbol("t", real=True)
_SMALL_A = Symbol("a", real=True)
_A = Symbol("A", positive=True)
_B = Symbol("B", positive=True)
# Drawn as a root, and read as one.
_DRIFT = Symbol("sqrt(d/2)", positive=True)

# Names that no one would give to a function.
_RISK = Function("R(6)", real=True)
_RISK_ON_M = Function("R<", real=True)
_RISK_CLOSED = Function("R^", real=True)
_FIVE = notation.ORDER_PARAMETERS


@dataclass
class Shorthand:
    """The abbreviations in force in one claim.

    Attributes
    ----------
    letters : dict of Symbol to Expr
        What each letter stands for, in terms of the letters before it.
    functions : dict of function to Lambda
        What each function stands for.
    spread : Expr or None
        What A and B are made of.
    risk, risk_on_m, risk_closed : bool
        Whether the risk, that on the manifold, and its closed form are written by their names.
    squares : bool
        Whether 1 + 2 s^2 in a product is written as the square of A.
    local : dict of Expr to Symbol
        Letters of the claim's own, for what is too wide for a line.
    """

    letters: dict[Symbol, Expr] = field(default_factory=dict)
    functions: dict[UndefinedFunction, Lambda] = field(default_factory=dict)
    spread: Expr | None = None
    risk: bool = True
    risk_on_m: bool = True
    risk_closed: bool = True
    squares: bool = True
    local: dict[Any, Symbol] = field(default_factory=dict)
    _known: dict[Any, Any] = field(default_factory=dict, repr=False)

    def meaning(self, symbol: Symbol) -> Expr:
        """What a letter stands for, in the symbols of the claim.

        Parameters
        ----------
        symbol : Symbol
            A key of `letters`.

        Returns
        -------
        Expr
            Free of abbreviations.
        """
        value = self.letters[symbol]
        while value.free_symbols & set(self.letters):
            value = value.subs(self.letters)
        return value

    def with_letter(self, letter: Symbol, value: Expr) -> Shorthand:
        """The abbreviations, and one more.

        Parameters
        ----------
        letter : Symbol
            A letter that is not taken.
        value : Expr
            What it stands for, in the symbols of the claim.

        Returns
        -------
        Shorthand
            A new one.
        """
        letters = {**self.letters, letter: value}
        local = {**self.local, value: letter}
        return replace(self, letters=letters, local=local, functions={}, _known={})

    def inside(self, letter: Symbol) -> Any:
        """What a letter of the claim's own stands for, abbreviated by the others.

        Parameters
        ----------
        letter : Symbol
            The letter.

        Returns
        -------
        Expr
            To be shown beside it.
        """
        others = {value: other for value, other in self.local.items() if other != letter}
        return replace(self, local=others, _known={})(self.letters[letter])

    def __call__(self, expr: Any) -> Any:
        """An expression or statement, abbreviated.

        Parameters
        ----------
        expr : Basic
            In the symbols of the claim.

        Returns
        -------
        Basic
            The same, with letters put for what they stand for. It is for the eye: what SymPy
            declares of the letters is not the claim's.
        """
        if not isinstance(expr, Basic) or isinstance(expr, Law):
            return expr
        # SymPy takes derivatives in different variables for equal, at a point of equal coordinates.
        if expr.has(Subs):
            return self._abbreviated(expr)
        if expr not in self._known:
            self._known[expr] = self._abbreviated(expr)
        return self._known[expr]

    def _abbreviated(self, expr: Any) -> Any:
        if expr in self.local:
            return self.local[expr]
        named = self._risk(expr)
        if named is not None:
            return named
        if not expr.args:
            return expr
        if isinstance(expr, Relational | BooleanFunction):
            return expr.func(*map(self, expr.args), evaluate=False)
        if isinstance(expr, Expectation | IIDSum | AppliedUndef):
            return expr.func(*map(self, expr.args))
        if isinstance(expr, Derivative):
            return Derivative(self(expr.expr), *expr.variable_count, evaluate=False)
        if isinstance(expr, Pow) and self.spread is not None and expr.exp.is_Rational:
            root = self._root(expr)
            if root is not None:
                return root
        if isinstance(expr, asin):
            # An arc sine of 2 s^2/(1 + 2 s^2) is known by its looks.
            args = [_plain(self)(arg) for arg in expr.args]
        else:
            args = [self(arg) for arg in expr.args]
        if isinstance(expr, Add):
            return Add(*args)
        if not isinstance(expr, Mul | Pow) and tuple(args) == expr.args:
            # What is held unevaluated stays so.
            return expr
        if isinstance(expr, Mul):
            return self._monomial(Mul(*args))
        try:
            made = expr.func(*args)
        # What will not be rebuilt with a letter in it is left as it is.
        except (TypeError, ValueError):
            return expr
        return self._monomial(made) if isinstance(made, Mul | Pow) else made

    # -- letters -------------------------------------------------------------------------------

    def _root(self, power: Expr) -> Expr | None:
        """A power of 1 + 2 s^2 as one of A, if it is an odd power of its root; so for B."""
        doubled = 2 * power.exp
        if self.spread is None or not doubled.is_Integer or _A not in self.letters:
            return None
        for letter, factor in ((_A, 2), (_B, 4)):
            if power.base == 1 + factor * self.spread**2 and doubled.is_odd:
                return letter**doubled
        return None

    def _monomial(self, product: Expr) -> Expr:
        product = self._zeta_at_zero(product)
        if not isinstance(product, Mul | Pow):
            return product
        powers, number = _powers(product)
        if _DRIFT in self.letters and notation.d in powers:
            # 2^(1/2) d^(1/2) is 2 (d/2)^(1/2).
            half = powers[notation.d]
            if half.q == 2:
                powers[_DRIFT] = 2 * half
                number *= sqrt(2) ** (2 * half)
                del powers[notation.d]
        self._take(powers, _S, {notation.lam: 1, notation.gamma: 1}, exact=True)
        self._take(powers, _T, {notation.lam: 1, _DRIFT: 1, notation.kappa: 1})
        if self.squares and _A in self.letters:
            for letter in (_A, _B):
                base = self.letters[letter] ** 2
                if base in powers and powers[base].is_Integer:
                    powers[letter] = powers.get(letter, S.Zero) + 2 * powers.pop(base)
        if _SMALL_A in self.letters and powers.get(_T) == 1 and powers.get(_A) == -1:
            self._take(powers, _SMALL_A, {_T: 1, _A: -1})
        return Mul(number, *(Pow(base, power) for base, power in powers.items()))

    def _take(
        self,
        powers: dict[Expr, Any],
        letter: Symbol,
        of: Mapping[Any, int],
        exact: bool = False,
    ) -> None:
        if letter not in self.letters or any(base not in powers for base in of):
            return
        counts = [powers[base] / count for base, count in of.items()]
        if len({count > 0 for count in counts}) > 1 or (exact and len(set(counts)) > 1):
            return
        count = min(counts, key=abs)
        if not count.is_Integer:
            return
        for base, each in of.items():
            powers[base] -= count * each
            if powers[base] == 0:
                del powers[base]
        powers[letter] = powers.get(letter, S.Zero) + count

    def _zeta_at_zero(self, product: Expr) -> Expr:
        """SymPy turns zeta(0, lambda) into an arc sine; in the risk it is written as zeta."""
        lam = notation.lam
        arc = asin(2 * lam**2 / (1 + 2 * lam**2))
        if not product.has(arc):
            return product
        rest = product / arc * pi / 2
        return rest if rest.has(asin) else rest * _ZETA_AT_ZERO

    # -- the risk ------------------------------------------------------------------------------

    def _risk(self, expr: Any) -> Any:
        if isinstance(expr, Expectation) and self.risk:
            values = _as_risk(expr)
            if values is not None:
                self.functions[_RISK] = Lambda(_FIVE, _risk_definition())
                return _RISK(*map(self, values))
        if isinstance(expr, Add) and self.risk_on_m:
            place = _as_risk_on_m(expr)
            if place is not None:
                self.functions[_RISK_ON_M] = Lambda((notation.kappa, notation.nu), _on_m())
                return _RISK_ON_M(*place)
        if isinstance(expr, Add) and self.risk_closed and _is_closed_risk(expr):
            self.functions[_RISK_CLOSED] = Lambda(_FIVE, expr)
            return _RISK_CLOSED(*_FIVE)
        return None


# Not the function itself, which would evaluate.
_ZETA_AT_ZERO = Function("zeta", real=True)(S.Zero, notation.lam)


def _plain(shorthand: Shorthand) -> Shorthand:
    return replace(shorthand, squares=False, _known={})


def _powers(product: Expr) -> tuple[dict[Expr, Any], Expr]:
    powers: dict[Expr, Any] = {}
    number: Expr = S.One
    for factor in Mul.make_args(product):
        base, power = factor.as_base_exp()
        if factor.is_number or not power.is_Rational:
            if factor.is_number:
                number *= factor
            else:
                powers[factor] = powers.get(factor, S.Zero) + 1
        else:
            powers[base] = powers.get(base, S.Zero) + power
    return powers, number


# -- the risk ----------------------------------------------------------------------------------


@cache
def _risk_definition() -> Any:
    from slrsym.symbolic import risk_definition

    return risk_definition()


@cache
def _on_m() -> Any:
    """The right-hand side of Lemma 6."""
    from slrsym.proof import builtin_ledger

    return builtin_ledger().find("lemma-6").statement.rhs


@cache
def _as_risk(expr: Expectation) -> tuple[Expr, ...] | None:
    """The overlaps at which an expectation is the risk."""
    definition = _risk_definition()
    if expr == definition:
        return _FIVE
    if not isinstance(expr.integrand, Pow) or not expr.has(IIDSum):
        return None
    for values in _RISK_ARGUMENTS:
        if definition.subs(dict(zip(_FIVE, values, strict=True))) == expr:
            return values
    return None


_K, _N = notation.kappa, notation.nu
_RISK_ARGUMENTS = (
    (_K, _N, S.Zero, S.Zero, S.Zero),
    *((x, y, S.Zero, S.Zero, S.Zero) for x in (S.One, -S.One) for y in (S.One, -S.One)),
)


@cache
def _as_risk_on_m(expr: Add) -> tuple[Expr, Expr] | None:
    """Where a sum is the value of the risk on the manifold."""
    fixed = {notation.epsilon, notation.gamma, notation.L, notation.lam, notation.d}
    if not fixed <= expr.free_symbols or notation.epsilon**2 not in expr.args:
        return None
    free = sorted(expr.free_symbols - fixed, key=str)
    if len(free) > 2 or not all(s.is_real for s in free):
        return None
    values = [*free, *(-s for s in free), S.One, S.NegativeOne, S.Zero]
    for x in values:
        for y in values:
            if {*x.free_symbols, *y.free_symbols} >= set(free) and _value_on_m(x, y) == expr:
                return x, y
    return None


def _is_closed_risk(expr: Add) -> bool:
    result: bool = {*_FIVE, notation.epsilon} <= expr.free_symbols and expr == _closed_risk()
    return result


@cache
def _closed_risk() -> Any:
    """The form without cancellation, of claim excess-risk-stable, and what it leaves out."""
    from slrsym.symbolic import excess_risk_stable

    return notation.epsilon**2 + excess_risk_stable()


@cache
def _value_on_m(x: Expr, y: Expr) -> Any:
    both = {notation.kappa: x, notation.nu: y}
    return _on_m().subs(both, simultaneous=True)


# -- which letters a claim needs ---------------------------------------------------------------


def chosen(expressions: Iterable[Any], *, risk: bool = True, risk_on_m: bool = True) -> Shorthand:
    """The abbreviations for a set of expressions.

    Parameters
    ----------
    expressions : iterable of Basic
        All that is to be written of one claim.
    risk : bool, optional
        Whether the definition of the risk is written as R.
    risk_on_m : bool, optional
        Whether the risk on the manifold is written as R^<.

    Returns
    -------
    Shorthand
        With the letters that occur, and that the claim does not use for anything else.
    """
    expressions = list(expressions)
    taken = {s.name for e in expressions for s in e.atoms(Symbol)}
    taken |= {f.func.__name__ for e in expressions for f in e.atoms(AppliedUndef)}
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
        letters[_DRIFT] = sqrt(notation.d / 2)
    if "s" not in taken and (paper or result.spread == own):
        letters[_S] = own
    if "t" not in taken and paper:
        letters[_T] = notation.lam * _DRIFT * notation.kappa
    if not {"A", "B"} & taken and result.spread is not None:
        inner = _S if result.spread == own and _S in letters else result.spread
        letters[_A] = sqrt(1 + 2 * inner**2)
        letters[_B] = sqrt(1 + 4 * inner**2)
        if "a" not in taken and _T in letters:
            letters[_SMALL_A] = _T / _A
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
