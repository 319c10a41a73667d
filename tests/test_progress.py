"""Long work shows how far it is: by a bar on a terminal, elsewhere by a line now and then."""

import re
import sys
import time
from contextlib import contextmanager
from importlib.util import find_spec

import pytest

from slrsym import jobs
from slrsym.cli import shared
from slrsym.jobs import no_waits_said, progress_line, say_wait, show_progress

from ._cli import PAPER, Screen, run


def listen(monkeypatch, terminal=False):
    """Hear what is logged, every hundredth of a second."""
    found = Screen(terminal)
    monkeypatch.setattr(sys, "stderr", found)
    monkeypatch.setattr(jobs, "LOG_INTERVAL", 0.01)
    return found


def wait_for(stream, text):
    """Wait until a line was logged, which a thread does when it has its turn.

    Where it says 0:00, it may be some seconds, if that turn is late.
    """
    line = re.escape(text).replace("0:00", r"0:\d\d")
    for _ in range(1000):
        if re.search(line, stream.getvalue()):
            return
        time.sleep(0.01)
    raise AssertionError(stream.getvalue())


@pytest.mark.parametrize("wanted", [None, True])
def test_without_a_terminal_a_line_is_logged_now_and_then(monkeypatch, wanted):
    stream = listen(monkeypatch)
    with show_progress(wanted, "steps", 400) as shown:
        time.sleep(0.1)
        shown(100)
        wait_for(stream, "steps: 100 of 400 (25%) after 0:00, about 0:00 left\n")
        shown(100)
        wait_for(stream, "steps: 200 of 400 (50%)")
    said = stream.getvalue()
    time.sleep(0.05)
    assert stream.getvalue() == said


def test_by_default_every_half_minute():
    assert jobs.LOG_INTERVAL == 30


def test_nothing_is_logged_of_short_work_or_where_none_is_wanted(monkeypatch):
    found = Screen(False)
    monkeypatch.setattr(sys, "stderr", found)
    with show_progress(None, "steps", 4) as shown:
        shown(4)
    monkeypatch.setattr(jobs, "LOG_INTERVAL", 0.01)
    with show_progress(False, "steps", 4) as shown:
        time.sleep(0.05)
        shown(4)
    assert found.getvalue() == ""


def test_a_terminal_has_a_bar_and_no_lines(monkeypatch):
    found = listen(monkeypatch, terminal=True)
    with show_progress(None, "steps", 4) as shown:
        time.sleep(0.05)
        shown(4)
    assert "after" not in found.getvalue()


def test_a_terminal_says_a_wait_from_its_first_second_on(monkeypatch):
    found = listen(monkeypatch, terminal=True)
    with say_wait("compiling"):
        time.sleep(0.05)
    assert "compiling" not in found.getvalue()
    with say_wait("compiling"):
        time.sleep(1.2)
    lines = found.getvalue().split("\r\x1b[2K")
    assert "compiling, 1 s" in lines
    # Nothing of it stays.
    assert lines[-1] == ""


def test_a_wait_within_a_bar_is_said_by_the_bar(monkeypatch):
    found = listen(monkeypatch, terminal=True)
    said = []
    monkeypatch.setattr(jobs, "_bars", [said.append])
    with say_wait("compiling"):
        time.sleep(1.2)
    assert said == ["compiling, 1 s", ""]
    assert found.getvalue() == ""


def test_a_bar_takes_words_beside_it_as_long_as_it_is_there(monkeypatch):
    listen(monkeypatch, terminal=True)
    with show_progress(None, "steps", 4):
        (say,) = jobs._bars
        say("compiling, 4 s")
    assert jobs._bars == []


@pytest.mark.parametrize("terminal", [True, False])
def test_no_wait_is_said_where_no_progress_is_wanted(monkeypatch, terminal):
    found = listen(monkeypatch, terminal=terminal)
    with show_progress(False, "steps", 4), say_wait("compiling"):
        time.sleep(1.2 if terminal else 0.05)
    with no_waits_said(), say_wait("compiling"):
        time.sleep(0.05)
    assert found.getvalue() == ""


