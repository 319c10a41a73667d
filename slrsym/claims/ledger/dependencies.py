"""Which claims rest on which, through others too, and whether that goes in a circle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["circle", "reachable"]


def reachable(id: str, depends: Mapping[str, Iterable[str]]) -> set[str]:
    """The claims that a claim rests on, through others too."""
    seen: set[str] = set()
    stack = list(depends[id])
    while stack:
        other = stack.pop()
        if other not in seen:
            seen.add(other)
            stack.extend(depends.get(other, ()))
    return seen


def circle(id: str, depends: Mapping[str, Iterable[str]]) -> list[str]:
    """A shortest way from a claim back to itself."""
    paths, seen = [[id]], {id}
    while paths:
        path = paths.pop(0)
        for other in sorted(depends.get(path[-1], ())):
            if other == id:
                return [*path, id]
            if other not in seen:
                seen.add(other)
                paths.append([*path, other])
    return []
