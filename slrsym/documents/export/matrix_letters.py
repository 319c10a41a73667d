"""Sentences that declare the matrices of a statement: sizes, kinds, and commuting families."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from slrsym.documents.export.document import Inline, Math, Text, join_list
from slrsym.documents.typeset import FormulaPrinter
from slrsym.documents.typeset.boxes import Operator, row_of_boxes
from slrsym.matrices import Letter

# What a letter of a kind is, in words; one with a single column is a vector.
_KINDS = {
    "any": ("a matrix", "matrices"),
    "symmetric": ("a symmetric matrix", "symmetric matrices"),
    "semidefinite": ("a positive semidefinite matrix", "positive semidefinite matrices"),
    "definite": ("a positive definite matrix", "positive definite matrices"),
    "invertible": ("an invertible matrix", "invertible matrices"),
}


def matrix_sentences(
    letters: Iterable[Letter], printer: FormulaPrinter
) -> Iterator[tuple[Inline, ...]]:
    """Yield a sentence for the letters of each kind and size, and one for each commuting family."""
    groups: dict[tuple[object, ...], list[Letter]] = {}
    families: dict[tuple[str, object], list[Letter]] = {}
    for x in sorted(letters, key=lambda x: x.name):
        groups.setdefault((x.kind, *x.shape), []).append(x)
        if x.family:
            families.setdefault((x.family, x.shape[0]), []).append(x)
    for (kind, rows, columns), found in groups.items():
        names = join_list([Math(printer.box(x)) for x in found])
        one, many = _KINDS[str(kind)]
        if columns == 1 and rows != 1:
            words = "a vector of size" if len(found) == 1 else "vectors of size"
            size = printer.box(rows)
        else:
            words = f"{one if len(found) == 1 else many} of size"
            size = row_of_boxes([printer.box(rows), Operator("times"), printer.box(columns)])
        yield (Text("Let "), *names, Text(f" be {words} "), Math(size), Text("."))
    for commuting in families.values():
        if len(commuting) > 1:
            yield (*join_list([Math(printer.box(x)) for x in commuting]), Text(" commute."))
