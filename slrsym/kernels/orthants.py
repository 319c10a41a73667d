"""Orthant probabilities of four normal variables as SymPy functions, with their derivatives.

They are functions of six correlations, of the pairs ab, ac, ad, bc, bd, cd. How they are computed
is said in `slrsym.kernels.orthant_arrays`.
"""

from __future__ import annotations

from sympy import Expr, Float, Function, Matrix, Rational, asin, pi, sqrt

from slrsym.kernels.orthant_arrays import PAIRS

_PLACES = {pair: k for k, pair in enumerate(PAIRS)}


class _OrthantFunction(Function):  # type: ignore[misc]
    nargs = 6
    is_real = True

    def _matrix(self) -> Matrix:
        return Matrix(4, 4, lambda i, j: 1 if i == j else self.args[_PLACES[min(i, j), max(i, j)]])

    def _minor(self, rows: tuple[int, ...], columns: tuple[int, ...]) -> Expr:
        return self._matrix().extract(list(rows), list(columns)).det(method="berkowitz")

    def _quadrant(self, i: int, j: int) -> Expr:
        """Return the probability that both other variables are positive if these are 0."""
        k, other = (x for x in range(4) if x not in (i, j))
        squares = [self._minor((i, j, x), (i, j, x)) for x in (k, other)]
        sine = self._minor((i, j, k), (i, j, other)) / sqrt(squares[0]) / sqrt(squares[1])
        return Rational(1, 4) + asin(sine) / (2 * pi)

    def _root(self, i: int, j: int) -> Expr:
        r = self.args[_PLACES[min(i, j), max(i, j)]]
        return sqrt((1 - r) * (1 + r))

    def _eval_evalf(self, prec: int) -> Expr:
        import mpmath

        from slrsym.kernels.orthant_balls import mpmath_orthant_function

        with mpmath.workprec(prec + 10):
            numbers = [mpmath.mpf(x._to_mpmath(prec + 10)) for x in self.args]
            return Float._new(mpmath_orthant_function(type(self).__name__, *numbers)._mpf_, prec)


class OrthantProbability(_OrthantFunction):
    """The probability that four normal variables of mean 0 are positive, by their correlations."""

    def fdiff(self, argindex: int = 1) -> Expr:
        """Return the derivative in a correlation: the density of both at 0, times a quadrant."""
        i, j = PAIRS[argindex - 1]
        return self._quadrant(i, j) / (2 * pi * self._root(i, j))


class OrthantMoment(_OrthantFunction):
    """The mean of c d where a, b, c and d are positive, of normal variables of variance 1."""

    def fdiff(self, argindex: int = 1) -> Expr:
        """Return the derivative in a correlation."""
        i, j = PAIRS[argindex - 1]
        if (i, j) == (2, 3):
            return OrthantProbability(*self.args)
        if (i, j) == (0, 1):
            both = self._minor((0, 1, 2), (0, 1, 3))
            squares = self._minor((0, 1, 2), (0, 1, 2)) * self._minor((0, 1, 3), (0, 1, 3))
            ramps = sqrt(squares - both**2) + 2 * pi * both * self._quadrant(0, 1)
            return ramps / (4 * pi**2 * self._root(0, 1) ** 3)
        # A step i and a ramp j; another step and another ramp are left.
        step, ramp = 1 - i, 5 - j
        total = self._minor((i, step), (i, ramp)) / self._root(i, step) * self._quadrant(i, step)
        total += self._minor((i, j), (i, ramp)) / self._root(i, j) * self._quadrant(i, j)
        total += self._root(i, ramp) * self._quadrant(i, ramp)
        return total / (2 * pi)
