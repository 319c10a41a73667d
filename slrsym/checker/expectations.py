"""Inference rules on expectations under Gaussian laws and noise, the base of all others.

``E`` has a value if its laws exist, its body is defined for all values of its variables, and is
integrable. A function is moderate if it is smooth and, with all its derivatives, bounded by
C exp(c|x|); moderate functions are integrable against every Gaussian law. Copies stand for the sum
of independent copies of a random variable, independent of the variables of the laws around; equal
ones are the same. What a rule needs besides the form of its data becomes a hypothesis.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import isqrt
from typing import Any

from slrsym.checker.relations import hypotheses_left_by_binder, sum_range_conditions
from slrsym.checker.term import (
    NODE,
    Rejected,
    Term,
    binder_bodies,
    bound_variables,
    definedness_equation,
    free_symbols,
    fresh_symbols_by_symbol,
    has_copy_sum_outside_expectation,
    is_same_term,
    is_term,
    is_within_size_limits,
    law_dimension,
    neg,
    num,
    parts_outside_binder,
    places_and_subterms,
    replace_parts,
    require,
    spend_work,
    substitute,
)
from slrsym.checker.theorem import Theorem, combined_hypotheses, rule, well_formed_node

# Bounded on the real line with all their derivatives.
BOUNDED = frozenset({"erf", "erf_prime", "erf_second", "sin", "cos", "atan", "tanh"})
ZERO, ONE = num(0), num(1)


# -- laws -----------------------------------------------------------------------------------------


def require_expectation(t: Term) -> Term:
    """Return a node that is an expectation; refuse any other node."""
    require(t[0] == "E", "the node is no expectation")
    return t


def require_body_without_copies(node: Term) -> Term:
    """Return the integrand of an expectation; refuse one that contains a sum of copies."""
    (body,) = binder_bodies(require_expectation(node))
    require(not has_copy_sum_outside_expectation(body), "the body contains copies")
    return body


def require_names_absent(names: Iterable[Term], terms: Iterable[Term], why: str) -> None:
    """Refuse terms in which one of the given symbols is free, with a given reason."""
    require(not frozenset().union(*map(free_symbols, terms)) & set(names), why)


def laws_with_variables(node: Term) -> list[tuple[tuple[Term, ...], Term]]:
    """Return the independent laws of an expectation, each with its variables."""
    found, names = [], bound_variables(node)
    for law in parts_outside_binder(node):
        found.append((names[: law_dimension(law)], law))
        names = names[law_dimension(law) :]
    return found


def law_moments(law: Term) -> tuple[tuple[Term, ...], list[tuple[Term, ...]]]:
    """Return the means and the covariance matrix of a Gaussian law or of noise."""
    if law[0] == "noise":
        return (ZERO,), [(law[1],)]
    n, entries = law[1], law[2:]
    return entries[:n], [entries[n + n * i : n + n * (i + 1)] for i in range(n)]


def semidefinite_conditions(matrix: Sequence[Sequence[Term]]) -> list[Term]:
    """Return formulas which say that a matrix is symmetric and positive semidefinite."""
    n = len(matrix)
    pairs = [(matrix[i][j], matrix[j][i]) for i in range(n) for j in range(i)]
    uneven = [("=", a, b) for a, b in pairs if not is_same_term(a, b)]
    if all(a == ZERO for pair in pairs for a in pair):
        return [well_formed_node(("<=", ZERO, matrix[i][i])) for i in range(n)]
    return [
        *uneven,
        well_formed_node(("o", "psd", ("tuple", *(c for row in matrix for c in row)))),
    ]


def law_existence_conditions(laws: Sequence[Term]) -> list[Term]:
    """Return conditions that laws exist: defined means, and semidefinite covariance matrices."""
    asked = []
    for law in laws:
        means, covariances = law_moments(law)
        asked += [definedness_equation(m) for m in means if m[0] != "n"] + semidefinite_conditions(
            covariances
        )
    return asked


def joint_moments(laws: Sequence[Term]) -> tuple[list[Term], list[list[Term]]]:
    """Return the means and covariances of the joint law of independent laws."""
    means: list[Term] = []
    rows: list[list[Term]] = []
    size = sum(map(law_dimension, laws))
    for law in laws:
        m, c = law_moments(law)
        before, after = len(means), size - len(means) - len(m)
        rows += [[*[ZERO] * before, *row, *[ZERO] * after] for row in c]
        means += m
    return means, rows


@rule("psd image", "t", "t", "ts")
def _psd_image(p: Term, source: Term, factor: tuple[Term, ...]) -> Any:
    """Conclude that F S F^T is positive semidefinite, for S semidefinite or diagonal and >= 0."""
    require(p[:2] == ("o", "psd"), "the argument is no covariance matrix")
    entries = p[2][1:]
    n = isqrt(len(entries))
    if source[:2] == ("o", "psd"):
        inner, asked = source[2][1:], [source]
        m = isqrt(len(inner))
    else:
        is_list = source[0] == "tuple" and len(source) > 1
        require(is_list, "the source is no covariance matrix and no list of variances")
        m = len(source) - 1
        inner = [source[1 + i // m] if i % (m + 1) == 0 else ZERO for i in range(m * m)]
        asked = [well_formed_node(("<=", ZERO, c)) for c in source[1:]]
    require(len(factor) == n * m, "the number of factors is not that of rows times columns")
    require(all(map(is_term, factor)), "a factor is no term")
    rows = [factor[m * i : m * (i + 1)] for i in range(n)]
    matrix = [inner[m * i : m * (i + 1)] for i in range(m)]
    for i, j in product(range(n), repeat=2):
        entry, value = entries[n * i + j], bilinear_form(rows[i], matrix, rows[j])
        if not (is_same_term(value, entry) and value in (ZERO, *inner)):
            asked.append(well_formed_node(("=", entry, value)))
    return [*asked, *(definedness_equation(c) for c in factor if c[0] != "n")], p, ()


# -- polynomials and moderate functions -----------------------------------------------------------


def sum_of_terms(terms: Sequence[Term]) -> Term:
    """Return the sum of the given terms that are not 0; a single one is returned by itself."""
    terms = [t for t in terms if t != ZERO]
    return ZERO if not terms else terms[0] if len(terms) == 1 else ("+", *terms)


def product_of_factors(*factors: Term) -> Term:
    """Return the product of the given factors that are not 1; return 0 if a factor is 0."""
    factors = tuple(f for f in factors if f != ONE)
    if ZERO in factors:
        return ZERO
    return ONE if not factors else factors[0] if len(factors) == 1 else ("*", *factors)


def bilinear_form(a: Sequence[Term], matrix: Sequence[Sequence[Term]], b: Sequence[Term]) -> Term:
    """Return the term of the bilinear form a^T m b, the sum of a_i m_ij b_j."""
    spend_work(NODE * len(a) * len(b))
    pairs = product(enumerate(a), enumerate(b))
    return sum_of_terms([product_of_factors(x, matrix[i][j], y) for (i, x), (j, y) in pairs])


def polynomial_coefficients(t: Term, names: Sequence[Term]) -> dict[tuple[int, ...], Term]:
    """Return, by exponents, a polynomial's coefficients in given symbols; refuse other terms."""
    if not free_symbols(t) & set(names):
        return {(0,) * len(names): t}
    if t in names:
        return {tuple(int(t == x) for x in names): ONE}
    is_power = t[0] == "^" and t[2] == 1 and 0 < t[1] <= 8
    require(t[0] in ("+", "*") or is_power, "the term is no polynomial in the variables")
    if t[0] == "+":
        parts = [polynomial_coefficients(p, names) for p in t[1:]]
        spend_work(NODE * sum(len(p) for p in parts))
        powers = {k for p in parts for k in p}
        return {k: sum_of_terms([p[k] for p in parts if k in p]) for k in powers}
    found = {(0,) * len(names): ONE}
    for p in (t[3],) * t[1] if t[0] == "^" else t[1:]:
        terms: dict[tuple[int, ...], list[Term]] = {}
        more = polynomial_coefficients(p, names)
        spend_work(3 * NODE + NODE * len(found) * len(more))
        for (k, a), (m, b) in product(found.items(), more.items()):
            power = tuple(x + y for x, y in zip(k, m, strict=True))
            terms.setdefault(power, []).append(product_of_factors(a, b))
        found = {k: sum_of_terms(c) for k, c in terms.items()}
        small = len(found) < 500 and is_within_size_limits(found.values())
        require(small, "the polynomial is too long")
    return found


