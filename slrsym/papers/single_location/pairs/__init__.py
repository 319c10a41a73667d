"""Pairs of unit vectors that move on spheres: statements, a theorem, and their cross-check."""

from slrsym.papers.single_location.pairs.statements import (
    AlmostEveryPairConvergesTo,
    NullPairs,
    SphereDescent,
)
