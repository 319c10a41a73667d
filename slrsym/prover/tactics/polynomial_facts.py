"""Known signs of polynomials that count the reductions of long ones as work of a search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from slrsym.checker.sign import SignFacts

# From this number of terms on, the reduction of a polynomial counts as work.
_LONG = 100


class WorkCountingFacts(SignFacts):
    """Known signs of polynomials that count the reductions of long ones as work of the search."""

    def __init__(self, size: int, count_work: Callable[[int], None]) -> None:
        super().__init__(size)
        self.count_work = count_work

    def reduce(self, p: Any) -> Any:
        """Return the polynomial with powers of roots replaced, and count the work if it is long."""
        if len(p) >= _LONG:
            degrees = p.degrees()
            rewritten = [k for k, (i, q, _) in enumerate(self.roots) if degrees[i] >= q]
            # A root's radicand contains earlier roots, which are rewritten in turn.
            self.count_work(len(p) * (1 + rewritten[-1]) if rewritten else 0)
        return super().reduce(p)
