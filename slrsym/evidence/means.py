"""Evidence for the rules of textbooks: closed expectations, theorems about means, tangents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from sympy import (
    Abs,
    Add,
    Derivative,
    Dummy,
    Expr,
    Heaviside,
    Max,
    Min,
    Mul,
    Symbol,
    Wild,
    erf,
    exp,
    expand,
    floor,
    pi,
    sign,
    sqrt,
)

from slrsym.checker import Inference, Rejected
from slrsym.checker.term import (
    Term,
    bound,
    children,
    inside,
    is_inside,
    key,
    neg,
    num,
    outside,
    same,
    substitute,
)
from slrsym.evidence.arithmetic import arithmetic, in_context, opaque_in
from slrsym.evidence.emission import FAILURES, Emission, at_paths, family, places
from slrsym.evidence.expectations import Calculus, expectations_in, nodes_of
from slrsym.evidence.writing import plain
from slrsym.gaussian import standard_normal
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.functions import erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.gaussian.law import GaussianLaw, IIDSum, NoiseLaw
from slrsym.search.context import Context
from slrsym.search.convexity import placeholder
from slrsym.search.gaussian import slope_in
from slrsym.search.step import Step
from slrsym.statements.expressions import put

ZERO = num(0)

# -- closed forms -----------------------------------------------------------------------------


class _Closing(Calculus):
    """The Gaussian calculus: terms, a table, Stein's lemma, independence, marginal laws."""

    @property
    def others(self) -> list[Callable[[Expectation], Any]]:
        """The ways after the first one, in their order."""
        return [
            self.no_copies, self.multiplied_out, self.constant, self.noise, self.copies,
            self.from_table, self.by_bars, self.by_stein, self.odd, self.independent, self.marginal,
        ]  # fmt: skip

    def in_table_form(self, e: Expectation) -> Any:
        """The integrand by erf, signs and absolute values."""
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
            lines += [self.em.logic([both], given, p) for p in both.theorem.conclusion[1:]]
            plain = plain.xreplace({node: (a + b + turn * Abs(a - b)) / 2})
        together = [f for f in Mul.make_args(plain) if isinstance(f, exp)]
        if len(together) > 1:
            total = Add(*(f.args[0] for f in together))
            sums = ("+", *(self.body(f.args[0], e) for f in together))
            lines.append(self.add("exponential of a sum", (), ("f", "exp", sums)))
            rest = Mul(*(f for f in Mul.make_args(plain) if f not in together))
            plain = rest * exp(expand(total))
        if plain == e.integrand:
            return None
        after = Expectation(plain, e.law)
        if same(self.term(e), self.term(after)):
            # The kernel knows no other words for it.
            return next((found for way in self.others if (found := way(after))), None)
        equal = self._with_maxima(
            ("=", self.body(e.integrand, e), self.body(plain, e)), lines, bound(self.term(e))
        )
        return self.bodies(self.settled(equal, (), bound(self.term(e))), self.term(e)), [
            Expectation(plain, e.law)
        ]

    def _with_maxima(self, p: Term, lines: Sequence[Inference], names: Sequence[Term]) -> Inference:
        """Show an equation after maxima in it have been replaced by what lines say of them."""
        meant, replaced = p, list[tuple[Inference, list[Any]]]()
        for line in lines:
            _, old, new = line.theorem.conclusion
            paths = places(meant, old)
            meant = at_paths(meant, paths, new)
            replaced.append((line, [plain(path) for path in paths]))
        shown = self.shown(meant, lines, names)
        for line, paths in reversed(replaced):
            shown = self.add("rewrite", [shown, line], paths) if paths else shown
        return shown

    def from_table(self, e: Expectation) -> Any:
        """The mean of one function of the table, or of two."""
        t = self.term(e)
        for rule in ("gaussian integral", "centred pair"):
            with suppress(Rejected):
                return self.em.attempt(partial(self._centred, rule, t)), []
        (body,) = inside(t)
        if body[:3] == ("^", 2, 1):
            # A square is a product, too.
            with suppress(Rejected):
                return self.em.attempt(partial(self._square, t, body[3])), []
        return None

    def _square(self, t: Term, f: Term) -> Inference:
        line = self.with_body(t, ("*", f, f))
        pair = line.theorem.conclusion[2]
        return self.add("chain", [line, self._centred("centred pair", pair)])

    def _centred(self, rule: str, t: Term) -> Inference:
        """A value of the table; refused if it is one of a centred law, and this is none."""
        line = self.add(rule, (), t)
        for h in line.theorem.hypotheses.values():
            if h[0] == "=" and ZERO in h[1:] and self.em.shown_once(h, self.context) is None:
                raise Rejected("the law is not centred")
        return line

    def by_bars(self, e: Expectation) -> Any:
        """A variable times the sign of a form of it: the form between bars, and the sign."""
        for f in e.integrand.atoms(sign):
            (u,) = f.args
            for x in sorted(u.free_symbols & set(e.law.symbols), key=str):
                if (c := u.diff(x)).is_number and e.integrand == x * f:
                    plain = (Abs(u) - (u - c * x) * f) / c
                    said = ("=", self.body(e.integrand, e), self.body(plain, e))
                    names = bound(self.term(e))
                    equal = self.settled(_by_pieces(self.em, said, self.context, ()), (), names)
                    return self.bodies(equal, self.term(e)), [Expectation(plain, e.law)]
        return None

    def by_stein(self, e: Expectation) -> Any:
        # Noise and copies are split off first.
        if e.integrand.has(Abs, sign, IIDSum) or e.law.has(NoiseLaw):
            return None
        return self.stein(e.law.symbols, e)

    def odd(self, e: Expectation) -> Any:
        """A function that is odd in all variables together, under a centred law."""
        if not isinstance(e.law, GaussianLaw) or any(m != 0 for m in e.law.mean.values()):
            return None
        mirror = {s: -s for s in e.law.symbols}
        if (e.integrand.xreplace(mirror) + e.integrand).expand() != 0:
            return None
        names = {s: Dummy(s.name, real=True) for s in e.law.symbols}
        t = self.term(e)
        line = self.image(e, {s: -names[s] for s in names}, e.law.renamed(names))
        other = line.theorem.conclusion[2]
        back = dict(zip(bound(t), bound(other), strict=True))
        minus = self.linear(other, [(num(-1), substitute(inside(t)[0], back))])
        line = self.rewritten(line, minus, other)
        # E f = -E f
        return self.shown(("=", t, num(0)), [line]), []


