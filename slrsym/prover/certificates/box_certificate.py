"""Certificates that a statement holds on a box, and the classes that are believed."""

from __future__ import annotations

from typing import Any, Protocol, TypeGuard, TypeVar, runtime_checkable

from sympy.logic.boolalg import Boolean


@runtime_checkable
class BoxCertificate(Protocol):
    """Protocol of certificates that a statement holds on a box, which may replace a proof."""

    @property
    def box_text(self) -> str:
        """The box of values for which the statement is shown, in words."""

    def reason_not_shown(self, statement: Boolean) -> str:
        """Check a statement on the box; return why it is not shown, or an empty text."""


_T = TypeVar("_T")
_BELIEVED: set[type] = set()


def register_certificate_class(kind: type[_T]) -> type[_T]:
    """Register a class whose certificates may replace proofs."""
    _BELIEVED.add(kind)
    return kind


def is_believed_certificate(found: Any) -> TypeGuard[BoxCertificate]:
    """Return whether an object is a certificate of a registered class, and of no subclass."""
    return type(found) in _BELIEVED and isinstance(found, BoxCertificate)
