"""Derivatives and the rules of calculus (section 4.7)."""

from . import terms as tm
from .forms import leaving, mod, poly, term
from .matrix_nodes import curvature_at, product, slope_at, trace, transposed
from .substitution import lost
from .terms import (
    HALF,
    MINUS,
    MINUS_HALF,
    MINUS_OO,
    MINUS_TWO,
    ONE,
    OO,
    PI,
    TWO,
    ZERO,
    Refused,
    add,
    apart,
    both,
    defined,
    deriv,
    either,
    eq,
    fresh,
    fun,
    implies,
    is_term,
    le,
    lt,
    mul,
    neg,
    num,
    power,
    same,
    sorted_as,
    square,
    subst,
    symbol,
)
from .theorems import merged, need, rule

# --- derivatives -----------------------------------------------------------


def unfolded(t):
    """Return erf_prime or erf_second of a term by powers and exp."""
    u = t.parts[0]
    w = mul(TWO, power(PI, -1, 2), fun("exp", neg(square(u))))
    return w if t.params[0] == "erf_prime" else mul(MINUS_TWO, u, w)


def outer(t, i, asked, cited):
    """Return the derivative of a table function in argument i; append what it asks."""
    h, u = t.params[0], t.parts[0]
    if h == "exp":
        return t
    if h == "erf":
        return fun("erf_prime", u)
    if h == "log":
        asked.append(lt(ZERO, u))
        return power(u, -1)
    if h == "asin":
        rest = add(ONE, neg(square(u)))
        asked.append(lt(ZERO, rest))
        return power(rest, -1, 2)
    if h == "atan":
        return power(add(ONE, square(u)), -1)
    if h == "abs":
        asked.append(tm.rel("!=", u, ZERO))
        return mul(t, power(u, -1))
    if h in ("sin", "cos", "sinh", "cosh"):
        return {
            "sin": fun("cos", u),
            "cos": neg(fun("sin", u)),
            "sinh": fun("cosh", u),
            "cosh": fun("sinh", u),
        }[h]
    if h == "tanh":
        return add(ONE, neg(square(t)))
    need((h, i) in cited, "no derivative of " + h)
    symbols, right = cited[h, i]
    return subst(right, dict(zip(symbols, t.parts, strict=True)))


def D(t, x, asked, cited):
    """Return the derivative of t in x, and append the relations that it asks."""
    if x not in t.free:
        return ZERO
    if t is x:
        return ONE
    h, parts = t.head, t.parts
    if h == "+":
        return add(*(D(p, x, asked, cited) for p in parts))
    if h == "*":
        return add(
            *(
                mul(*((*parts[:i], D(p, x, asked, cited), *parts[i + 1 :])))
                for i, p in enumerate(parts)
                if x in p.free
            )
        )
    if h == "^":
        p, q = t.params
        b = parts[0]
        if q != 1:
            asked.append(lt(ZERO, b))
        return mul(num(p, q), ONE if p == q else power(b, p - q, q), D(b, x, asked, cited))
    if h == "u":
        name, sort, orders = t.params
        out = []
        for i, a in enumerate(parts):
            if x in a.free:
                more = (*orders[:i], orders[i] + 1, *orders[i + 1 :])
                out.append(mul(tm.build("u", (name, sort, more), parts), D(a, x, asked, cited)))
        return add(*out)
    if h == "f":
        if t.params[0] in ("erf_prime", "erf_second"):
            return D(unfolded(t), x, asked, cited)
        inner = [(i, D(a, x, asked, cited)) for i, a in enumerate(parts) if x in a.free]
        return add(*(mul(outer(t, i, asked, cited), d) for i, d in inner))
    if h == "sum":
        return D_sum(t, x, asked, cited)
    if h == "int":
        return D_int(t, x, asked, cited)
    if h == "d":
        D(subst(t.inside[0], dict(zip(t.vars, t.outside, strict=True))), x, asked, cited)
        for p in lost(t.vars, t.inside[0], t.outside):
            D(p, x, asked, cited)
        return D(evaluated(t, asked, cited), x, asked, cited)
    if h in ("M.h", "M.grad"):
        return D_function(t, D(parts[0], x, asked, cited))
    if h in ("M.tr", "M.T", "M.mul", "M.add", "M.scale"):
        return D_matrix(t, x, asked, cited)
    raise Refused("no derivative of a node " + h)


