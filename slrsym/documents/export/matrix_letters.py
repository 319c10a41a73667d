"""Sentences that declare the matrices and the functions of vectors of a statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from slrsym.documents.export.document import Inline, Math, Text, join_list
from slrsym.documents.typeset import FormulaPrinter
from slrsym.documents.typeset.boxes import Operator, row_of_boxes
from slrsym.matrices import Letter, SmoothFunction

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


def function_sentences(
    functions: Iterable[SmoothFunction], printer: FormulaPrinter
) -> Iterator[tuple[Inline, ...]]:
    """Yield a sentence for the unknown functions of vectors of each size, with their class."""
    groups: dict[object, list[SmoothFunction]] = {}
    for f in sorted(functions, key=lambda f: f.name):
        groups.setdefault(f.size, []).append(f)
    for size, found in groups.items():
        is_one = len(found) == 1
        names = join_list([Math(printer.symbol(f)) for f in found])
        kind = "a twice continuously differentiable function" if is_one else (
            "twice continuously differentiable functions")  # fmt: skip
        grow = "grows at most as a power, with its gradient and its Hessian" if is_one else (
            "grow at most as a power, with their gradients and Hessians")  # fmt: skip
        yield (Text("Let "), *names, Text(f" be {kind} of vectors of size "),
               Math(printer.box(size)), Text(f" which {grow}."))  # fmt: skip
