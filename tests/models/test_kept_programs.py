"""Programs that are kept in the cache folder: found by the same model alone, and by no other."""

import pytest
from sympy import Dummy, Function, Symbol, tanh

from slrsym.kernels import kept_programs
from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from slrsym.models.definition.canonical_form import definition_of_model
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
    # Of the symbols, too.
    assert len([*kept.glob("slrsym_program_*.txt")]) == len(OUTPUTS) + 1
    for name in ("_printed", "_terms"):
        monkeypatch.delattr(ExactRisk, name)
    again = one_unit()
    assert [again.program(*what) for what in OUTPUTS] == first
    assert again.has_closed_form
    assert again.is_additive
    with pytest.raises(AttributeError):
        one_unit().program("hessian")


@pytest.mark.parametrize("name", ["readme", "tanh"])
def test_symbols_are_kept_as_they_are_derived(kept, monkeypatch, name):
    """With their assumptions and in their order, also of a model without a closed form."""
    derived, text = MODELS[name]()._derived_symbols(), definition_of_model(MODELS[name]()).text
    assert MODELS[name]()._symbols == derived
    assert len([*kept.glob("slrsym_program_*.txt")]) == 1
    monkeypatch.delattr(ExactRisk, "_terms")
    found = MODELS[name]()
    assert (
        found._symbols == derived == (found.order_parameters, found.parameters, found._symbols[2])
    )
    assert definition_of_model(found).text == text


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2], lambda text: "", lambda text: "{}", lambda text: "5",
        lambda text: text.replace("alpha", "beta").replace("0", "1"),
        lambda text: text.partition("\n")[2],
    ],
)  # fmt: skip
def test_a_damaged_file_is_derived_anew(kept, damage):
    first = one_unit().program("gradient")
    whole = {}
    for file in kept.glob("slrsym_program_*.txt"):
        whole[file] = file.read_text(encoding="utf-8")
        file.write_text(damage(whole[file]), encoding="utf-8")
    assert one_unit().program("gradient") == first
    assert {file: file.read_text(encoding="utf-8") for file in whole} == whole


def test_a_file_of_another_model_is_not_taken(kept):
    """Also where it lies under the name of this one, and is whole."""
    other = one_unit(others=5).program("gradient")
    foreign = {
        file.stat().st_size: file for file in kept.iterdir() if "def constants" in file.read_text()
    }
    (file,) = foreign.values()
    text = file.read_text(encoding="utf-8")
    before = {*kept.iterdir()}
    first = one_unit().program("gradient")
    for file in {*kept.iterdir()} - before:
        file.write_text(text, encoding="utf-8")
    assert one_unit().program("gradient") == first != other


def test_bytes_that_are_no_text_are_derived_anew(kept):
    first = one_unit().program("gradient")
    for file in kept.iterdir():
        file.write_bytes(b"\xff\xfe\x00" * 50)
    assert one_unit().program("gradient") == first


def test_a_change_of_the_package_derives_anew(kept, monkeypatch):
    one_unit().program("gradient")
    count = len([*kept.iterdir()])
    monkeypatch.setattr(kept_programs, "_package", lambda: "another one")
    one_unit().program("gradient")
    assert len([*kept.iterdir()]) == 2 * count


@pytest.mark.parametrize(
    "change",
    [
        {"mean": 2}, {"mean": Symbol("m", positive=True)}, {"mean": Symbol("m", real=True)},
        {"cov": 0.25}, {"cov": 1}, {"others": 3}, {"noise": 1},
        {"noise": Symbol("s", positive=True)}, {"scale": 2}, {"scale": -1}, {"act": tanh},
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
    [
        {"act": lambda z: Mine(z)}, {"mean": Mine(Symbol("m"))}, {"mean": Dummy("m", real=True)},
        {"scale": Function("f")(Symbol("m"))},
    ],
    ids=["a function", "an object", "a dummy", "an unknown function"],
)  # fmt: skip
def test_what_the_statement_does_not_tell_is_derived(kept, change):
    """Functions of the user, which may change, and symbols of one process."""
    assert definition_of_model(one_unit(**change)) is None


def test_runs_that_are_to_be_fresh_keep_nothing(kept, monkeypatch):
    monkeypatch.setenv("SLRSYM_FRESH", "1")
    one_unit().program("gradient")
    assert not [*kept.glob("slrsym_program_*.txt")]
