"""A claim is judged again if something changed on which its verdict rests, and only then.

One thing is changed at a time in a folder of claims of all kinds, and the ids of the claims that
are judged again are compared with those that rest on it.
"""

from __future__ import annotations

import importlib
import json
import sys
import time

import pytest

from slrsym.prover.claims import cache, kept_verdicts, ledger, loading
from slrsym.prover.claims.claim_digests import claim_digest
from slrsym.prover.claims.source_code import code_digest
from slrsym.prover.tactics.registration import USER_EMITTERS
from tests._cli import run as program
from tests._profile import thorough_only

HEADER = '''
from pathlib import Path
from sympy import Eq, Function, Gt, Symbol, sin
from slrsym.proof import Claim, Trials, algebra, chain, lemma, sign
x = Symbol("x", real=True)
n = Symbol("n", positive=True)
f = Function("f", real=True)

def made(id, right, by=algebra, **more):
    claim = Claim(id=id, statement=Eq((x + 1)**2 * right, right * (x + 1)**2, evaluate=False),
                  source="test", **more)
    @claim.proof
    def _(goal):
        """In one step."""
        return chain(goal.lhs).then(goal.rhs, by=by)
    return claim
'''

FILES = {
    "steps.py": """
import helper
CONSTANT = 3

def local():
    return 5

made("by-helper", helper.value)
made("by-function", local())
made("by-constant", CONSTANT)
made("by-data", int((Path(__file__).parent / "value.txt").read_text()))
made("by-nothing", 7)
made("of-function", f(x))
made("supposing", n, hypotheses=(n > 1,))

cited = Claim(id="cited", statement=Gt(n + 1, 0, evaluate=False), source="test")
@cited.proof
def _(goal):
    return chain(goal.lhs).gt(0, by=sign)

cites = Claim(id="cites", statement=Gt(n + 1, 0, evaluate=False), source="test")
@cites.proof
def _(goal):
    return chain(goal.lhs).gt(0, by=lemma("cited"))
""",
    "helper.py": "from deeper import inner\nvalue = inner\n",
    "deeper.py": "inner = 11\nunused = 1\n",
    "trials.py": """
import counting

trial = Claim(id="trial", statement=Eq(sin(x), sin(x), evaluate=False), source="test")
@trial.tested_by
def _(rng):
    return Trials(counting.count(), "numbers")
""",
    "counting.py": "from more import number\ndef count():\n    return 10 + number\n",
    "more.py": "number = 1\n",
    "rules.py": """
from ruling import Own
made("by-own-rule", 13, by=Own())
""",
    "ruling.py": """
from slrsym.proof.step import Rule
class Own(Rule):
    name = "own"
""",
    # Nobody imports it.
    "tactics.py": """
from slrsym.proof.step import tactic
from ruling import Own
@tactic(Own)
def _(work, step, premises):
    return work.prove_from_equations(premises, work.formula(step.statement), step.context)
""",
}  # fmt: skip


def edit(name, old, new):
    def change(folder):
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))

    return change


def rewrite(name, text):
    return lambda folder: (folder / name).write_text(text)


# What depends on data is not told of code that runs in the same process.
CODE = {"trial", "by-own-rule"}
CHANGES = {
    "a comment": (edit("steps.py", "CONSTANT =", "# It is three.\nCONSTANT ="), set()),
    "a comment beside code": (edit("trials.py", "import counting", "import counting  # so"), set()),
    "a title": (edit("steps.py", 'id="cited", ', 'id="cited", title="new", '), set()),
    "a name that nobody uses": (edit("steps.py", "CONSTANT =", "OTHER = 1\nCONSTANT ="), set()),
    "another claim": (edit("steps.py", "\ncited =", 'made("new", 4)\ncited ='), {"new"}),
    "a module": (edit("helper.py", "value = inner", "value = inner + 1"), {"by-helper"}),
    "a module of a module": (edit("deeper.py", "inner = 11", "inner = 19"), {"by-helper"}),
    "a part of it that nobody uses": (edit("deeper.py", "unused = 1", "unused = 2"), set()),
    "a function of the file": (edit("steps.py", "return 5", "return 6"), {"by-function"}),
    "a constant of the file": (edit("steps.py", "CONSTANT = 3", "CONSTANT = 4"), {"by-constant"}),
    "a hypothesis": (edit("steps.py", "n > 1", "n > 2"), {"supposing"}),
    "an assumption on a symbol": (
        edit("steps.py", "CONSTANT =", 'n = Symbol("n", integer=True, positive=True)\nCONSTANT ='),
        {"supposing", "cited", "cites"},
    ),
    "an assumption on a function": (
        edit("steps.py", "CONSTANT = 3", 'CONSTANT = 3\nf = Function("f", positive=True)'),
        {"of-function"},
    ),
    "the proof of a claim that is cited": (
        edit("steps.py", ".gt(0, by=sign)", ".gt(n, by=sign).gt(0, by=sign)"),
        {"cited"},
    ),
    "the statement of a claim that is cited": (
        edit("steps.py", 'id="cited", ', 'id="cited", hypotheses=(Gt(n, 0, evaluate=False),), '),
        {"cited", "cites"},
    ),
    "an experiment": (edit("trials.py", '"numbers"', '"things"'), {"trial"}),
    "a module of an experiment": (edit("counting.py", "10", "20"), {"trial"}),
    "a module of its module": (edit("more.py", "number = 1", "number = 2"), {"trial"}),
    "a rule of the user's": (edit("ruling.py", 'name = "own"', 'name = "mine"'), {"by-own-rule"}),
    "its tactic": (edit("tactics.py", " return", " assert step; return"), {"by-own-rule"}),
    "the parameters of a rule": (edit("rules.py", "13", "14"), {"by-own-rule"}),
    "data": (rewrite("value.txt", "18"), {"by-data", *CODE}),
}  # fmt: skip


