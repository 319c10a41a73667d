"""Terms and formulas as nested tuples: parsing with limits, substitution, canonical keys.

A node is ``(head, *parameters, *arguments)``; a binder is ``(head, *parameters, variables, inside,
outside)``: its variables are bound in the terms `inside` alone. The tables below are the language.

Every term stands for a real number, or for nothing: 1/0 and the square root of -1 are undefined. A
relation between terms says that both are defined, too; so ``t = t`` says that t is defined, and a
relation with an undefined side is false. Connectives are those of classical logic.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import gcd, inf, isqrt
from typing import Any, TypeAlias

from slrsym.checker.extension_heads import EXTENSION_HEADS
from slrsym.checker.remembered_measures import RememberedMeasure

Term: TypeAlias = tuple[Any, ...]

# What a symbol may run over. A name with another sort is another symbol.
SORTS = tuple(k + r for k in "RZ" for r in ("", ">0", "<0", ">=0", "<=0", "!=0"))

# How many parameters stand after each head: n a number, s a symbol, f a function of the table, u an
# undefined function, ix a sequence, lam a function of its variables, o a sentence taken as a whole.
LEAVES = {"n": 2, "s": 2, "pi": 0, "oo": 0, "-oo": 0, "text": 1}
TERMS = {"+": 0, "*": 0, "^": 2, "f": 1, "u": 3, "ix": 2}
RELATIONS = {"=": 0, "!=": 0, "<": 0, "<=": 0}
CONNECTIVES = {"and": 0, "or": 0, "not": 0, "implies": 0, "iff": 0}
# Laws of random vectors, data of sentences, and sentences that nothing here looks into.
OTHERS = {"gauss": 1, "noise": 0, "tuple": 0, "set": 0, "o": 1}
# sum over i = lo..hi; integral over x = lo..hi; expectation under the laws outside; the sum of n
# independent copies; derivative of the orders at the point outside; a function; for all.
BINDERS = {"sum": 0, "int": 0, "E": 0, "copies": 0, "d": 1, "lam": 0, "forall": 0}
PARAMETERS = LEAVES | TERMS | RELATIONS | CONNECTIVES | OTHERS | BINDERS

FORMULAS = {*RELATIONS, *CONNECTIVES, "o", "forall"}
# Heads of terms, and of symbols that may be given a value.
TERM_HEADS = {*TERMS, "n", "s", "pi", "sum", "int", "E", "copies", "d"}
SYMBOL_HEADS = {"s"}
# Binders whose variables are random, so that no random value can be moved into them.
AVERAGING = {"E", "copies"}
COMMUTE = frozenset({"+", "*", "=", "!=", "and", "or", "iff", "set"})
ASSOCIATE = frozenset({"+", "*", "and", "or"})
# The functions of the table, with their numbers of arguments.
FUNCTIONS = {
    "exp": 1, "log": 1, "erf": 1, "asin": 1, "atan": 1, "abs": 1, "sin": 1, "cos": 1, "sinh": 1,
    "cosh": 1, "tanh": 1, "erf_prime": 1, "erf_second": 1, "zeta": 2, "owens": 2, "max": 2,
    "sign": 1,
}  # fmt: skip

DEPTH, SIZE, BITS = 150, 100_000, 8_000
# The work of an inference, and of a node that is read, checked or built. A part of a formula that
# `logic` looks at is 1.
WORK, NODE = 3_000_000, 10
# Letters that no other letter here looks like, so that two names can be told apart.
_LETTER = "A-Za-zαβγδεζηθκλμξπρστφχψωΓΔΘΛΞΠΣΦΨΩ"
_WORD = rf"[{_LETTER}][{_LETTER}0-9]*(?:_[{_LETTER}0-9]+)*"
_NAME = re.compile(rf"(?=.{{1,61}}\Z)({_WORD})(?:\^\*|(\^[0-9]+))?'*")


class Rejected(ValueError):  # noqa: N818
    """Error raised, with the reason, for an inference or a log that the checker does not accept.

    Rules of proofs refuse by `slrsym.prover.statements.expressions.Refused` instead.
    """


def require(condition: object, why: str) -> None:
    if not condition:
        raise Rejected(why)


class WorkBudget:
    """The work that the checker may still do for an inference, or for a log outside of these."""

    left: float = inf


work = WorkBudget()


def spend_work(more: int) -> None:
    """Count work; refuse to go on beyond the limit of an inference or of a log."""
    work.left -= more
    if work.left < 0:
        raise Rejected("more work than the limit for an inference, or for a log of this length")


def num(p: int, q: int = 1) -> Term:
    common = gcd(p, q) * (1 if q > 0 else -1)
    return ("n", p // common, q // common)


def neg(t: Term) -> Term:
    return ("*", num(-1), t)


def definedness_equation(t: Term) -> Term:
    """Return the equation t = t, which says that a term is defined."""
    return ("=", t, t)


# -- the parts of a node --------------------------------------------------------------------------


def places_and_subterms(t: Term) -> list[tuple[Any, Term]]:
    """Return the direct subterms of a node, each with its place as `replace_parts` takes it."""
    start = 1 + PARAMETERS[t[0]]
    if t[0] not in BINDERS:
        return list(enumerate(t[start:], start))
    return [
        ((group, j), part) for group in (start + 1, start + 2) for j, part in enumerate(t[group])
    ]


def bound_variables(t: Term) -> tuple[Term, ...]:
    """Return the variables that a node binds."""
    return t[1 + PARAMETERS[t[0]]] if t[0] in BINDERS else ()


def binder_bodies(t: Term) -> tuple[Term, ...]:
    """Return the subterms of a binder in the scope of its variables, such as an integrand."""
    return tuple(t[2 + PARAMETERS[t[0]]])


def parts_outside_binder(t: Term) -> tuple[Term, ...]:
    """Return the subterms of a binder outside its variables' scope: ends, laws or a point."""
    return tuple(t[3 + PARAMETERS[t[0]]])


