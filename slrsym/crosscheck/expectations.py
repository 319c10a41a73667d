"""Expectations by definition: reduction to few dimensions, then numerical quadrature.

An integrand is multiplied out, each product falls into independent parts, and each part is compiled
and integrated over as many dimensions as there are directions in which it is not polynomial.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import sympy as sp
from flint import acb, arb, ctx, fmpq
from sympy import Basic, Expr, S, Symbol
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from slrsym.crosscheck.ball_quadrature import (
    DIGITS_PER_BIT,
    Ball,
    CompiledIntegrand,
    Inconclusive,
    Node,
    NotALaw,
    NotReal,
    Number,
    QuadratureResult,
    compare_balls,
    complex_ball,
    gauss_hermite_rule,
    gaussian_mean_by_shifted_lattices,
    log2_upper_bound,
    require_real_ball,
)
from slrsym.crosscheck.curved_kinks import (
    gaussian_mean_between_curves,
    kink_lines_and_curves,
)
from slrsym.crosscheck.gaussian_factors import (
    Rows,
    absorb_exponential_into_density,
    root_of_rational_covariance,
    split_off_gaussian_exponent,
)
from slrsym.crosscheck.integrands import (
    NOISE,
    IndependentLawBlock,
    degree_bound_with_functions_as_constants,
    essential_affine_forms,
    expand_to_factor_tuples,
    group_factors_by_law_part,
    kinks_of_integrand,
    renaming_invariant_key,
    rewrite_maxima_as_positive_parts,
    split_off_powers_if_single_law_part,
    steep_places_of_integrand,
)
from slrsym.crosscheck.node_evaluator import (
    RELATIONS,
    NodeEvaluator,
    evaluate_piecewise,
    square_root,
)
from slrsym.crosscheck.split_quadrature import (
    Line,
    gaussian_mean_between_singularities,
    gaussian_mean_split_at_kinks,
    zeros_as_lines,
)
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import IIDSum
from slrsym.prover.statements.expressions import free_symbols

# In more directions than these, a quadrature takes too long without reducing their number.
_FEW = 2
_MOST_JUMPS = 500


class IntegrandCompiler:
    """Compiler of integrands to programs on balls."""

    def __init__(
        self, evaluator: NodeEvaluator, depth: int, rows: Mapping[Any, tuple[Ball, list[Ball]]]
    ) -> None:
        self.evaluator = evaluator
        self.program = CompiledIntegrand(depth)
        self.rows = rows
        self.random = frozenset(rows)
        self._known: dict[Basic, int] = {}

    def affine_form(self, expr: Expr) -> tuple[Ball, dict[Symbol, Ball]] | None:
        """Return constant and coefficients of an affine form in the random variables, or None."""
        try:
            return self._affine_form(expr)
        except NotReal:
            return None  # a part of it is undefined

    def _affine_form(self, expr: Expr) -> tuple[Ball, dict[Symbol, Ball]] | None:
        if not free_symbols(expr) & self.random:
            return self.evaluator.ball(expr), {}
        if isinstance(expr, Symbol):
            return arb(0), {expr: arb(1)}
        if isinstance(expr, sp.Add):
            constant, form = arb(0), dict[Symbol, Ball]()
            for arg in expr.args:
                part = self._affine_form(arg)
                if part is None:
                    return None
                constant += part[0]
                for symbol, coefficient in part[1].items():
                    form[symbol] = form.get(symbol, arb(0)) + coefficient
            return constant, form
        if isinstance(expr, sp.Mul):
            inner = [arg for arg in expr.args if free_symbols(arg) & self.random]
            part = self._affine_form(inner[0]) if len(inner) == 1 else None
            if part is None:
                return None
            factor = self.evaluator.ball(sp.Mul(*(arg for arg in expr.args if arg is not inner[0])))
            return factor * part[0], {s: factor * c for s, c in part[1].items()}
        return None

    def register_of_value(self, expr: Basic) -> int:
        """Return the register that holds an expression's value, compiling it if necessary."""
        if expr not in self._known:
            self._known[expr] = self._register(expr)
        return self._known[expr]

    def _register(self, expr: Basic) -> int:
        emit, fold = self.program.add_operation, self.program.add_fold
        if not free_symbols(expr) & self.random:
            if isinstance(expr, Boolean) and not isinstance(expr, Symbol):
                return self.program.add_constant(self.evaluator.is_condition_true(expr))
            return self.program.add_constant(_or_nan(self.evaluator.ball)(expr))
        form = self.affine_form(expr) if isinstance(expr, Expr) else None
        if form is not None:
            return self._affine_register(*form)
        if isinstance(expr, sp.Add):
            return fold(operator.add, [self.register_of_value(arg) for arg in expr.args])
        if isinstance(expr, sp.Mul):
            return fold(operator.mul, [self.register_of_value(arg) for arg in expr.args])
        if isinstance(expr, sp.Pow):
            base = self.register_of_value(expr.base)
            if expr.exp.is_Rational:
                return emit(_or_nan(self.evaluator.power_function(expr.exp)), base)
            power = _or_nan(self.evaluator.power_function(None))
            return emit(power, base, self.register_of_value(expr.exp))
        if isinstance(expr, sp.Piecewise):
            return emit(
                evaluate_piecewise,
                *(self.register_of_value(part) for pair in expr.args for part in pair),
            )
        if isinstance(expr, Relational):
            relation = RELATIONS[type(expr).__name__]
            return emit(
                lambda a, b: relation(compare_balls(a, b)),
                self.register_of_value(expr.lhs),
                self.register_of_value(expr.rhs),
            )
        if isinstance(expr, sp.And | sp.Or | sp.Not | sp.ITE):
            connectives: dict[Any, Callable[..., bool]] = {
                sp.ITE: lambda test, yes, no: bool(yes if test else no),
                sp.And: lambda *xs: all(xs),
                sp.Or: lambda *xs: any(xs),
                sp.Not: operator.not_,
            }
            return emit(
                connectives[type(expr)], *(self.register_of_value(arg) for arg in expr.args)
            )
        if isinstance(expr, sp.Xor | sp.Implies | sp.Equivalent):
            return self.register_of_value(expr.to_nnf(simplify=False))
        function = self.evaluator.ball_function(expr)
        if function is not None:
            return emit(_or_nan(function), *map(self.register_of_value, expr.args))
        return self._nested(expr)

    def line_in_quadrature_coordinates(self, constant: Ball, form: Mapping[Symbol, Ball]) -> Line:
        """Rewrite an affine form in the coordinates of the quadrature."""
        for symbol, coefficient in form.items():
            constant = constant + coefficient * self.rows[symbol][0]
        rows = {symbol: row for symbol, (_, row) in self.rows.items()}
        return constant, tuple(_combined(form, rows, self.program.depth, self.evaluator.digits))

    def _affine_register(self, constant: Ball, form: dict[Symbol, Ball]) -> int:
        constant, total = self.line_in_quadrature_coordinates(constant, form)
        result = self.program.add_constant(constant)
        for i, coefficient in enumerate(total):
            if coefficient.is_zero():
                continue
            product = self.program.add_operation(
                operator.mul, self.program.add_constant(coefficient), i
            )
            result = self.program.add_operation(operator.add, result, product)
        return result

    def _nested(self, expr: Basic) -> int:
        """Compile an inner expectation or integral that depends on the outer random variables."""
        symbols = sorted(free_symbols(expr) & self.random, key=sp.default_sort_key)
        evaluator = self.evaluator

        def inner(*values: Ball) -> Ball:
            here = dict(zip(symbols, values, strict=True))
            return evaluator.with_values(here, evaluator.digits + 6).ball(expr)

        return self.program.add_operation(
            _or_nan(inner), *(self.register_of_value(symbol) for symbol in symbols)
        )


