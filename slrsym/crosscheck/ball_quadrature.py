r"""Balls (numbers with error bounds), and numerical quadrature with them.

It shares no code with the closed forms of `slrsym.gaussian`, nor with compiled functions.

The rules are the trapezoid rule against the normal density, Gauss-Hermite, and double exponential
quadrature. The infinite ones are stopped by comparing two sums: their discretisation error is
estimated, not bounded. An integrand is a straight-line program that performs every operation in the
outermost loop in which its operands are known.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import mpmath
from flint import acb, arb, ctx, fmpq, fmpz_poly
from mpmath.libmp import from_man_exp
from sympy import Expr


class Inconclusive(Exception):  # noqa: N818
    """Error for a value that is not accurate enough to confirm or refute a statement."""


class NotReal(Inconclusive):
    """Error for an expression in real numbers that has no real value at a point."""


class NotALaw(ValueError):  # noqa: N818
    """Error for a law whose covariance is not positive semidefinite at a point."""


Ball: TypeAlias = Any

DIGITS_PER_BIT = math.log10(2)


def log2_upper_bound(ball: Ball) -> float:
    """Return the binary logarithm of an upper bound of a ball's absolute value."""
    if not ball.is_finite():
        raise Inconclusive("an intermediate value is not finite")
    upper = ball.abs_upper()
    if upper.is_zero():
        return -math.inf
    mantissa, exponent = upper.man_exp()
    bits = int(mantissa).bit_length()
    shift = max(0, bits - 53)
    return math.log2(int(mantissa) >> shift) + shift + int(exponent)


def ball_radius(ball: Ball) -> Ball:
    """Return the radius of a ball."""
    return ball.rad() if isinstance(ball, arb) else ball.real.rad() + ball.imag.rad()


def widen_ball(ball: Ball, error: Ball) -> Ball:
    """Return a ball with its radius enlarged by an error."""
    margin = arb(0, error)
    return ball + margin if isinstance(ball, arb) else ball + acb(margin, margin)


def complex_ball(x: Ball) -> Ball:
    """Return a ball as a complex ball."""
    return x if isinstance(x, acb) else acb(x)


def drop_zero_imaginary_part(x: Ball) -> Ball:
    """Return a complex ball as a real one if its imaginary part is exactly zero."""
    return x.real if isinstance(x, acb) and x.imag.is_zero() else x


def require_real_ball(x: Ball, what: str) -> Ball:
    """Return a ball as a real one; raise `Inconclusive` if its number is not real."""
    x = drop_zero_imaginary_part(x)
    if isinstance(x, arb):
        return x
    if x.imag.contains(0):
        return x.real
    raise Inconclusive(f"{what} needs a real number; got {x.str(8)}")


def compare_balls(a: Ball, b: Ball) -> int:
    """Return the sign of a - b, 0 within rounding errors; raise `Inconclusive` if unknown."""
    d = require_real_ball(a - b, "an order")
    if d > 0:
        return 1
    if d < 0:
        return -1
    size = max(log2_upper_bound(a), log2_upper_bound(b), 0.0)
    if d.is_zero() or log2_upper_bound(d) < size - ctx.prec / 2:
        return 0
    raise Inconclusive("a sign is lost in rounding")


Point: TypeAlias = Mapping[Any, Any]
Number: TypeAlias = tuple[Ball, float]


@dataclass(frozen=True)
class DeferredExpression:
    """An expression with values of its symbols, to be evaluated later at any precision."""

    expr: Expr
    environment: Mapping[Any, Any]


@dataclass(frozen=True)
class NumberWithError:
    """A number with a bound of its error."""

    number: Any
    error: Any
    scale: float

    @property
    def digits(self) -> float:
        """Number of correct decimal digits, relative to the number; infinite if it is exact."""
        return correct_digits(self.error, abs(self.number))

    def __str__(self) -> str:
        return str(mpmath.nstr(self.number, int(max(2.0, min(60.0, self.digits)))))


