"""Would the tests notice? A random sample of small faults, each put into the code and tested.

Run ``python benchmarks/mutation.py --sample 60 prover+crosscheck kernels`` with cosmic-ray,
pytest-cov, pytest-reportlog and the extra ``test`` installed. It works on a copy of what git has at
HEAD: first it records which tests run which lines, and prints the coverage; then for each fault of
the sample it runs the tests that reach its line, the quickest first, and then those of files that
reach it while they are collected, and those of its module, until one fails. It prints the share
that was noticed, with a Wilson interval, and writes each fault that was not to ``--survivors``, as
a diff. With ``--most`` a fault that only slower tests notice counts as not noticed.

Faults in annotations are left out, because nothing evaluates those.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import itertools
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import use_db
from cosmic_ray.work_item import MutationSpec
from coverage import Coverage, CoverageData
from scipy.stats import binomtest

ROOT = Path(__file__).parents[1]
PACKAGES = ("prover+crosscheck", "kernels", "gaussian", "papers/single_location/dynamics")

# Tests that run together; most faults fall to the first few.
_FIRST = 40

# Behind the name of a file, in the names of contexts.
_COLLECTED = "collected"


class Reached(NamedTuple):
    """The tests that run a line, and those of files that run it while they are collected."""

    tests: set[str]
    collected: set[str]


Survey = dict[str, dict[int, Reached]]


class Verdict(NamedTuple):
    """What the tests said about a fault."""

    fault: MutationSpec
    noticed: bool
    tests: int
    diff: str


def copy_of_head(folder: Path) -> Path:
    """Copy the tree at HEAD to a folder of its own."""
    archive = folder / "tree.tar"
    subprocess.run(["git", "archive", "-o", archive, "HEAD"], cwd=ROOT, check=True)
    tree = folder / "tree"
    tree.mkdir()
    subprocess.run(["tar", "-xf", archive, "-C", tree], check=True)
    return tree


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Note which lines run while a file of tests is collected: pytest takes this file as plugin."""
    measured = Coverage.current()
    if measured is None:
        return (yield)
    measured.switch_context(f"{collector.nodeid.split('::')[0]}|{_COLLECTED}")
    try:
        return (yield)
    finally:
        measured.switch_context("")