def D_function(t, slope):
    """Return the derivative of an unknown function or of its gradient, by the chain rule (U3)."""
    (name,), (at,) = t.params, t.parts
    if t.head == "M.grad":
        return product(curvature_at(name, at), slope)
    return trace(product(transposed(slope_at(name, at)), slope))


def D_matrix(t, x, asked, cited):
    """Return the derivative of a trace or of a matrix in which x is free (the extension, M4)."""
    h, parts = t.head, t.parts
    if h in ("M.tr", "M.T"):
        return tm.build(h, (), (D(parts[0], x, asked, cited),))
    out = []
    for i, p in enumerate(parts):
        if x in p.free:
            slope = D(p, x, asked, cited)
            kept = h != "M.add"
            out.append(tm.build(h, (), (*parts[:i], slope, *parts[i + 1 :])) if kept else slope)
    return tm.build("M.add", (), tuple(out))


def D_sum(t, x, asked, cited):
    """Return the derivative of a sum, by its parts."""
    y, f, (a, b) = t.vars[0], t.inside[0], t.outside
    ends = a.free | b.free
    need(x not in ends and y not in ends, "the range depends on a variable")
    more = []
    body = D(f, x, more, cited)
    asked += [tm.forall([y], implies(both(le(a, y), le(y, b)), p)) for p in more]
    return tm.sum_(y, body, a, b)


def D_int(t, x, asked, cited):
    """Return the derivative of an integral, by Leibniz's rule."""
    y, f, (a, b) = t.vars[0], t.inside[0], t.outside
    need(
        is_term(a) and is_term(b) and y not in a.free and y not in b.free and continuous(f, y),
        "no rule for this integral",
    )
    more = []
    body = D(f, x, more, cited)
    for q in [defined(f), *more]:
        asked.append(
            tm.forall([y], implies(either(both(le(a, y), le(y, b)), both(le(b, y), le(y, a))), q))
        )
    out = [tm.int_(y, body, a, b)]
    for sign, end in ((ONE, b), (MINUS, a)):
        if x in end.free:
            more = []
            D(f, y, more, cited)
            asked += [subst(p, {y: end}) for p in more]
            out.append(mul(sign, subst(f, {y: end}), D(end, x, asked, cited)))
    return add(*out)


def continuous(f, x):
    """Tell whether a term is continuous by form in x (4.8)."""
    if x not in f.free or f is x:
        return True
    if f.head not in ("+", "*", "^", "f", "u") or (f.head == "f" and f.params[0] == "sign"):
        return False
    return all(continuous(p, x) for p in f.parts)


def evaluated(t, asked, cited):
    """Return the value of a node d by the rules of differentiation."""
    asked += [defined(p) for p in lost(t.vars, t.inside[0], t.outside)]
    new = apart(t.vars, t.free | set(t.vars))
    w, more = subst(t.inside[0], new), []
    g = w
    for x, count in zip(t.vars, t.params[0], strict=True):
        if count and g is not w:
            D(w, new[x], more, cited)
        for _ in range(count):
            g = D(g, new[x], more, cited)
            need(g.size + sum(p.size for p in more) <= tm.MAX_NODES, "a derivative is too large")
    back = {new[x]: p for x, p in zip(t.vars, t.outside, strict=True)}
    asked += [subst(p, back) for p in more]
    return subst(g, back)


def cited_derivatives(premises):
    """Return the derivatives of table functions that premises state."""
    out = {}
    for p in premises:
        c = p.conclusion
        if p.hypotheses or c.head != "=" or c.parts[0].head != "d":
            continue
        left, right = c.parts
        if left.params[0] != (1,) or left.inside[0].head != "f":
            continue
        x, f, point = left.vars[0], left.inside[0], left.outside[0]
        if f.parts.count(x) != 1:
            continue
        at = f.parts.index(x)
        symbols = (*f.parts[:at], point, *f.parts[at + 1 :])
        if (
            all(s.head == "s" and s.params[1] == "R" for s in symbols)
            and len(set(symbols)) == len(symbols)
            and right.free <= set(symbols)
        ):
            out[f.params[0], at] = symbols, right
    return out


