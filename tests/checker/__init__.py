"""Tests of the proof checker; the rules of its extension are there for all of them."""

from slrsym.checker.extensions import textbook  # noqa: F401
