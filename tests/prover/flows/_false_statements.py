"""False statements about flows: a constant, a sign, a region or an end of true ones is changed.

Each family has the parts of a true statement, a proof that follows the parts, and ways of changing
one of them, each of which makes the statement false, by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from sympy import Integral, Lt, Rational, S, Symbol, Tuple, exp, sqrt, symbols

from slrsym.proof import (
    Claim,
    D,
    algebra,
    at,
    builtin_ledger,
    chain,
    differentiate,
    fundamental_theorem,
    having,
    signs,
)
from slrsym.proof.dynamical import (
    ArrivesAt,
    ConstantAlong,
    DecaysAlong,
    EndsBy,
    LastsForEver,
    NullFlowStarts,
    RegionKept,
    SolvedBy,
    by_theorem,
    flow,
)
from slrsym.prover.tactics.judgement import judge_claim
from tests.prover.flows.test_false_variants import claims as logistic_claims
from tests.prover.rules.test_flow_theorems import for_ever, linear_matrix

x, y, u = symbols("x y u", real=True)
a, b, delta = symbols("a b delta", positive=True)
t = Symbol("t", nonnegative=True)
RADIUS = x**2 + y**2


class Family(NamedTuple):
    """A true statement: how it is made of its parts, and the false values of each part."""

    make: Callable[..., Claim | tuple[Claim, ...]]
    parts: dict[str, Any]
    # By part: its kind (constant, sign, region or end), and how to draw a value.
    changes: dict[str, tuple[str, Callable[[Generator], Any]]]


def _claim(statement: Any, prove: Callable[[Any], Any], given: Any = ()) -> Claim:
    made = Claim("false-flow", statement, "nowhere", hypotheses=given)
    made.proof(prove)
    return made


def _small(rng: Generator) -> Any:
    return Rational(int(rng.integers(2, 40)), 40)


def _signed(rng: Generator) -> Any:
    return int(rng.choice([-1, 1])) * _small(rng)


def _apart(rng: Generator) -> Any:
    """Return a factor that is not 1."""
    return 1 + int(rng.choice([-1, 1])) * _small(rng) / 2


def _above(rng: Generator) -> Any:
    return 1 + _small(rng)


def _below(rng: Generator) -> Any:
    return 1 - _small(rng) / 2


def _minus(_: Generator) -> Any:
    return S.NegativeOne


def _cofactor(goal: Any, *factors: Any) -> Any:
    f = goal.map
    rises = {
        f"rises_{i}": chain(k * v).le(f.rate_of(v), by=differentiate)
        for i, (k, v) in enumerate(zip(factors, goal.region.expr, strict=True), start=1)
    }
    return by_theorem(goal, "flow-cofactor", {"cofactors": f.function(*factors)}, **rises)


def _whole(f: Any) -> Any:
    return _cofactor(RegionKept(f, f.region()), S.Zero)


def unit_kept(sign: Any, constant: Any, low: Any, high: Any) -> Claim:
    """The logistic flow keeps the unit interval."""
    f = flow({x: sign * a * x * (1 - x) + constant})
    goal = RegionKept(f, f.region(x - low, high - x))
    return _claim(goal, lambda goal: _cofactor(goal, a * (1 - x), -a * x))


def disc_kept(sign: Any, factor: Any, constant: Any, centre: Any) -> Claim:
    """A rotation keeps the unit disc."""
    f = flow({x: y + constant, y: -sign * factor * x})
    goal = RegionKept(f, f.region(1 - (x - centre) ** 2 - y**2))
    return _claim(goal, lambda goal: _cofactor(goal, S.Zero))


def balanced(sign: Any, constant: Any, factor: Any) -> Claim:
    """Descent on a function of x y keeps the difference of the squares."""
    slope = a * x * y - b
    f = flow({x: -slope * y + constant, y: -sign * slope * x})
    kept = x**2 - factor * y**2

    def prove(goal: Any) -> Any:
        zero = chain(f.rate_of(kept)).then(0, by=differentiate)
        return by_theorem(goal, "flow-gronwall", kept=_whole(f), constant=zero)

    return _claim(ConstantAlong(f, f.region(), f.function(kept)), prove)


def decays(sign: Any, constant: Any, factor: Any) -> Claim:
    """The square of a solution of x' = -a x - x^3 decays at the rate 2 a."""
    f = flow({x: -sign * a * x - x**3 + constant})
    rate = 2 * a * factor

    def prove(goal: Any) -> Any:
        falls = chain(f.rate_of(x**2) + rate * x**2).then(-2 * x**4, by=differentiate)
        return by_theorem(goal, "flow-gronwall", kept=_whole(f), decays=falls.le(0, by=signs))

    return _claim(DecaysAlong(f, f.region(), f.function(x**2), rate), prove)


