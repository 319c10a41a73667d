"""How expectations, sums of copies, and laws are written, as boxes."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import Add, Expr, Mul, S

from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, NoiseLaw
from slrsym.gaussian.unevaluated import Expectation
from slrsym.typeset.boxes import (
    Atom,
    Box,
    Fence,
    Grid,
    Operator,
    Script,
    Space,
    identifier,
    name,
    number,
    row,
)
from slrsym.typeset.laws import is_part_of
from slrsym.typeset.writing import COMMA, POWER, PREFIX, PRODUCT, RELATION, Writing

__all__ = ["Expectations"]


class Expectations(Writing):
    """Writes expectations and laws."""

    def _expectation(self, expr: Expectation) -> tuple[Box, int]:
        sign: Box = name("E")
        nested = self._depth > 0 or expr.integrand.has(Expectation)
        if self.laws is not None and not is_part_of(expr.law, self.laws):
            sign = Script(sign, self.law(expr.law))
        elif nested:
            sign = Script(sign, self._join(expr.law.symbols))
        self._depth += 1
        try:
            with self._binding(expr.law.symbols):
                body = self._print(expr.integrand)[0]
        finally:
            self._depth -= 1
        return row([sign, Fence("[", body, "]")]), POWER

    def _copies(self, expr: IIDSum) -> tuple[Box, int]:
        count = expr.count
        shift = count.is_Add and count.as_coeff_Add()[0] == -1
        first, last = (2, count + 1) if shift else (1, count)
        before = self._copied
        self._copied = before | set(expr.law.symbols)
        try:
            with self._binding(expr.law.symbols):
                body = self._within(expr.term, PRODUCT)
        finally:
            self._copied = before
        sign = Script(
            Operator("sum", "large"),
            row([identifier("ell"), Operator("=", "relation"), number(first)]),
            self._print(last)[0],
        )
        return row([sign, body]), PREFIX

    def law(self, law: Law) -> Box:
        """What a law says of its variables."""
        parts: list[Box] = []
        for block in law.blocks():
            parts += [COMMA, Space(0.17, breaks=True)] if parts else []
            parts.append(self._block(block))
        return row(parts)

    def _block(self, law: Law) -> Box:
        if isinstance(law, NoiseLaw):
            xi = self.symbol(law.symbols[0])
            moments = [
                row([name("E"), Fence("[", inside, "]"), Operator("=", "relation"), value])
                for inside, value in (
                    (xi, number(0)),
                    (Script(xi, above=number(2)), self.box(law.variance)),
                )
            ]
            return row([moments[0], COMMA, Space(), moments[1]])
        if not isinstance(law, GaussianLaw):
            return self._list(law.symbols)
        names, means = law.symbols, tuple(law.mean.values())
        same = {*means} == {S.Zero} and law.cov.is_diagonal() and len(set(law.cov.diagonal())) == 1
        tilde, calligraphic = Operator("sim", "relation"), Atom("mathcal{N}")
        if len(names) == 1 or same:
            left = self._list(names, brackets=False)
            mean, cov = self._print(means[0], inline=True)[0], self._print(law.cov[0, 0], True)[0]
            return row([left, tilde, calligraphic, Fence("(", row([mean, COMMA, cov]), ")", False)])
        common = _common_factor(law.cov)
        entries = [[self.box(sp.cancel(e / common)) for e in line] for line in law.cov.tolist()]
        grid: Box = Grid(tuple(map(tuple, entries)))
        matrix = row([*([] if common == 1 else [self.box(common)]), grid])
        shared = _common_factor(sp.Matrix([means]))
        vector = Fence("(", self._join([sp.cancel(m / shared) for m in means]), ")")
        mean = number(0) if not any(means) else vector
        if any(means) and shared != 1:
            mean = self._beside([self.box(shared), vector])
        inside = Fence("(", row([mean, COMMA, Space(), matrix]), ")", False)
        return row([self._list(names), tilde, calligraphic, inside])

    def _law(self, expr: Law) -> tuple[Box, int]:
        return self.law(expr), RELATION


def _common_factor(matrix: Any) -> Expr:
    """What every entry that is not zero is a multiple of, if that is more than a number."""
    entries = [e for e in matrix if e != 0]
    if not entries:
        return S.One
    factor = entries[0]
    for entry in entries[1:]:
        factor = sp.gcd_terms(factor + entry, clear=False).as_independent(Add, as_Add=False)[0] if (
            factor != entry
        ) else factor  # fmt: skip
        common = Mul(*(f for f in Mul.make_args(factor) if not f.is_Add))
        factor = common
    quotients = [sp.cancel(e / factor) for e in entries]
    if all(sp.denom(q) == 1 for q in quotients) and not factor.is_number:
        return factor
    return S.One
