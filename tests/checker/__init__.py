"""Tests of the proof checker; the rules of its extensions are there for all of them."""

from slrsym.checker.extensions import textbook, vectors  # noqa: F401