def correct_digits(error: Any, size: Any) -> float:
    """Return the number of correct decimal digits of a number with a given error."""
    if error == 0:
        return math.inf
    if size == 0:
        return -math.inf
    return float(mpmath.log10(size) - mpmath.log10(error))


def _mpf(exact: Ball) -> Any:
    if not exact.is_finite():
        raise Inconclusive("a value is not finite")
    mantissa, exponent = exact.man_exp()
    return mpmath.make_mpf(from_man_exp(int(mantissa), int(exponent)))


def ball_to_number_with_error(ball_and_term_size: Number) -> NumberWithError:
    """Convert a ball to an mpmath number with its error and the size of its largest term."""
    ball, scale = ball_and_term_size
    ball = drop_zero_imaginary_part(ball)
    if isinstance(ball, arb):
        return NumberWithError(_mpf(ball.mid()), _mpf(ball.rad()), scale)
    real, imag = _mpf(ball.real.mid()), _mpf(ball.imag.mid())
    error = _mpf((ball.real.rad() + ball.imag.rad()).abs_upper())
    return NumberWithError(mpmath.make_mpc((real._mpf_, imag._mpf_)), error, scale)


Node: TypeAlias = tuple[Ball, Ball, float]


class CompiledIntegrand:
    """An integrand compiled to operations on registers, evaluated in balls by nested loops."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.values: list[Any] = [None] * depth
        self.levels = list(range(1, depth + 1))
        self._code: list[list[tuple[Callable[..., Any], int, tuple[int, ...]]]] = [
            [] for _ in range(depth + 1)
        ]
        self._known: dict[tuple[Any, ...], int] = {}
        self._compiled: tuple[Any, list[Callable[[list[Any]], None]]] = (None, [])
        self.output = -1

    def add_constant(self, value: Any) -> int:
        """Add a register that holds a constant, and return its number."""
        self.values.append(value)
        self.levels.append(0)
        return len(self.values) - 1

    def add_operation(self, operation: Callable[..., Any], *operands: int) -> int:
        """Add an operation on registers in the outermost possible loop; return its register."""
        level = max((self.levels[i] for i in operands), default=0)
        if level == 0:
            return self.add_constant(operation(*(self.values[i] for i in operands)))
        key = (operation, *operands)
        if key not in self._known:
            self.values.append(None)
            self.levels.append(level)
            self._known[key] = len(self.values) - 1
            self._code[level].append((operation, self._known[key], operands))
        return self._known[key]

    def add_fold(self, operation: Callable[[Any, Any], Any], operands: Iterable[int]) -> int:
        """Add operations that fold registers, outer loops first; return the last one's register."""
        first, *rest = sorted(operands, key=self.levels.__getitem__)
        for register in rest:
            first = self.add_operation(operation, first, register)
        return first

    def _steps(self) -> list[Callable[[list[Any]], None]]:
        """Compile the operations of each quadrature loop to a function that sets its registers."""
        state = self.output, *map(len, self._code)
        if self._compiled[0] != state:
            operands = [{i for _, _, inputs in code for i in inputs} for code in self._code]
            steps = []
            for level in range(1, self.depth + 1):
                wanted = {self.output}.union(*operands[level + 1 :])
                steps.append(_as_function(self._code[level], wanted))
            self._compiled = state, steps
        return self._compiled[1]

    def evaluate(self, node: Ball) -> Ball:
        """Return the integrand's value at a node of a one-dimensional rule."""
        values = self.values
        values[0] = node
        self._steps()[0](values)
        return values[self.output]

    def sum_over_nodes(
        self, rules: Sequence[Sequence[Node]], radius: float = 0.0, width: float = 0.0
    ) -> tuple[Ball, Ball, Ball]:
        """Sum values, their sizes, and the sizes in the outer shell, over product nodes near 0.

        Nodes whose third entry is 0 count as near 0 wherever they are.
        """
        values = self.values
        last = self.depth - 1
        steps = self._steps()
        shell = radius**2 - max(radius - width, 0.0) ** 2
        zero = arb(0)

        def loop(level: int, room: float) -> tuple[Ball, Ball, Ball]:
            total, absolute, edge = zero, zero, zero
            step = steps[level]
            for node, weight, square in rules[level]:
                rest = room - square
                if rest < 0.0:
                    break
                values[level] = node
                step(values)
                if level == last:
                    term = weight * values[self.output]
                    size = abs(term)
                    total += term
                    absolute += size
                    if rest < shell:
                        edge += size
                else:
                    inner, inner_absolute, inner_edge = loop(level + 1, rest)
                    total += weight * inner
                    absolute += weight * inner_absolute
                    edge += weight * inner_edge
            return total, absolute, edge

        return loop(0, radius**2)