def affine_coefficients(t: Term, names: Sequence[Term]) -> tuple[list[Term], Term]:
    """Return the coefficients and the constant of an affine form in symbols; refuse other terms."""
    found = polynomial_coefficients(t, names)
    require(all(sum(k) <= 1 for k in found), "the term is no affine form in the variables")
    units = [tuple(int(x == y) for y in names) for x in names]
    return [found.get(u, ZERO) for u in units], found.get((0,) * len(names), ZERO)


def moderate_growth_conditions(t: Term, names: frozenset[Term]) -> list[Term]:
    """Return conditions that a term has moderate growth in given variables, or refuse the term."""
    spend_work(NODE * len(t))
    if not free_symbols(t) & names and not has_copy_sum_outside_expectation(t):
        return [] if t[0] in ("n", "pi") else [definedness_equation(t)]
    head, some = t[0], sorted(free_symbols(t) & names)
    if t in names:
        return []
    if head in ("+", "*"):
        return [p for part in t[1:] for p in moderate_growth_conditions(part, names)]
    if head == "^":
        require(t[1] > 0 and t[2] == 1, "the exponent of a power is no positive integer")
        return moderate_growth_conditions(t[3], names)
    if head == "f" and t[1] in BOUNDED:
        polynomial_coefficients(t[2], some)
        return moderate_growth_conditions(t[2], names)
    if head == "f" and t[1] == "exp":
        return moderate_exponential_conditions(t[2], some, names)
    if head == "u":
        require(
            not has_copy_sum_outside_expectation(t),
            "an undefined function is applied to a sum of copies",
        )
        for argument in t[4:]:
            affine_coefficients(argument, some)
        return [p for argument in t[4:] for p in moderate_growth_conditions(argument, names)]
    if head == "d":
        for point in parts_outside_binder(t):
            require(
                not has_copy_sum_outside_expectation(point),
                "a point of a derivative contains a sum of copies",
            )
            affine_coefficients(point, some)
        asked = [
            p for point in parts_outside_binder(t) for p in moderate_growth_conditions(point, names)
        ]
        return asked + moderate_growth_conditions(*open_binder(t, names))
    if head == "E":
        require_names_absent(
            names, parts_outside_binder(t), "a law contains a variable of another one"
        )
        require_integrand_quadratic_in_noise(t)
        return law_existence_conditions(parts_outside_binder(t)) + moderate_growth_conditions(
            *open_binder(t, names)
        )
    if head == "copies":
        count, *laws = parts_outside_binder(t)
        require_names_absent(names, [t], "the copies depend on a variable around them")
        require(all(law[0] == "gauss" for law in laws), "the copies have a law of noise")
        whole = [("o", "integer", count), well_formed_node(("<=", ZERO, count))]
        return whole + law_existence_conditions(laws) + moderate_growth_conditions(*open_binder(t))
    raise Rejected(f"{head} is not known to be moderate")


