"""Kinds of certificates by name; each paper registers its own."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from slrsym.balls.box_functions import CertificateKind
from slrsym.prover.claims.papers import registered_by_papers


def certificate_kinds() -> Mapping[str, CertificateKind]:
    """Return the kinds of certificates of all papers, by their names."""
    return dict(
        chain.from_iterable(x.items() for x in registered_by_papers("certificates").values())
    )
