"""The proof log (section 8)."""

import collections
import hashlib
import itertools
import json
import lzma
import sys
import time
from pathlib import Path

from . import terms as tm
from .rules_logic import entails
from .terms import Refused, key, whole
from .theorems import EXTENSION_OF, EXTENSIONS, RULES, finish, infer, need

FORMAT = "slrsym proof log 3"
FIELDS = {
    "claim": str,
    "extensions": list,
    "given": list,
    "statement": list,
    "terms": list,
    "lines": list,
    "steps": list,
    "axioms": list,
    "digest": str,
}
HEADER = frozenset(("format", "claims", "extensions", "slrsym", "seed", "digest"))
MAX_BYTES = 256_000_000


def once(pairs):
    """Refuse an object with a key that occurs twice."""
    out = dict(pairs)
    need(len(out) == len(pairs), "a key occurs twice")
    return out


def no_number(text):
    """Refuse a number that is no integer."""
    raise Refused("no integer: " + text)


def parse(line):
    """Read one line of JSON (8.1)."""
    try:
        out = json.loads(
            line, object_pairs_hook=once, parse_float=no_number, parse_constant=no_number
        )
    except (ValueError, RecursionError) as e:
        raise Refused(f"no JSON: {tm.show(str(e))}") from e
    need(type(out) is dict, "no JSON object")
    return out


def digest(record, before):
    """Return the digest of a record (8.2)."""
    rest = {k: v for k, v in record.items() if k != "digest"}
    try:
        text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    except (ValueError, RecursionError) as e:
        raise Refused("a record that is too deep") from e
    return hashlib.sha256((before + text).encode("ascii")).hexdigest()


def lines_of(path):
    """Return the lines of a log."""
    data = Path(path).read_bytes()
    if data.startswith(b"\xfd7zXZ\x00"):
        data = unpacked(data)
    need(len(data) <= MAX_BYTES and data.endswith(b"\n"), "the last line has no end")
    lines = data.split(b"\n")[:-1]
    need(len(lines) <= 100_000 and max(map(len, lines)) <= 64_000_000, "too long")
    try:
        return [line.decode("utf-8") for line in lines]
    except UnicodeDecodeError as e:
        raise Refused("no UTF-8") from e


def unpacked(data):
    """Return the contents of an xz file, which has nothing after its streams."""
    out, size = [], 0
    while data:
        tool = lzma.LZMADecompressor(lzma.FORMAT_XZ)
        try:
            part = tool.decompress(data, MAX_BYTES + 1 - size)
        except lzma.LZMAError as e:
            raise Refused(f"no xz file: {e}") from e
        size += len(part)
        need(tool.eof and size <= MAX_BYTES, "no whole xz file, or a file that is too large")
        out.append(part)
        data = tool.unused_data
    return b"".join(out)


class Report:
    """Count the records and the inferences that are accepted, by rule, and their time."""

    def __init__(self):
        self.records = self.total = 0
        self.accepted, self.seconds = collections.Counter(), collections.Counter()


def recheck(path, report=None):
    """Check a log; return (claim, number of steps, axioms) for each record."""
    report = report or Report()
    named = set()
    sys.setrecursionlimit(20000)
    sys.set_int_max_str_digits(0)
    before, results, known, extensions, claims, number = "", [], {}, set(), None, 0
    try:
        for number, line in enumerate(lines_of(path), 1):
            record = parse(line)
            given = record.get("digest")
            need(type(given) is str and given == digest(record, before), "another digest")
            before = given
            if number == 1:
                claims, extensions = header(record)
            else:
                results.append(check_record(record, known, extensions, report))
                named.update(record["extensions"])
                report.records += 1
        need(claims is not None and len(results) == claims, "another number of records")
        need(named == extensions, "an extension of the header that no record names")
    except Refused as e:
        raise Refused(f"line {number}: {e}") from None
    return results


def header(record):
    """Read the header (8.3)."""
    need(record.get("format") == FORMAT, "another format")
    need(set(record) <= HEADER, "other fields in the header")
    claims = record.get("claims")
    need(whole(claims) and claims >= 1, "a number of claims is expected")
    return claims, extension_names(record.get("extensions", []), EXTENSIONS)


