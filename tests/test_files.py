"""Files that are full, foreign, cut short or damaged: each command names them, and returns 1."""

import json
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from slrsym.cli import app
from slrsym.files import DamagedFileError, NotSavedError, read_netcdf, replacing

SIMULATE = ("simulate", "--d", 20, "--L", 3, "--steps", 400, "--log-every", 1, "--runs", 20)
RECOVERY = ("recovery", "--d", 20, "--L", 3, "--lam0", 0.3, "--rate", 0, "--runs", 40)
CERTIFY = ("certify", "fixed-points")


def run(*arguments):
    return CliRunner().invoke(app, [str(x) for x in arguments])


def on_a_full_disk(most, *arguments):
    """The command where no file may be larger: what it writes fails as on a full disk."""
    script = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from slrsym.cli import main\n"
        # Compiled code is kept in files.
        "sys.argv, most = ['slrsym', *sys.argv[2:]], int(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))\n"
        "main()\n"
    )
    command = [sys.executable, "-c", script, str(most), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ((*SIMULATE, "--backend", "numpy"), "after 400 steps"),
        ((*RECOVERY, "--alpha", 0.02, "--steps", 4000, "--workers", 1), "where 40 runs end"),
        (CERTIFY, "solutions in the square"),
    ],
)
def test_a_full_disk_loses_no_result(command, shown, tmp_path):
    file = tmp_path / "result.out"
    ended = on_a_full_disk(1000, *command, "-o", file)
    assert ended.returncode == 1, ended.stderr
    assert shown in ended.stdout
    assert f"error: {file} could not be written: " in ended.stderr
    assert ".part" not in ended.stderr
    assert "saved in" not in ended.stdout + ended.stderr
    assert not file.exists()


def torn(file):
    with replacing(file) as draft:
        draft.write_text("4 5")
        raise OSError(28, "no room", str(draft))


def test_an_earlier_file_stays_where_a_later_one_is_not_written(tmp_path):
    file = tmp_path / "numbers.txt"
    file.write_text("1 2 3")
    with pytest.raises(NotSavedError, match=r"numbers.txt could not be written: no room"):
        torn(file)
    assert file.read_text() == "1 2 3"
    assert [x.name for x in tmp_path.iterdir()] == ["numbers.txt"]


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    folder = tmp_path_factory.mktemp("good")
    for command, name in ((SIMULATE, "runs.nc"), (CERTIFY, "certificate.json")):
        assert run(*command, "-o", folder / name).exit_code == 0
    short = (*RECOVERY, "--alpha", 0.02, "--steps", 4000, "--workers", 1)
    assert run(*short, "-o", folder / "recovery.nc").exit_code == 0
    return folder


COMMANDS = {
    "runs.nc": ("simulate", "--resume"),
    "recovery.nc": (*RECOVERY, "--alpha", 0.02, "--steps", 4000, "--workers", 1, "-o"),
    "certificate.json": ("certify", "check"),
}
INSIDES = ("Error", "divisor", "buffer", "engine", "'settings'", "codec", "unpack", "Expecting")


@pytest.mark.parametrize("damage", ["empty", "cut", "noise", "foreign", "other"])
@pytest.mark.parametrize("name", COMMANDS)
def test_bad_files_are_named(name, damage, good, tmp_path):
    whole = (good / name).read_bytes()
    other = {"runs.nc": "recovery.nc", "recovery.nc": "runs.nc", "certificate.json": "runs.nc"}
    content = {
        "empty": b"",
        "cut": whole[: 2 * len(whole) // 3],
        "noise": bytes(range(256)) * 8,
        "foreign": json.dumps({"some": "thing"}).encode(),
        "other": (good / other[name]).read_bytes(),
    }[damage]
    file = tmp_path / name
    file.write_bytes(content)
    ended = run(*COMMANDS[name], file)
    assert ended.exit_code == 1, ended.output
    assert ended.stderr.startswith(f"error: {file} "), ended.stderr
    assert not any(word in ended.stderr for word in INSIDES), ended.stderr
    assert file.read_bytes() == content


@pytest.mark.parametrize("missing", ["format", "tree", "parameters", "verdict", "digits"])
def test_certificates_that_lack_something(missing, good, tmp_path):
    data = json.loads((good / "certificate.json").read_text())
    del data[missing]
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(data))
    ended = run("certify", "check", file)
    assert ended.exit_code == 1
    assert str(file) in ended.stderr
    assert missing in ended.stderr


def test_data_of_figures(tmp_path):
    file = tmp_path / "data.nc"
    file.write_bytes(b"CDF\x01 and no more")
    with pytest.raises(DamagedFileError, match=r"data.nc is no file of data"):
        read_netcdf(file)
    ended = run("figure", "3", "-o", tmp_path, "--data", file)
    assert ended.exit_code == 1
    assert ended.stderr.startswith(f"error: {file} is no file of data")


# -- sizes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("simulate", "--runs", 10**12), "runs = 1,000,000,000,000 of 20,000 steps"),
        (("simulate", "--steps", 10**13), "GB of memory; this machine has"),
        (("simulate", "--dynamics", "vectors", "--d", 10**12), "GB of memory"),
        (("simulate", "--d", 10**400), "d must be at most 1e150; got one of 401 digits"),
        (("recovery", "--runs", 10**12), "runs = 1,000,000,000,000 for each of 1 settings"),
        (("recovery", "--d", "1e400"), "d must be an integer"),
        (("recovery", "--d", "1e160"), "d must be at most 1e150"),
    ],
)
def test_absurd_sizes_are_refused_before_work_begins(arguments, why):
    began = time.process_time()
    ended = run(*arguments)
    assert ended.exit_code == 2
    assert why in " ".join(ended.stderr.replace("│", " ").split())
    assert time.process_time() - began < 5
