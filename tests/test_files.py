"""Files that are full, foreign, cut short or damaged: each command names them, and returns 1."""

import json
import re
import resource
import signal
import time

import numpy as np
import pytest
import xarray as xr

from slrsym.files import (
    DamagedFileError,
    SavingFailedError,
    load_or_compute_in_parts,
    read_netcdf,
    replace_atomically,
)
from tests._profile import thorough_cases
from tests.cli.test_help import COMMANDS as ALL
from tests.cli.test_help import without_group

from ._cli import PAPER, exits, refused, run
from .conftest import HEADER, claim_text

SIMULATE = (*PAPER, "simulate", "--d", 20, "--L", 3, "--steps", 400, "--every", 1, "--runs", 20)
RECOVERY = (*PAPER, "recovery", "--d", 20, "--L", 3, "--lam0", 0.3, "--rate", 0, "--runs", 40)
CERTIFY = (*PAPER, "certify", "fixed-points")


SHORT = (*RECOVERY, "--alpha", 0.02, "--steps", 4000, "--workers", 1)
VERIFY = ("verify", "--claim", "lemma-18-ii", "--workers", 1)
# Of any model; by default of the paper's.
QUICK = ("simulate", "--set", "d=20", "--steps", 20, "--runs", 2, "--backend", "numpy")
LANDSCAPE = (*PAPER, "landscape", "--d", 2, "--L", 3)

# All that is written: the command, the option, the ending of the file, what is shown all the same.
WRITTEN = [
    (VERIFY, "--json", ".json", "2 claims proved"),
    (VERIFY, "--proof-log", ".log", "2 claims proved"),
    (("axioms", "lemma-18-ii"), "--json", ".json", "mean-value"),
    ((*PAPER, "compare", "--d", 20, "--L", 3, "--samples", 2000), "--json", ".json", "oracle"),
    *(((*SIMULATE, "--backend", "numpy"), option, ending, "after 400 steps") for option, ending in (
        ("-o", ".nc"), ("--json", ".json"), ("--plot", ".pdf")
    )),
    *((SHORT, option, ending, "where 40 runs end") for option, ending in (
        ("-o", ".nc"), ("--json", ".json"), ("--plot", ".svg")
    )),
    (LANDSCAPE, "--json", ".json", "signs of the indices"),
    (LANDSCAPE, "--plot", ".png", "signs of the indices"),
    (CERTIFY, "-o", ".json", "solutions in the square"),
    (CERTIFY, "--json", ".json", "solutions in the square"),
    ((*PAPER, "portrait"), "-o", ".html", ""),
    *((QUICK, option, ending, "after 20 steps") for option, ending in (
        ("-o", ".nc"), ("--json", ".json")
    )),
    *((("recovery", "--pair", "k,k_star", *QUICK[1:]), option, ending, "of 2 runs recover")
      for option, ending in (("-o", ".nc"), ("--json", ".json"))),
    (("landscape", "--starts", 3), "--json", ".json", "critical point"),
    (("check", "--samples", 1000), "--json", ".json", "sampled"),
    (("figure", "3", "-o", "."), "--data", ".nc", "figure 3: "),
    (("figure", "3"), "-o", "/figure-3.pdf", ""),
    (("export", "latex", "lemma-18-ii"), "-o", "", ""),
    (("export", "html", "lemma-18-ii"), "-o", "", ""),
    (("export", "all"), "-o", "", None),
    (("derivations",), "--copy", "", ""),
]  # fmt: skip


def _called(words):
    """The name of a command in a list of words, with the paper's group."""
    return " ".join(map(str, words[: len(PAPER) + 1 if words[0] == PAPER[0] else 1]))


def test_all_that_writes_is_among_these():
    """Every option of every command that takes the name of a file or folder."""
    writing = {"-o", "--copy", "--data", "--json", "--proof-log", "--plot"}
    have = {
        (_called(name.split()), option)
        for name, command in ALL.items()
        for x in command.params
        for option in x.opts
        if option in writing
    }
    assert have == {(_called(command), option) for command, option, _, _ in WRITTEN}


@pytest.fixture
def full_disk(monkeypatch):
    """No file may be larger than some bytes: what is written fails as on a full disk."""
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def run_there(*arguments):
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, limits[1]))
        try:
            return run(*arguments)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    yield run_there
    signal.signal(signal.SIGXFSZ, before)


# Figures are written by tests/documents/figures; each command has a file here, listings an output.
@thorough_cases(
    "simulate---plot-.pdf-after 400 steps",
    "recovery---json-.json-where 40 runs end",
    "recovery---plot-.svg-where 40 runs end",
    "landscape---plot-.png-signs of the indices",
    "certify---json-.json-solutions in the square",
    "recovery--o-.nc-of 2 runs recover",
    "recovery---json-.json-of 2 runs recover",
    "landscape---json-.json-critical point",
    "check---json-.json-sampled",
    "figure---data-.nc-figure 3: ",
    "figure--o-/figure-3.pdf-",
)
@pytest.mark.parametrize(
    ("command", "option", "ending", "shown"),
    WRITTEN,
    ids=lambda value: without_group(value)[0] if isinstance(value, tuple) else value,
)
def test_a_full_disk_loses_no_result(
    command, option, ending, shown, full_disk, tmp_path, monkeypatch
):
    if shown is None:
        pytest.skip("the folders of export latex and export html, after minutes")
    monkeypatch.chdir(tmp_path)
    target = tmp_path / "result"
    target = target if ending.startswith("/") else target.with_suffix(ending)
    if command[:2] == ("figure", "3") and option == "--data":
        # The picture is drawn where there is room.
        monkeypatch.setattr(
            "slrsym.documents.figures.style.save_figure", lambda drawn, target, form="": None
        )
    ended = exits(full_disk(*command, option, target), 1, shown)
    named = f"{target}{ending}" if ending.startswith("/") else target
    assert f"error: {named} could not be written: " in ended.stderr
    assert ".part" not in ended.stderr
    assert "--debug" not in ended.stderr
    assert f"in {target}" not in ended.stdout + ended.stderr
    left = {x.name for x in tmp_path.rglob("*") if x.is_file()}
    # Of a recovery, what says how to go on.
    assert left <= {"settings.json"}