def extension_names(names, allowed):
    """Return the set of a list of extensions, all of which are allowed (8.3)."""
    need(type(names) is list and all(type(n) is str for n in names), "no list of names")
    need(all(a < b for a, b in itertools.pairwise(names)), "names out of order, or twice")
    need(all(n in allowed for n in names), "an extension that is unknown or not allowed")
    return set(names)


def check_record(record, known, allowed, report):
    """Check one record (8.4 and 8.5); enter its theorem, and return what it claims."""
    need(set(record) == set(FIELDS) | {"shown"}, "other fields")
    need(all(type(record[f]) is kind for f, kind in FIELDS.items()), "a field of another type")
    claim, shown = record["claim"], record["shown"]
    need(whole(shown) or type(shown) is str, "no reference")
    need(tm.is_label(claim), "an id of printable characters is expected")
    need(claim not in known, "two records of one id")
    named = extension_names(record["extensions"], allowed)
    rows = tm.Rows(named)
    statement = rows.meet(formula(record["statement"]))
    given = [rows.meet(formula(h)) for h in record["given"]]
    for row in record["terms"]:
        rows.append(tm.read(row, rows))
    made = []

    def find(reference):
        """Return the theorem of a reference."""
        if type(reference) is str:
            need(reference in known, f"no record {tm.show(reference)}")
            return known[reference]
        need(whole(reference) and 0 <= reference < len(made), f"no inference {tm.show(reference)}")
        return made[reference]

    for at, line in enumerate(record["lines"]):
        report.total += 1
        try:
            made.append(check_line(line, rows, find, named, report))
        except Refused as e:
            raise Refused(f"inference {at}: {e}") from e
    used = {EXTENSION_OF[line[0]] for line in record["lines"] if line[0] in EXTENSION_OF}
    given_keys = {key(h) for h in given}
    for step in record["steps"]:
        check_step(step, rows, find, given_keys)
    need(named == used | rows.met, "an extension that the record does not use")
    theorem = find(shown)
    need(set(theorem.hypotheses) <= given_keys, "a hypothesis that is not given")
    need(key(theorem.conclusion) == key(statement), "another statement is shown")
    names = collections.Counter(map(tm.name_of, tm.union(p.free for p in [statement, *given])))
    need(all(n == 1 for n in names.values()), "two symbols of one name")
    need(record["axioms"] == sorted(theorem.axioms), f"the axioms are {sorted(theorem.axioms)}")
    known[claim] = finish(statement, given, theorem.axioms)
    return claim, len(record["steps"]), theorem.axioms


def formula(data):
    """Return a formula that is read without rows."""
    p = tm.read(data)
    need(p.head in tm.FORMULAS, "no formula")
    return p


def check_line(line, rows, find, named, report):
    """Return the theorem of one inference."""
    start = time.perf_counter()
    need(type(line) is list and len(line) >= 2 and type(line[1]) is list, "no inference")
    name = line[0]
    need(type(name) is str and name in RULES, f"no rule {tm.show(name)}")
    need(EXTENSION_OF.get(name) in {None, *named}, f"a rule of an extension: {name}")
    try:
        out = infer(name, [find(r) for r in line[1]], line[2:], rows)
    except Refused as e:
        raise Refused(f"{name}: {e}") from e
    report.accepted[name] += 1
    report.seconds[name] += time.perf_counter() - start
    return out


def check_step(step, rows, find, given):
    """Refuse a step that differs from the theorem of its end."""
    need(
        type(step) is list
        and len(step) == 5
        and tm.is_label(step[0])
        and tm.is_label(step[1])
        and type(step[4]) is list,
        "no step",
    )
    theorem = find(step[2])
    need(key(theorem.conclusion) == key(tm.read(step[3], rows)), "a step says another thing")
    hyps = {key(tm.read(h, rows)) for h in step[4]}
    need(hyps == set(theorem.hypotheses), "a step has other hypotheses")
    own = [h for k, h in theorem.hypotheses.items() if k not in given]
    need(not any(entails(h, theorem.conclusion) for h in own), "a step assumes itself")
