"""See that what the second checker accepts about unknown functions is true in coordinates.

`python -m tests.checker.fuzz.function_search 100000` makes so many inferences and a near miss of
each, and prints for each row how many were accepted, shown at a point, and refused.  A theorem that
is accepted has to hold wherever its hypotheses do, if its premises hold.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from tests.checker import reference
from tests.checker.function_values import Undefined, Unknown, World, bare
from tests.checker.reference import keys, nodes
from tests.checker.reference.nodes import listed

from .functions import DRAFTS, Changes, Draft, Functions

# Sizes of which one is drawn for each theorem; the others are drawn as they come.
SIZES = ({"d": 2, "N": 1}, {"d": 2, "N": 2}, {"d": 1, "N": 2}, {"d": 3, "N": 1})


class Wrong(AssertionError):  # noqa: N818
    """An inference was accepted, and its conclusion is false where its hypotheses hold."""


def facts(draft: Draft) -> list[Any]:
    """Return the premises as theorems that are taken on trust."""
    return [reference.prove("unchecked", [], "premise", given, p) for p, given in draft.premises]


def check(draft: Draft, conclusion: Any, hypotheses: Sequence[Any], seed: Any) -> bool:
    """Raise `Wrong` if a theorem is false somewhere; return whether it was tried at a point."""
    world = World(seed, Random(seed).choice(SIZES))
    try:
        if not (is_probed(draft, world) and all(world.holds(p) for p in hypotheses)):
            return False
        if world.holds(conclusion):
            return True
    except (Unknown, Undefined):
        return False
    raise Wrong(draft, conclusion, hypotheses, world.sizes, seed)


def is_probed(draft: Draft, world: World) -> bool:
    """Decide whether the premises hold, for all values of the letters that the rule binds.

    Premises of what is made special are tried at the special values.
    """
    at: dict[Any, Any] = {}
    is_special = draft.rule in ("specialise letters", "instance")
    values = draft.data[0] if draft.rule == "specialise letters" else draft.bound
    world.probes = [world.matrix(v) for v in values]
    if draft.rule == "instance":
        pairs = draft.data[0]
        if pairs and pairs[0][0][0] == "M.dim":
            world = Resized(world, {s[1]: v[1] for s, v in pairs})
        else:
            at = {bare(s): world.matrix(v) for s, v in pairs if s[0] == "M"}
            at |= {s: world.number(v) for s, v in pairs if s[0] == "s"}
    for i, (p, given) in enumerate(draft.premises):
        if draft.rule == "compare means":
            # A mean may tell what no sample does.
            if p in given or world.surely(draft.bound, p):
                continue
            return False
        implied = ("implies", ("and", *given), p) if given else p
        # Of two premises of `rewrite`, the equation is used for all values.
        bound = () if is_special or (draft.rule == "rewrite" and i == 0) else draft.bound
        if not world.always(bound, implied, at):
            return False
    return True


class Resized(World):
    """The world of a theorem before its sizes get other ones."""

    def __init__(self, world: World, names: Mapping[str, str]) -> None:
        super().__init__(0, {})
        self.world, self.names = world, names
        self.probes, self.drawn = world.probes, world.drawn

    def size(self, name: str) -> int:
        return self.world.size(self.names.get(name, name))

    def letter(self, t: Any) -> Any:
        return self.world.letter(self._other(t))

    def root(self, t: Any) -> Any:
        return super().root(t) if t[0] == "M.id" else self.world.root(self._other(t))

    def symbol(self, t: Any) -> Any:
        return self.world.symbol(t)

    def function(self, name: str, n: str) -> Any:
        return self.world.function(name, self.names.get(n, n))

    def _other(self, t: Any) -> Any:
        return (*t[:3], *(self.names.get(n, n) for n in t[3:5]), t[5])


class Search:
    """Draw inferences and near misses, and compare what is accepted with coordinates."""

    def __init__(self, seed: int) -> None:
        self.seed, self.rng = seed, Random(seed)
        self.make, self.change = Functions(self.rng), Changes(self.rng)
        self.counts: Counter[tuple[str, str]] = Counter()
        self._marks = tuple(map(len, self._tables()))

    def _tables(self) -> tuple[dict[Any, Any], ...]:
        return nodes._TABLE, keys._KEYS

    def forget(self) -> None:
        """Forget the terms since the start, which nothing uses any more."""
        for table, size in zip(self._tables(), self._marks, strict=True):
            while len(table) > size:
                table.popitem()

    def step(self, row: str) -> None:
        """Judge an inference and a near miss of it."""
        draft = DRAFTS[row](self.make)
        self.judge(row, draft)
        try:
            near = self.change(draft)
        except (IndexError, TypeError, ValueError):
            return
        self.judge(f"{row}, near", near)

    def judge(self, row: str, draft: Draft) -> None:
        try:
            theorem = reference.prove(draft.rule, facts(draft), *draft.data)
        except reference.Refused:
            self.counts[row, "refused"] += 1
            return
        self.counts[row, "accepted"] += 1
        hypotheses = [listed(p) for p in theorem.hypotheses.values()]
        shown = check(draft, listed(theorem.conclusion), hypotheses, self.rng.random())
        self.counts[row, "shown"] += shown


def run(count: int, seed: int = 0, rows: Sequence[str] = ()) -> Counter[tuple[str, str]]:
    """Judge so many inferences, evenly over the rows, and return the counts."""
    search, rows = Search(seed), [*(rows or DRAFTS)]
    for i in range(count):
        search.step(rows[i % len(rows)])
        if i % 2_000 == 1_999:
            search.forget()
    return search.counts


def main() -> None:
    start = time.process_time()
    found = run(int(sys.argv[1]), int(*sys.argv[2:3] or [0]), sys.argv[3:])
    for row in sorted({row for row, _ in found}):
        counts = (f"{found[row, what]:>9,} {what}" for what in ("accepted", "shown", "refused"))
        print(f"{row:36}{''.join(counts)}")
    print(f"{time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()
