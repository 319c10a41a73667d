"""Rules of expectations and means (section 4.9), except Gaussian integrals."""

from . import terms as tm
from .calculus import curvature
from .forms import (
    added,
    affine,
    exists,
    expectation,
    groups,
    growing,
    joint,
    law_moments,
    mod,
    multiplied,
    opened,
    quadratic,
    term,
)
from .terms import (
    HALF,
    MINUS,
    MINUS_HALF,
    MINUS_OO,
    ONE,
    OO,
    PI,
    TWO,
    ZERO,
    E,
    add,
    apart,
    both,
    build,
    check,
    defined,
    deriv,
    eq,
    fun,
    integer,
    le,
    lt,
    mul,
    neg,
    partial,
    power,
    same,
    sorted_as,
    square,
    subst,
    symbol,
    whole,
    with_body,
)
from .theorems import merged, need, rule


def gaussian(node):
    """Refuse an expectation with a noise or with copies in its body."""
    xs, f, laws = expectation(node)
    need(all(law.head == "gauss" for law in laws) and not f.copies, "no Gaussian expectation")
    return xs, f, laws


@rule("cauchy-schwarz", "t t", 0, ["cauchy-schwarz"])
def cauchy_schwarz(_, first, second):
    """Conclude a bound of the mean of a product."""
    xs, a, laws = expectation(first)
    ys, b, others = expectation(second)
    need(xs == ys and laws == others and not a.copies and not b.copies, "no pair of means")
    product, left, right = (with_body(first, f) for f in (mul(a, b), square(a), square(b)))
    return (
        le(square(product), mul(left, right)),
        [defined(product), defined(left), defined(right)],
    )


@rule("copies exist", "t")
def copies_exist(_, c):
    """Conclude that copies of a moderate function exist."""
    need(c.head == "copies", "no copies")
    return defined(c), mod(c, frozenset())


@rule("density", "t", 0, ["gaussian-density"])
def density(_, node):
    """Conclude that a mean of one Gaussian variable is an integral."""
    xs, f, laws = gaussian(node)
    need(len(xs) == 1 and len(laws) == 1, "more than one variable")
    x, (m, v) = xs[0], laws[0].parts
    need(x not in m.free and x not in v.free, "the law has the variable")
    bell = fun("exp", mul(MINUS_HALF, power(v, -1), square(add(x, neg(m)))))
    body = mul(power(mul(TWO, PI, v), -1, 2), f, bell)
    return eq(node, tm.int_(x, body, MINUS_OO, OO)), [lt(ZERO, v), defined(node)]


@rule("derivative of expectation", "t", 0, ["dominated-convergence"])
def derivative_of_expectation(_, t):
    """Conclude that a derivative of a mean is the mean of a derivative."""
    need(t.head == "d" and not t.copies and t.inside[0].head == "E", "no such derivative")
    node, rs = t.inside[0], t.vars
    xs, f, laws = expectation(node)
    need(not f.copies and all(law.free.isdisjoint(rs) for law in laws), "the laws depend")
    new = apart(xs, t.free | set(rs))
    g = subst(f, new)
    ys = [new[x] for x in xs]
    places = apart(rs, t.free | set(ys))
    hyps = mod(subst(g, places), set(ys) | set(places.values()))
    hyps += exists(laws) + quadratic(node) + [defined(p) for p in t.outside]
    return eq(t, E(ys, deriv(t.params[0], rs, g, t.outside), laws)), hyps


@rule("fubini", "t json", 0, ["fubini"])
def fubini(_, node, count):
    """Conclude that an expectation is a nested one."""
    xs, f, laws = expectation(node)
    need(whole(count) and 0 < count < len(laws) and not f.copies, "no two groups")
    at = sum(map(tm.dimension, laws[:count]))
    outer, inner = xs[:at], xs[at:]
    need(all(law.free.isdisjoint(outer) for law in laws[count:]), "a law has a variable")
    nested = E(outer, E(inner, f, laws[count:]), laws[:count])
    return eq(node, nested), [defined(node), defined(nested)]


