"""Records about matrices that look right, row by row of the table M9, with what is right beside."""
# ruff: noqa: E501 - tables of records

from __future__ import annotations

from tests.checker.matrix_logs import (
    DIFFERENT,
    MEAN,
    OPEN,
    SHAPE,
    arithmetic,
    assumed,
    bad,
    good,
    isserlis,
    pair,
)
from tests.checker.matrix_nodes import (
    F1,
    F2,
    ONE,
    TWO,
    X2,
    ZERO,
    A,
    B,
    C,
    D,
    G,
    H,
    K,
    M,
    N,
    P,
    Q,
    R,
    S,
    T,
    U,
    W,
    X,
    Z,
    add,
    c,
    dim,
    eq,
    equal,
    inv,
    invertible,
    le,
    letter,
    mean,
    mul,
    null,
    num,
    one,
    plus,
    power,
    prod,
    psd,
    real,
    scale,
    t,
    tr,
)
from tests.checker.matrix_records import COMMUTING, INVERSE, SQUARE

# row by row of M9

SAS = plus(prod(M, M, tr(A, Z)), prod(M, tr(A), tr(Z)), prod(M, tr(T(A), Z)))
pair("one letter or two", MEAN, eq(mean([X], tr(X, T(X), A, X, T(X), Z)), SAS),
     eq(mean([X, X2], tr(X, T(X), A, X2, T(X2), Z)), SAS), isserlis)  # fmt: skip
good("two independent letters", eq(mean([X, X2], tr(X, T(X), A, X2, T(X2), Z)), prod(M, M, tr(A, Z))),
     isserlis(eq(mean([X, X2], tr(X, T(X), A, X2, T(X2), Z)), prod(M, M, tr(A, Z)))))  # fmt: skip
pair("a product of means", MEAN, eq(mean([X], power(tr(X, W), 2)), tr(W, T(W))),
     eq(mean([X], power(tr(X, W), 2)), ZERO), isserlis)  # fmt: skip
pair("a value at one", MEAN,
     eq(mean([X], tr(SQUARE, SQUARE)), plus(N, prod(N, N, power(M, -1)), prod(N, power(M, -1)))),
     eq(mean([X], tr(SQUARE, SQUARE)), plus(N, prod(N, N, power(M, -1)))), isserlis)  # fmt: skip
bad(
    "a value at one size",
    MEAN,
    eq(mean([X], tr(X, T(X))), N),
    isserlis(eq(mean([X], tr(X, T(X))), N)),
)
for name, x in [
    ("a number", real("n")),
    ("an integer", real("n", "Z>0")),
    ("a letter", letter("n")),
]:
    p = eq(prod(ZERO, N, x if x[0] == "s" else tr(x)), ZERO)
    bad(f"{name} with the name of a size", "one name", p, arithmetic(p))
for name, x in [
    ("sorts", S),
    ("shapes", letter("S", "M", "m")),
    ("families", letter("S", "S", family="F")),
]:
    p = eq(prod(ZERO, tr(letter("S")), tr(x)), ZERO)
    bad(f"a letter of two {name}", "one name", p, arithmetic(p))
bad(
    "the inverse of a semidefinite letter",
    SHAPE,
    eq(tr(P, inv(P)), N),
    arithmetic(eq(tr(P, inv(P)), N)),
)
bad(
    "the inverse of a symmetric letter",
    SHAPE,
    eq(tr(S, inv(S)), N),
    arithmetic(eq(tr(S, inv(S)), N)),
)
bad("a semidefinite letter is not invertible", "another sort", invertible(P), ["invertible", [], P])
bad("a definite trace of a semidefinite letter", OPEN,
    ["or", equal(A, null(A)), ["<", ZERO, tr(P, A, D, T(A))]], ["definite trace", [], P, A, D],
    given=(psd(P), psd(D), invertible(D)))  # fmt: skip