def torn(file):
    with replace_atomically(file) as draft:
        draft.write_text("4 5")
        raise OSError(28, "no room", str(draft))


def test_an_earlier_file_stays_where_a_later_one_is_not_written(tmp_path):
    file = tmp_path / "numbers.txt"
    file.write_text("1 2 3")
    with pytest.raises(SavingFailedError, match=r"numbers.txt could not be written: no room"):
        torn(file)
    assert file.read_text() == "1 2 3"
    assert [x.name for x in tmp_path.iterdir()] == ["numbers.txt"]


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    folder = tmp_path_factory.mktemp("good")
    for command, name in ((SIMULATE, "runs.nc"), (CERTIFY, "certificate.json")):
        assert run(*command, "-o", folder / name).exit_code == 0
    assert run(*SHORT, "-o", folder / "recovery.nc").exit_code == 0
    assert run(*VERIFY, "--proof-log", folder / "proofs.log").exit_code == 0
    assert run("figure", "3", "-o", folder, "--data", folder / "data.nc").exit_code == 0
    (folder / "mine.py").write_text(HEADER + claim_text("one"))
    np.savez(folder / "start.npz", k0=np.eye(3)[0], v0=np.eye(3)[1])
    return folder


COMMANDS = {
    "runs.nc": (*PAPER, "simulate", "--resume"),
    "recovery.nc": (*SHORT, "-o"),
    "certificate.json": (*PAPER, "certify", "check"),
    "proofs.log": ("recheck", "--no-compare"),
    "mine.py": ("verify",),
    "data.nc": ("figure", "3", "-o", "drawn", "--data"),
    "start.npz": (*PAPER, "simulate", "--start"),
}
INSIDES = ("Error", "divisor", "buffer", "engine", "'settings'", "codec", "unpack", "Expecting")


@pytest.mark.parametrize("damage", ["empty", "cut", "noise", "foreign", "other"])
@pytest.mark.parametrize("name", COMMANDS)
def test_bad_files_are_named(name, damage, good, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    whole = (good / name).read_bytes()
    other = {"runs.nc": "recovery.nc"}.get(name, "runs.nc")
    content = {
        "empty": b"",
        "cut": whole[: 2 * len(whole) // 3],
        "noise": bytes(range(256)) * 8,
        "foreign": json.dumps({"some": "thing"}).encode(),
        "other": (good / other).read_bytes(),
    }[damage]
    file = tmp_path / name
    file.write_bytes(content)
    ended = exits(run(*COMMANDS[name], file), 1)
    said = "refused" if name == "proofs.log" else "error"
    assert re.match(rf"{said}: {re.escape(str(file))}[: ]", ended.stderr), ended.stderr
    # What is wrong with a program, Python says best.
    assert name == "mine.py" or not any(word in ended.stderr for word in INSIDES), ended.stderr
    assert file.read_bytes() == content


@pytest.mark.parametrize("missing", ["format", "tree", "parameters", "verdict", "digits"])
def test_certificates_that_lack_something(missing, good, tmp_path):
    data = json.loads((good / "certificate.json").read_text())
    del data[missing]
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(data))
    ended = exits(run(*PAPER, "certify", "check", file), 1)
    assert str(file) in ended.stderr
    assert missing in ended.stderr


def test_data_of_figures(tmp_path):
    file = tmp_path / "data.nc"
    file.write_bytes(b"CDF\x01 and no more")
    with pytest.raises(DamagedFileError, match=r"data.nc is no file of data"):
        read_netcdf(file)
    ended = exits(run("figure", "3", "-o", tmp_path, "--data", file), 1)
    assert ended.stderr.startswith(f"error: {file} is no file of data")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((*PAPER, "simulate", "--runs", 10**12), "runs = 1,000,000,000,000 of 20,000 steps"),
        ((*PAPER, "simulate", "--steps", 10**13), "GB of memory; this machine has"),
        ((*PAPER, "simulate", "--d", 10**400), "d must be at most 1e150; got one of 401 digits"),
        ((*PAPER, "recovery", "--runs", 10**12), "runs = 1,000,000,000,000 for each of 1 settings"),
        ((*PAPER, "recovery", "--d", "1e400"), "d must be an integer"),
        ((*PAPER, "recovery", "--d", "1e160"), "d must be at most 1e150"),
    ],
)
def test_absurd_sizes_are_refused_before_work_begins(arguments, why):
    began = time.process_time()
    refused(run(*arguments), why)
    assert time.process_time() - began < 5


def test_a_sweep_is_computed_by_one_process_at_a_time(tmp_path):
    pytest.importorskip("fcntl", reason="this system has no locks of files")
    path = tmp_path / "a.nc"
    said = []

    def compute(parts):
        with pytest.raises(ValueError, match=r"no other process is computing; .*a\.nc is one") as e:
            load_or_compute_in_parts(compute, {"n": 1}, path, kind="sweeps")
        said.append(str(e.value))
        return xr.Dataset({"x": 1.0}, attrs={"settings": '{"n": 1}'})

    assert load_or_compute_in_parts(compute, {"n": 1}, path, kind="sweeps").x == 1
    # Afterwards it is read.
    assert load_or_compute_in_parts(compute, {"n": 1}, path, kind="sweeps").x == 1
    assert len(said) == 1
