"""Statements on the values of the risk, its derivatives, and zeta over a box."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache

from sympy import Symbol, erf, sqrt

from slrsym.certify.fields import PARAMETERS, Field
from slrsym.certify.numbers import rational
from slrsym.certify.parts import Kind, Part, no_facts
from slrsym.kernels.special import ErfVariance
from slrsym.models import expressions
from slrsym.notation import ORDER_PARAMETERS

__all__ = ["ENCLOSURES"]

_T = Symbol("t", real=True)
_UPPER = [(i, j) for i in range(5) for j in range(i, 5)]


@cache
def _enclosed(quantity: str) -> tuple[Field, tuple[str, ...]]:
    """The functions of an enclosure, and what they are called."""
    if quantity == "zeta":
        s = PARAMETERS["s"]
        zeta = ErfVariance(_T, s) + erf(_T / sqrt(1 + 2 * s**2)) ** 2
        return Field((zeta,), (_T,)), ("zeta",)
    if quantity == "risk":
        return Field((expressions.risk(),), ORDER_PARAMETERS), ("R",)
    if quantity == "gradient":
        return Field(expressions.gradient(), ORDER_PARAMETERS), _OUTPUTS[quantity]
    return Field(expressions.hessian(), ORDER_PARAMETERS), _OUTPUTS[quantity]


def _enclosure_parts(quantity: str) -> Callable[[Mapping[str, Fraction]], tuple[Part, ...]]:
    def parts(numbers: Mapping[str, Fraction]) -> tuple[Part, ...]:
        field, names = _enclosed(quantity)
        given = {name: rational(x) for name, x in numbers.items()}
        ends = [(given[f"{x.name}_from"], given[f"{x.name}_to"]) for x in field.state]
        bounds = [(given[f"{name}_above"], given[f"{name}_below"]) for name in names]
        labels = (f"{name} {side}" for name in names for side in ("from below", "from above"))
        return (Part(quantity, field, tuple(ends), labels=tuple(labels), bounds=tuple(bounds)),)

    return parts


def _enclosure_numbers(variables: Iterable[str], names: Iterable[str]) -> tuple[str, ...]:
    ends = (f"{x}_{end}" for x in variables for end in ("from", "to"))
    return (*ends, *(f"{name}_{side}" for name in names for side in ("above", "below")))


_LETTERS = [p.name for p in ORDER_PARAMETERS]
_OUTPUTS = {
    "risk": ("R",),
    "gradient": tuple(f"R_{x}" for x in _LETTERS),
    "hessian": tuple(f"R_{_LETTERS[i]},{_LETTERS[j]}" for i, j in _UPPER),
}


def _enclosure(quantity: str) -> Kind:
    return Kind(
        f"The values of the {quantity} on the box lie between the bounds.",
        _enclosure_parts(quantity),
        no_facts,
        ("lam", "gamma", "d", "L", "epsilon"),
        _enclosure_numbers(_LETTERS, _OUTPUTS[quantity]),
    )


# By what they are called in `slrsym.certify.statements.KINDS`.
ENCLOSURES: dict[str, Kind] = {
    **{f"enclosure-{quantity}": _enclosure(quantity) for quantity in _OUTPUTS},
    "enclosure-zeta": Kind(
        "The values of zeta(t, s) lie between the bounds, for t in the interval.",
        _enclosure_parts("zeta"),
        no_facts,
        ("s",),
        _enclosure_numbers(("t",), ("zeta",)),
    ),
}
