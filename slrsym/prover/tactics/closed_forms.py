"""Evidence for closed forms of Gaussian expectations, and for comparisons of their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import product
from typing import Any

from sympy import (
    Abs,
    Add,
    Dummy,
    Eq,
    Expr,
    Ge,
    Gt,
    Heaviside,
    Le,
    Max,
    Min,
    Mul,
    Piecewise,
    S,
    Symbol,
    Wild,
    cos,
    cosh,
    default_sort_key,
    erf,
    exp,
    expand,
    pi,
    sign,
    simplify,
    sin,
    sinh,
    sqrt,
)

from slrsym.checker import Inference, Rejected
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    canonical_key,
    definedness_equation,
    free_symbols,
    is_bound_place,
    is_same_term,
    num,
    parts_outside_binder,
    places_and_subterms,
)
from slrsym.gaussian import standard_normal
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw, IIDSum, NoiseLaw
from slrsym.gaussian.special_functions import (
    OwensT,
    zeta,
)
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.expectations import GaussianCalculusRule
from slrsym.prover.rules.gaussian import complete_the_square
from slrsym.prover.rules.inequalities import BallArithmeticRule
from slrsym.prover.rules.step import Link, Step
from slrsym.prover.statements.expressions import substitute_simultaneously
from slrsym.prover.tactics.arithmetic import (
    RewrittenFormula,
    prove_after_rewriting,
    prove_by_arithmetic,
)
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.enclosures import rational_bounds_of_mean
from slrsym.prover.tactics.expectations import ExpectationCalculus, outermost_expectations
from slrsym.prover.tactics.integrands import (
    forms_with_squares,
    in_terms_of_erf_and_signs,
    split_by_independence,
)
from slrsym.prover.tactics.kinks_and_jumps import (
    evaluate_degenerate,
    evaluate_odd,
    reduce_kink,
    rewrite_by_absolute_value,
)
from slrsym.prover.tactics.moments_of_copies import evaluate_higher_moment
from slrsym.prover.tactics.registration import register_emitter_for_rules
from slrsym.prover.tactics.subterm_paths import body_in_variables, paths_to_subterm, subterms
from slrsym.prover.tactics.term_to_sympy import TermToSympy, not_shown, reason_to_suppose_mean

ZERO = num(0)


class ClosedFormSearch(ExpectationCalculus):
    """Search for closed forms of expectations by tables, Stein's lemma, and independence."""

    # Whether the statement at hand has zeta, and not Owen's T.
    in_terms_of_zeta = False

    @property
    def methods(self) -> list[Callable[[Expectation], Any]]:
        """The methods that evaluate an expectation, in the order in which they are tried."""
        return [
            self.drop_empty_copy_sums, self.expand_integrand, self.evaluate_constant,
            self.evaluate_noise_moment, self.evaluate_copies_moment,
            partial(evaluate_higher_moment, self), self.look_up_in_table,
            partial(rewrite_by_absolute_value, self), self.absorb_exponential,
            self.reduce_by_stein, partial(evaluate_odd, self), self.factor_independent,
            self.drop_unused_variables, partial(reduce_kink, self), self.express_erf_square_by_zeta,
            self.express_erf_square_by_owens_t, self.express_erf_product_by_owens_t,
            self.evaluate_gaussian_factors, self.evaluate_circular,
        ]  # fmt: skip

    @property
    def all_methods(self) -> list[Callable[[Expectation], Any]]:
        """The methods, and before them those that change how the integrand is written."""
        return [partial(evaluate_degenerate, self), self.rewrite_for_table, *self.methods]

    def rewrite_for_table(self, e: Expectation) -> Any:
        """Rewrite an integrand with erf, signs and absolute values, for the table of integrals."""
        plain = in_terms_of_erf_and_signs(e.integrand)
        lines = []
        for node in sorted(plain.atoms(Max, Min), key=str):
            if len(node.args) != 2:
                return None
            (a, b), turn = node.args, 1 if isinstance(node, Max) else -1
            t = self.integrand_term(node, e)
            larger = t if turn == 1 else t[2]
            both = self.add("maximum", (), *larger[2:])
            given = both.theorem.hypotheses.values()
            lines += [
                self.emitter.infer_by_logic([both], given, p) for p in both.theorem.conclusion[1:]
            ]
            plain = plain.xreplace({node: (a + b + turn * Abs(a - b)) / 2})
        together = [f for f in Mul.make_args(plain) if isinstance(f, exp)]
        total = expand(Add(*(f.args[0] for f in together)))
        parts = split_by_independence(total, e.law)
        if len(together) > 1 or len(parts) > 1:
            if len(together) > 1:
                sums = ("+", *(self.integrand_term(f.args[0], e) for f in together))
                lines.append(self.add("exponential of a sum", (), ("f", "exp", sums)))
            rest = Mul(*(f for f in Mul.make_args(plain) if f not in together))
            plain = rest * Mul(*map(exp, parts))
        if plain == e.integrand:
            return None
        after = Expectation(plain, e.law)
        if is_same_term(self.term(e), self.term(after)):
            # Both have the same translation, so there is nothing to prove.
            return next((found for way in self.methods if (found := way(after))), None)
        names = bound_variables(self.term(e))
        equal = prove_after_rewriting(
            self.emitter,
            ("=", self.integrand_term(e.integrand, e), self.integrand_term(plain, e)),
            lines,
            lambda p: self._prove_integrand(p, lines, names),
        )
        if e.integrand.has(sinh, cosh):
            # The checker knows that means of exponentials exist, and none of these.
            other = (
                "E",
                names,
                (self.integrand_term(plain, e),),
                parts_outside_binder(self.term(e)),
            )
            equal = self.emitter.swap_sides(self.discharge(equal, (), names))
            line = self.discharge_all(self.take_expectations(equal, other))
            return self.emitter.swap_sides(line), [after]
        return self.take_expectations(self.discharge(equal, (), names), self.term(e)), [after]

    def _prove_integrand(self, p: Term, lines: Sequence[Inference], names: Any) -> Inference:
        """Prove an equation of integrands by arithmetic, or by identities of sines and exp."""
        try:
            return self.emitter.run_and_undo_on_failure(self.prove, p, lines, names)
        except FAILURES:
            given = tuple(h for h in self.given if not free_symbols(h) & set(names))
            return self.emitter.require_proof(p, given, self.context)

    def look_up_in_table(self, e: Expectation) -> Any:
        """Evaluate the mean of a function, or of a product of two, from the table of integrals."""
        t = self.term(e)
        for rule in ("gaussian integral", "centred pair"):
            if found := self._attempt(self._apply_table_entry, rule, t):
                return found
        (body,) = binder_bodies(t)
        # The table of products also evaluates squares.
        is_square = body[:3] == ("^", 2, 1)
        return self._attempt(self._look_up_square, t, body[3]) if is_square else None

    def _attempt(self, make: Callable[..., Inference], *data: Any) -> Any:
        """Return what a method gives of an expectation that it evaluates; None if it fails."""
        with suppress(*FAILURES, ValueError):
            return self.emitter.run_and_undo_on_failure(make, *data), []
        return None

    def _look_up_square(self, t: Term, f: Term) -> Inference:
        """Evaluate the mean of the square of `f` as the mean of a product."""
        line = self.replace_integrand(t, ("*", f, f))
        pair = line.theorem.conclusion[2]
        return self.add("chain", [line, self._apply_table_entry("centred pair", pair)])

    def _apply_table_entry(self, rule: str, t: Term) -> Inference:
        """Apply an entry of the table; raise if it requires a centred law and this is not."""
        line = self.add(rule, (), t)
        for h in line.theorem.hypotheses.values():
            if (
                h[0] == "="
                and ZERO in h[1:]
                and self.emitter.find_proof_once(h, self.context) is None
            ):
                raise Rejected("the law is not centred")
        return line

    def reduce_by_stein(self, e: Expectation) -> Any:
        """Apply Stein's lemma to a smooth integrand under a Gaussian law."""
        # Noise and copies are split off first.
        if e.integrand.has(Abs, sign, IIDSum) or e.law.has(NoiseLaw):
            return None
        return self.apply_stein_lemma(e.law.symbols, e)

    def express_erf_square_by_zeta(self, e: Expectation) -> Any:
        """Express the mean of `erf(u)**2` by zeta, for `u` linear in one variable."""
        if not self.in_terms_of_zeta or not _has_one_gaussian_variable(e):
            return None
        ((x, mean),) = e.law.mean.items()
        u = e.integrand.match(erf(Wild("u")) ** 2)
        name, form = Dummy(x.name, real=True), next(iter(u.values())) if u else S.Zero
        at_mean, width = form.subs(x, mean), form.diff(x) * sqrt(e.law.cov[0, 0])
        value = zeta(at_mean, width)
        if width.has(x) or not isinstance(value, zeta):
            return None
        # SymPy takes signs out of the arguments of zeta.
        turn = 1 if value.args in ((at_mean, width), (-at_mean, -width)) else -1
        form = mean + turn * sqrt(e.law.cov[0, 0]) * name
        with suppress(*FAILURES):
            line, standard = self.move_to_law(e, {x: form}, standard_normal(name))
            meaning = self.add("definition", (), self.emitter.term(value))
            meaning = self.emitter.discharge_hypotheses(meaning, self.context)
            _, _, square = meaning.theorem.conclusion
            t = self.term(standard)
            same = self.replace_integrand(t, body_in_variables(square, bound_variables(t)))
            return self.add("chain", [line, same, self.emitter.swap_sides(meaning)]), []
        return None

    def express_erf_square_by_owens_t(self, e: Expectation) -> Any:
        """Express the mean of `erf(u)**2` by Owen's T, for `u` linear in one variable."""
        if "zeta-owens-t" not in self.emitter.proved_claims or not _has_one_gaussian_variable(e):
            return None
        ((x, mean),) = e.law.mean.items()
        name = Dummy(x.name, real=True)
        form = mean + sqrt(e.law.cov[0, 0]) * name
        line, standard = self.move_to_law(e, {x: form}, standard_normal(name))
        with suppress(*FAILURES):
            value = self.emitter.run_and_undo_on_failure(
                _erf_square_by_owens_t, self.emitter, standard, self.context
            )
            return self.add("chain", [line, value]), []
        return None

    def express_erf_product_by_owens_t(self, e: Expectation) -> Any:
        """Express the mean of `erf(u)*erf(w)` by Owen's T, for correlated affine forms u and w."""
        factors = Mul.make_args(e.integrand)
        are_two = len(factors) == 2 and all(isinstance(f, erf) for f in factors)
        is_gaussian = isinstance(e.law, GaussianLaw)
        known = "erf-product-on-line" in self.emitter.proved_claims
        if not (known and are_two and is_gaussian):
            return None
        return self._attempt(self._express_erf_product, e, *(f.args[0] for f in factors))

    def _express_erf_product(self, e: Expectation, u: Expr, w: Expr) -> Inference:
        X, Y = Dummy("X", real=True), Dummy("Y", real=True)
        joint = e.law.linear_image({X: u, Y: w})
        m, n = joint.mean.values()
        # SymPy takes positive factors out of signs; here they are the scale of both means.
        scale = m / sign(m).args[0] if isinstance(sign(m), sign) else S.One
        values = {"m": m / scale, "n": n / scale, "x": scale}
        f = erf(m + X) * erf(n + Y)
        return self._evaluate_by_pair_claim(e, "erf-product-on-line", values, f, (u, w), joint)

    def evaluate_circular(self, e: Expectation) -> Any:
        """Evaluate the mean of a sine or a cosine of an affine form."""
        known = {cos: "mean-of-cosine", sin: "mean-of-sine"}
        id = known.get(type(e.integrand), "")
        if id not in self.emitter.proved_claims or not isinstance(e.law, GaussianLaw):
            return None
        X = Dummy("X", real=True)
        with suppress(*FAILURES, ValueError):
            joint = e.law.linear_image({X: e.integrand.args[0]})
            values = {"m": joint.mean[X], "p": joint.cov[0, 0]}
            f = e.integrand.func(joint.mean[X] + X)
            cited = partial(self._evaluate_by_claim, e, id, values, f, e.integrand.args, joint)
            return self.emitter.run_and_undo_on_failure(cited), []
        return None

    def _evaluate_by_pair_claim(
        self, e: Expectation, id: str, values: dict[str, Expr], f: Expr, forms: Sequence[Expr],
        joint: GaussianLaw,
    ) -> Inference:  # fmt: skip
        """Evaluate a mean of two affine forms by a claim about a centred Gaussian pair."""
        p, c, q = joint.cov[0, 0], joint.cov[0, 1], joint.cov[1, 1]
        return self._evaluate_by_claim(e, id, {**values, "p": p, "q": q, "c": c}, f, forms, joint)

    def _evaluate_by_claim(
        self, e: Expectation, id: str, values: dict[str, Expr], f: Expr, forms: Sequence[Expr],
        joint: GaussianLaw,
    ) -> Inference:  # fmt: skip
        """Evaluate a mean of affine forms by a claim about a centred Gaussian law."""
        value = self.emitter.cite_claim(id, values.items(), self.context)
        # The centred law of the claim is an image of the law at hand.
        centred = Expectation(f, GaussianLaw(dict.fromkeys(joint.symbols, 0), joint.cov))
        means = joint.mean.values()
        moved = {s: u - m for s, u, m in zip(joint.symbols, forms, means, strict=True)}
        line = self.change_variables(centred, moved, e.law)
        node = line.theorem.conclusion[2]
        body = body_in_variables(self.term(e), bound_variables(node))
        line = self.rewrite_right_side(line, self.replace_integrand(node, body), node)
        left = line.theorem.conclusion[1]
        line = self.emitter.swap_sides(line)
        same = self.replace_integrand(
            left, body_in_variables(value.theorem.conclusion[1], bound_variables(left))
        )
        return self.add("chain", [line, same, value])

    def evaluate_gaussian_factors(self, e: Expectation) -> Any:
        """Evaluate means of `exp(-u**2)*erf(w)` and `exp(-u**2 - w**2)`, for affine u and w."""
        if "two-gaussian-factors" not in self.emitter.proved_claims or not isinstance(
            e.law, GaussianLaw
        ):
            return None
        exponentials = [f for f in Mul.make_args(e.integrand) if isinstance(f, exp)]
        others = [f for f in Mul.make_args(e.integrand) if f not in exponentials]
        if len(exponentials) != 1 or len(others) > 1 or not all(isinstance(f, erf) for f in others):
            return None
        forms = forms_with_squares(exponentials[0].args[0], e.law) + [f.args[0] for f in others]
        X, Y = Dummy("X", real=True), Dummy("Y", real=True)
        with suppress(*FAILURES, ValueError):
            joint = e.law.linear_image(dict(zip((X, Y), forms, strict=True)))
            values = dict(zip(("mu", "tau"), joint.mean.values(), strict=True))
            u, w = values["mu"] + X, values["tau"] + Y
            id, f = "two-gaussian-factors", exp(-(u**2) - w**2)
            if others:
                id, f = "gaussian-factor-and-erf", exp(-(u**2)) * erf(w)
            cited = partial(self._evaluate_by_pair_claim, e, id, values, f, forms, joint)
            return self.emitter.run_and_undo_on_failure(cited), []
        return None

    def absorb_exponential(self, e: Expectation) -> Any:
        """Reduce the mean of `exp(q(x))*f(x)`, q quadratic, to a mean of `f` under another law."""
        factors = Mul.make_args(e.integrand)
        bells = [f for f in factors if isinstance(f, exp) and f.has(*e.law.symbols)]
        used = e.integrand.free_symbols & set(e.law.symbols)
        if not bells or len(bells) == len(factors) or len(used) > 1 or e.integrand.has(IIDSum):
            return None
        if not _has_one_gaussian_variable(e):
            return self.drop_unused_variables(e)
        ((x, mean),) = e.law.mean.items()
        v = e.law.cov[0, 0]
        exponent = Add(*(f.args[0] for f in bells)).as_poly(x)
        if exponent is None or exponent.degree() > 2:
            return None
        a, b, c = (exponent.coeff_monomial(x**k) for k in (2, 1, 0))
        variance = v / (1 - 2 * a * v)
        centre = (mean + b * v) / (1 - 2 * a * v)
        shift = c - mean**2 / (2 * v) + centre**2 / (2 * variance)
        rest = Mul(*(f for f in factors if f not in bells))
        law = GaussianLaw({x: centre}, [[variance]])
        other = Expectation(rest, law)
        right = sqrt(1 / (1 - 2 * a * v)) * exp(simplify(shift)) * other
        link = Link(e, "=", right)
        step = Step("", link.statement, complete_the_square(law), link, self.context)
        with suppress(*FAILURES):
            line = self.emitter.run_and_undo_on_failure(self.emitter.emit_by_rule, step, ())
            return line, [other]
        return None

    def move_to_law(
        self, e: Expectation, forms: dict[Symbol, Expr], law: GaussianLaw
    ) -> tuple[Inference, Expectation]:
        """Change variables in an expectation; return the theorem and the new expectation."""
        line = self.change_variables(e, forms, law)
        other = Expectation(substitute_simultaneously(e.integrand, forms), law)
        node, t = line.theorem.conclusion[2], self.term(other)
        body = body_in_variables(t, bound_variables(node))
        if not is_same_term(binder_bodies(node)[0], body):
            line = self.rewrite_right_side(line, self.replace_integrand(node, body), node)
        return line, other


