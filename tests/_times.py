"""Where the time of a run of tests goes: seconds by folder, and the costliest files.

``SLRSYM_TEST_TIMES=1 pytest -n auto`` ends with them.
"""

from collections import Counter
from pathlib import PurePosixPath
from time import perf_counter

import pytest

_MOST = 20


class TestTimes:
    """Plugin that prints what tests took, in all processes together, beside the wall time."""

    __test__ = False

    def __init__(self) -> None:
        self.begun = perf_counter()
        self.collected = self.begun
        self.seconds: Counter[str] = Counter()
        self.tests: dict[str, set[str]] = {}

    def pytest_runtest_logstart(self) -> None:
        """Note when the first test begins, after the collection."""
        if not self.tests:
            self.collected = perf_counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the setup, the call or the teardown of a test."""
        file = report.nodeid.partition("::")[0]
        self.seconds[file] += report.duration
        self.tests.setdefault(file, set()).add(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print two tables."""
        terminalreporter.section("seconds")
        for line in self.lines():
            terminalreporter.write_line(line)

    def lines(self) -> list[str]:
        """Return the tables, the most seconds first."""
        folders: Counter[str] = Counter()
        tests: Counter[str] = Counter()
        for file, seconds in self.seconds.items():
            folder = str(PurePosixPath(file).parent)
            folders[folder] += seconds
            tests[folder] += len(self.tests[file])
        files = self.seconds.most_common(_MOST)
        return [
            _line(perf_counter() - self.begun, sum(tests.values()), "in all, by the clock"),
            _line(self.collected - self.begun, 0, "of these, before the first test"),
            *(_line(seconds, tests[folder], folder) for folder, seconds in folders.most_common()),
            *(_line(seconds, len(self.tests[file]), file) for file, seconds in files),
        ]


def _line(seconds: float, count: int, name: str) -> str:
    return f"{seconds:8.1f} {f'{count} tests' if count else '':>12}  {name}"