@rule("image", "t t ts", 0, ["gaussian-linear-image"])
def image(_, node, forms, laws):
    """Conclude that variables may be affine forms of others."""
    xs, f, old = expectation(node)
    need(forms.head == "lam" and len(forms.inside) == len(xs) and not forms.copies, "no forms")
    ys, values = forms.vars, forms.inside
    need(node.free.isdisjoint(ys), "a variable is free in the node")
    shell = check(E(ys, ONE, laws))
    rows, rests = zip(*(affine(v, ys) for v in values), strict=True)
    noises = {
        g[0]: law.parts[0]
        for law, g in zip(laws, groups(shell), strict=True)
        if law.head == "noise"
    }
    (m, c), (mu, k) = joint(old), joint(laws)
    pairs, used = [], {}
    for law, g in zip(old, groups(node), strict=True):
        if law.head == "noise":
            i = xs.index(g[0])
            need(values[i] in noises and values[i] not in used.values(), "no matching noise")
            used[i] = values[i]
            pairs.append((law.parts[0], noises[values[i]]))
    for i, v in enumerate(values):
        need(i in used or v.free.isdisjoint(noises), "a noise occurs in a value")
        pairs.append((m[i], added([rests[i], *map(multiplied, rows[i], mu)])))
        for j in range(i + 1):
            pairs.append(
                (
                    c[i][j],
                    added(
                        [
                            multiplied(rows[i][p], k[p][q], rows[j][q])
                            for p in range(len(ys))
                            for q in range(len(ys))
                        ]
                    ),
                )
            )
    other = E(ys, subst(f, dict(zip(xs, values, strict=True))), laws)
    hyps = [eq(a, b) for a, b in pairs if not same(a, b)]
    return eq(node, other), [*hyps, defined(node), defined(other)]


def product(parts):
    """Return a product node, or the part if it is one."""
    return parts[0] if len(parts) == 1 else mul(*parts)


def numbers_of(data, low, high):
    """Read a proper subset, not empty, of the integers from low to high - 1."""
    need(
        type(data) in (list, tuple)
        and all(whole(i) and low <= i < high for i in data)
        and 0 < len(set(data)) == len(data) < high - low,
        "no proper subset",
    )
    return set(data)


@rule("independent", "t json", 0, ["fubini"])
def independent(_, node, data):
    """Conclude that the mean of independent factors is a product."""
    _xs, body, laws = expectation(node)
    need(type(data) in (list, tuple) and len(data) == 2 and body.head == "*", "no product")
    chosen = numbers_of(data[0], 0, len(laws))
    mine = numbers_of(data[1], 1, len(body.parts) + 1)
    f = product([p for i, p in enumerate(body.parts, 1) if i in mine])
    g = product([p for i, p in enumerate(body.parts, 1) if i not in mine])
    parted = list(zip(laws, groups(node), strict=True))
    one = [p for i, p in enumerate(parted) if i in chosen]
    two = [p for i, p in enumerate(parted) if i not in chosen]
    first, second = ([x for _, g_ in part for x in g_] for part in (one, two))
    need(f.free.isdisjoint(second) and g.free.isdisjoint(first), "a factor has a variable")
    need(not (f.copies and g.copies), "copies in both factors")
    left, right = E(first, f, [p[0] for p in one]), E(second, g, [p[0] for p in two])
    return eq(node, mul(left, right)), [defined(left), defined(right)]


@rule("integrable", "t", 0, ["gaussian-moments"])
def integrable(_, node):
    """Conclude that a mean exists by form."""
    expectation(node)
    return defined(node), exists(node.outside) + quadratic(node) + growing(*opened(node))


@rule("jensen", "t", 1, ["jensen"])
def jensen(premises, node):
    """Conclude how a convex function of a mean lies to the mean."""
    convex, y, f, x = curvature(premises[0])
    xs, h, laws = expectation(node)
    need(not h.copies and tm.lam([y], f).free.isdisjoint(xs), "a variable is not bound apart")
    a, b = subst(f, {y: node}), E(xs, subst(f, {y: h}), laws)
    hyps = [*merged(premises).values(), defined(node), defined(b)]
    hyps += [tm.forall(xs, p) for p in sorted_as(x.params[1], h)]
    return (le(a, b) if convex else le(b, a)), hyps