@family("_GaussianCalculus")
def _closed(em: Emission, step: Step, premises: Sequence[Inference]) -> Inference:
    both = all(side.has(Expectation) for side in (step.link.lhs, step.link.rhs))

    def worked(*names: str) -> Inference:
        work = _Closing(em, step.context)
        ways = [getattr(work, name) for name in names] or [work.in_table_form, *work.others]
        for node in nodes_of(step):
            work.take_apart(node, ways)
        wanted = em.formula(step.statement)
        if names or both or not work.whole:
            return work.conclude(wanted)
        # Unless they cancel, no search helps.
        kept, em.left = em.left, 0
        try:
            return em.attempt(partial(work.conclude, wanted))
        except FAILURES:
            means = ", ".join(dict.fromkeys(map(str, work.whole)))
            raise Rejected(f"no closed form is known of {means}") from None
        finally:
            em.left = kept

    if both:
        # Means by means: no value of one is needed.
        with suppress(*FAILURES), em.frugally():
            return em.attempt(partial(worked, "multiplied_out", "by_stein"))
    return worked()


# -- derivatives of laws ------------------------------------------------------------------------


@family("_Price")
def _price(em: Emission, step: Step, premises: Sequence[Inference]) -> Inference:
    work = Calculus(em, step.context)
    for side in (step.link.lhs, step.link.rhs):
        for node in side.atoms(Derivative):
            if isinstance(node.expr, Expectation):
                t = em.term(node)
                law = node.expr.law
                line = work.add("price", (), t)
                line = _slopes_taken(work, line, node.expr.integrand, law)
                work.lines[key(t)] = line
    return work.conclude(em.formula(step.statement))


def _slopes_taken(work: Calculus, line: Inference, f: Expr, law: Any) -> Inference:
    """The means of derivatives on the right, with the derivatives in closed form."""
    order = [s for block in law.blocks() for s in block.symbols]
    for node in expectations_in(line.theorem.conclusion[2]).values():
        (body,) = inside(node)

        def closed(t: Term) -> Expr:
            if t[0] == "*":
                return Mul(*map(closed, t[1:]))
            expr = f
            for x, n in zip(order, t[1], strict=True):
                for _ in range(n):
                    expr = slope_in(expr, x)
            return expr

        moved = Expectation(closed(body), law)
        if not moved.integrand.free_symbols & set(law.symbols):
            wanted = work.em.term(moved.integrand)
        else:
            names = dict(zip(bound(work.term(moved)), bound(node), strict=True))
            wanted = substitute(inside(work.term(moved))[0], names)
        equal = work.with_body(node, wanted)
        line = work.rewritten(line, equal, node)
        work.take_apart(moved, [work.multiplied_out, work.constant, work.marginal])
    return line


