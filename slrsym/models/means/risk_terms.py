"""The risk of a model: in closed form, as bias and variances, or by quadrature."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import flint
import mpmath
import numpy as np
from sympy import Add, Expr, Pow, S, Symbol, erf, expand, factor

from slrsym.gaussian.roots import is_root
from slrsym.kernels.arguments import require_integer
from slrsym.kernels.compile import compile_expressions, require_backend
from slrsym.kernels.nested_polynomials import nest_polynomial
from slrsym.kernels.symbolic_functions import DifferenceFromErf, GaussianMean
from slrsym.models.definition.projections import ProjectionLaws, TokenRole
from slrsym.models.definition.specification import Direction, NotClosedError, Token, softmax
from slrsym.models.means.mean_patterns import pattern_of_core
from slrsym.models.means.moments import (
    covariance_symbol,
    generic_gaussian_variables,
    mean_symbol,
    name_by_content,
)
from slrsym.models.means.one_sample_means import Mean, MomentSum, OneSampleMeans, total_derivative
from slrsym.models.means.smooth_pieces import KINKS
from slrsym.models.means.softmax_risk import (
    mpmath_softmax_risk_value,
    risk_and_derivatives,
    softmax_risk_and_derivatives,
)
from slrsym.models.means.softmax_risk_backends import make_jax_softmax_risk, numba_softmax_risk
from slrsym.models.means.softmax_risk_balls import ball_softmax_risk_value

# What a token of some role contributes: a product in its projections.
Part: TypeAlias = tuple[TokenRole, Expr]


class _Symbols:
    """Base class of the forms of a risk, with the symbols that the risk depends on."""

    model: ProjectionLaws

    @property
    def symbols_used(self) -> set[Symbol]:
        """All symbols that the risk depends on."""
        raise NotImplementedError

    @cached_property
    def order_parameters(self) -> tuple[Symbol, ...]:
        """The symbols of the risk that are inner products of trained directions."""
        return tuple(s for s in self.model.moving_inner_products if s in self.symbols_used)

    @cached_property
    def parameters(self) -> tuple[Symbol, ...]:
        """The symbols of the risk that are not order parameters, by name."""
        return tuple(sorted(self.symbols_used - {*self.order_parameters}, key=lambda s: s.name))


class RiskTerms(_Symbols):
    """The risk of an additive model, as squared bias plus variances, with named subexpressions.

    Given the roles, tokens are independent: the risk is the noise, the variances of what each adds
    to the error, covariances where noises are correlated, and the square of the sum of the means.
    """

    def __init__(self, stated: ProjectionLaws) -> None:
        self.model = stated
        self.meanings: dict[Symbol, Expr] = {}
        self._names: dict[Expr, Symbol] = {}
        self._in_programs: dict[Symbol, Expr] = {}
        self.moments: dict[Symbol, MomentSum] = {}
        self._slopes: dict[tuple[Symbol, Symbol], Expr] = {}
        self._groups: dict[Any, _SumOfTerms] = {}
        self._biases: list[tuple[Expr, _SumOfTerms]] = []
        for counts, probability in stated.role_count_cases():
            self._add_case(counts, probability)
        for total in (*self._groups.values(), *(bias for _, bias in self._biases)):
            total.symbol = self._named(total.moment)

    def _add_case(self, counts: Mapping[Any, tuple[TokenRole, Expr]], probability: Expr) -> None:
        bias = _SumOfTerms()
        tokens = list(counts.values())
        for role, count in tokens:
            for i, (c, core) in enumerate(role.error):
                self._add(bias, count * c, ((role, core),))
                for c_other, other in role.error[i:]:
                    weight = probability * count * (1 if core is other else 2) * c * c_other
                    group = self._groups.setdefault(id(role), _SumOfTerms())
                    self._add(group, weight, ((role, core), (role, other)))
        for n, (role, _) in enumerate(tokens):
            for other, _ in tokens[n + 1 :]:
                tau = self.model.data.correlation.get(frozenset({role.token, other.token}))
                if tau is None:
                    continue
                for c, core in role.error:
                    for c_other, other_core in other.error:
                        weight = 2 * probability * c * c_other
                        group = self._groups.setdefault(None, _SumOfTerms())
                        self._add(group, weight, ((role, core), (other, other_core)))
        self._biases.append((probability, bias))

    def _add(self, total: _SumOfTerms, weight: Expr, parts: tuple[Part, ...]) -> None:
        mean, entries = self._mean_or_covariance(parts)
        total.parts.append((weight, parts))
        total.moment.add(mean, entries, weight)

    def _mean_or_covariance(self, parts: Sequence[Part]) -> tuple[Mean, tuple[Expr, ...]]:
        """Return the mean of a token's contribution, or the covariance of two, with its law."""
        apart = len({role.token for role, _ in parts}) > 1
        places: list[tuple[TokenRole, int]] = []
        cores = []
        for role, core in parts:
            names = {}
            for i, symbol in enumerate(role.symbols):
                if core.has(symbol):
                    if (role, i) not in places:
                        places.append((role, i))
                    names[symbol] = generic_gaussian_variables(len(places))[places.index((role, i))]
            cores.append(core.xreplace(names))
        law: dict[Symbol, Expr] = {}
        for a, (role, i) in enumerate(places):
            law[mean_symbol(a)] = role.means[i]
            for b, (other, j) in enumerate(places[a:], a):
                law[covariance_symbol(a, b)] = (
                    self.model.covariance_between(role, i, other, j)
                    if apart and other is not role
                    else role.cov[i, j]
                )
        centred = all(law[mean_symbol(a)] == 0 for a in range(len(places)))
        first, *second = (pattern_of_core(core, len(places)) for core in cores)
        mean: Mean = first.covariance(second[0], centred) if second else first.mean(centred)
        return mean, tuple(law.get(x, x) for x in mean.arguments)

    # -- sums --------------------------------------------------------------------------------------

    def risk(self) -> Expr:
        """Return the excess risk: the risk without the noise, with the penalty of ridge."""
        return self._risk_without_ridge() + self.model.ridge_penalty

    def _risk_without_ridge(self) -> Expr:
        variances = Add(*(self._squared(self._written(v.moment)) for v in self._groups.values()))
        return variances + Add(*(p * self._bias(bias) ** 2 for p, bias in self._biases))

    def _risk_in_moments(self) -> Expr:
        """Return the risk without ridge in the symbols of `moments`."""
        risk = Add(*(group.symbol for group in self._groups.values()))
        return risk + Add(*(p * bias.symbol**2 for p, bias in self._biases))

    def variance_groups(self) -> Iterator[tuple[list[tuple[Expr, Sequence[Part]]], Expr]]:
        """Yield the weighted covariances of each role in the risk, and their sum in closed form."""
        for group in self._groups.values():
            total = self._squared(self._written(group.moment))
            yield [(c, parts) for c, parts in group.parts], self.substitute_definitions(total)

    def bias_cases(self) -> Iterator[tuple[Expr, list[tuple[Expr, Part]], Expr]]:
        """Yield the probability, the weighted means and the closed form of the bias, by case."""
        for probability, bias in self._biases:
            parts = [(c, part) for c, (part,) in bias.parts]
            yield probability, parts, self.substitute_definitions(self._bias(bias))

    def mean_or_covariance(self, *parts: Part) -> Expr:
        """Return the mean of a token's contribution, or the covariance of two, in closed form."""
        found = MomentSum()
        found.add(*self._mean_or_covariance(parts), S.One)
        return self.substitute_definitions(self._written(found))

    def _squared(self, variance: Expr) -> Expr:
        """Complete squares in a variance, so that little cancels in rounding near 0.

        Of :math:`a M^2 - 2bM + c`, with what is free of other functions in b and c, it leaves
        :math:`a (M - b/a)^2 + (c - b^2/a)`.
        """
        total = expand(variance)
        for name in sorted(total.free_symbols & self.meanings.keys(), key=str):
            meaning = self.meanings[name]
            a = total.coeff(name, 2)
            if not isinstance(meaning, erf) or a == 0 or a.free_symbols & self._state:
                continue
            b = -Add(*(t for t in Add.make_args(total.coeff(name, 1)) if self._has_no_names(t))) / 2
            c = Add(*(t for t in Add.make_args(total) if self._has_no_names(t)))
            rest = expand(total - a * name**2 + 2 * b * name - c)
            square = a * DifferenceFromErf(factor(b / a), meaning.args[0]) ** 2
            return square + factor(c - b**2 / a) + self._squared(rest)
        return total

    def _has_no_names(self, term: Expr) -> bool:
        return not term.free_symbols & self.meanings.keys()

    def _written(self, moment: MomentSum) -> Expr:
        return moment.written(self.name_if_state_dependent)

    def _bias(self, bias: _SumOfTerms) -> Expr:
        return self.name_if_state_dependent(self._written(bias.moment))

    def gradient(self, only: Collection[Symbol] | None = None) -> list[Expr]:
        """Return the gradient of the risk, or some slopes, in the order of the order parameters."""
        slopes = zip(self.order_parameters, self._gradient, strict=True)
        return [self._in_parts(slope) for p, slope in slopes if only is None or p in only]

    @cached_property
    def _gradient(self) -> list[Expr]:
        """The gradient in the symbols of `moments`."""
        risk = (self._risk_of_kinks() or self._risk_in_moments()) + self.model.ridge_penalty
        return [total_derivative(risk, p, self) for p in self.order_parameters]

    def _risk_of_kinks(self) -> Expr | None:
        """Return the risk of one token with kinks as a mean of squares in moments, or else None.

        Where a direction has length 0 the slopes of the squared mean and of the variance may be
        infinite, and cancel; in one sum they do before they are numbers.
        """
        cases = [list(counts.values()) for counts, _ in self.model.role_count_cases()]
        of_one = all(len(case) == 1 and case[0][1] == 1 for case in cases)
        if not (of_one and any(role.share.has(*KINKS) for case in cases for role, _ in case)):
            return None
        samples = OneSampleMeans(self.model)
        samples.moments = self.moments
        try:
            return samples.mean_square()
        except NotClosedError:
            return None

    def hessian(self) -> list[list[Expr]]:
        """Return the rows of the Hessian of the risk."""
        names = self.order_parameters
        rows = [[S.Zero] * len(names) for _ in names]
        for i, slope in enumerate(self._gradient):
            for j in range(i, len(names)):
                bend = self._in_parts(total_derivative(slope, names[j], self))
                rows[i][j] = rows[j][i] = bend
        return rows

    def moment_derivative_symbol(self, name: Symbol, x: Symbol) -> Expr:
        """Return the symbol of a moment's partial derivative, or 0 if the derivative vanishes."""
        if (name, x) not in self._slopes:
            self._slopes[name, x] = self._named(self.moments[name].slope(x))
        return self._slopes[name, x]

    def _named(self, moment: MomentSum) -> Expr:
        if not moment.terms:
            return S.Zero
        symbol = Symbol(f"moment_{len(self.moments)}", real=True)
        self.moments[symbol] = moment
        return symbol

    def _in_parts(self, derivative: Expr) -> Expr:
        """Write the symbols of moments in a derivative by named parts.

        Of many order parameters derivatives of means are symbols; few are written out instead, as
        polynomials that can be nested.
        """
        biases = {bias.symbol: self._bias(bias) for _, bias in self._biases}
        whole = len(self.order_parameters) > _FEW
        return self._with_products_of_roots(
            derivative.xreplace(
                {
                    name: biases[name]
                    if name in biases
                    else self.moments[name].written(self.name_if_state_dependent, whole)
                    for name in derivative.free_symbols & self.moments.keys()
                }
            )
        )

    def _with_products_of_roots(self, derivative: Expr) -> Expr:
        """Multiply roots of lengths by their slopes, which are infinite where a length is 0."""
        roots = {}
        for name in derivative.free_symbols & self.meanings.keys():
            meaning = self.substitute_definitions(name)
            if meaning.xreplace({p: p**2 for p in self.order_parameters}).is_rational_function():
                roots[name] = meaning
        powers = set().union(*(meaning.atoms(Pow) for meaning in roots.values()))
        if not any(is_root(x) and x.exp < 0 and x.free_symbols for x in powers):
            return derivative
        return expand(derivative.xreplace(roots))

    # -- names -------------------------------------------------------------------------------------

    def name_if_state_dependent(self, expr: Expr, in_programs: Expr | None = None) -> Expr:
        """Return a symbol for an expression that depends on the state, or else the expression.

        For programs it may have another form; then a polynomial in the state needs no symbol.
        """
        moving = expr.free_symbols & self._state
        if not moving or expr.is_Symbol:
            return expr
        if in_programs is not None and expr.is_polynomial(*moving):
            return expand(expr)
        if expr not in self._names:
            symbol = Symbol(name_by_content("F", expr), real=True)
            self._names[expr], self.meanings[symbol] = symbol, expr
            self._in_programs[symbol] = expr if in_programs is None else in_programs
            self._state.add(symbol)
        return self._names[expr]

    @cached_property
    def _state(self) -> set[Symbol]:
        return set(self.model.gram_indices)

    @cached_property
    def symbols_used(self) -> set[Symbol]:
        """The symbols that the risk depends on."""
        found: set[Symbol] = set(self.model.data.noise.free_symbols)
        risk = self.risk()
        for expr in (risk, *self.needed_definitions([risk]).values()):
            found |= expr.free_symbols
        return found - self.meanings.keys()

    @property
    def quadrature(self) -> RequiredQuadrature | None:
        """The quadrature for means without a closed form; None if all have one."""
        risk = self.risk()
        nodes = set().union(
            *(e.atoms(GaussianMean) for e in self.needed_definitions([risk]).values())
        )
        if not nodes:
            return None
        dimension = max(len(node.orders) for node in nodes)
        functions = sorted(str(n.stated_function()) for n in nodes if len(n.orders) == dimension)
        shortest = min(functions, key=len)
        names = "z" if dimension == 1 else "z and z_2"
        return RequiredQuadrature(
            dimension, f"no closed form is known of the mean of {shortest}, {names} normal"
        )

    def write_as_nested_polynomial(self, expr: Expr) -> Expr:
        """Write a derivative as a nested polynomial if there are few order parameters."""
        if len(self.order_parameters) > _FEW:
            return expr
        names = sorted(expr.free_symbols & self._state, key=str)
        return nest_polynomial(expr, names) if names and expr.is_polynomial(*names) else expr

    def needed_definitions(self, outputs: Iterable[Expr]) -> dict[Symbol, Expr]:
        """Return definitions of the symbols in some expressions, and of the symbols in these.

        They are in the form for programs.
        """
        found: set[Symbol] = set()
        open_ = set().union(*(e.free_symbols for e in outputs)) & self.meanings.keys()
        while open_:
            symbol = open_.pop()
            found.add(symbol)
            open_ |= (self._in_programs[symbol].free_symbols & self.meanings.keys()) - found
        return {symbol: self._in_programs[symbol] for symbol in sorted(found, key=str)}

    def substitute_definitions(self, expr: Expr) -> Expr:
        """Replace all symbols of subexpressions by their definitions."""
        while names := expr.free_symbols & self.meanings.keys():
            expr = expr.xreplace({name: self.meanings[name] for name in names})
        return expr