def _or_nan(function: Callable[..., Ball]) -> Callable[..., Ball]:
    """Return a function whose value is NaN where it is not real.

    A compiled `Piecewise` computes all of its branches and may discard the value.
    """

    def value(*arguments: Any) -> Ball:
        try:
            return function(*arguments)
        except NotReal:
            return arb("nan")

    return value


class _Singular(Inconclusive):
    """Error for a one-dimensional integrand that may need more digits near a singularity."""


class ExpectationValues:
    """Evaluator of expectations at one point by quadrature, which computes equal ones once."""

    def __init__(self, evaluator: NodeEvaluator, singular_to: int | None = None) -> None:
        self.evaluator = evaluator
        self.singular = singular_to is not None
        self.digits = evaluator.digits if singular_to is None else singular_to
        self._integrals: dict[Any, Number] = {}
        self._factors: dict[Any, list[list[Ball]]] = {}
        self._canonical: list[Symbol] = []

    def value(self, node: Expectation) -> Number:
        """Return the value of an expectation, with the size of its largest term."""
        try:
            return self._value(node, expand_to_factor_tuples)
        except _Singular:
            if len(expand_to_factor_tuples(node.integrand, frozenset(node.law.symbols))) == 1:
                raise
            # Multiplied out, terms need not have expectations of their own.
            return self._value(node, lambda expr, _: [(expr,)])

    def _value(
        self,
        node: Expectation,
        multiplied_out: Callable[[Expr, frozenset[Symbol]], list[tuple[Expr, ...]]],
    ) -> Number:
        sums: dict[IIDSum, tuple[Expr, list[IndependentLawBlock]]] = {}
        integrand = rewrite_maxima_as_positive_parts(
            self.evaluator.expand_sums(node.integrand, sums)
        )
        blocks = IndependentLawBlock.parts_of_law(node.law) + [
            b for _, extra in sums.values() for b in extra
        ]
        outer = frozenset(symbol for block in blocks for symbol in block.symbols)
        terms = []
        for factors in multiplied_out(integrand, outer):
            merged, extra = self._merged(factors, outer)
            blocks += extra
            terms.append(merged)
        for block in blocks:
            self.require_semidefinite(block)
        owner = {symbol: i for i, block in enumerate(blocks) for symbol in block.symbols}
        random = frozenset(owner)
        pooled: dict[tuple[tuple[frozenset[int], Expr], ...], list[Expr]] = {}
        for factors in (f for term in terms for f in multiplied_out(term, random)):
            constant, parts = group_factors_by_law_part(factors, owner, random)
            key, rest = split_off_powers_if_single_law_part(parts, random)
            pooled.setdefault(key, []).append(constant * rest)
        total, scale = arb(0), -math.inf
        for key, coefficients in pooled.items():
            parts = dict(key)
            if len(parts) == 1:
                ((component, factor),) = parts.items()
                parts = {component: factor * sp.Add(*coefficients)}
                coefficients = [S.One]
            term, size = self.evaluator.number(sp.Add(*coefficients))
            for component, factor in parts.items():
                value, absolute = self._integral(factor, [blocks[i] for i in sorted(component)])
                term, size = term * value, size + absolute
            total, scale = total + term, max(scale, size)
        return total, scale

    def _merged(
        self, factors: tuple[Expr, ...], outer: frozenset[Symbol]
    ) -> tuple[Expr, list[IndependentLawBlock]]:
        """Merge inner expectations in a product into one over independent copies, where possible.

        An inner Gaussian whose mean alone depends on the outer variables is that mean plus an
        independent Gaussian. Anything else stays a quadrature inside of a quadrature.
        """
        result: list[Expr] = []
        blocks: list[IndependentLawBlock] = []
        for factor in factors:
            if not isinstance(factor, Expectation) or not free_symbols(factor) & outer:
                result.append(factor)
                continue
            inner = IndependentLawBlock.parts_of_law(factor.law)
            if any(sp.sympify(block.cov).free_symbols & outer for block in inner):
                result.append(factor)
                continue
            sums: dict[IIDSum, tuple[Expr, list[IndependentLawBlock]]] = {}
            body = self.evaluator.expand_sums(factor.integrand, sums)
            inner += [b for _, extra in sums.values() for b in extra]
            images: dict[Symbol, Expr] = {}
            for block in inner:
                copy, names = block.copy_and_renaming()
                for (old, new), mean in zip(
                    names.items(), block.mean or (S.Zero,) * len(names), strict=True
                ):
                    images[old] = mean + new
                centred = tuple(S.Zero for _ in block.mean)
                blocks.append(IndependentLawBlock(copy.symbols, centred, copy.cov))
            here = outer | {s for block in blocks for s in block.symbols}
            deeper = [
                self._merged(f, here) for f in expand_to_factor_tuples(body.xreplace(images), here)
            ]
            result.append(sp.Add(*(term for term, _ in deeper)))
            blocks += [block for _, extra in deeper for block in extra]
        return sp.Mul(*result), blocks

    def require_semidefinite(self, block: IndependentLawBlock) -> None:
        """Raise `NotALaw` unless the covariance of an independent part is semidefinite here."""
        if block.is_gaussian:
            self._root(block)
        else:
            variance = require_real_ball(self.evaluator.ball(block.cov), "a variance")
            if variance < 0:
                raise NotALaw(f"the variance {block.cov} of {block.symbols[0]} is negative")

    def _root(self, block: IndependentLawBlock) -> list[list[Ball]]:
        """Return a matrix A with A A' equal to the covariance, by Cholesky's method."""
        key = block.cov
        if key in self._factors:
            return self._factors[key]
        n = len(block.symbols)
        if all(entry.is_Rational for entry in block.cov):
            self._factors[key] = root_of_rational_covariance(block.cov, block.symbols)
            return self._factors[key]
        rest = [
            [
                require_real_ball(self.evaluator.ball(block.cov[i, j]), "a covariance")
                for j in range(n)
            ]
            for i in range(n)
        ]
        largest = max(max(log2_upper_bound(rest[i][i]) for i in range(n)), -1000.0)
        sizes = [log2_upper_bound(rest[i][i]) if rest[i][i] > 0 else largest for i in range(n)]
        # A share of a variance below this moves a smooth expectation by no more than itself.
        floor = -(self.digits + 5) / DIGITS_PER_BIT
        columns: list[list[Ball]] = []
        left = set(range(n))
        while left:
            shares = {i: log2_upper_bound(rest[i][i]) - sizes[i] for i in left}
            pivot = max(sorted(left), key=lambda i: shares[i])
            if any(rest[i][i] < 0 and shares[i] > floor for i in left):
                raise NotALaw(f"the covariance of {block.symbols} is not positive semidefinite")
            if shares[pivot] <= floor:
                if any(
                    log2_upper_bound(rest[i][j]) > (sizes[i] + sizes[j] + floor) / 2 + 4
                    for i, j in product(left, repeat=2)
                ):
                    raise NotALaw(f"the covariance of {block.symbols} is not positive semidefinite")
                break
            if not rest[pivot][pivot] > 0:
                raise Inconclusive(f"a variance of {block.symbols} is lost in rounding")
            root = rest[pivot][pivot].sqrt()
            column = [rest[i][pivot] / root if i in left else arb(0) for i in range(n)]
            column[pivot] = root
            columns.append(column)
            left.discard(pivot)
            for i in left:
                for j in left:
                    rest[i][j] = rest[i][j] - column[i] * column[j]
        self._factors[key] = [[column[i] for column in columns] for i in range(n)]
        return self._factors[key]

    def _integral(self, factor: Expr, blocks: list[IndependentLawBlock]) -> Number:
        """Return the expectation of a factor under a few independent parts, from a cache."""
        names = [s for block in blocks for s in block.symbols]
        while len(self._canonical) < len(names):
            self._canonical.append(sp.Dummy(f"x_{len(self._canonical)}", real=True))
        renaming = dict(zip(names, self._canonical, strict=False))
        key = (renaming_invariant_key(factor, renaming), tuple((b.mean, b.cov) for b in blocks))
        if key not in self._integrals or factor.has(sp.Subs):
            try:
                self._integrals[key] = self._quadrature(factor, blocks)
            except _Singular:
                wide = self.evaluator.with_values({}, 3 * self.digits + 10)
                with ctx.workprec(wide.bits):
                    values = ExpectationValues(wide, self.digits)
                    self._integrals[key] = values._quadrature(factor, blocks)
        return self._integrals[key]

    def _quadrature(self, factor: Expr, blocks: list[IndependentLawBlock]) -> Number:
        involved = free_symbols(factor)
        means: dict[Symbol, Ball] = {}
        roots: dict[Symbol, list[Ball]] = {}
        noises: dict[Symbol, Ball] = {}
        width = 0
        for block in blocks:
            if not block.is_gaussian:
                noises[block.symbols[0]] = square_root(self.evaluator.ball(block.cov))
                continue
            root = self._root(block)
            rank = len(root[0])
            for symbol, mean, row in zip(block.symbols, block.mean, root, strict=True):
                if symbol in involved:
                    means[symbol] = require_real_ball(self.evaluator.ball(mean), "a mean")
                    roots[symbol] = [arb(0)] * width + row
            width += rank
        for row in roots.values():
            row.extend([arb(0)] * (width - len(row)))
        return self._rotated(factor, means, roots, noises)

    def _rotated(
        self,
        factor: Expr,
        means: dict[Symbol, Ball],
        roots: dict[Symbol, list[Ball]],
        noises: dict[Symbol, Ball],
    ) -> Number:
        """Integrate after a rotation that leaves as few coordinates as possible in a factor."""
        random = frozenset(means) | frozenset(noises)
        probe = IntegrandCompiler(self.evaluator, 0, dict.fromkeys(random, (arb(0), [])))
        basis: list[list[Ball]] = []
        for form in essential_affine_forms(factor, random, probe.affine_form):
            for row in self._real_rows(form, roots):
                basis += _orthogonal_part(row, basis, self.digits)
        smooth = len(basis)
        if smooth > 1 and (found := self._reweighted(factor, means, roots, random)) is not None:
            weight, rest, moved, turned = found
            try:
                value, absolute = self._rotated(rest, moved, turned, noises)
            except Inconclusive:
                # A narrow factor leaves few digits of the new law.
                if smooth > _FEW:
                    raise
            else:
                return weight * value, log2_upper_bound(weight) + absolute
        for row in roots.values():
            basis += _orthogonal_part(row, basis, self.digits)
        depth = len(basis) + len(noises)
        rows: dict[Symbol, tuple[Ball, list[Ball]]] = {}
        for symbol, mean in means.items():
            coordinates = [_dot(roots[symbol], direction) for direction in basis]
            rows[symbol] = mean, coordinates + [arb(0)] * len(noises)
        for i, (symbol, deviation) in enumerate(noises.items()):
            rows[symbol] = arb(0), [arb(0)] * depth
            rows[symbol][1][len(basis) + i] = deviation
        compiler = IntegrandCompiler(self.evaluator, depth, rows)
        program = compiler.program
        program.output = compiler.register_of_value(factor)
        if program.levels[program.output] == 0:
            constant = program.values[program.output]
            return constant, log2_upper_bound(constant)
        # One node more than is exact: at the zeros of a Hermite polynomial it would not be seen.
        count = degree_bound_with_functions_as_constants(factor, frozenset(means)) // 2 + 2
        noise = tuple((arb(fmpq(a, b)), arb(fmpq(p, q)), 0.0) for a, b, p, q in NOISE)
        hermite = gauss_hermite_rule(count, ctx.prec)
        rules = [hermite] * (len(basis) - smooth) + [noise] * len(noises)
        return self._summed(compiler, factor, random, smooth, rules)

    def _summed(
        self,
        compiler: IntegrandCompiler,
        factor: Expr,
        random: frozenset[Symbol],
        smooth: int,
        rules: list[tuple[Node, ...]],
    ) -> QuadratureResult:
        """Sum a compiled integrand over the nodes of the rule that suits it."""
        program = compiler.program
        place = random, partial(_line, compiler), _or_nan(self.evaluator.ball)
        try:
            if smooth != 1 or not self.singular:
                kinks = kinks_of_integrand(factor, random, partial(self._integers, compiler))
                if not kinks:
                    return gaussian_mean_by_shifted_lattices(program, smooth, rules, self.digits)
                if smooth > _FEW:
                    raise Inconclusive(f"it bends or jumps in {smooth} independent directions")
                lines, curves = kink_lines_and_curves(kinks, *place, smooth)
                if curves:
                    return gaussian_mean_between_curves(program, lines, curves, rules, self.digits)
                return gaussian_mean_split_at_kinks(program, lines, smooth, rules, self.digits)
        except Inconclusive:
            if smooth != 1:
                raise
        zeros = steep_places_of_integrand(factor, random, partial(self._integers, compiler))
        found = [zeros_as_lines(zero, *place) for zero in zeros]
        lines = [line for several in found for line in several or ()]
        try:
            return gaussian_mean_between_singularities(program, lines, rules, self.digits)
        except Inconclusive as reason:
            raise _Singular(str(reason)) from None

    def _integers(self, compiler: IntegrandCompiler, argument: Expr) -> range:
        """Return the integers between the values that an argument of floor has, but for tails."""
        reach = 2.0 + 1.5 * math.sqrt(2 * (self.digits + 4) * math.log(10))
        values = {
            symbol: constant + arb(0, reach * sum(float(abs(c).upper()) for c in row))
            for symbol, (constant, row) in compiler.rows.items()
        }
        ball = require_real_ball(
            self.evaluator.with_values(values, self.digits).ball(argument), "an argument of floor"
        )
        if not ball.is_finite() or float(ball.rad()) > _MOST_JUMPS:
            raise Inconclusive(f"floor of {argument} jumps more than {2 * _MOST_JUMPS} times")
        return range(math.floor(float(ball.lower())), math.ceil(float(ball.upper())) + 1)

    def _reweighted(
        self, factor: Expr, means: dict[Symbol, Ball], roots: Rows, random: frozenset[Symbol]
    ) -> tuple[Ball, Expr, dict[Symbol, Ball], Rows] | None:
        """Multiply Gaussian factors of the integrand into the density, or return None."""
        constant, rest, exponent = split_off_gaussian_exponent(factor, frozenset(means), random)
        if exponent == 0:
            return None
        found = absorb_exponential_into_density(exponent, means, roots, self.evaluator.ball)
        if found is None:
            return None
        weight, moved, turned = found
        left = free_symbols(rest)
        moved = {x: mean for x, mean in moved.items() if x in left}
        turned = {x: row for x, row in turned.items() if x in left}
        return weight * self.evaluator.ball(constant), rest, moved, turned

    def _real_rows(self, form: dict[Symbol, Ball], roots: Rows) -> list[list[Ball]]:
        """Return the real and the imaginary part of a linear form's coefficients on white noise."""
        total = _combined(form, roots, len(next(iter(roots.values()), [])), self.digits)
        if any(isinstance(t, acb) for t in total):
            return [[complex_ball(t).real for t in total], [complex_ball(t).imag for t in total]]
        return [total]