# -- theorems -------------------------------------------------------------------------------------


def _slope_line(em: Emission, of: Expr, x: Symbol, order: int, context: Context) -> Inference:
    """The sign of a derivative, at a variable of which nothing else is known."""
    place = placeholder(x, context)
    slope = ("d", (order,), *em.term(Derivative(put(of, {x: place}), (place, 1)))[2:])
    rising = context.sign(put(of, {x: place}).diff(place, order)).nonnegative
    p = ("<=", num(0), slope) if rising else ("<=", slope, num(0))
    line = em.shown(p, em.hypotheses(context), context)
    if line is None:
        raise Rejected("the sign of a derivative is not shown")
    return line


@family("_Tangent")
def _tangent(em: Emission, step: Step, premises: Sequence[Inference]) -> Inference:
    rule: Any = step.rule
    bend = _slope_line(em, rule.of, rule.variable, 2, step.context)
    line = em.script.add("tangent", [bend], em.term(rule.at), em.term(rule.point))
    line = em.discharged(line, step.context)
    return em.from_equations([line], em.formula(step.statement), step.context)


@family("_Increasing")
def _increasing(em: Emission, step: Step, premises: Sequence[Inference]) -> Inference:
    rule: Any = step.rule
    (order,) = premises
    _, low, high = order.theorem.conclusion
    rising = _slope_line(em, rule.of, rule.variable, 1, step.context)
    x = outside(rising.theorem.conclusion[2])[0]
    line = em.script.add("mean value", [rising], x, low, high)
    line = em.discharged(line, step.context, [order])
    return em.from_equations([line], em.formula(step.statement), step.context)


@family("_Jensen")
def _jensen(em: Emission, step: Step, premises: Sequence[Inference]) -> Inference:
    rule: Any = step.rule
    x = rule.variable
    bend = _slope_line(em, rule.of, x, 2, step.context)
    for node in sorted(step.statement.atoms(Expectation), key=str):
        mean = Expectation(put(rule.of, {x: node.integrand}), node.law)
        with suppress(*FAILURES):
            return em.attempt(partial(_jensen_at, em, step, bend, node, mean))
    raise Rejected("no expectation fits")


def _jensen_at(
    em: Emission, step: Step, bend: Inference, node: Expectation, mean: Expectation
) -> Inference:
    work = Calculus(em, step.context)
    line = work.proved(em.script.add("jensen", [bend], em.term(node)))
    ends = expectations_in(line.theorem.conclusion)
    return _with_means(work, line, em.formula(step.statement), ends)


def _with_means(work: Calculus, line: Inference, wanted: Term, ends: dict[str, Term]) -> Inference:
    """The statement, whose means are those of the line but for how their bodies are written."""
    for node in ends.values():
        for other in expectations_in(wanted).values():
            if same(node, other) or not same(("tuple", *outside(node)), ("tuple", *outside(other))):
                continue
            names = dict(zip(bound(other), bound(node), strict=True))
            with suppress(*FAILURES):
                body = substitute(inside(other)[0], names)
                equal = work.em.attempt(partial(work.with_body, node, body))
                line = _everywhere(work, line, equal, node)
                break
    return work.em.attempt(lambda: work.em.discharged(work.shown(wanted, [line]), work.context))


def _everywhere(work: Calculus, line: Inference, equation: Inference, source: Term) -> Inference:
    _, left, right = line.theorem.conclusion
    sides = ((1, left), (2, right))
    paths = [[i, *plain(path)] for i, side in sides for path in places(side, source)]
    return work.add("rewrite", [line, equation], paths) if paths else line


@family("_CauchySchwarz")
def _cauchy_schwarz(em: Emission, step: Step, premises: Sequence[Inference]) -> Inference:
    rule: Any = step.rule
    for law in sorted({n.law for n in step.statement.atoms(Expectation)}, key=str):
        with suppress(*FAILURES):
            return em.attempt(partial(_schwarz_under, em, step, rule, law))
    raise Rejected("no law fits")


