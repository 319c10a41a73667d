"""Generators for the rules of expectations and means."""

from __future__ import annotations

from itertools import product
from typing import Any

from slrsym.checker.expectations import (
    affine_coefficients,
    joint_moments,
    laws_with_variables,
    product_of_factors,
    sum_of_terms,
)
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    law_dimension,
    num,
    parts_outside_binder,
    replace_parts,
)

from .analytic import convexity
from .generators import Maker, generator
from .terms import NORMAL, ONE, TWO, ZERO, M, N, P, R, W, X, Z, fn, lam, mean, square

VARIABLES = (X, P, W, ("s", "x", "R>=0"), ("s", "x", "R<0"))


def _plain(m: Maker, count: int = 0, noise: float = 0.15, copies: bool = False) -> Term:
    """Return an expectation whose body has no copies, mostly."""
    while True:
        node = m.t.expectation(count, noise=noise, depth=2)
        if copies or "copies" not in repr(node) or m.chance(0.02):
            return node


@generator("cauchy-schwarz")
def _cauchy(m: Maker) -> Any:
    node = _plain(m)
    return (), node, replace_parts(node, {(2, 0): m.t.moderate(node[1], 1)})


@generator("copies exist")
def _copies_exist(m: Maker) -> Any:
    names = m.t.names(m.rng.choice((1, 2)))
    body = m.t.moderate(names, 2) if m.chance(0.6) else m.t.polynomial(names)
    return (), (
        "copies",
        names,
        (body,),
        (m.t.pick(N, M, TWO, R), *m.t.laws(len(names), noise=0.05)),
    )


@generator("density")
def _density(m: Maker) -> Any:
    (x,) = m.t.names(1)
    node = mean((x,), m.t.term(3, (x,)), (m.t.law(1),))
    return (), node


@generator("derivative of expectation")
def _derivative(m: Maker) -> Any:
    names = m.t.names(m.rng.choice((1, 1, 2)))
    inner = m.t.names(m.rng.choice((1, 2)), names if m.chance(0.8) else ())
    body = m.t.moderate((*names, *inner), 2)
    node = mean(inner, body, m.t.laws(len(inner), noise=0.1))
    orders = tuple(m.rng.choice((0, 1, 1, 2)) for _ in names)
    return (), ("d", orders, names, (node,), tuple(m.t.term(1) for _ in names))


@generator("fubini")
def _fubini(m: Maker) -> Any:
    node = _plain(m, m.rng.choice((2, 3)), noise=0.4)
    return (), node, m.rng.randint(1, max(1, len(parts_outside_binder(node)) - 1))


@generator("gaussian integral")
def _integral(m: Maker) -> Any:
    names = m.t.names(m.rng.choice((1, 1, 2, 3)))
    laws = m.t.laws(len(names), noise=0.03)
    what = m.rng.choice(("erf", "sign", "abs", "exp", "exp"))
    form = m.t.affine(names)
    if what == "exp" and m.chance(0.6):
        form = m.t.quadratic(names)
        if len(names) == 2:
            laws = (m.t.law(2),)
            if m.chance(0.7):
                form = ("+", ("*", m.t.coefficient(), square(names[0])),
                        ("*", m.t.coefficient(), square(names[1])),
                        *([("*", m.t.coefficient(), *names)] if m.chance(0.6) else []),
                        *([m.t.coefficient()] if m.chance(0.5) else []))  # fmt: skip
    return (), mean(names, fn(what, form), laws)


@generator("centred pair")
def _pair(m: Maker) -> Any:
    names = m.t.names(m.rng.choice((1, 2, 2, 3)))
    laws = m.t.laws(len(names), noise=0.03)
    kinds = m.t.pick(
        ("abs", "abs"), ("erf", "erf"), ("sign", "erf"), ("sign", "sign"), ("erf", "sign")
    )
    return (), mean(names, ("*", *(fn(k, m.t.affine(names)) for k in kinds)), laws)


