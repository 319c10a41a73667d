"""The token that stands in the functions which state a model: its projections are symbols."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import (
    Expr,
    Pow,
    Rational,
    S,
    Symbol,
    SympifyError,
    ceiling,
    cosh,
    erf,
    erfc,
    exp,
    floor,
    frac,
    sech,
    sinh,
    tanh,
)  # fmt: skip

from slrsym.gaussian.special_functions import with_own_owens_t
from slrsym.models.definition.specification import (
    Direction,
    Vector,
    exact_expression,
    function_source_location,
    softmax,
)


class SymbolicToken:
    """A token inside the functions that state a model: ``X @ k`` is its projection on k."""

    def __init__(self) -> None:
        self.symbols: dict[Direction, Symbol] = {}

    def __matmul__(self, vector: Any) -> Expr:
        if not isinstance(vector, Vector):
            raise TypeError(
                f"a token is projected on a Direction, or a sum of them; got {vector!r}"
            )
        total: Expr = S.Zero
        for x, c in vector.terms.items():
            if x not in self.symbols:
                self.symbols[x] = Symbol(f"X_{{{x.name}}}", real=True)
            total += c * self.symbols[x]
        return total

    def __rmatmul__(self, vector: Any) -> Expr:
        raise TypeError(f"the token stands first in a projection: write X @ {vector}")

    def __repr__(self) -> str:
        return "X"

    def _no_number(self, *others: Any) -> Any:
        """Raise `TypeError` for arithmetic with a token itself, which is a vector."""
        found = f"; got {others[0]!r}" if others else ""
        raise TypeError(
            f"a token X is a vector, and has no products or sums{found}: project it, as X @ k"
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _no_number
    __truediv__ = __rtruediv__ = __pow__ = __neg__ = __float__ = _no_number

    def share_of(self, what: str, function: Callable[..., Any], *more: Any) -> Expr:
        """Evaluate a function of this token; return its share, checked to be real and finite.

        Messages name the file and the line of the function.
        """
        try:
            found = function(self, *more)
        except TypeError as problem:
            # NumPy's functions and those of `math` take numbers only.
            numeric = any(part in str(problem) for part in ("ufunc", "convert expression to float"))
            hint = "; write it with functions of SymPy, such as sympy.tanh" if numeric else ""
            if "truth value" in str(problem):
                hint = (
                    "; a projection has no number yet: write cases with sympy.Piecewise, "
                    "sympy.Max or sympy.sign"
                )
            if "positional argument" in str(problem):
                given = "a token X and the bias of its position" if more else "one token X"
                hint = f"; it is called with {given}, as in lambda X{', b' * bool(more)}: ..."
            raise TypeError(
                f"{what}: {problem}{function_source_location(function)}{hint}"
            ) from problem
        where = function_source_location(function)
        try:
            expr = None if isinstance(found, str | SymbolicToken) else exact_expression(found)
        except SympifyError:
            expr = None
        if not isinstance(expr, Expr) or expr.is_Matrix:
            if found is self and what == "target":
                raise TypeError(
                    f"target is the token itself, and the predictor gives no vector{where}. Let it "
                    "give a sum of directions, such as erf(X @ w) * w, or project the token"
                )
            plain = " object at 0x" in repr(found)
            shown = f"a {type(found).__name__}" if plain else repr(found)
            raise TypeError(
                f"{what} must give an expression, not several or a matrix, in projections X @ k; "
                f"got {shown}{where}"
            )
        expr = _with_computable_functions(what, with_own_owens_t(expr), where)
        if expr.has(floor, ceiling, frac):
            raise ValueError(
                f"{what} must be smooth, but for kinks and jumps by Max, Piecewise, "
                f"sign or Heaviside; got {expr}{where}"
            )
        plain = expr.replace(softmax, lambda *_: S.One)
        names = list(self.symbols.values())
        places = [dict.fromkeys(names, S(n)) for n in (-7, -2, -1, 0, Rational(1, 2), 1, 3)]
        # A quotient of two may be finite where both vanish, and not where one does.
        places += [dict.fromkeys(names, S.One) | {x: S.Zero} for x in names]
        for place in places:
            values = dict.fromkeys(plain.free_symbols, S.One) | place
            value = plain.subs(values).evalf()
            if value is S.NaN or value.is_real is False or value.is_finite is False:
                at = ", ".join(f"{name} = {number}" for name, number in place.items())
                raise ValueError(
                    f"{what} must be real and finite for all projections; {expr} is {value} at "
                    f"{at or 'every point'}{where}. Take a function that is defined on the whole "
                    "line, or bound its argument"
                )
        return expr

    def outputs_of(self, what: str, function: Callable[..., Any]) -> tuple[list[Expr], bool]:
        """Return the outputs of a function of this token, and whether it gives just one.

        As `share_of`, but a function may give a list of expressions.
        """
        try:
            found = function(SymbolicToken())
        except TypeError:
            found = None
        if not isinstance(found, list | tuple):
            return [self.share_of(what, function)], True
        return [
            self.share_of(what, lambda X, i=i: function(X)[i]) for i in range(len(found))
        ], False

    def vector_of(self, what: str, function: Callable[..., Any]) -> Vector | None:
        """Return the vector that a function of this token gives, or None if it gives none.

        As `share_of`, of the coefficients of directions. The token is projected on each of these.
        """
        try:
            found = function(self)
        except TypeError:
            return None
        if not isinstance(found, Vector):
            return None
        for x in found.terms:
            self @ x
        return Vector({x: self.share_of(what, lambda _, c=c: c) for x, c in found.terms.items()})


def _with_computable_functions(what: str, expr: Expr, where: str) -> Expr:
    """Write erfc by erf, even powers of 1/cosh by tanh, and cosh and sinh by exponentials."""
    expr = expr.replace(erfc, lambda x: 1 - erf(x))
    expr = expr.replace(sech, lambda x: 1 / cosh(x))
    expr = expr.replace(
        lambda e: e.is_Pow and isinstance(e.base, cosh) and e.exp.is_even and e.exp.is_negative,
        lambda e: (1 - tanh(e.base.args[0]) ** 2) ** (-e.exp / 2),
    )
    odd = [e for e in expr.atoms(Pow) if isinstance(e.base, cosh) and not e.exp.is_positive]
    if odd:
        raise ValueError(
            f"{what} has an odd power of 1/cosh or sech, which cannot be computed{where}: take an "
            "even one, such as 1/cosh(x)**2, or another function, such as exp(-x**2)"
        )
    expr = expr.replace(cosh, lambda x: (exp(x) + exp(-x)) / 2)
    return expr.replace(sinh, lambda x: (exp(x) - exp(-x)) / 2)