def _schwarz_under(em: Emission, step: Step, rule: Any, law: Any) -> Inference:
    names = list(law.symbols)
    work = Calculus(em, step.context)
    total = Expectation(Add(*names), law)
    f, g = (
        ("E", bound(em.term(total)), (work.body(h, total),), outside(em.term(total)))
        for h in (rule.first, rule.second)
    )
    line = work.proved(em.script.add("cauchy-schwarz", (), f, g))
    return _with_means(
        work, line, em.formula(step.statement), expectations_in(line.theorem.conclusion)
    )


@family("_Poincare")
def _poincare(em: Emission, step: Step, premises: Sequence[Inference]) -> Inference:
    rule: Any = step.rule
    for law in sorted({n.law for n in step.statement.atoms(Expectation)}, key=str):
        with suppress(*FAILURES):
            return em.attempt(partial(_poincare_under, em, step, rule, law))
    raise Rejected("no law fits")


def _poincare_under(em: Emission, step: Step, rule: Any, law: Any) -> Inference:
    work = Calculus(em, step.context)
    node = Expectation(rule.of, law)
    line = em.script.add("poincare", (), em.term(node))
    line = work.proved(_slopes_taken(work, line, rule.of, law))
    for node in nodes_of(step):
        work.take_apart(node, [work.multiplied_out, work.constant, work.marginal])
    return work.conclude(em.formula(step.statement), [work.resolved(line, ())])


# -- integers -------------------------------------------------------------------------------------


@family("_Sign")
def _sign(em: Emission, step: Step, premises: Sequence[Inference]) -> Inference:
    p, given = em.formula(step.statement), em.hypotheses(step.context)
    try:
        return em.attempt(partial(in_context, em, p, step.context, premises))
    except FAILURES:
        with suppress(*FAILURES):
            if signs := _signs_of_means(em, p, step.context):
                return em.attempt(partial(in_context, em, p, step.context, (*premises, *signs)))
        for t, k in _cuts(em, step):
            with suppress(*FAILURES):
                return em.attempt(partial(_in_two_cases, em, p, given, t, k, step.context))
        return em.from_equations(premises, p, step.context)


def _signs_of_means(em: Emission, p: Term, context: Context) -> list[Inference]:
    """That means are not negative of what is not: zero is the mean of zero."""
    lines = []
    for node in opaque_in(p).values():
        if node[0] == "E":
            zero = ("E", bound(node), (num(0),), outside(node))
            said = ("<=", num(0), inside(node)[0])
            with suppress(*FAILURES):
                known = em.attempt(partial(Calculus(em, context).shown, said, (), bound(node)))
                lines.append(em.script.add("constant", (), zero))
                lines.append(em.script.add("under", [known], zero))
    return [em.discharged(line, context) for line in lines]


def _cuts(em: Emission, step: Step) -> Iterator[tuple[Term, int]]:
    """Integers, and where the difference of the two sides vanishes beside them."""
    difference = step.link.lhs - step.link.rhs
    for x in sorted(difference.free_symbols, key=str):
        polynomial = difference.as_poly(x)
        if (
            not x.is_integer
            or polynomial is None
            or not polynomial.domain.is_QQ | (polynomial.domain.is_ZZ)
        ):
            continue
        for zero in dict.fromkeys(map(floor, polynomial.real_roots())):
            yield em.term(x), int(zero)


def _in_two_cases(
    em: Emission, p: Term, given: tuple[Term, ...], t: Term, k: int, context: Context
) -> Inference:
    split = em.discharged(em.script.add("integers apart", (), t, k), context)
    halves = [arithmetic(em, p, (*given, case)) for case in split.theorem.conclusion[1:]]
    return em.logic([split, *halves], given, p)


# -- pieces ---------------------------------------------------------------------------------------


def _kinks(t: Term) -> Iterator[Term]:
    """Signs, bars and maxima, the inner ones first."""
    for place, part in children(t):
        if not is_inside(t, place):
            yield from _kinks(part)
    if t[0] == "f" and t[1] in ("sign", "abs", "max"):
        yield t


@family("_Piecewise")
def _piecewise(em: Emission, step: Step, premises: Sequence[Inference]) -> Inference:
    return _by_pieces(em, em.formula(step.statement), step.context, ())


