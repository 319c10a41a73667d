"""Runs and sweeps that are asked to end by a signal: what is complete is kept, within seconds."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from slrsym.jobs import (
    Terminated,
    end_on_sigterm,
    hold_signals,
    start_processes_uninterrupted,
)
from slrsym.kernels.numba_backend import iterate_compiled
from slrsym.models.training.schedules import Constant, InverseTimeDecay, ParameterSchedules
from slrsym.papers.single_location.dynamics import Formula, load

from ._profile import thorough_only

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM to send")


@pytest.fixture(autouse=True)
def _default():
    """The handler that a program has by default, and that of before in the end."""
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGTERM, before)


def test_sigterm_ends_a_block_and_its_handler_is_put_back():
    with pytest.raises(Terminated) as stop, end_on_sigterm():
        signal.raise_signal(signal.SIGTERM)
    assert stop.value.code == 143
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_sigterm_ends_a_block_whatever_a_library_makes_of_it():
    def wrapped():
        try:
            signal.raise_signal(signal.SIGTERM)
        except BaseException as error:
            raise ValueError("cannot compile") from error

    def swallowed():
        with suppress(BaseException):
            signal.raise_signal(signal.SIGTERM)

    for work in (wrapped, swallowed):
        with pytest.raises(Terminated) as stop, end_on_sigterm():
            work()
        assert stop.value.code == 143
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    with pytest.raises(ZeroDivisionError), end_on_sigterm():
        _ = 1 / 0


def test_a_handler_of_the_program_is_left_alone():
    came = []
    mine = lambda number, frame: came.append(number)  # noqa: E731
    signal.signal(signal.SIGTERM, mine)
    with end_on_sigterm():
        signal.raise_signal(signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) is mine
    assert came == [signal.SIGTERM]
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with end_on_sigterm():
        signal.raise_signal(signal.SIGTERM)


def test_another_thread_changes_no_handler():
    def work():
        with end_on_sigterm(), hold_signals():
            found.append(signal.getsignal(signal.SIGTERM))

    found: list[object] = []
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [signal.SIG_DFL]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_waits_until_work_is_saved_and_a_second_one_does_not(number):
    saved = []
    kind = KeyboardInterrupt if number == signal.SIGINT else Terminated

    def save(times):
        with end_on_sigterm():
            with hold_signals():
                for _ in range(times):
                    signal.raise_signal(number)
                saved.append("saved")
            saved.append("after it")

    with pytest.raises(kind):
        save(1)
    assert saved == ["saved"]
    with pytest.raises(kind):
        save(2)
    assert saved == ["saved"]


def test_machine_code_takes_no_more_steps_at_a_time_than_a_fraction_of_a_second_has():
    """And what it notes is the same as in one go, in rows of any length."""
    calls = []

    def slow(states, noted, every, fresh, p, more):
        if len(states):
            calls.append(every * len(noted))
            assert fresh[0]
        at = 0
        for row in range(len(noted)):
            for _ in range(every):
                states += p[at if p.size > 1 else 0] * more
                at += 1
            noted[row] = states

    for steps, every in ((60_000, 30_000), (60_000, 7), (5, 5), (4, 5)):
        calls.clear()
        p = np.linspace(0, 1, steps)
        last, noted = iterate_compiled(slow, np.zeros((1, 2)), [p], steps, every, 2.0, workers=1)
        whole = steps // every * every
        sums = 2 * np.cumsum(p)[every - 1 : whole : every]
        assert np.allclose(noted[:, 0, 1], sums, rtol=1e-12)
        assert sum(calls) == whole
        assert len(calls) > 1 or steps < 100
        assert noted.shape == (steps // every, 1, 2)
        assert last[0, 0] == pytest.approx(noted[-1, 0, 0] if len(noted) else 0)


# -- schedules that are not stored ---------------------------------------------------------------


def test_formulas_are_not_stored_and_the_estimate_counts_what_is():
    steps = 10**9
    formulas = [0.1, Constant(0.1), InverseTimeDecay(1, 1e-4), Formula("1/(1+t)"), np.ones(3)]
    assert ParameterSchedules.memory(formulas, steps) == 0
    assert ParameterSchedules.memory([lambda t: t, 0.1], steps) >= 24 * steps


def test_a_schedule_gives_at_any_steps_what_it_gives_at_all(monkeypatch):
    monkeypatch.setattr("slrsym.models.training.schedules._BLOCK", 3)
    steps = np.arange(8)
    # A function that looks at all steps together, too.
    for rule in (Formula("1/(1+t)"), np.arange(1.0, 9), lambda t: np.linspace(1, 2, t.size)):
        given = ParameterSchedules([(rule, "x", ["positive"])], 0, 7)
        whole = rule(steps) if callable(rule) else rule
        assert (given.at(steps)[:, 0] == whole).all()
        assert (given.at(steps[3:5])[:, 0] == whole[3:5]).all()
        assert not given.is_constant
    assert ParameterSchedules([(0.5, "x", []), (Formula("2+0*t"), "y", [])], 0, 7).is_constant
    with pytest.raises(ValueError, match=r"x must be positive.*; it is 0.0 at step 5"):
        ParameterSchedules([(Formula("5-t"), "x", ["positive"])], 0, 7)
    with pytest.raises(ValueError, match="x must have a value for each step from 0 to 7"):
        ParameterSchedules([(np.ones(7), "x", ["positive"])], 0, 7)


# -- whole processes ------------------------------------------------------------------------------

# Says by a file when the first steps are taken; then it runs for hours.
_LONG = """
import sys
from pathlib import Path
from slrsym.papers.single_location import Task
from slrsym.papers.single_location import dynamics
from slrsym.papers.single_location.dynamics import Formula, UniformStart, engines