def _has_one_gaussian_variable(e: Expectation) -> bool:
    return isinstance(e.law, GaussianLaw) and len(e.law.symbols) == 1


@register_emitter_for_rules(GaussianCalculusRule)
def _emit_gaussian_calculus(
    emitter: ProofEmitter, step: Step, premises: Sequence[Inference]
) -> Inference:
    """Prove a step by closed forms of expectations, or by Stein's lemma on both sides."""
    both = all(side.has(Expectation) for side in (step.link.lhs, step.link.rhs))

    def search(*names: str) -> Inference:
        work = ClosedFormSearch(emitter, step.context)
        work.in_terms_of_zeta = step.statement.has(zeta) and not step.statement.has(OwensT)
        ways = [getattr(work, name) for name in names] or work.all_methods
        for node in outermost_expectations(step):
            work.store_reduction_equations(node, ways)
        wanted = emitter.formula(step.statement)
        more = list(_equations_of_exponentials(work, wanted))
        if names or both or not work.unreduced:
            return work.conclude(wanted, more)
        # A search helps only if these expectations cancel.
        kept, emitter.remaining_effort = emitter.remaining_effort, 0
        try:
            return emitter.run_and_undo_on_failure(work.conclude, wanted, more)
        except FAILURES:
            raise Rejected(_no_closed_form(work.unreduced)) from None
        finally:
            emitter.remaining_effort = kept

    if both:
        # Relate the expectations of both sides without evaluating any of them.
        with suppress(*FAILURES), emitter.half_effort():
            return emitter.run_and_undo_on_failure(search, "expand_integrand", "reduce_by_stein")
    try:
        return emitter.run_and_undo_on_failure(search)
    except FAILURES as reason:
        with suppress(*FAILURES, ValueError):
            return emitter.run_and_undo_on_failure(_accept_closed_forms_on_trust, emitter, step)
        # A mean that is not known to exist has no closed form: that is the reason to be told.
        for node in map(emitter.term, outermost_expectations(step)):
            p, given = definedness_equation(node), emitter.hypotheses(step.context)
            if reason_to_suppose_mean(node):
                line = emitter.find_proof(p, given, step.context)
                if line is None or emitter.rests_on_trust(line):
                    raise Rejected(not_shown(emitter.translator, p)) from None
        raise reason


