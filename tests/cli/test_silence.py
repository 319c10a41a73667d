"""No command is silent for long: each says what it is at, however slow its work is."""

import sys
import threading
import time
from itertools import pairwise

import pytest
import typer

from slrsym import jobs
from slrsym.cli import silence
from slrsym.cli.program import app
from slrsym.cli.silence import break_silence, doing
from slrsym.jobs import show_progress
from tests._cli import Screen, run
from tests._profile import more, thorough


def commands(group, *before):
    """Yield the words and the function of each command."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *before, name)
        else:
            yield (*before, name), command.callback


ALL = dict(commands(typer.main.get_command(app)))


@pytest.fixture
def screen(monkeypatch):
    """Both outputs in one, a terminal or a log, with short limits."""

    def make(terminal):
        found = Screen(terminal)
        monkeypatch.setattr(sys, "stderr", found)
        monkeypatch.setattr(sys, "stdout", found)
        monkeypatch.setattr(silence, "TERMINAL_INTERVAL", 0.04)
        monkeypatch.setattr(jobs, "LOG_INTERVAL", 0.04)
        return found

    return make


def of_work(command):
    """Return the cell that holds what a command does within `errors_as_exit_codes`."""
    while hasattr(command, "__wrapped__"):
        names = command.__code__.co_freevars
        if "func" in names and command.__code__.co_filename.endswith("contextlib.py"):
            return command.__closure__[names.index("func")]
        command = command.__wrapped__
    raise AssertionError(f"{command} does not say that it is at work")


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "log"])
@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_a_command_that_is_slow_says_that_it_is_at_work(words, terminal, screen, monkeypatch):
    said, slow = screen(terminal), threading.Event()
    monkeypatch.setattr(of_work(ALL[words]), "cell_contents", lambda **_: slow.wait(0.15))
    ALL[words]()
    assert ("working, 0 s" if terminal else "working: 0:00 so far\n") in said.getvalue()


def test_by_default_five_seconds_and_half_a_minute():
    """A look each second, at nine tenths of the interval, is in time."""
    assert silence.TERMINAL_INTERVAL * 0.9 + 1 < 5
    assert jobs.LOG_INTERVAL * 0.9 + 1 < 30


def test_the_line_goes_before_something_is_written(screen):
    said = screen(True)
    with break_silence(), doing("drawing figure 6"):
        time.sleep(0.1)
        print("found")
    assert "\r\x1b[2Kdrawing figure 6, 0 s\r\x1b[2Kfound" in said.getvalue()
    assert said.getvalue().endswith("found\n")
    assert not hasattr(said, "__dict__") or "write" not in vars(said)


def test_what_writes_or_logs_is_not_spoken_for(screen):
    said = screen(True)
    with break_silence():
        for _ in range(20):
            time.sleep(0.01)
            print(".", end="")
    assert said.getvalue() == "." * 20
    said = screen(False)
    with break_silence(), show_progress(None, "steps", 4):
        time.sleep(0.1)
    assert "working" not in said.getvalue()
    assert "steps: 0 of 4" in said.getvalue()


# Small inputs of each command, in seconds.
SMALL = {
    ("verify",): ("--claim", "lemma-18-v"),
    ("axioms",): ("lemma-18-v",),
    ("derivations",): (),
    ("figure",): ("6", "--format", "png", "-o", "OUT"),
    ("export", "latex"): ("lemma-18-v", "--snippet"),
    ("export", "html"): ("lemma-18-v", "-o", "OUT/site"),
    ("export", "coq"): ("lemma-18-v", "-o", "OUT/coq"),
}


@more
@pytest.mark.parametrize("words", [next(iter(SMALL)), *map(thorough, [*SMALL][1:])], ids=" ".join)
def test_commands_break_their_silence(words, tmp_path, monkeypatch):
    """Of true work every gap between two outputs is as short as asked for, but for a reserve."""
    times = []
    before = silence._Silence.listen_to

    def listen_to(self, stream):
        before(self, stream)
        noted, said = stream.write, self._write

        def write(text):
            times.append(time.monotonic())
            return noted(text)

        stream.write = write
        if stream is sys.stderr:
            self._write = lambda text: (times.append(time.monotonic()), said(text))

    monkeypatch.setattr(silence._Silence, "listen_to", listen_to)
    monkeypatch.setattr(jobs, "LOG_INTERVAL", 0.2)
    times.append(time.monotonic())
    done = run(*words, *(one.replace("OUT", str(tmp_path)) for one in SMALL[words]))
    times.append(time.monotonic())
    assert done.exit_code == 0, done.output
    assert max(b - a for a, b in pairwise(times)) < 2
