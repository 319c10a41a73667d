"""The proof log: claims as lists of inferences in JSON lines, which the checker replays.

The first line of a file is a header; each line after it is one claim: the extensions whose rules it
uses, its statement and hypotheses, a table of terms, the inferences ``[rule, premises, data...]``
(terms by the numbers of their rows), which steps of the proof end at which inference, and the
axioms. A premise is the number of an earlier inference or the id of an earlier claim. Every line
carries the digest of itself and of the lines before it. What is more than a label is judged anew.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import json
import lzma
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import IO, Any, NamedTuple

from slrsym.checker.propositional_satisfiability import are_contradictory
from slrsym.checker.term import (
    WORK,
    Rejected,
    Term,
    TermReader,
    canonical_key,
    free_symbols,
    is_formula,
    is_same_term,
    parse_term,
    require,
    work,
)
from slrsym.checker.theorem import (
    RULES,
    Theorem,
    apply_rule,
    find_rule,
    restated_theorem,
    rule,
)

FORMAT = "slrsym proof log 3"
UNCHECKED = "unchecked: "
# What a log, and each record of it, may name, so that inferences of the record may use its rules.
EXTENSIONS = {
    "dynamics": "slrsym.checker.extensions.dynamics",
    "matrices": "slrsym.checker.extensions.matrices",
    "textbook": "slrsym.checker.extensions.textbook",
    "vectors": "slrsym.checker.extensions.vectors",
}
# Bytes of a line, lines, and bytes of a whole log, and how much longer it is than its file.
_LONGEST, _MOST, _LARGEST, _RATIO = 4_000_000, 100_000, 256_000_000, 100
# Work for each byte of a log, besides that for one inference.
_EACH_BYTE = 100
# Names of claims, steps and what is unchecked: no terminal reads a command in them.
_LABEL = re.compile(r"[!-~](?:[ -~]{0,198}[!-~])?")


@rule("unchecked", "json", "ts", "t", premises=None)
def _unchecked_statement(
    premises: Sequence[Theorem], name: Any, given: tuple[Term, ...], p: Term
) -> Any:
    """Conclude a statement without evidence, with an axiom 'unchecked: NAME'.

    Whatever rests on the statement has the axiom, too.
    """
    require(is_printable_label(name), f"no name for what is unchecked: {name!a:.80}")
    return [h for t in premises for h in t.hypotheses.values()] + [*given], p, [UNCHECKED + name]


def is_printable_label(text: Any) -> bool:
    """Return whether a text is safe to print: 1 to 200 printable ASCII characters, trimmed."""
    return type(text) is str and bool(_LABEL.fullmatch(text))


class Inference(NamedTuple):
    """An accepted inference of a proof, or a cited claim: its number or id, and its theorem."""

    number: int | str
    theorem: Theorem


class ProvedClaims:
    """The claims that a proof log has proved so far, each as a theorem, by id."""

    def __init__(self) -> None:
        self._claims: dict[str, Theorem] = {}

    def cite(self, id: str) -> Inference:
        """Return a claim that was proved before, as a premise; refuse an unknown id."""
        require(id in self._claims, f"claim {id!a:.80} has not been shown before")
        return Inference(id, self._claims[id])

    def enter(self, id: str, statement: Term, given: Sequence[Term], shown: Theorem) -> None:
        """Add a claim with its theorem; refuse a theorem that says or supposes something else."""
        require(is_printable_label(id), f"no name for a claim: {id!a:.80}")
        require(id not in self._claims, f"two claims have the name {id}")
        require_distinct_symbol_names(statement, *given)
        # As stated: the hypotheses of the claim, whether the proof needs them or not.
        self._claims[id] = restated_theorem(shown, given, statement)

    def __iter__(self) -> Iterator[str]:
        return iter(self._claims)


def require_distinct_symbol_names(*formulas: Term) -> None:
    """Refuse formulas in which two different symbols have the same name."""
    table: dict[str, Term] = {}
    for symbol in sorted(frozenset().union(*map(free_symbols, formulas))):
        other = table.setdefault(symbol[1], symbol)
        require(other == symbol, f"two different symbols of the name {symbol[1]}")


class ProofBuilder:
    """The proof of one claim, built inference by inference."""

    def __init__(self, claims: ProvedClaims) -> None:
        self.claims = claims
        self.theorems: list[Theorem] = []

    def add(self, name: str, premises: Iterable[Inference] = (), *data: Any) -> Inference:
        """Apply an inference rule and add the inference; leave the proof unchanged if refused."""
        self.theorems.append(apply_rule(name, [p.theorem for p in premises], *data))
        return Inference(len(self.theorems) - 1, self.theorems[-1])

    def find_premise(self, reference: Any) -> Inference:
        """Return the inference or claim that a reference in a log names."""
        if isinstance(reference, str):
            return self.claims.cite(reference)
        is_earlier = type(reference) is int and 0 <= reference < len(self.theorems)
        require(is_earlier, f"no earlier inference {reference!r:.40}")
        return Inference(reference, self.theorems[reference])


def _parse_argument(kind: str, data: Any, reader: TermReader) -> Any:
    """Parse one argument of an inference rule by its kind: a term, terms, pairs, or JSON."""
    if kind == "json":
        return data
    if kind == "t":
        return reader.read(data)
    require(isinstance(data, list), "the data are no list")
    if kind == "ts":
        return tuple(map(reader.read, data))
    require(all(isinstance(p, list) and len(p) == 2 for p in data), "the data are no list of pairs")
    return tuple((_parse_symbol(s, reader), reader.read(v)) for s, v in data)


def parse_inference_arguments(
    name: Any, data: Sequence[Any], reader: TermReader, extensions: Iterable[str] = EXTENSIONS
) -> list[Any]:
    """Return the arguments of an inference in a log, parsed by the kinds that its rule declares."""
    _, kinds, _, extension = find_rule(name, data)
    is_named = extension in ("", *extensions)
    require(is_named, f"rule {name!r} of the extension {extension}, which the record does not name")
    return [_parse_argument(k, d, reader) for k, d in zip(kinds, data, strict=True)]


def _parse_symbol(data: Any, reader: TermReader) -> Term:
    """Parse a symbol, or a function ``[u, name, sort, arity]`` that `prove` validates."""
    is_function = isinstance(data, list) and data[:1] in (["u"], ["ix"])
    return tuple(data) if is_function else reader.read(data)


# -- files ----------------------------------------------------------------------------------------


def chained_digest(before: str, record: Mapping[str, Any]) -> str:
    """Return the SHA-256 hash of a log's record together with the hash of the record before it."""
    text = json.dumps({k: v for k, v in record.items() if k != "digest"}, sort_keys=True,
                      separators=(",", ":"), ensure_ascii=True)  # fmt: skip
    return hashlib.sha256((before + text).encode()).hexdigest()


