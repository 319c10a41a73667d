"""Functions of programs that have limits at edges and relative accuracy in tails, for SymPy.

Each backend has a function of the name in `NAMES`. They stand in programs alone
(`slrsym.kernels.limits` makes them), so that none has a derivative: those are taken before.
"""

from __future__ import annotations

from sympy import Expr, Function, Max, Min


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
    """The product exp(e) n/d for d >= 0, and 0 at 0/0 or where e is so low that no n/d matters."""

    nargs = 3


class BivariateNormal(_EdgeFunction):
    """The bivariate normal distribution function at h and k, of cosine and sine of an angle.

    The cosine is the correlation.
    """

    nargs = 4


class NormalCovariance(_EdgeFunction):
    """The bivariate normal distribution function less the product of both distribution functions.

    Arguments are those of `BivariateNormal`.
    """

    nargs = 4


class QuadrantMoment(_EdgeFunction):
    """The mean of (m + s X)_+^p (n + t Y)_+^q.

    Arguments are p, q, m, s, n, t, and cosine and sine of an angle. X and Y are standard normal;
    the cosine is their correlation. Powers of order 0 are steps.
    """

    nargs = 8

    @classmethod
    def eval(cls, p: Expr, q: Expr, *law: Expr) -> Expr | None:
        """Return the mean with the larger power first, else None."""
        m, s, n, t, cosine, sine = law
        return None if p >= q else cls(q, p, n, t, m, s, cosine, sine)


class HalfLineMoment(_EdgeFunction):
    """The mean of (m + s Z)_+^n, of n, m and s >= 0, for a standard normal Z."""

    nargs = 3


# Coefficients of a polynomial on an interval, which is of degree 4 at most.
MOST_COEFFICIENTS = 5


class IntervalMoment(_EdgeFunction):
    """The mean of a polynomial of a standard normal number over an interval.

    Arguments are the mean as probabilities and densities at both ends, which is exact but far out
    and on short intervals; the ends and their distance; and the coefficients of the polynomial, by
    the distance from the lower end, and by that from the upper one.
    """

    nargs = 4 + 2 * MOST_COEFFICIENTS


class ExponentialExcess(_EdgeFunction):
    """The mean of max(exp(m + s Z) - 1, 0), or of min(exp(m + s Z) - 1, 0).

    Arguments are 1 for the first or -1 for the second, m, and s >= 0.
    """

    nargs = 3


class RampMean(_EdgeFunction):
    r"""The mean of max(0, m + s G) for a standard normal G, or of min(0, m + s G) if s < 0."""

    nargs = 2


class SizeDifference(_EdgeFunction):
    """Half of E|high + s G| - E|low + s G|, negative if s < 0, for a standard normal G.

    The arguments are `low`, `high`, their difference and their sum, which are exact, and s.
    """

    nargs = 5


class NormalInterval(_EdgeFunction):
    """The probability of a standard normal number between two ends, given their distance, too."""

    nargs = 3


class LogNormalCdf(_EdgeFunction):
    """The logarithm of the standard normal distribution function."""

    nargs = 1


class MillsRatio(_EdgeFunction):
    """The standard normal density over the distribution function."""

    nargs = 1


class Larger(_EdgeFunction):
    """The larger of two numbers, as `sympy.Max`, which compares them whenever it is rebuilt.

    To compare polynomials takes up to seconds, and all that is asked of them is their value.
    """

    nargs = 2

    @classmethod
    def eval(cls, a: Expr, b: Expr) -> Expr | None:
        """Return the larger of two numbers, else None."""
        return Max(a, b) if a.is_number and b.is_number else None

    def _eval_is_extended_positive(self) -> bool | None:
        return any(x.is_extended_positive for x in self.args) or None

    def _eval_is_finite(self) -> bool | None:
        return all(x.is_finite for x in self.args) or None


class Smaller(_EdgeFunction):
    """The smaller of two numbers, as `sympy.Min`, which compares them whenever it is rebuilt."""

    nargs = 2

    @classmethod
    def eval(cls, a: Expr, b: Expr) -> Expr | None:
        """Return the smaller of two numbers, else None."""
        return Min(a, b) if a.is_number and b.is_number else None


NAMES = {
    Larger: "maximum", Smaller: "minimum",
    Ratio: "ratio", GuardedRoot: "root", Quotient: "quotient", BivariateNormal: "bivariate_normal",
    NormalCovariance: "normal_covariance", QuadrantMoment: "quadrant_moment",
    RampMean: "ramp_mean", HalfLineMoment: "half_line_moment",
    IntervalMoment: "interval_moment", ExponentialExcess: "exponential_excess",
    SizeDifference: "size_difference", NormalInterval: "normal_interval",
    LogNormalCdf: "log_normal_cdf", MillsRatio: "mills_ratio",
}  # fmt: skip
