"""The inference rule that compares two numbers, terms without symbols, in ball arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import acb, arb, ctx, fmpq

from slrsym.checker.term import RELATIONS, Term, require
from slrsym.checker.theorem import rule


def _owens_t(h: Any, a: Any) -> Any:
    """Return a ball around Owen's T(h, a); the integrand is meromorphic, as Arb needs."""
    half = acb(h * h) / 2

    def integrand(x: Any, _: bool) -> Any:
        more = 1 + x * x
        return (-half * more).exp() / more

    return (acb.integral(integrand, 0, a) / (2 * acb.pi())).real


_VALUES: dict[str, Callable[..., Any]] = {
    "exp": arb.exp, "log": arb.log, "erf": arb.erf, "asin": arb.asin, "atan": arb.atan,
    "sin": arb.sin, "cos": arb.cos, "sinh": arb.sinh, "cosh": arb.cosh, "tanh": arb.tanh,
    "abs": abs, "owens": _owens_t,
}  # fmt: skip


def _ball_around_value(t: Term) -> Any:
    """Return a finite ball around the value of a term without symbols; refuse if there is none."""
    head = t[0]
    if head == "n":
        value = arb(fmpq(t[1], t[2]))
    elif head == "pi":
        value = arb.pi()
    elif head in ("+", "*"):
        value = arb(0 if head == "+" else 1)
        for part in t[1:]:
            value = (
                value + _ball_around_value(part)
                if head == "+"
                else value * _ball_around_value(part)
            )
    elif head == "^":
        value = _ball_around_value(t[3])
        require(t[2] == 1 or value > 0, "the base of a root may not be positive")
        value = (value if t[2] == 1 else value.root(t[2])) ** t[1]
    else:
        name = t[1] if head == "f" else head
        require(head == "f" and name in _VALUES, f"no enclosure is known of {name}")
        value = _VALUES[t[1]](*map(_ball_around_value, t[2:]))
    require(value.is_finite(), "a value may not exist")
    return value


@rule("numbers", "t", "json")
def _compare_numbers(p: Term, bits: Any) -> Any:
    """Conclude that a < b, a <= b or a != b for numbers a and b, if their balls are disjoint."""
    require(p[0] in RELATIONS and p[0] != "=", "the statement is no relation <, <= or !=")
    require(type(bits) is int and 32 <= bits <= 512, "the precision is not from 32 to 512 bits")
    with ctx.workprec(bits):
        a, b = map(_ball_around_value, p[1:])
        require(a < b or (p[0] == "!=" and b < a), "the balls do not lie apart")
    return [], p, ()
