"""Reduction of an expectation to Gaussian integrals, rule by rule, with a trace of the steps."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

import sympy as sp
from sympy import Expr, Matrix, S

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.degeneracy import (
    constant_value,
    is_zero_sum,
    without_determined_coordinates,
)
from slrsym.gaussian.evaluation_trace import Trace
from slrsym.gaussian.forms import (
    affine_form_moments,
    group_correlated_indices,
    joint_gaussian_law,
    quadratic_form_coefficients,
)
from slrsym.gaussian.integrals import (
    DivergenceError,
    complete_square,
    erf_mean,
    erf_product_mean,
    simplify_complex_rational,
)
from slrsym.gaussian.integrand import (
    IntegrandTerm,
    expand_into_integrand_terms,
    is_affine,
    replace_affine_forms_by_symbols,
    require_no_poles,
    require_slow_growth,
)
from slrsym.gaussian.kinks_as_signs import UnsupportedIntegrandError
from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, NoiseLaw, ProductLaw
from slrsym.gaussian.noise_and_product_laws import joint_law
from slrsym.gaussian.normal_scores import mean_of_score
from slrsym.gaussian.radial_moments import (
    group_uncorrelated_factors,
    has_noninteger_power,
    radial_moment,
)
from slrsym.gaussian.special_functions import erf_prime

# It yields the terms, under their laws, whose expectations it is then sent, and returns its own.
_Steps = Generator[tuple[IntegrandTerm, GaussianLaw], Any, Expr]


class ExpectationReduction:
    """State of the evaluation of an expectation: its trace and the closed forms found so far."""

    def __init__(
        self,
        trace: Trace,
        is_positive: Callable[[Expr], bool] = lambda _: False,
        with_gamma: bool = True,
        pair_mean: Callable[..., Expr] = erf_product_mean,
    ) -> None:
        self.trace, self.positive, self.with_gamma = trace, is_positive, with_gamma
        self.pair_mean = pair_mean
        self.known: dict[tuple[Any, ...], Expr] = {}

    # -- products of independent laws ---------------------------------------------------------

    def evaluate(self, expr: Expr, law: Law) -> Expr:
        if isinstance(law, GaussianLaw) and not expr.has(IIDSum):
            return self.evaluate_gaussian(expr, law)
        addends = sp.Add.make_args(sp.expand(expr, power_base=False, log=False, trig=False))
        by_blocks = [self._factored(addend, law) for addend in addends]
        split = sp.Add(
            *(c * sp.Mul(*(Expectation(f, b) for f, b in parts)) for c, parts in by_blocks)
        )
        self.trace.record("linearity and independence", Expectation(expr, law), split)
        total: list[Expr] = []
        for coefficient, parts in by_blocks:
            values = [self._block(factor, block) for factor, block in parts]
            total.append(sp.Mul(coefficient, *values))
        return sp.Add(*total)

    def _factored(self, addend: Expr, law: Law) -> tuple[Expr, list[tuple[Expr, Law]]]:
        """Split an addend into a coefficient and a factor for each independent part of the law."""
        blocks: list[Any] = list(law.independent_laws())
        owner: dict[Any, int] = {s: i for i, b in enumerate(blocks) for s in b.symbols}
        coefficient: Expr = S.One
        factors: list[tuple[set[int], Expr]] = []
        for factor in sp.Mul.make_args(addend):
            for copy_sum in sorted(factor.atoms(IIDSum), key=sp.default_sort_key):
                if copy_sum not in owner:
                    owner[copy_sum] = len(blocks)
                    blocks.append(copy_sum)
            concerned = {
                i for node, i in owner.items() if node in factor.free_symbols or factor.has(node)
            }
            if concerned:
                factors.append((concerned, factor))
            else:
                coefficient *= factor
        groups: list[tuple[set[int], Expr]] = []
        for concerned, factor in factors:
            joined, product = concerned, factor
            for other in [g for g in groups if g[0] & concerned]:
                groups.remove(other)
                joined, product = joined | other[0], product * other[1]
            groups.append((joined, product))
        parts = []
        for concerned, factor in groups:
            laws = [blocks[i] for i in sorted(concerned) if isinstance(blocks[i], Law)]
            # Without a law, it is a factor in one sum of copies.
            parts.append((factor, joint_law(laws or [blocks[i].law for i in concerned])))
        return coefficient, parts

    def _block(self, factor: Expr, block: Law) -> Expr:
        if factor.has(IIDSum):
            return self._iid_sum(factor, block)
        if isinstance(block, NoiseLaw):
            return self._noise(factor, block)
        if isinstance(block, ProductLaw):
            joint = joint_gaussian_law(block)
            return (
                Expectation(factor, block)
                if joint is None
                else self.evaluate_gaussian(factor, joint)
            )
        assert isinstance(block, GaussianLaw)
        return self.evaluate_gaussian(factor, block)

    def _noise(self, factor: Expr, law: NoiseLaw) -> Expr:
        (xi,) = law.symbols
        moments = {xi: S.Zero, xi**2: law.variance}
        node = Expectation(factor, law)
        if is_zero_sum(law.variance):
            moments[factor] = factor.xreplace({xi: S.Zero})
        if factor not in moments:
            return node
        self.trace.record("moments of the noise", node, moments[factor])
        return moments[factor]

    def _iid_sum(self, factor: Expr, law: Law) -> Expr:
        base, power = factor.as_base_exp() if isinstance(factor, sp.Pow) else (factor, S.One)
        node = Expectation(factor, law)
        if not isinstance(base, IIDSum) or power not in (1, 2):
            return node
        first = Expectation(base.term, base.law)
        second = Expectation(base.term**2, base.law)
        n = base.count
        split = n * first if power == 1 else n * second + n * (n - 1) * first**2
        self.trace.record("sum of independent copies", node, split)
        mean = self.evaluate(base.term, base.law)
        if power == 1:
            return n * mean
        return n * self.evaluate(sp.expand(base.term**2), base.law) + n * (n - 1) * mean**2

    # -- one Gaussian vector -------------------------------------------------------------------

    def evaluate_gaussian(self, expr: Expr, law: GaussianLaw) -> Expr:
        """Evaluate an expectation under one Gaussian law; leave unsupported addends unevaluated."""
        value = self._by_forms(expr, law)
        if value is None and self.with_gamma and has_noninteger_power(expr):
            # Before it is expanded: (x^2 + y^2)^(3/2) would become two addends.
            coefficient, core = expr.as_independent(*law.symbols, as_Add=False)
            moment = self._radial(core, law)
            value = None if moment is None else coefficient * moment
        if value is not None:
            return value
        closed: list[Expr] = []
        divergent: list[tuple[Expr, DivergenceError]] = []
        addends = sp.Add.make_args(sp.expand(expr, power_base=False, log=False, trig=False))
        if len(addends) > 1:
            split = sp.Add(*(_with_constant(a, law) for a in addends))
            self.trace.record("linearity", Expectation(expr, law), split)
        for addend in addends:
            coefficient, core = addend.as_independent(*law.symbols, as_Add=False)
            try:
                value = self._addend(core, law)
            except DivergenceError as error:
                divergent.append((addend, error))
                continue
            closed.append(coefficient * value)
        if divergent:
            closed.append(self._divergent(divergent, law))
        return sp.Add(*closed)

    def _addend(self, core: Expr, law: GaussianLaw) -> Expr:
        """Evaluate the mean of one addend, by the rules for exp and erf or for Gamma functions."""
        node = Expectation(core, law)
        given = self._given_delta(core, law)
        if given is not None:
            return given
        found = without_determined_coordinates(core, law)
        if found is not None:
            reduced, rest = found
            self.trace.record(
                "coordinates that others determine",
                node,
                reduced if rest is None else _node(reduced, rest),
            )
            return reduced if rest is None else self.evaluate_gaussian(reduced, rest)
        try:
            require_no_poles(core, law)
            require_slow_growth(core, law)
            pieces = expand_into_integrand_terms(core, law)
            self.trace.record(
                "in terms of exp and erf",
                node,
                sp.Add(*(p.coefficient * Expectation(p.as_expr(law.symbols), law) for p in pieces)),
            )
            value = sp.Add(*(p.coefficient * self._term(p, law) for p in pieces))
            return self._without_i(value, core)
        except UnsupportedIntegrandError as reason:
            value = mean_of_score(core, law, self.positive)
            if value is not None:
                self.trace.record("mean of a normal score", node, value)
            elif self.with_gamma:
                value = self._radial(core, law)
            if value is None:
                self.trace.reasons[node] = str(reason)
                return node
        return value

    def _given_delta(self, core: Expr, law: GaussianLaw) -> Expr | None:
        """Return the mean of a product with a delta function; None if there is none.

        What jumps elsewhere is evaluated where the delta function's argument vanishes.
        """
        for factor in sp.Mul.make_args(core):
            if not isinstance(factor, sp.DiracDelta) or len(factor.args) > 1:
                continue
            argument = factor.args[0]
            if not is_affine(argument, frozenset(law.symbols)):
                continue
            if constant_value(argument, law) is not None:
                self.trace.reasons[Expectation(core, law)] = _no_density(argument)
                return Expectation(core, law)
            density, new_law = _conditional(argument, law)
            rest = core / factor
            self.trace.record(
                f"conditioning on {argument} = 0",
                Expectation(core, law),
                density * _node(rest, new_law),
            )
            return density * self.evaluate_gaussian(rest, new_law)
        return None

    def _radial(self, core: Expr, law: GaussianLaw) -> Expr | None:
        """Evaluate the mean of a function of a length: of an absolute value or a Euclidean norm.

        Factors in uncorrelated variables are taken by themselves.
        """
        node = Expectation(core, law)
        groups = group_uncorrelated_factors(core, law)
        if len(groups) > 1:
            laws = [law.marginal(*symbols) for symbols, _ in groups]
            parts = [factor for _, factor in groups]
            nodes = map(Expectation, parts, laws)
            self.trace.record("independence", node, sp.Mul(*nodes))
            values = map(self.evaluate_gaussian, parts, laws)
            value = sp.Mul(*values)
            return None if value.has(Expectation) else value
        try:
            value = radial_moment(core, law)
        except UnsupportedIntegrandError:
            return None
        self.trace.record("moment of a length", node, value)
        return value

    def _by_forms(self, expr: Expr, law: GaussianLaw) -> Expr | None:
        """Return a mean taken over the integrand's affine forms, or None if that does not help."""
        involved = expr.free_symbols & set(law.symbols)
        if len(involved) < 3:
            return None
        found = replace_affine_forms_by_symbols(expr, frozenset(law.symbols))
        if found is None or len(found[1]) >= len(involved):
            return None
        function, names = found
        constants = {name: constant_value(form, law) for form, name in names.items()}
        forms = {name: form for form, name in names.items() if constants[name] is None}
        image = law.linear_image(forms | {n: c for n, c in constants.items() if c is not None})
        steps = len(self.trace)
        self.trace.record(
            "law of the affine forms", Expectation(expr, law), Expectation(function, image)
        )
        value = self.evaluate_gaussian(function, image)
        if value.has(Expectation):
            del self.trace.steps[steps:]
            return None
        return value

    def _divergent(self, divergent: list[tuple[Expr, DivergenceError]], law: GaussianLaw) -> Expr:
        """Return the unevaluated mean of the sum of divergent addends; raise if it must diverge.

        Such a sum is (1 - erf(x)**2) exp(x**2/2), and so is (1 - cos(x))/x.
        """
        total = sp.Add(*(addend for addend, _ in divergent))
        try:
            pieces = expand_into_integrand_terms(total, law)
            bounded = any(p.erf_arguments or p.sign_arguments for p in pieces)
            certain = len(pieces) == 1 or not bounded
        except UnsupportedIntegrandError:
            certain = len(divergent) == 1
        if certain:
            raise divergent[0][1]
        return Expectation(total, law)

    def _without_i(self, value: Expr, core: Expr) -> Expr:
        """Return the real part of the complex closed form of a real expectation."""
        if not value.has(sp.I) or not core.is_real or any(e.has(sp.I) for e in value.atoms(sp.erf)):
            return value
        real = value.as_real_imag()[0]
        self.trace.record("real part", value, real)
        return real

    def _term(self, term: IntegrandTerm, law: GaussianLaw) -> Expr:
        """Return the expectation of a term without its coefficient.

        A power of 2000 takes 1000 applications of Stein's lemma, one inside the other: they are
        kept on a list, since Python does not nest calls as deep.
        """
        waiting, value = [self._evaluation(term, law)], None
        while waiting:
            try:
                needed = waiting[-1].send(value)
            except StopIteration as done:
                waiting.pop()
                value = done.value
            else:
                waiting.append(self._evaluation(*needed))
                value = None
        return value

    def _evaluation(self, term: IntegrandTerm, law: GaussianLaw) -> _Steps:
        """Return a term's mean by the rule that applies, yielding the terms that the rule needs."""
        full = law.symbols
        node = Expectation(term.as_expr(full), law)
        involved = [s for s in full if s in node.integrand.free_symbols]
        if not involved:
            return node.integrand
        if not term.exponent.free_symbols & set(involved) and term.exponent != 0:
            plain = replace(term, coefficient=S.One, exponent=S.Zero)
            return sp.exp(term.exponent) * (yield plain, law)
        if len(involved) < len(full):
            law = law.marginal(*involved)
            powers = dict(zip(full, term.powers, strict=True))
            term = replace(term, coefficient=S.One, powers=tuple(powers[s] for s in involved))
            marginal = Expectation(node.integrand, law)
            self.trace.record("marginal law", node, marginal)
            node = marginal
        key = (replace(term, coefficient=S.One), law)
        if key not in self.known:
            parallel = self._parallel_signs(term, law)
            if term.zeros:
                self.known[key] = yield from self._conditioned(term, law, node)
            elif parallel is not None:
                self.known[key] = yield from self._linearised(term, law, node, parallel)
            elif term.exponent.free_symbols & set(involved):
                self.known[key] = yield from self._tilted(term, law, node)
            elif any(term.powers):
                self.known[key] = yield from self._stein(term, law, node)
            else:
                self.known[key] = self._error_functions(term, law, node)
        return self.known[key]

    def _tilted(self, term: IntegrandTerm, law: GaussianLaw, node: Expectation) -> _Steps:
        variables = law.symbols
        exponent, left = term.exponent, S.Zero
        if term.sign_arguments and any(term.powers):
            # A sign has no derivative off the real line: powers go before what is imaginary.
            exponent, left = sp.expand(exponent).as_independent(sp.I, as_Add=True)
            if not exponent.free_symbols & set(variables):
                return (yield from self._stein(term, law, node))
        quadratic, linear, constant = quadratic_form_coefficients(exponent, variables)
        if any(sp.im(entry) != 0 for entry in quadratic):
            raise UnsupportedIntegrandError("the quadratic part of the exponent is not real")
        mean = Matrix(list(law.mean.values()))
        exponent, determinant, new_mean, new_cov = complete_square(
            quadratic, linear, mean, Matrix(law.cov), self.positive
        )
        shift = new_mean.applyfunc(lambda m: sp.expand(sp.im(m)))
        moved = {x: x + sp.I * s for x, s in zip(variables, shift, strict=True)}
        real_mean = new_mean.applyfunc(sp.re) if any(shift) else new_mean
        new_law = GaussianLaw._derived(dict(zip(variables, real_mean, strict=True)), new_cov)
        polynomial = sp.Mul(*(x**n for x, n in zip(variables, term.powers, strict=True)))
        real = replace(term, coefficient=S.One, exponent=left)
        rest = real.as_expr(variables)
        if any(shift):
            rest = rest.xreplace(moved)
        prefactor = sp.exp(simplify_complex_rational(constant + exponent)) / sp.sqrt(determinant)
        self.trace.record("completing the square", node, prefactor * _node(rest, new_law))
        if not any(shift):
            return prefactor * (yield real, new_law)
        pieces = expand_into_integrand_terms(sp.expand(polynomial.xreplace(moved)), new_law)
        arguments = tuple(sp.expand(u.xreplace(moved)) for u in term.erf_arguments)
        signs = tuple(sp.expand(u.xreplace(moved)) for u in term.sign_arguments)
        moved_terms = [
            (p.coefficient, IntegrandTerm(S.One, p.powers, S.Zero, arguments, signs))
            for p in pieces
        ]
        return prefactor * (yield from _combination(moved_terms, new_law))

    def _conditioned(self, term: IntegrandTerm, law: GaussianLaw, node: Expectation) -> _Steps:
        """Return a term's mean given that a delta function's argument vanishes, times a density."""
        argument, *others = term.zeros
        if constant_value(argument, law) is not None:
            raise UnsupportedIntegrandError(_no_density(argument))
        density, new_law = _conditional(argument, law)
        rest = replace(term, coefficient=S.One, zeros=tuple(others))
        split = density * _node(rest.as_expr(law.symbols), new_law)
        self.trace.record(f"conditioning on {argument} = 0", node, split)
        return density * (yield rest, new_law)

    def _parallel_signs(
        self, term: IntegrandTerm, law: GaussianLaw
    ) -> list[tuple[Expr, IntegrandTerm]] | None:
        r"""Replace a product of signs of proportional affine forms by a sum with fewer signs.

        With D = m q - n p, sign(m + p z) sign(n + q z) is
        sign(p q) + sign(D q) sign(n + q z) - sign(D p) sign(m + p z), unless p = q = 0.
        """
        signs = term.sign_arguments
        if not signs:
            return None
        for i, argument in enumerate(signs):
            constant = constant_value(argument, law)
            if constant is not None:
                rest = replace(term, coefficient=S.One, sign_arguments=signs[:i] + signs[i + 1 :])
                return [(sp.sign(constant), rest)]
        means, spread = affine_form_moments(signs, law)
        for i, j in itertools.combinations(range(len(signs)), 2):
            if is_zero_sum(spread[i][i] * spread[j][j], -(spread[i][j] ** 2)):
                # One is m + p z, the other n + q z, up to positive factors: p/q is the slope of one
                # in the other, without what is left of a variance, which has no sign at 0. The
                # coefficients are right as well where a form is fixed, by p or q = 0, or both.
                slope = simplify_complex_rational(spread[i][j] / spread[j][j])
                p, q = slope.as_numer_denom()
                apart = simplify_complex_rational(means[i] * q - means[j] * p)
                others = tuple(u for k, u in enumerate(signs) if k not in (i, j))
                without, first, second = (
                    replace(term, coefficient=S.One, sign_arguments=(*others, *kept))
                    for kept in ((), (signs[i],), (signs[j],))
                )
                fixed = sp.sign(means[i]) * sp.sign(means[j]) * _both_vanish(p, q)
                return [
                    (sp.sign(p * q) + fixed, without),
                    (sp.sign(apart * q), second),
                    (-sp.sign(apart * p), first),
                ]
        return None

    def _linearised(
        self,
        term: IntegrandTerm,
        law: GaussianLaw,
        node: Expectation,
        parts: list[tuple[Expr, IntegrandTerm]],
    ) -> _Steps:
        split = sp.Add(*(c * _node(part.as_expr(law.symbols), law) for c, part in parts))
        self.trace.record("signs of parallel forms", node, split)
        return (yield from _combination([(c, part) for c, part in parts if c != 0], law))

    def _stein(self, term: IntegrandTerm, law: GaussianLaw, node: Expectation) -> _Steps:
        variables = law.symbols
        chosen = next(i for i, n in enumerate(term.powers) if n)
        lowered = tuple(n - (i == chosen) for i, n in enumerate(term.powers))
        rest = replace(term, coefficient=S.One, powers=lowered)
        mean = list(law.mean.values())[chosen]
        total: list[tuple[Expr, IntegrandTerm]] = [(mean, rest)]
        for j, variable in enumerate(variables):
            covariance = law.cov[chosen, j]
            if covariance == 0:
                continue
            if lowered[j]:
                powers = tuple(n - (i == j) for i, n in enumerate(lowered))
                total.append((covariance * lowered[j], replace(rest, powers=powers)))
            total.append((covariance * term.exponent.diff(variable), rest))
            for k, argument in enumerate(term.erf_arguments):
                slope = argument.diff(variable)
                if slope != 0:
                    others = term.erf_arguments[:k] + term.erf_arguments[k + 1 :]
                    falling = sp.expand(term.exponent - argument**2)
                    bell = replace(rest, exponent=falling, erf_arguments=others)
                    total.append((erf_prime(0) * covariance * slope, bell))
        for k, argument in enumerate(term.sign_arguments):
            _, row = law.affine_coefficients(argument)
            slope = sp.expand(sum(c * a for c, a in zip(law.cov[chosen, :], row, strict=True)))
            others = term.sign_arguments[:k] + term.sign_arguments[k + 1 :]
            total.append((2 * slope, replace(rest, sign_arguments=others, zeros=(argument,))))
        total = [(c, piece) for c, piece in total if c != 0]
        self.trace.record(
            f"Stein's lemma in {variables[chosen]}",
            node,
            sp.Add(*(c * _node(piece.as_expr(variables), law) for c, piece in total)),
        )
        return (yield from _combination(total, law))

    def _error_functions(self, term: IntegrandTerm, law: GaussianLaw, node: Expectation) -> Expr:
        arguments = (*term.erf_arguments, *term.sign_arguments)
        # erf(u) is the mean of the sign of u + Z for an independent Z of variance 1/2.
        noise = [*(1 for _ in term.erf_arguments), *(0 for _ in term.sign_arguments)]
        means, spread = affine_form_moments(arguments, law)
        groups = group_correlated_indices(spread)
        if any(len(group) % 2 and not any(means[i] for i in group) for group in groups):
            self.trace.record("oddness", node, S.Zero)
            return S.Zero
        factors: list[Expr] = []
        for group in groups:
            if len(group) == 1:
                (i,) = group
                factors.append(erf_mean(means[i], spread[i][i], noise[i]))
            elif len(group) == 2 and not any(means[i].has(sp.I) for i in group):
                i, j = group
                pair = (means[i], means[j], spread[i][i], spread[j][j], spread[i][j])
                factors.append(self.pair_mean(*pair, noise[i], noise[j]))
            else:
                named = ", ".join(str(arguments[i]) for i in group)
                raise UnsupportedIntegrandError(
                    f"{node} is a probability of an orthant in {len(group)} dimensions, of the "
                    f"dependent forms {named}; no closed form is known beyond two"
                    if not any(means[i].has(sp.I) for i in group)
                    else f"{node} is a normal probability at complex arguments"
                )
        value = sp.Mul(*factors)
        kind = (
            "erf" if not term.sign_arguments else "the sign" if not term.erf_arguments else "both"
        )
        rule = f"Gaussian mean of {kind}" if len(arguments) == 1 else "bivariate normal probability"
        self.trace.record(rule, node, value)
        return value