class JudgedStep(NamedTuple):
    """A step of a logged claim: label, rule, axioms, statement and hypotheses."""

    label: str
    rule: str
    axioms: frozenset[str]
    statement: Term
    hypotheses: tuple[Term, ...]


@dataclass(frozen=True)
class JudgedClaim:
    """A claim of a log after checking: its axioms, its steps, and the extensions that it uses."""

    id: str
    statement: Term
    given: tuple[Term, ...]
    axioms: frozenset[str]
    steps: tuple[JudgedStep, ...]
    extensions: tuple[str, ...]


def describe_claim_difference(claim: JudgedClaim, said: Mapping[str, Any]) -> str:
    """Return the first difference between a logged claim and its derivation; empty if none."""
    reader = TermReader()
    for row in said["terms"]:
        reader.add(row)
    theirs = sorted((label, canonical_key(reader.read(t))) for label, t, _ in said["steps"])
    supposed = {
        label: set(map(canonical_key, map(reader.read, h))) for label, _, h in said["steps"]
    }
    for name, mine, other in (
        ("statement", canonical_key(claim.statement), canonical_key(parse_term(said["statement"]))),
        (
            "hypotheses",
            sorted(map(canonical_key, claim.given)),
            sorted(canonical_key(parse_term(h)) for h in said["given"]),
        ),
        (
            "steps",
            sorted((step.label, canonical_key(step.statement)) for step in claim.steps),
            theirs,
        ),
    ):
        if mine != other:
            return name
    for step in claim.steps:
        if not supposed[step.label].issuperset(map(canonical_key, step.hypotheses)):
            return f"hypotheses of step {step.label}"
    return ""


