"""Symbolic differentiation in the checker, with the conditions for differentiability."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from slrsym.checker.term import (
    NODE,
    Rejected,
    Term,
    binder_bodies,
    bound_variables,
    definedness_equation,
    free_symbols,
    fresh_symbol,
    fresh_symbols_by_symbol,
    has_copy_sum_outside_expectation,
    is_term,
    is_within_size_limits,
    neg,
    num,
    parts_outside_binder,
    places_and_subterms,
    possibly_undefined_arguments,
    require,
    spend_work,
    substitute,
)
from slrsym.checker.theorem import Theorem, combined_hypotheses, rule

# What has to hold at the point for a derivative to exist: relations that stay true nearby, or that
# such relations hold on an interval.
Asked: TypeAlias = list[Term]
# (Function, place of the argument) -> (names of its arguments, its derivative in them), read off
# cited claims.
Slopes: TypeAlias = Mapping[tuple[str, int], tuple[tuple[Term, ...], Term]]

# By the head of a node of an extension: its derivative, from that of each part.
DERIVATIVES: dict[str, Callable[[Term, Term, Callable[[Term], Term]], Term]] = {}

HALF = num(1, 2)


def elementary_function_term(name: str, *args: Term) -> Term:
    """Return the term of a named elementary function applied to arguments."""
    return ("f", name, *args)


def reciprocal_term(t: Term, root: int = 1) -> Term:
    """Return the term 1/t, or 1 divided by the `root`-th root of t."""
    return ("^", -1, root, t)


def square_term(t: Term) -> Term:
    """Return the term t^2."""
    return ("^", 2, 1, t)


def require_interval_variable(x: Term) -> None:
    """Refuse a symbol unless its sort is an interval of the real line."""
    is_interval = x[0] == "s" and x[2][0] == "R" and x[2] != "R!=0"
    require(is_interval, "the sort of the variable is no interval")


def differentiated_function(node: Term, x: Term) -> Term:
    """Return the function that a derivative at x differentiates; refuse one that contains x."""
    function = ("lam", bound_variables(node), binder_bodies(node), ())
    require(
        x not in free_symbols(function), "the function that is differentiated contains the variable"
    )
    return function


def expand_if_erf_derivative(t: Term) -> Term:
    """Rewrite a term erf'(x) or erf''(x) with exp; return any other term unchanged."""
    if t[0] == "f" and t[1] in ("erf_prime", "erf_second"):
        x = t[2]
        bell = (
            "*",
            num(2),
            reciprocal_term(("pi",), 2),
            elementary_function_term("exp", neg(square_term(x))),
        )
        return bell if t[1] == "erf_prime" else ("*", num(-2), x, bell)
    return t


def differentiated_function_value(t: Term) -> Term:
    """Return the value that the function in a derivative has at the derivative's point."""
    return substitute(
        binder_bodies(t)[0], dict(zip(bound_variables(t), parts_outside_binder(t), strict=True))
    )


def evaluate_derivative(t: Term, slopes: Slopes, asked: Asked) -> Term:
    """Return a derivative's value at its point; append conditions that it exists to `asked`."""
    # Names that nothing else has, so that what is asked may be read at the point.
    new = fresh_symbols_by_symbol(bound_variables(t), free_symbols(t) | set(bound_variables(t)))
    asked += map(
        definedness_equation,
        possibly_undefined_arguments(
            bound_variables(t), binder_bodies(t)[0], parts_outside_binder(t)
        ),
    )
    body = substitute(binder_bodies(t)[0], new)
    inner: Asked = []
    whole = body
    for x, order in zip(new.values(), t[1], strict=True):
        if order and body is not whole:
            # What an earlier derivative has dropped has to be differentiable, too.
            derivative(whole, x, slopes, inner)
        for _ in range(order):
            body = derivative(body, x, slopes, inner)
            require(is_within_size_limits((body, *inner)), "the derivative is too long")
    put = dict(zip(new.values(), parts_outside_binder(t), strict=True))
    asked += [substitute(p, put) for p in inner]
    return substitute(body, put)