pair("a transpose", DIFFERENT, eq(tr(T(A), T(B)), tr(B, A)), eq(tr(A, B), tr(T(A), B)), arithmetic)
pair(
    "another order",
    DIFFERENT,
    eq(tr(A, B, C), tr(B, C, A)),
    eq(tr(A, B, C), tr(A, C, B)),
    arithmetic,
)
pair("symmetric letters in another order", DIFFERENT, eq(tr(S, R, P), tr(S, P, R)),
     eq(tr(S, R, P, Q), tr(S, P, R, Q)), arithmetic)  # fmt: skip
pair("letters of one family", DIFFERENT, COMMUTING, eq(tr(P, Q, A), tr(Q, P, A)), arithmetic)
for name, a, b in [
    ("two families", F1, letter("F2", "S>=0", family="G")),
    ("a family and none", F1, P),
]:
    bad(
        f"letters of {name}",
        DIFFERENT,
        eq(tr(a, b, A), tr(b, a, A)),
        arithmetic(eq(tr(a, b, A), tr(b, a, A))),
    )
bad("a value for one letter of a family", "has no value", eq(tr(P, F2, A), tr(F2, P, A)),
    arithmetic(COMMUTING), ["instance", [0], [[F1, P]]])  # fmt: skip
bad("values that do not commute", OPEN, eq(tr(P, Q, A), tr(Q, P, A)), arithmetic(COMMUTING),
    ["instance", [0], [[F1, P], [F2, Q]]], given=(psd(P), psd(Q)))  # fmt: skip
for name, a in [("sum", add(D, H)), ("product", mul(D, H)), ("square", mul(X, T(X))), ("unit", one()),
                ("inverse", inv(D)), ("transpose", T(G)), ("matrix", A)]:  # fmt: skip
    bad(f"the inverse of a {name}", SHAPE, eq(tr(a, inv(a)), N), arithmetic(eq(tr(a, inv(a)), N)))
bad("an instance with the inverse of a product", SHAPE, eq(tr(mul(G, K), inv(mul(G, K))), N),
    arithmetic(INVERSE), ["instance", [0], [[G, mul(G, K)]]])  # fmt: skip
pair("neighbours that cancel", DIFFERENT, eq(tr(K, inv(G), T(inv(K)), T(K), G, inv(K)), N),
     eq(tr(inv(G), inv(K), G, K), N), arithmetic)  # fmt: skip
pair(
    "an inverse and a transpose",
    DIFFERENT,
    eq(tr(T(inv(G)), T(G)), N),
    eq(tr(inv(G), T(G)), N),
    arithmetic,
)
pair("an inverse across another letter", DIFFERENT, eq(tr(G, inv(G), A), tr(A)), eq(tr(G, A, inv(G), B), tr(A, B)),
     arithmetic)  # fmt: skip
for name, a in [
    ("a product of rectangles", mul(X, X)),
    ("squares of two shapes", add(mul(X, T(X)), mul(T(X), X))),
    ("a sum of two shapes", add(A, letter("E_", "M", "m"))),
    ("a rectangle", X),
    ("a symmetric rectangle", letter("X", "S", "n", "m")),
    ("an invertible rectangle", letter("X", "GL", "n", "m")),
    ("an empty product", ["M.mul"]),
    ("a vector", U),
]:
    bad(
        f"the trace of {name}",
        "wrong shape|has no|differ",
        eq(tr(a), tr(a)),
        arithmetic(eq(tr(a), tr(a))),
    )