class _UnpackedFile(io.RawIOBase):
    """The contents of a file of xz streams alone; `lzma.LZMAFile` skips what else follows them."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw, self._stream = raw, lzma.LZMADecompressor(lzma.FORMAT_XZ)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = b""
        while not data:
            packed = b""
            if self._stream.eof:
                packed = self._stream.unused_data or self._raw.read(io.DEFAULT_BUFFER_SIZE)
                if not packed:
                    return 0
                self._stream = lzma.LZMADecompressor(lzma.FORMAT_XZ)
            elif self._stream.needs_input:
                packed = self._raw.read(io.DEFAULT_BUFFER_SIZE)
                if not packed:
                    raise EOFError
            data = self._stream.decompress(packed, len(buffer))
        buffer[: len(data)] = data
        return len(data)


def read_log_text_lines(path: str | Path) -> Iterator[str]:
    """Yield the lines of a log file, which may be compressed with xz."""
    with Path(path).open("rb") as raw:
        is_packed = raw.read(6) == b"\xfd7zXZ\0"
        raw.seek(0)
        number, size, packed = 0, 0, Path(path).stat().st_size
        try:
            file: IO[bytes] = io.BufferedReader(_UnpackedFile(raw)) if is_packed else raw
            while text := file.readline(_LONGEST):
                number, size = number + 1, size + len(text)
                most = min(_LARGEST, _LONGEST + _RATIO * packed)
                whole = number <= _MOST and size <= most and text.endswith(b"\n")
                require(whole, f"line {number}: cut short, or more than a log may hold")
                yield text.decode()
        except (lzma.LZMAError, EOFError, MemoryError):
            raise Rejected(f"line {number + 1}: damaged") from None
        except UnicodeDecodeError:
            raise Rejected(f"line {number}: no text") from None


def recheck(path: str | Path, extensions: Iterable[str] = EXTENSIONS) -> list[JudgedClaim]:
    """Check a proof log and return its claims; `Rejected` names the line of the first fault.

    A log that names other extensions than these is refused.
    """
    proved, judged, before, claims = ProvedClaims(), [], "", 0
    loaded: tuple[str, ...] = ()
    work.left = WORK
    try:
        for number, text in enumerate(read_log_text_lines(path), start=1):
            try:
                work.left += _EACH_BYTE * len(text)
                record = _parse_line(text)
                written, before = record.pop("digest", None), chained_digest(before, record)
                require(written == before, "the digest is not that of the record")
                if number == 1:
                    require(record.get("format") == FORMAT, f"no log of the format {FORMAT!r}")
                    claims = record.get("claims", 0)
                    require(set(record) <= set(_HEADER), "the header has other fields")
                    loaded = load_extensions(record.get("extensions", []), extensions)
                else:
                    judged.append(check_claim_record(record, proved, loaded))
            except Rejected as reason:
                raise Rejected(f"line {number}: {reason}") from None
            # What a rule stumbles over is malformed; a judge that falls has not agreed.
            except Exception as reason:
                raise Rejected(f"line {number}: malformed: {type(reason).__name__}") from None
    finally:
        work.left = inf
    require(judged, "the log has no record")
    complete = type(claims) is int and claims == len(judged)
    require(complete, "the number of records is not the one in the header")
    unused = set(loaded).difference(*(claim.extensions for claim in judged))
    require(not unused, f"the header names extensions of no record: {', '.join(sorted(unused))}")
    return judged


def load_extensions(names: Any, accepted: Iterable[str] = EXTENSIONS) -> tuple[str, ...]:
    """Import the extensions that a log names; refuse any not accepted; return their names."""
    found = _parse_extension_names(names)
    for name in found:
        require(name in accepted, f"the extension {name} is not accepted")
        importlib.import_module(EXTENSIONS[name])
    return found


def _parse_extension_names(names: Any) -> tuple[str, ...]:
    """Return the names of a list of extensions; refuse unknown, unsorted or repeated names."""
    require(type(names) is list, "the extensions are not a list")
    for name in names:
        require(type(name) is str and name in EXTENSIONS, f"unknown extension {name!a:.40}")
    require(names == sorted(set(names)), "the extensions are not sorted, or one is named twice")
    return tuple(names)


def _parse_line(text: str) -> dict[str, Any]:
    """Parse a log's line, a JSON object; refuse repeated fields and numbers but integers."""

    def object_with_unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        require(len({k for k, _ in pairs}) == len(pairs), "a field is given twice")
        return dict(pairs)

    def refuse_number(text: str) -> Any:
        raise Rejected(f"a number that is no integer: {text:.40}")

    try:
        record = json.loads(
            text,
            object_pairs_hook=object_with_unique_fields,
            parse_float=refuse_number,
            parse_constant=refuse_number,
        )
    except json.JSONDecodeError:
        raise Rejected("the line is no JSON") from None
    require(isinstance(record, dict), "a line is no JSON object")
    return record  # type: ignore[no-any-return]


