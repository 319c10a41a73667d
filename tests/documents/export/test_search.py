"""The search of the site: the script itself, run by Node on the data of the package's claims."""

import json

import pytest

from slrsym.documents.export.build import build
from slrsym.documents.export.site import site_files
from tests.documents.export.conftest import NODE, as_if_proved, run_by_node

pytestmark = pytest.mark.skipif(NODE is None, reason="no Node is installed")

IDS = (
    "theorem-1", "theorem-5", "lemma-6", "lemma-16", "lemma-17-iii", "lemma-18-i", "lemma-18-ii",
    "lemma-18-v", "proposition-10", "proposition-15", "corollary-2", "zeta-at-zero",
)  # fmt: skip
ASK = """
const found = (query) => entries()
  .map((e) => [score(e, query.trim().toLowerCase()), e.href.replace(/^claims.|.html$/g, "")])
  .filter(([s]) => s).sort((a, b) => b[0] - a[0]).map(([, id]) => id);
console.log(JSON.stringify(QUERIES.map(found)));
"""


@pytest.fixture(scope="module")
def files(ledger):
    return site_files(build(ledger, as_if_proved(ledger, IDS), {}))


@pytest.fixture(scope="module")
def ask(files):
    def ask(*queries):
        start = 'const window = {}, ROOT = "", claimHref = (id) => `claims/${id}.html`;\n'
        data = f"{files['data.js']}const SITE = window.SITE, QUERIES = {json.dumps(queries)};\n"
        script = start + data + files["search.js"].replace('"use strict";', "") + ASK
        return json.loads(run_by_node(script))

    return ask


@pytest.mark.parametrize(
    ("id", "names"),
    [
        ("theorem-5", ["thm5", "Thm. 5", "theorem 5", "T5", "theorem-5", "th 5"]),
        ("proposition-10", ["prop10", "Prop. 10", "P10"]),
        ("lemma-18-ii", ["lem18ii", "lemma 18 (ii)", "L18-ii", "Lemma 18(ii)"]),
        ("corollary-2", ["cor2", "cor. 2"]),
    ],
)
def test_short_names(ask, id, names):
    for name, found in zip(names, ask(*names), strict=True):
        assert found[0] == id, name


@pytest.mark.parametrize(
    ("id", "queries"),
    [
        # As it is typed at a terminal, in a text, in LaTeX, and with the paper's letters.
        ("lemma-18-ii", ["erf(t + gamma*G)", "erf(t+γG)", r"\operatorname{erf}(t + \gamma G)"]),
        ("lemma-18-ii", ["erf(t/A)"]),
        ("lemma-17-iii", ["2|x|/sqrt(pi)", "erf(x)"]),
        ("lemma-16", ["1/sqrt(1+x)", "x/2"]),
        ("theorem-1", ["R(1, 1, 0, 0, 0)"]),
        ("lemma-6", ["zeta(t,s)", "ζ(t, s)"]),
        ("lemma-18-v", ["erf(t/(A*B))", "erf(t/(AB))"]),
    ],
)
def test_formulas_as_one_types_them(ask, id, queries):
    for query, found in zip(queries, ask(*queries), strict=True):
        assert id in found[:4], query


def test_a_formula_finds_what_begins_with_it_behind_what_has_it(ask):
    (found,) = ask("erf(t)")
    assert {"lemma-18-ii", "lemma-18-v"} <= set(found)
    few, none = ask("erf(t/A)", "erf(zzz)")
    assert few[0] in ("lemma-18-ii", "lemma-18-v")
    assert none == []


def test_words_find_what_they_found(ask):
    many, saddle, nothing = ask("lemma 18", "saddle", "no such thing")
    assert many[:3] == ["lemma-18-i", "lemma-18-ii", "lemma-18-v"]
    assert saddle == ["proposition-10"]
    assert nothing == []