_INFIX = {operator.add: "+", operator.mul: "*"}


def _as_function(
    code: Sequence[tuple[Callable[..., Any], int, tuple[int, ...]]], wanted: set[int]
) -> Callable[[list[Any]], None]:
    """Compile the operations of one loop to a Python function that sets the wanted registers.

    Most operations are sums and products that take less time than finding out which they are.
    """
    lines, known, names = ["def step(v):", "    pass"], set[int](), dict[str, Any]()
    for operation, out, operands in code:
        lines += [f"    r{i} = v[{i}]" for i in dict.fromkeys(operands) if i not in known]
        known |= {out, *operands}
        inputs = [f"r{i}" for i in operands]
        if operation in _INFIX and len(inputs) == 2:
            lines.append(f"    r{out} = {inputs[0]} {_INFIX[operation]} {inputs[1]}")
        else:
            names[f"f{out}"] = operation
            lines.append(f"    r{out} = f{out}({', '.join(inputs)})")
        if out in wanted:
            lines.append(f"    v[{out}] = r{out}")
    exec("\n".join(lines), names)
    result: Callable[[list[Any]], None] = names["step"]
    return result


_LARGEST_RADIUS = 64.0
_MOST_NODES = 2_000_000
_MOST_ON_A_LINE = 20_000
_UNIT = 2**14
_FIRST_STEP = 0.61
# Shifts of the second lattice, in 4096ths of the step. Where the product of k with the shifts is
# near an integer, both lattices sum the wave exp(2 pi i k.x/h) with the same error, and their
# difference does not show it. These shifts keep away from integers for all small k.
_OFFSETS = (1205, 2202, 1551, 3625)


class QuadratureResult(NamedTuple):
    """Result of a quadrature: value and error as a ball, and log2 of the sum of term sizes."""

    value: Ball
    absolute: float


@lru_cache(maxsize=256)
def _lattice(step: int, offset: int, radius: int, bits: int) -> tuple[Node, ...]:
    """Return nodes and weights of the trapezoidal rule for the standard normal density."""
    h, width = arb(fmpq(step, _UNIT)), step / _UNIT
    scale = h / (2 * arb.pi()).sqrt()
    nodes = []
    for k in range(-int(radius / width) - 2, int(radius / width) + 3):
        # The offset is in units of a 4096th of the step: nodes are exact, dyadic numbers.
        node = arb(fmpq(step * (4096 * k + offset), 4096 * _UNIT))
        nodes.append((node, scale * (-node * node / 2).exp(), float(node) ** 2))
    return tuple(sorted(nodes, key=lambda entry: entry[2]))


@lru_cache(maxsize=64)
def gauss_hermite_rule(count: int, bits: int) -> tuple[Node, ...]:
    r"""Return Gauss-Hermite nodes and weights for the standard normal law, as balls.

    The nodes are the zeros of :math:`He_n`, the weights :math:`(n-1)! / (n\,He_{n-1}(x)^2)`. The
    rule is exact for polynomials of degree at most 2n - 1.
    """
    with ctx.workprec(bits):
        hermite = [fmpz_poly([1]), fmpz_poly([0, 1])]
        for n in range(1, count):
            hermite.append(fmpz_poly([0, 1]) * hermite[n] - n * hermite[n - 1])
        roots = [root.real for root, _ in hermite[count].complex_roots()]
        nodes = []
        for x in roots:
            previous = arb(0)
            for coefficient in reversed(hermite[count - 1].coeffs()):
                previous = previous * x + arb(coefficient)
            nodes.append((x, math.factorial(count - 1) / (arb(count) * previous**2), 0.0))
        return tuple(nodes)


