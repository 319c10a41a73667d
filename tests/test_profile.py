"""Which tests a second run takes: those that do more in a thorough profile than in dev."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ._profile import (
    COLLECTED,
    NIGHTLY,
    THOROUGH,
    beyond_dev,
    more,
    nightly,
    nightly_cases,
    one_in,
    thorough,
    thorough_cases,
    thorough_only,
)
from ._times import TestTimes

# The names of tests below that dev leaves out.
LEFT = (
    "::test_what_dev_leaves_out",
    "::test_cases_that_dev_leaves_out[1]",
    "::test_cases_that_are_named[1-a]",
    "::test_cases_that_are_named[0-b]",
)


def test_what_is_the_same(request):
    assert not beyond_dev(request.node)


@pytest.mark.parametrize("case", one_in(2, [0, 1]))
def test_cases_that_dev_leaves_out(request, case):
    assert beyond_dev(request.node) == (case == 1)


@thorough_cases("1-a", "0-b")
@pytest.mark.parametrize("letter", ["a", "b"])
@pytest.mark.parametrize("number", [0, 1])
def test_cases_that_are_named(request, number, letter):
    assert beyond_dev(request.node) == ((number, letter) in {(1, "a"), (0, "b")})


@nightly_cases("1-c")
@pytest.mark.parametrize("case", ["0-c", "1-c", nightly("2-c")])
def test_cases_of_nights(request, case):
    assert beyond_dev(request.node) == (case != "0-c")
    assert case == "0-c" or NIGHTLY


@thorough_only
def test_what_dev_leaves_out(request):
    assert beyond_dev(request.node)


@more
def test_what_dev_leaves_out_is_not_run(request):
    run = [item.nodeid for item in request.session.items]
    for name in request.config.stash[COLLECTED]:
        if name.endswith(LEFT):
            assert (name in run) == THOROUGH


@more
def test_what_is_marked(request):
    assert beyond_dev(request.node)


@more(NIGHTLY)
def test_what_is_marked_for_nights(request):
    assert beyond_dev(request.node) == NIGHTLY


@given(st.integers())
def test_examples(request, x):
    assert beyond_dev(request.node)


@more(NIGHTLY)
@given(st.integers())
def test_examples_that_are_the_same(request, x):
    assert beyond_dev(request.node) == NIGHTLY


def test_fixtures_of_a_folder(request):
    """The claims that are exported are few in dev, and all otherwise."""
    node = request.node
    node.fixturenames.append("document")
    try:
        assert beyond_dev(node)
    finally:
        node.fixturenames.remove("document")


def test_where_the_time_goes():
    times = TestTimes()
    for name, phases in (("a/b/test_x.py::t", (1, 2)), ("a/b/test_y.py::t[1]", (4,)),
                         ("a/test_z.py::t", (0.5,)), ("a/b/test_x.py::u", (0.25,))):  # fmt: skip
        times.pytest_runtest_logstart()
        for seconds in phases:
            report = SimpleNamespace(nodeid=name, duration=9, processor_seconds=seconds)
            times.pytest_runtest_logreport(report)
    total, before, *rest = (line.split(maxsplit=1) for line in times.lines())
    assert total[1] == "in all, by the clock"
    assert 0 <= float(before[0]) <= float(total[0]) < 1
    assert rest == [
        ["7.8", "4 tests  in tests"], ["7.2", "3 tests  a/b"], ["0.5", "1 tests  a"],
        ["4.0", "1 tests  a/b/test_y.py"], ["3.2", "2 tests  a/b/test_x.py"],
        ["0.5", "1 tests  a/test_z.py"], ["4.0", "1 tests  a/b/test_y.py::t[1]"],
        ["3.0", "1 tests  a/b/test_x.py::t"], ["0.5", "1 tests  a/test_z.py::t"],
        ["0.2", "1 tests  a/b/test_x.py::u"],
    ]  # fmt: skip


BUSY = """
import subprocess, sys, time
import pytest

def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

@pytest.fixture
def made():
    yield work(0.1)
    work(0.1)

def test_works(made):
    code = "import time\\nwhile time.process_time() < 0.3: pass"
    subprocess.run([sys.executable, "-c", code], check=True)

def test_sleeps():
    time.sleep(0.3)
"""


@pytest.mark.parametrize("options", [(), thorough(("-n", "1"))])
def test_seconds_are_of_the_processor(pytester, options):
    # Workers have the path that their controller's process began with.
    pytester.makeconftest(f"""
        import sys
        sys.path.insert(0, {str(Path(__file__).parents[1])!r})
        from tests._times import ProcessorTime, TestTimes

        def pytest_configure(config):
            config.pluginmanager.register(ProcessorTime())
            if not hasattr(config, "workerinput"):
                config.pluginmanager.register(TestTimes())
    """)
    pytester.makepyfile(BUSY)
    done = pytester.runpytest_inprocess("-p", "no:cacheprovider", *options)
    lines = [line.split() for line in done.outlines if "::" in line]
    seconds = {name.partition("::")[2]: float(its) for its, _, _, name in lines}
    assert seconds["test_works"] >= 0.5
    assert seconds["test_sleeps"] < 0.2


def test_who_reads_the_profile_marks_tests():
    for file in Path(__file__).parent.rglob("test_*.py"):
        text = file.read_text(encoding="utf-8")
        (read, *_) = [line for line in text.splitlines() if "_profile import" in line] or [""]
        wholly_marked = "thorough_only" in text.partition("pytestmark")[2]
        assert "THOROUGH" not in read or "more" in read or wholly_marked, file


def test_every_named_case_is_one(request):
    config = request.config
    if config.option.keyword or any("::" in argument for argument in config.args):
        pytest.skip("only a part of the tests was collected")
    there = set(config.stash[COLLECTED])
    for item in request.session.items:
        for name in ("thorough_cases", "nightly_cases"):
            for mark in item.iter_markers(name):
                test = item.nodeid.partition("[")[0]
                assert there.issuperset(f"{test}[{case}]" for case in mark.args), test
