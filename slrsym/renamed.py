"""Helpers that keep old names of attributes and functions working, with a warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any


class _OldAttribute:
    """A descriptor that returns the value of the attribute that has replaced an old one."""

    def __init__(self, new: str) -> None:
        self._new = new

    def __set_name__(self, owner: type, name: str) -> None:
        self._old = name

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else self._read(instance, owner)

    def _read(self, thing: Any, owner: type) -> Any:
        told = f"{owner.__name__}.{self._old} is now {owner.__name__}.{self._new}"
        warnings.warn(told, DeprecationWarning, stacklevel=3)
        return getattr(thing, self._new)


def old_attribute(new: str) -> Any:
    """Return a descriptor for an old attribute name, which warns and returns the new attribute."""
    return _OldAttribute(new)


class _OldClassMethod(_OldAttribute):
    """A descriptor that calls the class method that has replaced an old one."""

    def __get__(self, instance: Any, owner: type) -> Callable[..., Any]:
        return lambda *args, **named: self._read(owner, owner)(*args, **named)


def old_class_method(new: str) -> Any:
    """Return a descriptor for an old name of a class method, which warns when it is called."""
    return _OldClassMethod(new)


def getattr_for_old_names(module: str, **names: str) -> Callable[..., Any]:
    """Return a module's `__getattr__` for old names, which warns and returns the new object.

    A `__getattr__` that calls it passes ``stacklevel=3``.
    """

    def find(name: str, stacklevel: int = 2) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        told = f"{module}.{name} is now {module}.{names[name]}"
        warnings.warn(told, DeprecationWarning, stacklevel=stacklevel)
        return getattr(sys.modules[module], names[name])

    return find
