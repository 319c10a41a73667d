"""Why there is no number."""

from __future__ import annotations

__all__ = ["NotALaw", "Undecided"]


class Undecided(Exception):  # noqa: N818
    """A value could not be computed well enough; nothing is said about the statement."""


class NotALaw(ValueError):  # noqa: N818
    """At this point the covariance is not positive semidefinite, or a variance is negative."""
