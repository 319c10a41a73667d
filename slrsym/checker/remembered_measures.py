"""What is asked of the same terms again and again, such as how many nodes they have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

_Found = TypeVar("_Found")


class RememberedMeasure(Generic[_Found]):
    """What a function finds of terms, for the object itself.

    Hypotheses are the same objects in all theorems of a proof. Terms never change. Each is kept
    with what was found, so that no other can take its place.
    """

    def __init__(self, measure: Callable[[Any], _Found]) -> None:
        self._measure = measure
        self._known: dict[int, tuple[Any, _Found]] = {}

    def __call__(self, t: Any) -> _Found:
        known = self._known.get(id(t))
        if known is not None and known[0] is t:
            return known[1]
        found = self._measure(t)
        if len(self._known) >= 50_000:
            self._known.clear()
        # What could change is measured each time.
        if type(t) is tuple:
            self._known[id(t)] = t, found
        return found
