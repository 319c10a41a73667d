"""The rule `numbers`: rational enclosures with proved remainders (section 6)."""

from fractions import Fraction as Q
from functools import cache

from .terms import Refused, whole
from .theorems import need, rule

LIMIT = 1 << 12


class Enclosures:
    """Enclose values; every interval is a pair of rationals, rounded outward."""

    def __init__(self, bits):
        self.bits = bits + 32
        self.tiny = Q(1, 1 << self.bits)

    def out(self, low, high):
        """Return an interval that is rounded outward to binary fractions."""
        scale = 1 << (self.bits + 16)
        low, high = Q(low), Q(high)
        a, b = (
            low.numerator * scale // low.denominator,
            -(-high.numerator * scale // high.denominator),
        )
        return Q(a, scale), Q(b, scale)

    def value(self, t):
        """Return an interval that contains the value of a term."""
        h = t.head
        if h == "n":
            return Q(*t.params), Q(*t.params)
        if h == "pi":
            return pi(self.bits)
        need(h in ("+", "*", "^", "f"), "no number")
        parts = [self.value(p) for p in t.parts]
        if h == "+":
            return self.out(sum(p[0] for p in parts), sum(p[1] for p in parts))
        if h == "*":
            total = parts[0]
            for p in parts[1:]:
                total = self.out(*product(total, p))
            return total
        if h == "^":
            return self.power(parts[0], *t.params)
        return self.function(t.params[0], parts)

    def power(self, x, p, q):
        """Enclose a power."""
        if q > 1:
            need(x[0] > 0, "a base that may not be positive")
            x = root_below(x[0], q, self.bits), root_below(x[1], q, self.bits) + self.tiny
        if p < 0:
            need(x[0] > 0 or x[1] < 0, "a base that may be 0")
            x = 1 / x[1], 1 / x[0]
        n = abs(p)
        if n % 2 or x[0] >= 0:
            return self.out(x[0] ** n, x[1] ** n)
        if x[1] <= 0:
            return self.out(x[1] ** n, x[0] ** n)
        return self.out(0, max(x[0] ** n, x[1] ** n))

    def function(self, h, parts):
        """Enclose a function of the table."""
        x = parts[0]
        if h == "abs":
            return x if x[0] >= 0 else (-x[1], -x[0]) if x[1] <= 0 else (Q(0), max(-x[0], x[1]))
        if h in ("sin", "cos"):
            return self.wave(h, x)
        if h == "cosh":
            a, b = self.function("abs", [x])
            return self.out(self.cosh(a)[0], self.cosh(b)[1])
        if h == "owens":
            return self.owens(*parts)
        point = {
            "exp": self.exp,
            "log": self.log,
            "erf": self.erf,
            "atan": self.atan,
            "asin": self.asin,
            "sinh": self.sinh,
            "tanh": self.tanh,
        }.get(h)
        need(point is not None, "no function of numbers")
        return self.out(point(x[0])[0], point(x[1])[1])

    def exp(self, x):
        """Enclose exp at a rational, by halving the argument and squaring."""
        need(abs(x) < LIMIT, "an exponent is too large")
        k, y = 0, Q(x)
        while abs(y) > Q(1, 2):
            y, k = y / 2, k + 1
        fine = Enclosures(self.bits + 2 * k + int(max(x, 0) * 2))
        total, term, n = Q(0), Q(1), 0
        while abs(term) > fine.tiny:
            total += term
            n += 1
            term = fine.near(term * y / n)
        error = (n + 2) * 4 * fine.tiny
        out = fine.out(total - error, total + error)
        for _ in range(k):
            out = fine.out(*product(out, out))
        return max(out[0], Q(0)), out[1]

    def near(self, x):
        """Return a binary fraction near a rational (with an error below tiny)."""
        scale = 1 << (self.bits + 16)
        return Q(x.numerator * scale // x.denominator, scale)

    def log(self, x):
        """Enclose the logarithm of a positive rational."""
        need(x > 0, "a logarithm of what may not be positive")
        k = x.numerator.bit_length() - x.denominator.bit_length()
        y = x / Q(2) ** k
        a, b = (k * e for e in twice_atanh(Q(1, 3), self.bits + 16))
        low, high = twice_atanh((y - 1) / (y + 1), self.bits)
        return self.out(min(a, b) + low, max(a, b) + high)

    def atan(self, x):
        """Enclose the arc tangent of a rational."""
        if x < 0:
            a, b = self.atan(-x)
            return -b, -a
        if x > 1:
            (a, b), p = self.atan(1 / x), pi(self.bits)
            return self.out(p[0] / 2 - b, p[1] / 2 - a)
        if x > Q(1, 2):
            (a, b), p = atan_series((1 - x) / (1 + x), self.bits), pi(self.bits)
            return self.out(p[0] / 4 - b, p[1] / 4 - a)
        return self.out(*atan_series(x, self.bits))

    def asin(self, x):
        """Enclose the arc sine of a rational, as an arc tangent."""
        need(-1 <= x <= 1, "an arc sine of what may be beyond 1")
        p = pi(self.bits)
        if abs(x) == 1:
            return (p[0] / 2, p[1] / 2) if x > 0 else (-p[1] / 2, -p[0] / 2)
        a, b = self.power((1 - x * x, 1 - x * x), -1, 2)
        ends = [x * a, x * b]
        return self.atan(min(ends))[0], self.atan(max(ends))[1]

    def erf(self, x):
        """Enclose erf at a rational by its series or by its tail."""
        if x < 0:
            a, b = self.erf(-x)
            return -b, -a
        if x * x > self.bits:
            return 1 - self.exp(-x * x)[1], Q(1)
        fine = Enclosures(self.bits + int(x * x * 2) + 8)
        total, power, n = Q(0), Q(x), 0
        while abs(power) > fine.tiny or n < 2 * x * x + 2:
            total += power / (2 * n + 1)
            n += 1
            power = fine.near(-power * x * x / n)
        error = fine.tiny * (4 + n) * (1 + self.exp(x * x)[1])
        p = pi(self.bits)
        scale = self.power(p, -1, 2)
        out = product((total - error, total + error), (2 * scale[0], 2 * scale[1]))
        return self.out(*out)

    def wave(self, h, x):
        """Enclose sin or cos on an interval by the middle and the radius."""
        mid, radius = (x[0] + x[1]) / 2, (x[1] - x[0]) / 2
        if radius > 2:
            return Q(-1), Q(1)
        p = pi(self.bits + 64)
        k = round(mid / (2 * p[0]))
        low, high = sorted((mid - 2 * k * p[0], mid - 2 * k * p[1]))
        radius += high - low
        y = self.near(low)
        radius += 2 * self.tiny
        total, term, n = Q(0), (y if h == "sin" else Q(1)), (1 if h == "sin" else 0)
        while abs(term) > self.tiny / 1024 or n < 10:
            total += term
            term = self.near(-term * y * y / ((n + 1) * (n + 2)))
            n += 2
        error = radius + self.tiny * (n + 2)
        return max(Q(-1), total - error), min(Q(1), total + error)

    def cosh(self, x):
        """Enclose cosh at a rational."""
        a, b = self.exp(x), self.exp(-x)
        return self.out((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)

    def sinh(self, x):
        """Enclose sinh at a rational."""
        a, b = self.exp(x), self.exp(-x)
        return self.out((a[0] - b[1]) / 2, (a[1] - b[0]) / 2)

    def tanh(self, x):
        """Enclose tanh at a rational."""
        a, b = self.exp(-2 * abs(x))
        low, high = (1 - b) / (1 + b), (1 - a) / (1 + a)
        return (low, high) if x >= 0 else (-high, -low)

    def owens(self, h, a):
        """Enclose Owen's T on intervals, for abs a at most 1."""
        if a[1] < 0 or (a[0] < 0 and a[1] > -a[0]):
            lows = self.owens(h, (-a[1], -a[0]))
            return -lows[1], -lows[0]
        h = self.function("abs", [h])
        need(a[0] >= -1 and a[1] <= 1, "no enclosure of Owen's T for this argument")
        ends = [self.owens_point(x, y) for x in set(h) for y in set(a)]
        return min(e[0] for e in ends), max(e[1] for e in ends)

    def owens_point(self, h, a):
        """Enclose Owen's T at rationals by its series in a, for abs a at most 1.

        Let s = h^2/2, and q_n the remainder of the series of exp(s) after its term n, times
        exp(-s). Then 2 pi T is atan(a) less the sum of (-1)^n a^(2n+1) q_n / (2n+1). As q_n is at
        most s^(n+1)/(n+1)!, the terms from n on sum up to twice that at most if n + 2 > 2 s.
        """
        if a < 0:
            low, high = self.owens_point(h, -a)
            return -high, -low
        s = h * h / 2
        bell = self.exp(-s)
        total, power, n = self.atan(a), (a, a), 0
        term = part = Q(1), Q(1)
        while True:
            low, high = product(bell, part)
            share = Q(1 if n % 2 else -1, 2 * n + 1)
            weight = product(power, (share, share))
            change = product((max(Q(0), 1 - high), max(Q(0), 1 - low)), weight)
            total = self.out(total[0] + change[0], total[1] + change[1])
            n += 1
            term = self.out(*product(term, (s / n, s / n)))
            part = self.out(part[0] + term[0], part[1] + term[1])
            power = self.out(*product(power, (a * a, a * a)))
            rest = 2 * term[1] * s / (n + 1)
            if n + 2 > 2 * s and rest < self.tiny:
                break
        p = pi(self.bits)
        low, high = total[0] - rest, total[1] + rest
        return self.out(*product((low, high), (1 / (2 * p[1]), 1 / (2 * p[0]))))


def product(x, y):
    """Return the product of two intervals."""
    ends = [a * b for a in x for b in y]
    return min(ends), max(ends)


def root_below(x, q, bits):
    """Return a rational at most 2^-bits below the q-th root of a positive rational."""
    scale = 1 << bits
    n = x.numerator * scale**q // x.denominator
    low, high = 0, 1 << (n.bit_length() // q + 1)
    while high - low > 1:
        mid = (low + high) // 2
        if mid**q <= n:
            low = mid
        else:
            high = mid
    return Q(low, scale)


def atan_series(x, bits):
    """Enclose atan of a rational from 0 to 1/2 by its alternating series."""
    total, power, n, tiny = Q(0), x, 0, Q(1, 1 << (bits + 8))
    while power > tiny:
        total += (-power if n % 2 else power) / (2 * n + 1)
        power, n = power * x * x, n + 1
        if power.denominator.bit_length() > 4 * bits:
            power = Q(power.numerator * (1 << (2 * bits)) // power.denominator, 1 << (2 * bits))
    error = power + (n + 1) * Q(1, 1 << (2 * bits - 8))
    return total - error, total + error


@cache
def pi(bits):
    """Enclose pi by Machin's formula."""
    a, b = atan_series(Q(1, 5), bits + 16), atan_series(Q(1, 239), bits + 16)
    return Enclosures(bits).out(16 * a[0] - 4 * b[1], 16 * a[1] - 4 * b[0])


def twice_atanh(x, bits):
    """Enclose 2 atanh of a rational of absolute value at most 1/2."""
    need(abs(x) <= Q(1, 2), "a series out of its range")
    total, power, n, tiny = Q(0), x, 0, Q(1, 1 << (bits + 8))
    while abs(power) > tiny:
        total += power / (2 * n + 1)
        power, n = power * x * x, n + 1
        if power.denominator.bit_length() > 4 * bits:
            power = Q(power.numerator * (1 << (2 * bits)) // power.denominator, 1 << (2 * bits))
    error = 2 * abs(power) + (n + 1) * Q(1, 1 << (2 * bits - 8))
    return 2 * (total - error), 2 * (total + error)


@rule("numbers", "t json")
def numbers(_, p, bits):
    """Conclude a strict relation of numbers that enclosures prove."""
    need(whole(bits) and 32 <= bits <= 512, "bits from 32 to 512 are expected")
    need(p.head in ("<", "<=", "!="), "no relation of numbers")
    tool = Enclosures(bits)
    try:
        a, b = map(tool.value, p.parts)
    except (ZeroDivisionError, OverflowError) as e:
        raise Refused("no enclosure") from e
    need(a[1] < b[0] or (p.head == "!=" and b[1] < a[0]), "not decided by enclosures")
    return p, []