def run_pytest(tree: Path, *arguments: str, seconds: float | None = None) -> int | None:
    """Return the exit code of pytest on a tree, or None if it took too long.

    Time is the processor's, so that a busy machine does not look like a fault; a test that waits
    for ever is given ten times as much.
    """
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(tree), str(Path(__file__).parent)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SLRSYM_CACHE_DIR": str(tree.parent / "compiled"),
    }
    with subprocess.Popen(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:randomly",
            *arguments,
        ],
        cwd=tree,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        if seconds is not None:
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (int(seconds), int(seconds)))
        try:
            return process.wait(seconds and 10 * seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None


def chosen(tree: Path, tests: list[str]) -> str:
    """Return an argument that asks pytest for some tests."""
    file = tree / "chosen-tests.txt"
    file.write_text("\n".join(tests), encoding="utf-8")
    return f"@{file}"


def survey(
    tree: Path, record: Path, workers: int, tests: list[str], packages: list[str]
) -> tuple[Survey, dict[str, float]]:
    """Which tests run each line of the package, and how long each test takes.

    A test that fails without any fault is named, and asked nothing.
    """
    lines, times, share = record / "lines.db", record / "times.jsonl", record / "coverage.txt"
    if not share.exists():
        record.mkdir(parents=True, exist_ok=True)
        configuration = record / "coverage.ini"
        configuration.write_text(f"[run]\nbranch = True\ndata_file = {lines}\n", encoding="utf-8")
        code = run_pytest(
            tree,
            *("-p", Path(__file__).stem),
            *("-n", str(workers), "--cov=slrsym", "--cov-context=test", "--cov-report="),
            *(f"--cov-config={configuration}", f"--report-log={times}"),
            *tests,
        )
        if code not in (0, 1):
            raise SystemExit(f"the tests do not run without any fault: pytest ended with {code}")
        share.write_text(coverage(tree, lines, packages), encoding="utf-8")
    print(share.read_text(encoding="utf-8"), flush=True)
    seconds: dict[str, float] = {}
    failed = set()
    with times.open(encoding="utf-8") as log:
        for report in map(json.loads, log):
            if report["$report_type"] == "TestReport":
                test = report["nodeid"]
                seconds[test] = seconds.get(test, 0) + report["duration"]
                if report["outcome"] == "failed":
                    failed.add(test)
    for test in sorted(failed):
        print(f"fails without any fault: {test}", flush=True)
        del seconds[test]
    if run_pytest(tree, "--collect-only", chosen(tree, list(seconds))):
        raise SystemExit("some tests cannot be asked for by their ids, and would seem to notice")
    data = CoverageData(str(lines))
    data.read()
    per_file: dict[str, set[str]] = {}
    for test in seconds:
        per_file.setdefault(test.split("::")[0], set()).add(test)
    reached: Survey = {}
    for file in data.measured_files():
        parts = Path(file).parts
        name = "/".join(parts[len(parts) - 1 - parts[::-1].index("slrsym") :])
        reached[name] = {
            line: _reached([context.rpartition("|")[::2] for context in contexts], per_file)
            for line, contexts in data.contexts_by_lineno(file).items()
        }
    return reached, seconds


def _reached(contexts: list[tuple[str, str]], per_file: dict[str, set[str]]) -> Reached:
    """Return the tests that contexts speak of: names of tests or files, and what was done then."""
    found = Reached(set(), set())
    for name, then in contexts:
        of_file = per_file.get(name.split("::")[0], set())
        if then == _COLLECTED:
            found.collected.update(of_file)
        elif name in of_file:
            found.tests.add(name)
    return found


def coverage(tree: Path, lines: Path, packages: list[str]) -> str:
    """Tabulate the fractions of lines and branches of each subpackage that the tests run."""
    measured = Coverage(data_file=str(lines), config_file=str(tree / "pyproject.toml"))
    measured.load()
    table = ""
    for package in packages:
        rooms = [str(tree / "slrsym" / room / "*") for room in package.split("+")]
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            share = measured.report(include=rooms, file=nowhere)
        table += f"{package}: {share:.1f} % of lines and branches run\n"
    return table


def spans_of_annotations(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the first and last positions of annotations."""
    found: list[ast.expr | None] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.arg | ast.AnnAssign):
            found.append(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            found.append(node.returns)
    return [
        ((node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0))
        for node in found
        if node is not None
    ]


def faults(tree: Path, package: str, scratch: Path) -> Iterator[MutationSpec]:
    """Every fault that cosmic-ray knows for the modules of rooms, but for annotations."""
    homes = [tree / "slrsym" / room for room in package.split("+")]
    files = [
        file
        for home in homes
        for file in (sorted(home.rglob("*.py")) if home.is_dir() else [home.with_suffix(".py")])
    ]
    with use_db(scratch / f"{package.replace('/', '+')}.sqlite") as database:
        init(files, database, {})
        items = [item.mutations[0] for item in database.work_items]
    spans = {file: spans_of_annotations(file.read_text(encoding="utf-8")) for file in files}
    for fault in sorted(items, key=lambda f: (str(f.module_path), f.operator_name, f.occurrence)):
        inside = spans[fault.module_path]
        if not any(first <= fault.start_pos and fault.end_pos <= last for first, last in inside):
            yield fault


def judge(
    tree: Path, fault: MutationSpec, reached: Survey, seconds: dict[str, float], most: float
) -> Verdict | None:
    """Put one fault in, run the tests that reach it, and take it out again."""
    file = fault.module_path
    name = file.relative_to(tree).as_posix()
    before = file.read_text(encoding="utf-8")
    operator = get_operator(fault.operator_name)(**fault.operator_args)
    try:
        after = mutate_code(before, operator, fault.occurrence)
    except AttributeError:
        # cosmic-ray does not know how to put some faults into a tuple of exceptions.
        return None
    if after is None or after == before:
        return None
    diff = "".join(
        difflib.unified_diff(
            before.splitlines(keepends=True), after.splitlines(keepends=True), name, name, n=2
        )
    )
    per_line = reached.get(name, {})
    rows = range(fault.start_pos[0], fault.end_pos[0] + 1)
    lines = [per_line[row] for row in rows if row in per_line]
    tests = set().union(*(line.tests for line in lines))
    collected = set().union(*(line.collected for line in lines)) - tests
    if collected:
        # It runs where the module is imported first, for all tests of the module.
        collected |= set().union(*(line.tests for line in per_line.values())) - tests
    if not tests and not collected:
        # A line in compiled code: any test of its neighbours may notice.
        folder = name.rpartition("/")[0]
        tests = {
            test
            for other, per_line in reached.items()
            if other.rpartition("/")[0] == folder
            for line in per_line.values()
            for test in line.tests
        }
    ordered = [
        test
        for some in (tests, collected)
        for test in sorted(some, key=lambda test: (seconds[test], test))
    ]
    spent = itertools.accumulate(seconds[test] for test in ordered)
    ordered = [test for test, until in zip(ordered, spent, strict=True) if until <= most]
    file.write_text(after, encoding="utf-8")
    try:
        noticed = False
        for part in (ordered[:_FIRST], ordered[_FIRST:]):
            if part and not noticed:
                limit = 60 + 5 * sum(seconds[test] for test in part)
                noticed = run_pytest(tree, "-x", chosen(tree, part), seconds=limit) != 0
    finally:
        file.write_text(before, encoding="utf-8")
    return Verdict(fault, noticed, len(ordered), diff)


def main() -> None:
    """Draw faults, test them, and print what share was noticed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("packages", nargs="*", default=PACKAGES, metavar="PACKAGE")
    parser.add_argument("--sample", type=int, default=60, help="faults of each package")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2, help="for the first run of the tests")
    parser.add_argument("--tests", nargs="+", default=[], help="instead of all tests")
    parser.add_argument("--most", type=float, default=3600, help="seconds of tests for a fault")
    parser.add_argument("--record", type=Path, help="a folder that keeps what the first run found")
    parser.add_argument("--survivors", type=Path, default=Path("survivors.diff"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, options.survivors.open("w") as survivors:
        folder = Path(name)
        tree = copy_of_head(folder)
        reached, seconds = survey(
            *(tree, options.record or folder / "record", options.workers, options.tests),
            options.packages,
        )
        for package in options.packages:
            every = list(faults(tree, package, folder))
            drawn = random.Random(options.seed).sample(every, min(options.sample, len(every)))
            verdicts = []
            for fault in drawn:
                verdict = judge(tree, fault, reached, seconds, options.most)
                if verdict is None:
                    continue
                verdicts.append(verdict)
                print("." if verdict.noticed else "S", end="", flush=True)
                if not verdict.noticed:
                    survivors.write(f"# {verdict.tests} tests reach it\n{verdict.diff}\n")
                    survivors.flush()
            noticed = sum(verdict.noticed for verdict in verdicts)
            share = binomtest(noticed, len(verdicts)).proportion_ci(method="wilson")
            print(
                f"\n{package}: {noticed} of {len(verdicts)} faults noticed"
                f" ({noticed / len(verdicts):.0%}; 95 %: {share.low:.0%} to {share.high:.0%}),"
                f" of {len(every)} possible",
                flush=True,
            )


if __name__ == "__main__":
    main()
