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
    # Matrices.
    "first: a letter of which a hypothesis speaks": _first(
        "extensions/matrices", "require(z not in spoken", "require(True", "matrix identity"
    ),
    "first: a negative multiple is semidefinite": _first(
        "extensions/matrices",
        'return [("<=", num(0), t[1]), ("M.psd", t[2])]',
        'return [("M.psd", t[2])]',
        "semidefinite",
    ),
    "first: the transpose of a product": _first(
        "extensions/matrix_words",
        "return tuple(self.transposed[x] for x in reversed(word))",
        "return tuple(reversed(word))",
        "arithmetic: traces",
    ),
    "first: a letter of a mean is caught by sizes": _first(
        "extensions/matrix_language",
        "caught = [x for x in names if found[_resized(x, sizes)] > 1]",
        "caught: list[Term] = []",
        "instance: sizes",
    ),
    "first: a covariance of rows for one of columns": _first(
        "extensions/matrix_means",
        "(before + b, columns), (after + a, rows)",
        "(before + a, columns), (after + b, rows)",
        "isserlis",
    ),
    "second: letters of no family commute": _second(
        "matrix_words",
        "return family is not None and family ==",
        "return family ==",
        "arithmetic: traces",
    ),
    "second: a letter of which a hypothesis speaks": _second(
        "matrix_rules",
        "need(all(z not in p.free for p in (goal, *hyps.values()))",
        "need(all(z not in p.free for p in (goal,))",
        "matrix identity",
    ),
    "second: sizes make two letters one": _second(
        "matrix_instances", "need(len(new) == len(letters)", "need(True", "instance: sizes"
    ),
    "second: a value for one letter of a family": _second(
        "matrix_instances",
        "all(s in here for s in free if kin(s) in families)",
        "True",
        "instance: letters",
    ),
    "second: an occurrence is no transpose": _second(
        "matrix_means",
        'at_rows = (side == "left") != transposed',
        'at_rows = side == "left"',
        "isserlis",
    ),
    "second: a matrix that may be undefined": _second(
        "matrix_rules", "hyps + defined_matrix(y))", "hyps)", "definite trace"
    ),
    # Unknown functions of vectors.
    "first: a covariance is forgotten": _first(
        "extensions/unknown_function_means",
        "law = laws[names.index(z)]",
        'law = ("M.gauss", ("M.id", z[3]), ("M.id", z[4]))',
        "stein for matrices",
    ),
    "first: one occurrence moves alone": _first(
        "extensions/unknown_function_means",
        '("M.mul", substitute(p, put), y)',
        '("M.mul", p, y)',
        "stein for matrices",
    ),
    "first: a bound of a mean under a hypothesis on the variable": _first(
        "extensions/unknown_function_means",
        "hypotheses_left_by_binder(node, combined_hypotheses([theorem])).values()",
        "combined_hypotheses([theorem]).values()",
        "compare means",
    ),
    "first: a Hessian is differentiated": _first(
        "extensions/unknown_function_means",
        'not with_derivative or t[0] != "M.hess"',
        "True",
        "stein for matrices",
        "poincare for matrices",
    ),
    "first: for all letters under a hypothesis": _first(
        "extensions/unknown_functions", "require(not caught,", "require(True,", "generalise letters"
    ),
    "first: a slope is transposed": _first(
        "extensions/unknown_functions",
        '("M.T", ("M.grad", *t[1:])), derived(t[2])',
        '("M.T", derived(t[2])), ("M.grad", *t[1:])',
        "derivative: functions",
    ),
    "first: sizes make two functions one": _first(
        "extensions/matrix_language",
        'require(different, "two functions',
        'require(True, "two functions',
        "instance: sizes of functions",
    ),
    "second: a covariance is forgotten": _second(
        "matrix_functions",
        "[laws[xs.index(z)]]",
        '[build("M.gauss", (), tuple(build("M.id", (n,)) for n in z.params[2:4]))]',
        "stein for matrices",
    ),
    "second: one occurrence moves alone": _second(
        "matrix_functions", "subst(word.parts[0], line)", "word.parts[0]", "stein for matrices"
    ),
    "second: a bound of a mean under a hypothesis on the variable": _second(
        "matrix_functions",
        "*leaving(node, premises[0].hypotheses).values()",
        "*merged(premises).values()",
        "compare means",
    ),
    "second: a Hessian is differentiated": _second(
        "matrix_functions",
        'need(not smooth or t.head != "M.hess"',
        "need(True",
        "stein for matrices",
        "poincare for matrices",
    ),
    "second: for all letters under a hypothesis": _second(
        "matrix_functions",
        "all(h.free.isdisjoint(xs) for h in hyps.values())",
        "all(True for h in hyps)",
        "generalise letters",
    ),
    "second: a slope is transposed": _second(
        "calculus",
        "product(transposed(slope_at(name, at)), slope)",
        "product(transposed(slope), slope_at(name, at))",
        "derivative: functions",
    ),
    "second: sizes make two functions one": _second(
        "matrix_instances",
        "need(len(become) == len(functions)",
        "need(True",
        "instance: sizes of functions",
    ),
    "second: a mean of a gradient at the variable": _second(
        "matrix_traces",
        'need(allowed is None or allowed(a), "a variable in an unknown function")',
        "pass",
        "isserlis: functions",
    ),
    "second: a value at any vector": _second(
        "matrix_functions", "same(c.parts[0], node.parts[0])", "bool(c.parts)", "equal vectors"
    ),
    "second: a Hessian is not symmetric": _second(
        "matrix_words", 'sort = "S" if', 'sort = "M" if', "arithmetic: functions"
    ),
    "second: a value that may be undefined": _second(
        "matrix_functions", "hyps += tm.conditions(x, v)", "pass", "specialise letters"
    ),
    "second: a power that is a quotient": _second(
        "matrix_functions",
        "t.params[0] > 0 and t.params[1] == 1",
        "t.params[1] == 1",
        "mean exists",
    ),
    # Flows.
    "first: a barrier that jumps": _first(
        "extensions/dynamics",
        "[before, goal.on(goal.smooth(goal.region), goal.domain_at()), *rises]",
        "[before, goal.on(goal.smooth(goal.region), goal.in_region), *rises]",
        "flow theorem: flow-barrier",
    ),
    "first: a cofactor where all functions count": _first(
        "extensions/dynamics",
        "*goal.region_at(count=i)]",
        "*goal.region_at()]",
        "flow theorem: flow-cofactor",
    ),
    "first: coordinates catch symbols of values": _first(
        "extensions/dynamics",
        "(goal, *values)",
        "(goal,)",
        "flow theorem: flow-cofactor",
        "flow theorem: flow-lasalle",
    ),
    "first: the times of a solution are not bound": _first(
        "extensions/dynamics",
        "*(goal.on(p, goal.in_region, (time,)) for p",
        "*(goal.on(p, goal.in_region) for p",
        "flow theorem: flow-solution",
    ),
    "second: a cofactor where all functions count": _second(
        "flows", "for b in bodies[:count]]", "for b in bodies]", "flow theorem: flow-cofactor"
    ),
    "second: coordinates catch symbols of values": _second(
        "flows",
        "[node, *about, *values]",
        "[node, *about]",
        "flow theorem: flow-cofactor",
        "flow theorem: flow-lasalle",
    ),
    "second: an eigenvalue that may be 0": _second(
        "flow_schemas", "lt(ZERO, eigen)", "le(ZERO, eigen)", "flow theorem: flow-center-stable"
    ),
    "second: another direction": _second(
        "flow_schemas",
        "need(direction in (ONE, MINUS)",
        "need(True",
        "flow theorem: flow-time",
    ),
}


def planted(fault: Fault, root: Path) -> None:
    """Make a copy of both checkers, of links but for the one file with the fault."""
    for folder in ("slrsym", "tests", *_COPIED):
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


_COPIED = (
    "slrsym/checker", "slrsym/checker/extensions", "tests/checker", "tests/checker/reference",
)  # fmt: skip


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
