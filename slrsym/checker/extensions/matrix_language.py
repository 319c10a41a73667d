"""The language of the extension `matrices`: sizes, shapes, letters, and values for letters.

A size is a name or a numeral, and two sizes are equal if they are the same text. A letter stands
for a matrix; its sort says of what kind. Terms with matrices in them are checked node by node.
Rules of the extension register by `rule`, and check what they conclude by `well_formed`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache, partial
from itertools import combinations, pairwise
from typing import Any

from slrsym.checker.extension_heads import VALUE_CONDITIONS
from slrsym.checker.extensions.registration import register_head
from slrsym.checker.term import (
    AVERAGING,
    BINDERS,
    FORMULAS,
    NODE,
    PARAMETERS,
    SYMBOL_HEADS,
    TERM_HEADS,
    Term,
    binder_bodies,
    bound_variables,
    free_symbols,
    fresh_symbols_by_symbol,
    has_copy_sum_outside_expectation,
    is_term,
    is_valid_name,
    parts_outside_binder,
    require,
    require_all_well_formed,
    spend_work,
    substitute,
)
from slrsym.checker.theorem import INSTANCE_CONDITIONS, INSTANCES, Theorem
from slrsym.checker.theorem import rule as base_rule

NAME = "matrices"
rule = partial(base_rule, extension=NAME)
SORTS = ("M", "S", "S>=0", "S>0", "GL")
# Sorts of letters that have an inverse.
WITH_INVERSE = ("S>0", "GL")
_NUMERAL = re.compile(r"[1-9][0-9]{0,2}")


def is_size(size: Any) -> bool:
    """Return whether a parameter is a size: a name, or a numeral from 1 to 999."""
    return type(size) is str and bool(_NUMERAL.fullmatch(size) or is_valid_name(size))


def is_numeral(size: str) -> bool:
    return bool(_NUMERAL.fullmatch(size))


def is_matrix(t: Term) -> bool:
    """Return whether a node is a matrix."""
    return t[0] in _MATRIX_HEADS


def is_symmetric_letter(letter: Term) -> bool:
    """Return whether what a word is made of, a letter or a gradient or Hessian, is symmetric."""
    return bool(letter[0] == "M.hess" or (letter[0] == "M" and letter[2][0] == "S"))


@lru_cache(maxsize=50_000)
def shape(t: Term) -> tuple[str, str]:
    """Return the rows and columns of a matrix; refuse sizes that do not match."""
    head = t[0]
    require(is_matrix(t), f"{head} is no matrix")
    if head == "M":
        return t[3], t[4]
    if head == "M.id":
        return t[1], t[1]
    if head in ("M.T", "M.inv"):
        rows, columns = shape(t[1])
        return columns, rows
    if head in ("M.scale", "M.grad"):
        return shape(t[2])
    if head == "M.hess":
        rows, _ = shape(t[2])
        return rows, rows
    shapes = [shape(part) for part in t[1:]]
    for a, b in pairwise(shapes):
        matches = a == b if head == "M.add" else a[1] == b[0]
        require(matches, f"the sizes in a {'sum' if head == 'M.add' else 'product'} do not match")
    return shapes[0][0], shapes[-1][1]


def require_square(t: Term) -> str:
    """Return the size of a square matrix; refuse another matrix."""
    rows, columns = shape(t)
    require(rows == columns, "the matrix is not square")
    return rows


def well_formed(conclusion: Term, *hypotheses: Term) -> Term:
    """Return a conclusion; refuse it, or hypotheses, with matrices whose sizes do not match."""
    require_all_well_formed((conclusion, *hypotheses))
    return conclusion


# -- nodes ----------------------------------------------------------------------------------------


def _check_letter(t: Term) -> None:
    require(len(t) == 6, "a letter has parts")
    _, name, sort, rows, columns, family = t
    require(is_valid_name(name), "a letter has no name")
    require(type(sort) is str and sort in SORTS, "a letter has no sort")
    require(is_size(rows) and is_size(columns), "a letter has no sizes")
    require(sort == "M" or rows == columns, "a letter of this sort is not square")
    is_family = family == "" or (is_valid_name(family) and sort[0] == "S")
    require(is_family, "the family of a letter is no name, or the letter is not symmetric")


def _check_size(t: Term) -> None:
    require(len(t) == 2 and is_size(t[1]), f"{t[0]} has no size")


def _check_combination(t: Term) -> None:
    require(len(t) > 1, f"{t[0]} has no parts")
    shape(t)


def _check_scale(t: Term) -> None:
    require(len(t) == 3 and is_term(t[1]), "a multiple is not of a term and a matrix")
    shape(t)


def _check_transpose(t: Term) -> None:
    require(len(t) == 2, "a transpose has not one part")
    shape(t)


def _check_inverse(t: Term) -> None:
    require(len(t) == 2 and t[1][0] == "M", "an inverse is not of a letter")
    require(t[1][2] in WITH_INVERSE, "an inverse is of a letter that may have none")


def _check_square(t: Term) -> None:
    require(len(t) == 2, f"{t[0]} has not one part")
    require_square(t[1])


def _check_equation(t: Term) -> None:
    require(len(t) == 3 and shape(t[1]) == shape(t[2]), "the two matrices have other shapes")


def _check_law(t: Term) -> None:
    require(len(t) == 3 and all(map(is_covariance, t[1:])), "the law has not two covariances")


def is_covariance(t: Term) -> bool:
    """Return whether a matrix may be a covariance: 1, or a semidefinite letter."""
    return t[0] == "M.id" or (t[0] == "M" and t[2] in ("S>=0", "S>0"))


def require_bindable_letters(t: Term) -> None:
    """Refuse a binder unless its variables are different letters of sort M without a family."""
    head, names = t[0], bound_variables(t)
    require(names and len(set(names)) == len(names), f"{head} binds no letter, or one twice")
    are_plain = all(x[0] == "M" and x[2] == "M" and not x[5] for x in names)
    require(are_plain, f"{head} binds what is no letter of sort M without a family")


def _check_mean(t: Term) -> None:
    require_bindable_letters(t)
    names, body, laws = bound_variables(t), binder_bodies(t), parts_outside_binder(t)
    require(len(body) == 1 and is_term(body[0]), "M.E has not one body, a term")
    require(len(laws) == len(names), "M.E has not one law for each letter")
    require(all(law[0] == "M.gauss" for law in laws), "M.E has a law that is none")
    for x, (_, rows, columns) in zip(names, laws, strict=True):
        require((shape(rows)[0], shape(columns)[0]) == x[3:5], "a law has another shape")
    require(not has_copy_sum_outside_expectation(body[0]), "the body of M.E contains copies")


def _size_symbols(sizes: Iterable[str]) -> frozenset[Term]:
    return frozenset(("M.dim", n) for n in sizes if not is_numeral(n))


# By head: parameters, what is checked, and what is more than that.
_MATRIX_HEADS = (
    "M", "M.id", "M.mul", "M.add", "M.scale", "M.T", "M.inv", "M.grad", "M.hess",
)  # fmt: skip
register_head(NAME, "M", 5, _check_letter, kinds=[SYMBOL_HEADS],
              own_symbols=lambda t: _size_symbols(t[3:5]) | {t})  # fmt: skip
register_head(NAME, "M.id", 1, _check_size, own_symbols=lambda t: _size_symbols(t[1:]))
register_head(NAME, "M.dim", 1, _check_size, own_symbols=lambda t: _size_symbols(t[1:]),
              kinds=[TERM_HEADS])  # fmt: skip
register_head(NAME, "M.mul", 0, _check_combination)
register_head(NAME, "M.add", 0, _check_combination)
register_head(NAME, "M.scale", 0, _check_scale)
register_head(NAME, "M.T", 0, _check_transpose)
register_head(NAME, "M.inv", 0, _check_inverse, is_rechecked=True)
register_head(NAME, "M.tr", 0, _check_square, kinds=[TERM_HEADS])
register_head(NAME, "M.eq", 0, _check_equation, kinds=[FORMULAS])
register_head(NAME, "M.psd", 0, _check_square, kinds=[FORMULAS])
register_head(NAME, "M.invertible", 0, _check_square, kinds=[FORMULAS])
register_head(NAME, "M.gauss", 0, _check_law, is_rechecked=True)
register_head(NAME, "M.E", 0, _check_mean, kinds=[TERM_HEADS, AVERAGING], is_binder=True)


# -- values of letters and sizes ------------------------------------------------------------------


def defined_by_equation(*matrices: Term) -> list[Term]:
    """Return formulas which say that matrices are defined; of some it is plain."""
    return [("M.eq", t, t) for t in matrices if t[0] not in ("M", "M.id", "M.inv")]


def _conditions_of_letter(letter: Term, value: Term) -> list[Term]:
    """Return the conditions under which a letter may have a value, by its sort."""
    require(
        is_matrix(value) and shape(value) == letter[3:5], "the value has not the letter's shape"
    )
    require(not has_copy_sum_outside_expectation(value), "the value contains a sum of copies")
    semidefinite: Term = ("M.psd", value)
    invertible: Term = ("M.invertible", value)
    return {
        "M": [("M.eq", value, value)], "S": [("M.eq", ("M.T", value), value)],
        "S>=0": [semidefinite], "S>0": [semidefinite, invertible], "GL": [invertible],
    }[letter[2]]  # fmt: skip


def _conditions_of_families(theorem: Theorem, values: Mapping[Term, Term]) -> list[Term]:
    """Return formulas which say that the values of a whole family commute."""
    letters = [x for x in values if x[0] == "M" and x[5]]
    if not letters:
        return []
    free = free_symbols(theorem.conclusion).union(*map(free_symbols, theorem.hypotheses.values()))
    families = {(x[5], x[3]) for x in letters}
    others = [x for x in free if x[0] == "M" and (x[5], x[3]) in families and x not in values]
    require(not others, "only some letters of a commuting family have values")
    return [
        ("M.eq", ("M.mul", values[x], values[y]), ("M.mul", values[y], values[x]))
        for x, y in combinations(letters, 2)
        if (x[5], x[3]) == (y[5], y[3])
    ]


def _instance_of_sizes(theorem: Theorem, values: dict[Term, Term]) -> Any:
    """Take a theorem at other sizes; refuse one that makes two letters or two functions one."""
    are_sizes = all(s[0] == "M.dim" and v[0] == "M.dim" for s, v in values.items())
    require(are_sizes, "a size has a value that is no size, or another symbol has one beside it")
    require(not any(is_numeral(s[1]) for s in values), "a numeral is given another value")
    sizes = {s[1]: v[1] for s, v in values.items()}
    formulas = (theorem.conclusion, *theorem.hypotheses.values())
    free = frozenset().union(*map(free_symbols, formulas))
    letters = [x for x in free if x[0] == "M"]
    different = len({_resized(x, sizes) for x in letters}) == len(letters)
    require(different, "two letters become one at these sizes")
    functions = [x[1:] for x in free if x[0] == "M.h"]
    different = len({(name, sizes.get(n, n)) for name, n in functions}) == len(functions)
    require(different, "two functions become one at these sizes")
    conclusion, *given = (_resized(p, sizes) for p in formulas)
    return given, conclusion, ()


def _resized(t: Term, sizes: Mapping[str, str]) -> Term:
    """Return a node with other sizes in all letters; rename bound ones that would catch one."""
    spend_work(NODE)
    head = t[0]
    if head == "M":
        return (*t[:3], *(sizes.get(n, n) for n in t[3:5]), t[5])
    if head in ("M.id", "M.dim"):
        return head, sizes.get(t[1], t[1])
    start = 1 + PARAMETERS[head]
    if head in ("M.E", "M.forall"):
        t = _with_own_letters(t, sizes)
    if head in BINDERS:
        groups = (tuple(_resized(p, sizes) for p in group) for group in t[start:])
        return (*t[:start], *groups)
    return (*t[:start], *(_resized(p, sizes) for p in t[start:]))


def _with_own_letters(t: Term, sizes: Mapping[str, str]) -> Term:
    """Return a binder whose letters stay different from each other and from those free in it."""
    head, names, (body,), laws = t
    inside = free_symbols(body).union(names)
    found = Counter(_resized(x, sizes) for x in inside if x[0] == "M")
    caught = [x for x in names if found[_resized(x, sizes)] > 1]
    new = fresh_symbols_by_symbol(caught, inside)
    return (head, tuple(new.get(x, x) for x in names), (substitute(body, new),), laws)


VALUE_CONDITIONS["M"] = _conditions_of_letter
INSTANCE_CONDITIONS.append(_conditions_of_families)
INSTANCES["M.dim"] = _instance_of_sizes