def _combination(parts: list[tuple[Expr, IntegrandTerm]], law: GaussianLaw) -> _Steps:
    """Return a linear combination of expectations of terms, yielding each term for evaluation."""
    values = []
    for coefficient, part in parts:
        values.append(coefficient * (yield part, law))
    return sp.Add(*values)


def _no_density(argument: Expr) -> str:
    return f"{argument} is constant, and has no density"


def _conditional(argument: Expr, law: GaussianLaw) -> tuple[Expr, GaussianLaw]:
    """Return the density of an affine form at 0, and the law given that the form vanishes."""
    (mean,), ((variance,),) = affine_form_moments([argument], law)
    _, row = law.affine_coefficients(argument)
    gain = (law.cov * Matrix(row)).applyfunc(
        lambda entry: simplify_complex_rational(entry / variance)
    )
    given = Matrix(list(law.mean.values())) - gain * mean
    cov = Matrix(
        len(gain),
        len(gain),
        lambda i, j: _difference(law.cov[i, j], gain[i] * gain[j] * variance),
    )
    new_mean = dict(zip(law.symbols, given.applyfunc(simplify_complex_rational), strict=True))
    density = sp.exp(-(mean**2) / (2 * variance)) / sp.sqrt(2 * sp.pi * variance)
    return density, GaussianLaw._derived(new_mean, cov)


def _both_vanish(p: Expr, q: Expr) -> Expr:
    """Return what is 1 where two polynomials without a common factor are 0, and 0 elsewhere."""
    # Those of one symbol have no common zero.
    if p.is_nonzero or q.is_nonzero or len(p.free_symbols | q.free_symbols) < 2:
        return S.Zero
    return (1 - sp.sign(p) ** 2) * (1 - sp.sign(q) ** 2)


def _difference(minuend: Expr, subtrahend: Expr) -> Expr:
    if is_zero_sum(minuend, -subtrahend):
        return S.Zero
    return simplify_complex_rational(minuend - subtrahend)


def _node(integrand: Expr, law: Law) -> Expr:
    return Expectation(integrand, law) if integrand.free_symbols & set(law.symbols) else integrand


def _with_constant(addend: Expr, law: Law) -> Expr:
    coefficient, core = addend.as_independent(*law.symbols, as_Add=False)
    return coefficient * _node(core, law)