def is_circular_step(theorem: Theorem, given: Iterable[Term]) -> bool:
    """Return whether a step's conclusion follows from one hypothesis that is not in `given`."""
    allowed = set(map(canonical_key, given))
    own = [h for k, h in theorem.hypotheses.items() if k not in allowed]
    return any(are_contradictory((h, ("not", theorem.conclusion))) for h in own)


_HEADER = ("format", "claims", "extensions", "slrsym", "seed")
_FIELDS: dict[str, type | tuple[type, ...]] = {
    "claim": str, "extensions": list, "given": list, "statement": list, "terms": list,
    "lines": list, "steps": list, "shown": (int, str), "axioms": list,
}  # fmt: skip


def check_claim_record(
    record: dict[str, Any], proved: ProvedClaims, extensions: Sequence[str] = tuple(EXTENSIONS)
) -> JudgedClaim:
    """Check every inference and step in a claim's record, and return the judged claim.

    `extensions` are those that the record may name; it has to name those whose rules it uses, and
    no others. The claim becomes one of the proved claims; `Rejected` is raised at the first fault.
    """
    require(set(record) == set(_FIELDS), f"the fields are not {', '.join(_FIELDS)}")
    for name, kind in _FIELDS.items():
        require(isinstance(record[name], kind), f"the field {name} has another JSON type")
    named, used = _parse_extension_names(record["extensions"]), set[str]()
    for extension in named:
        require(extension in extensions, f"the header does not name the extension {extension}")
    # The statement and hypotheses of the claim have no rows.
    own, reader = TermReader(named), TermReader(named)
    statement, given = own.read(record["statement"]), tuple(map(own.read, record["given"]))
    require(all(map(is_formula, (statement, *given))), "a statement or hypothesis is no formula")
    builder = ProofBuilder(proved)
    for row in record["terms"]:
        reader.add(row)
    for line in record["lines"]:
        is_inference = isinstance(line, list) and len(line) > 1 and isinstance(line[1], list)
        require(is_inference, "an inference is not a list of a rule, its premises and its data")
        name, premises, *data = line
        data = parse_inference_arguments(name, data, reader, named)
        used.add(RULES[name].extension)
        builder.add(name, map(builder.find_premise, premises), *data)
    steps = []
    for step in record["steps"]:
        require(isinstance(step, list) and len(step) == 5, "a step has not five fields")
        label, name, end, said, supposed = step
        is_named = is_printable_label(label) and is_printable_label(name)
        require(is_named, f"no label and rule: {[label, name]!a:.80}")
        require(isinstance(supposed, list), f"step {label}: the hypotheses are not a list")
        theorem, listed = builder.find_premise(end).theorem, tuple(map(reader.read, supposed))
        wrong = not is_same_term(theorem.conclusion, reader.read(said))
        require(not wrong, f"step {label} shows another statement")
        others = set(map(canonical_key, listed)) != set(theorem.hypotheses)
        require(not others, f"step {label} lists other hypotheses than it has")
        require(not is_circular_step(theorem, given), f"step {label} supposes what it says")
        steps.append(JudgedStep(label, name, theorem.axioms, theorem.conclusion, listed))
    unused = sorted(set(named) - used - own.used - reader.used)
    require(not unused, f"the record names extensions that it does not use: {', '.join(unused)}")
    shown = builder.find_premise(record["shown"])
    proved.enter(record["claim"], statement, given, shown.theorem)
    theirs = sorted(shown.theorem.axioms)
    require(record["axioms"] == theirs, "the axioms are not those of the theorem")
    return JudgedClaim(record["claim"], statement, given, shown.theorem.axioms, tuple(steps), named)
