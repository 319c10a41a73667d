"""What can go wrong with a proof, each with its own name."""

from __future__ import annotations

__all__ = ["ProofError", "Refused"]


class ProofError(Exception):
    """A proof is malformed: it does not speak of what it should, or uses an unknown name."""


class Refused(Exception):  # noqa: N818
    """A rule does not justify the step it was given for."""