@rule("moderate", "t")
def moderate(_, f):
    """Conclude that a function is moderate by form."""
    need(f.head == "lam" and len(f.inside) == 1, "no function")
    b = f.inside[0]
    return (both(tm.sentence("moderate", f), tm.forall(f.vars, defined(b))), mod(*opened(f)))


@rule("moments of copies", "t", 0, ["fubini", "induction"])
def moments_of_copies(_, node):
    """Conclude the mean of copies or of their square."""
    xs, body, outer = expectation(node)
    squared = body.head == "^" and body.params == (2, 1)
    c = body.parts[0] if squared else body
    need(c.head == "copies" and c.free.isdisjoint(xs), "no copies")
    n, laws, zs, f = c.outside[0], c.outside[1:], c.vars, c.inside[0]
    a, b = E(zs, f, laws), E(zs, square(f), laws)
    hyps = [*exists(outer), integer(n), le(ZERO, n), defined(a)]
    if not squared:
        return eq(node, mul(n, a)), hyps
    pairs = mul(n, add(n, MINUS), square(a))
    return eq(node, add(mul(n, b), pairs)), [*hyps, defined(b)]


@rule("no copies", "t")
def no_copies(_, c):
    """Conclude that no copies add up to zero."""
    need(c.head == "copies" and c.outside[0] is ZERO, "no empty copies")
    return eq(c, ZERO), [defined(c)]


@rule("noise", "t")
def noise(_, law):
    """Conclude the mean and the variance of a noise."""
    need(law.head == "noise", "no noise")
    x, v = symbol("x"), law.parts[0]
    return both(eq(E([x], x, [law]), ZERO), eq(E([x], square(x), [law]), v)), [le(ZERO, v)]


@rule("one copy more", "t t", 0, ["fubini"])
def one_copy_more(_, node, c):
    """Conclude that one draw may be taken out of copies."""
    xs, f, laws = expectation(node)
    need(c.head == "copies" and c.free.isdisjoint(xs), "no copies")
    n, others = c.outside[0], c.outside[1:]
    new = apart(c.vars, node.free | set(xs))
    fewer = build("copies", (), (), c.vars, c.inside, (add(n, MINUS), *others))
    body = without(f, c, add(fewer, subst(c.inside[0], new)))
    need(not without(f, c, ZERO).copies, "other copies remain")
    right = E(list(xs) + [new[z] for z in c.vars], body, laws + others)
    return eq(node, right), [integer(n), le(ONE, n), defined(node), defined(right)]


def without(t, c, value):
    """Return a term with a value in the place of copies."""
    if same(t, c):
        return value
    if not any(p.copies for p in t.parts):
        return t
    need(t.head not in tm.BINDERS, "copies in a binder")
    return build(t.head, t.params, tuple(without(p, c, value) if p.copies else p for p in t.parts))


@rule("poincare", "t", 0, ["gaussian-poincare"])
def poincare(_, node):
    """Conclude a bound of a variance by slopes."""
    xs, f, laws = gaussian(node)
    _m, c = joint(laws)
    need(all(e.free.isdisjoint(xs) for row in c for e in row), "the law has a variable")
    slopes = [partial(xs, i, f, xs) for i in range(len(xs))]
    terms, hyps = [], exists(laws) + mod(*opened(node))
    for i, s in enumerate(slopes):
        for j, r in enumerate(slopes):
            if c[i][j] is not ZERO:
                mean = E(xs, mul(s, r), laws)
                terms.append(mul(c[i][j], mean))
                hyps.append(defined(mean))
    second = with_body(node, square(f))
    return (
        le(add(second, neg(square(node))), added(terms)),
        [*hyps, defined(node), defined(second)],
    )


