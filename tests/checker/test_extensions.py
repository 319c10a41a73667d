"""Extensions of the checker: each record names those that it uses, and the base knows none."""

from __future__ import annotations

import ast
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import slrsym.checker
from slrsym.checker import ProvedClaims, Rejected, recheck
from slrsym.checker.extensions.vectors import BAYES_RISK, VECTOR_SCHEMAS
from slrsym.checker.log import EXTENSIONS
from slrsym.checker.orbit_theorems import SCHEMAS
from slrsym.checker.term import definedness_equation, num
from slrsym.checker.theorem import RULES
from slrsym.prover.rules.axioms import AXIOMS
from slrsym.prover.tactics.log_records import RecordingProofBuilder, log_lines
from tests._cli import exits, run
from tests.checker import reference
from tests.checker.reference import theorems as second
from tests.checker.terms import X

BASE = Path(slrsym.checker.__file__).parent
BOTH = ["textbook", "vectors"]
NAMES = ["dynamics", "matrices", *BOTH]
# Files with rules besides the one that has the name of the extension.
MORE_FILES = {("matrices", "unknown_functions"), ("matrices", "unknown_function_means")}
# No name that the sentence on the risk has.
R = ("s", "r", "R")
DEFINED = (definedness_equation(X), definedness_equation(R))
RISK = ("o", "InWords", ("text", BAYES_RISK))


def of_maximum(script):
    line = script.add("maximum", (), X, R)
    return script.add("logic", [line], DEFINED, line.theorem.conclusion)


def of_risk(script):
    return script.add("vector theorem", (), "conditional-risk", RISK, ())


def of_symbol(script):
    return script.add("symbol", (), X)


def together(script, *lines):
    """Conclude what all these lines do, under the hypotheses of all."""
    given = {key: h for line in lines for key, h in line.theorem.hypotheses.items()}
    said = ("and", *(line.theorem.conclusion for line in lines))
    return script.add("logic", lines, tuple(given.values()), said)


def records():
    """Claims by each extension, by none, and by both; and some that cite others."""
    book, made = ProvedClaims(), []

    def claim(id, prove):
        script = RecordingProofBuilder(book)
        line = prove(script)
        script.record_step("1", "rule", line)
        given = tuple(line.theorem.hypotheses.values())
        made.append(script.finish_claim(id, line.theorem.conclusion, given, line))

    claim("larger", of_maximum)
    claim("risk", of_risk)
    claim("plain", of_symbol)
    claim("both", lambda s: together(s, of_maximum(s), of_risk(s)))
    claim("cites-plain", lambda s: together(s, book.cite("plain")))
    claim("cites-one", lambda s: together(s, book.cite("larger")))
    claim("cites-citing", lambda s: together(s, book.cite("cites-one"), book.cite("risk")))
    claim("cites-and-uses", lambda s: together(s, book.cite("risk"), of_maximum(s)))
    return json.loads(json.dumps(made))


def written(path, made, header):
    lines = log_lines({} if header is None else {"extensions": header}, made)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def accepted(path, made, header=BOTH):
    """Whether both checkers accept a log; they have to agree."""
    log = written(path / "a.log", made, header)
    found = []
    for check, refusal in ((recheck, Rejected), (reference.recheck, reference.Refused)):
        try:
            check(log)
            found.append(True)
        except refusal:
            found.append(False)
    assert found[0] is found[1], f"the checkers disagree: {found}"
    return found[0]


def changed(id, **fields):
    made = records()
    next(record for record in made if record["claim"] == id).update(fields)
    return made


def test_records_name_what_they_use_and_pass_it_on(tmp_path):
    made = records()
    assert accepted(tmp_path, made)
    t, v = ("extension textbook",), ("extension vectors",)
    risk = {"theorem conditional-risk", "conditional-risk", "conditional-expectation", *v}
    expected = {
        "larger": (("textbook",), {*t}),
        "risk": (("vectors",), risk),
        "plain": ((), set()),
        "both": (("textbook", "vectors"), {*t, *risk}),
        "cites-plain": ((), set()),
        "cites-one": ((), {*t}),
        "cites-citing": ((), {*t, *risk}),
        "cites-and-uses": (("textbook",), {*t, *risk}),
    }
    judged = recheck(written(tmp_path / "a.log", made, BOTH))
    assert {found.id: (found.extensions, set(found.axioms)) for found in judged} == expected
    assert all(step.axioms == found.axioms for found in judged for step in found.steps)