# --- rules -----------------------------------------------------------------


@rule("definition", "t")
def definition(_, t):
    """Conclude what zeta or Owen's T is."""
    need(t.head == "f" and t.params[0] in ("zeta", "owens") and not t.copies, "no definition")
    a, b = t.parts
    v = fresh(symbol("v"), t.free)
    if t.params[0] == "zeta":
        right = tm.E([v], square(fun("erf", add(a, mul(b, v)))), [tm.gauss([ZERO], [[ONE]])])
    else:
        rest = add(ONE, square(v))
        body = mul(fun("exp", mul(MINUS_HALF, square(a), rest)), power(rest, -1))
        right = mul(HALF, power(PI, -1), tm.int_(v, body, ZERO, b))
    return eq(t, right), [defined(a), defined(b)]


@rule("derivative", "t", None)
def derivative(premises, t):
    """Conclude the value of a derivative."""
    need(t.head == "d", "no derivative")
    asked = []
    value = evaluated(t, asked, cited_derivatives(premises))
    here = subst(t.inside[0], dict(zip(t.vars, t.outside, strict=True)))
    return eq(t, value), [*merged(premises).values(), *asked, defined(here)]


@rule("exponential of a sum", "t")
def exponential_of_a_sum(_, t):
    """Conclude that the exponential of a sum is a product."""
    need(t.head == "f" and t.params[0] == "exp" and t.parts[0].head == "+", "no such term")
    parts = t.parts[0].parts
    return eq(t, mul(*(fun("exp", a) for a in parts))), [defined(a) for a in parts]


def antiderivative(g, x, c):
    """Return at c a function that has the derivative g in x."""
    if x not in g.free:
        return mul(g, c)
    need(g.head == "d" and g.params[0] == (1,) and g.outside[0] is x, "no derivative")
    f, y = g.inside[0], g.vars[0]
    need(x not in tm.lam([y], f).free, "the variable occurs in the function")
    return subst(f, {y: c})


@rule("mean value", "t t t", 1, ["mean-value-theorem"])
def mean_value(premises, x, low, high):
    """Conclude a relation of functions from one of their derivatives."""
    c = premises[0].conclusion
    need(c.head in tm.RELATIONS and c.head != "!=", "no relation")
    need(x.head == "s" and x.params[1][0] == "R" and x.params[1] != "R!=0", "no such symbol")
    need(
        is_term(low) and is_term(high) and x not in low.free and x not in high.free,
        "the ends depend on the variable",
    )
    a, b = c.parts

    def total(p, e, q, g):
        return add(antiderivative(p, x, e), antiderivative(q, x, g))

    shell = tm.int_(x, ZERO, low, high)
    hyps = list(leaving(shell, premises[0].hypotheses).values())
    hyps.append(tm.rel("<" if c.head == "<" else "<=", low, high))
    if x.params[1] != "R":
        hyps += sorted_as(x.params[1], low) + sorted_as(x.params[1], high)
    return tm.rel(c.head, total(a, high, b, low), total(b, high, a, low)), hyps


@rule("fundamental theorem", "t", 1, ["fundamental-theorem-of-calculus"])
def fundamental_theorem(premises, node):
    """Conclude the value of an integral of a derivative."""
    c = premises[0].conclusion
    need(node.head == "int" and c.head == "=" and same(c.parts[0], node.inside[0]), "another body")
    x, (a, b), s = node.vars[0], node.outside, c.parts[1]
    need(
        s.head == "d"
        and x in s.free
        and x not in a.free
        and x not in b.free
        and a is not OO
        and b is not MINUS_OO,
        "no such integral",
    )
    hyps = [*list(leaving(node, premises[0].hypotheses).values()), defined(node)]
    values = []
    for end in (b, a):
        if is_term(end):
            values.append(antiderivative(s, x, end))
        else:
            hyps += vanishing(antiderivative(s, x, x), x)
            values.append(ZERO)
    return eq(node, add(values[0], neg(values[1]))), hyps


