"""Registration of the heads of an extension with the language of terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from slrsym.checker.extension_heads import EXTENSION_HEADS, ExtensionHead
from slrsym.checker.term import BINDERS, PARAMETERS, Term, require


def register_head(
    extension: str, head: str, parameters: int, check: Callable[[Term], object], *,
    kinds: Iterable[set[str]] = (), is_binder: bool = False, is_rechecked: bool = False,
    own_symbols: Callable[[Term], frozenset[Term]] | None = None,
) -> None:  # fmt: skip
    """Enter a head of an extension into the language; records have to name the extension."""
    require(head not in PARAMETERS, f"two heads are {head}")
    PARAMETERS[head] = parameters
    EXTENSION_HEADS[head] = ExtensionHead(extension, check, own_symbols, is_rechecked)
    if is_binder:
        BINDERS[head] = parameters
    for kind in kinds:
        kind.add(head)
