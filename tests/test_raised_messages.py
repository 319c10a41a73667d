"""Every message of an error that a user can meet shows a value, or says why there is none."""

import ast
from pathlib import Path

import pytest

import slrsym
from tests._profile import thorough_only

PACKAGE = Path(slrsym.__file__).parent

# What the checker and its neighbours raise is about a log or an inference, and names the violation;
# `tests/checker` reads those texts.
OF_USERS = {
    "ValueError", "TypeError", "ProofError", "typer.BadParameter", "DerivationError", "KeyError",
    "IndexError", "NotClosedError", "CertificateError", "NotImplementedError", "RuntimeError",
    "CoqError", "ExportFolderError", "DivergenceError", "IntegrabilityError", "LatexCompileError",
}  # fmt: skip

# Messages about the whole of a model or a call, where no value says more: their file and beginning.
WITHOUT_A_VALUE = {
    ("checker/theorem.py", "theorems are made by the rules"),
    ("prover/claims/verification.py", "a worker process died"),
    ("cli/export.py", "--snippet needs a claim"),
    ("cli/export.py", "--proof is for --snippet"),
    ("cli/figure.py", "two values make files of one name"),
    ("matrices/means.py", "a mean needs one law"),
    ("prover/claims/kept_verdicts.py", "no verdict that accepts a claim"),
    ("prover/rules/matrices.py", "definite takes three matrices"),
    ("prover/rules/matrices.py", "positive takes pairs of matrices"),
    ("models/training/recovery_sweep.py", "grid must have a parameter"),
    ("gaussian/noise_and_product_laws.py", "laws must be one law at least"),
    ("gaussian/law.py", "law is missing"),
    ("kernels/ball_backend.py", "means by quadrature are not enclosed"),
    ("kernels/compile.py", "outputs must hold"),
    ("models/claims/loss_claims.py", "claims are about predictors that are one sum"),
    ("models/definition/shares.py", "the predictor uses a Noise"),
    ("kernels/jax_backend.py", "backend='jax' computes in float64"),
    ("models/means/softmax_risk_backends.py", "the risk of softmax is computed by NumPy"),
    ("models/means/softmax_risk_balls.py", "the score of softmax is too steep"),
    ("models/stated_model.py", "symmetric=True needs exchangeable units"),
    ("models/training/recovery_sweep.py", "pairs must have two directions"),
    ("models/training/rates_of_change.py", "online-sgd is for tokens whose covariance"),
    ("models/means/risk.py", "the number of units is a symbol"),
    ("models/means/one_sample_means.py", "equations are for predictors that are sums"),
    ("models/definition/specification.py", "two directions have an inner product"),
    ("models/definition/specification.py", "tokens must have one role at least"),
    ("models/means/risk_terms.py", "of softmax there are balls"),
    ("models/means/risk_terms.py", "softmax is for independent tokens"),
    ("models/sampling/sampled_risk.py", "antithetic must be False"),
    (
        "papers/single_location/sampled_risk.py",
        "method must be 'plain' or 'projected' for a linear predictor",
    ),
    ("papers/single_location/dynamics/runs.py", "runs must be of the single-location task"),
    ("prover/tactics/gaussian_rules.py", "a density beside other terms"),
    ("models/claims/fixed_point_claims.py", "at is for models whose number of units is stated"),
    ("models/claims/flow_claims.py", "there is no Gram matrix that moves"),
    ("models/claims/sector_claims.py", "no units are alike"),
    ("models/landscape/distinct_points.py", "the fixed directions depend on each other"),
    ("models/matrices/matrix_minimum.py", "the equation for the best matrix has several factors"),
    ("models/matrices/matrix_minimum.py", "the risk has the transpose of its matrix alone"),
    ("models/matrices/matrix_minimum.py", "the equation for the best matrix has no solution"),
    ("models/training/diffusion.py", "fluctuations leave the subspace"),
}


def raised() -> list[tuple[str, int, ast.expr]]:
    """Return the file, line and first argument of each error that is raised with a message."""
    return [
        (file.relative_to(PACKAGE).as_posix(), node.lineno, node.exc.args[0])
        for file in sorted(PACKAGE.rglob("*.py"))
        if "derivations" not in file.relative_to(PACKAGE).parts
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Raise)
        and isinstance(node.exc, ast.Call)
        and node.exc.args
        and ast.unparse(node.exc.func) in OF_USERS
    ]


@pytest.fixture(scope="module")
def constant():
    return {
        (file, str(message.value)): line
        for file, line, message in raised()
        if isinstance(message, ast.Constant)
    }


# Of the text alone.
@thorough_only
def test_messages_show_a_value(constant):
    found = {
        (file, text, line)
        for (file, text), line in constant.items()
        if not any(file == where and text.startswith(said) for where, said in WITHOUT_A_VALUE)
    }
    assert not found


def test_the_list_of_messages_without_a_value_is_needed(constant):
    needed = {
        (where, said)
        for where, said in WITHOUT_A_VALUE
        if any(file == where and text.startswith(said) for file, text in constant)
    }
    assert needed == WITHOUT_A_VALUE


@thorough_only
def test_messages_are_clauses_without_a_full_stop():
    """They stand after the name of the error, or after that of an option."""
    for file, line, message in raised():
        parts = message.values if isinstance(message, ast.JoinedStr) else [message]
        first, last = parts[0], parts[-1]
        if isinstance(first, ast.Constant):
            word = str(first.value).split(" ")[0]
            assert not (word[:1].isupper() and word[1:].islower()), (file, line, word)
        if isinstance(last, ast.Constant):
            assert not str(last.value).endswith("."), (file, line)