def _no_closed_form(means: Sequence[Expectation]) -> str:
    """Return that means have no closed form, and how to state the order of thresholds in them."""
    said = f"no closed form is known of {', '.join(dict.fromkeys(map(str, means)))}"
    for mean in means:
        if pair := _thresholds_without_order(mean):
            first, second = pair
            return (
                f"{said}; it depends on whether {first} or {second} is larger: declare that by a "
                f"symbol, such as {second} = {first} + p with a positive p, in the statement"
            )
    return said


def _thresholds_without_order(mean: Expectation) -> tuple[Expr, Expr] | None:
    """Return where two kinks or jumps in one variable are, if no order of these is declared."""
    places: dict[Symbol, list[Expr]] = {x: [] for x in mean.law.symbols}
    kinks = sorted(mean.integrand.atoms(Abs, sign, Heaviside, Max, Min), key=default_sort_key)
    for x, u in product(places, [part for kink in kinks for part in kink.args]):
        slope = u.diff(x)
        if slope.is_number and slope != 0:
            place = expand(x - u / slope)
            for other in places[x]:
                apart = place - other
                if apart.is_nonnegative is None and apart.is_nonpositive is None:
                    first, second = sorted((other, place), key=default_sort_key)
                    return first, second
            places[x].append(place)
    return None


