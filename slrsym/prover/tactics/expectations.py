"""Evidence for the Gaussian calculus: equations between expectations.

Every expectation of a step is reduced by methods that the rule of the step allows. Each reduction
is an equation, and the statement follows from the equations by arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from sympy import Add, Derivative, Dummy, Expr, Mul, S, Symbol, default_sort_key, exp, expand

from slrsym.checker import Inference, Rejected
from slrsym.checker.expectations import ONE, linear_combination_term
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    canonical_key,
    free_symbols,
    is_same_term,
    neg,
    parts_outside_binder,
    substitute,
)
from slrsym.gaussian import standard_normal
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, NoiseLaw
from slrsym.gaussian.noise_and_product_laws import joint_law
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.gaussian import partial_derivative
from slrsym.prover.rules.step import Step
from slrsym.prover.tactics.arithmetic import (
    RewrittenFormula,
    definedness_of_opaque_terms,
    opaque_terms,
    prove_by_arithmetic,
    theorems_on_special_values,
)
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.numerical_values import are_surely_different
from slrsym.prover.tactics.subterm_paths import body_in_variables, paths_to_subterm

# The search effort for one equation, which is proved quickly or needs no signs.
QUICK = 60_000


def expectations_outside_binders(t: Term) -> dict[str, Term]:
    """Return the expectations in a term that are outside all binders, by key."""
    return {k: n for k, n in opaque_terms(t).items() if n[0] == "E"}


class ExpectationCalculus:
    """Derivation of equations between the expectations of one step."""

    def __init__(self, emitter: ProofEmitter, context: Context) -> None:
        self.emitter, self.context = emitter, context
        self.given = emitter.hypotheses(context)
        # An equation for each expectation that was reduced, by the expectation's key.
        self.equations: dict[str, Inference] = {}
        # Expectations that no method reduced.
        self.unreduced: list[Expectation] = []

    # -- inferences -----------------------------------------------------------------------------

    def add(self, rule: str, lines: Iterable[Inference], *data: Any) -> Inference:
        return self.emitter.script.add(rule, lines, *data)

    def prove(
        self, p: Term, lines: Sequence[Inference] = (), integration_variables: Iterable[Term] = ()
    ) -> Inference:
        """Prove p by arithmetic, from hypotheses free of the given variables and from theorems."""
        names = set(integration_variables)
        given = [h for h in self.given if not free_symbols(h) & names]
        if not names:
            said = [p, *(line.theorem.conclusion for line in lines)]
            lines = [*lines, *theorems_on_special_values(self.emitter, said)]
        asked = definedness_of_opaque_terms(p, lines)
        exist = [self.emitter.prove_or_add_axiom(q, self.context) for q in asked]
        return prove_by_arithmetic(self.emitter, p, given, [*lines, *exist], QUICK)

    def term(self, node: Expectation) -> Term:
        return self.emitter.term(node)

    def integrand_term(self, integrand: Expr, node: Expectation) -> Term:
        """Translate an integrand, in the bound variables of an expectation's translation."""
        other = self.term(Expectation(integrand, node.law))
        return body_in_variables(other, bound_variables(self.term(node)))

    def rewrite_right_side(self, line: Inference, equation: Inference, source: Term) -> Inference:
        """Rewrite the right-hand side of a theorem by an equation for `source`."""
        _, _, right = line.theorem.conclusion
        paths = [(2, *path) for path in paths_to_subterm(right, source)]
        return self.emitter.rewrite(line, equation, paths)

    def apply_linearity(self, t: Term, parts: Sequence[tuple[Term, Term]]) -> Inference:
        """Prove E f = sum of c E g over parts (c, g) whose combination is f."""
        factors, bodies = tuple(c for c, _ in parts), tuple(f for _, f in parts)
        said = ("=", binder_bodies(t)[0], linear_combination_term(factors, bodies))
        return self.add("linear", [self.prove(said, (), bound_variables(t))], t, factors, bodies)

    def replace_integrand(
        self, t: Term, wanted: Term, exists: Inference | None = None
    ) -> Inference:
        """Replace the integrand of an expectation by one that arithmetic proves to be equal."""
        line = self.prove(("=", binder_bodies(t)[0], wanted), (), bound_variables(t))
        return self.take_expectations(line, t, exists)

    def take_expectations(
        self, line: Inference, t: Term, exists: Inference | None = None
    ) -> Inference:
        """Take expectations on both sides of an equation, in the variables and laws of `t`."""
        line = self.add("equal bodies", [line], t)
        return line if exists is None else self.discharge(line, [exists])

    def discharge(
        self,
        line: Inference,
        lines: Sequence[Inference],
        integration_variables: Sequence[Term] = (),
    ) -> Inference:
        """Discharge hypotheses by theorems, and by arithmetic those on given bound variables."""
        known = {canonical_key(other.theorem.conclusion) for other in lines}
        more = [
            self.prove(h, (), integration_variables)
            for name, h in line.theorem.hypotheses.items()
            if name not in known and free_symbols(h) & set(integration_variables)
        ]
        return self.emitter.discharge_by(line, [*lines, *more])

    def discharge_all(self, line: Inference) -> Inference:
        """Discharge every hypothesis that the step does not have, or raise `Rejected`."""
        own = set(map(canonical_key, self.given))
        proofs = [
            self.emitter.require_proof(h, self.given, self.context)
            for name, h in line.theorem.hypotheses.items()
            if name not in own
        ]
        return self.emitter.discharge_by(line, proofs) if proofs else line

    def integrate_against_density(self, t: Term) -> tuple[Inference, Inference]:
        """Write an expectation as an integral against the density, and prove that it exists."""
        line = self.add("density", (), t)
        return line, self.add("defined", [line], [2])

    # -- reductions -----------------------------------------------------------------------------

    def store_reduction_equations(
        self, node: Expectation, ways: Sequence[Callable[..., Any]]
    ) -> None:
        """Derive equations for an expectation and those it reduces to, as far as possible."""
        left = [node]
        while left:
            e = left.pop()
            name = canonical_key(self.term(e))
            if name in self.equations:
                continue
            for way in ways:
                found = way(e)
                if found is not None:
                    self.equations[name], more = found
                    left += [n for n in more if n != e]
                    break
            else:
                self.unreduced.append(e)

    def reduce(self, node: Expectation, *ways: Callable[..., Any]) -> None:
        """Derive equations for an expectation by linearity and by further methods."""
        first = (self.expand_integrand, self.evaluate_constant)
        self.store_reduction_equations(node, [*first, *ways, self.drop_unused_variables])

    def expand_integrand(self, e: Expectation, deep: bool = True) -> Any:
        """Expand an integrand and move constants out; expand sums inside functions if `deep`."""
        parts: dict[Expr, Expr] = {}
        # A sum of copies is a single term for the proof checker.
        kept = e.integrand.atoms(IIDSum)
        if not deep:
            kept |= set().union(*(a.atoms(Add) for a in e.integrand.as_base_exp()[0].args))
        names = {part: Dummy(real=True) for part in sorted(kept, key=default_sort_key)}
        whole = expand(e.integrand.xreplace(names), power_exp=False)
        for term in Add.make_args(whole.xreplace({x: part for part, x in names.items()})):
            factor, rest = _split_constant_factors(term, e.law)
            parts[rest] = parts.get(rest, S.Zero) + factor
        if list(parts.items()) == [(e.integrand, S.One)]:
            return None
        if parts.keys() == {S.One}:
            return self.add("constant", (), self.term(e)), []
        pairs = [(self.emitter.term(c), self.integrand_term(f, e)) for f, c in parts.items()]
        return self.apply_linearity(self.term(e), pairs), [Expectation(f, e.law) for f in parts]

    def move_out_constant_exponents(self, e: Expectation) -> Any:
        """Move constant terms out of the exponents of exponentials."""
        outer = inner = S.One
        for f in Mul.make_args(e.integrand):
            if isinstance(f, exp) and not f.has(IIDSum):
                rest, varying = expand(f.args[0]).as_independent(*e.law.symbols, as_Add=True)
                outer, f = outer * exp(rest), exp(varying)
            inner *= f
        if outer == 1:
            return None
        parts = [(self.emitter.term(outer), self.integrand_term(inner, e))]
        return self.apply_linearity(self.term(e), parts), [Expectation(inner, e.law)]

    def evaluate_constant(self, e: Expectation) -> Any:
        """Evaluate the mean of an integrand without random variables."""
        if e.integrand.free_symbols & set(e.law.symbols) or e.integrand.has(IIDSum):
            return None
        return self.add("constant", (), self.term(e)), []

    def drop_empty_copy_sums(self, e: Expectation) -> Any:
        """Replace a sum of zero independent copies by 0."""
        for sums in e.integrand.atoms(IIDSum):
            if sums.count == 0:
                line = self.add("no copies", (), self.emitter.term(sums))
                less = e.integrand.xreplace({sums: S.Zero})
                equal = self.prove(
                    ("=", self.integrand_term(e.integrand, e), self.integrand_term(less, e)), [line]
                )
                return self.take_expectations(equal, self.term(e)), [Expectation(less, e.law)]
        return None

    def drop_unused_variables(self, e: Expectation) -> Any:
        """Drop variables that the integrand does not contain from an expectation."""
        used = e.integrand.free_symbols & set(e.law.symbols)
        if not used and e.integrand.has(IIDSum):
            used = set(next(iter(e.law.independent_laws())).symbols)
        if used == set(e.law.symbols) or not used:
            return None
        kept = [b for b in e.law.independent_laws() if used & set(b.symbols)]
        others = [b for b in e.law.independent_laws() if b not in kept]
        if others:
            return self.split_product(e, kept, others, e.integrand, S.One)
        small = joint_law([
            b.marginal(*(s for s in b.symbols if s in used)) if isinstance(b, GaussianLaw) else b
            for b in kept
        ])  # fmt: skip
        less = Expectation(e.integrand, small)
        names = {s: Dummy(s.name, real=True) for s in e.law.symbols}
        # A marginal law is the image of the whole law under a projection.
        line = self.change_variables(
            less, {s: names[s] for s in small.symbols}, e.law.rename_variables(names)
        )
        return self.emitter.swap_sides(line), [less]

    def split_product(
        self, e: Expectation, first: list[Law], last: list[Law], f: Expr, g: Expr
    ) -> Any:
        """Write E f g as E f E g, given that f and g depend on independent variables."""
        t = self.term(e)
        body = ("*", self.integrand_term(f, e), self.integrand_term(g, e))
        line = self.apply_linearity(t, [(ONE, body)])
        whole = next(iter(expectations_outside_binders(line.theorem.conclusion[2]).values()))
        blocks = list(e.law.independent_laws())
        where = [[blocks.index(b) for b in first], [1]]
        split = self.add("independent", (), whole, where)
        parts = [Expectation(f, joint_law(first)), Expectation(g, joint_law(last))]
        return self.rewrite_right_side(line, split, whole), parts

    def factor_independent(self, e: Expectation) -> Any:
        """Factor an expectation into expectations of independent parts."""
        names = set(e.law.symbols)
        pieces = [
            (f, (f.free_symbols & names) | f.atoms(IIDSum)) for f in Mul.make_args(e.integrand)
        ]
        blocks = list(e.law.independent_laws())
        for f, mine in pieces:
            if not mine & names or any(isinstance(s, IIDSum) for s in mine):
                continue
            chosen = set(mine)
            while True:
                more = set(chosen)
                for _, others in pieces:
                    if any(_are_dependent(a, b, blocks) for a in chosen for b in others):
                        more |= others
                if more == chosen:
                    break
                chosen = more
            inner = [f for f, v in pieces if v <= chosen]
            outer = [f for f, v in pieces if not v <= chosen]
            if not outer:
                continue
            if any(_are_dependent(a, b, blocks) for a in chosen & names for b in names - chosen):
                # They depend on a variable that does not occur, which is dropped first.
                return self.drop_unused_variables(e)
            if chosen & names == names:
                # The rule requires a law for each factor; for copies alone, any law will do.
                law: Law = joint_law([*blocks, standard_normal(Dummy("w", real=True))])
            else:
                law, count = self._split_law(e.law, chosen & names)
            if law != e.law:
                same_law = Expectation(e.integrand, law)
                forms = {s: Dummy(s.name, real=True) for s in law.symbols}
                moved = self.change_variables(
                    e, {s: forms[s] for s in e.law.symbols}, law.rename_variables(forms)
                )
                return moved, [same_law]
            laws = list(law.independent_laws())
            return self.split_product(e, laws[:count], laws[count:], Mul(*inner), Mul(*outer))
        return None

    def _split_law(self, law: Law, mine: set[Symbol]) -> tuple[Law, int]:
        """Return the product law with some variables' laws first, and the number of these laws."""
        first: list[Law] = []
        last: list[Law] = []
        for block in law.independent_laws():
            here = [s for s in block.symbols if s in mine]
            others = [s for s in block.symbols if s not in mine]
            if here and others:
                first.append(block.marginal(*here))
                last.append(block.marginal(*others))
            else:
                (first if here else last).append(block)
        if not last:
            raise Rejected("all of the laws are concerned")
        return joint_law([*first, *last]), len(first)

    def change_variables(self, e: Expectation, forms: dict[Symbol, Expr], law: Law) -> Inference:
        """Write an expectation in new variables, of which its own are affine forms."""
        t = self.term(e)
        order = [s for block in e.law.independent_laws() for s in block.symbols]
        new = self.term(Expectation(Add(*law.symbols), law))
        places_of = [s for block in law.independent_laws() for s in block.symbols]
        taken = {s[1] for s in free_symbols(t)} | {s[1] for s in bound_variables(t)}
        names = []
        for s in bound_variables(new):
            name = s[1]
            while name in taken:
                name += "'"
            taken.add(name)
            names.append(("s", name, s[2]))
        put = {self.emitter.term(s): n for s, n in zip(places_of, names, strict=True)}
        values = tuple(substitute(self.emitter.term(forms[s]), put) for s in order)
        return self.add(
            "image", (), t, ("lam", tuple(names), values, ()), parts_outside_binder(new)
        )

    def evaluate_noise_moment(self, e: Expectation) -> Any:
        """Evaluate the first or second moment of a noise variable."""
        base, power = e.integrand.as_base_exp()
        for block in e.law.independent_laws():
            if isinstance(block, NoiseLaw) and base in block.symbols and power in (1, 2):
                if len(list(e.law.independent_laws())) > 1:
                    return None
                both = self.add("noise", (), parts_outside_binder(self.term(e))[0])
                _, first, second = both.theorem.conclusion
                wanted = first if power == 1 else second
                return self.emitter.infer_by_logic(
                    [both], both.theorem.hypotheses.values(), wanted
                ), []
        return None

    def evaluate_copies_moment(self, e: Expectation) -> Any:
        """Evaluate the first or second moment of a sum of independent copies."""
        base, power = e.integrand.as_base_exp()
        if not isinstance(base, IIDSum) or power not in (1, 2):
            return None
        more = [Expectation(base.term**k, base.law) for k in range(1, int(power) + 1)]
        line = self.add("moments of copies", (), self.term(e))
        for node in expectations_outside_binders(line.theorem.conclusion[2]).values():
            # SymPy writes a power of a product, or of a power, in another way.
            bodies = [body_in_variables(self.term(n), bound_variables(node)) for n in more]
            (old,) = binder_bodies(node)
            if not any(is_same_term(old, body) for body in bodies):
                equal = self.replace_integrand(node, bodies[-1])
                line = self.rewrite_right_side(line, equal, node)
        return line, more

    def apply_stein_lemma(self, variables: Iterable[Symbol], e: Expectation) -> Any:
        """Apply Stein's lemma, E (X - m) h = sum C E dh, to a factor X of the integrand."""
        chosen = set(variables)
        for factor in Mul.make_args(e.integrand):
            x, power = factor.as_base_exp()
            if x not in chosen or x not in e.law.symbols:
                continue
            if not (power.is_Integer and power > 0):
                continue
            rest = e.integrand / x
            t = self.term(e)
            order = [s for block in e.law.independent_laws() for s in block.symbols]
            place = order.index(x)
            block = next(b for b in e.law.independent_laws() if x in b.symbols)
            mean = self.emitter.term(block.mean[x])
            h = self.integrand_term(rest, e)
            less = ("*", ("+", bound_variables(t)[place], neg(mean)), h)
            # E h may have no value, and need not have one where the mean is 0.
            centred = block.mean[x] == 0
            line = self.apply_linearity(t, [(ONE, less)] if centred else [(mean, h), (ONE, less)])
            lemma = self.add("stein", (), t, ("lam", bound_variables(t), (h,), ()), place)
            _, source, total = lemma.theorem.conclusion
            line = self.rewrite_right_side(line, lemma, source)
            more = [] if centred else [Expectation(rest, e.law)]
            for slope in expectations_outside_binders(total).values():
                orders = binder_bodies(slope)[0][1]
                derivative = partial_derivative(rest, order[orders.index(1)])
                equal = self.replace_integrand(slope, self.integrand_term(derivative, e))
                line = self.rewrite_right_side(line, equal, slope)
                more.append(Expectation(derivative, e.law))
            return line, more
        return None

    # -- conclusions ----------------------------------------------------------------------------

    def resolve_right_side(self, line: Inference, kept: Iterable[str]) -> Inference:
        """Rewrite expectations on the right-hand side by their equations, unless in `kept`."""
        kept = set(kept)
        while True:
            _, left, right = line.theorem.conclusion
            known = self.equations.keys() - {canonical_key(left)} - kept
            ready = [n for k, n in expectations_outside_binders(right).items() if k in known]
            if not ready:
                return line
            for node in ready:
                line = self.rewrite_right_side(line, self.equations[canonical_key(node)], node)

    def _circular_keys(self) -> set[str]:
        """Return the keys of expectations whose equations lead back to themselves."""
        after: dict[str, set[str]] = {}
        for name, line in self.equations.items():
            after[name] = {*expectations_outside_binders(line.theorem.conclusion[2])}
        reached = after
        while True:
            further = {
                name: names.union(*(after.get(k, ()) for k in names))
                for name, names in reached.items()
            }
            if further == reached:
                return {name for name, names in reached.items() if name in names}
            reached = further

    def conclude(self, wanted: Term, more: Sequence[Inference] = ()) -> Inference:
        """Prove a statement by arithmetic from the equations, matching integrands if necessary."""
        named, circular = expectations_outside_binders(wanted), self._circular_keys()
        about = [line for line in self.equations.values() if self._concerns_any(line, named)]
        lines = [self.resolve_right_side(line, circular | named.keys()) for line in about]
        ends = dict(named)
        for line in lines:
            ends |= expectations_outside_binders(line.theorem.conclusion[2])
        # Circular equations are solved by arithmetic.
        round_ones = [
            self.resolve_right_side(self.equations[k], circular) for k in sorted(circular)
        ]
        for line in round_ones:
            ends |= expectations_outside_binders(line.theorem.conclusion[2])
        rest = [t for k, t in ends.items() if k not in self.equations]
        came_out = any(canonical_key(t) not in named for t in rest)
        equations = any(h[0] == "=" for h in self.given)
        equal: list[Inference] = []
        for i, a in enumerate(rest):
            # Expectations of the statement are compared with those of equations, if there are any.
            for b in rest[:i]:
                if canonical_key(("tuple", *parts_outside_binder(a))) != canonical_key(
                    ("tuple", *parts_outside_binder(b))
                ):
                    continue
                if came_out and {canonical_key(a), canonical_key(b)} <= named.keys():
                    continue
                other = body_in_variables(b, bound_variables(a))
                if not equations and are_surely_different(binder_bodies(a)[0], other):
                    continue
                with suppress(*FAILURES):
                    equal.append(
                        self.emitter.run_and_undo_on_failure(self.replace_integrand, a, other)
                    )
                    break
        for line in equal:
            _, a, _ = line.theorem.conclusion
            lines = [self.rewrite_right_side(other, line, a) for other in lines]
        mine = [line for line in lines if line.theorem.conclusion[1][0] == "E"]
        others = [*(line for line in lines if line not in mine), *round_ones]
        with suppress(*FAILURES):
            return self.emitter.run_and_undo_on_failure(
                self._prove_by_rewriting, wanted, mine, [*others, *equal, *more]
            )
        return self.prove(wanted, [*mine, *others, *equal, *more])

    @staticmethod
    def _concerns_any(line: Inference, named: Mapping[str, Term]) -> bool:
        """Return whether a side of an equation is in `named`, or its left side no expectation."""
        sides = line.theorem.conclusion[1:]
        return sides[0][0] != "E" or any(canonical_key(side) in named for side in sides)

    def _prove_by_rewriting(
        self, wanted: Term, equations: Sequence[Inference], more: Sequence[Inference]
    ) -> Inference:
        """Rewrite the statement by equations, prove the result, and rewrite back."""
        work, named = RewrittenFormula(self.emitter, wanted), expectations_outside_binders(wanted)
        for line in equations:
            _, left, _ = line.theorem.conclusion
            work.apply(line, backwards=canonical_key(left) not in named)
        try:
            shown = self.emitter.run_and_undo_on_failure(self.prove, work.formula, more)
        except FAILURES:
            if more or opaque_terms(work.formula) or not opaque_terms(wanted):
                raise
            # Closed forms may be equal by identities of functions.
            shown = self.emitter.prove_from_equations((), work.formula, self.context)
        return work.prove_original(shown)


def _split_constant_factors(term: Expr, law: Law) -> tuple[Expr, Expr]:
    """Split a product into factors without variables of a law and factors with them."""
    names = set(law.symbols)
    varying = [f for f in Mul.make_args(term) if f.free_symbols & names or f.has(IIDSum)]
    return Mul(*(f for f in Mul.make_args(term) if f not in varying)), Mul(*varying)


def _are_dependent(a: Any, b: Any, blocks: Sequence[Law]) -> bool:
    """Return whether two variables or sums of copies are equal or correlated."""
    if a == b or (isinstance(a, IIDSum) and isinstance(b, IIDSum)):
        return True
    return any(
        isinstance(block, GaussianLaw)
        and a in block.symbols
        and b in block.symbols
        and block.covariance(a, b) != 0
        for block in blocks
    )


def outermost_expectations(step: Step) -> list[Expectation]:
    """Return the outermost expectations of a step's statement."""
    found: list[Expectation] = []
    left: list[Any] = [step.link.lhs, step.link.rhs]
    while left:
        e = left.pop()
        if isinstance(e, Expectation):
            found.append(e)
        elif not isinstance(e, Derivative):
            left += e.args
    return list(dict.fromkeys(found))