def gaussian_mean_by_shifted_lattices(
    program: CompiledIntegrand,
    nonpolynomial_dimensions: int,
    rules: Sequence[Sequence[Node]],
    digits: int,
) -> QuadratureResult:
    """Evaluate a Gaussian expectation with finer and finer quadrature rules until two agree.

    Notes
    -----
    The trapezoid rule for an entire integrand of Gaussian growth errs by
    :math:`O(e^{-c/h^2})`. Two lattices of the same step, one shifted, have their leading errors in
    different phases; the rule is accepted when their sums agree, and the step otherwise reduced as
    this law predicts. A pole, kink or jump breaks the law, and ends as `Inconclusive`.
    """
    if nonpolynomial_dimensions == 0:
        total, absolute, _ = program.sum_over_nodes(rules)
        return QuadratureResult(total, log2_upper_bound(absolute))
    goal = -(digits + 1.5)
    reach = math.sqrt(2 * (2 - goal) * math.log(10))
    step, last, stalls = _FIRST_STEP, 0.0, 0
    while stalls < 3:
        sums = _two_lattices(program, nonpolynomial_dimensions, rules, step, reach + step)
        absolute, edge = sums[0][1] + sums[1][1], sums[0][2] + sums[1][2]
        whole = log2_upper_bound(absolute)
        if whole == -math.inf:
            return QuadratureResult(arb(0), whole)
        if (log2_upper_bound(edge) - whole) * DIGITS_PER_BIT > goal:
            reach *= 1.2
            if reach > _LARGEST_RADIUS:
                raise Inconclusive("the integrand times the density does not become negligible")
            continue
        difference = sums[0][0] - sums[1][0]
        gap = (log2_upper_bound(difference) - whole) * DIGITS_PER_BIT
        if gap < goal:
            value = (sums[0][0] + sums[1][0]) / 2
            # Both lattices may share a part of their error, see _OFFSETS.
            radius = 8 * difference.abs_upper() + edge.upper()
            return QuadratureResult(widen_ball(value, radius), whole - 1)
        if (log2_upper_bound(ball_radius(difference)) - whole) * DIGITS_PER_BIT > goal:
            raise Inconclusive("rounding leaves too few digits in a quadrature")
        # A rule that converges as it should at least gains digits in proportion to 1/step.
        stalls += gap < -1.5 and last < -0.5 and gap / last < 1 + (_reduction(last, goal) - 1) / 4
        step, last = step / _reduction(gap, goal), gap
    raise Inconclusive("the trapezoid rule does not converge: the integrand is not smooth")


def _reduction(gap: float, goal: float) -> float:
    """Return the factor by which to refine the step, given the digits on which two rules agree."""
    ratio = 1.05 * math.sqrt(goal / gap) if gap < -1.0 else 2.0
    return min(max(ratio, 1.15), 2.5)


def _two_lattices(
    program: CompiledIntegrand,
    smooth: int,
    rules: Sequence[Sequence[Node]],
    step: float,
    radius: float,
) -> list[tuple[Ball, Ball, Ball]]:
    size = (2 * radius / step) ** smooth * math.prod(len(rule) for rule in rules)
    most = _MOST_NODES if smooth > 1 else _MOST_ON_A_LINE
    if size > most:
        raise Inconclusive(f"the trapezoid rule needs more than {most} nodes in dimension {smooth}")
    width, reach = max(1, round(step * _UNIT)), math.ceil(radius)
    sums = []
    for offsets in ((0,) * smooth, _OFFSETS[:smooth]):
        # Long lattices are rare, and would fill the memory.
        build = _lattice if radius < 2000 * step else _lattice.__wrapped__
        lattices = [build(width, offset, reach, ctx.prec) for offset in offsets]
        sums.append(program.sum_over_nodes([*lattices, *rules], radius, step))
    return sums


