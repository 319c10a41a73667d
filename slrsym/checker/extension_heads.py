"""Heads of terms outside of the default base; an extension enters its own when it is loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

_Term: TypeAlias = tuple[Any, ...]


class ExtensionHead(NamedTuple):
    """A head of an extension: what is checked of a node, and which free symbols are its own."""

    extension: str
    check: Callable[[_Term], object]
    own_symbols: Callable[[_Term], frozenset[_Term]] | None
    # Whether a node is checked again after a substitution, which may make it malformed.
    is_rechecked: bool


EXTENSION_HEADS: dict[str, ExtensionHead] = {}
# By the head of a symbol of an extension: the conditions under which it may have a value.
VALUE_CONDITIONS: dict[str, Callable[[_Term, _Term], list[_Term]]] = {}
