"""Evidence for closed forms of Gaussian expectations, and for comparisons of their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
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
    erf,
    exp,
    expand,
    pi,
    sign,
    simplify,
    sqrt,
)

from slrsym.checker import Inference, Rejected
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    canonical_key,
    children,
    is_bound_place,
    is_same_term,
    num,
    substitute,
)
from slrsym.gaussian import standard_normal
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, NoiseLaw
from slrsym.gaussian.special_functions import erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.proofs.context import Context
from slrsym.proofs.gaussian import complete_the_square
from slrsym.proofs.step import Link, Step
from slrsym.tactics.arithmetic import prove_after_rewriting, prove_by_arithmetic
from slrsym.tactics.emission import FAILURES, ProofEmitter, emitter_for_rules
from slrsym.tactics.enclosures import enclose_mean
from slrsym.tactics.expectation_inequalities import prove_by_pieces
from slrsym.tactics.expectations import ExpectationCalculus, outermost_expectations
from slrsym.tactics.log_writer import tuples_to_lists
from slrsym.tactics.paths import paths_to_subterm, replace_at_paths
from slrsym.tactics.phrases import TermToSympy

ZERO = num(0)


class ClosedFormSearch(ExpectationCalculus):
    """Search for closed forms of expectations: table, Stein's lemma, independence, marginals."""

    @property
    def others(self) -> list[Callable[[Expectation], Any]]:
        """The methods that evaluate an expectation, in the order in which they are tried."""
        return [
            self.no_copies, self.multiplied_out, self.constant, self.noise, self.copies,
            self.from_table, self.by_absolute_value, self.tilted, self.by_stein, self.odd,
            self.independent, self.marginal, self.by_owens_t, self.by_owens_t_of_two,
            self.by_conditioning,
        ]  # fmt: skip

    def in_table_form(self, e: Expectation) -> Any:
        """Rewrite an integrand with erf, signs and absolute values, for the table of integrals."""
        plain = e.integrand.replace(normal_cdf, lambda u: (1 + erf(u / sqrt(2))) / 2)
        plain = plain.replace(normal_pdf, lambda u: exp(-(u**2) / 2) / sqrt(2 * pi))
        plain = plain.replace(erf_second, lambda u: -2 * u * erf_prime(u))
        plain = plain.replace(erf_prime, lambda u: 2 * exp(-(u**2)) / sqrt(pi))
        plain = plain.replace(Heaviside, lambda u, *_: (1 + sign(u)) / 2)
        lines = []
        for node in sorted(plain.atoms(Max, Min), key=str):
            if len(node.args) != 2:
                return None
            (a, b), turn = node.args, 1 if isinstance(node, Max) else -1
            t = self.body(node, e)
            larger = t if turn == 1 else t[2]
            both = self.add("maximum", (), *larger[2:])
            given = both.theorem.hypotheses.values()
            lines += [self.emitter.logic([both], given, p) for p in both.theorem.conclusion[1:]]
            plain = plain.xreplace({node: (a + b + turn * Abs(a - b)) / 2})
        together = [f for f in Mul.make_args(plain) if isinstance(f, exp)]
        total = expand(Add(*(f.args[0] for f in together)))
        parts = _by_blocks(total, e.law)
        if len(together) > 1 or len(parts) > 1:
            if len(together) > 1:
                sums = ("+", *(self.body(f.args[0], e) for f in together))
                lines.append(self.add("exponential of a sum", (), ("f", "exp", sums)))
            rest = Mul(*(f for f in Mul.make_args(plain) if f not in together))
            plain = rest * Mul(*map(exp, parts))
        if plain == e.integrand:
            return None
        after = Expectation(plain, e.law)
        if is_same_term(self.term(e), self.term(after)):
            # The proof checker knows no other words for it.
            return next((found for way in self.others if (found := way(after))), None)
        names = bound_variables(self.term(e))
        equal = prove_after_rewriting(
            self.emitter,
            ("=", self.body(e.integrand, e), self.body(plain, e)),
            lines,
            lambda p: self.shown(p, lines, names),
        )
        return self.bodies(self.settled(equal, (), names), self.term(e)), [after]

    def from_table(self, e: Expectation) -> Any:
        """Evaluate the mean of a function, or of a product of two, from the table of integrals."""
        t = self.term(e)
        for rule in ("gaussian integral", "centred pair"):
            with suppress(Rejected):
                return self.emitter.attempt(partial(self._centred, rule, t)), []
        (body,) = binder_bodies(t)
        if body[:3] == ("^", 2, 1):
            # A square is a product, too.
            with suppress(Rejected):
                return self.emitter.attempt(partial(self._square, t, body[3])), []
        return None

    def _square(self, t: Term, f: Term) -> Inference:
        line = self.with_body(t, ("*", f, f))
        pair = line.theorem.conclusion[2]
        return self.add("chain", [line, self._centred("centred pair", pair)])

    def _centred(self, rule: str, t: Term) -> Inference:
        """Apply an entry of the table of integrals, or raise if it needs a centred law in vain."""
        line = self.add(rule, (), t)
        for h in line.theorem.hypotheses.values():
            if h[0] == "=" and ZERO in h[1:] and self.emitter.shown_once(h, self.context) is None:
                raise Rejected("the law is not centred")
        return line

    def by_absolute_value(self, e: Expectation) -> Any:
        """Rewrite `x*sign(u)`, for `u` affine in `x`, by `abs(u)` and `sign(u)`."""
        for f in e.integrand.atoms(sign):
            (u,) = f.args
            for x in sorted(u.free_symbols & set(e.law.symbols), key=str):
                if (c := u.diff(x)).is_number and e.integrand == x * f:
                    plain = (Abs(u) - (u - c * x) * f) / c
                    said = ("=", self.body(e.integrand, e), self.body(plain, e))
                    names = bound_variables(self.term(e))
                    equal = self.settled(
                        prove_by_pieces(self.emitter, said, self.context, ()), (), names
                    )
                    return self.bodies(equal, self.term(e)), [Expectation(plain, e.law)]
        return None

    def by_stein(self, e: Expectation) -> Any:
        # Noise and copies are split off first.
        if e.integrand.has(Abs, sign, IIDSum) or e.law.has(NoiseLaw):
            return None
        return self.stein(e.law.symbols, e)

    def odd(self, e: Expectation) -> Any:
        """Prove that the mean of an odd function vanishes under a centred law."""
        if not isinstance(e.law, GaussianLaw) or any(m != 0 for m in e.law.mean.values()):
            return None
        mirror = {s: -s for s in e.law.symbols}
        if (e.integrand.xreplace(mirror) + e.integrand).expand() != 0:
            return None
        names = {s: Dummy(s.name, real=True) for s in e.law.symbols}
        t = self.term(e)
        line = self.image(e, {s: -names[s] for s in names}, e.law.rename_variables(names))
        other = line.theorem.conclusion[2]
        minus = self.linear(other, [(num(-1), _integrand_in_variables_of(other, t))])
        line = self.rewritten(line, minus, other)
        # E f = -E f
        return self.shown(("=", t, num(0)), [line]), []

    def by_owens_t(self, e: Expectation) -> Any:
        """Express the mean of `erf(u)**2` by Owen's T, for `u` linear in one variable."""
        if "zeta-owens-t" not in self.emitter.book or not _is_of_one(e):
            return None
        ((x, mean),) = e.law.mean.items()
        name = Dummy(x.name, real=True)
        form = mean + sqrt(e.law.cov[0, 0]) * name
        line, standard = self.moved(e, {x: form}, standard_normal(name))
        with suppress(*FAILURES):
            value = self.emitter.attempt(partial(_by_owens_t, self.emitter, standard, self.context))
            return self.add("chain", [line, value]), []
        return None

    def by_owens_t_of_two(self, e: Expectation) -> Any:
        """Express the mean of `erf(u)*erf(w)` by Owen's T, for correlated affine forms u and w."""
        factors = Mul.make_args(e.integrand)
        are_two = len(factors) == 2 and all(isinstance(f, erf) for f in factors)
        is_gaussian = isinstance(e.law, GaussianLaw)
        if "erf-product-on-line" not in self.emitter.book or not are_two or not is_gaussian:
            return None
        (u,), (w,) = (f.args for f in factors)
        X, Y = Dummy("X", real=True), Dummy("Y", real=True)
        with suppress(*FAILURES, ValueError):
            joint = e.law.linear_image({X: u, Y: w})
            return self.emitter.attempt(partial(self._by_owens_t_of_two, e, u, w, joint)), []
        return None

    def _by_owens_t_of_two(self, e: Expectation, u: Expr, w: Expr, joint: GaussianLaw) -> Inference:
        (X, m), (Y, n) = joint.mean.items()
        # SymPy takes positive factors out of signs; here they are the scale of both means.
        scale = m / sign(m).args[0] if isinstance(sign(m), sign) else S.One
        values = {"m": m / scale, "n": n / scale, "x": scale}
        f = erf(m + X) * erf(n + Y)
        return self._cited_of_pair(e, "erf-product-on-line", values, f, (u, w), joint)

    def _cited_of_pair(
        self, e: Expectation, id: str, values: dict[str, Expr], f: Expr, forms: Sequence[Expr],
        joint: GaussianLaw,
    ) -> Inference:  # fmt: skip
        """Evaluate a mean of two affine forms by a claim about a centred Gaussian pair."""
        p, c, q = joint.cov[0, 0], joint.cov[0, 1], joint.cov[1, 1]
        values = {**values, "p": p, "q": q, "c": c}
        value = self.emitter.cited(id, values.items(), self.context)
        # The centred law of the claim is an image of the law at hand.
        centred = Expectation(f, GaussianLaw(dict.fromkeys(joint.symbols, 0), joint.cov))
        means = joint.mean.values()
        moved = {s: u - m for s, u, m in zip(joint.symbols, forms, means, strict=True)}
        line = self.image(centred, moved, e.law)
        node = line.theorem.conclusion[2]
        body = _integrand_in_variables_of(node, self.term(e))
        line = self.rewritten(line, self.with_body(node, body), node)
        _, left, right = line.theorem.conclusion
        line = self.emitter.logic([line], line.theorem.hypotheses.values(), ("=", right, left))
        same = self.with_body(left, _integrand_in_variables_of(left, value.theorem.conclusion[1]))
        return self.add("chain", [line, same, value])

    def by_conditioning(self, e: Expectation) -> Any:
        """Evaluate means of `exp(-u**2)*erf(w)` and `exp(-u**2 - w**2)`, for affine u and w."""
        if "two-gaussian-factors" not in self.emitter.book or not isinstance(e.law, GaussianLaw):
            return None
        exponentials = [f for f in Mul.make_args(e.integrand) if isinstance(f, exp)]
        others = [f for f in Mul.make_args(e.integrand) if f not in exponentials]
        if len(exponentials) != 1 or not all(isinstance(f, erf) for f in others):
            return None
        forms = _roots_of_exponent(exponentials[0].args[0], e.law) + [f.args[0] for f in others]
        if len(forms) != 2 or len(others) > 1:
            return None
        X, Y = Dummy("X", real=True), Dummy("Y", real=True)
        with suppress(*FAILURES, ValueError):
            joint = e.law.linear_image(dict(zip((X, Y), forms, strict=True)))
            values = dict(zip(("mu", "tau"), joint.mean.values(), strict=True))
            u, w = values["mu"] + X, values["tau"] + Y
            id, f = "two-gaussian-factors", exp(-(u**2) - w**2)
            if others:
                id, f = "gaussian-factor-and-erf", exp(-(u**2)) * erf(w)
            cited = partial(self._cited_of_pair, e, id, values, f, forms, joint)
            return self.emitter.attempt(cited), []
        return None

    def tilted(self, e: Expectation) -> Any:
        """Reduce the mean of `exp(q(x))*f(x)`, q quadratic, to a mean of `f` under another law."""
        factors = Mul.make_args(e.integrand)
        bells = [f for f in factors if isinstance(f, exp) and f.has(*e.law.symbols)]
        used = e.integrand.free_symbols & set(e.law.symbols)
        if not bells or len(bells) == len(factors) or len(used) > 1 or e.integrand.has(IIDSum):
            return None
        if not _is_of_one(e):
            return self.marginal(e)
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
            return self.emitter.attempt(partial(self.emitter.by_family, step, ())), [other]
        return None

    def moved(
        self, e: Expectation, forms: dict[Symbol, Expr], law: GaussianLaw
    ) -> tuple[Inference, Expectation]:
        """Change variables in an expectation; return the theorem and the new expectation."""
        line = self.image(e, forms, law)
        other = Expectation(e.integrand.xreplace(forms), law)
        node, t = line.theorem.conclusion[2], self.term(other)
        body = _integrand_in_variables_of(node, t)
        if not is_same_term(binder_bodies(node)[0], body):
            line = self.rewritten(line, self.with_body(node, body), node)
        return line, other