def open_binder(node: Term, names: frozenset[Term] = frozenset()) -> tuple[Term, frozenset[Term]]:
    """Return a binder's body with fresh variables, and the set of these and of given symbols."""
    new = fresh_symbols_by_symbol(bound_variables(node), names | free_symbols(node))
    return substitute(binder_bodies(node)[0], new), names | set(new.values())


def moderate_exponential_conditions(
    exponent: Term, some: Sequence[Term], names: frozenset[Term]
) -> list[Term]:
    """Return conditions under which exp of a quadratic polynomial has moderate growth."""
    require(not has_copy_sum_outside_expectation(exponent), "an exponent contains a sum of copies")
    found = polynomial_coefficients(exponent, some)
    require(all(sum(k) <= 2 for k in found), "an exponent is of degree above 2")
    spend_work(NODE * len(some) ** 2)
    matrix = [[ZERO] * len(some) for _ in some]
    for powers, c in found.items():
        if sum(powers) == 2:
            i, j = (k for k, power in enumerate(powers) for _ in range(power))
            matrix[i][j] = matrix[j][i] = product_of_factors(num(-2 if i == j else -1), c)
    return semidefinite_conditions(matrix) + moderate_growth_conditions(exponent, names)


def require_integrand_quadratic_in_noise(node: Term) -> None:
    """Refuse an integrand of degree above 2 in a noise variable, as only two moments are known."""
    for names, law in laws_with_variables(node):
        low = law[0] != "noise" or _degree_bound(binder_bodies(node)[0], names[0]) <= 2
        require(low, "the body is of degree above 2 in a variable of noise")


