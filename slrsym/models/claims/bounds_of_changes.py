"""Claims in letters on how much sums, roots and functions change, by changes of what they are of.

All bounds are of squares, over a number S that bounds squares of changes of coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sympy import Add, Eq, Expr, Le, Symbol, sqrt

from slrsym.models.claims.sector_letters import squares
from slrsym.proof import Claim, algebra, chain, having, lemma, signs


def _numbered(letter: str, count: int) -> list[Symbol]:
    """Return letters; those of bounds, b, are not negative, so that points are soon found."""
    sort = {"nonnegative": True} if letter == "b" else {"real": True}
    return [Symbol(f"{letter}_{k}", **sort) for k in range(1, count + 1)]


_l, _S = Symbol("l", nonnegative=True), Symbol("S", nonnegative=True)
_p, _q = Symbol("p", positive=True), Symbol("q", positive=True)


class BoundsOfChanges:
    """Claims that bound changes, each made when it is asked for."""

    def __init__(self, name: str, source: str) -> None:
        self.name, self.source = name, source
        self.made: dict[str, Claim] = {}

    def _claim(self, what: str, title: str, statement: Any, given: Any, proof: Any) -> str:
        id = f"{self.name}-flow-{what}"
        if id not in self.made:
            self.made[id] = claim = Claim(
                id=f"{self.name}-flow-{what}",
                title=title,
                statement=statement,
                source=self.source,
                hypotheses=given,
            )
            claim.proof(proof)
        return id

    def _by_rest(self, rest: Expr) -> Callable[[Any], Any]:
        """Return the proof that the right side is the left one plus what is not negative."""

        def proof(goal: Any) -> Any:
            """Write what is between as a sum of squares, with weights that are not negative."""
            between = chain(goal.rhs - goal.lhs).then(rest, by=algebra).ge(0, by=signs)
            return having(between, chain(goal.lhs).le(goal.rhs, by=signs))

        return proof

    # -- sums --------------------------------------------------------------------------------------

    def of_sum(self, n: int) -> str:
        """Claim that the square of a sum is at most the sum of squares, times their number."""
        y = _numbered("y", n)
        between = Add(*((a - b) ** 2 for k, a in enumerate(y) for b in y[:k]))
        return self._claim(
            f"sum-{n}", f"The square of a sum of {n} is at most {n} times that of their squares",
            Le(Add(*y) ** 2, n * squares(y), evaluate=False), (), self._by_rest(between),
        )  # fmt: skip

    def of_combination(self, n: int, values: Mapping[str, Expr]) -> Any:
        """Claim a bound of the square of a combination, and cite it at values."""
        c, d, b = (_numbered(x, n) for x in "cdb")
        v, size = Symbol("v", real=True), _S
        bound = n * Add(*(x**2 * y for x, y in zip(c, b, strict=True))) * size
        products = {f"y_{k}": x * y for k, (x, y) in enumerate(zip(c, d, strict=True), start=1)}
        by_sum = lemma(self.of_sum(n), products) if n > 1 else algebra
        parts = Add(*(x**2 * y**2 for x, y in zip(c, d, strict=True)))
        rest = Add(*(n * x**2 * (y * size - z**2) for x, y, z in zip(c, b, d, strict=True)))

        def proof(goal: Any) -> Any:
            """Bound the square of the sum by the number of terms times the sum of squares."""
            return having(
                chain(bound - n * parts).then(rest, by=algebra).ge(0, by=signs),
                chain(v**2)
                .then(Add(*products.values()) ** 2, by=algebra)
                .le(n * parts, by=by_sum)
                .le(goal.rhs, by=signs),
            )

        whole = Eq(v, Add(*(x * y for x, y in zip(c, d, strict=True))), evaluate=False)
        bounded = [Le(x**2, y * size, evaluate=False) for x, y in zip(d, b, strict=True)]
        id = self._claim(
            f"combination-{n}", "A bound of the square of a combination of bounded numbers",
            Le(v**2, bound, evaluate=False), [whole, *bounded], proof,
        )  # fmt: skip
        return lemma(id, values)

    def of_growth(self, n: int, values: Mapping[str, Expr]) -> Any:
        """Claim how fast a sum of squares grows, by bounds of velocities, and cite it at values."""
        v, d, b = (_numbered(x, n) for x in "vdb")
        size = squares(d)
        falls = Add(*(-2 * x * y for x, y in zip(d, v, strict=True)))
        rest = Add(*((x - y) ** 2 for x, y in zip(d, v, strict=True)))
        rest += Add(*(y * size - x**2 for x, y in zip(v, b, strict=True)))
        id = self._claim(
            f"growth-{n}", "How fast a sum of squares grows, by bounds of the velocities",
            Le(Add(1, *b) * -size, falls, evaluate=False),
            [Le(x**2, y * size, evaluate=False) for x, y in zip(v, b, strict=True)],
            self._by_rest(rest),
        )  # fmt: skip
        return lemma(id, values)

    # -- roots and functions -----------------------------------------------------------------------

    def require_kind(self, kind: str) -> None:
        """Raise `ValueError` if nothing is known of the changes of a kind of function."""
        if kind not in _KINDS:
            raise ValueError(
                "that like units stay alike is stated where the exchange moves coordinates, roots "
                f"and quotients in the velocities; it moves {kind}, too. Prove the claim with "
                "slrsym.proof.dynamical"
            )

    def bound_of_kind(self, kind: str, start: Expr, end: Expr, inner: Expr) -> Expr:
        """Return the bound of a squared change over S, by that of what it is of."""
        return _KINDS[kind].bound(start, end, inner)

    def of_kind(self, kind: str, start: Expr, end: Expr, inner: Expr, size: Expr) -> Any:
        """Claim a bound of the change of a root or a function, and cite it at values."""
        return _KINDS[kind].cited(self, start, end, inner, size)


class _OfReciprocals:
    """The change of one over a positive number, or over a square root."""

    def __init__(self, power: int) -> None:
        # Of p and q, which the letters p**power are of.
        self.power = power

    def bound(self, start: Expr, end: Expr, inner: Expr) -> Expr:
        if self.power == 1:
            return inner / start**2 / end**2
        return inner / start**2 / end

    def cited(
        self, claims: BoundsOfChanges, start: Expr, end: Expr, inner: Expr, size: Expr
    ) -> Any:
        given = [Le((_p**self.power - _q**self.power) ** 2, _l * _S, evaluate=False)]
        left = _l * _S - (_p**self.power - _q**self.power) ** 2
        if self.power == 1:
            bound, rest = _l / _p**2 / _q**2, left / _p**2 / _q**2
        else:
            bound = _l / _p**4 / _q**2
            rest = left / _p**4 / _q**2 + (_p - _q) ** 2 * (2 * _p + _q) / _p**4 / _q
        what = "a positive number" if self.power == 1 else "a square root"
        id = claims._claim(
            "change-of-power" if self.power == 1 else "change-of-root",
            f"A bound of the change of one over {what}",
            Le((1 / _p - 1 / _q) ** 2, bound * _S, evaluate=False), given, claims._by_rest(rest),
        )  # fmt: skip
        p, q = (start, end) if self.power == 1 else (sqrt(start), sqrt(end))
        return lemma(id, {"p": p, "q": q, "l": inner, "S": size})


_KINDS: dict[str, Any] = {"power": _OfReciprocals(1), "root": _OfReciprocals(2)}
