"""The rules `gaussian integral` and `centred pair` (section 4.9)."""

from .expectations import gaussian
from .forms import added, affine, exists, joint, law_moments, mod, multiplied, opened, poly
from .terms import (
    HALF,
    MINUS_HALF,
    MINUS_TWO,
    ONE,
    PI,
    TWO,
    ZERO,
    add,
    eq,
    fun,
    le,
    lt,
    mul,
    num,
    power,
    square,
    with_body,
)
from .theorems import need, rule


def covariance(first, second, matrix):
    """Return the covariance of two affine forms."""
    n = range(len(matrix))
    return added([multiplied(first[i], matrix[i][j], second[j]) for i in n for j in n])


def mean_of(row, rest, means):
    """Return the mean of an affine form."""
    return added([rest, *map(multiplied, row, means)])


def exist(node, u):
    """Return formulas under which laws exist and u is moderate."""
    return exists(node.outside) + mod(*opened(with_body(node, u)))


@rule("gaussian integral", "t", 0, ["gaussian-integrals"])
def gaussian_integral(_, node):
    """Conclude the mean of erf, sign, abs or exp of a form."""
    xs, f, laws = gaussian(node)
    need(f.head == "f" and f.params[0] in ("erf", "sign", "abs", "exp"), "no such function")
    h, u = f.params[0], f.parts[0]
    hyps = exist(node, u)
    if h == "exp" and len(xs) == 1:
        return exp_of_one(node, u, hyps)
    if h == "exp" and len(xs) == 2 and max(map(sum, poly(u, list(xs)))) == 2:
        return exp_of_two(node, u, hyps)
    row, rest = affine(u, xs)
    means, k = joint(laws)
    m, v = mean_of(row, rest, means), covariance(row, row, k)
    if h == "exp":
        return eq(node, fun("exp", add(m, mul(HALF, v)))), hyps
    if h == "erf":
        return eq(node, fun("erf", mul(m, power(add(ONE, mul(TWO, v)), -1, 2)))), hyps
    s = fun("erf", mul(m, power(mul(TWO, v), -1, 2)))
    hyps.append(lt(ZERO, v))
    if h == "sign":
        return eq(node, s), hyps
    bell = fun("exp", mul(MINUS_HALF, square(m), power(v, -1)))
    return eq(node, add(mul(m, s), mul(power(mul(TWO, v), 1, 2), power(PI, -1, 2), bell))), hyps


def exp_of_one(node, u, hyps):
    """Conclude the mean of the exponential of a quadratic form in one variable."""
    mu, s = node.outside[0].parts
    form = poly(u, list(node.vars))
    need(max(form) <= (2,), "a degree above 2")
    a, b, c = (form.get((i,), ZERO) for i in (2, 1, 0))
    q = add(ONE, mul(MINUS_TWO, a, s))
    w = add(mul(a, square(mu)), mul(b, mu), mul(HALF, square(b), s))
    return (
        eq(node, mul(power(q, -1, 2), fun("exp", add(c, mul(w, power(q, -1)))))),
        [*hyps, lt(ZERO, q)],
    )


def exp_of_two(node, u, hyps):
    """Conclude the mean of the exponential of a centred quadratic form in two variables."""
    need(len(node.outside) == 1, "two laws")
    (m1, m2), ((s, k), (_, t)) = law_moments(node.outside[0])
    form = poly(u, list(node.vars))
    need((1, 0) not in form and (0, 1) not in form, "linear terms")
    a, b, c = (form.get(e, ZERO) for e in ((2, 0), (0, 2), (0, 0)))
    h = mul(HALF, form.get((1, 1), ZERO))

    def entry(p, x, q, y):
        return add(mul(p, x), mul(q, y))

    a11, a12 = entry(s, a, k, h), entry(s, h, k, b)
    a21, a22 = entry(k, a, t, h), entry(k, h, t, b)
    p1, p2 = (add(ONE, mul(MINUS_TWO, x)) for x in (a11, a22))
    z = add(mul(p1, p2), mul(num(-4), a12, a21))
    return (
        eq(node, mul(power(z, -1, 2), fun("exp", c))),
        [*hyps, eq(m1, ZERO), eq(m2, ZERO), lt(ZERO, z), lt(ZERO, add(p1, p2))],
    )


@rule("centred pair", "t", 0, ["bivariate-normal"])
def centred_pair(_, node):
    """Conclude the mean of a product of two functions of centred forms."""
    xs, f, laws = gaussian(node)
    need(f.head == "*" and len(f.parts) == 2, "no product of two")
    means, k = joint(laws)
    hyps, kinds, rows, spreads = exists(laws), [], [], []
    for part in f.parts:
        need(part.head == "f" and part.params[0] in ("erf", "sign", "abs"), "no such function")
        h, u = part.params[0], part.parts[0]
        row, rest = affine(u, xs)
        v = covariance(row, row, k)
        hyps += [*mod(*opened(with_body(node, u))), eq(mean_of(row, rest, means), ZERO)]
        if h != "erf":
            hyps.append(lt(ZERO, v))
        kinds.append(h)
        rows.append(row)
        spreads.append(added([ONE if h == "erf" else ZERO, mul(TWO, v)]))
    c, s = covariance(*rows, k), mul(*spreads)
    g = fun("asin", mul(TWO, c, power(s, -1, 2)))
    scale = mul(TWO, power(PI, -1))
    if "abs" not in kinds:
        return eq(node, mul(scale, g)), hyps
    need(kinds == ["abs", "abs"], "no such pair")
    z = add(square(power(s, 1, 2)), mul(num(-4), square(c)))
    return (eq(node, mul(scale, add(mul(HALF, power(z, 1, 2)), mul(c, g)))), [*hyps, le(ZERO, z)])