def derivative(t: Term, x: Term, slopes: Slopes, asked: Asked) -> Term:
    """Return a term's derivative in the variable x; append conditions that it exists to `asked`."""
    if x not in free_symbols(t):
        return num(0)
    head, size = t[0], len(t)
    # A product has as many terms as factors, each of as many factors.
    spend_work(NODE * size * (size if head == "*" else 1))
    if head == "s":
        return num(1)
    if head == "+":
        return ("+", *(derivative(a, x, slopes, asked) for a in t[1:]))
    if head == "*":
        parts = enumerate(t[1:], 1)
        return ("+", *(("*", *t[1:i], derivative(a, x, slopes, asked), *t[i + 1 :])
                       for i, a in parts if x in free_symbols(a)))  # fmt: skip
    if head == "^":
        _, p, q, b = t
        if q != 1:
            asked.append(("<", num(0), b))
        less = ("^", p - q, q, b) if p != q else num(1)
        return ("*", num(p, q), less, derivative(b, x, slopes, asked))
    if head == "u":
        _, name, sort, orders, *args = t
        more = [(*orders[:i], n + 1, *orders[i + 1 :]) for i, n in enumerate(orders)]
        return ("+", *(
            ("*", ("u", name, sort, m, *args), derivative(a, x, slopes, asked))
            for m, a in zip(more, args, strict=True) if x in free_symbols(a)
        ))  # fmt: skip
    if head == "f":
        simple = expand_if_erf_derivative(t)
        if simple is not t:
            return derivative(simple, x, slopes, asked)
        inner = [derivative(a, x, slopes, asked) if x in free_symbols(a) else None for a in t[2:]]
        outer = partial_derivatives_of_named_function(
            t, slopes, asked, [a is not None for a in inner]
        )
        pairs = zip(outer, inner, strict=True)
        return ("+", *(("*", o, a) for o, a in pairs if a is not None and o))
    if head == "sum":
        ends = frozenset().union(*map(free_symbols, parts_outside_binder(t)))
        require(x not in ends, "an end of the sum depends on the variable")
        require(bound_variables(t)[0] not in ends, "an end contains the bound variable")
        return (
            "sum",
            bound_variables(t),
            (_derivative_of_summand(t, x, slopes, asked),),
            parts_outside_binder(t),
        )
    if head == "int":
        return _derivative_of_integral(t, x, slopes, asked)
    if head == "d":
        # What the inner derivative drops has to be differentiable, too.
        dropped = possibly_undefined_arguments(
            bound_variables(t), binder_bodies(t)[0], parts_outside_binder(t)
        )
        # Of order 0 it is the value of the function, which is differentiated below.
        there = [differentiated_function_value(t)] if any(t[1]) else []
        for part in (*there, *dropped):
            derivative(part, x, slopes, asked)
        return derivative(evaluate_derivative(t, slopes, asked), x, slopes, asked)
    if head in DERIVATIVES:
        return DERIVATIVES[head](t, x, lambda part: derivative(part, x, slopes, asked))
    raise Rejected(f"no derivative of {head}")


def _derivative_of_summand(t: Term, x: Term, slopes: Slopes, asked: Asked) -> Term:
    """Return the derivative of a sum's summand; append conditions that it exists at all indices."""
    ((y,), (body,), (low, high)) = t[1:]
    inner: Asked = []
    slope = derivative(body, x, slopes, inner)
    between = ("and", ("<=", low, y), ("<=", y, high))
    asked += [("forall", (y,), (("implies", between, p),), ()) for p in inner]
    return slope


def _derivative_of_integral(t: Term, x: Term, slopes: Slopes, asked: Asked) -> Term:
    """Return the derivative of an integral by Leibniz's rule; append its conditions to `asked`.

    Between the ends, in whichever order they are, the integrand has to be continuous, defined and
    continuously differentiable in x; as the interval is compact, it then is near the point, too.
    At an end that moves, it has to be so a little beyond.
    """
    ((y,), (body,), (low, high)) = t[1:]
    require(is_term(low) and is_term(high), "the integral has an infinite end")
    require(y not in free_symbols(low) | free_symbols(high), "an end contains the bound variable")
    require_continuous_where_defined(body, y)
    inner: Asked = [definedness_equation(body)]
    slope = derivative(body, x, slopes, inner)
    between = ("or", ("and", ("<=", low, y), ("<=", y, high)),
               ("and", ("<=", high, y), ("<=", y, low)))  # fmt: skip
    asked += [("forall", (y,), (("implies", between, p),), ()) for p in inner]
    terms = [("int", (y,), (slope,), (low, high))]
    for s, end in ((1, high), (-1, low)):
        if x in free_symbols(end):
            beyond: Asked = []
            derivative(body, y, slopes, beyond)
            asked += [substitute(p, {y: end}) for p in beyond]
            value, speed = substitute(body, {y: end}), derivative(end, x, slopes, asked)
            terms.append(("*", num(s), value, speed))
    return ("+", *terms)


