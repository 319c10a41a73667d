"""Late-binding registry of printers and compiled functions that are defined in higher layers.

An object that prints itself asks for its printer here by name. The top of the package says where
each is found, and nothing is loaded before it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

_PLACES: dict[str, str] = {}


def register(places: Mapping[str, str]) -> None:
    """Say where things are found, each as the dotted name of a module and a name in it."""
    _PLACES.update(places)


def dotted_name(name: str) -> str:
    """Return the full dotted name of a registered object."""
    return _PLACES[name]


def load_registered(name: str) -> Any:
    """Import a registered object."""
    module, _, inside = dotted_name(name).rpartition(".")
    return getattr(import_module(module), inside)
