"""Import paths of printers and compiled functions, by name, imported on first use.

An object that prints itself asks for its printer here by name. The top of the package says where
each is found, and papers say where their kinds of certificates are. Nothing is loaded before it is
asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

_PLACES: dict[str, str] = {}


def register(places: Mapping[str, str]) -> None:
    """Register names of objects to import on demand, each with the object's dotted path."""
    _PLACES.update(places)


def dotted_name(name: str) -> str:
    """Return the dotted name (module and attribute) of a registered object."""
    return _PLACES[name]


def load_registered(name: str) -> Any:
    """Import the object that is registered under a name, and return it."""
    return resolve_dotted_name(dotted_name(name))


def resolve_dotted_name(path: str) -> Any:
    """Import the module of a dotted path, and return what is in it under the last name."""
    module, _, inside = path.rpartition(".")
    return getattr(import_module(module), inside)


def imported_on_call(path: str) -> Callable[..., Any]:
    """Return a function that imports the function at a dotted path when it is called."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return resolve_dotted_name(path)(*args, **kwargs)

    return function


def load_all_registered(kind: str) -> dict[str, Any]:
    """Import what is registered under all names that begin with a word and a dot.

    They are returned by the rest of their names, in the order in which they were registered.
    """
    return {
        name.removeprefix(f"{kind}."): load_registered(name)
        for name in tuple(_PLACES)
        if name.startswith(f"{kind}.")
    }
