"""The risk of a model: in closed form, as bias and variances, or by quadrature."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product
from typing import Any, TypeAlias

import flint
import mpmath
import numpy as np
from sympy import Add, Expr, Mul, S, Symbol, erf, expand, factor

from slrsym.kernels.arguments import require_integer
from slrsym.kernels.compile import compile_expressions, require_backend
from slrsym.kernels.numba_backend import numba_softmax_risk
from slrsym.kernels.printing import nest_polynomial
from slrsym.kernels.softmax_risk import (
    mpmath_softmax_risk_value,
    risk_and_derivatives,
    softmax_risk_and_derivatives,
)
from slrsym.kernels.softmax_risk_balls import ball_softmax_risk_value
from slrsym.kernels.symbolic_functions import DifferenceFromErf, GaussianMean
from slrsym.models.definition.projections import ProjectionLaws, TokenRole
from slrsym.models.definition.specification import Direction, NotClosedError, Token, softmax
from slrsym.models.means.moments import (
    ATOMS,
    atomic_means_in,
    covariance_symbol,
    derivatives_in_law_entries,
    differentiate_closed_form,
    generic_gaussian_variables,
    mean_symbol,
    name_by_content,
    product_covariance,
    product_mean,
    split_atomic_mean_derivative,
)
from slrsym.models.means.one_sample_means import MomentSum, centred_moment

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
        self._groups: dict[Any, list[tuple[Expr, _MeanAtRoles]]] = {}
        self._biases: list[tuple[Expr, list[tuple[Expr, _MeanAtRoles]]]] = []
        for counts, probability in stated.role_count_cases():
            self._add_case(counts, probability)

    def _add_case(self, counts: Mapping[Any, tuple[TokenRole, Expr]], probability: Expr) -> None:
        bias: list[tuple[Expr, _MeanAtRoles]] = []
        tokens = list(counts.values())
        for role, count in tokens:
            for i, (c, core) in enumerate(role.error):
                bias.append((count * c, _MeanAtRoles(self, [(role, core)])))
                for c_other, other in role.error[i:]:
                    twice = 1 if core is other else 2
                    pair = _MeanAtRoles(self, [(role, core), (role, other)])
                    weight = probability * count * twice * c * c_other
                    self._groups.setdefault(id(role), []).append((weight, pair))
        for n, (role, _) in enumerate(tokens):
            for other, _ in tokens[n + 1 :]:
                tau = self.model.data.correlation.get(frozenset({role.token, other.token}))
                if tau is None:
                    continue
                for c, core in role.error:
                    for c_other, other_core in other.error:
                        pair = _MeanAtRoles(self, [(role, core), (other, other_core)], tau)
                        weight = 2 * probability * c * c_other
                        self._groups.setdefault(None, []).append((weight, pair))
        self._biases.append((probability, bias))

    # -- sums --------------------------------------------------------------------------------------

    def risk(self) -> Expr:
        """Return the excess risk: the risk without the noise."""
        variances = Add(
            *(self._squared(Add(*(c * x.value() for c, x in g))) for g in self._groups.values())
        )
        return variances + Add(*(p * self._bias(bias) ** 2 for p, bias in self._biases))

    @property
    def _variances(self) -> list[tuple[Expr, _MeanAtRoles]]:
        return [pair for group in self._groups.values() for pair in group]

    def variance_groups(self) -> Iterator[tuple[list[tuple[Expr, Sequence[Part]]], Expr]]:
        """Yield the weighted covariances of each role in the risk, and their sum in closed form."""
        for group in self._groups.values():
            total = self._squared(Add(*(c * x.value() for c, x in group)))
            yield [(c, x.parts) for c, x in group], self.substitute_definitions(total)

    def bias_cases(self) -> Iterator[tuple[Expr, list[tuple[Expr, Part]], Expr]]:
        """Yield the probability, the weighted means and the closed form of the bias, by case."""
        for probability, bias in self._biases:
            parts = [(c, x.parts[0]) for c, x in bias]
            yield probability, parts, self.substitute_definitions(self._bias(bias))

    def mean_or_covariance(self, *parts: Part) -> Expr:
        """Return the mean of a token's contribution, or the covariance of two, in closed form."""
        tokens = {role.token for role, _ in parts}
        tau = self.model.data.correlation.get(frozenset(tokens)) if len(tokens) > 1 else None
        return self.substitute_definitions(_MeanAtRoles(self, parts, tau).value())

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

    def _bias(self, bias: list[tuple[Expr, _MeanAtRoles]]) -> Expr:
        return self.name_if_state_dependent(Add(*(c * x.value() for c, x in bias)))

    def gradient(self) -> list[Expr]:
        """Return the gradient of the risk, in the order of the order parameters."""
        return [self._slope(p) for p in self.order_parameters]

    def _slope(self, p: Symbol) -> Expr:
        total = Add(*(c * x.value(p) for c, x in self._variances))
        for probability, bias in self._biases:
            slope = Add(*(c * x.value(p) for c, x in bias))
            total += 2 * probability * self._bias(bias) * slope
        return total

    def hessian(self) -> list[list[Expr]]:
        """Return the rows of the Hessian of the risk."""
        names = self.order_parameters
        rows = [[S.Zero] * len(names) for _ in names]
        for i, p in enumerate(names):
            for j in range(i, len(names)):
                q = names[j]
                total = Add(*(c * x.value(p, q) for c, x in self._variances))
                for probability, bias in self._biases:
                    first, second, both = (
                        Add(*(c * x.value(*of) for c, x in bias)) for of in ((p,), (q,), (p, q))
                    )
                    total += 2 * probability * (first * second + self._bias(bias) * both)
                rows[i][j] = rows[j][i] = total
        return rows

    # -- names -------------------------------------------------------------------------------------

    def name_if_state_dependent(self, expr: Expr, in_programs: Expr | None = None) -> Expr:
        """Return a symbol for an expression that depends on the state, or else the expression.

        For programs it may have another form.
        """
        if not expr.free_symbols & self._state or expr.is_Symbol:
            return expr
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
        functions = sorted(str(n.function) for n in nodes if len(n.orders) == dimension)
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
        return nest_polynomial(expr, names) if names else expr

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