bad("a psd rectangle", SHAPE, psd(X), assumed(psd(X)), given=(psd(X),))
bad(
    "an invertible formula of a rectangle",
    SHAPE,
    invertible(X),
    assumed(invertible(X)),
    given=(invertible(X),),
)
bad(
    "an equation of two shapes",
    SHAPE,
    equal(X, T(X)),
    assumed(equal(X, T(X))),
    given=(equal(X, T(X)),),
)
pair("two sizes", DIFFERENT, eq(tr(one("3")), num(3)), eq(tr(one("n")), tr(one("m"))), arithmetic)
bad(
    "a size and a number", DIFFERENT, eq(tr(one("n")), num(3)), arithmetic(eq(tr(one("n")), num(3)))
)
for n in [
    "n+m",
    "",
    "03",
    "0",
    "1000",
    "-1",
    "e",
    "E",
    "pi",
    "n^2",
    "sum",
    "M.id",
    " n",
    "n ",
    "²",
    "١",
    3,
    ["n"],
    None,
]:
    bad(
        f"the size {n!r}",
        "wrong shape|wrong kind",
        eq(["M.dim", n], ["M.dim", n]),
        arithmetic(eq(["M.dim", n], ["M.dim", n])),
    )
for n in ["999", "1", "n'", "n_1", "n^*", "M", "Λ"]:
    good(f"the size {n!r}", eq(dim(n), dim(n)), arithmetic(eq(dim(n), dim(n))))
pair("a size of zero", DIFFERENT, ["<", ZERO, N], eq(N, ZERO), arithmetic)
pair("a size of one", DIFFERENT, le(ONE, N), le(TWO, N), arithmetic)
T2 = letter("A", "M", "2")
bad("an identity of small matrices", DIFFERENT,
    eq(tr(T2, T2, T2), plus(prod(num(3, 2), tr(T2), tr(T2, T2)), prod(num(-1, 2), power(tr(T2), 3)))),
    arithmetic(eq(tr(T2, T2, T2), plus(prod(num(3, 2), tr(T2), tr(T2, T2)),
                                       prod(num(-1, 2), power(tr(T2), 3))))))  # fmt: skip
HIDDEN = power(c, -1)
for name, a in [
    ("a multiple of zero", scale(ZERO, scale(HIDDEN, A))),
    ("a difference", add(scale(HIDDEN, A), scale(num(-1), scale(HIDDEN, A)))),
    ("a product with zero", mul(null(A), scale(HIDDEN, A))),
    ("a coefficient that vanishes", scale(prod(ZERO, HIDDEN), A)),
    ("a transpose", T(scale(ZERO, scale(HIDDEN, A)))),
]:
    bad(f"a hidden zero in {name}", DIFFERENT, eq(tr(a), ZERO), arithmetic(eq(tr(a), ZERO)))
    body = eq(mean([Z], prod(tr(a), tr(Z))), ZERO)
    bad(f"a hidden zero in the mean of {name}", DIFFERENT, body, isserlis(body))
bad("a hidden zero in cauchy-schwarz", OPEN,
    le(power(tr(T(scale(HIDDEN, A)), P, B), 2),
       prod(tr(T(scale(HIDDEN, A)), P, scale(HIDDEN, A)), tr(T(B), P, B))),
    ["cauchy-schwarz for matrices", [], scale(HIDDEN, A), P, B], given=(psd(P),))  # fmt: skip
bad("a hidden zero in a definite trace", OPEN,
    ["or", equal(scale(HIDDEN, A), null(scale(HIDDEN, A))),
     ["<", ZERO, tr(D, scale(HIDDEN, A), D, T(scale(HIDDEN, A)))]],
    ["definite trace", [], D, scale(HIDDEN, A), D], given=(psd(D), invertible(D)))  # fmt: skip
for name, first, second in [
    ("a sum", add(P, Q), one("m")),
    ("a multiple", scale(TWO, P), one("m")),
    ("a symmetric letter", S, one("m")),
    ("any letter", A, one("m")),
    ("an invertible letter", G, one("m")),
    ("another shape", one("m"), one("n")),
    ("a square", mul(X, T(X)), one("m")),
    ("a bound letter", letter("X", "M", "n", "m"), one("m")),
    ("an inverse", inv(D), one("m")),
]:
    p = eq(mean([X], tr(X, W), [(first, second)]), ZERO)
    bad(f"a covariance that is {name}", SHAPE, p, isserlis(p))
