"""Theorems of the checker's extension on vectors, as rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slrsym.papers.single_location.bayes_risk import conditional_risk_hypotheses
from slrsym.papers.single_location.pairs.theorem import from_overlaps_and_edges_hypotheses
from slrsym.prover.rules.theorems import OrbitTheorem


def _map_slopes_and_edges(values: Mapping[str, Any]) -> list[Any]:
    """Return what the checker's schema asks for: the map on the square and on its four edges."""
    planar = values["planar"]
    edges = [planar.face(x, end) for x in planar.coordinates for end in (1, -1)]
    return [planar, values["slopes"], *edges]


THEOREMS = (
    # The law of the noise is part of the sentence.
    OrbitTheorem("conditional-risk", conditional_risk_hypotheses, lambda values: ()),
    OrbitTheorem(
        "from-overlaps-and-edges", from_overlaps_and_edges_hypotheses, _map_slopes_and_edges
    ),
)