def _accept_closed_forms_on_trust(emitter: ProofEmitter, step: Step) -> Inference:
    """Add closed forms that the proof checker cannot verify as axioms, and conclude the step.

    Integrands with jumps are refused: a law may have an atom there, which the calculus ignores.
    """
    # Imported here, because few proofs need it.
    from slrsym.gaussian.closed_form import closed_form_for_proofs

    lines = []
    for node in outermost_expectations(step):
        if node.integrand.has(sign, Heaviside, Piecewise):
            raise Rejected("the integrand jumps")
        value = closed_form_for_proofs(
            node.integrand, node.law, partial(_is_provably_positive, emitter, step.context)
        )
        if value.has(Expectation):
            raise Rejected(_no_closed_form([node]))
        lines.append(
            emitter.add_soundness_axiom(step, emitter.formula(Eq(node, value, evaluate=False)))
        )
    return emitter.prove_from_equations(lines, emitter.formula(step.statement), step.context)


def _is_provably_positive(emitter: ProofEmitter, context: Context, expr: Expr) -> bool:
    """Return whether an expression is positive by its symbols' assumptions or by a proof."""
    return bool(expr.is_positive) or emitter.can_prove(
        emitter.formula(Gt(expr, 0, evaluate=False)), context
    )


def _equations_of_exponentials(work: ExpectationCalculus, t: Term) -> Iterator[Inference]:
    """Yield equations between products of exponentials and exponentials of sums."""
    exponents = list(_exponents(t)) if t[0] == "*" else []
    if len(exponents) > 1:
        whole = ("f", "exp", ("+", *exponents))
        with suppress(*FAILURES):
            yield work.emitter.run_and_undo_on_failure(
                lambda: work.discharge_all(work.add("exponential of a sum", (), whole))
            )
    for place, part in places_and_subterms(t):
        if not is_bound_place(t, place):
            yield from _equations_of_exponentials(work, part)