def require_continuous_where_defined(t: Term, x: Term) -> None:
    """Refuse a term unless its operations show that it is continuous in x where defined."""
    if x not in free_symbols(t) or t == x:
        return
    require(t[0] in ("+", "*", "^", "f", "u"), f"{t[0]} is not known to be continuous")
    require(t[:2] != ("f", "sign"), "sign is not continuous")
    for _, part in places_and_subterms(t):
        require_continuous_where_defined(part, x)


def special_derivatives_in_premises(premises: Sequence[Theorem]) -> Slopes:
    """Return the derivatives of functions such as zeta that premises without hypotheses state."""
    found: dict[tuple[str, int], tuple[tuple[Term, ...], Term]] = {}
    for p in premises:
        head, *sides = p.conclusion
        if head != "=" or p.hypotheses or sides[0][0] != "d":
            continue
        d, value = sides
        ((x,), (body,), (point,)) = (
            d[2:] if len(bound_variables(d)) == 1 else ((None,), (None,), (None,))
        )
        if body is None or body[0] != "f" or d[1] != (1,) or x not in body[2:]:
            continue
        place = body[2:].index(x)
        names = (*body[2 : 2 + place], point, *body[3 + place :])
        are_free = all(s[0] == "s" and s[2] == "R" for s in names) and len(set(names)) == len(names)
        if are_free and free_symbols(value) <= set(names) and x not in body[3 + place :]:
            found[body[1], place] = (names, value)
    return found


def partial_derivatives_of_named_function(
    t: Term, slopes: Slopes, asked: Asked, wanted: list[bool]
) -> list[Term | None]:
    """Return the partial derivatives of a named function, such as log, in the arguments wanted."""
    name, u = t[1], t[2]
    one_plus, one_minus = ("+", num(1), square_term(u)), ("+", num(1), neg(square_term(u)))
    table = {
        "exp": (t, ()), "erf": (elementary_function_term("erf_prime", u), ()),
        "log": (reciprocal_term(u), (("<", num(0), u),)),
        "asin": (reciprocal_term(one_minus, 2), (("<", num(0), one_minus),)),
        "atan": (reciprocal_term(one_plus), ()),
        "abs": (("*", t, reciprocal_term(u)), (("!=", u, num(0)),)),
        "sin": (elementary_function_term("cos", u), ()),
        "cos": (neg(elementary_function_term("sin", u)), ()),
        "sinh": (elementary_function_term("cosh", u), ()), "cosh": (elementary_function_term("sinh",
        u), ()), "tanh": (("+", num(1), neg(square_term(t))), ()),
    }  # fmt: skip
    if name in table:
        slope, needs = table[name]
        asked += needs
        return [slope]
    found: list[Term | None] = []
    for place, want in enumerate(wanted):
        if not want:
            found.append(None)
            continue
        require((name, place) in slopes, f"the derivative of {name} is a claim; cite it")
        names, slope = slopes[name, place]
        found.append(substitute(slope, dict(zip(names, t[2:], strict=True))))
    return found


@rule("derivative", "t", premises=None)
def _derivative_rule(premises: Sequence[Theorem], t: Term) -> Any:
    """Conclude the value of a derivative, under conditions that the derivative exists."""
    require(t[0] == "d", "the term is no derivative")
    asked: Asked = []
    value = evaluate_derivative(t, special_derivatives_in_premises(premises), asked)
    given = combined_hypotheses(premises).values()
    return (
        [*given, *asked, definedness_equation(differentiated_function_value(t))],
        ("=", t, value),
        (),
    )


@rule("definition", "t")
def _definition_of_special_function(t: Term) -> Any:
    """Conclude that zeta or Owen's T equals its definition, at points where both are defined."""
    require(t[:2] in (("f", "zeta"), ("f", "owens")), "the term is not zeta or Owen's T")
    require(
        not has_copy_sum_outside_expectation(t),
        "the term contains a sum of copies, which is random",
    )
    _, name, first, second = t
    v = fresh_symbol(("s", "v", "R"), free_symbols(t))
    if name == "zeta":
        value = square_term(elementary_function_term("erf", ("+", first, ("*", second, v))))
        meaning: Term = ("E", (v,), (value,), (("gauss", 1, num(0), num(1)),))
    else:
        more = ("+", num(1), square_term(v))
        bell = elementary_function_term("exp", ("*", num(-1, 2), square_term(first), more))
        area = ("int", (v,), (("*", bell, reciprocal_term(more)),), (num(0), second))
        meaning = ("*", num(1, 2), reciprocal_term(("pi",)), area)
    return [definedness_equation(first), definedness_equation(second)], ("=", t, meaning), ()
