"""Shapes of matrices, and the functions that nodes are about (the extension, M1.2 and U1)."""

from itertools import pairwise

# Heads of matrices, and those of unknown functions of a vector.
MATRICES = frozenset(["M", "M.id", "M.mul", "M.add", "M.scale", "M.T", "M.inv", "M.grad", "M.hess"])
OF_FUNCTIONS = frozenset(["M.h", "M.grad", "M.hess"])


def shape_or_none(node):
    """Return the rows and the columns of a matrix, or None if it has none."""
    if node.shape is None:
        node.shape = found_shape(node) or False
    return node.shape or None


def found_shape(node):
    """Find the shape of a matrix from the shapes of its parts; None if there is none."""
    h = node.head
    if h == "M":
        return node.params[2:4]
    if h == "M.id":
        return node.params * 2
    parts = [shape_or_none(p) for p in node.parts if p.head in MATRICES]
    if h not in MATRICES or not parts or None in parts:
        return None
    if h == "M.T":
        return parts[0][::-1]
    if h == "M.mul":
        fits = all(a[1] == b[0] for a, b in pairwise(parts))
        return (parts[0][0], parts[-1][1]) if fits else None
    if h == "M.hess":
        return parts[0][:1] * 2
    return parts[0] if all(p == parts[0] for p in parts) else None


def function_of(node):
    """Return the function of a node: a head, its name, and the rows of its vector (U1.2)."""
    found = shape_or_none(node.parts[0]) if node.parts else None
    return "M.h", node.params[0], found[0] if found else None
