"""Numbers in balls: true comparisons of random closed terms are accepted, and no false one."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import pytest

from slrsym.checker import Rejected
from slrsym.checker.term import canonical_key, num
from slrsym.checker.theorem import apply_rule
from tests.checker.terms import fn

ZERO, ONE, PI = num(0), num(1), ("pi",)
BITS = 128


def owens_t(h, a):
    def slope(x):
        return mpmath.exp(-(h**2) * (1 + x**2) / 2) / (1 + x**2)

    return mpmath.quad(slope, [0, a]) / (2 * mpmath.pi)


# By mpmath, which shares no code with Arb's balls.
VALUES = {
    "exp": mpmath.exp, "log": mpmath.log, "erf": mpmath.erf, "asin": mpmath.asin,
    "atan": mpmath.atan, "sin": mpmath.sin, "cos": mpmath.cos, "sinh": mpmath.sinh,
    "cosh": mpmath.cosh, "tanh": mpmath.tanh, "abs": mpmath.fabs, "owens": owens_t,
}  # fmt: skip


def value(t):
    """The value of a closed term; complex or infinite where there is none."""
    if t[0] == "n":
        return mpmath.mpf(t[1]) / t[2]
    if t[0] == "pi":
        return mpmath.pi()
    if t[0] in ("+", "*"):
        parts = [value(part) for part in t[1:]]
        return mpmath.fsum(parts) if t[0] == "+" else mpmath.fprod(parts)
    if t[0] == "^":
        base = value(t[3])
        return (base if t[2] == 1 else mpmath.root(base, t[2])) ** t[1]
    return VALUES[t[1]](*map(value, t[2:]))


def random_term(rng, depth):
    if depth == 0 or rng.random() < 0.15:
        return PI if rng.random() < 0.2 else num(rng.randint(-30, 30), rng.randint(1, 12))
    parts = [random_term(rng, depth - 1) for _ in range(2)]
    kind = rng.choice(["+", "*", "^", "f", "f"])
    if kind in ("+", "*"):
        return (kind, *parts)
    if kind == "^":
        return ("^", rng.choice([-2, -1, 1, 2, 3]), rng.choice([1, 1, 2, 3]), parts[0])
    name = rng.choice(sorted(VALUES))
    return fn(name, *(parts if name == "owens" else parts[:1]))


@pytest.mark.parametrize(("h", "a"), [(1, 2), (2, 1), (3, 2), (-2, 3), (5, 7)])
def test_owens_t_to_many_digits(h, a):
    """Of random terms, few have both arguments of a size where T is not nearly 0."""
    t = fn("owens", num(h, 2), num(a, 3))
    with mpmath.workdps(30):
        scaled = int(mpmath.floor(value(t) * 10**15))
    assert is_accepted(("<", num(scaled - 1, 10**15), t))
    assert is_accepted(("<", t, num(scaled + 2, 10**15)))


def is_accepted(p):
    try:
        return canonical_key(apply_rule("numbers", (), p, BITS).conclusion) == canonical_key(p)
    except Rejected:
        return False


@pytest.mark.parametrize("seed", range(6))
def test_random_numbers_compare_as_they_are(seed):
    rng = random.Random(seed)
    seen = 0
    with mpmath.workdps(30):
        for _ in range(150):
            t = random_term(rng, 3)
            try:
                v = value(t)
            except (ZeroDivisionError, ValueError, OverflowError):
                v = None
            if v is None or isinstance(v, mpmath.mpc) or not mpmath.isfinite(v) or abs(v) > 1e6:
                continue
            # A rational beside it, nearer or farther.
            shift = mpmath.mpf(rng.choice([-1, 1])) / 10 ** rng.randint(1, 8)
            q = num(int(mpmath.floor((v + shift) * 10**9)), 10**9)
            less, more = (t, q) if v < value(q) else (q, t)
            seen += is_accepted(("<", less, more))
            assert not is_accepted(("<", more, less))
            assert not is_accepted(("<=", more, less))
            assert not is_accepted(("!=", t, t))
            assert is_accepted(("!=", t, q)) == is_accepted(("<", less, more))
    assert seen > 60


@pytest.mark.parametrize(
    "t",
    [
        ("^", -1, 1, ZERO), ("^", 1, 2, num(-1)), ("^", 1, 3, num(-8)), ("^", 1, 2, ZERO),
        fn("log", ZERO), fn("log", num(-1)), fn("asin", num(2)), ("^", -1, 2, fn("sin", PI)),
        # A root of an order that fits into no machine word.
        ("^", 1, 10**30, num(2)),
        # What is infinite may be at the bottom of what is not.
        fn("tanh", ("^", -1, 1, ZERO)), fn("atan", fn("log", ZERO)),
        ("*", ZERO, ("^", -1, 1, ("+", PI, ("*", num(-1), PI)))),
        # These are no numbers.
        ("s", "x", "R>0"), fn("zeta", ZERO, ONE), fn("max", ONE, ZERO),
        ("E", (("s", "v", "R"),), (ONE,), (("gauss", 1, ZERO, ONE),)),
    ],
)  # fmt: skip
def test_what_has_no_value_is_refused(t):
    for p in (("<", t, num(10**6)), ("<", num(-(10**6)), t), ("!=", t, num(10**6))):
        assert not is_accepted(p)


@pytest.mark.parametrize(
    ("premises", "p", "bits"),
    [
        ((), ("=", PI, PI), BITS),
        ((), ("=", ZERO, ONE), BITS),
        ((), ("and", ("<", ZERO, ONE), ("<", ZERO, ONE)), BITS),
        ((apply_rule("numbers", (), ("<", ZERO, ONE), BITS),), ("<", ZERO, ONE), BITS),
        ((), ("<", ZERO, ONE), 31),
        ((), ("<", ZERO, ONE), 513),
        ((), ("<", ZERO, ONE), True),
        ((), ("<", ZERO, ONE), 64.0),
    ],
)
def test_other_questions_are_refused(premises, p, bits):
    with pytest.raises(Rejected):
        apply_rule("numbers", premises, p, bits)


@pytest.mark.parametrize("name", ["sin", "cos", "atan"])
def test_every_part_has_to_lie_in_a_bounded_ball(name):
    # Where it is unbounded, the value of the function is still seen to lie below 2.
    large = fn("exp", num(100))
    assert is_accepted(("<", fn(name, large), num(2)))
    assert not is_accepted(("<", fn(name, fn("exp", fn("exp", large))), num(2)))


@pytest.mark.parametrize("e", [-2, -1, 2, 3])
def test_whole_powers_of_a_negative_number(e):
    power, v = ("^", e, 1, num(-2, 3)), Fraction(-2, 3) ** e
    assert is_accepted(("<", num(v.numerator - 1, v.denominator), power))
    assert is_accepted(("<", power, num(v.numerator + 1, v.denominator)))


def test_roots_of_order_1000_and_more_are_refused():
    assert is_accepted(("<", num(1), ("^", 1, 999, num(2))))
    assert not is_accepted(("<", num(1), ("^", 1, 1000, num(2))))


def test_near_numbers_need_more_bits():
    near = ("<", PI, num(314159265358979323846264338327950288419716939937511, 10**50))
    with pytest.raises(Rejected):
        apply_rule("numbers", (), near, 64)
    assert apply_rule("numbers", (), near, 256).axioms == frozenset()
