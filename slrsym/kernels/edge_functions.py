"""Functions of programs that have limits at edges and relative accuracy in tails, for SymPy.

Each backend has a function of the name in `NAMES`. They stand in programs alone
(`slrsym.kernels.limits` makes them), so that none has a derivative: those are taken before.
"""

from __future__ import annotations

from sympy import Function


class _EdgeFunction(Function):  # type: ignore[misc]
    is_extended_real = True


class Ratio(_EdgeFunction):
    """The ratio n/d for d >= 0: infinite where only d is 0, and 0 at 0/0.

    The third argument is the size of the numbers whose sum n is: at d = 0, rounding counts as 0.
    """

    nargs = 3


class GuardedRoot(_EdgeFunction):
    """The root of x, or 0 where x is below 0 by a rounding error of numbers of a given size.

    Balls do not round: there it is no number.
    """

    nargs = 2


class Quotient(_EdgeFunction):
    """The product exp(e) n/d for d >= 0, and 0 where e is so far below 0 that no n/d matters."""

    nargs = 3


class BivariateNormal(_EdgeFunction):
    """The bivariate normal distribution function at h and k, of cosine and sine of an angle.

    The cosine is the correlation.
    """

    nargs = 4


class RampMean(_EdgeFunction):
    r"""The mean of max(0, m + s G) for a standard normal G, or of min(0, m + s G) if s < 0."""

    nargs = 2


class NormalInterval(_EdgeFunction):
    """The probability of a standard normal number between two ends, given their distance, too."""

    nargs = 3


class LogNormalCdf(_EdgeFunction):
    """The logarithm of the standard normal distribution function."""

    nargs = 1


class MillsRatio(_EdgeFunction):
    """The standard normal density over the distribution function."""

    nargs = 1


NAMES = {
    Ratio: "ratio", GuardedRoot: "root", Quotient: "quotient", BivariateNormal: "bivariate_normal",
    RampMean: "ramp_mean", NormalInterval: "normal_interval", LogNormalCdf: "log_normal_cdf",
    MillsRatio: "mills_ratio",
}  # fmt: skip
