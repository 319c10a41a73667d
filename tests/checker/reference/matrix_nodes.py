"""Matrices of free size: letters, shapes, and conditions of nodes (the extension, M1)."""

from .matrix_shapes import MATRICES, OF_FUNCTIONS, shape_or_none
from .names import named
from .nodes import FORMULAS, TERMS, ZERO, Refused, build

# Sorts of letters, and what a family asks: symmetric letters.
SORTS = frozenset(("M", "S", "S>=0", "S>0", "GL"))
SYMMETRIC = frozenset(("S", "S>=0", "S>0"))
COVARIANCES = frozenset(("S>=0", "S>0"))
INVERTIBLE = frozenset(("S>0", "GL"))


def is_numeral(n):
    """Tell whether a size is a numeral from 1 to 999."""
    return n.isascii() and n.isdigit() and len(n) <= 3 and n[0] != "0"


def is_size(n):
    """Tell whether n is a size (M1.1)."""
    return type(n) is str and n != "" and (is_numeral(n) or is_name(n))


def is_name(x):
    """Tell whether x may name a letter, a family, a size or a function of a vector."""
    return named("M", x, "")


def is_letter(node):
    """Tell whether the parameters of a letter are right."""
    name, sort, rows, columns, family = node.params
    return (
        is_name(name)
        and type(sort) is str
        and sort in SORTS
        and is_size(rows)
        and is_size(columns)
        and (sort == "M" or rows == columns)
        and (family == "" or (is_name(family) and sort in SYMMETRIC))
    )


def family_of(node):
    """Return the family of a letter, or None."""
    return node.params[4] or None


def sort_of(letter):
    """Return the sort of a letter."""
    return letter.params[1]


def shape(node):
    """Return the rows and the columns of a matrix; refuse if it has none."""
    found = shape_or_none(node)
    if found is None:
        raise Refused("a matrix without a shape")
    return found


def is_square(node):
    """Tell whether a matrix has as many rows as columns."""
    rows, columns = shape(node)
    return rows == columns


def is_covariance(node):
    """Tell whether a node may be the covariance of a law."""
    return node.head == "M.id" or (node.head == "M" and sort_of(node) in COVARIANCES)


def fits_matrix(node):
    """Tell whether the conditions of M1.2 hold of this one node (not of a mean)."""
    h, parts = node.head, node.parts
    if h == "M":
        return not parts and is_letter(node)
    if h in ("M.id", "M.dim"):
        return not parts and is_size(node.params[0])
    if h == "M.gauss":
        return len(parts) == 2 and all(map(is_covariance, parts))
    if h == "M.scale":
        return len(parts) == 2 and parts[0].head in TERMS and parts[1].head in MATRICES
    if not parts or any(p.head not in MATRICES for p in parts):
        return False
    if h in ("M.mul", "M.add"):
        return shape_or_none(node) is not None
    if h == "M.eq":
        return len(parts) == 2 and shape(parts[0]) == shape(parts[1])
    if len(parts) != 1:
        return False
    if h in OF_FUNCTIONS:
        return is_name(node.params[0]) and shape(parts[0])[1] == "1"
    if h == "M.inv":
        return parts[0].head == "M" and sort_of(parts[0]) in INVERTIBLE
    return h == "M.T" or is_square(parts[0])


def fits_mean(node):
    """Tell whether the conditions of M1.2 hold of this mean."""
    xs, ins, laws = node.vars, node.inside, node.outside
    return (
        are_variables(xs)
        and len(xs) == len(laws)
        and len(ins) == 1
        and ins[0].head in TERMS
        and not ins[0].copies
        and all(law.head == "M.gauss" for law in laws)
        and all(
            tuple(shape(c)[0] for c in law.parts) == shape(x)
            for x, law in zip(xs, laws, strict=True)
        )
    )


def are_variables(xs):
    """Tell whether a binder may bind these letters: any matrices, at least one, all different."""
    return 0 < len(xs) == len(set(xs)) and all(x.head == "M" and sort_of(x) == "M" for x in xs)


def fits_for_all(node):
    """Tell whether the conditions of U1.1 hold of this formula about all matrices."""
    ins = node.inside
    return (
        are_variables(node.vars) and len(ins) == 1 and ins[0].head in FORMULAS and not node.outside
    )


# --- abbreviations ---------------------------------------------------------


def product(*parts):
    """Return one product node of matrices."""
    return build("M.mul", (), parts)


def total(*parts):
    """Return one sum node of matrices."""
    return build("M.add", (), parts)


def scaled(c, a):
    """Return a multiple of a matrix."""
    return build("M.scale", (), (c, a))


def null(a):
    """Return the zero matrix 0 A."""
    return scaled(ZERO, a)


def transposed(a):
    """Return the node of a transpose."""
    return build("M.T", (), (a,))


def trace(a):
    """Return the trace of a matrix."""
    return build("M.tr", (), (a,))


def equal(a, b):
    """Return the formula that two matrices are equal."""
    return build("M.eq", (), (a, b))


def semidefinite(a):
    """Return the formula that a matrix is symmetric and positive semidefinite."""
    return build("M.psd", (), (a,))


def invertible(a):
    """Return the formula that a matrix is invertible."""
    return build("M.invertible", (), (a,))


def defined_matrix(a):
    """Return the list of formulas that say that a matrix is defined: mdef (M5)."""
    return [] if a.head in ("M", "M.inv", "M.id") else [equal(a, a)]


def for_all(xs, p):
    """Return the formula that something is true for all matrices of their shapes."""
    return build("M.forall", (), (), tuple(xs), (p,))


def value_at(node, x):
    """Return the node of a function, its gradient or its Hessian at another vector."""
    return build(node.head, node.params, (x,))


def slope_at(name, x):
    """Return the gradient of a function at a vector."""
    return build("M.grad", (name,), (x,))


def curvature_at(name, x):
    """Return the Hessian of a function at a vector."""
    return build("M.hess", (name,), (x,))


def is_matrix(node):
    """Tell whether a node is a matrix."""
    return node.head in MATRICES