def _line(compiler: IntegrandCompiler, form: Expr) -> Line | None:
    """Return an affine form in the coordinates of the quadrature, or None if it is not affine."""
    found = compiler.affine_form(form)
    return None if found is None else compiler.line_in_quadrature_coordinates(*found)


def _combined(
    form: Mapping[Symbol, Ball], rows: Mapping[Symbol, Sequence[Ball]], width: int, digits: int
) -> list[Ball]:
    """Return the coordinates of a linear combination of symbols, which have coordinates themselves.

    Coordinates that vanish but for rounding are set to zero.
    """
    total, size = [arb(0)] * width, -math.inf
    for symbol, coefficient in form.items():
        if symbol in rows:
            terms = [coefficient * c for c in rows[symbol]]
            size = max([size, *map(log2_upper_bound, terms)])
            total = [t + term for t, term in zip(total, terms, strict=True)]
    floor = size - (digits + 5) / DIGITS_PER_BIT
    return [arb(0) if log2_upper_bound(t) <= floor else t for t in total]


def _dot(a: Sequence[Ball], b: Sequence[Ball]) -> Ball:
    return sum((x * y for x, y in zip(a, b, strict=True)), arb(0))


def _orthogonal_part(
    vector: Sequence[Ball], basis: Sequence[Sequence[Ball]], digits: int
) -> list[list[Ball]]:
    """Return the normalised part of a vector orthogonal to a basis; empty if it vanishes."""
    size = max((log2_upper_bound(x) for x in vector), default=-math.inf)
    rest = list(vector)
    for _ in range(2):
        for direction in basis:
            along = _dot(rest, direction)
            rest = [x - along * d for x, d in zip(rest, direction, strict=True)]
    largest = max((log2_upper_bound(x) for x in rest), default=-math.inf)
    if largest == -math.inf or largest < size - (digits + 3) / DIGITS_PER_BIT:
        return []
    norm = _dot(rest, rest).sqrt()
    return [[x / norm for x in rest]]
