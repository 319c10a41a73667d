"""The map of the site: the status of an idea, by its script, and the colours that scripts name."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest

from slrsym.documents.export.html import STATUSES
from tests.documents.export.conftest import NODE, run_by_node

TEMPLATES = files("slrsym.documents.export") / "templates"
OF_PAPER = files("slrsym.papers.single_location.documents")


def worst(*statuses, stated=False):
    script = (TEMPLATES / "map.js").read_text(encoding="utf-8")
    function = re.search(r"^function worst.*?^}$", script, re.MULTILINE | re.DOTALL)[0]
    claims = [[n, {"status": said, "stated": stated}] for n, said in enumerate(statuses)]
    asked = f"""
const SITE = {{signs: {json.dumps(dict.fromkeys(STATUSES, ""))}}};
const CLAIMS = new Map({json.dumps(claims)});
{function}
console.log(worst([...CLAIMS.keys()]));
"""
    return run_by_node(asked).strip()


@pytest.mark.skipif(NODE is None, reason="no Node is installed")
def test_an_idea_has_the_worst_status_of_its_claims():
    for status in STATUSES:
        assert worst("proved", status, "proved") == status
    assert worst("empirical", "failed", "unproved") == "failed"
    assert worst("certified", "empirical") == "empirical"
    # A numbered statement stands for its helpers.
    assert worst("proved", "empirical", stated=True) == "proved"


def test_colours_of_scripts_are_variables_of_the_style():
    known = set(re.findall(r"^ +--([a-z-]+):", (TEMPLATES / "style.css").read_text(), re.MULTILINE))
    assert known >= STATUSES.keys()
    named = set()
    scripts = [*TEMPLATES.iterdir(), *OF_PAPER.iterdir()]
    for script in (file for file in scripts if file.name.endswith(".js")):
        text = script.read_text(encoding="utf-8")
        named |= set(re.findall(r'\bcolour\("([a-z-]+)"\)', text))
        for listed in re.findall(r"const colours = (\[.*?\]);", text):
            named |= set(json.loads(listed))
    assert "proved" in named
    assert named <= known