def test_a_log_says_a_long_wait_alone(monkeypatch):
    found = listen(monkeypatch, terminal=False)
    with say_wait("compiling"):
        wait_for(found, "compiling: 0:00 so far")
    found = listen(monkeypatch, terminal=False)
    monkeypatch.setattr(jobs, "LOG_INTERVAL", 30.0)
    with say_wait("compiling"):
        time.sleep(1.2)
    assert found.getvalue() == ""


@pytest.mark.skipif(find_spec("numba") is None, reason="needs numba: pip install numba")
def test_numba_says_that_it_compiles_and_no_other_code_of_the_user(monkeypatch, tmp_path):
    import numba

    from slrsym.kernels.numba_backend import DECORATOR, import_generated_module

    monkeypatch.setenv("SLRSYM_CACHE_DIR", str(tmp_path))
    said = []

    @contextmanager
    def say(what):
        said.append(what)
        yield
        said.append("")

    monkeypatch.setattr("slrsym.kernels.numba_backend.say_wait", say)
    source = "".join(
        f"{DECORATOR}def {name}(x):\n    return {value}\n\n\n"
        for name, value in (("inner", "x + 1.25"), ("outer", "inner(x)"))
    )
    module = import_generated_module.__wrapped__(source)
    assert module.outer(1.0) == 2.25
    assert module.outer(2.0) == 3.25
    # Once for the outermost, with what it calls.
    assert said == ["compiling", ""]
    assert numba.njit(lambda x: x + 1)(1) == 2
    assert said == ["compiling", ""]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("steps", 0, 10, 61), "steps: 0 of 10 (0%) after 1:01"),
        (("steps", 10, 10, 61), "steps: 10 of 10 (100%) after 1:01"),
        (("runs", 500, 2000, 3600), "runs: 500 of 2,000 (25%) after 1:00:00, about 3:00:00 left"),
        (("branches", 0.5, 1.0, 30), "branches: 50% after 0:30, about 0:30 left"),
        (("certifying", 3, None, 45), "certifying: 0:45 so far"),
        (("checking", 2, 3, 90, 80), "checking: 2 of 3 (67%) after 1:30, about 0:30 left"),
        # What takes longer than the parts before it may take any time.
        (("checking", 1, 3, 90, 5), "checking: 1 of 3 (33%) after 1:30"),
    ],
)  # fmt: skip
def test_lines(arguments, line):
    assert progress_line(*arguments) == line


def test_commands_log_what_they_are_at(monkeypatch):
    stream = listen(monkeypatch)
    with shared.progress_bar() as bar:
        task = bar.add_task("checking", total=4, told="")
        bar.update(task, completed=1, told="1/4 lemma-16")
        wait_for(stream, "checking: 1 of 4 (25%) after 0:00, about 0:00 left (1/4 lemma-16)\n")
    with shared.show_activity("running Coq"):
        wait_for(stream, "running Coq: 0:00 so far\n")


def test_a_slow_command(monkeypatch):
    def found(*_, **__):
        time.sleep(0.5)
        raise RuntimeError("enough")

    monkeypatch.setattr("slrsym.papers.single_location.landscape.find_critical_points", found)
    monkeypatch.setattr(jobs, "LOG_INTERVAL", 0.01)
    done = run(*PAPER, "landscape")
    assert "searching for critical points: 0:00 so far" in done.stderr
    assert "error: enough" in done.stderr


def test_a_reader_who_has_left_ends_no_work(monkeypatch):
    class Gone(Screen):
        def write(self, text):
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Gone(False))
    monkeypatch.setattr(jobs, "LOG_INTERVAL", 0.01)
    with show_progress(None, "steps", 4) as shown:
        time.sleep(0.05)
        shown(4)