good("covariances that are letters",
     eq(mean([X], power(tr(X, W), 2), [(P, letter("L", "S>0", "m"))]), tr(W, P, T(W), letter("L", "S>0", "m"))),
     isserlis(eq(mean([X], power(tr(X, W), 2), [(P, letter("L", "S>0", "m"))]),
                 tr(W, P, T(W), letter("L", "S>0", "m")))))  # fmt: skip
for name, body, why in [
    ("a random multiple", tr(scale(tr(X, W), A)), "random multiple"),
    ("a random denominator", power(tr(X, T(X)), -1), "no product of traces"),
    ("a random root", ["^", 1, 2, tr(X, T(X))], "no product of traces"),
    ("a ninth power", power(tr(X, W), 9), "no product of traces"),
    ("an exponential", ["f", "exp", tr(X, W)], "no product of traces"),
    (
        "copies",
        prod(tr(X, W), ["copies", [real("g")], [real("g")], [ONE, ["gauss", 1, ZERO, ONE]]]),
        SHAPE,
    ),
    ("another mean", mean([X2], tr(X, T(X2))), "no product of traces"),
]:
    p = eq(mean([X], body), mean([X], body))
    bad(f"{name} in a mean", why, p, isserlis(p))
bad(
    "a mean with other variables",
    SHAPE,
    eq(mean([S], tr(S)), ZERO),
    isserlis(eq(mean([S], tr(S)), ZERO)),
)
bad(
    "a mean with a variable twice",
    SHAPE,
    eq(mean([X, X], tr(X, W)), ZERO),
    isserlis(eq(mean([X, X], tr(X, W)), ZERO)),
)
bad("a mean with too few laws", SHAPE, eq(mean([X, X2], tr(X, W), [(one(), one("m"))]), ZERO),
    isserlis(eq(mean([X, X2], tr(X, W), [(one(), one("m"))]), ZERO)))  # fmt: skip
UNDER = ["d", [1], [t], [mean([X], prod(t, tr(X, T(X))))], [ONE]]
bad("a mean under d", "no derivative", eq(UNDER, prod(N, M)), ["derivative", [], UNDER])
CATCH = eq(mean([X], prod(tr(X, W), tr(X, W))), tr(W, T(W)))
NEW_X = letter("X'", "M", "n", "m")
good("a bound letter that a value has", eq(mean([NEW_X], prod(tr(NEW_X, T(X)), tr(NEW_X, T(X)))), tr(T(X), T(T(X)))),
     isserlis(CATCH), ["instance", [0], [[W, T(X)]]], given=(equal(T(X), T(X)),))  # fmt: skip
bad("a bound letter that catches", "another statement",
    eq(mean([X], prod(tr(X, T(X)), tr(X, T(X)))), tr(T(X), T(T(X)))),
    isserlis(CATCH), ["instance", [0], [[W, T(X)]]], given=(equal(T(X), T(X)),))  # fmt: skip
good("a letter with the name of a variable",
     eq(prod(mean([X], power(tr(X, W), 2)), tr(X, T(X))), prod(tr(W, T(W)), tr(X, T(X)))),
     isserlis(eq(mean([X], power(tr(X, W), 2)), tr(W, T(W)))),
     arithmetic(eq(prod(mean([X], power(tr(X, W), 2)), tr(X, T(X))), prod(tr(W, T(W)), tr(X, T(X)))),
                premises=(0,)))  # fmt: skip
bad(
    "the value is a variable",
    MEAN,
    eq(mean([X], tr(X, W)), tr(X, W)),
    isserlis(eq(mean([X], tr(X, W)), tr(X, W))),
)
ARBITRARY = eq(tr(A, Z), tr(B, Z))
bad("a letter of which a hypothesis speaks", "not arbitrary", equal(A, B), assumed(ARBITRARY),
    ["matrix identity", [0], equal(A, B), Z], given=(ARBITRARY,))  # fmt: skip