def _exponents(t: Term) -> Iterator[Term]:
    """Yield the exponents of the exponentials, and of the derivatives of erf, in a product."""
    if t[0] == "*":
        for factor in t[1:]:
            yield from _exponents(factor)
    elif t[:2] == ("f", "exp"):
        yield t[2]
    elif t[:2] in (("f", "erf_prime"), ("f", "erf_second")):
        yield ("*", num(-1), ("^", 2, 1, t[2]))


# -- numbers --------------------------------------------------------------------------------------

# The precision, in bits, at which numbers are compared.
_BITS = 128
# Functions that the checker cannot enclose, by functions that it can.
_BY_EXP: dict[str, Callable[[Expr], Expr]] = {
    "erf_prime": lambda u: 2 * exp(-(u**2)) / sqrt(pi),
    "erf_second": lambda u: -4 * u * exp(-(u**2)) / sqrt(pi),
}


@register_emitter_for_rules(BallArithmeticRule)
def _emit_ball_arithmetic(
    emitter: ProofEmitter, step: Step, premises: Sequence[Inference]
) -> Inference:
    """Compare numbers by ball arithmetic, with means replaced by closed forms or enclosures."""
    if loose := sorted(step.statement.free_symbols, key=str):
        raise Rejected(f"{loose[0]} has no value here; the rule compares numbers")
    work, bounds = RewrittenFormula(emitter, emitter.formula(step.statement)), list[Inference]()
    for node in outermost_expectations(step):
        try:
            line = emitter.run_and_undo_on_failure(derive_closed_form, emitter, node, step.context)
        except FAILURES:
            low, high = rational_bounds_of_mean(node)
            said = [Eq(node, node, evaluate=False), Ge(node, low), Le(node, high)]
            bounds += [emitter.add_soundness_axiom(step, emitter.formula(part)) for part in said]
            continue
        work.apply(line)
    calls = (s for s in subterms(work.formula, inner_first=True) if s[0] == "f")
    for t in [s for s in calls if s[1] in _BY_EXP]:
        value = _BY_EXP[t[1]](TermToSympy(emitter.translator).expression(t[2]))
        work.apply(prove_by_arithmetic(emitter, ("=", t, emitter.term(value)), ()))
    if bounds:
        shown = emitter.prove_from_equations(bounds, work.formula, step.context)
    else:
        shown = emitter.script.add("numbers", (), work.formula, _BITS)
    return work.prove_original(shown)