@pytest.mark.parametrize("record", records(), ids=lambda record: record["claim"])
def test_a_record_names_those_that_it_uses_and_no_others(record, tmp_path):
    """Of all lists of the names, only the one that is right is accepted."""
    lists = [[], ["textbook"], ["vectors"], BOTH, ["vectors", "textbook"]]
    right = [names for names in lists
             if accepted(tmp_path, changed(record["claim"], extensions=names))]  # fmt: skip
    assert right == [record["extensions"]]


@pytest.mark.parametrize("id", ["larger", "risk"])
def test_the_header_names_those_of_its_records_and_no_others(id, tmp_path):
    (record,) = (record for record in records() if record["claim"] == id)
    for names in ([], ["textbook"], ["vectors"], BOTH, ["vectors", "textbook"], None):
        assert accepted(tmp_path, [record], names) is (names == record["extensions"])
    plain = [record for record in records() if record["claim"] == "plain"]
    for names in ([], ["textbook"], ["vectors"], BOTH, None):
        assert accepted(tmp_path, plain, names) is (not names)


def test_lists_of_several_records_do_not_make_up_for_each_other(tmp_path):
    """Whatever three records and the header name, only what is right is accepted."""
    made = records()[:2] + records()[5:6]
    lists = [[], ["textbook"], ["vectors"], BOTH]
    found = []
    for *names, header in itertools.product(lists, repeat=4):
        forged = [{**r, "extensions": own} for r, own in zip(made, names, strict=True)]
        if accepted(tmp_path, forged, header):
            found.append((names, header))
    assert found == [([["textbook"], ["vectors"], []], BOTH)]


WRONG = [
    None, True, 0, 1, "textbook", "", {}, {"textbook": 1}, {"textbook": None}, [None], [1], [True],
    [["textbook"]], [[]], [{}], [""], ["textbook", "textbook"], ["textbook", "vectors", "vectors"],
    ["vectors", "textbook"], ["textbook", ""], ["textbook", None], ["textbook", "magic"], ["magic"],
    ["Textbook"], ["textbook "], ["textbook\n"], ["textbook\x00"], ["te\u0445tbook"], ["\ud800"],
    ["extension textbook"], ["slrsym.checker.extensions.textbook"], ["maximum"], ["default"],
    ["textbook", "os"], [".."], ["*"],
]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=ascii)
@pytest.mark.parametrize("place", ["header", "record"])
def test_lists_that_are_none_are_refused(wrong, place, tmp_path):
    before = set(sys.modules)
    if place == "header":
        assert not accepted(tmp_path, records(), [wrong] if wrong is None else wrong)
    else:
        assert not accepted(tmp_path, changed("larger", extensions=wrong))
    # What is named is not loaded.
    assert not {name for name in set(sys.modules) - before if "slrsym" in name or name == "magic"}


def test_the_list_of_a_record_may_not_be_left_out(tmp_path):
    made = records()
    for record in made:
        if record["claim"] == "plain":
            del record["extensions"]
    assert not accepted(tmp_path, made)


@pytest.mark.parametrize("id", ["cites-one", "cites-citing", "cites-and-uses", "larger", "risk"])
def test_no_axiom_of_an_extension_can_be_left_out(id, tmp_path):
    (record,) = (record for record in records() if record["claim"] == id)
    own = [name for name in record["axioms"] if name.startswith("extension ")]
    assert own
    for name in own:
        left = [axiom for axiom in record["axioms"] if axiom != name]
        assert not accepted(tmp_path, changed(id, axioms=left))
    assert not accepted(tmp_path, changed("plain", axioms=own))


def test_an_inference_that_nothing_rests_on_is_named_too(tmp_path):
    made = records()
    plain, used = made[2], made[0]
    rows = len(plain["terms"])
    row = lambda data: [part + rows if type(part) is int else part for part in data]  # noqa: E731
    (name, _, *data) = used["lines"][0]
    plain["terms"] += [
        [head, *(rest if head in ("s", "n") else row(rest))] for head, *rest in used["terms"]
    ]
    plain["lines"].append([name, [], *row(data)])
    assert not accepted(tmp_path, made)
    plain["extensions"] = ["textbook"]
    assert accepted(tmp_path, made)
    (found,) = (c for c in recheck(written(tmp_path / "a.log", made, BOTH)) if c.id == "plain")
    assert found.extensions == ("textbook",)
    assert not found.axioms