def _by_blocks(exponent: Expr, law: Law) -> list[Expr]:
    """Split a sum into parts that depend on independent variables."""
    parts: dict[tuple[int, ...], Expr] = {}
    for term in Add.make_args(exponent):
        blocks = enumerate(law.independent_laws())
        own = tuple(i for i, b in blocks if term.free_symbols & set(b.symbols))
        if len(own) > 1:
            return [exponent]
        own = own or (0,)
        parts[own] = parts.get(own, S.Zero) + term
    return list(parts.values())


def _roots_of_exponent(exponent: Expr, law: GaussianLaw) -> list[Expr]:
    """Return affine forms whose squares add up to the negative of a quadratic exponent, or none."""
    forms, left = list[Expr](), -exponent
    for x in law.symbols:
        square = left.as_poly(x)
        if square is None or square.degree() > 2:
            return []
        if square.degree() > 0:
            a, b = square.coeff_monomial(x**2), square.coeff_monomial(x)
            if not a.is_positive:
                return []
            forms.append(sqrt(a) * x + expand(b / (2 * sqrt(a))))
            left = expand(simplify(left - forms[-1] ** 2))
    return forms if left == 0 else []


def _integrand_in_variables_of(node: Term, other: Term) -> Term:
    """Return an expectation's integrand, written in the bound variables of another one."""
    names = dict(zip(bound_variables(other), bound_variables(node), strict=True))
    return substitute(binder_bodies(other)[0], names)


