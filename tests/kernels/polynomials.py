r"""Where the polynomials of the kernels come from.

``python -m tests.kernels.polynomials`` writes them into the file that the kernels read.

``exp``
    :math:`(e^r - 1 - r)/r^2` for :math:`|r| \le \tfrac12 \log 2`, in powers of r.
``erf``
    :math:`\operatorname{erf}(x)/x - 1` for :math:`|x| \le 1`, in powers of :math:`x^2`.
``erfc``
    :math:`-\log\operatorname{erfc}(1 + u)` for :math:`0 \le u \le 5`, in powers of u. Its error
    counts times erfc, so that few of them are needed.
``decay``
    :math:`(1 + z/8) \int_0^1 e^{-z^2 q(u)} / (1 + l^2 + (1 - l^2) q(u))\,du`, with
    :math:`q(u) = u\,(2l + (1 - l) u) / (1 + l)`: `DecayIntegral` for :math:`w = 1 - l`, as in the
    variance of erf, over w, with :math:`z^2 = E (1 - l^2)`. A Chebyshev series in l and in
    :math:`z/(z + 8)` for each part of :math:`0 \le l \le 1`; z goes up to where
    :math:`e^{-E(1 + l^2)}`, by which it is multiplied, is no double. So the coefficients in z are
    those of an inverse temperature, and a state costs one polynomial.
``nodes``, ``weights``
    The positive half of the 44-point Gauss-Legendre rule on [-1, 1], for Owen's T.
``pieces``
    The same series in z as powers in each of some pieces of its range, which NumPy looks up.

All are computed to 30 digits: the first two and the series by interpolation at Chebyshev's points,
the third by weighted least squares. The tests measure the errors.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import flint
import mpmath
import numpy as np
from mpmath import mpf

from slrsym.kernels.numpy_special_functions import POLYNOMIALS

# Of the parts of 0 <= l <= 1.
EDGES = (0.0, 0.04, 0.2, 0.5, 1.0)
# By how much z is compressed, and up to which exponent.
SCALE = 8.0
MOST = 760.0
TERMS_L, TERMS_Z = 24, 72
# Pieces of the range of z for `pieces`, and powers in each.
PIECES, POWERS = 32, 12

_DIGITS = 40
_Table = np.ndarray[Any, np.dtype[np.float64]]


def _powers(chebyshev: Sequence[Any], low: Any, high: Any, about: Any) -> list[Any]:
    """Coefficients of the powers of x - about, of a Chebyshev series on an interval."""
    scale, shift = 2 / mpf(high - low), (2 * about - low - high) / mpf(high - low)
    before, now = [mpf(1)], [shift, scale]
    total = [mpf(0)] * len(chebyshev)
    for coefficient in chebyshev:
        for i, x in enumerate(before):
            total[i] += coefficient * x
        after = [mpf(0)] * (len(now) + 1)
        for i, x in enumerate(now):
            after[i] += 2 * shift * x
            after[i + 1] += 2 * scale * x
        for i, x in enumerate(before):
            after[i] -= x
        before, now = now, after
    return total


def _interpolated(f: Callable[[Any], Any], low: Any, high: Any, count: int) -> list[Any]:
    """The Chebyshev series through a function at Chebyshev's points."""
    angles = [mpmath.pi * (2 * i + 1) / (2 * count) for i in range(count)]
    values = [f((low + high + (high - low) * mpmath.cos(t)) / mpf(2)) for t in angles]
    series = [
        2 * mpmath.fsum(v * mpmath.cos(n * t) for v, t in zip(values, angles, strict=True)) / count
        for n in range(count)
    ]
    return [series[0] / 2, *series[1:]]


def _fitted(
    f: Callable[[Any], Any], weight: Callable[[Any], Any], low: Any, high: Any, count: int
) -> list[Any]:
    """The Chebyshev series whose weighted error has the least sum of squares."""
    angles = [mpmath.pi * (2 * i + 1) / 160 for i in range(80)]
    points = [(low + high + (high - low) * mpmath.cos(t)) / mpf(2) for t in angles]
    rows = [
        [weight(x) * mpmath.cos(n * t) for n in range(count)]
        for x, t in zip(points, angles, strict=True)
    ]
    a, b = mpmath.matrix(rows), mpmath.matrix([weight(x) * f(x) for x in points])
    return list(mpmath.lu_solve(a.T * a, a.T * b))


def exp_powers() -> list[Any]:
    """See ``exp`` above."""
    end = mpmath.log(2) / 2 + mpf("1e-6")
    series = _interpolated(lambda r: (mpmath.expm1(r) - r) / r**2, -end, end, 10)
    return _powers(series, -end, end, 0)


def erf_powers() -> list[Any]:
    """See ``erf`` above."""
    series = _interpolated(lambda y: mpmath.erf(mpmath.sqrt(y)) / mpmath.sqrt(y) - 1, 0, 1, 12)
    return _powers(series, 0, 1, 0)


