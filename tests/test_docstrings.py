"""What is public says what it takes: every parameter is named in a docstring of numpydoc's form."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from sympy import Basic

import slrsym
from slrsym import cli

# What is left out, and why; everything else that is public is looked at.
# What SymPy calls by these names: the docstring of the class says what the function is.
SYMPY_PROTOCOL = {"doit", "eval", "fdiff", "taylor_term"}
# The docstring of a command is its help text, and each parameter has its own.
COMMANDS = {
    command.callback
    for group in (cli.app, *(found.typer_instance for found in cli.app.registered_groups))
    for command in group.registered_commands
}

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(slrsym.__path__, "slrsym.")
    if not module.name.startswith("slrsym.derivations")  # claims, in an installed package
)


class Public(NamedTuple):
    """Something public: its name, its docstring, its parameters, where they may be described."""

    name: str
    doc: str
    parameters: frozenset[str]
    sections: tuple[str, ...]

    @property
    def faults(self) -> list[str]:
        """What is wrong with the docstring."""
        if not self.doc.strip():
            return [f"{self.name} has no docstring"]
        named = set().union(*(names_in(self.doc, section) for section in self.sections))
        missing = [f"{self.name} does not describe {p}" for p in self.parameters - named]
        # A class may have more attributes, and a SymPy function says what it is applied to.
        surplus = named - self.parameters if self.sections == ("Parameters",) else ()
        gone = [f"{self.name} describes {p}, which is no parameter" for p in surplus]
        return sorted(missing + gone)


def names_in(doc: str, section: str) -> set[str]:
    """The names that a section of a docstring describes, stars left out.

    A section goes from its underlined title to the next one. Its entries are the lines that are not
    indented: names, separated by commas, and after a colon their type.
    """
    following = r"(?=^\S[^\n]*\n---+$|\Z)"
    pattern = rf"^{section}\n---+\n(.*?){following}"
    body = re.search(pattern, inspect.cleandoc(doc), re.DOTALL | re.MULTILINE)
    entries = re.findall(r"^\S.*$", body[1], re.MULTILINE) if body else []
    names = (name for entry in entries for name in entry.split(" : ")[0].split(","))
    return {name.strip().lstrip("*") for name in names}


def parameters_of(function: Any) -> frozenset[str]:
    """The parameters that a caller gives; those that begin with an underscore are internal."""
    names = list(inspect.signature(function).parameters)
    if names[:1] in (["self"], ["cls"]):
        names = names[1:]
    return frozenset(name for name in names if not name.startswith("_"))


def documented(cls: type, name: str, doc: str | None) -> str:
    """The docstring of a method, or that of the method of the package that it overrides."""
    for base in cls.__mro__[1:]:
        if not doc and base.__module__.startswith("slrsym") and name in vars(base):
            doc = getattr(vars(base)[name], "__doc__", None)
    return doc or ""


def constructor_of(cls: type) -> Any:
    """The method that says how a class is made, or None where that is one of a library."""
    maker = next(c for c in cls.__mro__ if {"__init__", "__new__"} & set(vars(c)))
    if not maker.__module__.startswith("slrsym"):
        return None
    method = vars(maker).get("__init__") or inspect.unwrap(vars(maker)["__new__"])
    # What Python itself puts into a protocol or an enumeration is not the package's.
    return None if method.__module__ in ("typing", "enum") else method


def public_methods(cls: type) -> Iterator[Public]:
    for name, member in vars(cls).items():
        function = inspect.unwrap(getattr(member, "__func__", member))
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        if name in getattr(cls, "__dataclass_fields__", {}):
            continue  # the default of a field that holds a function
        if issubclass(cls, Basic) and name in SYMPY_PROTOCOL:
            continue
        doc = documented(cls, name, function.__doc__)
        yield Public(f"{cls.__name__}.{name}", doc, parameters_of(function), ("Parameters",))


def public_things(module: Any) -> Iterator[Public]:
    """The functions, classes and methods that a module defines under names without underscore."""
    for name, thing in vars(module).items():
        if name.startswith("_") or getattr(thing, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(thing):
            maker, doc = constructor_of(thing), vars(thing).get("__doc__") or ""
            taken = parameters_of(maker) if maker else frozenset()
            yield Public(name, doc, taken, ("Parameters", "Attributes"))
            yield from public_methods(thing)
        elif inspect.isfunction(inspect.unwrap(thing)):
            taken = frozenset() if thing in COMMANDS else parameters_of(thing)
            yield Public(name, thing.__doc__ or "", taken, ("Parameters",))


@pytest.mark.parametrize("name", MODULES)
def test_parameters_are_described(name):
    module = importlib.import_module(name)
    faults = [fault for thing in public_things(module) for fault in thing.faults]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


# -- the test itself ---------------------------------------------------------------------------


def faults_of(function: Any) -> list[str]:
    doc = function.__doc__ or ""
    return Public(function.__name__, doc, parameters_of(function), ("Parameters",)).faults


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


def test_the_walk_meets_what_it_should():
    walked = {
        thing.name for name in MODULES for thing in public_things(importlib.import_module(name))
    }
    # A function, a cached one, a decorated one; classes of four kinds; methods of three kinds.
    assert {"expectation", "closed_form", "collecting"} <= walked
    assert {"Task", "OrderParameters", "GaussianLaw", "Evaluator"} <= walked
    assert {"Ledger.verify", "Ledger.load", "Proof.require"} <= walked
    assert not any(name.split(".")[-1].startswith("_") for name in walked)