def _by_pieces(em: Emission, p: Term, context: Context, cases: tuple[Term, ...]) -> Inference:
    """In each case, what a sign, bars or a maximum are is put in their place."""
    node = next(_kinks(p), None)
    if node is None:
        return in_context(em, p, context, (), cases)
    name, first, *others = node[1:]
    u, zero = ("+", first, *map(neg, others)) if others else first, num(0)
    known = [em.script.add("maximum", (), first, *others)] if others else []
    parts = [em.script.add("sign", (), u), em.script.add("order", (), u, zero)]
    last = others[0] if others else neg(first)
    pieces = [num(k) for k in (1, 0, -1)] if name == "sign" else [first, first, last]
    paths, decided = places(p, node), set[str]()

    def within(here: Term, value: Term, piece: Term) -> Inference:
        decided.update(map(key, (here, value)))
        with suppress(Rejected):
            # Another case of the same number is supposed already.
            return em.logic([parts[1]], (here, *cases), p)
        if name == "sign":
            equal = em.script.add("assume", (), value)
        else:
            equal = in_context(em, ("=", node, piece), context, known, (here, *cases))
        line = _by_pieces(em, at_paths(p, paths, piece), context, (here, *cases))
        return em.script.add("rewrite", [line, equal], [plain(path) for path in paths])

    for case, piece in zip(parts[0].theorem.conclusion[1:], pieces, strict=True):
        side, value = case[1:]
        decided.add(key(side))
        try:
            # The search does more with an inequality than with an equation.
            weak = ("<=", zero, u) if side[0] == "=" else side
            parts.append(em.attempt(partial(within, weak, value, piece)))
        except FAILURES:
            if side[0] != "=":
                raise
            parts.append(within(side, value, piece))
    given = {k: h for line in parts for k, h in line.theorem.hypotheses.items()}
    decided -= set(map(key, cases))
    return em.logic(parts, [h for k, h in given.items() if k not in decided], p)


# -- numbers --------------------------------------------------------------------------------------

# Bits of the balls in which numbers are compared.
_BITS = 128


@family("_BallArithmetic")
def _numbers(em: Emission, step: Step, premises: Sequence[Inference]) -> Inference:
    """Both sides as balls; means have closed forms, those of erf(m + n G)^2 by Owen's T."""
    p, changed = em.formula(step.statement), list[tuple[Inference, list[Any]]]()
    for node in nodes_of(step):
        line = _value(em, node, step.context)
        _, mean, value = line.theorem.conclusion
        paths = places(p, mean)
        changed.append((line, [plain(path) for path in paths]))
        p = at_paths(p, paths, value)
    shown = em.script.add("numbers", (), p, _BITS)
    for line, paths in reversed(changed):
        shown = em.script.add("rewrite", [shown, line], paths)
    return shown


def _value(em: Emission, node: Expectation, context: Context) -> Inference:
    """Show what a mean is, in a closed form."""
    with suppress(*FAILURES):
        return em.attempt(partial(_by_owens_t, em, node, context))
    work = _Closing(em, context)
    work.take_apart(node, [work.in_table_form, *work.others])
    name = key(em.term(node))
    if work.whole or name not in work.lines:
        raise Rejected(f"no closed form is known of {', '.join(map(str, work.whole))}")
    return work.proved(work.resolved(work.lines[name], ()))


def _by_owens_t(em: Emission, node: Expectation, context: Context) -> Inference:
    (g,) = node.law.symbols
    inner = Wild("u")
    found = node.integrand.match(erf(inner) ** 2)
    if found is None or node.law != standard_normal(g):
        raise Rejected("no ball for this mean")
    m, n = found[inner].subs(g, 0), found[inner].diff(g)
    meaning = em.script.add("definition", (), em.term(zeta(m, n)))
    meaning = em.discharged(meaning, context)
    mean = meaning.theorem.conclusion[2]
    work, t = Calculus(em, context), em.term(node)
    body = substitute(inside(t)[0], dict(zip(bound(t), bound(mean), strict=True)))
    same_mean = work.with_body(mean, body)
    value = em.cited("zeta-owens-t", [("t", m), ("s", n)], context)
    for line in (meaning, same_mean):
        # The mean for zeta, and then its own body.
        said, old = value.theorem.conclusion, line.theorem.conclusion[1]
        paths = [plain(path) for path in places(said, old)]
        value = em.script.add("rewrite", [value, line], paths)
    return value
