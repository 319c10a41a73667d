"""What `test_docstrings` looks for is found: docstrings that lack it are told apart."""

from __future__ import annotations

import importlib
import inspect
import sys
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from slrsym.kernels.arguments import require_integer
from slrsym.prover.statements.expressions import Refused

from . import _public
from ._public import (
    Public,
    constructors_of,
    is_array,
    methods_of,
    reference,
    things_of,
    undescribed_properties_of,
)
from ._raises import raised
from .test_docstrings import SOURCE, names_a_source, without_source

Row = NDArray[np.float64]


def faults_of(thing: Any) -> list[str]:
    doc = inspect.getdoc(thing) or ""
    if inspect.isclass(thing):
        return Public(thing.__name__, doc, tuple(constructors_of(thing)), thing).faults
    return Public(thing.__name__, doc, (thing,)).faults


# -- parameters --------------------------------------------------------------------------------


def test_a_missing_docstring_is_noticed():
    def silent(x): ...

    assert faults_of(silent) == ["silent has no docstring"]


def test_a_parameter_that_is_not_described_is_noticed():
    def half(x, *rest, y):
        """Half of them.

        Parameters
        ----------
        x : int
            Unlike y : float.

        Returns
        -------
        y : int
            Not a parameter here.
        """

    assert faults_of(half) == ["half does not describe rest", "half does not describe y"]


def test_a_parameter_that_is_gone_is_noticed():
    def renamed(x, y):
        """All of them, and one more.

        Parameters
        ----------
        x, y : int
            Two numbers.
        *z : int
            More.
        """

    assert faults_of(renamed) == ["renamed describes z, which is no parameter"]


# -- shapes ------------------------------------------------------------------------------------


def test_an_array_without_a_shape_is_noticed():
    def scaled(values: ArrayLike, rows: Row | None, x, keep) -> Row:
        """Scale them.

        Parameters
        ----------
        values : array_like
            Numbers.
        rows : ndarray, shape (n, 5)
        x : ndarray of int
            How many.
        keep : callable
            Takes the numbers.

        Returns
        -------
        ndarray
            Scaled.
        """

    assert faults_of(scaled) == [
        "scaled does not say the shape of values",
        "scaled does not say the shape of x",
        "scaled does not say the shape of what it returns",
    ]


def test_an_attribute_that_is_an_array_has_a_shape():
    class Found:
        """Something found.

        Attributes
        ----------
        values : the numbers
        name : str
        """

        values: NDArray[np.float64]
        name: str

    assert faults_of(Found) == ["Found does not say the shape of values"]


@pytest.mark.parametrize(
    ("annotation", "is_one"),
    [
        ("NDArray[np.float64]", True),
        ("float | ArrayLike | None", True),
        ("np.ndarray", True),
        ("Row", True),
        ("Callable[[NDArray[np.float64]], float]", False),
        ("dict[str, Row]", False),
        ("Rows", False),
    ],
)
def test_which_annotations_are_of_arrays(annotation, is_one):
    assert is_array(annotation, {"Row": Row, "Rows": list[Row]}) is is_one


# -- properties --------------------------------------------------------------------------------


def test_properties_without_a_docstring_are_noticed():
    class Box:
        __module__ = "slrsym.boxes"

        @property
        def volume(self):
            """The volume."""

        @property
        def width(self): ...

        @cached_property
        def height(self): ...

        @property
        def _inner(self): ...

    class Cube(Box):
        __module__ = "slrsym.boxes"

        @property
        def volume(self): ...

    said = ["Cube.height has no docstring", "Cube.width has no docstring"]
    assert [*undescribed_properties_of(Cube)] == said


# -- results -----------------------------------------------------------------------------------


def test_what_is_returned_is_described():
    class Box:
        """A box."""

        def volume(self) -> float:
            """The volume."""

        def cut(self) -> tuple[Box, Box]:
            """Cut it.

            The cut is in the middle.
            """

        def scaled(self, by) -> Box:
            """The box, scaled.

            Parameters
            ----------
            by : float
            """

        def corners(self) -> Iterator[float]:  # noqa: F821
            """The corners.

            Yields
            ------
            float
            """

        def close(self, at) -> None:
            """Close it.

            Parameters
            ----------
            at : float
            """

    assert [fault for method in methods_of(Box) for fault in method.faults] == [
        "Box.cut does not say what it returns",
        "Box.scaled does not say what it returns",
    ]


# -- errors ------------------------------------------------------------------------------------


class OwnError(ValueError):
    """An error of this module."""


def _private(x: int) -> None:
    if x:
        raise KeyError(x)


def require_even(x: int) -> None:
    if x % 2:
        raise Refused(x)


