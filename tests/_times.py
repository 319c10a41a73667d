"""Where the time of a run of tests goes: seconds by folder, and the costliest files and tests.

``SLRSYM_TEST_TIMES=1 pytest -n auto`` ends with them. Seconds are of the processor, in the process
of a test and in those that it starts, so that they say the same on a machine that is busy.
"""

import os
from collections import Counter
from collections.abc import Callable, Generator
from pathlib import PurePosixPath
from time import perf_counter

import pytest

_MOST = 20


class ProcessorTime:
    """Plugin for each process of tests, which notes in a report what its phase took."""

    def __init__(self) -> None:
        self._begun = 0.0

    def _noted(self) -> Generator[None, object, object]:
        self._begun = _processor_seconds()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Generator[None, object, object]:
        """Note the time before the fixtures of a test are made."""
        return (yield from self._noted())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        """Note the time before a test is called."""
        return (yield from self._noted())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Generator[None, object, object]:
        """Note the time before the fixtures of a test are ended."""
        return (yield from self._noted())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add the seconds to the report, with which they reach the process that prints."""
        seconds = _processor_seconds() - self._begun
        report = yield
        report.processor_seconds = seconds
        return report


def _processor_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class TestTimes:
    """Plugin that prints what tests took, in all processes together, beside the wall time."""

    __test__ = False

    def __init__(self) -> None:
        self.begun = perf_counter()
        self.collected = self.begun
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logstart(self) -> None:
        """Note when the first test begins, after the collection."""
        if not self.seconds:
            self.collected = perf_counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the setup, the call or the teardown of a test."""
        self.seconds[report.nodeid] += getattr(report, "processor_seconds", report.duration)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the tables."""
        terminalreporter.section("seconds of the processor")
        for line in self.lines():
            terminalreporter.write_line(line)

    def lines(self) -> list[str]:
        """Return the tables, the most seconds first."""
        return [
            _line(perf_counter() - self.begun, 0, "in all, by the clock"),
            _line(self.collected - self.begun, 0, "of these, before the first test"),
            _line(sum(self.seconds.values()), len(self.seconds), "in tests"),
            *self._table(lambda test: str(PurePosixPath(_file(test)).parent)),
            *self._table(_file, _MOST),
            *self._table(str, _MOST),
        ]

    def _table(self, part: Callable[[str], str], most: int | None = None) -> list[str]:
        seconds: Counter[str] = Counter()
        tests: Counter[str] = Counter()
        for test, its in self.seconds.items():
            seconds[part(test)] += its
            tests[part(test)] += 1
        return [_line(its, tests[name], name) for name, its in seconds.most_common(most)]


def _file(test: str) -> str:
    return test.partition("::")[0]


def _line(seconds: float, count: int, name: str) -> str:
    return f"{seconds:8.1f} {f'{count} tests' if count else '':>12}  {name}"