def erfc_powers() -> list[Any]:
    """See ``erfc`` above."""
    series = _fitted(
        lambda x: -mpmath.log(mpmath.erfc(x)), lambda x: mpmath.erfc(x) / mpmath.erf(x), 1, 6, 18
    )
    return _powers(series, 1, 6, 1)


def most_z(part: int) -> float:
    """The largest z of a part of 0 <= l <= 1."""
    low = EDGES[part]
    return float(np.sqrt(MOST * (1 - low * low) / (1 + low * low)))


def decay_series(part: int) -> tuple[_Table, _Table]:
    """See ``decay`` above; by Gauss-Legendre in pieces, which halve towards 0."""
    flint.ctx.prec = 120
    arb = flint.arb
    nodes: list[tuple[Any, Any]] = []
    ends = [arb(0), *(arb(2) ** -k for k in range(9, -1, -1))]
    rule = [arb.legendre_p_root(28, k, weight=True) for k in range(28)]
    for low, high in pairwise(ends):
        half = (high - low) / 2
        nodes += [(low + half * (1 + x), half * w) for x, w in rule]
    angles = [arb.pi() * (2 * i + 1) / (2 * TERMS_Z) for i in range(TERMS_Z)]
    top = most_z(part) / (most_z(part) + arb(SCALE))
    places = [top * (1 + t.cos()) / 2 for t in angles]
    z = [SCALE * s / (1 - s) for s in places]
    rows = []
    outer = [arb.pi() * (2 * i + 1) / (2 * TERMS_L) for i in range(TERMS_L)]
    for t in outer:
        low = EDGES[part] + (EDGES[part + 1] - arb(EDGES[part])) * (1 + t.cos()) / 2
        terms = []
        for u, w in nodes:
            q = u * (2 * low + (1 - low) * u) / (1 + low)
            terms.append((-q, w / (1 + low * low + (1 - low * low) * q)))
        sums = [sum(((x * x * q).exp() * w for q, w in terms), arb(0)) for x in z]
        rows.append([total * (1 + x / SCALE) for total, x in zip(sums, z, strict=True)])
    found = _transform(outer) * flint.arb_mat(rows) * _transform(angles).transpose()
    pieces = [_rounded(found * _piece(i)) for i in range(PIECES)]
    return _rounded(found), np.stack(pieces, axis=-1)


def _rounded(matrix: Any) -> _Table:
    return np.array([[float(x.mid()) for x in row] for row in matrix.tolist()])


def _piece(number: int) -> Any:
    """From a Chebyshev series to powers of t, -1 <= t <= 1, in a piece of the interval."""
    arb = flint.arb
    angles = [arb.pi() * (2 * i + 1) / (2 * POWERS) for i in range(POWERS)]
    places = [((2 * number + 1 + t.cos()) / PIECES - 1).acos() for t in angles]
    values = flint.arb_mat([[(n * x).cos() for x in places] for n in range(TERMS_Z)])
    rows = [flint.fmpz_poly.chebyshev_t(n).coeffs() for n in range(POWERS)]
    powers = flint.arb_mat([[arb(c) for c in [*row, *[0] * POWERS][:POWERS]] for row in rows])
    return values * _transform(angles).transpose() * powers


def _transform(angles: list[Any]) -> Any:
    """The matrix from values at Chebyshev's points to coefficients."""
    count = len(angles)
    return flint.arb_mat(
        [[(n * t).cos() * (2 if n else 1) / count for t in angles] for n in range(count)]
    )


def half_rule(count: int = 44) -> tuple[_Table, _Table]:
    """See ``nodes`` above."""
    flint.ctx.prec = 120
    rule = [flint.arb.legendre_p_root(count, k, weight=True) for k in range(count // 2)]
    nodes, weights = zip(*reversed(rule), strict=True)
    return np.array([float(x.mid()) for x in nodes]), np.array([float(w.mid()) for w in weights])


def tables() -> dict[str, _Table]:
    """All of them."""
    with mpmath.workdps(_DIGITS):
        powers = {"exp": exp_powers(), "erf": erf_powers(), "erfc": erfc_powers()}
        found = {name: np.array([float(x) for x in row]) for name, row in powers.items()}
    parts = range(len(EDGES) - 1)
    ends = [most_z(i) / (most_z(i) + SCALE) for i in parts]
    found |= {"edges": np.array(EDGES), "ends": np.array(ends), "scale": np.array(SCALE)}
    found["nodes"], found["weights"] = half_rule()
    decay, pieces = zip(*map(decay_series, parts), strict=True)
    return found | {"decay": np.array(decay), "pieces": np.array(pieces)}


if __name__ == "__main__":
    np.savez(POLYNOMIALS, allow_pickle=False, **tables())