def vanishing(f, x):
    """Return formulas under which a Gaussian bell times a moderate factor vanishes far out."""
    factors = list(f.parts) if f.head == "*" else [f]
    at = next(
        (
            i
            for i, p in enumerate(factors)
            if p.head == "f" and p.params[0] == "exp" and x in p.free
        ),
        None,
    )
    need(at is not None, "no exponential")
    form = poly(factors[at].parts[0], [x])
    need(max(form) == (2,), "no bell")
    out = [q for i, p in enumerate(factors) if i != at for q in mod(p, {x})]
    out += mod(factors[at].parts[0], {x})
    return out + [defined(c) for c in form.values()] + [lt(form[2,], ZERO)]


@rule("smooth", "t t")
def smooth(_, function, point):
    """Conclude that functions are smooth near a point."""
    need(
        function.head == "lam"
        and all(x.params[1] == "R" for x in function.vars)
        and point.head == "tuple"
        and len(point.parts) == len(function.vars)
        and tm.terms(point.parts),
        "no function and point",
    )
    new = apart(function.vars, function.free | point.free)
    back = {new[x]: p for x, p in zip(function.vars, point.parts, strict=True)}
    hyps = [
        subst(q, back)
        for b in function.inside
        for q in smooth_conditions(subst(b, new), frozenset(new.values()))
    ]
    return (tm.sentence("smooth", function, point), hyps + [defined(c) for c in point.parts])


_SMOOTH = frozenset(
    [
        "exp",
        "erf",
        "erf_prime",
        "erf_second",
        "sin",
        "cos",
        "sinh",
        "cosh",
        "tanh",
        "atan",
        "zeta",
        "owens",
    ]
)


def smooth_conditions(t, names):
    """Return formulas under which a term is smooth in the names."""
    if t.free.isdisjoint(names):
        return [] if t.head in ("n", "pi") else [defined(t)]
    if t in names:
        return []
    need(t.head in ("+", "*", "^", "f", "u"), "not smooth by form")
    out = [q for p in t.parts for q in smooth_conditions(p, names)]
    a = t.parts[0]
    if t.head == "^" and t.params[1] != 1:
        out.append(lt(ZERO, a))
    elif t.head == "^" and t.params[0] < 0:
        out.append(tm.rel("!=", a, ZERO))
    elif t.head == "f" and t.params[0] not in _SMOOTH:
        need(t.params[0] in ("log", "abs", "asin"), "not smooth by form")
        out.append(
            {"log": lt(ZERO, a), "abs": tm.rel("!=", a, ZERO), "asin": lt(square(a), ONE)}[
                t.params[0]
            ]
        )
    return out


def curvature(premise):
    """Return (convex, y, f, x) of a premise about a second derivative."""
    c = premise.conclusion
    need(c.head in ("<", "<=") and (c.parts[0] is ZERO or c.parts[1] is ZERO), "no curvature")
    convex = c.parts[0] is ZERO
    s = c.parts[1] if convex else c.parts[0]
    need(s.head == "d" and s.params[0] == (2,), "no second derivative")
    y, f, x = s.vars[0], s.inside[0], s.outside[0]
    need(x.head == "s" and x.params[1][0] == "R" and x.params[1] != "R!=0", "no such symbol")
    need(
        x not in tm.lam([y], f).free
        and not f.copies
        and all(x not in h.free for h in premise.hypotheses.values()),
        "the symbol is not free",
    )
    return convex, y, f, x


@rule("tangent", "t t", 1, ["taylor-theorem"])
def tangent(premises, at, point):
    """Conclude how a convex or concave function lies to its tangent."""
    convex, y, f, x = curvature(premises[0])
    term(at), term(point)
    line = add(subst(f, {y: at}), mul(deriv((1,), [y], f, [at]), add(point, neg(at))))
    value = subst(f, {y: point})
    hyps = list(merged(premises).values())
    hyps += sorted_as(x.params[1], at) + sorted_as(x.params[1], point)
    return (le(line, value) if convex else le(value, line)), hyps
