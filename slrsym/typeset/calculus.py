"""How derivatives, integrals, sums and limits are written, as boxes."""

from __future__ import annotations

from typing import Any

from sympy import Derivative, Expr, Integral, Limit, Subs, Sum, Symbol
from sympy.core.function import AppliedUndef, Function

from slrsym.gaussian.unevaluated import Expectation
from slrsym.typeset.boxes import (
    Box,
    Delimiter,
    Fence,
    Fraction,
    Operator,
    Script,
    Space,
    identifier,
    name,
    number,
    row,
)
from slrsym.typeset.writing import COMMA, POWER, PREFIX, PRODUCT, SUM, Writing, primed

__all__ = ["Calculus"]


class Calculus(Writing):
    """Writes what is differentiated, integrated or summed."""

    def _derivative(self, expr: Derivative) -> tuple[Box, int]:
        of = expr.expr
        if isinstance(of, AppliedUndef) and len(expr.variable_count) == 1:
            variable, count = expr.variable_count[0]
            places = [i for i, arg in enumerate(of.args) if arg == variable]
            plain = len(places) == 1 and all(arg.is_Symbol for arg in of.args)
            if plain:
                return self._partial(of, places[0], count, of.args, of.args)
        return row([*self._signs(expr), self._operand(of)]), PREFIX

    def _signs(self, expr: Derivative) -> list[Box]:
        signs: list[Box] = []
        variables = set(expr.variables)
        # A letter that stands for something of the variable is no other variable.
        free = set[Symbol]().union(
            *({x} if x in variables else self.inside.get(x, {x}) for x in expr.expr.free_symbols)
        )
        alone = free == variables and len(expr.variable_count) == 1
        for variable, count in expr.variable_count:
            power = None if count == 1 else self._print(count)[0]
            if alone:
                d = name("d")
                above = d if power is None else Script(d, above=power)
                letter_ = self.symbol(variable)
                below = row([d, letter_ if power is None else Script(letter_, above=power)])
                signs.append(Fraction(above, below))
            else:
                signs.append(Script(identifier("partial"), self.symbol(variable), power))
        return [*signs, Space()]

    def _operand(self, of: Expr) -> Box:
        box, level = self._print(of)
        bare = isinstance(of, Expectation | Function | Symbol) and level >= PREFIX
        return box if bare else Fence("[", box, "]")

    def _partial(
        self, of: AppliedUndef, place: int, count: int, names: Any, at: Any
    ) -> tuple[Box, int]:  # fmt: skip
        """A derivative of an undefined function in one of its arguments.

        By its place where the argument is a random variable, by its name otherwise.
        """
        called = self.symbol(of.func)
        if len(of.args) == 1 and count <= 3:
            return self._call(primed(called, int(count)), at), POWER
        power = None if count == 1 else number(count)
        numbered = names[place] in self._bound or of.args != tuple(at)
        numbered = numbered and of.func.__name__ not in self.names
        index = number(place + 1) if numbered else self.symbol(names[place])
        sign = Script(identifier("partial"), index, power)
        return row([sign, self._call(called, at)]), PREFIX

    def _substitution(self, expr: Subs) -> tuple[Box, int]:
        of, variables, values = expr.expr, expr.variables, expr.point
        if isinstance(of, Derivative) and isinstance(of.expr, AppliedUndef):
            inner = of.expr
            variable, count = of.variable_count[0]
            plain = all(x.is_Symbol for x in inner.args) and len(set(inner.args)) == len(inner.args)
            # All of the variables, or those that have no fixed name.
            known = inner.args == tuple(variables) or inner.func.__name__ in self.names
            if (
                plain
                and known
                and set(variables) <= set(inner.args)
                and (len(of.variable_count) == 1 and variable in variables)
            ):
                put = dict(zip(variables, values, strict=True))
                place = inner.args.index(variable)
                at_point = tuple(put.get(x, x) for x in inner.args)
                return self._partial(inner, place, count, inner.args, at_point)
        at: list[Box] = []
        for variable, value in zip(variables, values, strict=True):
            at += [COMMA] if at else []
            at += [self.symbol(variable), Operator("=", "relation"), self._print(value)[0]]
        bar = Script(Delimiter("|", 2, "close"), row(at))
        return row([self._within(of, PREFIX), bar]), SUM

    def _integral(self, expr: Integral) -> tuple[Box, int]:
        signs: list[Box] = []
        differentials: list[Box] = []
        for limit in reversed(expr.limits):
            ends = [self._print(end, inline=True)[0] for end in limit[1:]]
            below, above = ends if len(ends) == 2 else (None, ends[0] if ends else None)
            sign: Box = Operator("int", "large")
            signs.append(Script(sign, below, above) if ends else sign)
            differentials = [Space(), name("d"), self.symbol(limit[0]), *differentials]
        with self._binding(expr.variables):
            body = self._within(expr.function, PRODUCT)
        return row([*signs, body, *differentials]), PREFIX

    def _series(self, expr: Sum) -> tuple[Box, int]:
        signs: list[Box] = []
        for index, first, last in reversed(expr.limits):
            below = row([self.symbol(index), Operator("=", "relation"), self._print(first)[0]])
            signs.append(Script(Operator("sum", "large"), below, self._print(last)[0]))
        with self._binding(expr.variables):
            body = self._within(expr.function, PRODUCT)
        return row([*signs, body]), PREFIX

    def _limit(self, expr: Limit) -> tuple[Box, int]:
        of, variable, point, _ = expr.args
        under = row([self.symbol(variable), Operator("to", "relation"), self._print(point)[0]])
        sign = Script(name("lim"), under)
        return row([sign, Space(), self._within(of, PRODUCT)]), PREFIX