def _degree_bound(t: Term, x: Term) -> int:
    """Return an upper bound of the degree of a polynomial in x; refuse other terms."""
    if x not in free_symbols(t):
        return 0
    if t == x:
        return 1
    is_power = t[0] == "^" and t[1] > 0 and t[2] == 1
    require(t[0] in ("+", "*") or is_power, "a variable of noise stands in a function")
    degrees = [_degree_bound(p, x) for _, p in places_and_subterms(t)]
    return max(degrees) if t[0] == "+" else sum(degrees) * (t[1] if t[0] == "^" else 1)


@rule("moderate", "t")
def _moderate_growth(function: Term) -> Any:
    """Conclude that a function is of moderate growth and defined everywhere, by its operations."""
    is_function = function[0] == "lam" and len(binder_bodies(function)) == 1
    require(is_function, "the argument is no function with one value")
    names, (body,) = bound_variables(function), binder_bodies(function)
    everywhere = well_formed_node(("forall", names, (definedness_equation(body),), ()))
    return (
        moderate_growth_conditions(*open_binder(function)),
        ("and", ("o", "moderate", function), everywhere),
        (),
    )


# -- what expectations do -------------------------------------------------------------------------


def make_expectation(names: Sequence[Term], body: Term, laws: Sequence[Term]) -> Term:
    """Return the expectation of an integrand under laws; refuse one that is not well-formed."""
    return well_formed_node(("E", tuple(names), (body,), tuple(laws)))


@rule("linear", "t", "ts", "ts", premises=1)
def _linearity(
    theorem: Theorem, node: Term, factors: tuple[Term, ...], parts: tuple[Term, ...]
) -> Any:
    """Conclude E (sum c f) = sum c E f from a premise that the integrand equals the sum of c f.

    The same holds of sums and integrals.

    Over no terms at all the premise says nothing of the factors; so these are asked for.
    """
    require(node[0] in ("E", "int", "sum"), f"{node[0]} is not known to be linear")
    require(len(factors) == len(parts) > 0, "the numbers of factors and parts differ, or are 0")
    require_names_absent(bound_variables(node), factors, "a factor contains a variable of the node")
    require(not any(map(has_copy_sum_outside_expectation, factors)), "a factor contains copies")
    said = ("=", binder_bodies(node)[0], linear_combination_term(factors, parts))
    require(
        is_same_term(theorem.conclusion, said),
        "the premise is not that the body is the combination",
    )
    given = hypotheses_left_by_binder(node, combined_hypotheses([theorem]))
    means = [well_formed_node(replace_parts(node, {(2, 0): f})) for f in parts]
    asked = [*means, *(factors if node[0] == "sum" else ())]
    axiom = "induction" if node[0] == "sum" else "integral-linearity"
    return (
        [*given.values(), *map(definedness_equation, asked)],
        ("=", node, linear_combination_term(factors, means)),
        (axiom,),
    )