# Beyond so many order parameters it takes longer to arrange slopes than it saves, and a gradient
# that is written out is too long to be compiled.
_FEW = 8


@dataclass
class _SumOfTerms:
    """A weighted sum of means of contributions, or of covariances of two."""

    parts: list[tuple[Expr, tuple[Part, ...]]] = field(default_factory=list)
    moment: MomentSum = field(default_factory=MomentSum)
    symbol: Expr = S.Zero


@dataclass(frozen=True)
class RequiredQuadrature:
    """The dimension of a quadrature that computes the risk, and the reason for it."""

    dimension: int
    reason: str


class SoftmaxRisk(_Symbols):
    """The risk of a softmax model, as a function of the laws of (score, value, target)."""

    def __init__(self, stated: ProjectionLaws) -> None:
        self.model = stated
        if len(stated.data.mixture) > 1 or stated.data.correlation or stated.predictor.bias:
            raise ValueError(
                "softmax is for independent tokens, of fixed numbers, without a bias of positions"
            )
        self.inverse_temperature, self.extra = S.One, S.Zero
        ((self.counts, _),) = stated.data.mixture
        self.means: list[Expr] = []
        self.covs: list[Expr] = []
        for token in self.counts:
            self._add_role(token)

    def _add_role(self, token: Token) -> None:
        error, symbols = self.model.shares[token, None]
        names = {symbol: x for x, symbol in symbols.items()}
        heads = list(error.atoms(softmax))
        if len(heads) != 1:
            raise ValueError(
                f"softmax is for one head, softmax(mu * (X @ k)) * (X @ v); got {len(heads)}, "
                f"whose risk is an integral of {2 * len(heads)} dimensions: for each head a score "
                "and a variable of Laplace"
            )
        (head,) = heads
        score = _linear(head.args[0], names)
        if len(score) != 1:
            raise ValueError(f"the score of softmax must be mu * (X @ k); got {head.args[0]}")
        ((key, self.inverse_temperature),) = score.items()
        self.extra = head.args[1] if len(head.args) == 2 else S.Zero
        weight = expand(error).coeff(head)
        target = expand(error - weight * head)
        if target.has(softmax):
            raise ValueError(f"softmax must stand in the first power; got {error}")
        forms = [{key: S.One}, _linear(-weight, names), _linear(target, names)]
        x = self.model
        for i, form in enumerate(forms):
            self.means.append(Add(*(c * x.mean_of(token, y) for y, c in form.items())))
            for other in forms[i:]:
                pairs = ((c * e, y, z) for y, c in form.items() for z, e in other.items())
                self.covs.append(Add(*(c * x.covariance_of(token, y, z) for c, y, z in pairs)))

    @cached_property
    def symbols_used(self) -> set[Symbol]:
        """The symbols that the risk depends on."""
        found = set(self.model.data.noise.free_symbols)
        return found.union(*(e.free_symbols for e in self._entries))

    @property
    def _entries(self) -> list[Expr]:
        return [
            self.inverse_temperature, self.extra, *self.counts.values(), *self.means, *self.covs,
            self.model.data.noise**2,
        ]  # fmt: skip

    @property
    def quadrature(self) -> RequiredQuadrature:
        """The two-dimensional quadrature that the risk of softmax needs, with the reason."""
        return RequiredQuadrature(
            2, "softmax divides by a sum over tokens: the denominator is an integral (Laplace)"
        )

    def compile(self, backend: str, what: tuple[str, ...]) -> Callable[..., Any]:
        """Compile the risk or gradient of softmax to a function of states and parameters."""
        require_backend(backend)
        if not set(what) <= {"excess_risk", "risk", "gradient"}:
            raise ValueError(f"of softmax there are risk, excess_risk and gradient; got {what}")
        if backend == "ball":
            return self._in_balls(what)
        if backend == "jax":
            return self._in_jax(what)
        names, parameters = self.order_parameters, self.parameters
        moving = [*self.means, *self.covs]
        rates = [e.diff(p) for e in moving for p in names]
        inner = "mpmath" if backend == "mpmath" else "numpy"
        entries = compile_expressions([*self._entries, *rates], names, parameters, inner)
        n = len(names)
        if backend == "mpmath":
            return self._in_mpmath(entries, what)
        risk_of = numba_softmax_risk() if backend == "numba" else softmax_risk_and_derivatives

        def row(numbers: Any) -> list[float]:
            mu, extra, counts, law, noise, rates = self._parts(numbers)
            risk, _, *slopes = risk_and_derivatives(risk_of, mu, extra, counts, law)
            gradient = slopes @ rates.reshape(len(law), n)
            found: list[float] = []
            for name in what:
                if name == "gradient":
                    found.extend(gradient)
                else:
                    found.append(risk + (noise if name == "risk" else 0.0))
            return found

        def evaluate(state: Any, *values: Any) -> Any:
            numbers = entries(state, *values)
            rows = [row(x) for x in numbers.reshape(-1, numbers.shape[-1])]
            return np.array(rows).reshape(*numbers.shape[:-1], -1)

        return evaluate

    def _parts(self, numbers: Any) -> tuple[Any, ...]:
        """Split numbers: temperature, extra, counts, the law of each role, noise, rates of laws."""
        first, end = 2 + len(self.counts), 2 + 10 * len(self.counts)
        counts, law = numbers[2:first], numbers[first:end]
        return numbers[0], numbers[1], counts, law, numbers[end], numbers[end + 1 :]

    def _in_balls(self, what: tuple[str, ...]) -> Callable[..., Any]:
        if "gradient" in what:
            raise ValueError("of softmax there are balls of risk and excess_risk, not of slopes")
        names, parameters = self.order_parameters, self.parameters
        entries = compile_expressions(self._entries, names, parameters, "ball")

        def evaluate(state: Any, *values: Any, dps: int = 30) -> list[Any]:
            numbers = entries(state, *values, dps=dps)
            with flint.ctx.workdps(require_integer("dps", dps, 1)):
                mu, extra, counts, law, noise, _ = self._parts(numbers)
                excess = ball_softmax_risk_value(mu, extra, counts, law)
                return [excess + (noise if name == "risk" else 0) for name in what]

        return evaluate

    def _in_jax(self, what: tuple[str, ...]) -> Callable[..., Any]:
        names, parameters = self.order_parameters, self.parameters
        moving = [*self.means, *self.covs]
        rates = [e.diff(p) for e in moving for p in names]
        # Numbers of tokens are apart, as the risk is not differentiated in them.
        tokens, law, rest = (
            compile_expressions(outputs, names, parameters, "jax")
            for outputs in (
                [self.extra, *self.counts.values()],
                [self.inverse_temperature, *moving],
                [self.model.data.noise**2, *rates],
            )
        )
        return make_jax_softmax_risk(tokens, law, rest, what, len(names))

    def _in_mpmath(self, entries: Callable[..., Any], what: tuple[str, ...]) -> Callable[..., Any]:
        n = len(self.order_parameters)

        def evaluate(state: Any, *values: Any, dps: int = 30) -> list[Any]:
            digits = require_integer("dps", dps, 1)
            numbers = entries(state, *values, dps=digits + 10)
            mu, extra, counts, law, noise, rates = self._parts(numbers)
            with mpmath.workdps(digits):
                found = []
                for name in what:
                    if name == "gradient":
                        # In the direction in which the law moves with each order parameter.
                        for j in range(n):
                            rate = rates[j::n]
                            found.append(_along(mu, extra, counts, law, rate, digits))
                    else:
                        risk = mpmath_softmax_risk_value(mu, extra, counts, law)
                        found.append(+(risk + (noise if name == "risk" else 0)))
            return found

        return evaluate


def _along(mu: Any, extra: Any, counts: Any, law: Any, rate: Any, digits: int) -> Any:
    """Return the softmax risk's derivative in a direction of the law, by central difference."""
    with mpmath.workdps(2 * digits):
        step = mpmath.mpf(10) ** (-digits // 2)
        ahead, behind = (
            mpmath_softmax_risk_value(
                mu, extra, counts, [x + s * step * r for x, r in zip(law, rate, strict=True)]
            )
            for s in (1, -1)
        )
        slope = (ahead - behind) / (2 * step)
    return +slope


def _linear(expr: Expr, names: dict[Symbol, Direction]) -> dict[Direction, Expr]:
    """Return the coefficients of the projections in a linear expression."""
    found = {symbol: expr.diff(symbol) for symbol in names if expr.has(symbol)}
    if expand(expr - Add(*(c * symbol for symbol, c in found.items()))) != 0:
        raise ValueError(f"softmax needs values and targets that are linear; got {expr}")
    return {names[symbol]: c for symbol, c in found.items()}
