"""The wheel, built and installed elsewhere, does its work; the sources build the same wheel."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from ._profile import thorough_only

ROOT = Path(__file__).resolve().parents[1]
GUIDE = (ROOT / "docs" / "how-to" / "prove.md").read_text(encoding="utf-8")


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


def build(target, folder, where):
    """Build a wheel or a source distribution from a folder."""
    options = ("-t", target, "-d", folder)
    built = run(sys.executable, "-m", "hatchling", "build", *options, where=where)
    assert built.returncode == 0, built.stderr
    (file,) = folder.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return file


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    pytest.importorskip("hatchling", reason="the build backend is not installed")
    return build("wheel", tmp_path_factory.mktemp("dist"), ROOT)


@pytest.fixture(scope="module")
def sources(tmp_path_factory) -> Path:
    """The source distribution, unpacked."""
    pytest.importorskip("hatchling", reason="the build backend is not installed")
    folder = tmp_path_factory.mktemp("sources")
    # From Python 3.11.4 on, and warned about where it is left out.
    safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    with tarfile.open(build("sdist", folder, ROOT)) as archive:
        archive.extractall(folder, **safely)
    (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
    return unpacked


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """The scripts of an environment with the wheel; what it depends on is that of this one."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False, symlinks=os.name != "nt")
    paths = sysconfig.get_paths(vars={"base": str(home), "platbase": str(home)}, scheme="venv")
    Path(paths["purelib"], "dependencies.pth").write_text(
        sysconfig.get_path("purelib") + "\n", encoding="utf-8"
    )
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
    assert {"slrsym/__init__.py", "slrsym/py.typed"} <= names
    for file in (ROOT / "derivations").rglob("*.py"):
        assert f"slrsym/{file.relative_to(ROOT).as_posix()}" in names
    for name in names:
        assert name.split("/")[0] == "slrsym" or ".dist-info/" in name, name
        assert "__pycache__" not in name


def test_the_sources_hold_all_that_is_kept(sources):
    packed = {path.relative_to(sources).as_posix() for path in sources.rglob("*") if path.is_file()}
    assert {"docs/index.md", "notebooks/1_risk.ipynb", "CONTRIBUTING.md", ".ci/run"} <= packed
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("which files are kept, git knows")
    kept = run("git", "ls-files", "--cached", "--deduplicate", where=ROOT)
    assert kept.returncode == 0, kept.stderr
    there = {name for name in kept.stdout.splitlines() if (ROOT / name).exists()}
    assert there <= packed


def test_the_wheel_is_the_same_from_the_sources(wheel, sources, tmp_path):
    assert build("wheel", tmp_path, sources).read_bytes() == wheel.read_bytes()


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
    example = re.search(rf"{re.escape(mark)}\n```python\n(.*?)```", GUIDE, re.DOTALL)[1]
    (folder / "median.py").write_text(example, encoding="utf-8")
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:randomly")
    result = run(installed / "python", "-m", "pytest", *options, folder, where=tmp_path)
    assert result.returncode == 0, result.stdout
    assert re.search(r"\d+ passed", result.stdout)
