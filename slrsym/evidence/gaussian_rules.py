"""The rules of the Gaussian calculus, each by the equations that it allows."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from sympy import Add, Derivative, Dummy, Expr, Mul, S, Symbol, exp, expand, eye, pi, simplify, sqrt

from slrsym.evidence.arithmetic import opaque_in
from slrsym.evidence.emission import FAILURES, QUESTIONS, Emission, family
from slrsym.evidence.expectations import Calculus, nodes_of
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.functions import erf_prime
from slrsym.gaussian.law import GaussianLaw, IIDSum
from slrsym.search.context import Context
from slrsym.search.gaussian import _slope
from slrsym.search.step import Link, Step
from slrsym.trusted import Line, Refused
from slrsym.trusted.expect import moments, semidefinite
from slrsym.trusted.term import (
    RELATIONS,
    Term,
    bound,
    children,
    defined,
    inside,
    key,
    num,
    outside,
    plain,
    same,
    substitute,
)

# -- questions ------------------------------------------------------------------------------------


def _exists(
    em: Emission, p: Term, given: Sequence[Term], context: Context, lines: Sequence[Line] = ()
) -> Line:
    """That an expectation exists; of a matrix, that it is positive semidefinite."""
    if p[0] == "=" and p[1][0] == "E" and same(p[1], p[2]):
        return em.discharged(em.script.add("integrable", (), p[1]), context)
    if p[0] == "=" and p[1][0] == "d" and inside(p[1])[0][0] == "E" and same(p[1], p[2]):
        line = em.script.add("derivative of expectation", (), p[1])
        return em.discharged(em.script.add("defined", [line], [1]), context)
    if p[0] == "=" and p[1][0] == "copies" and same(p[1], p[2]):
        return em.discharged(em.script.add("copies exist", (), p[1]), context)
    if p[:2] == ("o", "moderate") or (
        p[0] == "forall" and p == ("forall", bound(p), (defined(inside(p)[0][1]),), ())
    ):
        function = p[2] if p[0] == "o" else ("lam", bound(p), (inside(p)[0][1],), ())
        line = em.script.add("moderate", (), function)
        line = em.logic([line], line.theorem.hypotheses.values(), p)
        return em.discharged(line, context)
    if p[:2] == ("o", "psd"):
        return _semidefinite(em, p, given, context)
    if p[0] in RELATIONS and opaque_in(p):
        return Calculus(em, context).shown(p, lines)
    raise Refused("another question")


def _semidefinite(em: Emission, p: Term, given: Sequence[Term], context: Context) -> Line:
    entries = [key(c) for c in p[2][1:]]
    n = round(len(entries) ** 0.5)
    for h in given:
        if h[:2] != ("o", "psd"):
            continue
        mine = [key(c) for c in h[2][1:]]
        size = round(len(mine) ** 0.5)
        diagonal = [mine[size * i + i] for i in range(size)]
        choices = [[i for i in range(size) if diagonal[i] == entries[n * k + k]] for k in range(n)]
        found = _rows(choices, mine, size, entries, n, [])
        if found is not None:
            line = em.script.add("psd part", (), h, found)
            return em.logic([line], line.theorem.hypotheses.values(), p)
    raise Refused("no reason why a matrix is positive semidefinite")


def _rows(choices: Any, mine: Any, size: int, entries: Any, n: int, chosen: list[int]) -> Any:
    k = len(chosen)
    if k == n:
        return chosen
    for i in choices[k]:
        if all(mine[size * i + j] == entries[n * k + m] for m, j in enumerate(chosen)):
            found = _rows(choices, mine, size, entries, n, [*chosen, i])
            if found is not None:
                return found
    return None


QUESTIONS.insert(0, _exists)


# -- families -------------------------------------------------------------------------------------


def _worked(em: Emission, step: Step, *ways: str, rule: Any = None) -> Calculus:
    work = Calculus(em, step.context)
    chosen: list[Any] = [work.no_copies, work.multiplied_out, work.constant]
    chosen += [getattr(work, way) for way in ways]
    if rule is not None:
        chosen.append(partial(work.stein, rule.variables))
    chosen.append(work.marginal)
    for node in nodes_of(step):
        work.take_apart(node, chosen)
    return work


@family("_Linearity")
def _linearity(em: Emission, step: Step, premises: Sequence[Line]) -> Line:
    return _worked(em, step).conclude(em.formula(step.statement))


@family("_Independence")
def _independence(em: Emission, step: Step, premises: Sequence[Line]) -> Line:
    return _worked(em, step, "independent").conclude(em.formula(step.statement))


@family("_NoiseMoments")
def _moments(em: Emission, step: Step, premises: Sequence[Line]) -> Line:
    work = _worked(em, step, "noise", "copies", "independent")
    return work.conclude(em.formula(step.statement))


@family("_Stein")
def _stein(em: Emission, step: Step, premises: Sequence[Line]) -> Line:
    return _worked(em, step, rule=step.rule).conclude(em.formula(step.statement))


@family("_Substitution")
def _substitution(em: Emission, step: Step, premises: Sequence[Line]) -> Line:
    rule: Any = step.rule
    forms, work = dict(rule.forms), _worked(em, step)
    for node in nodes_of(step):
        if set(node.law.symbols) == set(forms):
            _factored(work, node, forms, rule.law)

            def moved(node: Expectation = node) -> Line:
                return work.proved(work.image(node, forms, rule.law))

            with suppress(*FAILURES):
                work.lines[key(em.term(node))] = em.attempt(moved)
    return work.conclude(em.formula(step.statement))


def _factored(
    work: Calculus, node: Expectation, forms: dict[Symbol, Expr], law: GaussianLaw
) -> None:
    """The image of a standard law exists, its covariance being a product."""
    for block, t in zip(node.law.blocks(), outside(work.term(node)), strict=True):
        if len(block.symbols) < 2 or law.cov != eye(len(law.symbols)):
            continue
        for p in semidefinite(moments(t)[1]):
            if p[0] != "o":
                continue
            rows = [[forms[s].coeff(x) for x in law.symbols] for s in block.symbols]
            factor = tuple(work.em.term(c) for row in rows for c in row)
            with suppress(*FAILURES):
                line = work.proved(work.add("psd factor", (), p, factor))
                name = (key(p), tuple(sorted(map(key, work.given))))
                work.em._holds[name] = line


@family("_Symmetry")
def _symmetry(em: Emission, step: Step, premises: Sequence[Line]) -> Line:
    rule: Any = step.rule
    work = Calculus(em, step.context)
    for node in nodes_of(step):
        flipped = [s for s in node.law.symbols if s in rule.variables]
        if not flipped:
            continue
        names = {s: Dummy(s.name, real=True) for s in node.law.symbols}
        means = {
            s: m for b in node.law.blocks() if isinstance(b, GaussianLaw) for s, m in b.mean.items()
        }
        forms = {s: 2 * means[s] - names[s] if s in flipped else names[s] for s in names}
        line = work.image(node, forms, node.law.renamed(names))
        mirror = line.theorem.conclusion[2]
        back = dict(zip(bound(em.term(node)), bound(mirror), strict=True))
        odd = work.linear(mirror, [(num(-1), substitute(inside(em.term(node))[0], back))])
        work.lines[key(em.term(node))] = work.rewritten(line, odd, mirror)
    return work.conclude(em.formula(step.statement))


@family("_DifferentiateUnderExpectation")
def _under(em: Emission, step: Step, premises: Sequence[Line]) -> Line:
    work = _worked(em, step)
    nodes = [n for side in (step.link.lhs, step.link.rhs) for n in side.atoms(Derivative)]
    for node in nodes:
        if not isinstance(node.expr, Expectation):
            continue
        t = em.term(node)
        line = work.add("derivative of expectation", (), t)
        inner = line.theorem.conclusion[2]
        slope = node.expr.integrand
        for x, n in node.variable_count:
            for _ in range(int(n)):
                slope = _slope(slope, x)
        moved = Expectation(slope, node.expr.law)
        wanted = substitute(
            inside(em.term(moved))[0], dict(zip(bound(em.term(moved)), bound(inner), strict=True))
        )
        line = work.rewritten(line, work.with_body(inner, wanted), inner)
        work.lines[key(t)] = line
        work.take_apart(moved, [work.multiplied_out, work.constant, work.marginal])
    return work.conclude(em.formula(step.statement))


@family("_Density")
def _density(em: Emission, step: Step, premises: Sequence[Line]) -> Line:
    work = Calculus(em, step.context)
    wanted = em.formula(step.statement)
    for side, other in ((1, 2), (2, 1)):
        if wanted[side][0] == "E" and wanted[other][0] == "int":
            line, exists = work.density(wanted[side])
            integral = line.theorem.conclusion[2]
            body = substitute(
                inside(wanted[other])[0],
                dict(zip(bound(wanted[other]), bound(integral), strict=True)),
            )
            line = work.rewritten(line, work.with_body(integral, body, exists), integral)
            return em.conclude(line, wanted, step.context)
    raise NotImplementedError("a density beside other terms")


@family("_CompleteTheSquare")
def _square(em: Emission, step: Step, premises: Sequence[Line]) -> Line:
    rule: Any = step.rule
    work, ways, sides = Calculus(em, step.context), [], []
    for side in (step.link.lhs, step.link.rhs):
        nodes = [n for n in Mul.make_args(side) if isinstance(n, Expectation)]
        node = nodes[0] if nodes else Expectation(S.One, rule.law)
        factor = side / node if nodes else side
        whole = Expectation(factor * node.integrand, node.law)
        t = em.term(whole)
        way = []
        if not nodes:
            way.append(work.add("constant", (), t))
        elif factor != 1:
            way.append(work.linear(t, [(em.term(factor), work.body(node.integrand, whole))]))
        line, exists = work.density(t)
        ways.append([*way, line])
        sides.append((whole, line.theorem.conclusion[2], exists))
    (first, left, exists), (second, right, _) = sides
    renamed = dict(zip(bound(right), bound(left), strict=True))
    right = (right[0], bound(left), (substitute(inside(right)[0], renamed),), outside(right))
    one = _single_exponential(work, first, left)
    other = _single_exponential(work, second, right)
    # Of products of exponentials the ring does not see that exponents add up.
    equal = work.shown(
        ("=", one.theorem.conclusion[2], other.theorem.conclusion[2]), (), bound(left)
    )
    line = work.add("chain", [one, equal, other])
    equal = work.bodies(line, left, exists)
    line = work.add("chain", [*ways[0], equal, *reversed(ways[1])])
    return em.conclude(line, em.formula(step.statement), step.context)


def _single_exponential(work: Calculus, whole: Expectation, integral: Term) -> Line:
    """The integrand against Lebesgue measure as a factor times one exponential."""
    (body,), names = inside(integral), bound(integral)
    ((x, mean),) = whole.law.mean.items()
    of = whole.integrand.replace(erf_prime, lambda u: 2 * exp(-(u**2)) / sqrt(pi))
    factors = Mul.make_args(of)
    exponents = [f.args[0] for f in factors if isinstance(f, exp)]
    rest = Mul(*(f for f in factors if not isinstance(f, exp)))
    mine = Add(*exponents)
    # What stands in the kernel's density.
    density = next(f[2] for f in body[1:] if f[:2] == ("f", "exp") and f[2][0] == "*")
    total = expand(simplify(mine - (x - mean) ** 2 / (2 * whole.law.cov[0, 0])))
    to = dict(zip(bound(work.term(whole)), names, strict=True))

    def term(expr: Expr) -> Term:
        return substitute(work.body(expr, whole), to)

    parts = ("+", term(mine), density)
    split = work.add("exponential of a sum", (), ("f", "exp", parts))
    split = work.settled(split, (), names)
    whole_exponent = work.shown(("=", parts, term(total)), (), names)
    # exp(total) = exp(mine) exp(density)
    split = work.em.script.add("rewrite", [split, whole_exponent], [[1, 2]])
    _, _, product = split.theorem.conclusion
    norm = ("*", body[1], term(rest))
    taken = work.shown(("=", body, ("*", norm, product)), (), names)
    return work.add("rewrite", [taken, split], [[2, 2]])


@family("_Inside")
def _inside(em: Emission, step: Step, premises: Sequence[Line]) -> Line:
    rule: Any = step.rule
    left, right = step.link.lhs, step.link.rhs
    link = Link(left.integrand, step.link.relation, right.integrand)
    inner = Step(step.label, link.statement, rule.by, link, step.context)
    line = em.by_family(inner, premises)
    t = em.term(left)
    order = [em.term(s) for block in left.law.blocks() for s in block.symbols]
    line = Calculus(em, step.context).settled(line, (), order)
    here = ("E", tuple(order), (line.theorem.conclusion[1],), outside(t))
    name = "equal bodies" if step.link.relation == "=" else "under"
    line = em.script.add(name, [line], here)
    return em.conclude(line, em.formula(step.statement), step.context)


@family("_Conditioning")
def _conditioning(em: Emission, step: Step, premises: Sequence[Line]) -> Line:
    rule: Any = step.rule
    work = Calculus(em, step.context)
    for node in nodes_of(step):
        chosen = set(node.law.symbols) & set(rule.given)
        if not chosen or chosen == set(node.law.symbols):
            continue
        law, count = work._refined(node.law, chosen)
        line = None
        t = em.term(node)
        if law != node.law:
            names = {s: Dummy(s.name, real=True) for s in law.symbols}
            line = work.image(node, names, law.renamed(names))
            t = line.theorem.conclusion[2]
        nested = work.add("fubini", (), t, count)
        work.lines[key(em.term(node))] = nested if line is None else work.rewritten(line, nested, t)
    return work.conclude(em.formula(step.statement))


@family("_PeelCopy")
def _peel(em: Emission, step: Step, premises: Sequence[Line]) -> Line:
    work = Calculus(em, step.context)
    for node in nodes_of(step):
        for copies in node.integrand.atoms(IIDSum):
            if not step.link.lhs.has(copies):
                continue
            t = em.term(node)
            line = work.add("one copy more", (), t, em.term(copies))
            less, wanted = em.term(copies.count), em.term(copies.count - 1)
            less = ("+", less, num(-1))
            count = work.shown(("=", less, wanted))
            paths = [[2, *path] for path in _anywhere(line.theorem.conclusion[2], less)]
            work.lines[key(t)] = work.add("rewrite", [line, count], paths)
    return work.conclude(em.formula(step.statement))


def _anywhere(t: Term, wanted: Term) -> list[list[Any]]:
    """Where a term stands in another, under binders, too."""
    if t == wanted:
        return [[]]
    return [
        [plain(place), *path] for place, part in children(t) for path in _anywhere(part, wanted)
    ]
