"""Functions as commands: their exit codes, their messages about wrong values, and their help."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from contextlib import suppress
from textwrap import dedent
from typing import Any

from slrsym.cli.option_values import read_values_in_own_words
from slrsym.cli.shared import errors_as_exit_codes


def as_command(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that Typer can call as a command.

    Its errors become exit codes, wrong numbers and choices get messages in the words of the
    program, and its help is its docstring.
    """
    command = errors_as_exit_codes()(function)
    command.__doc__ = function.__doc__ or _docstring_in_source(function)
    read_values_in_own_words(command)
    return command


def _docstring_in_source(function: Callable[..., Any]) -> str | None:
    """Return the docstring in a function's file, as ``python -OO`` takes it from the function."""
    with suppress(OSError, TypeError, SyntaxError):
        (written,) = ast.parse(dedent(inspect.getsource(function))).body
        if isinstance(written, ast.FunctionDef):
            return ast.get_docstring(written)
    return None
