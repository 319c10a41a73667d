"""Where long formulas are broken into several lines."""

from __future__ import annotations

from dataclasses import dataclass, replace

from slrsym.typeset.boxes import Box, Fence, Operator, Row, Script, Space, row

__all__ = ["Line", "broken", "widest"]

# What a line costs, what it costs to break inside of brackets, once for each pair, and how much
# unused room weighs.
_LINE, _INSIDE, _RAGGED = 1.0, 0.45, 0.5
_OVERFULL = 1000.0
# How far continuation lines stand to the right, and how much further for each bracket, in em.
_INDENT, _DEEPER = 2.0, 1.0
_MOST_INDENT = 5.0
# Breaking between factors, or after a comma, is as bad as breaking inside of so many brackets.
_RELUCTANT = 2
_TIMES = Operator("cdot")


@dataclass(frozen=True)
class Line:
    """One line of a broken formula."""

    box: Box
    indent: float = 0.0


@dataclass(frozen=True)
class _Piece:
    box: Box
    depth: int
    breaks: bool


def broken(box: Box, width: float) -> list[Line]:
    """A formula in as few lines as its width needs, broken where it reads best."""
    if box.width <= width:
        return [Line(box)]
    pieces = _pieces(box, 0)
    starts = [0, *(i for i, piece in enumerate(pieces) if piece.breaks and i > 0), len(pieces)]
    lengths = [0.0]
    for piece in pieces:
        lengths.append(lengths[-1] + piece.box.width)
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, len(starts)):
        options = []
        for begin in range(end):
            used = _indent(pieces, starts[begin]) + lengths[starts[end]] - lengths[starts[begin]]
            used += sum(sign.width for sign in _sign(pieces, starts[begin]))
            cost = best[begin][0] + _LINE + _INSIDE * _depth(pieces, starts[begin])
            if used > width:
                cost += _OVERFULL * (used - width)
            elif end < len(starts) - 1:
                cost += _RAGGED * ((width - used) / width) ** 2
            options.append((cost, begin))
        best.append(min(options))
    ends = []
    place = len(starts) - 1
    while place > 0:
        ends.append(place)
        place = best[place][1]
    lines, begin = [], 0
    for end in reversed(ends):
        chosen = pieces[starts[begin] : starts[end]]
        parts = [*_sign(pieces, starts[begin]), *(p.box for p in chosen)]
        lines.append(Line(row(parts), _indent(pieces, starts[begin])))
        begin = end
    return lines


def _sign(pieces: list[_Piece], at: int) -> list[Box]:
    """What a line begins with if it goes on with a factor: a dot, if there is none."""
    if not at or not isinstance(pieces[at].box, Space) or at + 1 == len(pieces):
        return []
    around = (pieces[at - 1].box, pieces[at + 1].box)
    return [] if any(isinstance(box, Operator) for box in around) else [_TIMES]


def _depth(pieces: list[_Piece], at: int) -> int:
    return pieces[at].depth if at else 0


def _indent(pieces: list[_Piece], at: int) -> float:
    return min(_INDENT + _DEEPER * pieces[at].depth, _MOST_INDENT) if at else 0.0


def _pieces(box: Box, depth: int) -> list[_Piece]:
    """The parts of a formula between which lines may be broken."""
    match box:
        case Row(parts):
            return [piece for part in parts for piece in _pieces(part, depth)]
        case Fence(breaks=True) if _has_break(box.body):
            return [
                _Piece(box.opened, depth, False),
                *_pieces(box.body, depth + 1),
                _Piece(box.closed, depth, False),
            ]
        case Script(base=Fence(breaks=True) as base) if _has_break(base.body):
            *front, last = _pieces(base, depth)
            return [*front, replace(last, box=replace(box, base=last.box))]
        case Operator(breaks=True):
            return [_Piece(box, depth, True)]
        case Space(breaks=True):
            return [_Piece(box, depth + _RELUCTANT, True)]
    return [_Piece(box, depth, False)]


def widest(box: Box) -> float:
    """How wide the widest part of a formula is that cannot be broken."""
    width = most = 0.0
    for piece in _pieces(box, 0):
        width = piece.box.width + (0.0 if piece.breaks else width)
        most = max(most, width)
    return most


def _has_break(box: Box) -> bool:
    match box:
        case Row(parts):
            return any(_has_break(part) for part in parts)
        case Operator(breaks=breaks) | Space(breaks=breaks):
            return breaks
        case Fence(body=body, breaks=breaks):
            return breaks and _has_break(body)
        case Script(base=Fence() as base):
            return _has_break(base)
    return False
