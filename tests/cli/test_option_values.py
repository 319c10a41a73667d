"""Wrong numbers and choices on the command line: each is named, with what is allowed."""

import inspect
import os
import subprocess
import sys
from enum import Enum

import pytest
import typer
from typer.models import ParameterInfo

from slrsym.cli.option_values import choice, integer_from_text, number_from_text
from tests._cli import PAPER, refused, run
from tests._profile import thorough_only
from tests.cli.test_help import COMMANDS

KINDS = {int: "an integer", float: "a number"}


def numbers():
    """Yield a command, an option of it, its kind of number, and how Typer declares it."""
    for name, command in COMMANDS.items():
        options = {parameter.name: parameter.opts[0] for parameter in command.params}
        for parameter in inspect.signature(command.callback, eval_str=True).parameters.values():
            values, *rest = getattr(parameter.annotation, "__args__", (None,))
            rest += getattr(parameter.annotation, "__metadata__", ())
            kinds = {values, *getattr(values, "__args__", ())} & set(KINDS)
            for kind in kinds:
                (info,) = (x for x in rest if isinstance(x, ParameterInfo))
                yield name, options[parameter.name], kind, info, values


NUMBERS = [*numbers()]


def test_there_are_numbers_of_many_commands():
    assert len(NUMBERS) > 50
    assert len({name for name, *_ in NUMBERS}) > 15


@pytest.mark.parametrize(
    ("name", "option", "kind", "info", "values"),
    [pytest.param(*one, id=f"{one[0]} {one[1]}") for one in NUMBERS],
)
def test_a_wrong_number_is_named_in_words_of_the_program(name, option, kind, info, values):
    wrong = ["abc", *(["1.5"] if kind is int else [])]
    wrong += [] if info.min is None else [str(info.min - 1)]
    wrong += [] if info.max is None else [str(info.max + 1)]
    for text in wrong:
        given = (text, "1") if values == tuple[float, float] else (text,)
        told = f"Invalid value for '{option}': must be {KINDS[kind]}", f"got {text!r}"
        refused(run(*name.split(), option, *given), *told)


@pytest.mark.parametrize(
    ("text", "least", "message"),
    [
        ("1e3", 1, "must be an integer of at least 1, in digits, such as 1000; got '1e3'"),
        ("1e400", None, "must be an integer; got '1e400'"),
        ("1e30", None, "must be an integer, in digits; got '1e30'"),
        ("", 1, "must be an integer of at least 1; got ''"),
        ("5,6", 1, "got '5,6'; call the command once for each of several"),
    ],
)
def test_integers(text, least, message):
    with pytest.raises(typer.BadParameter) as error:
        integer_from_text(text, least)
    assert error.value.message.endswith(message)


@pytest.mark.parametrize("text", ["nan", "-0.1", "1.1", "inf", "1/2"])
def test_numbers_between_two_ends(text):
    with pytest.raises(typer.BadParameter) as error:
        number_from_text(text, 0, 1)
    assert error.value.message == f"must be a number of at least 0 and at most 1; got {text!r}"
    assert number_from_text("1", 0, 1) == 1


def test_choices():
    class Format(Enum):
        PDF, PNG = "pdf", "png"

    assert choice("png", Format) is Format.PNG
    with pytest.raises(typer.BadParameter) as error:
        choice("pnq", Format)
    assert error.value.message == "must be one of pdf, png; got 'pnq'; did you mean png?"
    refused(run("figure", "6", "--format", "gif"), "must be one of pdf, png, svg; got 'gif'")
    refused(run("figure", "66"), "must be one of 1, 2, 3,", "got '66'; did you mean 6?")


def test_settings_of_a_task_are_options_of_their_own():
    for given in (["--set", "d=100,200"], ["--set=d=100,200"]):
        refused(
            run(*PAPER, "landscape", *given),
            "Invalid value for --set: here each parameter has an option of its own, such as "
            f"--d 100; got {' '.join(given)}",
        )
    refused(run(*PAPER, "certify", "rates", "--set"), "--set: here each", "got --set")
    refused(run("figure", "all", "--set", "d=1,2"), "named, not for all; got d=1,2")


@pytest.mark.parametrize("given", [("--lam", "1e300"), ("--alpha", "1e300"), ("--gamma", "1e140")])
def test_a_portrait_whose_steps_overflow(given, tmp_path):
    file = tmp_path / "portrait.html"
    refused(run(*PAPER, "portrait", "-o", file, *given), "no step overflows; got lam = ")
    assert not file.exists()


# Of Python's option alone: the help itself is that of other tests.
@thorough_only
def test_without_docstrings_the_help_is_the_same():
    """As by python -OO, which takes them from functions."""

    def said(**given):
        done = subprocess.run(
            [sys.executable, "-m", "slrsym", "--help"],
            env=os.environ | given, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout

    assert said(PYTHONOPTIMIZE="2") == said()