bad("a letter of which a side speaks", "not arbitrary", equal(Z, Z), arithmetic(eq(tr(Z, Z), tr(Z, Z))),
    ["matrix identity", [0], equal(Z, Z), Z])  # fmt: skip
for sort in ("S", "S>=0", "S>0", "GL"):
    z = letter("Z", sort)
    p = eq(tr(S, z), tr(S, z))
    bad(f"a letter of sort {sort} for an identity", "no letter of sort M", equal(S, S), arithmetic(p),
        ["matrix identity", [0], equal(S, S), z])  # fmt: skip
bad("an identity from another premise", "another premise", equal(A, T(A)), arithmetic(eq(tr(A, Z), tr(A, Z))),
    ["matrix identity", [0], equal(A, T(A)), Z])  # fmt: skip
for name, a, why in [
    ("a product of two", mul(P, Q), "no form"),
    ("a square", mul(P, P), "no form"),
    ("a product of two families", mul(F1, letter("F2", "S>=0", family="G")), "no form"),
    ("a letter", A, "another sort"),
    ("a symmetric letter", S, "another sort"),
    ("an invertible letter", G, "another sort"),
    ("an inverse", inv(G), "another sort"),
    ("a rectangle", X, SHAPE),
    ("a congruence of two letters", mul(A, P, T(B)), "no form"),
    ("three in no order", mul(A, T(A), P), "no form"),
]:
    bad(f"semidefinite: {name}", why, psd(a), ["semidefinite", [], a])
bad("semidefinite: a difference", OPEN, psd(add(P, scale(num(-1), Q))),
    ["semidefinite", [], add(P, scale(num(-1), Q))], given=(psd(P), psd(Q)))  # fmt: skip
bad("semidefinite: a negative multiple", OPEN, psd(scale(num(-1), Q)), ["semidefinite", [], scale(num(-1), Q)],
    given=(psd(Q),))  # fmt: skip
TWICE = eq(prod(ZERO, tr(letter("A", "M", "n")), tr(letter("A", "M", "m"))), ZERO)
bad(
    "letters made identical",
    "become identical",
    eq(ZERO, ZERO),
    arithmetic(TWICE),
    ["instance", [0], [[N, M]]],
)
XK, YK = letter("X", "M", "n", "k"), letter("Y", "M", "k", "m")
FREE_AND_BOUND = eq(mean([X], tr(T(X), XK, YK)), ZERO)
YM = letter("Y", "M", "m")
for name, statement in [
    ("with its own name", mean([X], tr(T(X), X, YM))),
    ("with another name", mean([NEW_X], tr(T(NEW_X), X, YM))),
]:
    lines = isserlis(FREE_AND_BOUND), ["instance", [0], [[dim("k"), M]]]
    if "own" in name:
        bad(
            f"a bound letter that becomes a free one, {name}",
            "another statement",
            eq(statement, ZERO),
            *lines,
        )
    else:
        good(f"a bound letter that becomes a free one, {name}", eq(statement, ZERO), *lines)
TWO_BOUND = eq(mean([X, XK], tr(T(X), XK, YK)), ZERO)
good("two bound letters that become one", eq(mean([X, X2], tr(T(X), X2, YM)), ZERO),
     isserlis(TWO_BOUND), ["instance", [0], [[dim("k"), M]]])  # fmt: skip
bad("two bound letters that become the same", "another statement", eq(mean([X], tr(T(X), X, YM)), ZERO),
    isserlis(TWO_BOUND), ["instance", [0], [[dim("k"), M]]])  # fmt: skip
LONG = tr(*([add(A, B)] * 18))
bad("a power of a sum", "too much work", eq(LONG, LONG), arithmetic(eq(LONG, LONG)))
SEVEN = tr(*(x for a in (A, B, C, S, R, P, A) for x in (X, T(X), a)))
bad(
    "seven factors",
    "too much work",
    eq(mean([X], SEVEN), SEVEN),
    isserlis(eq(mean([X], SEVEN), SEVEN)),
)