class _MeanAtRoles:
    """A mean of a product or a covariance under the laws of roles, with its derivatives."""

    def __init__(self, terms: RiskTerms, factors: Sequence[Part], tau: Expr | None = None) -> None:
        # With a correlation they are of two tokens; variables are numbered as they come.
        self._terms, self.parts = terms, factors
        self._known: dict[tuple[Symbol, ...], Expr] = {}
        places: list[tuple[Any, ...]] = []
        cores = []
        for number, (role, core) in enumerate(factors):
            offset = {}
            for i, symbol in enumerate(role.symbols):
                if not core.has(symbol):
                    continue
                place = (role, i) if tau is None else (role, i, number)
                if place not in places:
                    places.append(place)
                offset[symbol] = generic_gaussian_variables(len(places))[places.index(place)]
            cores.append(core.xreplace(offset))
        self._count = count = len(places)
        self._law: dict[Symbol, Expr] = {}
        for a, (role, i, *first) in enumerate(places):
            self._law[mean_symbol(a)] = role.means[i]
            for b in range(a, count):
                other, j, *second = places[b]
                self._law[covariance_symbol(a, b)] = (
                    role.cov[i, j]
                    if first == second
                    else terms.model.covariance_between(role, i, other, j)
                )
        self._moments: MomentSum | None = None
        try:
            self._formal = (
                product_mean(cores[0], count)
                if len(cores) == 1
                else product_covariance(*cores, count)
            )
        except NotClosedError:
            self._moments = centred_moment(Mul(*cores), self._law, count)
            if self._moments is None:
                raise

    def value(self, *in_symbols: Symbol) -> Expr:
        """Return a mean or covariance, or its derivative in given order parameters."""
        if in_symbols not in self._known:
            self._known[in_symbols] = self._derivative(in_symbols)
        return self._known[in_symbols]

    @cached_property
    def _means(self) -> list[_MeanAtRoles]:
        return [_MeanAtRoles(self._terms, [part]) for part in self.parts]

    def _centred(self, moments: MomentSum, symbols: tuple[Symbol, ...]) -> Expr:
        """Return a mean, less the product of two, or its derivative, from a centred formula."""
        total: Expr = S.Zero
        for (mean, entries), c in reduce(MomentSum.slope, symbols, moments).terms.items():
            value = mean.value.xreplace(dict(zip(mean.arguments, entries, strict=True)))
            printed = mean.printed_at(entries, self._terms.name_if_state_dependent)
            total += c * self._terms.name_if_state_dependent(value, printed)
        for of in product(self._means, repeat=len(symbols)) if len(self.parts) == 2 else ():
            first, second = (
                x.value(*(p for p, y in zip(symbols, of, strict=True) if y is x))
                for x in self._means
            )
            total -= first * second
        return expand(total)

    def _derivative(self, symbols: tuple[Symbol, ...]) -> Expr:
        if self._moments is not None:
            return self._centred(self._moments, symbols)
        if not symbols:
            return self._at_law(self._formal)
        total: Expr = S.Zero
        parts: list[tuple[Expr, Expr]] = [(S.One, self._formal)]
        once = derivatives_in_law_entries(self._formal, self._count)
        for i, p in enumerate(symbols):
            chain = [(x, self._rate(x, p)) for x in self._law]
            moved = [(rate, x) for x, rate in chain if rate != 0]
            parts = [
                (factor * rate, slope)
                for factor, formal in parts
                for rate, x in moved
                if (slope := derivatives_in_law_entries(formal, self._count).get(x, S.Zero)) != 0
            ]
            # Spikes make covariances quadratic in the order parameters.
            if i == 1:
                for x in self._law:
                    bend = self._law[x].diff(symbols[0], p)
                    if bend != 0:
                        total += bend * self._slope(once.get(x, S.Zero))
        return total + Add(*(factor * self._slope(formal) for factor, formal in parts))

    def _slope(self, formal: Expr) -> Expr:
        """Return a derivative under the role's law, as a symbol if there are many order parameters.

        Few entries are written out instead, as polynomials that can be nested.
        """
        if len(self._terms.order_parameters) <= _FEW:
            return self._at_law(formal)
        return self._terms.name_if_state_dependent(
            self._with_atoms(formal).xreplace(self._named_law)
        )

    @cached_property
    def _named_law(self) -> dict[Symbol, Expr]:
        return {x: self._terms.name_if_state_dependent(e) for x, e in self._law.items()}

    def _rate(self, x: Symbol, p: Symbol) -> Expr:
        return self._law[x].diff(p) if p in self._law[x].free_symbols else S.Zero

    def _at_law(self, formal: Expr) -> Expr:
        return expand(self._with_atoms(formal).xreplace(self._law))

    def _with_atoms(self, formal: Expr) -> Expr:
        """Replace atomic means in an expression by the symbols of their values under a law."""
        return formal.xreplace({atom: self._atom(atom) for atom in atomic_means_in(formal)})

    def _atom(self, node: Expr) -> Expr:
        """Return the symbol of an atomic mean, or its derivative, under the role's law."""
        function, orders = split_atomic_mean_derivative(node)
        atom = ATOMS[function.func]
        constants = {
            c: self._terms.name_if_state_dependent(e.xreplace(self._law))
            for c, e in atom.constants.items()
        }
        closed = (
            differentiate_closed_form(atom.closed, orders).xreplace(constants).xreplace(self._law)
        )
        return self._terms.name_if_state_dependent(closed)


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
        # Imported when asked for: it brings JAX.
        from slrsym.kernels.jax_backend import make_jax_softmax_risk

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