@generator("image")
def _image(m: Maker) -> Any:
    """Return forms of new variables, with laws that mostly are the right ones."""
    names = m.t.names(m.rng.choice((1, 1, 2, 3)))
    new = tuple(("s", f"k_{i}", "R") for i in range(m.rng.choice((1, 2, 2, 3))))
    laws = m.t.laws(len(new), noise=0.15)
    noisy = {x: law[1] for x, law in zip(_of(new, laws), laws, strict=True) if law[0] == "noise"}
    gaussian = [x for x in new if x not in noisy]
    values, old = [], list[Term]()
    left = list(noisy)
    while len(values) < len(names):
        if left:
            x = left.pop()
            values.append(x)
            old.append(("noise", noisy[x]))
            continue
        count = m.rng.randint(1, len(names) - len(values))
        forms = [m.t.affine(gaussian or new) for _ in range(count)]
        values += forms
        old.append(_moved(m, forms, new, laws))
    body = m.t.moderate(names, 2)
    return (), mean(names, body, old), lam(new, *values[: len(names)]), laws


def _of(names: tuple[Term, ...], laws: tuple[Term, ...]) -> list[Term]:
    """Return the first variable of each law."""
    found, i = [], 0
    for law in laws:
        found.append(names[i])
        i += law_dimension(law)
    return found


def _moved(m: Maker, forms: list[Term], names: tuple[Term, ...], laws: tuple[Term, ...]) -> Term:
    """Return the law of affine forms, or one that is to be shown equal to it."""
    n = len(forms)
    if m.chance(0.5):
        return m.t.law(n)
    means, rows = joint_moments(laws)
    old, entries = [], []
    lines = [affine_coefficients(f, names) for f in forms]
    for row, rest in lines:
        old.append(sum_of_terms([rest, *map(product_of_factors, row, means)]))
    for (a, _), (b, _) in product(lines, repeat=2):
        entries.append(sum_of_terms([product_of_factors(a[p], rows[p][q], b[q])
                              for p, q in product(range(len(names)), repeat=2)]))  # fmt: skip
    return ("gauss", n, *old, *entries)


@generator("independent")
def _independent(m: Maker) -> Any:
    names = m.t.names(m.rng.choice((2, 3)))
    laws = m.t.laws(len(names), noise=0.4)
    if len(laws) == 1:
        laws = tuple(m.t.law(1) for _ in names)
    parts = laws_with_variables(mean(names, ONE, laws))
    mine = m.rng.sample(range(len(laws)), m.rng.randint(1, len(laws) - 1))
    chosen = [s for i, (b, _) in enumerate(parts) if i in mine for s in b]
    others = [s for s in names if s not in chosen]
    factors, places = [], []
    for i in range(1, m.rng.choice((2, 2, 3)) + 1):
        first = m.chance(0.5) if i > 1 else True
        first = False if i == 2 and len(factors) == 1 else first
        factors.append(m.t.moderate(chosen if first else others, 1))
        if first:
            places.append(i)
    order = list(range(len(factors)))
    if m.chance(0.5):
        m.rng.shuffle(order)
    body = ("*", *(factors[k] for k in order))
    where = [k + 1 for k, old in enumerate(order) if old + 1 in places]
    if m.chance(0.3):
        m.rng.shuffle(where)
    return (), mean(names, body, laws), [mine, where]


@generator("integrable")
def _integrable(m: Maker) -> Any:
    node = m.t.expectation(depth=m.rng.choice((1, 2, 3)))
    if m.chance(0.5):
        names, (body,) = bound_variables(node), binder_bodies(node)
        form = m.t.affine(names)
        more = m.t.pick(
            fn("abs", form),
            fn("sign", body),
            fn("max", form, body),
            fn("log", ("+", ONE, square(form))),
            fn("exp", ("*", R, fn("abs", form))),
            fn("exp", ("+", form, ("*", num(-1), fn("abs", names[0])))),
            fn("exp", ("+", fn("abs", form), fn("abs", m.t.affine(names)))),
            ("^", 2, 1, fn("abs", form)),
            fn("log", fn("abs", form)),
            fn("exp", ("*", TWO, ("+", fn("abs", form), ONE))),
        )
        node = replace_parts(node, {(2, 0): m.t.pick(more, ("+", body, more), ("*", more, body))})
    return (), node


@generator("jensen")
def _jensen(m: Maker) -> Any:
    x = m.rng.choice(VARIABLES)
    return (convexity(m, x),), _plain(m, m.rng.choice((1, 2)))


