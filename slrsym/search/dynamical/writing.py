"""Statements about orbits in one line, for SymPy's own printers."""

from __future__ import annotations

from typing import Any

from sympy import Basic, FiniteSet, Tuple, default_sort_key

from slrsym.search.dynamical.maps import BoxMap

__all__ = ["in_latex", "in_text"]


def in_text(statement: Any, printer: Any) -> str:
    """A statement in words, and then what the map and the functions in it are."""
    said = "".join(p if isinstance(p, str) else _text(p, printer) for p in statement.sentence())
    for name, function in statement.definitions:
        place = _list(function.variables, printer)
        said += f", {name}{place} = {_text(function.expr, printer)}"
    map = statement.map
    return f"{said}, {_map_text(map, printer)}" if isinstance(map, BoxMap) else said


def in_latex(statement: Any, printer: Any) -> str:
    """The same in LaTeX, for math mode."""
    parts = [
        rf"\text{{{p}}}" if isinstance(p, str) else _latex(p, printer) for p in statement.sentence()
    ]
    for name, function in statement.definitions:
        place = ", ".join(map(printer._print, function.variables))
        parts.append(rf"\text{{, }} {name}({place}) = {_latex(function.expr, printer)}")
    if isinstance(statement.map, BoxMap):
        parts.append(rf"\text{{, }} {_map_latex(statement.map, printer)}")
    return " ".join(parts)


def _text(piece: Basic, printer: Any) -> str:
    if isinstance(piece, FiniteSet):
        return " or ".join(_list(point, printer) for point in sorted(piece, key=default_sort_key))
    if isinstance(piece, Tuple):
        return _list(piece, printer)
    return str(printer._print(piece))


def _list(parts: Any, printer: Any) -> str:
    return f"({', '.join(printer._print(part) for part in parts)})"


def _map_text(map: Any, printer: Any) -> str:
    ends = " x ".join(f"[{a}, {b}]" for a, b in zip(map.low, map.high, strict=True))
    place, images = _list(map.coordinates, printer), _list(map.images, printer)
    return f"g{place} = {images} on {ends}"


def _latex(piece: Basic, printer: Any) -> str:
    if isinstance(piece, FiniteSet):
        points = [_latex(point, printer) for point in sorted(piece, key=default_sort_key)]
        return r" \text{ or } ".join(points)
    if isinstance(piece, Tuple):
        inner = r",\, ".join(_latex(part, printer) for part in piece)
        return rf"\left({inner}\right)"
    return str(printer._print(piece))


def _map_latex(map: Any, printer: Any) -> str:
    ends = r" \times ".join(
        rf"\left[{printer._print(a)}, {printer._print(b)}\right]"
        for a, b in zip(map.low, map.high, strict=True)
    )
    place, images = (_latex(Tuple(*parts), printer) for parts in (map.coordinates, map.images))
    return rf"g{place} = {images} \text{{ on }} {ends}"
