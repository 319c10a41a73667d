"""Expectations whose Gaussian variables stand in another order, or in other independent laws."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from slrsym.checker.expectations import joint_moments, make_expectation
from slrsym.checker.term import (
    Term,
    bound_variables,
    free_symbols,
    fresh_symbols_by_symbol,
    parts_outside_binder,
)
from slrsym.prover.tactics.numerical_values import (
    are_surely_different,
    are_values_close,
    value_with_unknown_functions,
)
from slrsym.prover.tactics.subterm_paths import body_in_variables

# Of more variables there are too many orders.
_MOST = 4


def reordered_expectations(a: Term, b: Term) -> Iterator[tuple[Term, Term]]:
    """Yield what `b` may be under the laws of `a`, with the forms that its variables become.

    Each variable of `b` becomes one of `a`, under a new name, where means, covariances and the
    integrands are the same as far as numbers tell.
    """
    names, old = bound_variables(a), bound_variables(b)
    laws = parts_outside_binder(a)
    if len(names) != len(old) or not 1 < len(old) <= _MOST:
        return
    if any(law[0] != "gauss" for law in (*laws, *parts_outside_binder(b))):
        return
    mean, cov = joint_moments(laws)
    m, c = joint_moments(parts_outside_binder(b))
    new = fresh_symbols_by_symbol(names, free_symbols(a) | free_symbols(b) | {*names, *old})
    variables, places = tuple(new.values()), range(len(old))
    integrand = value_with_unknown_functions(body_in_variables(a, variables))
    for order in permutations(places):
        pairs = [(m[i], mean[order[i]]) for i in places]
        pairs += [(c[i][j], cov[order[i]][order[j]]) for i in places for j in range(i + 1)]
        if any(are_surely_different(x, y) for x, y in pairs):
            continue
        values = tuple(variables[k] for k in order)
        body = body_in_variables(b, values)
        if are_values_close(integrand, value_with_unknown_functions(body)):
            yield make_expectation(variables, body, laws), ("lam", variables, values, ())