@pytest.mark.parametrize("name", sorted({*SCHEMAS, *VECTOR_SCHEMAS, "from-overlaps"}))
@pytest.mark.parametrize("named", [[], ["vectors"], BOTH])
def test_the_rule_theorem_knows_no_theorem_on_vectors(name, named, tmp_path):
    """By the rule of the base, the theorems of the extension are unknown, whatever is named."""
    record = records()[1]
    (line,) = record["lines"]
    line[0] = "theorem"
    assert not accepted(tmp_path, [{**record, "extensions": named}], named)
    line[0], line[2] = "vector theorem", name
    assert accepted(tmp_path, [{**record, "extensions": named}], named) is (
        name == "conditional-risk" and named == ["vectors"]
    )


def test_what_is_unchecked_is_no_axiom_of_an_extension(tmp_path):
    book = ProvedClaims()
    script = RecordingProofBuilder(book)
    line = script.add("unchecked", (), "extension textbook", (), ("<", num(0), X))
    made = [script.finish_claim("hope", ("<", num(0), X), (), line)]
    assert made[0]["extensions"] == []
    (found,) = recheck(written(tmp_path / "a.log", made, []))
    assert found.axioms == {"unchecked: extension textbook"}


@pytest.mark.parametrize("names", [(), ("textbook",), ("vectors",), BOTH])
def test_each_extension_may_be_declined(names, tmp_path):
    for record in records()[:4]:
        log = written(tmp_path / "a.log", [record], record["extensions"])
        if set(record["extensions"]) <= set(names):
            recheck(log, names)
        else:
            with pytest.raises(Rejected, match=r"the extension \w+ is not accepted"):
                recheck(log, names)


@pytest.mark.parametrize(
    ("id", "extensions", "why"),
    [
        ("larger", [], "rule 'maximum' of the extension textbook, which the record does not name"),
        ("risk", [], "rule 'vector theorem' of the extension vectors, which the record"),
        ("plain", BOTH, "the record names extensions that it does not use: textbook, vectors"),
        ("plain", ["vectors", "vectors"], "not sorted, or one is named twice"),
        ("plain", ["magic"], "unknown extension 'magic'"),
        ("plain", "magic", "another JSON type"),
    ],
)
def test_a_refusal_says_what_is_wrong(id, extensions, why, tmp_path):
    with pytest.raises(Rejected, match=re.escape(why)):
        recheck(written(tmp_path / "a.log", changed(id, extensions=extensions), BOTH))
    for header, said in (([], "the header does not name the extension vectors"),
                         (BOTH, "the header names extensions of no record: textbook")):  # fmt: skip
        with pytest.raises(Rejected, match=said):
            recheck(written(tmp_path / "a.log", records()[1:2], header))


# -- the default base ------------------------------------------------------------------------------

SPEAKING = re.compile(
    r"SphereDescent|AlmostEveryPair|NullPairs|InWords|overlap|predictor|conditional.risk|coarea"
    r"|textbook\b|unit vector|vector.theorem|[kv]\*"
)


def test_the_base_knows_nothing_of_extensions():
    """But for their names, and the files where they are."""
    for path in BASE.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name == "log.py":
            text = re.sub(r"^EXTENSIONS = \{\n.*?^\}\n", "", text, flags=re.MULTILINE | re.DOTALL)
        assert not SPEAKING.search(text), (path.name, SPEAKING.search(text))
        for node in ast.walk(ast.parse(text)):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [a.name for a in node.names] if isinstance(node, ast.Import) else []
            assert not any(name and "extensions" in name for name in names), path.name


