"""Conditions under which a value may be put in place of a symbol: what its sort says of it."""

from __future__ import annotations

from slrsym.checker.extension_heads import VALUE_CONDITIONS
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    definedness_equation,
    free_symbols,
    has_copy_sum_outside_expectation,
    is_term,
    num,
    require,
)


def substitution_conditions(symbol: Term, value: Term) -> list[Term]:
    """Return the conditions under which a value may be substituted for a symbol."""
    if value == symbol:
        return []
    if symbol[0] in VALUE_CONDITIONS:
        return VALUE_CONDITIONS[symbol[0]](symbol, value)
    matches = is_term(value) if symbol[0] == "s" else value[0] == "lam"
    require(matches, "a function is given a term, or a symbol something that is no term")
    require(
        not has_copy_sum_outside_expectation(value),
        "the value contains a sum of copies, which is random",
    )
    if symbol[0] != "s":
        # For a function: smooth, of moderate growth with all derivatives, and of the sign declared.
        names, (body,) = bound_variables(value), binder_bodies(value)
        require(symbol[3] == len(names), "the function has another number of arguments")
        sort = "R" if symbol[0] == "u" else "Z"
        require(all(x[2] == sort for x in names), f"a variable of the function is not of {sort}")
        asked = conditions_of_sort(symbol[2], body)
        everywhere = [
            ("forall", names, (p,), ()) if free_symbols(p) & set(names) else p for p in asked
        ]
        return [*everywhere, ("o", "moderate", value)] if symbol[0] == "u" else everywhere
    return conditions_of_sort(symbol[2], value)


def conditions_of_sort(sort: str, value: Term) -> list[Term]:
    """Return formulas which say that a value belongs to a sort, such as the positive reals."""
    whole: list[Term] = [("o", "integer", value)] if sort[0] == "Z" else []
    relation = sort[1:-1].replace(">", "<")
    sides = (num(0), value) if ">" in sort else (value, num(0))
    return [*whole, (relation, *sides) if relation else definedness_equation(value)]