def _is_of_one(e: Expectation) -> bool:
    return isinstance(e.law, GaussianLaw) and len(e.law.symbols) == 1


@emitter_for_rules("_GaussianCalculus")
def _closed(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    both = all(side.has(Expectation) for side in (step.link.lhs, step.link.rhs))

    def worked(*names: str) -> Inference:
        work = ClosedFormSearch(emitter, step.context)
        ways = [getattr(work, name) for name in names] or [work.in_table_form, *work.others]
        for node in outermost_expectations(step):
            work.take_apart(node, ways)
        wanted = emitter.formula(step.statement)
        more = list(_exponentials(work, wanted))
        if names or both or not work.whole:
            return work.conclude(wanted, more)
        # Unless they cancel, no search helps.
        kept, emitter.left = emitter.left, 0
        try:
            return emitter.attempt(partial(work.conclude, wanted, more))
        except FAILURES:
            means = ", ".join(dict.fromkeys(map(str, work.whole)))
            raise Rejected(f"no closed form is known of {means}") from None
        finally:
            emitter.left = kept

    if both:
        # Means by means: no value of one is needed.
        with suppress(*FAILURES), emitter.frugally():
            return emitter.attempt(partial(worked, "multiplied_out", "by_stein"))
    try:
        return emitter.attempt(worked)
    except FAILURES as reason:
        with suppress(*FAILURES, ValueError):
            return emitter.attempt(partial(_on_trust, emitter, step))
        raise reason


def _on_trust(emitter: ProofEmitter, step: Step) -> Inference:
    """Accept closed forms that the proof checker cannot verify as unproved axioms.

    Jumps may lie where the law has an atom, which the calculus does not ask.
    """
    # Imported where it is used, as few proofs need it.
    from slrsym.gaussian.closed_form import expectation_for_proofs

    lines = []
    for node in outermost_expectations(step):
        if node.integrand.has(sign, Heaviside, Piecewise):
            raise Rejected("the integrand jumps")
        value = expectation_for_proofs(
            node.integrand, node.law, partial(_is_positive, emitter, step.context)
        )
        if value.has(Expectation):
            raise Rejected(f"no closed form is known of {node}")
        lines.append(emitter.on_trust(step, emitter.formula(Eq(node, value, evaluate=False))))
    return emitter.from_equations(lines, emitter.formula(step.statement), step.context)


def _is_positive(emitter: ProofEmitter, context: Context, expr: Expr) -> bool:
    return bool(expr.is_positive) or emitter.knows(
        emitter.formula(Gt(expr, 0, evaluate=False)), context
    )


def _exponentials(work: ExpectationCalculus, t: Term) -> Iterator[Inference]:
    """Yield equations between products of exponentials and exponentials of sums."""
    factors = [f for f in t[1:] if f[:2] == ("f", "exp")] if t[0] == "*" else []
    if len(factors) > 1:
        whole = ("f", "exp", ("+", *(f[2] for f in factors)))
        with suppress(*FAILURES):
            yield work.emitter.attempt(
                lambda: work.proved(work.add("exponential of a sum", (), whole))
            )
    for place, part in children(t):
        if not is_bound_place(t, place):
            yield from _exponentials(work, part)


# -- numbers --------------------------------------------------------------------------------------

# Bits of the balls in which numbers are compared.
_BITS = 128


@emitter_for_rules("_BallArithmetic")
def _numbers(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Compare numbers by ball arithmetic, with means replaced by closed forms or enclosures."""
    if loose := sorted(step.statement.free_symbols, key=str):
        raise Rejected(f"{loose[0]} has no value here; the rule compares numbers")
    p, changed = emitter.formula(step.statement), list[tuple[Inference, list[Any]]]()
    bounds = list[Inference]()
    for node in outermost_expectations(step):
        try:
            line = emitter.attempt(partial(mean_value, emitter, node, step.context))
        except FAILURES:
            low, high = enclose_mean(node)
            said = [Eq(node, node, evaluate=False), Ge(node, low), Le(node, high)]
            bounds += [emitter.on_trust(step, emitter.formula(part)) for part in said]
            continue
        _, mean, value = line.theorem.conclusion
        paths = paths_to_subterm(p, mean)
        changed.append((line, [tuples_to_lists(path) for path in paths]))
        p = replace_at_paths(p, paths, value)
    for t in _bells(p):
        line = prove_by_arithmetic(
            emitter,
            ("=", t, emitter.term(_BY_EXP[t[1]](TermToSympy(emitter.translator).expression(t[2])))),
            (),
        )
        paths = paths_to_subterm(p, t)
        changed.append((line, [tuples_to_lists(path) for path in paths]))
        p = replace_at_paths(p, paths, line.theorem.conclusion[2])
    if bounds:
        shown = emitter.from_equations(bounds, p, step.context)
    else:
        shown = emitter.script.add("numbers", (), p, _BITS)
    for line, paths in reversed(changed):
        shown = emitter.script.add("rewrite", [shown, line], paths)
    return shown


# Functions of which the checker has no balls, by one of which it has.
_BY_EXP: dict[str, Callable[[Expr], Expr]] = {
    "erf_prime": lambda u: 2 * exp(-(u**2)) / sqrt(pi),
    "erf_second": lambda u: -4 * u * exp(-(u**2)) / sqrt(pi),
}


def _bells(t: Term) -> Iterator[Term]:
    """Yield calls of Gaussian density factors outside all binders, the inner ones first."""
    for place, part in children(t):
        if not is_bound_place(t, place):
            yield from _bells(part)
    if t[0] == "f" and t[1] in _BY_EXP:
        yield t


def mean_value(emitter: ProofEmitter, node: Expectation, context: Context) -> Inference:
    """Derive the closed form of an expectation, as a theorem."""
    with suppress(*FAILURES):
        return emitter.attempt(partial(_by_owens_t, emitter, node, context))
    work = ClosedFormSearch(emitter, context)
    work.take_apart(node, [work.in_table_form, *work.others])
    name = canonical_key(emitter.term(node))
    if work.whole or name not in work.lines:
        raise Rejected(f"no closed form is known of {', '.join(map(str, work.whole))}")
    return work.proved(work.resolved(work.lines[name], ()))


def _by_owens_t(emitter: ProofEmitter, node: Expectation, context: Context) -> Inference:
    g, inner = node.law.symbols[0], Wild("u")
    found = node.integrand.match(erf(inner) ** 2)
    if found is None or node.law != standard_normal(g):
        raise Rejected("no ball for this mean")
    m, n = found[inner].subs(g, 0), found[inner].diff(g)
    meaning = emitter.script.add("definition", (), emitter.term(zeta(m, n)))
    meaning = emitter.discharged(meaning, context)
    mean = meaning.theorem.conclusion[2]
    work, t = ExpectationCalculus(emitter, context), emitter.term(node)
    same_mean = work.with_body(mean, _integrand_in_variables_of(mean, t))
    value = emitter.cited("zeta-owens-t", [("t", m), ("s", n)], context)
    for line in (meaning, same_mean):
        # The mean for zeta, and then its own body.
        said, old = value.theorem.conclusion, line.theorem.conclusion[1]
        paths = [tuples_to_lists(path) for path in paths_to_subterm(said, old)]
        value = emitter.script.add("rewrite", [value, line], paths)
    return value