@generator("moderate")
def _moderate(m: Maker) -> Any:
    names = m.t.names(m.rng.choice((1, 1, 2)))
    return (), lam(names, m.t.moderate(names, m.rng.choice((1, 2, 3))))


def _copies(m: Maker, count: Term | None = None) -> Term:
    names = m.t.names(m.rng.choice((1, 1, 2)))
    f = m.t.pick(m.t.polynomial(names), m.t.moderate(names, 1))
    n = count or m.t.pick(N, M, TWO, ("+", N, ONE), R)
    return ("copies", names, (f,), (n, *m.t.laws(len(names), noise=0.1)))


@generator("moments of copies")
def _moments(m: Maker) -> Any:
    c = _copies(m)
    names = m.t.names(m.rng.choice((1, 2)))
    return (), mean(names, m.t.pick(c, square(c)), m.t.laws(len(names)))


@generator("no copies")
def _no_copies(m: Maker) -> Any:
    return (), _copies(m, ZERO)


@generator("noise")
def _noise(m: Maker) -> Any:
    return (), ("noise", m.t.term(2))


@generator("one copy more")
def _one_more(m: Maker) -> Any:
    c = _copies(m)
    names = m.t.names(m.rng.choice((1, 2)))
    f = m.t.polynomial(names, 1)
    body = m.t.pick(c, square(c), ("*", c, f), ("+", ("*", f, c), square(("+", c, f))), f,
                    fn("erf", ("*", c, f)), ("*", mean((X,), X, (NORMAL,)), c),
                    ("*", mean((X,), c, (NORMAL,)), c))  # fmt: skip
    return (), mean(names, body, m.t.laws(len(names))), c


@generator("poincare")
def _poincare(m: Maker) -> Any:
    return (), _plain(m, noise=0.02)


@generator("price")
def _price(m: Maker) -> Any:
    names = m.t.names(m.rng.choice((1, 2, 2)), [R])
    a, b, c, e = (
        m.t.pick(ZERO, ONE, R, square(R), ("*", R, P), Z, fn("exp", R), W) for _ in range(4)
    )
    n = len(names)
    law = ("gauss", 1, a, b) if n == 1 else ("gauss", 2, a, m.t.pick(ZERO, R), b, e, e, c)
    while True:
        f = m.t.moderate(list(names), 2)
        if "copies" not in repr(f) and (R not in _free(f) or m.chance(0.02)):
            break
    return (), ("d", (1,), (R,), (mean(names, f, (law,)),), (m.t.term(1),))


def _free(t: Term) -> frozenset[Term]:
    from slrsym.checker.term import free_symbols

    return free_symbols(t)


@generator("psd image")
def _psd_image(m: Maker) -> Any:
    n, k = m.rng.choice((1, 2, 2, 3)), m.rng.choice((1, 2, 2))
    factor = tuple(m.t.pick(ZERO, ONE, m.t.coefficient()) for _ in range(n * k))
    if m.chance(0.5):
        diagonal = [m.t.coefficient() for _ in range(k)]
        source: Term = ("tuple", *diagonal)
        s = [[diagonal[i] if i == j else ZERO for j in range(k)] for i in range(k)]
    else:
        s = [[m.t.coefficient() for _ in range(k)] for _ in range(k)]
        source = ("o", "psd", ("tuple", *(c for row in s for c in row)))
    entries = [
        sum_of_terms([product_of_factors(factor[i * k + p], s[p][q], factor[j * k + q])
               for p, q in product(range(k), repeat=2)])
        if m.chance(0.7) else m.t.coefficient()
        for i, j in product(range(n), repeat=2)
    ]  # fmt: skip
    return (), ("o", "psd", ("tuple", *entries)), source, factor


@generator("stein")
def _stein(m: Maker) -> Any:
    node = _plain(m, noise=0.08)
    names = bound_variables(node)
    others = m.t.pick(names, m.t.names(len(names)))
    while True:
        h = m.t.moderate(others, 2)
        if "copies" not in repr(h) or m.chance(0.03):
            break
    return (), node, lam(others, h), m.rng.randrange(len(names))