def is_bound_place(t: Term, place: int | tuple[int, int]) -> bool:
    """Return whether a place in a node lies in the scope of the variables that the node binds."""
    return isinstance(place, tuple) and place[0] == 2 + PARAMETERS[t[0]]


def replace_parts(t: Term, parts: Mapping[int | tuple[int, int], Term]) -> Term:
    """Return a node with its direct subterms at given places replaced."""
    out = list(t)
    for place, part in parts.items():
        if isinstance(place, int):
            out[place] = part
        else:
            i, j = place
            out[i] = (*out[i][:j], part, *out[i][j + 1 :])
    return tuple(out)


@RememberedMeasure
def _node_count(t: Term) -> int:
    """Return the number of nodes of a term, up to SIZE, or -1 if it is too deep."""
    left, count = [(t, 1)], 0
    while left and count < SIZE:
        t, depth = left.pop()
        count += 1
        if depth > DEPTH:
            return -1
        parts = (
            (*binder_bodies(t), *parts_outside_binder(t))
            if t[0] in BINDERS
            else t[1 + PARAMETERS[t[0]] :]
        )
        left += [(part, depth + 1) for part in parts]
    return count


def is_within_size_limits(terms: Iterable[Term]) -> bool:
    """Return whether the terms are within the reader's limits of size and depth."""
    count = 0
    for t in terms:
        own = _node_count(t)
        if own < 0:
            return False
        count += own
        if count >= SIZE:
            break
    spend_work(NODE // 2 * min(count, SIZE))
    return count < SIZE


# -- names ----------------------------------------------------------------------------------------


@lru_cache(maxsize=50_000)
def free_symbols(t: Term) -> frozenset[Term]:
    """Return the free symbols of a term, including undefined functions and sequences."""
    if t[0] == "s":
        return frozenset({t})
    own = frozenset({applied_function(t)}) if t[0] in ("u", "ix") else frozenset()
    if t[0] in EXTENSION_HEADS and (of := EXTENSION_HEADS[t[0]].own_symbols):
        own = of(t)
    names = set(bound_variables(t))
    return own.union(
        *(
            free_symbols(p) - names if is_bound_place(t, i) else free_symbols(p)
            for i, p in places_and_subterms(t)
        )
    )


def applied_function(t: Term) -> Term:
    """Return the undefined function or sequence that a node applies to arguments."""
    return (t[0], t[1], t[2], len(t) - 1 - PARAMETERS[t[0]])


def is_function_or_sequence_symbol(s: Term) -> bool:
    """Return whether a tuple is an undefined function or a sequence."""
    is_head = type(s) is tuple and len(s) == 4 and s[0] in ("u", "ix")
    return is_head and has_valid_name(s) and _is_integer_at_least(s[3], 1)


def fresh_symbol(s: Term, taken: Iterable[Term]) -> Term:
    """Return a symbol of the same sort as `s` whose name is not taken."""
    return fresh_symbols_by_symbol([s], taken)[s]


def fresh_symbols_by_symbol(names: Iterable[Term], taken: Iterable[Term]) -> dict[Term, Term]:
    """Return, by variable, new symbols of the same sorts whose names are not taken."""
    used, new = {x[1] for x in taken}, {}
    for s in names:
        name = s[1]
        while name in used:
            name += "'"
            require(len(name) < 200, "too many symbols have one name")
        used.add(name)
        new[s] = (s[0], name, *s[2:])
    return new


def substitute(t: Term, values: Mapping[Term, Term]) -> Term:
    """Substitute terms for symbols, and ``lam`` terms for functions, renaming bound variables.

    Bound variables get other names if they would catch a symbol of a value.
    """
    if t[0] in SYMBOL_HEADS:
        return values.get(t, t)
    values = {s: e for s, e in values.items() if s in free_symbols(t)}
    if not values:
        return t
    spend_work(NODE * len(t))
    # Inside of E the same copies are drawn anew and averaged, so they cannot be moved in.
    caught = t[0] in AVERAGING and any(map(has_copy_sum_outside_expectation, values.values()))
    require(not caught, "a term with copies cannot be put inside of E or copies")
    names, values_inside = bound_variables(t), values
    if names:
        free_inside: frozenset[Term] = frozenset().union(*map(free_symbols, binder_bodies(t)))
        values_inside = {s: e for s, e in values.items() if s in free_inside and s not in names}
        incoming = frozenset().union(*map(free_symbols, values_inside.values()))
        if incoming & set(names):
            new = fresh_symbols_by_symbol(
                [s for s in names if s in incoming], incoming | free_inside | set(names)
            )
            values_inside = values_inside | new
            names = tuple(new.get(s, s) for s in names)
            t = (*t[: 1 + PARAMETERS[t[0]]], names, *t[2 + PARAMETERS[t[0]] :])
    parts = {
        place: substitute(part, values_inside if is_bound_place(t, place) else values)
        for place, part in places_and_subterms(t)
    }
    t = replace_parts(t, parts)
    if t[0] in EXTENSION_HEADS and EXTENSION_HEADS[t[0]].is_rechecked:
        require_well_formed_node(t)
    if t[0] in ("u", "ix") and applied_function(t) in values:
        function, arguments = values[applied_function(t)], tuple(parts.values())
        orders = t[3] if t[0] == "u" else ()
        dropped = possibly_undefined_arguments(
            bound_variables(function), binder_bodies(function)[0], arguments
        )
        require(any(orders) or not dropped, "the function drops an argument that may be undefined")
        return apply_function_at(function, orders, arguments)
    return t


def apply_function_at(function: Term, orders: tuple[int, ...], arguments: tuple[Term, ...]) -> Term:
    """Return a function's value at arguments, or a derivative of it if any order is positive."""
    names, (body,) = bound_variables(function), binder_bodies(function)
    require(len(names) == len(arguments), "the function has another number of arguments")
    if any(orders):
        return ("d", orders, names, (body,), arguments)
    value = substitute(body, dict(zip(names, arguments, strict=True)))
    # Values within values may double each time.
    require(is_within_size_limits((value,)), "the value of the function is too long")
    return value


def possibly_undefined_arguments(
    names: Sequence[Term], body: Term, arguments: Sequence[Term]
) -> list[Term]:
    """Return the arguments that may be undefined although a function's value there is defined."""
    pairs = zip(names, arguments, strict=True)
    return [a for x, a in pairs if a[0] not in ("n", "pi", "s") and not is_undefined_with(x, body)]


def is_undefined_with(x: Term, t: Term) -> bool:
    """Return whether a term is undefined whenever the value of the symbol x is undefined."""
    # A sum may have no terms.
    is_closed = t[0] in ("sum", "copies") or x in bound_variables(t)
    open_parts = (
        p for place, p in places_and_subterms(t) if not (is_closed and is_bound_place(t, place))
    )
    return t == x or (x in free_symbols(t) and any(is_undefined_with(x, p) for p in open_parts))


def has_copy_sum_outside_expectation(t: Term) -> bool:
    """Return whether a term contains a sum of copies that is in no expectation."""
    parts = (p for i, p in places_and_subterms(t) if t[0] != "E" or not is_bound_place(t, i))
    return t[0] == "copies" or any(map(has_copy_sum_outside_expectation, parts))


# -- one printing ---------------------------------------------------------------------------------


def canonical_key(t: Term) -> str:
    """Return a text that identifies a term up to bound names and order in commutative nodes.

    Nested sums, and so nested products, 'and' and 'or', are the same as flat ones.
    """
    return _key_inside_binders(t, ())


@lru_cache(maxsize=100_000)
def _key_inside_binders(t: Term, names: tuple[Term, ...]) -> str:
    """Return the canonical key of a subterm in the scope of binders with given variables."""
    if t[0] in SYMBOL_HEADS and t in names:
        # Counted from the inside, so that what contains no outer variable reads the same anywhere.
        return f"b{names[::-1].index(t)}"
    if names and not free_symbols(t) & set(names):
        return _key_inside_binders(t, ())
    parameters = [repr(p) if t[0] == "text" else str(p) for p in t[1 : 1 + PARAMETERS[t[0]]]]
    own = bound_variables(t)
    pairs = _flattened_parts(t) if t[0] in ASSOCIATE else places_and_subterms(t)
    parts = [
        _key_inside_binders(p, names + own if is_bound_place(t, i) else names) for i, p in pairs
    ]
    if t[0] in COMMUTE:
        parts.sort()
    sorts = [f"[{' '.join(p for s in own for p in s[2:])}]"] if t[0] in BINDERS else []
    return f"({' '.join([t[0], *parameters, *sorts, *parts])})"


def _flattened_parts(t: Term) -> Iterator[tuple[int, Term]]:
    """Yield the terms of nested sums, or factors of nested products, each with its place."""
    for i, p in enumerate(t[1:], start=1):
        yield from _flattened_parts(p) if p[0] == t[0] else ((i, p),)


def is_same_term(a: Term, b: Term) -> bool:
    return a == b or canonical_key(a) == canonical_key(b)


# -- reading --------------------------------------------------------------------------------------


class TermReader:
    """Reader of terms from JSON rows, in which numbers refer to earlier rows.

    With `extensions`, heads of others are refused. `used` has those of the heads that were read.
    """

    def __init__(self, extensions: Iterable[str] | None = None) -> None:
        self.extensions = None if extensions is None else frozenset(extensions)
        self.used: set[str] = set()
        # Each row with its number of nodes and its depth.
        self._rows: list[tuple[Term, tuple[int, int]]] = []

    def add(self, data: Any) -> None:
        """Add a row to the table; raise `Rejected` if it is malformed."""
        self._rows.append(self._parse_node(data, DEPTH))

    def read(self, data: Any) -> Term:
        """Return the term or formula of JSON data; raise `Rejected` if malformed or too large."""
        term, (size, _) = self._parse_node(data, DEPTH)
        spend_work(NODE * size)
        return term

    def _parse_node(self, data: Any, room: int) -> tuple[Term, tuple[int, int]]:
        if type(data) is int:
            require(0 <= data < len(self._rows), "there is no earlier row of this number")
            return self._rows[data]
        require(room > 0, "the term is too deep")
        groups = subterm_lists_of_node(data)
        if data[0] in EXTENSION_HEADS:
            name = EXTENSION_HEADS[data[0]].extension
            is_named = self.extensions is None or name in self.extensions
            require(is_named, f"a head of the extension {name}, which the record does not name")
            self.used.add(name)
        read = [[self._parse_node(d, room - 1) for d in group] for group in groups]
        size = 1 + sum(s for group in read for _, (s, _) in group)
        depth = 1 + max((d for group in read for _, (_, d) in group), default=0)
        require(depth <= DEPTH and size <= SIZE, "the term is too deep or too large")
        head, *parameters = data[: 1 + PARAMETERS[data[0]]]
        parameters = [tuple(p) if isinstance(p, list) else p for p in parameters]
        terms = [tuple(t for t, _ in group) for group in read]
        node = (head, *parameters, *(terms if head in BINDERS else terms[0]))
        require_well_formed_node(node)
        return node, (size, depth)


def parse_term(data: Any) -> Term:
    """Return the term or formula of JSON data; raise `Rejected` if it is malformed."""
    return TermReader().read(data)


def subterm_lists_of_node(t: Sequence[Any]) -> list[Sequence[Any]]:
    """Return the lists of a node's subterms, three for a binder; refuse data of another shape."""
    is_node = type(t) in (list, tuple) and t and type(t[0]) is str and t[0] in PARAMETERS
    require(is_node, "expected a node: a list whose first entry is a head")
    require(len(t) > PARAMETERS[t[0]], "parameters are missing")
    rest = t[1 + PARAMETERS[t[0]] :]
    if t[0] not in BINDERS:
        return [rest]
    is_binder = len(rest) == 3 and all(type(group) is type(t) for group in rest)
    require(is_binder, "the binder has not three lists of parts")
    return list(rest)


def require_well_formed_node(t: Term) -> None:
    """Refuse a node whose parameters or number or kinds of subterms are wrong; look no deeper."""
    if t[0] in EXTENSION_HEADS:
        EXTENSION_HEADS[t[0]].check(t)
        return
    if t[0] in BINDERS:
        _require_well_formed_binder(t)
        return
    head, parts = t[0], t[1 + PARAMETERS[t[0]] :]
    count = _required_part_count(t, len(parts))
    require(len(parts) == count, f"{head} has not {count} parts")
    if head in CONNECTIVES:
        require(parts and all(map(is_formula, parts)), f"a part of {head} is no formula")
    elif head in TERMS or head in RELATIONS or head in ("gauss", "noise"):
        require(parts and all(map(is_term, parts)), f"a part of {head} is no term")
    elif head == "o" and t[1] in _SENTENCES:
        is_known = len(parts) == 1 and _SENTENCES[t[1]](parts[0])
        require(is_known, "integer takes one term; psd a tuple of n^2 terms; moderate one lam")


# How many parts a node has; those with other heads have any number of them.
_PARTS = {**dict.fromkeys(LEAVES, 0), **dict.fromkeys(RELATIONS, 2), "^": 1, "noise": 1, "not": 1,
          "implies": 2, "iff": 2}  # fmt: skip


def _required_part_count(t: Term, count: int) -> int:
    """Return the number of subterms that a node must have; refuse a node's wrong parameters."""
    head = t[0]
    if head == "n":
        p, q = t[1:3]
        is_reduced = type(p) is int and _is_integer_at_least(q, 1) and gcd(p, q) == 1
        require(is_reduced, "the number is no fraction in lowest terms")
        require(p.bit_length() < BITS > q.bit_length(), "the number has too many digits")
    elif head in ("s", "u", "ix"):
        require(has_valid_name(t), f"no symbol or function: {t[:3]!a:.80}")
    elif head == "text":
        require(type(t[1]) is str and len(t[1]) < 10_000, "the text is no string, or too long")
    elif head == "^":
        require(
            type(t[1]) is int and _is_integer_at_least(t[2], 1), "the power has no exponent p/q"
        )
        require(abs(t[1]) < 1000 > t[2], "the exponent of the power is too large")
        require(t[1] and gcd(t[1], t[2]) == 1, "the exponent is 0, or not in lowest terms")
    elif head == "f":
        require(type(t[1]) is str and t[1] in FUNCTIONS, f"no function {t[1]!a:.40} in the table")
        return FUNCTIONS[t[1]]
    elif head == "gauss":
        require(_is_integer_at_least(t[1], 1), "the dimension of the law is no positive integer")
        return t[1] + t[1] ** 2  # type: ignore[no-any-return]
    elif head == "o":
        require(is_valid_name(t[1]), f"no name of a sentence: {t[1]!a:.80}")
    if head == "u":
        _require_orders(t[3], count)
    return _PARTS.get(head, count)


def require_all_well_formed(terms: Iterable[Term]) -> set[str]:
    """Return the extensions whose heads occur; refuse terms that are malformed or too large."""
    count, used = 0, set[str]()
    for t in terms:
        nodes, extensions = _well_formed_nodes(t)
        count += nodes
        used |= extensions
        require(count <= SIZE, _TOO_LARGE)
    spend_work(NODE * count)
    return used


_TOO_LARGE = "the terms are too deep or too large"


@RememberedMeasure
def _well_formed_nodes(t: Term) -> tuple[int, frozenset[str]]:
    """Return how many nodes a term has, and the extensions whose heads occur in it.

    Refuse a term that is malformed, too deep or too large.
    """
    left, count, used = [(t, 1)], 0, set[str]()
    while left:
        t, depth = left.pop()
        count += 1
        require(depth <= DEPTH and count <= SIZE, _TOO_LARGE)
        require(type(t) is tuple, "a term is no tuple")
        left += [(part, depth + 1) for group in subterm_lists_of_node(t) for part in group]
        require_well_formed_node(t)
        if t[0] in EXTENSION_HEADS:
            used.add(EXTENSION_HEADS[t[0]].extension)
    return count, frozenset(used)


def is_formula(t: Term) -> bool:
    return t[0] in FORMULAS


def is_term(t: Term) -> bool:
    return t[0] in TERM_HEADS


def _is_matrix(t: Term) -> bool:
    square = isqrt(len(t) - 1) ** 2 == len(t) - 1 > 0
    return t[0] == "tuple" and square and all(map(is_term, t[1:]))


# Sentences that rules look into, and what they are about.
_SENTENCES: dict[str, Callable[[Term], bool]] = {
    "integer": is_term, "psd": _is_matrix, "moderate": lambda t: bool(t[0] == "lam"),
}  # fmt: skip


def _is_integer_at_least(n: Any, least: int) -> bool:
    return type(n) is int and n >= least


def is_valid_name(name: Any, head: str = "", sort: str = "") -> bool:
    """Return whether a text is a valid name that cannot be read as anything else.

    What is shown of any real `e` holds of the number e as well, and what is shown of any sequence
    of reals holds of powers; so these two may have the names of such.
    """
    found = _NAME.fullmatch(name) if type(name) is str else None
    if not found or found[1] in FUNCTIONS or (found[1] in PARAMETERS and len(found[1]) > 1):
        return False
    if found[1] in ("e", "E", "π"):
        return found[1] != "π" and not found[2] and (head, sort) == ("s", "R")
    return not found[2] or (head, sort) == ("ix", "R")


def has_valid_name(t: Term) -> bool:
    """Return whether a symbol, function or sequence has a valid name and sort."""
    return type(t[2]) is str and t[2] in SORTS and is_valid_name(t[1], t[0], t[2])


def _require_orders(orders: Any, count: int) -> None:
    is_list = type(orders) is tuple and len(orders) == count
    right = is_list and all(type(n) is int and 0 <= n < 100 for n in orders)
    require(right, "the orders are not one integer from 0 to 99 for each variable")


_VARIABLES = {"sum": "Z", "int": "R", "E": "R", "copies": "R", "d": "R"}


def _require_well_formed_binder(t: Term) -> None:
    head, names = t[0], bound_variables(t)
    require(names and len(set(names)) == len(names), f"{head} binds no variable, or one twice")
    require(all(s[0] == "s" for s in names), f"{head} binds a term that is no symbol")
    sort = _VARIABLES.get(head)
    require(all(s[2] == sort or not sort for s in names), f"a variable of {head} is not of {sort}")
    body, rest = binder_bodies(t), parts_outside_binder(t)
    kind = "formula" if head == "forall" else "term"
    is_kind = is_formula if head == "forall" else is_term
    require(body and all(map(is_kind, body)), f"a body of {head} is no {kind}")
    require(head == "lam" or len(body) == 1, f"{head} has more than one body")
    if head in ("lam", "forall"):
        require(not rest, f"{head} has a part outside of it")
    elif head in ("sum", "int"):
        require(len(names) == 1 and len(rest) == 2, f"{head} has not one variable and two ends")
        ends = ("oo", "-oo") if head == "int" else ()
        require(all(is_term(e) or e[0] in ends for e in rest), f"an end of {head} is no term")
        require(is_term(rest[0]) or rest[0] != rest[1], "both ends are the same infinity")
    elif head == "d":
        _require_orders(t[1], len(names))
        is_point = len(rest) == len(names) and all(map(is_term, rest))
        require(is_point, "the point of the derivative is not one term for each variable")
    else:
        count, laws = (rest[:1], rest[1:]) if head == "copies" else ((), rest)
        require(all(map(is_term, count)), "the number of copies is no term")
        require(all(law[0] in ("gauss", "noise") for law in laws), f"{head} has a law that is none")
        size = sum(map(law_dimension, laws))
        require(size == len(names), "the laws have other dimensions than there are variables")
        alone = (*laws, *body, *count) if head == "copies" else laws
        require(
            not any(map(has_copy_sum_outside_expectation, alone)),
            "a law, or the inside of copies, contains copies",
        )


def law_dimension(law: Term) -> int:
    return int(law[1]) if law[0] == "gauss" else 1
