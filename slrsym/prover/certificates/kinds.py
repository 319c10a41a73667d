"""Kinds of certificates by name; each paper registers its own."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from slrsym.balls.box_functions import CertificateKind
from slrsym.registry import load_all_registered


def certificate_kinds() -> Mapping[str, CertificateKind]:
    """Return the kinds of certificates that papers have registered, by their names."""
    return dict(
        chain.from_iterable(x.items() for x in load_all_registered("certificates").values())
    )