def test_extensions_import_flint_and_the_checker_alone():
    for path in (BASE / "extensions").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [a.name for a in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                known = name.split(".")[0] in {*sys.stdlib_module_names, "flint"}
                assert known or name.startswith("slrsym.checker"), (path.name, name)


LOADED = """
import sys
from slrsym.checker import log, orbit_theorems, recheck, theorem

def state():
    names = {n.rpartition(".")[2] for n in sys.modules if "checker.extensions." in n}
    rules = {r.extension for r in theorem.RULES.values()} - {""}
    return names, rules

def base():
    return (
        {n: r for n, r in theorem.RULES.items() if not r.extension}, dict(orbit_theorems.SCHEMAS)
    )

first = base()
assert state() == (set(), set()), state()
for path, *names in (arg.split(",") for arg in sys.argv[1:]):
    try:
        recheck(path)
    except log.Rejected:
        assert "forged" in path
    assert state() == (set(names), set(names)), (path, state())
    assert base() == first
"""


def test_an_extension_is_loaded_when_a_header_names_it(tmp_path):
    larger, risk, plain = records()[:3]
    forged = {**plain, "extensions": ["vectors"]}
    logs = [
        (written(tmp_path / "plain.log", [plain], []),),
        # A record that names what the header does not loads nothing.
        (written(tmp_path / "forged.log", [forged], []),),
        (written(tmp_path / "textbook.log", [larger], ["textbook"]), "textbook"),
        (written(tmp_path / "vectors.log", [risk], ["vectors"]), "textbook", "vectors"),
        # What is loaded already is refused where it is not named.
        (written(tmp_path / "forged-2.log", [{**risk, "extensions": []}], []), *BOTH),
    ]
    said = [",".join(map(str, row)) for row in logs]
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *said], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    with pytest.raises(Rejected, match="of the extension vectors, which the record does not name"):
        recheck(logs[-1][0])


def test_both_checkers_have_the_same_extensions():
    """So do the axioms of the prover, with the rules of each."""
    first = {name: {r for r, made in RULES.items() if made.extension == name} for name in NAMES}
    assert list(EXTENSIONS) == NAMES
    assert {made.extension for made in RULES.values()} == {"", *NAMES}
    assert {name: set(second.EXTENSIONS[name]) for name in BOTH} == {n: first[n] for n in BOTH}
    listed = {name: axiom for name, axiom in AXIOMS.items() if name.startswith("extension ")}
    assert {name: set(axiom.rules) for name, axiom in listed.items()} == {
        f"extension {name}": rules for name, rules in first.items()
    }
    for name in NAMES:
        assert sys.modules[EXTENSIONS[name]].__file__ == str(BASE / "extensions" / f"{name}.py")
        for rule in first[name]:
            # Each is in the file of its extension, or in one that this imports.
            of = RULES[rule].apply.__module__
            assert of == EXTENSIONS[name] or (name, of.rpartition(".")[2]) in MORE_FILES


def test_recheck_lists_extensions_and_the_claims_that_use_them(tmp_path):
    log = written(tmp_path / "a.log", records(), BOTH)
    shown = exits(run("recheck", str(log), "--no-compare"), 0).stdout
    assert re.findall(r"^(\d.*extension.*|  .*)$", shown, re.MULTILINE) == [
        "3 of 8 claims use rules of the extension textbook",
        "    larger, both, cites-and-uses",
        "  2 more rest on these",
        "    cites-one, cites-citing",
        "2 of 8 claims use rules of the extension vectors",
        "    risk, both",
        "  2 more rest on these",
        "    cites-citing, cites-and-uses",
    ]
    # A step that rests on one is told of, though the statement needs no such step.
    made = records()[1:3]
    label, rule, _, _, _ = made[1]["steps"][0]
    made[1]["terms"] += [made[0]["statement"], *made[0]["given"]]
    rows = range(len(made[1]["terms"]) - len(made[0]["given"]), len(made[1]["terms"]))
    made[1]["steps"].append([label, rule, "risk", rows[0] - 1, [*rows]])
    cites = written(tmp_path / "c.log", made, ["vectors"])
    assert recheck(cites)[1].axioms == set()
    shown = exits(run("recheck", str(cites), "--no-compare"), 0).stdout
    assert shown.endswith("    risk\n  1 more rest on these\n    plain\n")
    plain = written(tmp_path / "b.log", records()[2:3], [])
    assert "extension" not in exits(run("recheck", str(plain), "--no-compare"), 0).stdout
    assert "not accepted" in run("recheck", str(log), "--no-compare", "--no-extensions").stderr