def linear_combination_term(factors: Sequence[Term], parts: Sequence[Term]) -> Term:
    """Return the term c_1 p_1 + ... + c_n p_n of factors c and parts p."""
    terms = [("*", c, f) for c, f in zip(factors, parts, strict=True)]
    return terms[0] if len(terms) == 1 else ("+", *terms)


@rule("constant", "t")
def _constant_body(node: Term) -> Any:
    """Conclude E c = c, or that a sum or an integral of c is c times the length of its range."""
    require(node[0] in ("E", "sum", "int"), "the node is no expectation, sum or integral")
    (body,) = binder_bodies(node)
    require_names_absent(bound_variables(node), [body], "the body contains a variable of the node")
    if node[0] == "E":
        require(not has_copy_sum_outside_expectation(body), "the body contains copies")
        asked = [*law_existence_conditions(parts_outside_binder(node)), definedness_equation(body)]
        return asked, ("=", node, body), ("gaussian-normalisation",)
    low, high = parts_outside_binder(node)
    require(is_term(low) and is_term(high), "an end of the integral is infinite")
    if node[0] == "int":
        asked = [*map(definedness_equation, (body, low, high))]
        return asked, ("=", node, ("*", body, ("+", high, neg(low)))), ("integral-linearity",)
    asked = [definedness_equation(body), *sum_range_conditions(node)]
    return asked, ("=", node, ("*", body, ("+", high, neg(low), ONE))), ("induction",)


@rule("independent", "t", "json")
def _independent_factors(node: Term, where: Any) -> Any:
    """Conclude E f g = E f E g if f depends on some of the independent laws, and g on the others.

    `where` has the places of the laws of f, and those of the factors that make it.
    """
    (body,), parts = binder_bodies(require_expectation(node)), laws_with_variables(node)
    require(isinstance(where, list) and len(where) == 2, "the places are not two lists")
    require(all(type(n) is int for numbers in where for n in numbers), "a place is no integer")
    mine, factors = map(set, where)
    require([*map(len, where)] == [len(mine), len(factors)], "a place is listed twice")
    require(mine < set(range(len(parts))) and mine, "the laws listed are none, all, or not there")
    is_product = body[0] == "*" and factors < set(range(1, len(body))) and factors
    require(is_product, "the body is no product, or the factors listed are none, or not there")
    sides = []
    for chosen in (True, False):
        laws = [b for i, b in enumerate(parts) if (i in mine) is chosen]
        taken = [body[i] for i in range(1, len(body)) if (i in factors) is chosen]
        names = [s for block, _ in laws for s in block]
        f = taken[0] if len(taken) == 1 else ("*", *taken)
        others = set(bound_variables(node)) - set(names)
        require_names_absent(others, [f], "a factor contains variables of both groups of laws")
        sides.append(make_expectation(names, f, [law for _, law in laws]))
    require(
        not all(has_copy_sum_outside_expectation(binder_bodies(e)[0]) for e in sides),
        "both factors contain copies",
    )
    return [*map(definedness_equation, sides)], ("=", node, ("*", *sides)), ("fubini",)


