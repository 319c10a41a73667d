"""Layout of expectations, laws, derivatives, integrals, sums and limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp
from sympy import Add, Derivative, Expr, Integral, Limit, Mul, S, Subs, Sum, Symbol
from sympy.core.function import AppliedUndef, Function

from slrsym.documents.typeset.boxes import (
    Atom,
    Box,
    BracketedBox,
    Delimiter,
    Fraction,
    MatrixBox,
    Operator,
    ScriptBox,
    Space,
    comma_separated_row,
    number_box,
    relation_box,
    row_of_boxes,
)
from slrsym.documents.typeset.printer_base import (
    POWER,
    PREFIX,
    PRODUCT,
    RELATION,
    SUM,
    PrinterBase,
    add_primes,
)
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, NoiseLaw, ProductLaw


def marginal_law(law: Law, symbols: set[Symbol]) -> Law | None:
    """Return a law restricted to those variables that are in a given set, or None if none is."""
    parts: list[Law] = []
    for block in law.independent_laws():
        kept = [s for s in block.symbols if s in symbols]
        if kept:
            parts.append(
                block.marginal(*kept)
                if isinstance(block, GaussianLaw) and len(kept) < len(block.symbols)
                else block
            )
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else ProductLaw(*parts)


def _independent_parts(law: Law) -> set[Law]:
    """Return the set of independent laws, as small as possible, that make up a law."""
    found: set[Law] = set()
    for block in law.independent_laws():
        if isinstance(block, GaussianLaw) and block.cov.is_diagonal():
            found |= {block.marginal(s) for s in block.symbols}
        else:
            found.add(block)
    return found


def agrees_with_declared_laws(law: Law, declared: Mapping[Symbol, Law]) -> bool:
    """Return whether a law is the joint law that its variables are declared to have."""
    if any(s not in declared for s in law.symbols):
        return False
    blocks = list(dict.fromkeys(declared[s] for s in law.symbols))
    together: set[Law] = set()
    for block in blocks:
        part = marginal_law(block, set(law.symbols))
        if part is not None:
            together |= _independent_parts(part)
    return together == _independent_parts(law)


def choose_declared_laws(expressions: list[Expr]) -> dict[Symbol, Law]:
    """Return, by variable, the laws to state once for all expressions, rather than in each."""
    declared: dict[Symbol, Law] = {}
    for expression in expressions:
        laws: list[Law] = []
        nodes = expression.atoms(Expectation, IIDSum)
        # Of one text with two laws, the same comes first in every process.
        for node in sorted(nodes, key=lambda node: (-len(str(node)), str(node), sp.srepr(node))):
            laws += node.law.independent_laws()
        for law in sorted(laws, key=lambda b: -len(b.symbols)):
            if not any(s in declared for s in law.symbols):
                declared |= dict.fromkeys(law.symbols, law)
    return declared


class CalculusPrinter(PrinterBase):
    """Base class of the formula printer, with its methods for derivatives, integrals and sums."""

    def _derivative(self, expr: Derivative) -> tuple[Box, int]:
        of = expr.expr
        if isinstance(of, AppliedUndef) and len(expr.variable_count) == 1:
            variable, count = expr.variable_count[0]
            places = [i for i, arg in enumerate(of.args) if arg == variable]
            plain = len(places) == 1 and all(arg.is_Symbol for arg in of.args)
            # A letter that stands for something of the variable moves with it.
            still = all(
                arg == variable or variable not in self.inside.get(arg, ()) for arg in of.args
            )
            if plain and still:
                return self._partial_derivative(of, places[0], count, of.args, of.args)
        return row_of_boxes([*self._derivative_signs(expr), self._derivative_operand(of)]), PREFIX

    def _derivative_signs(self, expr: Derivative) -> list[Box]:
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
                d = Atom("d", "name")
                above = d if power is None else ScriptBox(d, above=power)
                letter_ = self.symbol(variable)
                below = row_of_boxes(
                    [d, letter_ if power is None else ScriptBox(letter_, above=power)]
                )
                signs.append(Fraction(above, below))
            else:
                signs.append(ScriptBox(Atom("partial"), self.symbol(variable), power))
        return [*signs, Space()]

    def _derivative_operand(self, of: Expr) -> Box:
        box, level = self._print(of)
        bare = isinstance(of, Expectation | Function | Symbol) and level >= PREFIX
        return box if bare else BracketedBox("[", box, "]")

    def _partial_derivative(
        self, of: AppliedUndef, place: int, count: int, names: Any, at: Any
    ) -> tuple[Box, int]:  # fmt: skip
        """Return the typeset box and precedence of a partial derivative of an undefined function.

        By its place where the argument is a random variable, by its name otherwise.
        """
        called = self.symbol(of.func)
        if len(of.args) == 1 and count <= 3:
            return self._function_call(add_primes(called, int(count)), at), POWER
        power = None if count == 1 else number_box(count)
        numbered = names[place] in self._bound or of.args != tuple(at)
        numbered = numbered and of.func.__name__ not in self.names
        index = number_box(place + 1) if numbered else self.symbol(names[place])
        sign = ScriptBox(Atom("partial"), index, power)
        return row_of_boxes([sign, self._function_call(called, at)]), PREFIX

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
                return self._partial_derivative(inner, place, count, inner.args, at_point)
        pairs = sorted(
            zip(variables, values, strict=True), key=lambda pair: self.order.symbol_key(pair[0])
        )
        # Numbers and letters stand below a bar, formulas on the line, where they can be read.
        short = all(value.is_number or self._is_letter(value) for value in values)
        sign = "=" if short else ":="
        at = comma_separated_row(
            relation_box(self.symbol(variable), sign, self._print(value)[0])
            for variable, value in pairs
        )
        where: Box = (
            ScriptBox(Delimiter("|", 2, "close"), at)
            if short
            else BracketedBox("[", at, "]", breaks=False, starts_line=True)
        )
        return row_of_boxes([self._print_at_precedence(of, PREFIX), where]), SUM

    def _is_letter(self, value: Expr) -> bool:
        """Return whether an expression is typeset as a letter, perhaps with a minus sign."""
        symbol = value if value.is_Symbol else -value
        # A symbol may stand for a formula, which is then its name.
        return symbol.is_Symbol and isinstance(self.symbol(symbol), Atom | ScriptBox)

    def _integral(self, expr: Integral) -> tuple[Box, int]:
        signs: list[Box] = []
        differentials: list[Box] = []
        for limit in reversed(expr.limits):
            ends = [self._print(end, inline=True)[0] for end in limit[1:]]
            below, above = ends if len(ends) == 2 else (None, ends[0] if ends else None)
            sign: Box = Operator("int", "large")
            signs.append(ScriptBox(sign, below, above) if ends else sign)
            differentials = [Space(), Atom("d", "name"), self.symbol(limit[0]), *differentials]
        with self._binding(expr.variables):
            body = self._print_at_precedence(expr.function, PRODUCT)
        return row_of_boxes([*signs, body, *differentials]), PREFIX

    def _finite_sum(self, expr: Sum) -> tuple[Box, int]:
        signs: list[Box] = []
        for index, first, last in reversed(expr.limits):
            below = relation_box(self.symbol(index), "=", self._print(first)[0])
            signs.append(ScriptBox(Operator("sum", "large"), below, self._print(last)[0]))
        with self._binding(expr.variables):
            body = self._print_at_precedence(expr.function, PRODUCT)
        return row_of_boxes([*signs, body]), PREFIX

    def _limit(self, expr: Limit) -> tuple[Box, int]:
        of, variable, point, _ = expr.args
        under = relation_box(self.symbol(variable), "to", self._print(point)[0])
        sign = ScriptBox(Atom("lim", "name"), under)
        return row_of_boxes([sign, Space(), self._print_at_precedence(of, PRODUCT)]), PREFIX


class ExpectationPrinter(PrinterBase):
    """Base class of the formula printer, with its methods for expectations and laws."""

    def _expectation(self, expr: Expectation) -> tuple[Box, int]:
        sign: Box = Atom("E", "name")
        nested = self._depth > 0 or expr.integrand.has(Expectation)
        if self.laws is not None and not agrees_with_declared_laws(expr.law, self.laws):
            sign = ScriptBox(sign, self.law(expr.law))
        elif nested:
            sign = ScriptBox(sign, self._comma_separated(expr.law.symbols))
        self._depth += 1
        try:
            with self._binding(expr.law.symbols):
                body = self._print(expr.integrand)[0]
        finally:
            self._depth -= 1
        return row_of_boxes([sign, BracketedBox("[", body, "]")]), POWER

    def _sum_of_copies(self, expr: IIDSum) -> tuple[Box, int]:
        count = expr.count
        shift = count.is_Add and count.as_coeff_Add()[0] == -1
        first, last = (2, count + 1) if shift else (1, count)
        with self._binding(expr.law.symbols, copied=True):
            body = self._print_at_precedence(expr.term, PRODUCT)
        sign = ScriptBox(
            Operator("sum", "large"),
            relation_box(Atom("ell"), "=", number_box(first)),
            self._print(last)[0],
        )
        return row_of_boxes([sign, body]), PREFIX

    def law(self, law: Law) -> Box:
        """Return the typeset box of a probability law."""
        boxes = map(self._independent_law, law.independent_laws())
        return comma_separated_row(boxes, Space(breaks=True))

    def _independent_law(self, law: Law) -> Box:
        if isinstance(law, NoiseLaw):
            xi = self.symbol(law.symbols[0])
            moments = (
                (xi, number_box(0)),
                (ScriptBox(xi, above=number_box(2)), self.box(law.variance)),
            )
            relations = (
                relation_box(
                    row_of_boxes([Atom("E", "name"), BracketedBox("[", of, "]")]), "=", value
                )
                for of, value in moments
            )
            return comma_separated_row(relations, Space())
        if not isinstance(law, GaussianLaw):
            return self._tuple_of_symbols(law.symbols)
        names, means = law.symbols, tuple(law.mean.values())
        same = {*means} == {S.Zero} and law.cov.is_diagonal() and len(set(law.cov.diagonal())) == 1
        normal = Atom("mathcal{N}")
        if len(names) == 1 or same:
            left = self._tuple_of_symbols(names, brackets=False)
            mean, cov = self._print(means[0], inline=True)[0], self._print(law.cov[0, 0], True)[0]
            moments_of_each = BracketedBox("(", comma_separated_row([mean, cov]), ")", False)
            return relation_box(left, "sim", row_of_boxes([normal, moments_of_each]))
        matrix = self._covariance(law.cov)
        shared = _common_factor(sp.Matrix([means]))
        vector = BracketedBox(
            "(", self._comma_separated([sp.cancel(m / shared) for m in means]), ")"
        )
        mean = number_box(0) if not any(means) else vector
        if any(means) and shared != 1:
            mean = self._row_of_factors([self.box(shared), vector])
        inside = BracketedBox("(", comma_separated_row([mean, matrix], Space(breaks=True)), ")")
        return relation_box(self._tuple_of_symbols(names), "sim", row_of_boxes([normal, inside]))

    def _covariance(self, cov: Any) -> Box:
        """Return the typeset box of a covariance matrix, as a product C C^T if that is narrower."""
        common = _common_factor(cov)
        grid = self._matrix_of_boxes(sp.Matrix(cov / common).applyfunc(sp.cancel))
        factor = triangular_factor(cov)
        if factor is not None:
            left = self._matrix_of_boxes(factor)
            if 2 * left.width < grid.width:
                return row_of_boxes([left, ScriptBox(left, above=Atom("top"))])
        return row_of_boxes([*([] if common == 1 else [self.box(common)]), grid])

    def _matrix_of_boxes(self, matrix: Any) -> Box:
        return MatrixBox(tuple(tuple(map(self.box, line)) for line in matrix.tolist()))

    def _law(self, expr: Law) -> tuple[Box, int]:
        return self.law(expr), RELATION


def triangular_factor(cov: Any) -> Any:
    """Return the lower triangular C with C C^T = cov if its entries are symbols, else None.

    Examples
    --------
    >>> from sympy import Matrix, symbols
    >>> a, b, c = symbols("a b c", real=True)
    >>> triangular_factor(Matrix([[a**2, a * b], [a * b, b**2 + c**2]]))
    Matrix([
    [a, 0],
    [b, c]])
    """
    size = cov.shape[0]
    factor = sp.zeros(size, size)
    for j in range(size):
        for i in range(j, size):
            rest = sp.expand(cov[i, j] - sum(factor[i, m] * factor[j, m] for m in range(j)))
            if i == j and not (rest.is_Pow and rest.exp == 2 and rest.base.is_Symbol):
                return None
            factor[i, j] = rest.base if i == j else sp.cancel(rest / factor[j, j])
            if not (factor[i, j].is_Symbol or factor[i, j] == 0):
                return None
    return factor


def _common_factor(matrix: Any) -> Expr:
    """Return an expression that divides all entries of a matrix, or 1 if only numbers do."""
    entries = [e for e in matrix if e != 0]
    if not entries:
        return S.One
    factor = entries[0]
    for entry in entries[1:]:
        if factor != entry:
            shared = sp.gcd_terms(factor + entry, clear=False)
            factor = shared.as_independent(Add, as_Add=False)[0]
        factor = Mul(*(f for f in Mul.make_args(factor) if not f.is_Add))
    quotients = [sp.cancel(e / factor) for e in entries]
    if all(sp.denom(q) == 1 for q in quotients) and not factor.is_number:
        return factor
    return S.One
