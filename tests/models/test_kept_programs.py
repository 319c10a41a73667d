"""Programs that are kept in the cache folder: found by the same model alone, and by no other."""

import pytest
from sympy import Function, Symbol, tanh

from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from slrsym.models.means.risk import ExactRisk

from ._programs import MODELS

OUTPUTS = ("gradient",), ("risk",)


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The cache folder, which is empty, where programs may be kept."""
    monkeypatch.delenv("SLRSYM_FRESH", raising=False)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("SLRSYM_CACHE_DIR", str(tmp_path))
    return tmp_path


def one_unit(*, mean=1, cov=0.5, others=2, noise=0, scale=1, act=lambda z: z):
    """A model of one unit, as small as can be, with one thing other than usual."""
    u, w = Direction("u", unit=True), Direction("w")
    token = Token(mean=mean * u, cov=cov, target=lambda X: X @ u)
    data = TokenSequence({token: 1, Token(): others}, noise=noise)
    return model(data, Predictor(lambda X: scale * act(X @ w)))


def test_another_statement_of_a_model_derives_nothing(kept, monkeypatch):
    first = [one_unit().program(*what) for what in OUTPUTS]
    assert len([*kept.glob("slrsym_program_*.txt")]) == len(OUTPUTS)
    monkeypatch.delattr(ExactRisk, "_printed")
    assert [one_unit().program(*what) for what in OUTPUTS] == first
    with pytest.raises(AttributeError):
        one_unit().program("hessian")


@pytest.mark.parametrize(
    "change",
    [
        {"mean": 2}, {"mean": Symbol("m", positive=True)}, {"mean": Symbol("m", real=True)},
        {"cov": 0.25}, {"cov": 1}, {"others": 3}, {"noise": 1},
        {"noise": Symbol("s", positive=True)}, {"scale": 2}, {"scale": -1},
    ],
    ids=str,
)  # fmt: skip
def test_a_model_that_differs_has_its_own_program(kept, change):
    usual = {what: one_unit().program(*what) for what in OUTPUTS}
    other = one_unit(**change)
    found = {what: other.program(*what) for what in OUTPUTS}
    assert found == {what: one_unit(**change)._printed(what, other.parameters) for what in OUTPUTS}
    assert found != usual


def test_a_kept_program_is_the_one_that_is_derived(kept):
    """Of each model of the documentation, with its parameters in another order, too."""
    for name in ("linear",):
        stated = MODELS[name]()
        for order in (stated.parameters, stated.parameters[::-1]):
            for _ in range(2):
                found = MODELS[name]().program("gradient", parameters=order)
                assert found == stated._printed(("gradient",), order)


class Mine(Function):
    """A function that may be another one tomorrow."""


@pytest.mark.parametrize(
    "change",
    [{"act": tanh}, {"mean": Mine(Symbol("m"))}, {"scale": Function("f")(Symbol("m"))}],
    ids=str,
)
def test_what_the_statement_does_not_tell_is_derived(kept, change):
    """Functions of the user, and means without a closed form."""
    assert one_unit(**change)._terms.content is None


def test_runs_that_are_to_be_fresh_keep_nothing(kept, monkeypatch):
    monkeypatch.setenv("SLRSYM_FRESH", "1")
    one_unit().program("gradient")
    assert not [*kept.glob("slrsym_program_*.txt")]