@rule("fubini", "t", "json")
def _iterated_expectation(node: Term, count: Any) -> Any:
    """Conclude that an expectation is an iterated one, over some laws after the others."""
    body, parts = require_body_without_copies(node), laws_with_variables(node)
    is_between = type(count) is int and 0 < count < len(parts)
    require(is_between, "the number of laws outside is no integer, or leaves one side without")
    first, last = ([s for names, _ in b for s in names] for b in (parts[:count], parts[count:]))
    laws = parts_outside_binder(node)
    require_names_absent(first, laws[count:], "a law contains a variable of the others; rename it")
    inner = make_expectation(last, body, laws[count:])
    nested = make_expectation(first, inner, laws[:count])
    return (
        [definedness_equation(node), definedness_equation(nested)],
        ("=", node, nested),
        ("fubini",),
    )


@rule("image", "t", "t", "ts")
def _change_of_variables(node: Term, forms: Term, laws: tuple[Term, ...]) -> Any:
    """Change variables: replace Gaussian variables of an expectation by affine forms of others."""
    require(forms[0] == "lam", "the forms are no function of real variables")
    require(
        not has_copy_sum_outside_expectation(forms),
        "a form contains a sum of copies, which is random",
    )
    names, values = bound_variables(forms), binder_bodies(forms)
    old, parts = bound_variables(require_expectation(node)), laws_with_variables(node)
    require(len(values) == len(old), "the numbers of forms and of variables differ")
    require_names_absent(names, [node], "the expectation contains a variable of the forms")
    new = make_expectation(names, ONE, laws)
    rows, rests = zip(*(affine_coefficients(v, names) for v in values), strict=True)
    variances = {block[0]: law[1] for block, law in laws_with_variables(new) if law[0] == "noise"}
    taken, asked = set(), []
    for block, law in parts:
        if law[0] == "noise":
            x = values[old.index(block[0])]
            require(x in variances, "the form of a variable of noise is no variable of noise")
            taken.add(x)
            asked.append(("=", law[1], variances[x]))
    used = [s for v in values for s in free_symbols(v) if s in variances]
    alone = len(used) == len(taken)
    require(alone, "two variables are given the same noise, or it stands in another form")
    m, c = joint_moments(parts_outside_binder(node))
    mean, cov = joint_moments(laws)
    for i, row in enumerate(rows):
        moved = sum_of_terms([rests[i], *map(product_of_factors, row, mean)])
        asked.append(("=", m[i], moved))
        for j in range(i + 1):
            asked.append(("=", c[i][j], bilinear_form(row, cov, rows[j])))
    body = substitute(binder_bodies(node)[0], dict(zip(old, values, strict=True)))
    other = make_expectation(names, body, laws)
    # What is plainly so needs no proof, provided that the law exists, which is asked for.
    asked = [p for p in asked if not is_same_term(p[1], p[2])]
    return (
        [*asked, definedness_equation(node), definedness_equation(other)],
        ("=", node, other),
        ("gaussian-linear-image",),
    )


@rule("noise", "t")
def _noise_moments(law: Term) -> Any:
    """Conclude that a noise variable has mean 0 and its stated variance."""
    require(law[0] == "noise", "the law is no law of noise")
    x: Term = ("s", "x", "R")
    first, second = (make_expectation([x], f, [law]) for f in (x, ("^", 2, 1, x)))
    return law_existence_conditions([law]), ("and", ("=", first, ZERO), ("=", second, law[1])), ()


