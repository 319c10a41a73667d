"""Files for those who package, host or cite slrsym: they say the same, and name what is there."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
# What conda calls otherwise.
CONDA = {"matplotlib": "matplotlib-base"}


def lower_bounds() -> dict[str, str]:
    """The dependencies with their lower bounds, by the names that conda has for them."""
    pairs = (re.fullmatch(r"([\w-]+)>=([\d.]+)", each) for each in PROJECT["dependencies"])
    found = {pair[1]: pair[2] for pair in pairs if pair}
    return {CONDA.get(name, name): version for name, version in found.items()}


def test_no_dependency_has_an_upper_bound():
    """One needs a test that fails without it, which is then named here."""
    assert len(lower_bounds()) == len(PROJECT["dependencies"])


@pytest.mark.parametrize("file", ["environment.yml", "packaging/conda/recipe.yaml"])
def test_conda_has_the_same_dependencies(file):
    text = (ROOT / file).read_text(encoding="utf-8")
    listed = dict(re.findall(r"^ +- ([\w-]+) ?>=([\d.]+)$", text, re.MULTILINE))
    listed.pop("python", None)
    listed.pop("hatchling", None)
    assert listed == lower_bounds()


def test_the_recipe_is_of_this_version():
    text = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    assert f'version: "{PROJECT["version"]}"' in text
    assert f"summary: {PROJECT['description']}" in text


def test_each_dependency_is_explained():
    page = (ROOT / "docs" / "explanation" / "dependencies.md").read_text(encoding="utf-8").lower()
    for name in lower_bounds():
        assert name.removesuffix("-base") in page, name


def test_the_citation_has_the_keywords():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    keywords = re.search(r"^keywords:\n((?:  - .*\n)+)", text, re.MULTILINE)[1]
    assert re.findall(r"- (.*)", keywords) == PROJECT["keywords"]


def test_the_description_is_of_a_toolkit():
    assert "single-location" not in PROJECT["description"]
    assert "urls" not in PROJECT


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda file: file.stem)
def test_workflows_call_scripts_that_are_there(workflow):
    text = workflow.read_text(encoding="utf-8")
    called = set(re.findall(r"\.ci/(\w+)", text.partition("jobs:")[2]))
    assert called == {"lint", "test", "run", "release"}
    for name in called:
        script = ROOT / ".ci" / name
        assert script.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n")


def test_workflows_try_every_python_that_is_promised():
    (text,) = (file.read_text(encoding="utf-8") for file in WORKFLOWS)
    promised = {
        words[-1]
        for words in (c.split(" :: ") for c in PROJECT["classifiers"])
        if re.fullmatch(r"3\.\d+", words[-1])
    }
    tried = set(re.findall(r'"(3\.\d+)"', re.search(r"python: (\[.*\])", text)[1]))
    assert promised <= tried
    assert PROJECT["requires-python"] == f">={min(promised, key=lambda v: int(v[2:]))}"
