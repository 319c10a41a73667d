"""The ledger: what is loaded, what fills gaps, and what a status means."""

from __future__ import annotations

import pytest

from slrsym.prover.claims.file_search import DerivationError
from slrsym.prover.claims.ledger import Ledger, builtin_ledger
from slrsym.prover.claims.verification import shortest_cycle
from slrsym.prover.statements.expressions import ProofError
from tests._profile import thorough, thorough_only
from tests.conftest import HEADER, claim_text

# The bell of Lemma 17 (i), which the package proves, as a claim of the user's own.
BELL_HEADER = HEADER + "from sympy import exp, pi, sqrt\nfrom slrsym.gaussian import erf_prime\n"
BELL = ("erf_prime(x)", "2*exp(-x**2)/sqrt(pi)")


def bell(id="bell", by='lemma("lemma-17-i")'):
    return claim_text(id, *BELL, by)


def statuses(rows):
    return {row.id: row.status for row in rows}


# -- loading -----------------------------------------------------------------------------------


def test_claims_keep_the_order_of_files_and_lines(derivation):
    derivation("b.py", claim_text("first"))
    file = derivation("a.py", claim_text("zeta"), claim_text("alpha"))
    ledger = Ledger.load(file.parent)
    assert list(ledger.claims) == ["zeta", "alpha", "first"]
    assert ledger.problems == []
    assert ledger.claims["zeta"].file == file.resolve()


def test_a_file_given_twice_is_loaded_once(derivation):
    file = derivation("a.py", claim_text("one"))
    ledger = Ledger.load(file, file.parent, file)
    assert ledger.problems == []
    assert ledger.files == [file.resolve()]


def test_files_of_one_name_do_not_meet(derivation):
    for folder in ("p", "q"):
        derivation("x.py").parent.joinpath(folder).mkdir()
    first = derivation("p/a.py", claim_text("one"))
    second = derivation("q/a.py", claim_text("two"))
    assert list(Ledger.load(first, second).claims) == ["one", "two"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 / 0\n", "a.py:4 does not import: ZeroDivisionError: division by zero"),
        ("import sys; sys.exit(0)\n", "a.py:4 does not import: SystemExit: 0"),
        ("import no_such_module\n", "a.py:4 does not import: ModuleNotFoundError"),
        ("def (:\n", "a.py:4 does not import: SyntaxError"),
        ("Claim(id='A b', statement=Eq(x, 1), source='s')\n", "a.py:4 does not import: ProofErr"),
        ("from math import sqrt\nsqrt(-1)\n", "a.py:5 does not import: ValueError"),
    ],
)
def test_a_file_that_does_not_import(derivation, text, said):
    good = derivation("b.py", claim_text("good"))
    derivation("a.py", text, claim_text("never"))
    ledger = Ledger.load(good.parent)
    (problem,) = ledger.problems
    assert said in problem
    assert statuses(ledger.verify()) == {"good": "proved"}
    with pytest.raises(DerivationError, match="does not import"):
        ledger.load_file(good.parent / "a.py")


def test_a_file_without_claims(derivation):
    file = derivation("a.py", "if False:\n    Claim()\n")
    assert Ledger.load(file).problems == [f"{file.resolve()} makes no claim"]


def test_two_claims_of_one_id(derivation):
    derivation("a.py", claim_text("one"))
    file = derivation("b.py", claim_text("one", "sin(x)", "x"))
    ledger = Ledger.load(file.parent)
    (problem,) = ledger.problems
    assert "the id 'one' stands for two claims" in problem
    assert "a.py and " in problem
    assert problem.endswith("b.py")
    assert ledger.claims["one"].file.name == "a.py"


def test_paths_that_lead_to_no_python_file(derivation):
    text, good = derivation("a.txt", claim_text("one")), derivation("b.py", claim_text("two"))
    gone = good.with_name("c.py")
    ledger = Ledger.load(text, gone, good)
    assert ledger.problems == [f"{text} is not a Python file", f"{gone} does not exist"]
    assert list(ledger.claims) == ["two"]
    # In a folder, files of other kinds are passed over.
    whole = Ledger.load(good.parent)
    assert (list(whole.claims), whole.problems) == (["two"], [])


def test_without_the_files_of_the_package_claims_stand_alone(derivation, monkeypatch):
    def fail():
        raise DerivationError("the derivations are gone")

    monkeypatch.setattr("slrsym.prover.claims.ledger.builtin_derivation_folder", fail)
    ledger = Ledger.load(derivation("a.py", claim_text("lemma-17-i")))
    assert list(ledger.claims) == ["lemma-17-i"]
    assert ledger.replacing_ids() == set()


# -- claims that come with the package ---------------------------------------------------------


def test_built_in_claims_fill_gaps(derivation):
    ledger = Ledger.load(derivation("a.py", bell(), header=BELL_HEADER))
    assert list(ledger.claims) == ["bell"]
    rows = ledger.verify()
    assert statuses(rows) == {"bell": "proved", "lemma-17-i": "proved"}
    assert rows[0].depends == ("lemma-17-i",)
    assert ledger.find("lemma-17-i").file.name == "lemma_17.py"


