"""Each rule of the proof checker and the axiom whose text covers it, and what pages say of both."""

from __future__ import annotations

import ast
import inspect
import json
import lzma
import re
from collections import defaultdict
from pathlib import Path

import pytest

import slrsym.checker as package
from slrsym.checker.extensions.dynamics import FLOW_SCHEMAS
from slrsym.checker.extensions.vectors import VECTOR_SCHEMAS
from slrsym.checker.log import EXTENSIONS, load_extensions
from slrsym.checker.orbit_theorems import SCHEMAS
from slrsym.checker.theorem import RULES
from slrsym.prover.rules.axioms import AXIOMS, Axiom
from slrsym.prover.tactics.bundled_log import BUNDLED_LOG

# Rules of extensions are entered when their extension is loaded.
load_extensions([*EXTENSIONS])

DOCS = Path(__file__).parents[2] / "docs"
LITERATURE = {
    name: axiom
    for name, axiom in AXIOMS.items()
    if type(axiom) is Axiom and not name.startswith("extension ")
}
# Rules that hold by the meaning of terms, relations and connectives, or by arithmetic and the rules
# of differentiation: what the reference says under "Why", and no theorem.
BY_MEANING = {
    "absolute value", "arithmetic", "assume", "chain", "copies exist", "defined", "definition",
    "derivative", "equal bodies", "exponential of a sum", "generalise", "induction", "instance",
    "integers apart", "logic", "maximum", "moderate", "no copies", "noise", "numbers", "order",
    "psd image", "rewrite", "sign", "smooth", "specialise", "symbol", "under",
    # Of matrices: what sums of squares, common eigenvectors and products of inverses show.
    "cauchy-schwarz for matrices", "definite trace", "equal matrices", "invertible",
    "matrix identity", "sandwich", "semidefinite", "size", "symmetric", "trace of semidefinite",
    "equal vectors", "generalise letters", "specialise letters",
}  # fmt: skip
# The first names what is to be taken for granted, the others the theorem and its axioms.
BY_NAME = {"unchecked", "theorem", "vector theorem", "flow theorem"}


def axioms_in_source(function):
    """Return the axioms that the text of a rule, and of functions of its file, can conclude with.

    They are the texts in the third part of what is returned.
    """
    module = ast.parse(inspect.getsource(inspect.getmodule(function)))
    by_name = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    left, seen, found = [function.__name__], set(), set()
    while left:
        name = left.pop()
        if name in seen or name not in by_name:
            continue
        seen.add(name)
        assigned = {
            node.targets[0].id: node.value
            for node in ast.walk(by_name[name])
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for node in ast.walk(by_name[name]):
            if not isinstance(node, ast.Return) or node.value is None:
                continue
            if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name):
                left.append(node.value.func.id)
            if isinstance(node.value, ast.Tuple) and len(node.value.elts) == 3:
                ends = [node.value.elts[2]]
                ends += [
                    assigned[e.id] for e in ast.walk(ends[0]) if getattr(e, "id", "") in assigned
                ]
                found |= {
                    part.value
                    for end in ends
                    for part in ast.walk(end)
                    if isinstance(part, ast.Constant)
                    and isinstance(part.value, str)
                    and part.value not in ("sum", "E", "int")
                }
    return found


def shipped_records():
    """Yield the records of the log that comes with the package."""
    with lzma.open(BUNDLED_LOG, "rt", encoding="utf-8") as lines:
        next(lines)
        yield from map(json.loads, lines)


@pytest.mark.parametrize("name", sorted(RULES.keys() - BY_NAME))
def test_each_rule_has_an_axiom_that_names_it_or_needs_none(name):
    taken = axioms_in_source(RULES[name].apply)
    assert taken == {id for id, axiom in LITERATURE.items() if name in axiom.rules}
    assert bool(taken) is (name not in BY_MEANING)


def test_axioms_name_rules_that_there_are():
    assert {rule for axiom in LITERATURE.values() for rule in axiom.rules} <= RULES.keys()


def test_what_theorems_take_has_a_text():
    schemas = (*SCHEMAS.values(), *VECTOR_SCHEMAS.values(), *FLOW_SCHEMAS.values())
    taken = {axiom for *_, axioms in schemas for axiom in axioms}
    assert taken <= LITERATURE.keys()
    # All others are taken by a rule, but for one that only citations name.
    others = {name for name, axiom in LITERATURE.items() if not axiom.rules} - taken
    assert others == {"limits-of-functions"}


def test_the_shipped_log_takes_what_the_axioms_say():
    """Of proofs that cite no claim, each axiom of a rule comes from a rule or a theorem."""
    schemas = {**SCHEMAS, **VECTOR_SCHEMAS, **FLOW_SCHEMAS}
    by_theorem = {f"theorem {name}": {*axioms} for name, (*_, axioms) in schemas.items()}
    seen = set()
    for record in shipped_records():
        if all(type(premise) is int for _, premises, *_ in record["lines"] for premise in premises):
            used = {name for name, *_ in record["lines"]}
            listed = {id for id in record["axioms"] if id in LITERATURE and LITERATURE[id].rules}
            taken = set().union(*(by_theorem.get(id, ()) for id in record["axioms"]))
            taken |= {id for id, axiom in LITERATURE.items() if used & {*axiom.rules}}
            assert listed <= taken
            seen |= listed
    assert {"stein-lemma", "gaussian-linear-image", "mean-value-theorem"} <= seen


# -- extensions ------------------------------------------------------------------------------------


def test_the_page_names_the_claims_that_use_extensions():
    """It names each rule of each extension with the claims whose proofs use it."""
    page = (DOCS / "explanation" / "checker.md").read_text(encoding="utf-8")
    section = page.partition("## Rules of extensions")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([a-z]+)` \| `([a-z -]+)` \| (.*) \|$", section, re.MULTILINE)
    said = {(of, name): set(re.findall(r"`([a-z0-9-]+)`", users)) for of, name, users in rows}
    found = {(rule.extension, name): set() for name, rule in RULES.items() if rule.extension}
    users, rests = defaultdict(set), defaultdict(set)
    for record in shipped_records():
        used = {name for name, *_ in record["lines"]}
        for of, name in found:
            if name in used:
                found[of, name].add(record["claim"])
            if f"extension {of}" in record["axioms"]:
                rests[of].add(record["claim"])
        for of in record["extensions"]:
            users[of].add(record["claim"])
        by_rule = {of for of, name in found if record["claim"] in found[of, name]}
        # The others it names for their heads.
        assert by_rule <= {*record["extensions"]} <= by_rule | {"matrices"}
    assert said == found
    for of in sorted(users):
        more = len(rests[of] - users[of]) or "no"
        assert f"`{of}`: {len(users[of])} claims use it, and {more} others rest on these" in section


def test_the_page_names_the_files_that_there_are():
    page = (DOCS / "explanation" / "checker.md").read_text(encoding="utf-8")
    table = page.partition("| file | subject |")[2].partition("\n\n")[0]
    named = {
        name
        for row in table.splitlines()
        for name in re.findall(r"`(\w+\.py)`", row.split("|")[1] if "|" in row else "")
    }
    there = {path.name for path in Path(inspect.getfile(package)).parent.glob("*.py")}
    assert named == there - {"__init__.py"}