numpy = "numpy" in sys.argv[1:]
engine = engines.TaskEngine
# What is derived and compiled at the first step takes as long as the machine wants.
dynamics.simulate(
    Task(400, 10, 0.7), UniformStart(2, seed=0), Formula("1/(1+1e-9*t)"), 1e-3, 10, 10,
    "numpy" if numpy else "numba", progress=False,
)
advance = engine.advance
def told(self, *given):
    Path("ready").touch()
    return advance(self, *given)
engine.advance = told
if "cli" in sys.argv[1:]:
    from slrsym.cli.program import main
    sys.argv[1:] = "paper single-location simulate --steps 1000000000 --runs 2".split()
    sys.argv += "--lam 0.1 --every 500000 -o runs.nc".split()
    main()
dynamics.simulate(
    Task(400, 10, 0.7), UniformStart(2, seed=0), Formula("1/(1+1e-9*t)"), 1e-3, 10**7, 10**4,
    sys.argv[2], path="runs.nc", progress=False,
)
"""


def _ended_by(number: int, folder: Path, *words: str) -> int:
    """Send a signal to a process that has begun, and return its exit code, within seconds."""
    path = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    process = subprocess.Popen(
        [sys.executable, "-c", _LONG, *words], cwd=folder, stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, path))},
    )  # fmt: skip
    while not (folder / "ready").exists():
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(number)
    # Two seconds where nobody else computes.
    return process.wait(20)


def test_a_long_run_is_saved_at_sigterm(tmp_path):
    assert _ended_by(signal.SIGTERM, tmp_path, "library", "numpy") == 143
    runs = load(tmp_path / "runs.nc")
    assert runs.attrs["steps"] == 10**7
    assert int(runs.step[-1]) < 10**7
    assert np.isfinite(runs.excess_risk).all()


@thorough_only
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["int", "term"]
)
def test_a_long_run_of_the_command_is_saved_at_a_signal(tmp_path, number, code):
    assert _ended_by(number, tmp_path, "cli") == code
    assert 0 <= int(load(tmp_path / "runs.nc").step[-1]) < 10**9


def test_a_signal_to_another_thread_is_held_back_while_processes_start():
    start, sent, reached = threading.Event(), threading.Event(), []

    def send():
        start.wait()
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        sent.set()

    thread = threading.Thread(target=send)
    thread.start()

    def work():
        with start_processes_uninterrupted():
            start.set()
            sent.wait()
            reached.append("the end of the block")

    with pytest.raises(KeyboardInterrupt):
        work()
    thread.join()
    assert reached
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_where_no_signal_can_be_blocked_it_is_held_back_all_the_same(monkeypatch):
    monkeypatch.delattr(signal, "pthread_sigmask")
    reached = []

    def work():
        with start_processes_uninterrupted():
            signal.raise_signal(signal.SIGINT)
            reached.append("the end of the block")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert reached
