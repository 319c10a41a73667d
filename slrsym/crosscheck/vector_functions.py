"""Concrete functions of vectors that stand for unknown ones: polynomials and cosines.

A function is a polynomial of degree 3 at most, and a sum of cosines of linear forms, so that all
its derivatives are known. If hypotheses bound its gradient or its Hessian at all vectors, there is
no cubic part. Then the Hessian is affine in the cosines, and the gradient in the sines: both are
tested where each of these is -1 or 1, the corners of a box, in which they lie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, fmpq
from numpy.random import Generator

from slrsym.crosscheck.ball_quadrature import Inconclusive
from slrsym.crosscheck.waves import Wave, as_ball
from slrsym.matrices.functions import ForAllMatrices, SmoothFunction
from slrsym.matrices.letters import matrix, symmetric
from slrsym.matrices.means import Loewner
from slrsym.prover.statements.expressions import conjuncts

# How many functions are drawn for hypotheses, and by what each is multiplied, from large to small.
_TRIES, _HALVINGS = 12, 5
_SIZES = [fmpq(k, 2) * fmpq(2) ** n for n in range(4, -9, -1) for k in (3, 2)]


@dataclass(frozen=True)
class VectorFunction:
    """The sum of c prod x_i over monomials, and of a cos(w x + b) over waves."""

    size: int
    monomials: tuple[tuple[fmpq, tuple[int, ...]], ...]
    waves: tuple[tuple[fmpq, tuple[fmpq, ...], fmpq], ...]

    def scaled(self, factor: fmpq) -> VectorFunction:
        """Return a multiple."""
        monomials = tuple((factor * c, places) for c, places in self.monomials)
        return VectorFunction(
            self.size, monomials, tuple((factor * a, w, b) for a, w, b in self.waves)
        )

    def at(self, x: Sequence[Any], places: tuple[int, ...] = ()) -> Any:
        """Return a partial derivative, in the variables at some places, at a vector."""
        if any(isinstance(u, Wave | arb) for u in x):
            x = [as_ball(u) for u in x]
        total: Any = self._polynomial(x, places)
        for a, w, b in self.waves:
            c = a * prod((w[i] for i in places), start=fmpq(1))
            # Derivatives of a cosine are -sin, -cos, sin, cos and so on.
            c = -c if len(places) % 4 in (1, 2) else c
            angle = sum((w[i] * u for i, u in enumerate(x)), fmpq(0))
            if isinstance(angle, arb):
                total += c * ((angle + b).sin() if len(places) % 2 else (angle + b).cos())
            else:
                total += (Wave.sine if len(places) % 2 else Wave.cosine)(angle, b, c)
        return total

    def _polynomial(self, x: Sequence[Any], places: tuple[int, ...]) -> Any:
        total: Any = fmpq(0)
        for factor, left in self._monomials_of_derivative(places):
            total = total + prod((x[i] for i in left), start=factor)
        return total

    def _monomials_of_derivative(self, places: tuple[int, ...]) -> Iterator[tuple[fmpq, list[int]]]:
        """Yield the monomials of a partial derivative of the polynomial that are not 0."""
        for c, factors in self.monomials:
            left, factor = list(factors), c
            for i in places:
                factor *= left.count(i)
                if i in left:
                    left.remove(i)
            if factor:
                yield factor, left

    def gradient(self, x: Sequence[Any]) -> list[Any]:
        return [self.at(x, (i,)) for i in range(self.size)]

    def hessian(self, x: Sequence[Any]) -> list[list[Any]]:
        return [[self.at(x, (i, j)) for j in range(self.size)] for i in range(self.size)]

    def corners(self) -> Iterable[tuple[Any, list[Any], list[list[Any]]]]:
        """Yield values, gradients and Hessians whose convex hulls contain those at all vectors.

        Hessians are right without cubic terms, gradients if there are no quadratic ones, and values
        if there are no linear ones.
        """
        origin = [fmpq(0)] * self.size
        bare = VectorFunction(self.size, self.monomials, ())
        for signs in product((-1, 1), repeat=len(self.waves)):
            slope, bend = bare.gradient(origin), bare.hessian(origin)
            number = bare.at(origin)
            for sign, (a, w, _) in zip(signs, self.waves, strict=True):
                number = number + sign * a
                slope = [g + sign * a * u for g, u in zip(slope, w, strict=True)]
                bend = [[h + sign * a * u * v for h, v in zip(row, w, strict=True)]
                        for row, u in zip(bend, w, strict=True)]  # fmt: skip
            yield number, slope, bend

    def without_powers_above(self, degree: int) -> VectorFunction:
        """Return a function without the terms of a polynomial above a degree."""
        kept = tuple(term for term in self.monomials if len(term[1]) <= degree)
        return VectorFunction(self.size, kept, self.waves)

    def without_waves(self) -> VectorFunction:
        """Return the polynomial alone."""
        return VectorFunction(self.size, self.monomials, ())

    def plus_polynomial(self, coefficients: Sequence[fmpq], order: int) -> VectorFunction:
        """Return a sum with a linear form, or with a constant if the order is 0."""
        more = tuple((c, (i,) * order) for i, c in enumerate(coefficients) if c)
        return VectorFunction(self.size, (*self.monomials, *more), self.waves)

    @property
    def degree(self) -> int:
        return max((len(places) for _, places in self.monomials), default=0)

    def __str__(self) -> str:
        kinds = {1: "linear", 2: "quadratic", 3: "cubic"}
        parts = [f"a {kinds[self.degree]} polynomial"] if self.degree else []
        parts += [("a cosine", "two cosines")[len(self.waves) - 1]] if self.waves else []
        return " and ".join(parts) or "a constant"

    # -- in floating point ------------------------------------------------------------------------

    def samples(self, x: Any, order: int) -> Any:
        """Return values, gradients or Hessians at vectors, shape (..., size, 1), in floats."""
        x = np.asarray(x, dtype=float)[..., 0]
        n = self.size
        shape = x.shape[:-1] + ((), (n, 1), (n, n))[order]
        found = np.zeros(shape)
        for places in product(range(n), repeat=order):
            value = self._sample(x, places)
            where = (..., *places, *((0,) if order == 1 else ()))
            found[where] = value
        return found

    def _sample(self, x: Any, places: tuple[int, ...]) -> Any:
        total = np.zeros(x.shape[:-1])
        for factor, left in self._monomials_of_derivative(places):
            total = total + _float(factor) * np.prod([x[..., i] for i in left], axis=0)
        for a, w, b in self.waves:
            angle = x @ np.array([_float(u) for u in w]) + _float(b) + len(places) * np.pi / 2
            total = total + _float(a) * prod(_float(w[i]) for i in places) * np.cos(angle)
        return total


def _float(x: fmpq) -> float:
    return int(x.p) / int(x.q)


def random_vector_function(size: int, rng: Generator, bounded: bool = False) -> VectorFunction:
    """Return a random function; one whose Hessian, or whose gradient, has bounds if asked for."""

    def number(low: int, high: int, over: int = 4) -> fmpq:
        return fmpq(int(rng.integers(low, high, endpoint=True)), over)

    def vector() -> tuple[fmpq, ...]:
        return tuple(number(-4, 4) for _ in range(size))

    def scale(most: int) -> fmpq:
        return fmpq(1, 4 ** int(rng.integers(0, most)))

    waves = tuple((number(1, 4), vector(), number(-6, 6)) for _ in range(2))
    linear = [(c, (i,)) for i, c in enumerate(vector()) if c]
    # A bowl that is nearly round, or one turned over, or a saddle, or none.
    signs = [(-1, 1, 1, 0)[int(rng.integers(0, 4))]] * size
    if not rng.integers(0, 4):
        signs = [int(rng.integers(-1, 2)) for _ in range(size)]
    bowl = [(sign * number(16, 19, 32), (i, i)) for i, sign in enumerate(signs) if sign]
    times, offset = scale(4), number(-4, 4)
    waves = tuple((times * a, w, b) for a, w, b in waves[: max(0, int(rng.integers(-1, 3)))])
    constant = (offset / scale(3), ())
    if bounded:
        return VectorFunction(size, (constant, *linear, *bowl), waves)
    quadratic = [(number(-4, 4), (i, j)) for i in range(size) for j in range(i, size)]
    cubic = [(number(-3, 3), (i, j, k)) for i in range(size) for j in range(i, size)
             for k in range(j, size)]  # fmt: skip
    kinds = [[*linear, *quadratic, *cubic], [*linear, *quadratic], [constant, *linear],
             [constant, *linear, *bowl]]  # fmt: skip
    chosen = kinds[int(rng.integers(0, len(kinds)))]
    made = VectorFunction(size, tuple(term for term in chosen if term[0]), waves)
    return made.scaled(scale(3))


class BoundsForAllVectors:
    """The hypotheses on one function at all vectors, with a letter in place of what they bound."""

    def __init__(self, function: SmoothFunction, given: Iterable[ForAllMatrices]) -> None:
        self.function = function
        self._values: list[Any] = []
        self._slopes: list[Any] = []
        self._bends: list[Any] = []
        # Of Polyak and Lojasiewicz's inequality: the factor and the constant of the value.
        self._above: list[tuple[Any, Any]] = []
        size = function.size
        self.value = sp.Dummy("value", real=True)
        self.slope, self.bend = matrix("slope", size, 1), symmetric("bend", size)
        for hypothesis in given:
            for part in conjuncts(hypothesis.statement):
                self._read(hypothesis.letter, part)

    @property
    def least_order(self) -> int:
        """The least order of the derivatives that are bounded; 0 are values."""
        return 0 if self._values or self._above else 1 if self._slopes else 2

    def _read(self, z: Any, part: Any) -> None:
        h = self.function
        if above := self._lojasiewicz(
            part.xreplace({h(z): self.value, h.gradient(z): self.slope}), z
        ):
            self._above.append(above)
            return
        for node, put, of in (
            (h(z), self.value, self._values), (h.gradient(z), self.slope, self._slopes),
            (h.hessian(z), self.bend, self._bends),
        ):  # fmt: skip
            said = part.xreplace({node: put})
            if put in said.free_symbols and z not in said.free_symbols and self._is_convex(said):
                of.append(said)
                return
        raise Inconclusive(f"no functions are known for which {part} at all {z.name}")

    def _lojasiewicz(self, said: Any, z: Any) -> tuple[Any, Any] | None:
        """Return k and c of a statement that k h(z) + c is at most the squared slope, or None."""
        if not isinstance(said, sp.Le | sp.Ge) or z in said.free_symbols:
            return None
        least, most = said.lts, said.gts
        if most != sp.Trace(self.slope.T * self.slope) or not least.has(self.value):
            return None
        k = sp.expand(least).coeff(self.value, 1)
        c = sp.expand(least - k * self.value)
        names = {self.value, self.slope}
        return None if names & (k.free_symbols | c.free_symbols) else (k, c)

    def _is_convex(self, said: Any) -> bool:
        """Return whether a statement holds at all points of a box if it does at the corners."""
        if isinstance(said, Loewner):
            return True
        if not isinstance(said, sp.Le | sp.Lt | sp.Ge | sp.Gt):
            return False
        least, most = (said.lhs, said.rhs) if isinstance(said, sp.Le | sp.Lt) else said.args[::-1]
        length = sp.Trace(self.slope.T * self.slope)
        if least == length and not most.has(self.slope):
            return True
        return all(map(self._is_affine, sp.Add.make_args(sp.expand(least - most))))

    def _is_affine(self, term: Any) -> bool:
        """Return whether a term is of degree 1 at most in what is bounded."""
        degree = 0
        for factor in sp.Mul.make_args(term):
            inside = factor.arg if isinstance(factor, sp.Trace) else factor
            parts = inside.args if isinstance(inside, sp.MatMul) else [inside]
            names = (self.value, self.slope, self.bend)
            for part in parts:
                if part in names or part == self.slope.T:
                    degree += 1
                elif part.has(*names):
                    return False
        return degree <= 1

    def choose(
        self,
        size: int,
        rng: Generator,
        holds: Callable[[Any, Any], bool],
        number: Callable[[Any], Any],
    ) -> Any:
        """Return a function that satisfies them, at the largest or at the smallest size, or None.

        The function `holds` tells whether a statement holds with values for some letters, `number`
        returns the value of an expression without these.
        """
        if self._above:
            return self._bowl(size, rng, holds, [tuple(map(number, pair)) for pair in self._above])
        for _ in range(_TRIES):
            drawn = random_vector_function(size, rng, bounded=True)
            drawn = drawn.without_powers_above(self.least_order)
            sizes = [t for t in _SIZES if self._fits(drawn.scaled(t), holds)]
            if not sizes:
                continue
            # What holds for two multiples of a function holds for those between them. One at an end
            # is sought.
            is_largest = bool(rng.integers(0, 3))
            inside = sizes[0 if is_largest else -1]
            outside = inside * (fmpq(3, 2) if is_largest else fmpq(1, 2))
            for _ in range(_HALVINGS):
                middle = (inside + outside) / 2
                if self._fits(drawn.scaled(middle), holds):
                    inside = middle
                else:
                    outside = middle
            return drawn.scaled(inside)
        return None

    def _bowl(
        self,
        size: int,
        rng: Generator,
        holds: Callable[[Any, Any], bool],
        above: Sequence[tuple[Any, ...]],
    ) -> Any:
        """Return a function that is quadratic or constant along each axis, or None.

        If its least value is b and its curvatures are 0 or at least m, then 2 m (h(z) - b) is at
        most the squared slope.
        """
        if any(not isinstance(k, fmpq) or k <= 0 for k, _ in above):
            return None
        least, curvature = {-c / k for k, c in above}, max(k for k, _ in above) / 2
        if len(least) > 1:
            return None
        centre = [fmpq(int(rng.integers(-8, 9)), 4) for _ in range(size)]
        kinds = [int(rng.integers(0, 3)) if rng.integers(0, 3) else 1 for _ in range(size)]
        found = []
        for factor in (fmpq(1), fmpq(5, 4), fmpq(3, 2), fmpq(2), fmpq(4), fmpq(16)):
            # Flat, as flat as is allowed, or steeper.
            bends = [curvature * (0, fmpq(1), factor)[kind] for kind in kinds]
            terms: list[tuple[fmpq, tuple[int, ...]]] = [(next(iter(least)), ())]
            for i, (a, u) in enumerate(zip(bends, centre, strict=True)):
                terms += [(a / 2, (i, i)), (-a * u, (i,)), (a * u * u / 2, ())]
            made = VectorFunction(size, tuple(term for term in terms if term[0]), ())
            if self._fits(made, holds):
                found.append(made)
        return found[int(rng.integers(0, len(found)))] if found else None

    def _fits(self, f: VectorFunction, holds: Callable[[Any, Any], bool]) -> bool:
        return all(
            holds(said, {put: value})
            for number, slope, bend in f.corners()
            for put, value, of in (
                (self.value, number, self._values), (self.bend, bend, self._bends),
                (self.slope, [[u] for u in slope], self._slopes),
            )
            for said in of
        )  # fmt: skip
