"""Expressions and statements as boxes, in the order and the form in which a person writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import sympy as sp
from sympy import Add, Derivative, Expr, Integral, Limit, Mul, Pow, S, Subs, Sum, Symbol, latex
from sympy.core.function import AppliedUndef, Function
from sympy.core.relational import Relational
from sympy.logic.boolalg import And, Equivalent, Implies, Not, Or
from sympy.tensor.indexed import Indexed, IndexedBase

from slrsym.gaussian.functions import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, NoiseLaw
from slrsym.gaussian.typeset.boxes import (
    Atom,
    Box,
    Delimiter,
    Fence,
    Fraction,
    Grid,
    Operator,
    Root,
    Script,
    Space,
    identifier,
    name,
    number,
    row,
    words,
)
from slrsym.gaussian.typeset.laws import is_part_of
from slrsym.gaussian.typeset.names import letter
from slrsym.gaussian.typeset.order import Order, is_negative_term
from slrsym.gaussian.typeset.products import Product
from slrsym.gaussian.unevaluated import Expectation

__all__ = ["Printer"]

# How tightly a formula holds together.
_LOGIC, _RELATION, _SUM, _PRODUCT, _PREFIX, _POWER, _ATOM = range(7)

_COMMA = Operator(",", "comma")
_RELATIONS = {
    "Equality": "=", "Unequality": "neq", "LessThan": "le", "StrictLessThan": "<",
    "GreaterThan": "ge", "StrictGreaterThan": ">",
}  # fmt: skip
_WORDS: dict[Any, Box] = {
    And: words("and"),
    Or: words("or"),
    Implies: Operator("implies", "relation", breaks=True),
    Equivalent: Operator("iff", "relation", breaks=True),
}


def _primed(base: Box, count: int) -> Box:
    return Script(base, above=Atom("'" * count, "name"))


_NAMES: dict[Any, Box] = {
    erf_prime: _primed(name("erf"), 1),
    erf_second: _primed(name("erf"), 2),
    normal_pdf: identifier("varphi"),
    normal_cdf: identifier("Phi"),
    OwensT: identifier("T"),
    zeta: identifier("zeta"),
    **{
        kind: name(text)
        for text, kind in {
            "erf": sp.erf, "erfc": sp.erfc, "log": sp.log, "sin": sp.sin, "cos": sp.cos,
            "tan": sp.tan, "arcsin": sp.asin, "arccos": sp.acos, "arctan": sp.atan,
            "sinh": sp.sinh, "cosh": sp.cosh, "tanh": sp.tanh, "arsinh": sp.asinh,
            "arcosh": sp.acosh, "artanh": sp.atanh, "sign": sp.sign, "max": sp.Max, "min": sp.Min,
        }.items()
    },
}  # fmt: skip

# An exponential is written with exp where its exponent is wider than this, in em, and a function
# of something wider than that may be broken inside.
_WIDE_EXPONENT, _WIDE_ARGUMENT = 4.5, 20.0
# Between the factors of a product that is wider, a line may be broken, though reluctantly.
_WIDE_PRODUCT = 30.0
# Narrower brackets are not broken.
_NARROW_BRACKET = 9.0
# What stands below a slash is no wider than this.
_WIDE_DIVISOR = 7.0
# What stands after a fraction, rather than in its numerator, is wider than this.
_WIDE_FACTOR = 11.0


class Printer:
    """Writes expressions, with a person's order and brackets.

    Parameters
    ----------
    order : Order, optional
        How terms and factors are sorted.
    laws : mapping of Symbol to Law, optional
        What has been declared of random variables. An expectation under another law names it.
    names : mapping of str to Box, optional
        Symbols and undefined functions that are not written as their names say.
    """

    _named: ClassVar[dict[Any, Box]] = _NAMES

    def __init__(
        self,
        order: Order | None = None,
        laws: Mapping[Symbol, Law] | None = None,
        names: Mapping[str, Box] | None = None,
    ) -> None:
        self.order = order or Order()
        self.laws = laws
        self.names = dict(names or {})
        self._bound: frozenset[Symbol] = frozenset()
        self._copied: frozenset[Symbol] = frozenset()
        self._depth = 0

    def box(self, expr: Any, inline: bool = False) -> Box:
        """An expression, a statement or a law.

        Parameters
        ----------
        expr : Basic
            What is to be written.
        inline : bool, optional
            Whether simple fractions are written with a slash.

        Returns
        -------
        Box
            It has the meaning of `expr`.
        """
        return self._print(expr, inline)[0]

    def symbol(self, symbol: Any) -> Box:
        """A letter, as it is written here.

        Parameters
        ----------
        symbol : Symbol or undefined function
            Anything that has a name.

        Returns
        -------
        Box
            The letter.
        """
        box = self.names.get(symbol.name) or letter(symbol.name)
        if symbol in self._copied:
            copy = Fence("(", identifier("ell"), ")")
            if isinstance(box, Script):
                return Script(box.base, box.below, copy)
            return Script(box, above=copy)
        return box

    # -- dispatch ------------------------------------------------------------------------------

    def _print(self, expr: Any, inline: bool = False) -> tuple[Box, int]:
        if isinstance(expr, Add):
            return self._sum(expr, inline)
        if isinstance(expr, Mul | Pow | sp.Rational):
            return self._product(expr, inline)
        for kind, write in self._KINDS.items():
            if isinstance(expr, kind):
                return write(self, expr)
        if expr.func in self._named:
            return self._call(self._named[expr.func], expr.args), _POWER
        return Atom(latex(expr), "raw"), _SUM

    def _within(self, expr: Any, least: int, inline: bool = False) -> Box:
        """An expression, in brackets unless it holds together as tightly as that."""
        box, level = self._print(expr, inline)
        return box if level >= least else _bracketed(box)

    @contextmanager
    def _binding(self, symbols: Any) -> Iterator[None]:
        before = self._bound
        self._bound = before | set(symbols)
        try:
            yield
        finally:
            self._bound = before

    # -- sums and products ---------------------------------------------------------------------

    def _sum(self, expr: Add, inline: bool) -> tuple[Box, int]:
        parts: list[Box] = []
        for place, term in enumerate(self.order.terms(expr.args, self._bound)):
            negative = is_negative_term(term)
            if place:
                parts.append(Operator("-" if negative else "+", "binary", breaks=True))
            elif negative:
                parts.append(Operator("-", "prefix"))
            parts.append(self._within(-term if negative else term, _PRODUCT, inline))
        return row(parts), _SUM

    def _product(self, expr: Expr, inline: bool) -> tuple[Box, int]:
        product = Product.of(expr)
        if product.negative:
            positive = self._within(-expr, _PRODUCT, inline)
            return row([Operator("-", "prefix"), positive]), _SUM
        if product.is_power:
            return self._power(expr.base, expr.exp), _POWER
        simple, tail = self._split(product, _PRODUCT)
        below, rest = self._split(product.inverse, _PRODUCT)
        denominator = [*below, *rest]
        if not denominator:
            factors = [*simple, *tail] or [number(1)]
            return self._beside(factors), _PRODUCT if len(factors) > 1 else _POWER
        if inline and len(denominator) <= 2 and _are_small(denominator):
            under = self._beside(denominator)
            if len(denominator) > 1 and not isinstance(under, Fence):
                under = Fence("(", under, ")")
            above = self._beside([*simple, *tail] or [number(1)])
            return row([above, Operator("/", "slash"), under]), _PRODUCT
        width = sum(box.width for box in tail)
        loose = product.opens_wide or any(isinstance(box, Fence) or box.height >= 2 for box in tail)
        if tail and (loose or width > _WIDE_FACTOR):
            return self._beside([self._fraction(simple, denominator), *tail]), _PRODUCT
        return self._fraction([*simple, *tail], denominator), _PRODUCT

    def _fraction(self, above: list[Box], below: list[Box]) -> Box:
        parts = [self._beside(boxes or [number(1)]) for boxes in (above, below)]
        bare = [p.body if isinstance(p, Fence) and p.opening == "(" else p for p in parts]
        return Fraction(*bare)

    def _split(self, product: Product, least: int) -> tuple[list[Box], list[Box]]:
        """What belongs before a fraction bar, and what after it."""
        simple: list[Box] = [] if product.number == 1 else [number(product.number)]
        tail: list[Box] = []
        roots: list[Box] = []
        if product.root is not None:
            above, below = product.root
            inside: Box = self._beside([self._power(b, S.One) for b in above] or [number(1)])
            if below:
                under = self._beside([self._power(b, S.One) for b in below])
                inside = row([inside, Operator("/", "slash"), under])
            roots = [Root(inside)]
            if all(b.is_number for b in above):
                simple, roots = [*simple, *roots], []
        letters = self.order.factors(product.letters, self._bound)
        for factor in letters:
            base = factor.base if isinstance(factor, Pow) else factor
            if base in self._bound and roots:
                simple += roots
                roots = []
            simple.append(self._factor(factor))
        simple += roots
        others = self.order.factors(product.others, self._bound)
        for place, factor in enumerate(others):
            last = place == len(others) - 1
            tail.append(self._within(factor, _PREFIX if last else _POWER))
        return simple, tail

    def _factor(self, factor: Expr) -> Box:
        base, exponent = factor.as_base_exp() if isinstance(factor, Pow) else (factor, S.One)
        return self._power(base, exponent)

    @staticmethod
    def _beside(boxes: list[Box]) -> Box:
        """Factors beside each other, with a thin space where they would run into each other."""
        parts: list[Box] = []
        for box in boxes:
            if parts and (isinstance(parts[-1], Root) or _ends_in_root(parts[-1])):
                parts.append(Space())
            elif parts and _is_digit(box):
                parts.append(Operator("cdot"))
            elif parts and _opens(box) and not isinstance(parts[-1], Fence):
                parts.append(Space())
            parts.append(box)
        if sum(box.width for box in parts) > _WIDE_PRODUCT:
            loose = [parts[0]]
            for box in parts[1:]:
                loose += [box] if isinstance(box, Space) else [Space(0.0, breaks=True), box]
            return row(loose)
        return row(parts)

    def _power(self, base: Expr, exponent: Expr) -> Box:
        if exponent == S.Half:
            return Root(self._print(base)[0])
        if exponent == 1:
            return self._within(base, _POWER)
        above = self._print(exponent, inline=True)[0]
        plain = isinstance(base, Function) and base.func in self._named
        if plain and exponent.is_Integer and exponent.is_positive:
            called = self._named[base.func]
            if isinstance(called, Atom) and called.kind == "name":
                return self._call(Script(called, above=above), base.args)
        if isinstance(base, Function) and not isinstance(base, sp.exp | sp.Abs):
            return Script(self._print(base)[0], above=above)
        box = self._within(base, _ATOM)
        if isinstance(box, Script) and box.above is None:
            return Script(box.base, box.below, above)
        if isinstance(box, Script):
            box = Fence("(", box, ")")
        return Script(box, above=above)

    # -- functions -----------------------------------------------------------------------------

    def _call(self, called: Box, args: Any) -> Box:
        inside: list[Box] = []
        for arg in args:
            inside += [_COMMA, Space(0.0, breaks=True)] if inside else []
            inside.append(self._print(arg, inline=True)[0])
        body = row(inside)
        return row([called, Fence("(", body, ")", breaks=body.width > _WIDE_ARGUMENT)])

    def _exponential(self, expr: sp.exp) -> tuple[Box, int]:
        exponent = self._print(expr.exp, inline=True)[0]
        if exponent.width <= _WIDE_EXPONENT and exponent.height < 2:
            return Script(name("e"), above=exponent), _POWER
        return self._call(name("exp"), (expr.exp,)), _POWER

    def _applied(self, expr: AppliedUndef) -> tuple[Box, int]:
        return self._call(self.symbol(expr.func), expr.args), _POWER

    def _absolute(self, expr: sp.Abs) -> tuple[Box, int]:
        return Fence("|", self._print(expr.args[0])[0], "|"), _ATOM

    def _atom(self, expr: Any) -> tuple[Box, int]:
        return self.symbol(expr), _ATOM

    def _indexed(self, expr: Indexed) -> tuple[Box, int]:
        inside: list[Box] = []
        for index in expr.indices:
            inside += [_COMMA] if inside else []
            inside.append(self._print(index)[0])
        base = self.symbol(expr.base.label)
        if isinstance(base, Script):
            base = Fence("(", base, ")")
        return Script(base, row(inside)), _ATOM

    # -- expectations --------------------------------------------------------------------------

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
        return row([sign, Fence("[", body, "]")]), _POWER

    def _copies(self, expr: IIDSum) -> tuple[Box, int]:
        count = expr.count
        shift = count.is_Add and count.as_coeff_Add()[0] == -1
        first, last = (2, count + 1) if shift else (1, count)
        before = self._copied
        self._copied = before | set(expr.law.symbols)
        try:
            with self._binding(expr.law.symbols):
                body = self._within(expr.term, _PRODUCT)
        finally:
            self._copied = before
        sign = Script(
            Operator("sum", "large"),
            row([identifier("ell"), Operator("=", "relation"), number(first)]),
            self._print(last)[0],
        )
        return row([sign, body]), _PREFIX

    def law(self, law: Law) -> Box:
        """What a law says of its variables.

        Parameters
        ----------
        law : Law
            The law.

        Returns
        -------
        Box
            Such as ``G ~ N(0, 1)``; the parts of a product are separated by commas.
        """
        parts: list[Box] = []
        for block in law.blocks():
            parts += [_COMMA, Space(0.17, breaks=True)] if parts else []
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
            return row([moments[0], _COMMA, Space(), moments[1]])
        if not isinstance(law, GaussianLaw):
            return self._list(law.symbols)
        names, means = law.symbols, tuple(law.mean.values())
        same = {*means} == {S.Zero} and law.cov.is_diagonal() and len(set(law.cov.diagonal())) == 1
        tilde, calligraphic = Operator("sim", "relation"), Atom("mathcal{N}")
        if len(names) == 1 or same:
            left = self._list(names, brackets=False)
            mean, cov = self._print(means[0], inline=True)[0], self._print(law.cov[0, 0], True)[0]
            return row(
                [left, tilde, calligraphic, Fence("(", row([mean, _COMMA, cov]), ")", False)]
            )
        common = _common_factor(law.cov)
        entries = [[self.box(sp.cancel(e / common)) for e in line] for line in law.cov.tolist()]
        grid: Box = Grid(tuple(map(tuple, entries)))
        matrix = row([*([] if common == 1 else [self.box(common)]), grid])
        shared = _common_factor(sp.Matrix([means]))
        vector = Fence("(", self._join([sp.cancel(m / shared) for m in means]), ")")
        mean = number(0) if not any(means) else vector
        if any(means) and shared != 1:
            mean = self._beside([self.box(shared), vector])
        inside = Fence("(", row([mean, _COMMA, Space(), matrix]), ")", False)
        return row([self._list(names), tilde, calligraphic, inside])

    def _list(self, symbols: Any, brackets: bool = True) -> Box:
        inside = self._join(symbols)
        return Fence("(", inside, ")", False) if brackets and len(symbols) > 1 else inside

    def _join(self, expressions: Any) -> Box:
        parts: list[Box] = []
        for expr in expressions:
            parts += [_COMMA] if parts else []
            parts.append(self._print(expr)[0])
        return row(parts)

    # -- calculus ------------------------------------------------------------------------------

    def _derivative(self, expr: Derivative) -> tuple[Box, int]:
        of = expr.expr
        if isinstance(of, AppliedUndef) and len(expr.variable_count) == 1:
            variable, count = expr.variable_count[0]
            places = [i for i, arg in enumerate(of.args) if arg == variable]
            plain = len(places) == 1 and all(arg.is_Symbol for arg in of.args)
            if plain:
                return self._partial(of, places[0], count, of.args, of.args)
        return row([*self._signs(expr), self._operand(of)]), _PREFIX

    def _signs(self, expr: Derivative) -> list[Box]:
        signs: list[Box] = []
        alone = len(expr.expr.free_symbols) == 1 and len(expr.variable_count) == 1
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
        bare = isinstance(of, Expectation | Function) and level >= _PREFIX
        return box if bare else Fence("[", box, "]")

    def _partial(
        self, of: AppliedUndef, place: int, count: int, names: Any, at: Any
    ) -> tuple[Box, int]:  # fmt: skip
        """A derivative of an undefined function in one of its arguments.

        By its place where the argument is a random variable, by its name otherwise.
        """
        called = self.symbol(of.func)
        if len(of.args) == 1 and count <= 3:
            return self._call(_primed(called, int(count)), at), _POWER
        power = None if count == 1 else number(count)
        numbered = names[place] in self._bound or of.args != tuple(at)
        numbered = numbered and of.func.__name__ not in self.names
        index = number(place + 1) if numbered else self.symbol(names[place])
        sign = Script(identifier("partial"), index, power)
        return row([sign, self._call(called, at)]), _PREFIX

    def _substitution(self, expr: Subs) -> tuple[Box, int]:
        of, variables, values = expr.expr, expr.variables, expr.point
        if isinstance(of, Derivative) and isinstance(of.expr, AppliedUndef):
            inner = of.expr
            if inner.args == tuple(variables) and len(of.variable_count) == 1:
                variable, count = of.variable_count[0]
                place = inner.args.index(variable)
                return self._partial(inner, place, count, inner.args, values)
        at: list[Box] = []
        for variable, value in zip(variables, values, strict=True):
            at += [_COMMA] if at else []
            at += [self.symbol(variable), Operator("=", "relation"), self._print(value)[0]]
        bar = Script(Delimiter("|", 2, "close"), row(at))
        return row([self._within(of, _PREFIX), bar]), _SUM

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
            body = self._within(expr.function, _PRODUCT)
        return row([*signs, body, *differentials]), _PREFIX

    def _series(self, expr: Sum) -> tuple[Box, int]:
        signs: list[Box] = []
        for index, first, last in reversed(expr.limits):
            below = row([self.symbol(index), Operator("=", "relation"), self._print(first)[0]])
            signs.append(Script(Operator("sum", "large"), below, self._print(last)[0]))
        with self._binding(expr.variables):
            body = self._within(expr.function, _PRODUCT)
        return row([*signs, body]), _PREFIX

    def _limit(self, expr: Limit) -> tuple[Box, int]:
        of, variable, point, _ = expr.args
        under = row([self.symbol(variable), Operator("to", "relation"), self._print(point)[0]])
        sign = Script(name("lim"), under)
        return row([sign, Space(), self._within(of, _PRODUCT)]), _PREFIX

    # -- statements ----------------------------------------------------------------------------

    def _relation(self, expr: Relational) -> tuple[Box, int]:
        sign = Operator(_RELATIONS[type(expr).__name__], "relation", breaks=True)
        sides = [self._within(side, _SUM) for side in expr.args]
        return row([sides[0], sign, sides[1]]), _RELATION

    def _logic(self, expr: Any) -> tuple[Box, int]:
        points = self._points(expr)
        if points is not None:
            return points, _RELATION
        args = expr.args
        if not isinstance(expr, Implies):
            args = sorted(args, key=str)
        if isinstance(expr, Equivalent):
            args = sorted(args, key=lambda arg: self._points(arg) is not None)
        parts: list[Box] = []
        for arg in args:
            parts += [_WORDS[expr.func]] if parts else []
            parts.append(self._within(arg, _RELATION))
        return row(parts), _LOGIC

    def _points(self, expr: Any) -> Box | None:
        """A list of values for the same symbols, as a set of points."""
        if not isinstance(expr, Or):
            return None
        points = []
        for option in expr.args:
            equations = And.make_args(option)
            if not all(isinstance(e, sp.Eq) and e.lhs.is_Symbol for e in equations):
                return None
            points.append({e.lhs: e.rhs for e in equations})
        names = sorted(points[0], key=self.order.symbol)
        if any(set(point) != set(names) for point in points):
            return None
        listed = sorted(
            ([point[s] for s in names] for point in points), key=sp.default_sort_key, reverse=True
        )
        inside: list[Box] = []
        for values in listed:
            inside += [_COMMA, Space(0.17, breaks=True)] if inside else []
            inside.append(self._list(values))
        member = Operator("in", "relation", breaks=True)
        return row([self._list(names), member, Fence("{", row(inside), "}")])

    def _negation(self, expr: Not) -> tuple[Box, int]:
        return row([Operator("neg", "prefix"), self._within(expr.args[0], _ATOM)]), _LOGIC

    def _constant(self, expr: Any) -> tuple[Box, int]:
        texts = {sp.pi: "pi", sp.oo: "infty"}
        return identifier(texts[expr]), _ATOM

    def _minus_infinity(self, expr: Any) -> tuple[Box, int]:
        return row([Operator("-", "prefix"), identifier("infty")]), _SUM

    def _euler(self, expr: Any) -> tuple[Box, int]:
        return name("e"), _ATOM

    def _law(self, expr: Law) -> tuple[Box, int]:
        return self.law(expr), _RELATION

    _KINDS: ClassVar[dict[Any, Callable[[Any, Any], tuple[Box, int]]]] = {
        Symbol: _atom,
        type(sp.pi): _constant,
        type(sp.oo): _constant,
        type(-sp.oo): _minus_infinity,
        type(sp.E): _euler,
        sp.exp: _exponential,
        sp.Abs: _absolute,
        AppliedUndef: _applied,
        Indexed: _indexed,
        IndexedBase: _atom,
        Expectation: _expectation,
        IIDSum: _copies,
        Derivative: _derivative,
        Subs: _substitution,
        Integral: _integral,
        Sum: _series,
        Limit: _limit,
        Relational: _relation,
        And: _logic,
        Or: _logic,
        Implies: _logic,
        Equivalent: _logic,
        Not: _negation,
        Law: _law,
    }


def _bracketed(box: Box) -> Box:
    return Fence("(", box, ")", breaks=box.width > _NARROW_BRACKET)


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


def _are_small(boxes: list[Box]) -> bool:
    loose = len(boxes) > 1 and any(isinstance(box, Fence) for box in boxes)
    wide = sum(box.width for box in boxes) >= _WIDE_DIVISOR
    return not loose and not wide and not any(box.height >= 2 for box in boxes)


def _ends_in_root(box: Box) -> bool:
    parts: tuple[Box, ...] = getattr(box, "parts", ())
    return bool(parts) and isinstance(parts[-1], Root)


def _is_digit(box: Box) -> bool:
    first = box.parts[0] if hasattr(box, "parts") else box
    base = getattr(first, "base", first)
    return isinstance(base, Atom) and base.kind == "number"


def _opens(box: Box) -> bool:
    """Whether a box begins with the sign of an integral, a sum or an expectation."""
    first = box.parts[0] if hasattr(box, "parts") else box
    base = getattr(first, "base", first)
    return (isinstance(base, Operator) and base.kind == "large") or base in (
        name("E"),
        identifier("partial"),
    )
