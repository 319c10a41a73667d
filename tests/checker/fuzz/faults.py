"""Faults of one line that are planted in a copy of each checker; the fuzzer has to find each."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
MOST = 20_000


class Fault(NamedTuple):
    """A fault: the file, what stands there, what is put there, and the rows to look at."""

    file: str
    old: str
    new: str
    rows: tuple[str, ...]


def _first(file: str, old: str, new: str, *rows: str) -> Fault:
    return Fault(f"slrsym/checker/{file}.py", old, new, rows)


def _second(file: str, old: str, new: str, *rows: str) -> Fault:
    return Fault(f"tests/checker/reference/{file}.py", old, new, rows)


FAULTS = {
    # A variable is captured.
    "first: capture in a substitution": _first(
        "term", "if incoming & set(names):", "if False:", "instance"
    ),
    "first: a law catches a variable": _first(
        "expectations",
        "require_names_absent(first, laws[count:]",
        "require_names_absent((), laws[count:]",
        "fubini",
    ),
    "first: an end of a range speaks of the variable": _first(
        "relations",
        "if held is not None and x not in free_symbols(end):",
        "if held is not None:",
        "under",
        "linear",
    ),
    # A side condition is dropped.
    "first: generalised over a hypothesis": _first(
        "theorem",
        "require(not any(symbol in free_symbols(h) for h in given)",
        "require(not any(False for h in given)",
        "generalise",
    ),
    "first: induction begins at 0": _first(
        "theorem", 'num(int(n[2] == "Z>0"))', "num(0)", "induction"
    ),
    "first: the slope of an absolute value at 0": _first(
        "differentiation", '(("!=", u, num(0)),)', "()", "derivative"
    ),
    "first: a step may leave the box": _first(
        "orbit_theorems",
        """goal.map_with_fresh_names.invariance_formula(),
        goal.map_with_fresh_names.for_all_points(("<=", change, ZERO)),
    ]""",
        """goal.map_with_fresh_names.for_all_points(("<=", change, ZERO)),
    ]""",
        "theorem: decrease",
    ),
    # A sign, or an end, is another.
    "first: the sign of a quadratic exponent": _first(
        "gaussian_integrals",
        'left = ("+", ONE, ("*", num(-2), a, v))',
        'left = ("+", ONE, ("*", num(2), a, v))',
        "gaussian integral",
    ),
    "first: the ends of a mean value": _first(
        "integrals_and_sums",
        '(kind, ("+", f_high, g_low), ("+", g_high, f_low))',
        '(kind, ("+", f_low, g_high), ("+", g_high, f_low))',
        "mean value",
    ),
    "first: the parity of cos": _first("ring", '"cos": (1,)', '"cos": (-1,)', "arithmetic"),
    "first: bound variables are counted from the outside": _first(
        "term", "names[::-1].index(t)", "names.index(t)", "adjacent", "chain", "linear"
    ),
    "first: the logarithm of a negative number": _first(
        "ring",
        "else (n * d, POS)",
        "else (n * d, ANY)",
        "arithmetic",
    ),
    "second: capture in a substitution": _second(
        "substitution", "clash = [x for x in t.vars if x in coming]", "clash = []", "instance"
    ),
    "second: a law catches a variable": _second(
        "expectations",
        "need(all(law.free.isdisjoint(outer) for law in laws[count:])",
        "need(all(True for law in laws[count:])",
        "fubini",
    ),
    "second: the mean of a law catches a variable": _second(
        "expectations", "need(m.free.isdisjoint(xs)", "need(True", "stein"
    ),
    "second: an end of a range speaks of the variable": _second(
        "forms",
        "if is_term(end) and x not in end.free and",
        "if is_term(end) and",
        "under",
        "linear",
    ),
    "second: generalised over a hypothesis": _second(
        "rules_logic",
        "need(all(x not in h.free for h in hyps.values())",
        "need(all(True for h in hyps)",
        "generalise",
    ),
    "second: a hypothesis of an induction": _second(
        "rules_logic",
        "need(all(n not in h.free for h in hyps.values())",
        "need(all(True for h in hyps)",
        "induction",
    ),
    "second: the slope of an absolute value at 0": _second(
        "calculus", 'asked.append(tm.rel("!=", u, ZERO))', "pass", "derivative"
    ),
    "second: the slope of cos": _second(
        "calculus", '"cos": neg(fun("sin", u))', '"cos": fun("sin", u)', "derivative"
    ),
    "second: the sign of an even power": _second(
        "signs",
        "return POS if n == 0 else s if n % 2 else TIMES[s][s] & ~NEG",
        "return POS if n == 0 else s if n % 2 else POS",
        "arithmetic",
    ),
    "second: the parity of owens": _second(
        "arithmetic", '"owens": (2, 1),', '"owens": (1, 1),', "arithmetic"
    ),
    "second: copies on both sides": _second(
        "expectations", "need(not (f.copies and g.copies)", "need(True", "independent"
    ),
    "second: a random number for a symbol": _second(
        "substitution",
        'if not (is_term(v) or v.head == "lam") or v.copies:',
        'if not (is_term(v) or v.head == "lam"):',
        "instance",
        "specialise",
    ),
}


def planted(fault: Fault, root: Path) -> None:
    """Make a copy of both checkers, of links but for the one file with the fault."""
    for folder in ("slrsym", "slrsym/checker", "tests", "tests/checker", "tests/checker/reference"):
        (root / folder).mkdir()
        for path in (ROOT / folder).iterdir():
            inner = path.relative_to(ROOT)
            if not (root / inner).exists() and str(inner) not in _COPIED and path.name[0] != "_":
                (root / inner).symlink_to(path)
        if (ROOT / folder / "__init__.py").exists():
            (root / folder / "__init__.py").symlink_to(ROOT / folder / "__init__.py")
    text = (ROOT / fault.file).read_text(encoding="utf-8")
    if text.count(fault.old) != 1:
        raise ValueError(f"{fault.file} has {text.count(fault.old)} times {fault.old!r}")
    (root / fault.file).unlink()
    (root / fault.file).write_text(text.replace(fault.old, fault.new), encoding="utf-8")


_COPIED = ("slrsym/checker", "tests/checker", "tests/checker/reference")


def found(name: str, seed: int = 1, most: int = MOST) -> bool:
    """Decide whether the fuzzer finds a fault."""
    fault = FAULTS[name]
    with tempfile.TemporaryDirectory() as folder:
        planted(fault, Path(folder))
        made = subprocess.run(
            [sys.executable, "-m", "tests.checker.fuzz", "--count", str(most), "--seed", str(seed),
             "--records", "-1", "--stop", "--rows", *fault.rows],
            cwd=folder, env={**os.environ, "PYTHONPATH": folder}, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
    if made.returncode not in (0, 1) or "Traceback" in made.stderr:
        raise RuntimeError(made.stderr[-2_000:])
    return made.returncode == 1


if __name__ == "__main__":
    for name in sys.argv[1:] or FAULTS:
        print(f"{name}: {'found' if found(name) else 'NOT FOUND'}", flush=True)