def test_built_in_claims_are_not_loaded_for_nothing(derivation, monkeypatch):
    def fail(file):
        raise AssertionError("the package's claims were loaded")

    ledger = Ledger.load(
        derivation("a.py", claim_text("one"), claim_text("two", by='lemma("one")'))
    )
    monkeypatch.setattr("slrsym.prover.claims.ledger.load_claims", fail)
    assert statuses(ledger.verify()) == {"one": "proved", "two": "proved"}


@pytest.mark.parametrize("workers", [1, thorough(2)])
def test_a_users_own_id_wins(derivation, workers):
    file = derivation("a.py", bell(), claim_text("lemma-17-i", "sin(x)", "x"), header=BELL_HEADER)
    ledger = Ledger.load(file)
    assert ledger.problems == []
    rows = {row.id: row for row in ledger.verify(workers=workers)}
    # The step of the one has evidence without the other, which it cites all the same.
    assert statuses(rows.values()) == {"bell": "conditional", "lemma-17-i": "failed"}
    assert "it rests on lemma-17-i" in rows["bell"].error
    assert ledger.find("lemma-17-i").file == file.resolve()


@pytest.mark.parametrize(
    "id", ["lemma-17-i", "proposition-12-near-identity-kappa", "theorem-5-edge-nu-plus-few"]
)
def test_what_takes_the_place_of_a_built_in_claim_is_known(derivation, id):
    # Of the ids that a file puts together, too, which its text does not say.
    ledger = Ledger.load(derivation("a.py", claim_text(id), claim_text("theorem-5-edge-of-mine")))
    assert ledger.replacing_ids() == {id}


def test_a_broken_file_of_the_package_is_a_problem(derivation, monkeypatch, tmp_path):
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "a.py").write_text(f"{BELL_HEADER}1 / 0\n{claim_text('broken')}", encoding="utf-8")
    (folder / "b.py").write_text(BELL_HEADER + bell("given", "algebra"), encoding="utf-8")
    monkeypatch.setattr("slrsym.prover.claims.ledger.builtin_derivation_folder", lambda: folder)
    ledger = Ledger.load(derivation("a.py", bell(by='lemma("given")'), header=BELL_HEADER))
    assert ledger.has_claim("given")
    assert ledger.problems == []
    assert not ledger.has_claim("broken")
    (problem,) = ledger.problems
    assert "does not import: ZeroDivisionError" in problem


def test_a_file_is_read_as_it_stands(derivation, monkeypatch):
    # Python would take compiled code of the same second and size for up to date.
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    for id in ("one", "two", "six"):
        assert list(Ledger.load(derivation("a.py", claim_text(id))).claims) == [id]


def test_a_file_of_the_package_is_run_once_for_each_text(derivation, monkeypatch, capsys):
    file = derivation("a.py", "print('run')\n", claim_text("one"))
    monkeypatch.setattr(
        "slrsym.prover.claims.loading.builtin_derivation_folder", lambda: file.parent.resolve()
    )
    for _ in range(2):
        assert list(Ledger.load(file).claims) == ["one"]
    assert capsys.readouterr().out == "run\n"
    derivation("a.py", "print('run')\n", claim_text("two"))
    assert list(Ledger.load(file).claims) == ["two"]
    assert capsys.readouterr().out == "run\n"


def test_an_unknown_id(derivation):
    ledger = Ledger.load(derivation("a.py", claim_text("square")))
    assert not ledger.has_claim("sqare")
    with pytest.raises(ProofError, match=r"unknown claim 'sqare'; did you mean square\?"):
        ledger.find("sqare")
    with pytest.raises(ProofError, match="unknown claim 'lemma-18-iiii'; did you mean lemma-18-"):
        ledger.verify(["lemma-18-iiii"])
    with pytest.raises(ProofError, match=r"unknown claim 'qqqq'$"):
        ledger.foundations("qqqq")


def test_the_package_has_no_two_claims_of_one_id():
    assert builtin_ledger().problems == []


def test_a_few_claims_are_checked_without_the_files_of_others(ledger):
    ids = ["lemma-18-v", "lemma-16"]
    few = builtin_ledger()
    rows = few.verify(ids)
    assert [row.id for row in rows] == [row.id for row in ledger.verify(ids)]
    assert {row.status for row in rows} == {"proved"}
    assert {file.name for file in few._files} < {file.name for file in ledger.files}
    assert len(few._files) < 10


# -- statuses ----------------------------------------------------------------------------------


def test_open_is_what_rests_on_what_is_not_proved(derivation):
    wrong = ("x**2", "x")
    file = derivation(
        "a.py",
        claim_text("above", *wrong, by='lemma("middle")'),
        claim_text("middle", *wrong, by='lemma("wrong")'),
        claim_text("wrong", *wrong),
        claim_text("apart"),
    )
    rows = {row.id: row for row in Ledger.load(file).verify()}
    # False at all points, they fail by numbers as well; none of them is proved.
    assert all(rows[id].status != "proved" for id in ("above", "middle", "wrong"))
    assert rows["apart"].status == "proved"