def integrate_over_real_line(program: CompiledIntegrand, digits: int) -> QuadratureResult:
    """Integrate over the real line a function that decays like a Gaussian."""
    root = (2 * arb.pi()).sqrt()
    ratio = program.add_operation(lambda x: root * (x * x / 2).exp(), 0)
    original, program.output = (
        program.output,
        program.add_operation(operator.mul, program.output, ratio),
    )
    try:
        return gaussian_mean_by_shifted_lattices(program, 1, (), digits)
    finally:
        program.output = original


_FINEST_LEVEL = 10


def integrate_over_interval(
    integrand: Callable[[Ball], Ball], low: Ball, high: Ball, digits: int
) -> QuadratureResult:
    r"""Integrate a function over an interval by double exponential (tanh-sinh) quadrature.

    Notes
    -----
    Substitutes :math:`x = \tanh(\frac\pi2 \sinh t)`, :math:`e^{\frac\pi2\sinh t}` or
    :math:`\sinh(\frac\pi2\sinh t)` and sums over an equidistant lattice in t.
    """
    nodes = _change_of_variable(low, high)
    goal = -(digits + 3.0)
    total, absolute = arb(0), arb(0)
    previous: Ball | None = None
    limits = [0.0, 0.0]
    for level in range(2, _FINEST_LEVEL):
        step = 2**level
        for side, sign in enumerate((1, -1)):
            quiet = 0
            first = (1 if sign == -1 else 0) if level == 2 else 1
            k = first
            while True:
                t = k / step
                if level > 2 and t > limits[side]:
                    break
                node, weight = nodes(arb(fmpq(sign * k, step)))
                term = weight * integrand(node)
                if not term.is_finite():
                    if level == 2 and quiet > 0 and t >= 2.5:
                        # So close to a singular end that the distance to it has been lost.
                        limits[side] = t - 1 / step
                        break
                    raise Inconclusive(
                        "the integrand is not finite inside the range of integration: the mean or "
                        "integral may be undefined"
                    )
                total, absolute = total + term, absolute + abs(term)
                if level == 2:
                    small = log2_upper_bound(term) - log2_upper_bound(absolute)
                    quiet = quiet + 1 if small * DIGITS_PER_BIT < goal - 2 else 0
                    if (quiet >= 3 and t >= 2.5) or t > 8.0:
                        if quiet < 3 and not absolute.is_zero():
                            raise Inconclusive("the integrand does not become negligible at an end")
                        limits[side] = t
                        break
                k += 1 if level == 2 else 2
        value = total / step
        whole = log2_upper_bound(absolute / step)
        if whole == -math.inf:
            return QuadratureResult(arb(0), whole)
        if previous is not None:
            difference = value - previous
            gap = (log2_upper_bound(difference) - whole) * DIGITS_PER_BIT
            if gap < goal:
                return QuadratureResult(widen_ball(value, difference.abs_upper()), whole)
        previous = value
    raise Inconclusive("double exponential quadrature does not converge")


def _change_of_variable(low: Ball, high: Ball) -> Callable[[Ball], tuple[Ball, Ball]]:
    """Return the change of variables of double exponential quadrature: t to node and weight."""
    half_pi = arb.pi() / 2
    if low.is_finite() and high.is_finite():

        def finite(t: Ball) -> tuple[Ball, Ball]:
            u = half_pi * t.sinh()
            left, right = 1 / (1 + (-2 * u).exp()), 1 / (1 + (2 * u).exp())
            length = high - low
            # Measured from the nearer end, so that a singularity there is seen from close by.
            x = low + length * left if u < 0 else high - length * right
            return x, 2 * half_pi * t.cosh() * length * left * right

        return finite
    if low.is_finite() or high.is_finite():
        end, sign = (low, 1) if low.is_finite() else (high, -1)

        def half(t: Ball) -> tuple[Ball, Ball]:
            away = (half_pi * t.sinh()).exp()
            return end + sign * away, half_pi * t.cosh() * away

        return half

    def whole(t: Ball) -> tuple[Ball, Ball]:
        u = half_pi * t.sinh()
        return u.sinh(), half_pi * t.cosh() * u.cosh()

    return whole