@rule("stein", "t", "t", "json")
def _stein_lemma(node: Term, h: Term, place: Any) -> Any:
    """Conclude Stein's lemma, E (X - m) h = sum C E dh, for a function h of a node's variables."""
    require(h[0] == "lam" and len(binder_bodies(h)) == 1, "the argument is no function")
    names = bound_variables(require_expectation(node))
    require(len(bound_variables(h)) == len(names), "the function has another number of variables")
    is_place = type(place) is int and 0 <= place < len(names)
    require(is_place, "the place is not that of a variable")
    f = substitute(binder_bodies(h)[0], dict(zip(bound_variables(h), names, strict=True)))
    require(not has_copy_sum_outside_expectation(f), "the function contains copies")
    block, law = next((b, law) for b, law in laws_with_variables(node) if names[place] in b)
    require(law[0] == "gauss", "the variable is not Gaussian")
    means, cov = law_moments(law)
    i = block.index(names[place])
    require_names_absent(
        names, [means[i]], "the law contains a variable of the expectation; rename it"
    )
    left = ("*", ("+", names[place], neg(means[i])), f)
    lhs = make_expectation(names, left, parts_outside_binder(node))
    terms, asked = [], [definedness_equation(lhs)]
    for x, c in zip(block, cov[i], strict=True):
        if c != ZERO:
            orders = tuple(int(y == x) for y in names)
            slope = make_expectation(
                names, ("d", orders, names, (f,), names), parts_outside_binder(node)
            )
            terms.append(("*", c, slope))
            asked.append(definedness_equation(slope))
    asked += moderate_growth_conditions(
        *open_binder(make_expectation(names, f, parts_outside_binder(node)))
    )
    return (
        [*asked, *law_existence_conditions(parts_outside_binder(node))],
        ("=", lhs, sum_of_terms(terms)),
        ("stein-lemma",),
    )


@rule("derivative of expectation", "t")
def _derivative_of_expectation(t: Term) -> Any:
    """Conclude that an expectation's derivative is the expectation of the integrand's."""
    require(
        t[0] == "d" and binder_bodies(t)[0][0] == "E", "the term is no derivative of an expectation"
    )
    (node,), names = binder_bodies(t), bound_variables(t)
    require(not has_copy_sum_outside_expectation(t), "the derivative contains copies")
    body = require_body_without_copies(node)
    require_names_absent(
        names, parts_outside_binder(node), "a law contains a variable of the derivative"
    )
    require_integrand_quadratic_in_noise(node)
    new = fresh_symbols_by_symbol(bound_variables(node), free_symbols(t) | set(names))
    body = substitute(body, new)
    inner = ("d", t[1], names, (body,), parts_outside_binder(t))
    right = make_expectation(tuple(new.values()), inner, parts_outside_binder(node))
    places = fresh_symbols_by_symbol(names, free_symbols(t) | set(new.values()))
    asked = moderate_growth_conditions(
        substitute(body, places), frozenset(new.values()) | set(places.values())
    )
    asked += [
        *law_existence_conditions(parts_outside_binder(node)),
        *map(definedness_equation, parts_outside_binder(t)),
    ]
    return asked, ("=", t, right), ("dominated-convergence",)


@rule("density", "t")
def _integral_against_density(node: Term) -> Any:
    """Conclude that an expectation in one variable is an integral against the normal density."""
    mean, law = require_body_without_copies(node), parts_outside_binder(node)[0]
    is_one = len(bound_variables(node)) == 1 and law[0] == "gauss"
    require(is_one, "the expectation is not over one Gaussian variable")
    (x,), (_, _, m, v) = bound_variables(node), law
    require_names_absent([x], [law], "the law contains a variable of the expectation; rename it")
    away = ("^", 2, 1, ("+", x, neg(m)))
    exponent = ("*", num(-1, 2), ("^", -1, 1, v), away)
    norm = ("^", -1, 2, ("*", num(2), ("pi",), v))
    body = ("*", norm, mean, ("f", "exp", exponent))
    integral = well_formed_node(("int", (x,), (body,), (("-oo",), ("oo",))))
    return (
        [well_formed_node(("<", ZERO, v)), definedness_equation(node)],
        ("=", node, integral),
        ("gaussian-density",),
    )


@rule("exponential of a sum", "t")
def _exponential_of_sum(t: Term) -> Any:
    """Conclude exp(a + b) = exp(a) exp(b)."""
    require(t[:2] == ("f", "exp") and t[2][0] == "+", "the term is no exponential of a sum")
    parts = t[2][1:]
    return (
        [*map(definedness_equation, parts)],
        ("=", t, ("*", *(("f", "exp", a) for a in parts))),
        (),
    )