@pytest.fixture
def judge(monkeypatch, tmp_path):
    """Verifies a folder as a new process would; returns the ids of claims that were judged."""
    for name in ("SLRSYM_FRESH", "CI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SLRSYM_CACHE", str(tmp_path / "kept"))
    check, judged = kept_verdicts.check_claim, []

    def noted(claim, *more):
        judged.append(claim.id)
        return check(claim, *more)

    monkeypatch.setattr(kept_verdicts, "check_claim", noted)
    # Where the clock of files is late, code that was just written is not trusted to have been run.
    monkeypatch.setattr(kept_verdicts, "_LATE", 0)
    registered = dict(USER_EMITTERS)

    def run(folder, *options, status=0):
        loading._imported.clear()
        for name in [file.removesuffix(".py") for file in FILES]:
            sys.modules.pop(name, None)
        for rule in USER_EMITTERS.keys() - registered.keys():
            del USER_EMITTERS[rule]
        importlib.invalidate_caches()
        kept_verdicts.package_digest.cache_clear()
        judged.clear()
        found = program("verify", "--workers", "1", *options, folder)
        assert found.exit_code == status, found.output
        return set(judged), found

    return run


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "derivations"
    made.mkdir()
    for name, text in FILES.items():
        is_of_claims = name in ("steps.py", "trials.py", "rules.py")
        (made / name).write_text(HEADER + text if is_of_claims else text)
    (made / "value.txt").write_text("17")
    time.sleep(0.02)
    return made


ALL = {
    "by-helper", "by-function", "by-constant", "by-data", "by-nothing", "of-function", "supposing",
    "cited", "cites", "trial", "by-own-rule",
}  # fmt: skip


@thorough_only
def test_only_what_rests_on_a_change_is_judged_again(judge, folder):
    assert judge(folder)[0] == ALL
    for case, (change, expected) in CHANGES.items():
        before = {file: file.read_bytes() for file in folder.iterdir() if file.is_file()}
        change(folder)
        time.sleep(0.01)
        judged, found = judge(folder)
        assert judged == expected, case
        if case == "a title":
            assert "new" in found.stdout
            assert f"{len(ALL)} of these verdicts were found earlier" in found.stdout
        # What was found before a change is kept.
        for file, text in before.items():
            if file.read_bytes() != text:
                file.write_bytes(text)
        time.sleep(0.01)


def test_other_questions_have_other_verdicts(judge, folder, monkeypatch):
    """A seed, an environment, a package and a request to ignore what is kept."""
    asked = folder / "steps.py"
    names = ALL - {"trial", "by-own-rule"}
    assert judge(asked)[0] == names
    # What is kept of a file is kept for its folder, and the other way round.
    assert judge(folder)[0] == {"trial", "by-own-rule"}
    assert judge(asked, "--claim", "cites")[0] == set()
    assert judge(asked, "--seed", "1")[0] == names
    assert judge(asked, "--no-cache")[0] == names
    assert judge(asked, "--verbose")[0] == set()
    monkeypatch.setenv("SLRSYM_SOMETHING", "1")
    assert judge(asked)[0] == names
    monkeypatch.delenv("SLRSYM_SOMETHING")
    monkeypatch.setattr(cache, "LIBRARIES", ("slrsym", "pytest"))
    assert judge(asked)[0] == names


def test_axioms_and_documents_take_kept_verdicts(judge, folder, monkeypatch, tmp_path):
    asked = folder / "steps.py"
    names = judge(asked)[0]
    judge(asked)
    judged = judge_claim_of_ledger(monkeypatch)
    edit("steps.py", "return 5", "return 6")(folder)
    loading._imported.clear()
    found = program("axioms", "--path", asked)
    assert found.exit_code == 0, found.output
    assert judged == ["by-function"]
    # Its steps are compared with numbers for a book, which axioms did not do.
    made = program("export", "latex", "-o", tmp_path / "book", "--workers", "1", "--path", asked)
    assert made.exit_code == 0, made.output
    assert f"verified {len(names)} claims" in made.output
    assert judge(asked)[0] == set()


def judge_claim_of_ledger(monkeypatch):
    """Note the ids of claims that a ledger has judged without numbers."""
    judged, judge = [], ledger.judge_claim

    def noted(claim, *more):
        judged.append(claim.id)
        return judge(claim, *more)

    monkeypatch.setattr(ledger, "judge_claim", noted)
    return judged


