"""Judge one inference by both checkers, and compare what they say."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from slrsym.checker import term as T1  # noqa: N812
from slrsym.checker import theorem as first
from slrsym.checker.extensions import dynamics, matrices, textbook, vectors  # noqa: F401
from slrsym.checker.term import Rejected, Term
from tests.checker import reference as second
from tests.checker.reference import keys, nodes, reading, theorems

from .values import holds

# What a checker says that stops at a limit of its work.
_LIMITS = ("too long", "too large", "too deep", "limit of work", "too much work", "too many cases")
_CRASH = "an error that is no refusal:"
SECONDS = 3.0


class TooSlow(BaseException):
    """An inference took longer than a fuzzer waits; no checker takes that for a refusal."""


class Fact(NamedTuple):
    """A theorem of both checkers."""

    first: Any
    second: Any

    @property
    def conclusion(self) -> Term:
        return self.first.conclusion

    @property
    def hypotheses(self) -> tuple[Term, ...]:
        return tuple(self.first.hypotheses.values())


class Inference(NamedTuple):
    """An inference for both: the rule, premises and data, and how it came about."""

    rule: str
    premises: tuple[Fact, ...]
    data: tuple[Any, ...]
    origin: str = ""

    @property
    def row(self) -> str:
        """The row of the table: the rule, with the schema if it is one for theorems."""
        known = self.rule in BY_NAME and self.data and isinstance(self.data[0], str)
        return f"{self.rule}: {self.data[0]}" if known and self.data[0] in SCHEMAS else self.rule


class Outcome(NamedTuple):
    """What both said: accepted, refused, limit or different; and the theorem, or why not."""

    verdict: str
    fact: Fact | None
    why: tuple[str, str]


# The rules whose rows are those of their schemas, and the names of these.
BY_NAME = ("theorem", "vector theorem", "flow theorem")
SCHEMAS: frozenset[str] = frozenset()


class Converter:
    """Terms of the first checker as nodes of the second, each part converted once."""

    def __init__(self) -> None:
        self._nodes: dict[int, tuple[Any, Any]] = {}

    def __call__(self, t: Any) -> Any:
        """Return a node, or plain data if the term is malformed."""
        found = self._nodes.get(id(t))
        if found is None:
            found = t, self._made(t)
            self._nodes[id(t)] = found
        return found[1]

    def _made(self, t: Any) -> Any:
        if not (type(t) is tuple and t and type(t[0]) is str and t[0] in reading.HEADS):
            return t
        count = reading.PARAMETERS.get(t[0], 0)
        if t[0] in nodes.BINDERS:
            groups = [tuple(map(self, g)) if type(g) is tuple else g for g in t[1 + count :]]
            return self._read([*t[: 1 + count], *groups])
        return self._read([*t[: 1 + count], *map(self, t[1 + count :])])

    def _read(self, data: list[Any]) -> Any:
        try:
            return reading.read_shape(data, None, 0)
        except nodes.Refused:
            return data

    def data(self, kind: str, value: Any) -> Any:
        if kind == "t":
            return self(value)
        if kind == "ts":
            return [self(t) for t in value]
        if kind == "pairs":
            return [(s if _is_function(s) else self(s), self(v)) for s, v in value]
        return value


def _is_function(s: Any) -> bool:
    return len(s) == 4 and s[0] in ("u", "ix") and type(s[3]) is int


class Judges:
    """Both checkers, and how much the second one remembers."""

    def __init__(self) -> None:
        self.node = Converter()
        self._marks: tuple[int, ...] = ()
        self.mark()

    def mark(self) -> None:
        """Remember which terms are to stay."""
        self._marks = tuple(map(len, self._tables()))

    def forget(self) -> None:
        """Forget all terms since the mark; no theorem made since then may be used again."""
        for table, size in zip(self._tables(), self._marks, strict=True):
            while len(table) > size:
                table.popitem()

    def _tables(self) -> tuple[dict[Any, Any], ...]:
        return nodes._TABLE, keys._KEYS, self.node._nodes

    def fact(self, conclusion: Term, hypotheses: Sequence[Term] = (), name: str = "fact") -> Fact:
        """Return a theorem that is taken on trust; `Rejected` if it is none."""
        a = first.apply_rule("unchecked", [], name, tuple(hypotheses), conclusion)
        try:
            b = second.prove(
                "unchecked", [], name, [self.node(h) for h in hypotheses], self.node(conclusion)
            )
        except second.Refused as why:
            raise Rejected(f"the second one refuses: {why}") from None
        return Fact(a, b)

    def __call__(self, made: Inference, seconds: float = SECONDS) -> Outcome:
        """Judge an inference by both."""
        try:
            with alarm(seconds):
                a, b = self._first(made), self._second(made)
        except TooSlow:
            return Outcome("limit", None, ("too slow", "too slow"))
        return self._compared(made, a, b)

    def _first(self, made: Inference) -> Any:
        try:
            return first.apply_rule(made.rule, [p.first for p in made.premises], *made.data)
        except Rejected as why:
            return str(why) or "refused"

    def _second(self, made: Inference) -> Any:
        kinds = theorems.RULES[made.rule][0] if made.rule in theorems.RULES else []
        try:
            data = [self.node.data(k, v) for k, v in zip(kinds, made.data, strict=True)]
        except (ValueError, TypeError, IndexError):
            return "data of another shape"
        try:
            return second.prove(made.rule, [p.second for p in made.premises], *data)
        except second.Refused as why:
            return str(why) or "refused"
        except Exception as why:
            return f"{_CRASH} {type(why).__name__}: {why}"

    def _compared(self, made: Inference, a: Any, b: Any) -> Outcome:
        whys = tuple(x if type(x) is str else "" for x in (a, b))
        if all(whys) and not whys[1].startswith(_CRASH):
            return Outcome("refused", None, whys)
        if any(whys):
            limited = any(text in why for why in whys for text in _LIMITS)
            # How narrow intervals are is a limit of work; that what is accepted is true is not.
            limited = limited or (made.rule == "numbers" and holds(made.data[0]))
            return Outcome("limit" if limited else "different", None, whys)
        differs = self._differs(a, b)
        if differs:
            return Outcome("different", Fact(a, b), (differs, ""))
        return Outcome("accepted", Fact(a, b), whys)

    def _differs(self, a: Any, b: Any) -> str:
        if self.node(a.conclusion) is not b.conclusion:
            return f"conclusions: {a.conclusion} | {nodes.listed(b.conclusion)}"
        if T1.canonical_key(a.conclusion) != keys.key(
            b.conclusion
        ) and "text" not in T1.canonical_key(a.conclusion):
            return f"keys: {T1.canonical_key(a.conclusion)} | {keys.key(b.conclusion)}"
        if a.axioms != b.axioms:
            return f"axioms: {sorted(a.axioms)} | {sorted(b.axioms)}"
        if set(a.hypotheses) != set(b.hypotheses):
            mine = {keys.key(self.node(h)) for h in a.hypotheses.values()}
            theirs = set(b.hypotheses)
            if mine != theirs:
                return f"hypotheses: {sorted(mine - theirs)} | {sorted(theirs - mine)}"
        return ""


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` in here after some time."""

    def late(number: int, frame: Any) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