def test_a_step_may_be_right_and_its_claim_open(derivation):
    unproved = 'base = Claim(id="base", statement=Eq({}, {}, evaluate=False), source="s")\n'
    file = derivation(
        "a.py",
        unproved.format("(x + 1)**2", "x**2 + 2*x + 1"),
        claim_text("above", by='lemma("base")'),
        claim_text("top", by='lemma("above")'),
    )
    rows = {row.id: row for row in Ledger.load(file).verify()}
    assert statuses(rows.values()) == {
        "base": "failed",
        "above": "conditional",
        "top": "conditional",
    }
    assert rows["base"].error == "ProofError: claim base has no proof"
    assert rows["above"].error == "it rests on base, not proved"
    assert rows["top"].error == "it rests on base, not proved"


def test_circles(derivation):
    file = derivation(
        "a.py",
        claim_text("one", by='lemma("two")'),
        claim_text("two", by='lemma("three")'),
        claim_text("three", by='lemma("one")'),
        claim_text("upon", by='lemma("one")'),
    )
    ledger = Ledger.load(file)
    rows = {row.id: row for row in ledger.verify(["upon"])}
    assert statuses(rows.values()) == {
        "one": "failed",
        "two": "failed",
        "three": "failed",
        "upon": "conditional",
    }
    assert rows["two"].error == "it rests on itself: two -> three -> one -> two"
    assert (
        shortest_cycle("upon", {id: f.depends for id, f in ledger.foundations("upon").items()})
        == []
    )


def test_what_a_proof_without_evidence_was_to_rest_on_is_told(derivation):
    file = derivation(
        "a.py",
        claim_text("one", by='lemma("two")'),
        claim_text("two", "x**2", "x", by='lemma("three")'),
        claim_text("three", by='__import__("sys").exit(0)'),
        claim_text("four", by="1/0"),
    )
    ledger = Ledger.load(file)
    found = ledger.foundations("one")
    assert {id: f.depends for id, f in found.items()} == {
        "one": ("two",), "two": ("three",), "three": (),
    }  # fmt: skip
    assert [f.error for f in found.values()] == ["", "", "SystemExit: 0"]
    assert ledger.foundations("four")["four"].error == "ZeroDivisionError: division by zero"
    for id in ("three", "four"):
        assert ledger.citations(id) == {id: ()}


@thorough_only
def test_axioms_come_through_dependencies(derivation):
    text = claim_text("mine", "Expectation(erf(t + G), law)", "erf(t/sqrt(3))", "by_lemma")
    header = HEADER + (
        "from sympy import sqrt\n"
        "from slrsym.gaussian import Expectation, standard_normal\n"
        't = Symbol("t", real=True)\nG = Symbol("G", real=True)\nlaw = standard_normal(G)\n'
        'by_lemma = lemma("lemma-18-ii", gamma=1)\n'
    )
    rows = {row.id: row for row in Ledger.load(derivation("a.py", text, header=header)).verify()}
    assert set(rows) == {"mine", "lemma-18-ii", "lemma-18-i"}
    assert "dominated-convergence" in rows["mine"].axioms
    assert set(rows["lemma-18-i"].axioms) < set(rows["mine"].axioms)
    assert rows["mine"].depends == ("lemma-18-ii",)


def test_a_row_as_plain_data(derivation):
    (row,) = Ledger.load(derivation("a.py", claim_text("one"))).verify()
    assert list(row.as_dict()) == [
        "id", "title", "source", "status", "steps", "digits", "axioms", "depends", "seconds",
        "error", "monte_carlo", "box", "trials", "replaces",
        "against", "hypotheses", "hypotheses_not_tried", "supposes", "hypotheses_note",
        "steps_not_compared",
    ]  # fmt: skip
    assert row.as_dict()["axioms"] == row.as_dict()["monte_carlo"] == []


# -- verification ------------------------------------------------------------------------------


@thorough_only
def test_workers_find_what_one_process_finds(derivation):
    file = derivation(
        "a.py", bell(), claim_text("wrong", "sin(x)", "x"), claim_text("right"), header=BELL_HEADER
    )
    ledger = Ledger.load(file)
    seen = []

    def found(workers):
        rows = ledger.verify(seed=5, workers=workers, on_verdict=lambda v: seen.append(v.id))
        return [row.as_dict() | {"seconds": 0} for row in rows]

    assert found(1) == found(2)
    assert sorted(seen) == sorted(["bell", "wrong", "right", "lemma-17-i"] * 2)


def test_a_worker_that_dies(derivation):
    dies = '__import__("os")._exit(7)'
    file = derivation("a.py", claim_text("one", by=dies), claim_text("two"))
    with pytest.raises(ProofError, match=r"a worker process died, .* with one worker"):
        Ledger.load(file).verify(workers=2)


@pytest.mark.parametrize(
    ("option", "value"), [("seed", -1), ("workers", 0), ("effort", -0.5), ("effort", float("inf"))]
)
def test_options_out_of_range(derivation, option, value):
    ledger = Ledger.load(derivation("a.py", claim_text("one")))
    with pytest.raises(ValueError, match=rf"{option} must .* got {value}"):
        ledger.verify(**{option: value})