def product_rate(factor: Any, region: Any) -> Claim:
    """The excess loss of two layers decays at a rate where the loss is below its value at 0."""
    loss = a * x**2 * y**2 / 2 - b * x * y
    gap = a / 2 * (x * y - b / a) ** 2
    f = flow({x: -loss.diff(x), y: -loss.diff(y)})
    rate = 4 * factor * delta * a / b

    def kept(goal: Any) -> Any:
        rises = chain(S.Zero).le(f.rate_of(-region * delta - loss), by=signs)
        return by_theorem(goal, "flow-cofactor", {"cofactors": f.function(0)}, rises_1=rises)

    def prove(goal: Any) -> Any:
        low = having(
            chain(a * x**2 * y**2 / 2).ge(0, by=signs), chain(x * y * b - delta).ge(0, by=signs)
        )
        apart = chain(RADIUS - 2 * x * y).then((x - y) ** 2, by=algebra).ge(0, by=signs)
        speed = 2 * a * RADIUS
        size = chain(speed - rate).ge(0, by=signs)
        falls = chain(f.rate_of(gap) + rate * gap).then(-gap * (speed - rate), by=differentiate)
        return by_theorem(
            goal, "flow-gronwall", kept=kept(RegionKept(f, goal.region)),
            decays=having(low, apart, size, falls.le(0, by=signs)),
        )  # fmt: skip

    goal = DecaysAlong(f, f.region(-region * delta - loss), f.function(gap), rate)
    return _claim(goal, prove, [Lt(2 * a * delta, b**2)])


def exponential(sign: Any, constant: Any, factor: Any) -> Claim:
    """The solution of x' = -a x is an exponential."""
    f = flow({x: -sign * a * x + constant})
    there = x * exp(-factor * a * t)

    def prove(goal: Any) -> Any:
        moves = chain(D(there, t)).then(at(f.velocities[0], {x: there}), by=differentiate)
        return by_theorem(goal, "flow-solution", {"time": t}, moves_1=moves)

    return _claim(SolvedBy(f, f.region(), f.solution(t, there)), prove)


def logistic_formula(sign: Any, factor: Any, low: Any) -> Claim:
    """The logistic flow from a positive start has its formula for ever."""
    f = flow({x: sign * x * (1 - x)})
    g = exp(factor * t)
    there = x * g / (1 + x * (g - 1))

    def prove(goal: Any) -> Any:
        moves = having(
            chain(g).ge(1, by=signs),
            chain(1 + x * (g - 1)).gt(0, by=signs),
            chain(D(there, t)).then(at(f.velocities[0], {x: there}), by=differentiate),
        )
        return by_theorem(goal, "flow-solution", {"time": t}, moves_1=moves)

    return _claim(SolvedBy(f, f.region(x - low), f.solution(t, there)), prove)