@rule("price", "t", 0, ["price-theorem"])
def price(_, t):
    """Conclude the derivative of a mean in a parameter of its law."""
    need(t.head == "d" and t.params[0] == (1,) and t.inside[0].head == "E", "no derivative")
    r, c, node = t.vars[0], t.outside[0], t.inside[0]
    xs, f, laws = gaussian(node)
    need(
        len(laws) == 1 and len(xs) <= 2 and r not in f.free and c.free.isdisjoint(xs),
        "no such mean",
    )
    means, matrix = law_moments(laws[0])
    need(len(xs) == 1 or matrix[0][1] is matrix[1][0], "two covariances")
    law = subst(laws[0], {r: c})
    _m, k = law_moments(law)
    rows, n = [], range(len(xs))

    def slope(e):
        return deriv((1,), [r], e, [c])

    def mean(*places):
        return E(xs, deriv([places.count(i) for i in n], xs, f, xs), [law])

    for i in n:
        if r in means[i].free:
            rows.append([slope(means[i]), mean(i)])
    for i in n:
        for j in n:
            if r in matrix[i][j].free:
                rows.append([HALF, slope(matrix[i][j]), mean(i, j)])
    need(rows, "the law does not depend")
    hyps = [lt(ZERO, k[0][0])]
    if len(xs) == 2:
        hyps.append(lt(ZERO, add(mul(k[0][0], k[1][1]), neg(square(k[0][1])))))
    hyps += [defined(p) for row in rows for p in row if p is not HALF]
    hyps += mod(*opened(E(xs, f, [law]))) + exists([law]) + [defined(c)]
    return eq(t, added([mul(*row) for row in rows])), hyps


@rule("psd image", "t t ts")
def psd_image(_, goal, source, factor):
    """Conclude that F S F' is positive semidefinite."""

    def is_psd(p):
        return p.head == "o" and p.params[0] == "psd"

    def matrix(parts):
        n = next(n for n in range(1, len(parts) + 1) if n * n == len(parts))
        return [parts[i * n : i * n + n] for i in range(n)]

    need(is_psd(goal), "no psd")
    p = matrix(goal.parts[0].parts)
    if is_psd(source):
        s, hyps = matrix(source.parts[0].parts), [source]
    else:
        need(source.head == "tuple" and source.parts and tm.terms(source.parts), "no source")
        d = source.parts
        s = [[d[i] if i == j else ZERO for j in range(len(d))] for i in range(len(d))]
        hyps = [le(ZERO, c) for c in d]
    n, m = len(p), len(s)
    need(len(factor) == n * m, "no n × m factor")
    f = [[term(c) for c in factor[i * m : i * m + m]] for i in range(n)]
    entries = {e for row in s for e in row}
    for i in range(n):
        for j in range(n):
            value = added(
                [multiplied(f[i][k], s[k][q], f[j][q]) for k in range(m) for q in range(m)]
            )
            if not (same(p[i][j], value) and (value is ZERO or value in entries)):
                hyps.append(eq(p[i][j], value))
    return goal, hyps + [defined(c) for c in factor if c.head != "n"]


@rule("stein", "t t json", 0, ["stein-lemma"])
def stein(_, node, h, place):
    """Conclude an integration by parts in one Gaussian variable."""
    xs, _body, laws = expectation(node)
    need(
        h.head == "lam"
        and len(h.vars) == len(xs)
        and len(h.inside) == 1
        and whole(place)
        and 0 <= place < len(xs),
        "no function",
    )
    f = subst(h.inside[0], dict(zip(h.vars, xs, strict=True)))
    need(not f.copies, "copies in the function")
    at = 0
    for law in laws:
        if at <= place < at + tm.dimension(law):
            break
        at += tm.dimension(law)
    need(law.head == "gauss", "the law is not Gaussian")
    means, matrix = law_moments(law)
    m, row = means[place - at], matrix[place - at]
    need(m.free.isdisjoint(xs), "the mean has a variable")
    left = E(xs, mul(add(xs[place], neg(m)), f), laws)
    slopes = [
        (c, E(xs, partial(xs, at + j, f, xs), laws)) for j, c in enumerate(row) if c is not ZERO
    ]
    hyps = [defined(left)] + [defined(s) for _, s in slopes]
    hyps += mod(*opened(E(xs, f, laws))) + exists(laws)
    return eq(left, added([mul(c, s) for c, s in slopes])), hyps
