"""Messages about mistakes of a user name the file, the line and the remedy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sympy import Symbol, exp, sign, tan

from slrsym.gaussian.integrals import DivergenceError, IntegrabilityError
from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from slrsym.proof import cauchy_schwarz, chain, inside
from slrsym.prover.statements.expressions import ProofError
from tests._profile import thorough

from ._cli import PAPER, run

HEAD = """\
from sympy import Eq, Symbol
from slrsym.proof import Claim, algebra, cauchy_schwarz, chain
x = Symbol("x", real=True)
own = Claim(id="own", title="A square", statement=Eq((x + 1)**2, x**2 + 2*x + 1), source="new")
@own.proof
"""


def verify(file, *options):
    done = run("verify", file, *options, "--workers", "1")
    return done.exit_code, " ".join(done.output.split())


@pytest.fixture
def own(tmp_path):
    """Write a file of one claim whose proof is given."""

    def write(proof: str, head: str = HEAD) -> Path:
        file = tmp_path / "own.py"
        file.write_text(head + proof)
        return file

    return write


# -- proofs ------------------------------------------------------------------------------------


def test_a_rule_without_its_arguments(own):
    file = own("def _(goal):\n    return chain(goal.lhs).then(goal.rhs, by=cauchy_schwarz)\n")
    code, said = verify(file)
    assert code == 1
    assert f"own failed: {file}:7: ProofError: by=cauchy_schwarz needs arguments; write " in said
    assert "by=cauchy_schwarz(first, second)" in said


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("chain(goal.lhs).then(goal.rhs, by=algebra)", "returned nothing; end it with: return"),
        ("return goal", ", which is no proof; return chain(...).then(..., by=rule)"),
        ("return algebra", "the proof is a rule; write chain(...).then(..., by=rule)"),
    ],
)
def test_a_proof_that_returns_something_else(own, body, message):
    code, said = verify(file := own(f"def _(goal):\n    {body}\n"))
    assert code == 1
    assert f"{file}:5: the proof " in said
    assert message in said


def test_a_name_that_a_module_does_not_have(own):
    head = HEAD.replace("import Claim, algebra, cauchy_schwarz", "import Claim, gaussian_calculs")
    code, said = verify(file := own("def _(goal):\n    return None\n", head))
    assert code == 1
    assert f"{file}:2 does not import: ImportError: cannot import name 'gaussian_calculs'" in said
    assert "did you mean gaussian_calculus?" in said


def test_other_places_of_rules():
    with pytest.raises(ProofError, match=r"write by=cauchy_schwarz\(first, second\)"):
        inside(cauchy_schwarz)
    with pytest.raises(ProofError, match=r"by must be a rule; got 3\. slrsym\.proof has the rules"):
        chain(Symbol("x")).then(1, by=3)


def test_a_proof_with_too_many_arguments(own):
    file = own("def _(goal, z):\n    return chain(goal.lhs).then(goal.rhs, by=algebra)\n")
    code, said = verify(file)
    assert code == 1
    assert f"{file}:5: a proof takes one argument, the statement of the claim: def _(goal);" in said
    assert "got _(goal, z)" in said


def test_further_arguments_may_have_defaults(own):
    file = own("def _(goal, z=1):\n    return chain(goal.lhs).then(goal.rhs, by=algebra)\n")
    assert verify(file)[0] == 0


def test_an_error_in_a_proof_names_its_line(own):
    code, said = verify(own("def _(goal):\n    y = 3\n    return chain(goal.lhs + 1 / (y - y))\n"))
    assert code == 1
    assert "own.py:8: ZeroDivisionError" in said


def test_a_syntax_error_with_a_claim_asked_for(own):
    """The claim is in the file that does not load: the error is that, and no bad usage."""
    file = own("def _(goal:\n    return 1\n")
    code, said = verify(file, "--claim", "own")
    assert code == 1
    assert f"error: {file}:6 does not import: SyntaxError: '(' was never closed error:" in said
    assert "no file that could be read makes a claim 'own'" in said


def test_an_unknown_claim_is_named_by_its_option(own):
    file = own("def _(goal):\n    return chain(goal.lhs).then(goal.rhs, by=algebra)\n")
    code, said = verify(file, "--claim", "ow")
    assert code == 2
    assert "Invalid value for --claim: unknown claim 'ow'; did you mean own?" in said
    done = run("axioms", "lema-18-ii")
    assert "Invalid value for ID: unknown claim" in done.output


# -- models ------------------------------------------------------------------------------------

k, v = Direction("k", sphere=True), Direction("v", sphere=True)
one = Token(2 * Direction("u", unit=True), 0.5)
HERE = str(Path(__file__))


def _line(function):
    return f"({HERE}, line {function.__code__.co_firstlineno})"


@pytest.mark.parametrize(
    "share", [lambda X: 1 / (X @ k), lambda X: float("inf") * (X @ k), lambda X: (X @ k) / (X @ v)]
)
def test_a_share_that_is_not_finite(share):
    with pytest.raises(ValueError, match="share must be real and finite") as refused:
        model(TokenSequence({one: 1}), Predictor(share))
    said = str(refused.value)
    assert _line(share) in said
    assert "Take a function that is defined on the whole line, or bound its argument" in said


def test_a_target_that_is_not_finite():
    token = Token(0, 1, target=lambda X: 1 / (X @ v))
    with pytest.raises(ValueError, match="target must be real and finite") as refused:
        model(TokenSequence({token: 1}), Predictor(lambda X: X @ v))
    assert _line(token.target) in str(refused.value)


@pytest.mark.parametrize(
    ("share", "error"),
    [
        (lambda X: tan(X @ k), DivergenceError),
        (lambda X: 1 / (X @ k - 5) ** 2, DivergenceError),
        (lambda X: exp((X @ k) ** 2), IntegrabilityError),
    ],
)
def test_a_share_whose_mean_is_not_finite(share, error):
    stated = model(TokenSequence({one: 1}), Predictor(share))
    with pytest.raises(error, match="the risk of this model may not be finite") as refused:
        _ = stated.risk
    assert _line(share) in str(refused.value)
    assert "Let the share" in str(refused.value)


def test_a_loss_whose_mean_is_not_finite():
    """Of exp(y z^2) the mean is finite below a length, and no symbol of the user says so."""
    w, u = Direction("w"), Direction("u", unit=True)
    data = TokenSequence({Token(target=lambda X: sign(X @ u)): 1})
    stated = model(data, Predictor(lambda X: (X @ w) ** 2), loss="exponential")
    with pytest.raises(IntegrabilityError, match="the risk of this model may not be") as refused:
        stated.compile("numpy")
    assert "slow enough for the exponential loss" in str(refused.value)
    assert "which the assumptions on" not in str(refused.value)


# -- files -------------------------------------------------------------------------------------


# Another output that is full, by the same path.
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
@pytest.mark.parametrize(
    "words",
    [
        ["derivations"],
        ["--help"],
        thorough(["axioms", "lemma-16"]),
        ["--version"],
        [*PAPER, "simulate", "--help"],
        thorough(["verify", "--claim", "lemma-18-ii", "--workers", "1"]),
    ],
)
def test_standard_output_that_is_full(words):
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "slrsym", *words],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == (
        "error: standard output could not be written: No space left on device. Redirect it to a "
        "file on a disk that has room\n"
    )


def test_a_folder_that_cannot_be_made(tmp_path):
    file = tmp_path / "file"
    file.touch()
    done = run("figure", "6", "-o", file / "below")
    said = " ".join(done.output.split())
    assert done.exit_code == 2
    assert f"--output: cannot make the folder {file / 'below'} (Not a directory); name" in said
    done = run("figure", "6", "-o", file)
    assert "(it is a file); name a folder that you may write to" in " ".join(done.output.split())