def arrives(sign: Any, factor: Any, end: Any) -> Claim:
    """The time in which x' = e^x runs from a to 2 a."""
    f = flow({x: sign * exp(x)})
    time = factor * (exp(-a) - exp(-2 * a))

    def prove(goal: Any) -> Any:
        return by_theorem(
            goal, "flow-time", {"direction": 1, "reciprocal": f.function(exp(-x))},
            order=chain(a).le(end * a, by=signs), pushes=chain(exp(x)).gt(0, by=signs),
            reciprocal=chain(exp(x) * exp(-x)).then(1, by=algebra),
            time=chain(Integral(exp(-x), (x, a, end * a))).then(
                time, by=fundamental_theorem(-exp(-x), x)),
        )  # fmt: skip

    return _claim(ArrivesAt(f, Tuple(a, end * a), time), prove)


def ends(sign: Any, constant: Any, factor: Any, low: Any) -> Claim:
    """The flow of x^2 from above 1 ends by 1/x."""
    f = flow({x: sign * x**2 - constant})
    until = factor / x

    def prove(goal: Any) -> Any:
        positive = chain(x).gt(0, by=signs)
        falls = chain(f.rate_of(until) + 1).then(0, by=differentiate).le(0, by=signs)
        return by_theorem(
            goal, "flow-ends", kept=_cofactor(RegionKept(f, goal.region), S.Zero),
            nonnegative=having(positive, chain(until).ge(0, by=signs)),
            falls=having(positive, falls),
        )  # fmt: skip

    return _claim(EndsBy(f, f.region(x - low), f.function(until)), prove)


def lasts(bend: Any, edge: Any) -> Claim:
    """The flow of x lasts for ever; with a square it does not, nor with an edge above."""
    f = flow({x: x + bend * x**2}, [edge - x] if edge else ())
    return _claim(LastsForEver(f, f.region()), for_ever)


def null_starts(first: Any, second: Any) -> Claim:
    """Almost no start tends to a saddle."""
    m = ((2 * first, 1), (1, -2 * second))
    f = flow({x: m[0][0] * x + y, y: x + m[1][1] * y})

    # The larger eigenvalue.
    trace, gap = 2 * first - 2 * second, 2 * first + 2 * second
    largest = (trace + sqrt(gap**2 + 4)) / 2

    def prove(goal: Any) -> Any:
        return linear_matrix(goal, m, largest)

    return _claim(NullFlowStarts(f, f.points((0, 0))), prove)


def _of_logistic(place: int) -> Callable[..., tuple[Claim, ...]]:
    def made(**parts: Any) -> tuple[Claim, ...]:
        claims = logistic_claims(**parts)
        return claims[place], *claims

    return made


