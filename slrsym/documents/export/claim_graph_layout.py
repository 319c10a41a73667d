"""Layout of the dependency graph of claims in rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

# How often the rows are sorted by the places of their neighbours.
_SWEEPS = 8


@dataclass(frozen=True)
class GraphNode:
    """A node of the dependency graph: a claim, with its row and column in the layout."""

    id: str
    column: float
    row: int


@dataclass(frozen=True)
class ClaimGraph:
    """The dependency graph of claims, with an arrow from each claim to those that use it."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[tuple[str, str], ...]
    columns: int
    rows: int


def arrange_graph(depends: Mapping[str, Sequence[str]], columns: int = 6) -> ClaimGraph:
    """Return a dependency graph laid out in rows, so that arrows point down and seldom cross."""
    if columns < 1:
        raise ValueError(f"columns must be at least 1; got {columns}")
    used = {id: [d for d in dict.fromkeys(below) if d in depends] for id, below in depends.items()}
    levels = _levels(used)
    edges = [(d, id) for id, below in _transitive_reduction(used).items() for d in below]
    touched = {id for edge in edges for id in edge}
    alone = [id for id in used if id not in touched]
    ranks: dict[int, list[str]] = {}
    for id in used:
        if id in touched:
            ranks.setdefault(levels[id], []).append(id)
    order = [ranks[level] for level in sorted(ranks)]
    neighbours: dict[str, list[str]] = {}
    for one, other in edges:
        neighbours.setdefault(one, []).append(other)
        neighbours.setdefault(other, []).append(one)
    _untangle(order, neighbours)
    rows = [part for rank in order for part in _wrapped(rank, columns)]
    places = _placed(rows, neighbours, columns)
    rows += _wrapped(alone, columns)
    for row in rows:
        gap = columns / len(row)
        for place, id in enumerate(row):
            places.setdefault(id, gap * (place + 0.5))
    nodes = [GraphNode(id, places[id], number) for number, row in enumerate(rows) for id in row]
    return ClaimGraph(tuple(nodes), tuple(edges), columns, len(rows))


def _levels(used: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return a row number for each claim, greater than those of claims it uses; cut cycles."""
    levels: dict[str, int] = {}

    def level(id: str, above: frozenset[str]) -> int:
        if id not in levels:
            below = [d for d in used[id] if d not in above]
            levels[id] = 1 + max((level(d, above | {id}) for d in below), default=-1)
        return levels[id]

    for id in used:
        level(id, frozenset({id}))
    # What is used once, and late, stands where it is used.
    users: dict[str, list[str]] = {}
    for id, below in used.items():
        for d in below:
            users.setdefault(d, []).append(id)
    for id in sorted(users, key=levels.__getitem__, reverse=True):
        levels[id] = max(levels[id], min(levels[user] for user in users[id]) - 1)
    return levels


def _transitive_reduction(used: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Remove dependencies that follow from others (transitive reduction)."""
    reach: dict[str, set[str]] = {}

    def below(id: str) -> set[str]:
        if id not in reach:
            reach[id] = set()
            reach[id] = {x for d in used[id] for x in (d, *below(d))}
        return reach[id]

    return {
        id: [d for d in ds if not any(d in below(other) for other in ds if other != d)]
        for id, ds in used.items()
    }


def _untangle(order: list[list[str]], neighbours: Mapping[str, list[str]]) -> None:
    """Sort each rank of claims by the mean places of those with which arrows connect them."""
    for _ in range(_SWEEPS):
        places = {id: (n + 0.5) / len(rank) for rank in order for n, id in enumerate(rank)}
        for rank in order:
            middles = {
                id: sum(places[o] for o in neighbours[id]) / len(neighbours[id]) for id in rank
            }
            rank.sort(key=middles.__getitem__)
            places |= {id: (n + 0.5) / len(rank) for n, id in enumerate(rank)}


def _wrapped(rank: list[str], columns: int) -> list[list[str]]:
    """Split a row of claims into as many rows as needed for a given number of columns."""
    count = -(-len(rank) // columns)
    return [rank[number::count] for number in range(count)]


def _placed(
    rows: list[list[str]], neighbours: Mapping[str, list[str]], columns: int
) -> dict[str, float]:
    """Return each claim's horizontal position, near the claims with which arrows connect it."""
    places = {
        id: columns * (place + 0.5) / len(row) for row in rows for place, id in enumerate(row)
    }
    for _ in range(_SWEEPS):
        for row in [*rows, *reversed(rows)]:
            wanted = {id: fmean(places[other] for other in neighbours[id]) for id in row}
            row.sort(key=wanted.__getitem__)
            there = space_nodes_apart([wanted[id] for id in row], 0.5, columns - 0.5)
            places |= zip(row, there, strict=True)
    return places


def space_nodes_apart(
    wanted: Sequence[float], least: float, most: float, gap: float = 1.0
) -> list[float]:
    """Return ordered positions closest to wanted ones, within limits, at least a gap apart."""
    # Shifted by their numbers, the places only have to be in order: isotonic regression.
    pools: list[tuple[float, int]] = []
    for place, value in enumerate(wanted):
        mean, count = value - gap * place, 1
        while pools and pools[-1][0] >= mean:
            before, more = pools.pop()
            mean, count = (before * more + mean * count) / (more + count), more + count
        pools.append((mean, count))
    most -= gap * (len(wanted) - 1)
    flat = [max(min(mean, most), least) for mean, count in pools for _ in range(count)]
    return [value + gap * place for place, value in enumerate(flat)]


Edge = tuple[str, str]


def route_arrows(
    graph: ClaimGraph,
    places: Mapping[str, tuple[float, float]],
    reach: float,
    ends: tuple[float, float],
    beside: float,
) -> dict[Edge, list[tuple[float, float]]]:
    """Return each arrow's path as points that lead it between the nodes of rows it crosses."""
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
            for x, (_, edge) in zip(
                space_nodes_apart(near, left, right, gap_width), members, strict=True
            ):
                ways[edge].append((x, middles[row]))
    return ways