@thorough_only
def test_verdicts_of_workers_are_kept(judge, folder):
    assert judge(folder)[0] == ALL
    kept = {
        file.name: json.loads(file.read_text()) for file in (cache.folder() / "verdicts").iterdir()
    }
    for file in (cache.folder() / "verdicts").iterdir():
        file.unlink()
    edit("steps.py", "CONSTANT = 3", "OTHER = 3; CONSTANT = 3")(folder)
    assert program("verify", "--workers", "2", folder).exit_code == 0
    for file in (cache.folder() / "verdicts").iterdir():
        (mine,), (theirs,) = kept[file.name], json.loads(file.read_text())
        for entry in (mine, theirs):
            entry["verdict"].pop("seconds")
        # A process in which less was read tells less.
        mine.pop("read"), theirs.pop("read")
        assert theirs == mine
    edit("steps.py", "OTHER", "ANOTHER")(folder)
    assert judge(folder)[0] <= {"trial", "by-own-rule"}


@pytest.mark.parametrize("damage", ["{", "[1]", '[{"digest": 1}]'])
def test_what_is_damaged_is_judged_again(damage, judge, folder):
    asked = folder / "steps.py"
    names = judge(asked)[0]
    edit("steps.py", "CONSTANT = 3", "OTHER = 3; CONSTANT = 3")(folder)
    for file in (cache.folder() / "verdicts").iterdir():
        file.write_text(damage)
    assert judge(asked)[0] == names


def test_what_is_not_accepted_is_neither_kept_nor_believed(judge, folder):
    asked = folder / "steps.py"
    names = judge(asked)[0]
    for file in (cache.folder() / "verdicts").iterdir():
        (entry,) = json.loads(file.read_text())
        entry["verdict"] |= {"reports": [], "error": ""}
        file.write_text(json.dumps([entry]))
    edit("steps.py", "CONSTANT = 3", "OTHER = 3; CONSTANT = 3")(folder)
    assert judge(asked)[0] == names
    more = 'made("right", x)\nwrong = Claim(id="wrong", statement=Eq(x, 2 * x), source="test")\n'
    more += "@wrong.proof\ndef _(goal):\n    return chain(x).then(2 * x, by=algebra)\n"
    edit("steps.py", "cited =", f"{more}cited =")(folder)
    assert judge(asked, status=1)[0] == {"right", "wrong"}
    assert judge(asked, status=1)[0] == {"wrong"}


CODE_OF_CLAIM = """
from sympy import Eq, Function, Symbol
from slrsym.proof import Claim, Trials, algebra, chain
x = Symbol("x", real=True)
class Own(Function):
    def fdiff(self, argindex=1):
        return {derivative}
claim = Claim(id="own", statement=Eq(Own(x) + 1, 1 + Own(x), evaluate=False), source="test")
@claim.proof
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=algebra)
"""


def digest_of(tmp_path, text):
    file = tmp_path / "one.py"
    file.write_text(text)
    (claim,) = loading.load_claims(file)
    return claim_digest(claim)


def test_a_class_of_the_users_counts_by_its_code(tmp_path):
    one, other = (digest_of(tmp_path, CODE_OF_CLAIM.format(derivative=n)) for n in (1, 2))
    assert one.has_code
    assert other.has_code
    assert one != other
    assert digest_of(tmp_path, "# A comment.\n" + CODE_OF_CLAIM.format(derivative=1)) == one


TRIAL = """
import {module}
from sympy import Eq, Symbol
from slrsym.proof import Claim, Trials
x = Symbol("x", real=True)
claim = Claim(id="own", statement=Eq(x * (x + 1), x**2 + x, evaluate=False), source="test")
@claim.tested_by
def _(rng):
    return Trials(10, {words})
"""


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("os", 'os.environ["HOME"]'), ("importlib", 'importlib.import_module("os").name'),
        ("sys", 'str(sys.modules["os"])'), ("os", 'eval("os.name")'),
        ("os", 'str(os.path.exists("x"))'), ("datetime", "str(datetime.date.today())"),
    ],
)  # fmt: skip
def test_code_that_may_depend_on_anything_has_no_digest(module, words, tmp_path):
    assert digest_of(tmp_path, TRIAL.format(module="os", words='"numbers"')) is not None
    assert digest_of(tmp_path, TRIAL.format(module=module, words=words)) is None


def test_code_that_sees_its_lines_counts_by_its_text():
    for word, is_same in (("name", True), ("f_lineno", False)):
        text = f"import sys\nvalue = sys.{word}\n".encode()
        assert (code_digest(text) == code_digest(b"# A comment.\n" + text)) == is_same
    assert code_digest(b"x = 1") != code_digest(b"x = True") != code_digest(b"x = 1.0")
    assert code_digest(b"x in {1, 2}") == code_digest(b"x in {1,\n 2}")
    assert code_digest(b"def f():\n    return 1") != code_digest(b"def f():\n    return 2")
    assert code_digest(b"no python") != code_digest(b"no  python")