def derive_closed_form(emitter: ProofEmitter, node: Expectation, context: Context) -> Inference:
    """Derive the closed form of an expectation, as a theorem."""
    with suppress(*FAILURES):
        return emitter.run_and_undo_on_failure(_erf_square_by_owens_t, emitter, node, context)
    work = ClosedFormSearch(emitter, context)
    work.store_reduction_equations(node, work.all_methods)
    name = canonical_key(emitter.term(node))
    if work.unreduced or name not in work.equations:
        raise Rejected(_no_closed_form(work.unreduced))
    return work.discharge_all(work.resolve_right_side(work.equations[name], ()))


def _erf_square_by_owens_t(emitter: ProofEmitter, node: Expectation, context: Context) -> Inference:
    """Express the mean of `erf(m + n*G)**2`, for a standard normal `G`, by Owen's T."""
    g, inner = node.law.symbols[0], Wild("u")
    found = node.integrand.match(erf(inner) ** 2)
    if found is None or node.law != standard_normal(g):
        raise Rejected("no ball for this mean")
    m, n = found[inner].subs(g, 0), found[inner].diff(g)
    meaning = emitter.script.add("definition", (), emitter.term(zeta(m, n)))
    meaning = emitter.discharge_hypotheses(meaning, context)
    mean = meaning.theorem.conclusion[2]
    work, t = ExpectationCalculus(emitter, context), emitter.term(node)
    same_mean = work.replace_integrand(mean, body_in_variables(t, bound_variables(mean)))
    value = emitter.cite_claim("zeta-owens-t", [("t", m), ("s", n)], context)
    for line in (meaning, same_mean):
        # Replace zeta by its expectation, and then rewrite the integrand.
        said, old = value.theorem.conclusion, line.theorem.conclusion[1]
        value = emitter.rewrite(value, line, paths_to_subterm(said, old))
    return value
