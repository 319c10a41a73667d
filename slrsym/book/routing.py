"""Ways for the arrows of a graph between the nodes of the rows that they cross."""

from __future__ import annotations

from collections.abc import Mapping

from slrsym.book.graph import Graph, apart

__all__ = ["routed"]

Edge = tuple[str, str]


def routed(
    graph: Graph,
    places: Mapping[str, tuple[float, float]],
    reach: float,
    ends: tuple[float, float],
    beside: float,
) -> dict[Edge, list[tuple[float, float]]]:
    """Where each arrow crosses the rows between its ends, so that it goes behind no node."""
    rows = {node.id: node.row for node in graph.nodes}
    middles = {node.row: places[node.id][1] for node in graph.nodes}
    crossing: dict[int, list[tuple[float, Edge]]] = {}
    for edge in graph.edges:
        (x, _), (right, _) = (places[id] for id in edge)
        first, last = (rows[id] for id in edge)
        for row in range(first + 1, last):
            along = (row - first) / (last - first)
            crossing.setdefault(row, []).append((x + (right - x) * along, edge))
    ways: dict[Edge, list[tuple[float, float]]] = {edge: [] for edge in graph.edges}
    for row in sorted(crossing):
        nodes = sorted(places[node.id][0] for node in graph.nodes if node.row == row)
        sides = [ends[0], *(x + side * reach for x in nodes for side in (-1, 1)), ends[1]]
        gaps = list(zip(sides[::2], sides[1::2], strict=True))
        inside: dict[tuple[float, float], list[tuple[float, Edge]]] = {}
        for wanted, edge in sorted(crossing[row]):
            gap = min(gaps, key=lambda g: abs(wanted - min(max(wanted, g[0]), g[1])))
            inside.setdefault(gap, []).append((wanted, edge))
        for (left, right), members in inside.items():
            near = [min(max(wanted, left), right) for wanted, _ in members]
            gap_width = min(beside, (right - left) / len(members))
            for x, (_, edge) in zip(apart(near, left, right, gap_width), members, strict=True):
                ways[edge].append((x, middles[row]))
    return ways
