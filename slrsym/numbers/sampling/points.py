"""Random points that obey hypotheses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numpy.random import Generator
from sympy import And, Eq, Rational, S, Symbol, default_sort_key, sympify
from sympy.logic.boolalg import Boolean
from sympy.tensor.indexed import Indexed, IndexedBase

from slrsym.gaussian.law import Law
from slrsym.numbers.errors import NotALaw, Undecided
from slrsym.numbers.exact import exact_truth
from slrsym.numbers.sampling.bounds import bound_of, declared
from slrsym.numbers.sampling.equations import solved
from slrsym.numbers.sampling.families import random_entries
from slrsym.numbers.sampling.rationals import fits, random_value

__all__ = ["NoPoint", "Sampler", "parameters", "sample_points"]

# How often points are proposed, and how often in a row at one size.
_TRIES = 4000
_TRIES_AT_ONE_SIZE = 40


class NoPoint(ValueError):  # noqa: N818
    """No point was found that obeys the hypotheses."""


def parameters(*statements: Any) -> tuple[Any, ...]:
    """The symbols and indexed families that need a value, sorted by name.

    Examples
    --------
    >>> from sympy import symbols
    >>> a, b = symbols("a b")
    >>> parameters(a + b > 1, a**2)
    (a, b)
    """
    families = {base for s in statements for base in s.atoms(IndexedBase)}
    names = {base.label for base in families}
    free = {x for s in statements for x in s.free_symbols if not isinstance(x, Indexed)}
    shapes = {x for base in families for size in base.shape or () for x in size.free_symbols}
    chosen = [x for x in (free | shapes) - families if x not in names]
    return tuple(sorted([*chosen, *families], key=default_sort_key))


def sample_points(
    symbols: Iterable[Any],
    given: Iterable[Any],
    rng: Generator,
    count: int,
    laws: Iterable[Law] = (),
) -> list[dict[Any, Any]]:
    """Random exact points.

    Notes
    -----
    Sizes are log-uniform between 1/8 and 4, denominators at most 64. A value that a hypothesis
    allows as the end of its range is taken now and then.
    """
    sampler = Sampler(symbols, given, laws)
    return [sampler.draw(rng) for _ in range(count)]


class Sampler:
    """Draws points, one at a time."""

    def __init__(
        self, symbols: Iterable[Any], given: Iterable[Any], laws: Iterable[Law] = ()
    ) -> None:
        wanted = sorted(set(symbols), key=default_sort_key)
        hypotheses = _conjuncts(given)
        self.families = [x for x in wanted if isinstance(x, IndexedBase)]
        self.symbols = [x for x in wanted if not isinstance(x, IndexedBase)]
        self.bounds = {x: declared(x) for x in self.symbols}
        equations: list[Eq] = []
        self.hypotheses = hypotheses
        for hypothesis in hypotheses:
            bound = bound_of(hypothesis)
            if bound is not None and bound[0] in self.bounds:
                self.bounds[bound[0]] = self.bounds[bound[0]].narrowed(bound[1])
            elif isinstance(hypothesis, Eq):
                equations.append(hypothesis)
        self.laws = [law for law in laws if law.parameters <= set(self.symbols)]
        self.determined, self.normalised = solved(equations, self.symbols, self.families)
        # What is drawn within the bounds of a single symbol obeys them already.
        computed = {x for x, _ in self.determined}
        self.in_question = [
            (h, exact_truth(h) if h.free_symbols <= set(self.symbols) else None)
            for h in hypotheses
            if (bound := bound_of(h)) is None
            or bound[0] not in self.bounds
            or bound[0] in computed
            or bound[0].is_imaginary
        ]

    def draw(self, rng: Generator) -> dict[Any, Any]:
        """One point."""
        # Bounds of single symbols that exclude each other need no tries.
        tries = 0 if any(bounds.is_empty for bounds in self.bounds.values()) else _TRIES
        for attempt in range(tries):
            # Hypotheses such as |x|^2 <= 1 starve large values: become smaller, then large again.
            size = Rational(1, 2 ** (attempt // _TRIES_AT_ONE_SIZE % 5))
            point = self._proposal(rng, size)
            if point is not None and self._allowed(point):
                return point
        listed = ", ".join(map(str, self.hypotheses)) or "none"
        names = ", ".join(map(str, [*self.symbols, *self.families]))
        laws = f" and of the laws {', '.join(map(str, self.laws))}" if self.laws else ""
        raise NoPoint(
            f"no point ({names}) found in {tries} tries under the hypotheses {listed}{laws}; "
            f"state bounds of single symbols as such, or check that the hypotheses do not exclude "
            f"one another"
        )

    def _proposal(self, rng: Generator, size: Rational) -> dict[Any, Any] | None:
        fixed = {x for x, _ in self.determined}
        point: dict[Any, Any] = {}
        for x in self.symbols:
            if x not in fixed:
                value = random_value(x, self.bounds[x], rng, size)
                if value is None:
                    return None
                point[x] = value
        for x, expr in self.determined:
            value = expr.xreplace(point)
            if not value.is_Rational or not fits(value, x):
                return None
            point[x] = value
        for family in self.families:
            entries = random_entries(family, self.normalised.get(family), point, rng)
            if entries is None:
                return None
            point[family] = entries
        return point

    def _allowed(self, point: dict[Any, Any]) -> bool:
        # Imported late: comparisons draw their points here, and hypotheses are decided there.
        from slrsym.numbers.comparison import truth
        from slrsym.numbers.evaluator import Evaluator

        try:
            for hypothesis, exact in self.in_question:
                if not (exact(point) if exact else truth(hypothesis, point, 20)):
                    return False
            for law in self.laws:
                Evaluator(point, 20).check_law(law)
        except (NotALaw, Undecided):
            return False
        return True


def _conjuncts(given: Iterable[Any]) -> list[Boolean]:
    result: list[Boolean] = []
    for hypothesis in map(sympify, given):
        if not isinstance(hypothesis, Boolean) or isinstance(hypothesis, Symbol):
            raise TypeError(f"a hypothesis must be a relation or a combination; got {hypothesis!r}")
        result += hypothesis.args if isinstance(hypothesis, And) else [hypothesis]
    return [h for h in result if h is not S.true]
