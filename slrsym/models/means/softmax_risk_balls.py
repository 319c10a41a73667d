r"""The risk of softmax attention in balls, with bounds on the truncation of `softmax_risk`.

Both integrands are analytic in a strip, so the trapezoidal rule of step h errs by at most
:math:`2M/(e^{2\pi a/h} - 1)`, where M bounds the integral of the modulus along lines at heights up
to a (Trefethen and Weideman, 2014, Theorem 5.1). In the score this is an entire function, and
:math:`|w^k e^{-w}| \le (k/(e\cos\theta))^k` for w of argument θ. In log s, at height θ, moduli are
at most :math:`\cos^{-2}\theta` times what V and Y give in absolute terms, where weights add up to 1
at most. Nodes left out are bounded by moments to the left, and by one token's score to the right.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from flint import arb

from slrsym.models.means.softmax_risk import iterate_cross_and_second_moment_terms

# e-foldings that errors of either rule have, heights of strips, and how far nodes of scores go.
_FOLDS, _HEIGHT, _SCORE_HEIGHT, _REACH = 44, 1.3, 5.0, 11


def ball_softmax_risk_value(mu: Any, extra: Any, counts: Any, law: Any) -> Any:
    """Return a ball that contains the mean square of target minus softmax prediction."""
    count = len(counts)
    mu, extra, counts = arb(mu), arb(extra), [arb(n) for n in counts]
    roles = [
        _Role(mu, law[3 * r : 3 * r + 3], law[3 * count + 6 * r : 3 * count + 6 * r + 6])
        for r in range(count)
    ]
    present = [(role, n) for role, n in zip(roles, counts, strict=True) if n != 0]
    numbers = [n for _, n in present]
    start, stop, step = _range(mu, present)
    cross, square = arb(0), arb(0)
    for i in range(int(float((stop - start) / step)) + 2):
        x = start + i * step
        s = x.exp()
        weight = step * (-extra * s).exp()
        parts = [role.means(s) for role, _ in present]
        for crossed, squared in iterate_cross_and_second_moment_terms(
            numbers, parts, weight, _power
        ):
            cross += crossed
            square += squared
    missed = _missed(mu, present, start, start + i * step, step)
    cross, square = cross + arb(0, missed[0].upper()), square + arb(0, missed[1].upper())
    total = sum((n * role.target for role, n in present), arb(0))
    spread = sum((n * role.c_yy for role, n in present), arb(0))
    return spread + total**2 - 2 * cross + square


def _power(x: Any, n: Any) -> Any:
    """Return the power of a ball in [0, 1]; raise `ValueError` unless the exponent is a count."""
    whole = n.unique_fmpz()
    if whole is None or whole < 0:
        raise ValueError(f"counts of tokens must be integers for balls of softmax; got {n}")
    lower = arb.max(x.lower(), arb(0))
    return (lower ** int(whole)).union(arb.min(x.upper(), arb(1)) ** int(whole))


class _Role:
    """The tokens of one role: law of the score, and of value and target given the score."""

    def __init__(self, mu: Any, mean: Any, cov: Any) -> None:
        self.mean, value, self.target = map(arb, mean)
        c_uu, c_uv, c_uy, c_vv, c_vy, self.c_yy = map(arb, cov)
        if not (c_uu > 0 and mu > 0):
            raise ValueError(
                "balls of softmax need a positive inverse temperature, and scores that vary; got "
                f"{mu} and the variance {c_uu}"
            )
        self.sd = c_uu.sqrt()
        b_v, b_y = c_uv / self.sd, c_uy / self.sd
        v_v, v_y = c_vv - b_v**2, c_vy - b_v * b_y
        # Fourth moments, of value and target, to the power 1/2 and 1/4.
        self.value = (value**4 + 6 * value**2 * c_vv + 3 * c_vv**2).sqrt()
        size = self.target**4 + 6 * self.target**2 * self.c_yy + 3 * self.c_yy**2
        self.size = size.sqrt().sqrt()
        self.second = value**2 + c_vv
        polynomials = (
            (0, (arb(1), arb(0), arb(0))),
            (1, (value, b_v, arb(0))),
            (0, (self.target, b_y, arb(0))),
            (1, (value * self.target + v_y, value * b_y + self.target * b_v, b_v * b_y)),
            (2, (value**2 + v_v, 2 * value * b_v, b_v**2)),
        )
        slope = mu * self.sd
        height = arb.min(arb(_HEIGHT) / slope, arb(_SCORE_HEIGHT)).lower()
        distance = float(2 * arb.pi() * height / (_FOLDS + height * height / 2))
        step, most = arb(distance), int(_REACH / distance) + 1
        nodes = [n * step for n in range(-most, most + 1)]
        root = (2 * arb.pi()).sqrt()
        self.nodes = []
        for z in nodes:
            bell = (-z * z / 2).exp() * step / root
            values = [p[0] + p[1] * z + p[2] * z * z for _, p in polynomials]
            self.nodes.append(((mu * (self.mean + self.sd * z)).exp(), bell, values))
        # What the rule errs by, and what nodes further out have, for each of the five means.
        last = nodes[-1]
        beyond = 2 * step * (-last * last / 2).exp() / root
        beyond /= 1 - (-step * (last - 2 / last)).exp()
        rule = 2 * (height * height / 2).exp() / ((2 * arb.pi() * height / step).exp() - 1)
        top = [arb(1), arb(-1).exp(), 4 * arb(-2).exp()]
        self.missed = []
        for k, (p0, p1, p2) in polynomials:
            shifted = abs(p0) + abs(p1) * (1 + height) + abs(p2) * (1 + height * height)
            outside = abs(p0) + abs(p1) * last + abs(p2) * last * last
            error = rule * shifted * top[k] / arb(_HEIGHT).cos() ** k + beyond * outside * top[k]
            self.missed.append(arb(0, error.upper()))

    def means(self, s: Any) -> list[Any]:
        """Enclose the means f, A, B, Y1 and C that one role contributes to the integrand at s."""
        f, a, b, y, c = (arb(0) for _ in range(5))
        for growth, bell, (_, v, target, product, square) in self.nodes:
            w = s * growth
            if w.lower() > 400:  # covered by a radius below
                break
            term = bell * (-w).exp()
            heavy = term * w
            f += term
            a += heavy * v
            b += term * target
            y += heavy * product
            c += heavy * w * square
        tiny = arb(0, 1e-100) * (1 + self.second + self.size**2 + abs(self.target))
        return [m + e + tiny for m, e in zip((f, a, b, y, c), self.missed, strict=True)]


def _range(mu: Any, present: Any) -> tuple[Any, Any, Any]:
    """Return first and last node of the quadrature in log s, and the distance between nodes."""
    tokens = sum((n for _, n in present), arb(0))
    step = arb(float((2 * arb.pi() * _HEIGHT / _FOLDS).lower()))
    left = reduce(arb.max, (mu * role.mean + 2 * (mu * role.sd) ** 2 for role, _ in present))
    right = reduce(arb.min, (13 * mu * role.sd - mu * role.mean for role, _ in present))
    start = arb(float((-left - tokens.log() - _FOLDS).lower()))
    return start, arb(float(arb.max(right + 5, arb(_FOLDS + 6)).upper())), step


def _missed(mu: Any, present: Any, start: Any, stop: Any, step: Any) -> tuple[Any, Any]:
    """Return error bounds of the quadratures for E[target T] and E[T^2], T the prediction."""
    tokens = sum((n for _, n in present), arb(0))
    values = sum((n * role.value for role, n in present), arb(0))
    targets = sum((n * role.size for role, n in present), arb(0))
    rule = 2 / ((2 * arb.pi() * _HEIGHT / step).exp() - 1)
    narrow = arb(_HEIGHT).cos()
    second = sum((n * role.second for role, n in present), arb(0))
    # By moments of the sum Z of exponentials: E Z^4 is at most L^4 times the largest.
    fourth = [(4 * mu * role.mean + 8 * (mu * role.sd) ** 2).exp() for role, _ in present]
    root = reduce(arb.max, fourth).sqrt() * tokens**2
    left_square = step * values * (2 * start).exp() * root / (1 - (-2 * step).exp())
    left_cross = step * start.exp() * root.sqrt() / (1 - (-step).exp())
    # By one token's score: with T = x, either w < T, or W^4 e^{-2W} is at most T^4 e^{-2T}.
    tails = []
    for role, _ in present:
        q = (stop - stop.log() + mu * role.mean) / (mu * role.sd)
        ratio = q * (1 - 1 / stop) / (mu * role.sd) * step / 2
        if q > 1:
            tails.append(arb("0.4") * (-q * q / 4).exp() / (1 - (-ratio).exp()))
    if not tails:
        raise ValueError("the score of softmax is too steep for balls")
    right = reduce(arb.min, tails)
    right += stop**2 * (-stop).exp() / (1 - (-step * (1 - 2 / stop)).exp())
    pair = values.sqrt() * targets
    cross = rule / narrow * (second * targets**2).sqrt() + left_cross * pair + step * right * pair
    square = rule / narrow**2 * second + left_square + step * right * values
    return cross, square
