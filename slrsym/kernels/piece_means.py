r"""Means over a part of a normal law in one variable, by quadrature.

A function with kinks is smooth on the pieces between them. Over a piece, the mean is written as
that of a smooth function of a standard normal variable, which backends compute: the place on the
piece is a double exponential function of this variable, after Takahasi and Mori (1974), so that
the ends of the piece are its limits. A step of any width at an end does not slow the quadrature.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import ClassVar

import sympy as sp
from sympy import Expr, Heaviside, Rational, S, Symbol, exp, oo, pi, sqrt

from slrsym.gaussian import Expectation, GaussianLaw
from slrsym.kernels.symbolic_functions import GaussianMean, Z

# The variable on the piece, and what of its law is not 0.
_PLACE = Symbol("place", real=True)
_MEAN, _VARIANCE = Symbol("mean_of_z", real=True), Symbol("variance_of_z", positive=True)
# Ends that are no rational numbers, which are computed once and not at each place.
_LOW, _HIGH = Symbol("low_end", real=True), Symbol("high_end", real=True)

# From -10 to 10, where normal variables are, a half-line is passed from 1e-24 to 23 standard
# deviations from its end.
_HALF_LINE = Rational(-2, 5) + Rational(9, 25) * Z
_INTERVAL = Rational(9, 25) * Z
# Beyond so many standard deviations there is no mass; an end there is as good as none. On intervals
# the function may grow.
_FAR, _FARTHEST = 12, 24
_FROM_ZERO = ((S.Zero, oo), (-oo, S.Zero))


class PieceMean(GaussianMean):
    """The mean of a function of a normal variable, which is 0 outside of one piece.

    Its arguments are 0 and 1, of the law of the quadrature's variable, then mean and variance of
    the normal variable, the mean only if it is not 0, and values of the function's parameters.
    """

    has_no_gaps = True
    of: ClassVar[Expr]
    ends: ClassVar[tuple[Expr, Expr]]

    def fdiff(self, argindex: int = 1) -> Expr:
        """Return the derivative in mean, variance or a parameter."""
        p = self.parameters[argindex - 3]
        if p == _VARIANCE and _MEAN not in self.parameters and self.ends in _FROM_ZERO:
            # The end is at the mean of any variance, and no digits are lost at small ones.
            slope = self.of.diff(p) + self.of.diff(_PLACE) * _PLACE / (2 * _VARIANCE)
            return self._of(slope)
        centre = _MEAN if _MEAN in self.parameters else S.Zero
        away = (_PLACE - centre) / _VARIANCE
        slope = self.of.diff(p)
        if p == _MEAN:
            slope += self.of * away
        if p == _VARIANCE:
            slope += self.of * (away**2 - 1 / _VARIANCE) / 2
        return self._of(slope)

    def _of(self, function: Expr) -> Expr:
        if function == 0:
            return S.Zero
        found: Expr = _kind(function, self.ends, self.parameters)(*self.args)
        return found

    @classmethod
    def stated_function(cls) -> Expr:
        """Return the function on the piece, in the words of messages."""
        return cls.of.xreplace({_PLACE: Z})

    def as_expectation(self) -> Expectation:
        """Return the mean as an unevaluated `Expectation`, with steps at the ends."""
        at = dict(zip(self.parameters, self.args[2:], strict=True))
        low, high = (end.xreplace(at) for end in self.ends)
        inside = S.One if low == -oo else Heaviside(_PLACE - low)
        inside *= S.One if high == oo else Heaviside(high - _PLACE)
        law = GaussianLaw({_PLACE: at.get(_MEAN, S.Zero)}, [[at[_VARIANCE]]])
        return Expectation((self.of * inside).xreplace(at), law)


def mean_on_piece(
    function: Expr, z: Symbol, mean: Expr, variance: Expr, ends: tuple[Expr, Expr]
) -> Expr:
    """Return the mean of a function of a normal variable times the indicator of a piece.

    Parameters
    ----------
    function : Expr
        Smooth on the piece.
    z : Symbol
        The variable.
    mean, variance : Expr
    ends : pair of Expr
        Numbers, of which one may be infinite.

    Returns
    -------
    Expr
    """
    if function == 0:
        return S.Zero
    of = function.xreplace({z: _PLACE})
    values = {_VARIANCE: variance} if mean == 0 else {_MEAN: mean, _VARIANCE: variance}
    named = {symbol: end for symbol, end in zip((_LOW, _HIGH), ends, strict=True)
             if not (end.is_Rational or end.is_infinite)}  # fmt: skip
    low, high = (symbol if symbol in named else end
                 for symbol, end in zip((_LOW, _HIGH), ends, strict=True))  # fmt: skip
    own = sorted(of.free_symbols - {_PLACE}, key=str)
    kind = _kind(of, (low, high), (*values, *named, *own))
    found: Expr = kind(0, 1, *values.values(), *named.values(), *own)
    return found


@cache
def _kind(of: Expr, ends: tuple[Expr, Expr], parameters: tuple[Symbol, ...]) -> type[PieceMean]:
    centre = _MEAN if _MEAN in parameters else S.Zero
    spread = sqrt(_VARIANCE)
    low, high = ends
    if -oo in ends or oo in ends:
        way = 1 if high == oo else -1
        start = ((low if way > 0 else high) - centre) / spread
        place = spread * way * exp(_HALF_LINE - exp(-_HALF_LINE))
        if start != 0:
            start = sp.Max(start, -_FAR) if way > 0 else sp.Min(start, _FAR)
        at = centre + spread * start + place
        bell = -((start + place / spread) ** 2) / 2
        weight = exp(bell + Z**2 / 2 + _HALF_LINE - exp(-_HALF_LINE))
        weight *= (1 + exp(-_HALF_LINE)) * _HALF_LINE.diff(Z)
    else:
        turn = pi / 2 * (exp(_INTERVAL) - exp(-_INTERVAL)) / 2
        first, last = (
            sp.Max(-_FARTHEST, sp.Min(_FARTHEST, (end - centre) / spread)) for end in ends
        )
        place = first + (last - first) / (1 + exp(-2 * turn))
        at = centre + spread * place
        weight = exp(-(place**2) / 2 + Z**2 / 2) * (last - first)
        weight *= 2 * turn.diff(Z) / (exp(turn) + exp(-turn)) ** 2
    function = of.xreplace({_PLACE: at}) * weight
    digest = hashlib.sha256(f"{of} {ends} {parameters}".encode()).hexdigest()[:12]
    body = {"function": function, "orders": (0,), "parameters": parameters, "of": of, "ends": ends}
    body["nargs"] = 2 + len(parameters)
    body["place_of_variance"] = 2 + parameters.index(_VARIANCE)
    return type(f"piece_mean_{digest}", (PieceMean,), body)