def _outer(x: int) -> None:
    _middle(x)


def _middle(x: int) -> None:
    _private(x)


class Several:
    """Methods that raise in several ways; they are looked at, and not called."""

    def __init__(self, x: int) -> None:
        require_integer("x", x, 1)

    def directly(self, x):
        raise OwnError(x)

    def bare(self):
        raise TypeError

    def by_a_private_function(self, x):
        _private(x)

    def two_calls_deep(self, x):
        _middle(x)

    def three_calls_deep(self, x):
        _outer(x)

    def by_a_method(self, x):
        return self._method(x)

    def _method(self, x):
        raise OverflowError(x)

    def what_is_caught(self, x):
        try:
            _private(x)
            raise OwnError
        except (ValueError, LookupError):
            return

    def caught_as_something_else(self, x):
        try:
            _private(x)
        except KeyError:
            raise OwnError from None

    def one_of_two_caught(self, x):
        try:
            _private(x)
        except ValueError:
            return

    def inside_another(self):
        def later():
            raise OSError

        return later

    def impossible(self):
        raise AssertionError("never")

    def abstract(self):
        """Left to others."""
        raise NotImplementedError

    def partly_abstract(self, x):
        if x:
            return x
        raise NotImplementedError

    def imported_here(self, x):
        from slrsym.papers.single_location.dynamics.runs import require_writable

        require_writable(x)

    def by_a_module(self, x):
        _public.inspect.getsource(x)
        sys.exit(x)


@pytest.mark.parametrize(
    ("name", "errors"),
    [
        ("__init__", {ValueError}),
        ("directly", {OwnError}),
        ("bare", {TypeError}),
        ("by_a_private_function", {KeyError}),
        ("two_calls_deep", {KeyError}),
        ("three_calls_deep", set()),
        ("by_a_method", {OverflowError}),
        ("what_is_caught", set()),
        ("caught_as_something_else", {OwnError}),
        ("one_of_two_caught", {KeyError}),
        ("inside_another", set()),
        ("impossible", set()),
        ("abstract", set()),
        ("partly_abstract", {NotImplementedError}),
        ("imported_here", {ValueError}),
        ("by_a_module", set()),
    ],
)
def test_what_is_raised_is_found(name, errors):
    assert raised(vars(Several)[name]) == errors


def divided(x: int, y: int) -> None:
    """Divide them.

    Parameters
    ----------
    x, y : int

    Raises
    ------
    ArithmeticError
        If y is 0.
    ValueError
    """
    if y == 0:
        raise ZeroDivisionError
    if x == 0:
        raise OwnError
    require_even(x)


def test_errors_that_are_not_described_are_noticed():
    assert faults_of(divided) == [
        "divided does not say that it raises Refused",
        "divided does not say when it raises ValueError",
    ]


# -- sources -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "doc",
    [
        "By Proposition 9.",
        "It is that of equation (14).",
        "As in figures 4(a) and 5.",
        "Rudin, Principles of Mathematical Analysis, 3rd ed., Thm 5.11",
        "That of Wilson (1927).",
        "The claim ``zeta-owens-t`` says so.",
        "Rests on the axiom ``fubini``.",
    ],
)
def test_what_is_a_source(doc):
    assert names_a_source(doc)


@pytest.mark.parametrize(
    "doc", ["A lemma.", "In (1) and 2.", "Of 1927 runs.", "Of ``slrsym``, ``no-such-claim``.", ""]
)
def test_what_is_none(doc):
    assert not names_a_source(doc)


def test_a_name_without_a_source_is_noticed():
    class Package:
        __all__ = ["Several"]

    Package.Several = type("Several", (), {"__module__": "slrsym.files", "__doc__": "A thing."})
    assert without_source(Package) == {"Several"}
    Package.Several.__doc__ = "By Theorem 5."
    assert not without_source(Package)


# -- the walk ----------------------------------------------------------------------------------


def test_the_walk_meets_what_it_should():
    walked = {
        thing.name
        for name in reference().PACKAGES
        for thing in things_of(importlib.import_module(name))
    }
    # A function, a cached one, a decorated one; classes of four kinds; methods of three kinds.
    assert {"expectation", "builtin_ledger", "chain"} <= walked
    assert {"Task", "OrderParameters", "GaussianLaw", "Estimate"} <= walked
    assert {"Ledger.verify", "Ledger.load", "Proof.require"} <= walked
    assert not any(name.split(".")[-1].startswith("_") for name in walked)
    assert SOURCE.search(
        inspect.getdoc(
            importlib.import_module("slrsym.papers.single_location.dynamics.initial_conditions")
        )
    )