_LOGISTIC = {"sign": 1, "constant": 0, "region": delta, "rate": a * delta, "end": 1}
_CHANGES: dict[str, tuple[str, Callable[[Generator], Any]]] = {
    "sign": ("sign", _minus),
    "constant": ("constant", lambda rng: -_small(rng)),
    "region": ("region", lambda rng: -_small(rng) * delta),
    "rate": ("constant", lambda rng: a * delta * _above(rng)),
    "end": ("end", lambda _: 0),
}
FAMILIES = {
    "unit-kept": Family(
        unit_kept, {"sign": 1, "constant": 0, "low": 0, "high": 1},
        {"constant": ("constant", _signed), "low": ("region", lambda rng: -_small(rng)),
         "high": ("region", _below)}),
    "disc-kept": Family(
        disc_kept, {"sign": 1, "factor": 1, "constant": 0, "centre": 0},
        {"sign": ("sign", _minus), "factor": ("constant", _apart),
         "constant": ("constant", _signed), "centre": ("region", _signed)}),
    "balanced": Family(
        balanced, {"sign": 1, "constant": 0, "factor": 1},
        {"sign": ("sign", _minus), "constant": ("constant", _signed),
         "factor": ("constant", _apart)}),
    "decays": Family(
        decays, {"sign": 1, "constant": 0, "factor": 1},
        {"sign": ("sign", _minus), "constant": ("constant", _signed),
         "factor": ("constant", _above)}),
    "product-rate": Family(
        product_rate, {"factor": 1, "region": 1},
        {"factor": ("constant", _above), "region": ("region", lambda rng: -_small(rng))}),
    "exponential": Family(
        exponential, {"sign": 1, "constant": 0, "factor": 1},
        {"sign": ("sign", _minus), "constant": ("constant", _signed),
         "factor": ("constant", _apart)}),
    "logistic-formula": Family(
        logistic_formula, {"sign": 1, "factor": 1, "low": 0},
        {"sign": ("sign", _minus), "factor": ("constant", _apart),
         "low": ("region", lambda rng: -_small(rng))}),
    "arrives": Family(
        arrives, {"sign": 1, "factor": 1, "end": 2},
        {"sign": ("sign", _minus), "factor": ("constant", _apart),
         "end": ("end", lambda rng: 2 * _apart(rng))}),
    "ends": Family(
        ends, {"sign": 1, "constant": 0, "factor": 1, "low": 1},
        {"sign": ("sign", _minus), "constant": ("constant", _small),
         "factor": ("constant", _below), "low": ("region", lambda rng: -_small(rng))}),
    "lasts": Family(
        lasts, {"bend": 0, "edge": 0},
        {"bend": ("constant", _signed), "edge": ("region", lambda rng: 1 + _small(rng))}),
    "null-starts": Family(
        null_starts, {"first": 1, "second": 1},
        # The determinant stays positive, and the trace negative: both eigenvalues are.
        {"first": ("sign", lambda rng: -_above(rng))}),
    "logistic-kept": Family(
        _of_logistic(0), _LOGISTIC,
        {k: _CHANGES[k] for k in ("sign", "constant", "region")}),
    "logistic-rate": Family(
        _of_logistic(1), _LOGISTIC,
        {k: _CHANGES[k] for k in ("sign", "constant", "region", "rate")}),
    "logistic-ends": Family(
        _of_logistic(2), _LOGISTIC, {k: _CHANGES[k] for k in ("constant", "region")}),
    "logistic-tends": Family(
        _of_logistic(3), _LOGISTIC,
        {k: _CHANGES[k] for k in ("sign", "constant", "region", "end")}),
}  # fmt: skip


class Variant(NamedTuple):
    """A false statement: of what family, what was changed, and the claim with its proof."""

    family: str
    part: str
    kind: str
    value: Any
    claim: Claim
    # Claims that its proof cites, by id.
    cited: dict[str, Claim]


def variant(name: str, part: str = "", kind: str = "", value: Any = None) -> Variant:
    """Return the statement of a family with one part changed, or the true one."""
    family = FAMILIES[name]
    made = family.make(**(family.parts | ({part: value} if part else {})))
    claim, *others = made if isinstance(made, tuple) else (made,)
    return Variant(name, part, kind, value, claim, {other.id: other for other in others})


def is_proved(one: Variant, effort: float = 0.2) -> bool:
    """Return whether the proof checker alone, without numbers, accepts the proofs.

    Those of the claims that it cites are asked for as well.
    """

    def find(id: str) -> Claim:
        return one.cited.get(id) or builtin_ledger().find(id)

    left, asked = [one.claim], set[str]()
    while left:
        verdict = judge_claim(left.pop(), find, effort)
        if verdict.problem or not verdict.refusals or any(verdict.refusals.values()):
            return False
        left += [one.cited[id] for id in verdict.uses if id in one.cited and id not in asked]
        asked |= {*verdict.uses}
    return True


def false_statements(count: int, seed: int = 0) -> Iterator[Variant]:
    """Yield false statements, of each family in turn, and of it each part in turn."""
    rng = np.random.default_rng(seed)
    names = [*FAMILIES]
    for number in range(count):
        turn, place = divmod(number, len(names))
        name = names[place]
        family = FAMILIES[name]
        part = [*family.changes][turn % len(family.changes)]
        kind, draw = family.changes[part]
        yield variant(name, part, kind, draw(rng))
