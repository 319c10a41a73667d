"""Find tests that cost much and run no line that three other tests of dev do not run, too.

``python benchmarks/covered_tests.py`` prints their names, for ``tests/covered.txt``: dev leaves
them to the profiles ci and nightly. The list has to be empty first, or they are not measured. It
needs coverage, which ``pip install coverage`` adds; an hour of one core is enough. Folders of tests
as arguments measure these alone.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    import coverage

ROOT = Path(__file__).resolve().parents[1]
# Seconds under coverage, about twice those without it, from which on a test is left out.
COSTLY = 0.5
# The least number of other tests that run each line of a test that is left out.
OTHERS = 3
# Never left out: what users asked for, tests of results that could be lost or falsified, and those
# of the checker, where a line that runs is not yet a line whose result is compared.
KEPT = (
    "tests/properties/", "tests/checker/", "test_a_changed_byte", "test_resumed_runs",
    "test_it_is_about_todays_derivations_and_accepted", "test_forged_logs", "damaged_files",
    "test_interrupted_runs", "full_disk", "readme", "test_the_example_of_the_guide",
)  # fmt: skip
# Of the checker too: one of many terms that would take too long.
TOO_LONG = ("bomb", "too_long")


class LinesOfTests:
    """Plugin of pytest that measures the lines and the seconds of each test.

    Parameters
    ----------
    measured
        A measurement of coverage that has begun.
    """

    def __init__(self, measured: coverage.Coverage) -> None:
        self.measured = measured
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Measure one test, with its fixtures."""
        self.measured.switch_context(item.nodeid)
        begun = perf_counter()
        yield
        self.seconds[item.nodeid] = perf_counter() - begun
        self.measured.switch_context("")


def lines_of_tests(data: Path) -> dict[str, set[tuple[int, int]]]:
    """Return the lines that each test runs, as pairs of a file's number and a line."""
    found: dict[str, set[tuple[int, int]]] = defaultdict(set)
    query = (
        "select context, file_id, numbits from line_bits join context on context.id = context_id"
    )
    with sqlite3.connect(data) as base:
        for test, file, bits in base.execute(query):
            found[test].update(
                (file, 8 * i + j) for i, byte in enumerate(bits) for j in range(8) if byte >> j & 1
            )
    return found


def covered(lines: dict[str, set[tuple[int, int]]], seconds: dict[str, float]) -> list[str]:
    """Return the costly tests, the costliest first, that others cover when those are left out."""
    imported = lines.get("", set())
    count = Counter(line for test in lines.values() for line in test)
    found = []
    for test in sorted(seconds, key=seconds.__getitem__, reverse=True):
        if seconds[test] < COSTLY or test not in lines or _is_kept(test):
            continue
        if all(count[line] > OTHERS or line in imported for line in lines[test]):
            count.subtract(lines[test])
            found.append(test)
    return found


def _is_kept(test: str) -> bool:
    return any(x in test for x in KEPT) and not any(x in test for x in TOO_LONG)


def main() -> None:
    """Run the tests of dev in this process, and print the list."""
    import coverage

    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        measured = coverage.Coverage(data, source=[str(ROOT / "slrsym")], config_file=False)
        measured.start()
        plugin = LinesOfTests(measured)
        folders = sys.argv[1:] or [str(ROOT / "tests")]
        pytest.main(["-q", "-p", "no:cacheprovider", *folders], plugins=[plugin])
        measured.stop()
        measured.save()
        tests = covered(lines_of_tests(data), plugin.seconds)
    for test in sorted(tests):
        print(test.removeprefix("tests/"))
    total = sum(plugin.seconds.values())
    saved = sum(plugin.seconds[test] for test in tests)
    print(f"{len(tests)} tests, {saved:.0f} of {total:.0f} seconds", file=sys.stderr)


if __name__ == "__main__":
    main()
