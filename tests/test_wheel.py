"""The wheel, built and installed elsewhere, does its work in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from ._profile import thorough_only

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def run(*command, where):
    """Run a command in a folder, without anything of this environment's."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=where,
        env={
            name: os.environ[name] for name in ("PATH", "HOME", "SYSTEMROOT") if name in os.environ
        },
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    pytest.importorskip("hatchling", reason="the build backend is not installed")
    folder = tmp_path_factory.mktemp("dist")
    built = run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, where=ROOT)
    assert built.returncode == 0, built.stderr
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """The scripts of an environment with the wheel; what it depends on is that of this one."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False, symlinks=os.name != "nt")
    paths = sysconfig.get_paths(vars={"base": str(home), "platbase": str(home)}, scheme="venv")
    Path(paths["purelib"], "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = Path(paths["scripts"], "python")
    result = run(
        *(sys.executable, "-m", "pip", "--python", python),
        *("install", "--quiet", "--no-deps", "--no-index", "--ignore-installed", wheel),
        where=home,
    )
    assert result.returncode == 0, result.stderr
    return Path(paths["scripts"])


def test_what_is_in_the_wheel(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"slrsym/__init__.py", "slrsym/py.typed", "slrsym/derivations/lemma_18.py"} <= names
    for file in (ROOT / "derivations").glob("*.py"):
        assert f"slrsym/derivations/{file.name}" in names
    for name in names:
        assert name.split("/")[0] == "slrsym" or ".dist-info/" in name, name
        assert "__pycache__" not in name


@thorough_only
def test_it_verifies_in_an_empty_folder(installed, tmp_path):
    where = run(installed / "python", "-c", "import slrsym; print(slrsym.__file__)", where=tmp_path)
    assert Path(where.stdout.strip()).is_relative_to(installed.parent)
    result = run(installed / "slrsym", "verify", "--claim", "lemma-18-ii", where=tmp_path)
    assert result.returncode == 0, result.stderr
    assert re.search(r"(\d+) of \1 claims proved", result.stdout)
    assert not list(tmp_path.iterdir())


@thorough_only
def test_pytest_collects_the_derivations_of_a_user(installed, tmp_path):
    folder = tmp_path / "my_derivations"
    folder.mkdir()
    mark = "<!-- example: my_derivations/median.py -->"
    example = re.search(rf"{re.escape(mark)}\n```python\n(.*?)```", README, re.DOTALL)[1]
    (folder / "median.py").write_text(example, encoding="utf-8")
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:randomly")
    result = run(installed / "python", "-m", "pytest", *options, folder, where=tmp_path)
    assert result.returncode == 0, result.stdout
    assert re.search(r"\d+ passed", result.stdout)
