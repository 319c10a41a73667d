"""Records about matrices: what each rule concludes, and what it refuses."""
# ruff: noqa: E501 - tables of records

from __future__ import annotations

from tests.checker.matrix_logs import (
    DIFFERENT,
    OPEN,
    SHAPE,
    arithmetic,
    assumed,
    bad,
    good,
    isserlis,
)
from tests.checker.matrix_nodes import (
    F1,
    F2,
    ONE,
    ZERO,
    A,
    B,
    C,
    D,
    G,
    K,
    M,
    N,
    P,
    Q,
    S,
    T,
    W,
    X,
    Y,
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

# the rules

good("trace in normal form", eq(tr(A, B, C), tr(C, A, B)), arithmetic(eq(tr(A, B, C), tr(C, A, B))))
good("size of a unit matrix", eq(tr(one()), N), arithmetic(eq(tr(one()), N)))
good("isserlis", eq(mean([X], tr(X, T(X))), prod(N, M)),
     isserlis(eq(mean([X], tr(X, T(X))), prod(N, M))))  # fmt: skip
SQUARE = scale(power(M, -1), mul(X, T(X)))
good("matrix identity", equal(T(mul(A, B)), mul(T(B), T(A))),
     arithmetic(eq(tr(T(mul(A, B)), Z), tr(mul(T(B), T(A)), Z))),
     ["matrix identity", [0], equal(T(mul(A, B)), mul(T(B), T(A))), Z])  # fmt: skip
good("sandwich", eq(tr(C, A, G), tr(C, B, G)), assumed(equal(A, B)), ["sandwich", [0], C, G],
     given=(equal(A, B),))  # fmt: skip
good("sandwich between what is defined", eq(tr(mul(C), A, one()), tr(mul(C), B, one())),
     assumed(equal(A, B)), ["sandwich", [0], mul(C), one()],
     given=(equal(A, B), equal(mul(C), mul(C))))  # fmt: skip
bad("sandwich without mdef", OPEN, eq(tr(mul(C), A, one()), tr(mul(C), B, one())),
    assumed(equal(A, B)), ["sandwich", [0], mul(C), one()], given=(equal(A, B),))  # fmt: skip
bad("sandwich without its premise", OPEN, eq(tr(C, A, G), tr(C, B, G)), assumed(equal(A, B)),
    ["sandwich", [0], C, G])  # fmt: skip
bad("sandwich of a relation", "no equation of matrices", eq(tr(C), tr(C)), arithmetic(eq(tr(C), tr(C))),
    ["sandwich", [0], C, G])  # fmt: skip
for name, a, given in [
    ("unit", one(), ()),
    ("letter", P, ()),
    ("positive letter", D, ()),
    ("inverse", inv(D), ()),
    ("multiple", scale(c, A), (le(ZERO, c), psd(A))),
    ("transpose", T(A), (psd(A),)),
    ("product of one", mul(A), (psd(A),)),
    ("sum", add(A, B), (psd(A), psd(B))),
    ("family", mul(F1, add(F2, one()), F1), (psd(F1), psd(add(F2, one())))),
    ("congruence", mul(A, B, T(A)), (psd(B),)),
    ("square", mul(X, T(X)), ()),
    ("other square", mul(T(X), X), (equal(T(X), T(X)),)),
    ("long congruence", mul(T(X), A, B, X), (psd(mul(A, B)), equal(T(X), T(X)))),
    (
        "congruence of a multiple",
        mul(scale(c, A), T(scale(c, A))),
        (equal(scale(c, A), scale(c, A)),),
    ),
]:
    good(f"semidefinite: {name}", psd(a), ["semidefinite", [], a], given=given)
    for i in range(len(given)):
        bad(f"semidefinite: {name} without {i}", OPEN, psd(a), ["semidefinite", [], a],
            given=given[:i] + given[i + 1 :])  # fmt: skip
for name, a, given in [
    ("unit", one(), ()),
    ("letter", G, ()),
    ("positive letter", D, ()),
    ("inverse", inv(G), ()),
    ("multiple", scale(c, A), (["!=", c, ZERO], invertible(A))),
    ("transpose", T(A), (invertible(A),)),
    ("product", mul(A, B), (invertible(A), invertible(B))),
    ("sum", add(A, B), (psd(A), psd(B), invertible(A))),
]:
    good(f"invertible: {name}", invertible(a), ["invertible", [], a], given=given)
    for i in range(len(given)):
        bad(f"invertible: {name} without {i}", OPEN, invertible(a), ["invertible", [], a],
            given=given[:i] + given[i + 1 :])  # fmt: skip
bad("invertible: a product of rectangles", "not square", invertible(mul(X, T(X))),
    ["invertible", [], mul(X, T(X))])  # fmt: skip
good("symmetric", equal(T(A), A), assumed(psd(A)), ["symmetric", [0]], given=(psd(A),))
bad("symmetric: of an invertible one", "no semidefinite", equal(T(A), A), assumed(invertible(A)),
    ["symmetric", [0]], given=(invertible(A),))  # fmt: skip
for what in (psd, invertible):
    good(f"equal matrices: {what.__name__}", what(B), assumed(what(A)), assumed(equal(A, B)),
         ["equal matrices", [0, 1]], given=(what(A), equal(A, B)))  # fmt: skip
    bad(f"equal matrices: {what.__name__} of another one", "another matrix", what(B), assumed(what(A)),
        assumed(equal(C, B)), ["equal matrices", [0, 1]], given=(what(A), equal(C, B)))  # fmt: skip
good("trace of semidefinite", le(ZERO, tr(P, mul(A))), ["trace of semidefinite", [], P, mul(A)],
     given=(psd(P), psd(mul(A))))  # fmt: skip
bad("trace of semidefinite: open", OPEN, le(ZERO, tr(P, A)), ["trace of semidefinite", [], P, A],
    given=(psd(P),))  # fmt: skip
bad("trace of semidefinite: strict", "another statement", ["<", ZERO, tr(P, Q)],
    ["trace of semidefinite", [], P, Q], given=(psd(P), psd(Q)))  # fmt: skip
POSITIVE = ["<", ZERO, tr(D, X, letter("L", "S>0", "m"), T(X))]
DEFINITE = (
    psd(D),
    invertible(D),
    psd(letter("L", "S>0", "m")),
    invertible(letter("L", "S>0", "m")),
)
good("definite trace", ["or", equal(X, null(X)), POSITIVE],
     ["definite trace", [], D, X, letter("L", "S>0", "m")], given=DEFINITE)  # fmt: skip
bad("definite trace: strict alone", "another statement", POSITIVE,
    ["definite trace", [], D, X, letter("L", "S>0", "m")], given=DEFINITE)  # fmt: skip
SCALARS = tr(T(X), P, Y), tr(T(X), P, X), tr(T(Y), P, Y)
good("cauchy-schwarz for matrices", le(power(SCALARS[0], 2), prod(SCALARS[1], SCALARS[2])),
     ["cauchy-schwarz for matrices", [], X, P, Y], given=(psd(P),))  # fmt: skip
bad("cauchy-schwarz for matrices: no psd", OPEN,
    le(power(tr(T(X), S, Y), 2), prod(tr(T(X), S, X), tr(T(Y), S, Y))),
    ["cauchy-schwarz for matrices", [], X, S, Y])  # fmt: skip
bad("cauchy-schwarz for matrices: shapes", SHAPE, eq(ZERO, ZERO),
    ["cauchy-schwarz for matrices", [], X, P, W])  # fmt: skip
good("size", ["and", ["o", "integer", N], le(ONE, N)], ["size", [], N])
good(
    "size: a numeral",
    ["and", ["o", "integer", dim("7")], le(ONE, dim("7"))],
    ["size", [], dim("7")],
)
bad("size: a symbol", "no size", ["and", ["o", "integer", c], le(ONE, c)], ["size", [], c])

# derivatives

PATH = scale(plus(ONE, prod(t, c)), mul(A, add(B, scale(t, one()))))
VALUE = ["d", [1], [t], [tr(PATH)], [ZERO]]
good("derivative of a trace", eq(VALUE, plus(prod(c, tr(A, B)), tr(A))),
     arithmetic(eq(VALUE, plus(prod(c, tr(A, B)), tr(A)))))  # fmt: skip
bad("derivative of a trace: without a factor", DIFFERENT, eq(VALUE, plus(tr(A, B), tr(A))),
    arithmetic(eq(VALUE, plus(tr(A, B), tr(A)))))  # fmt: skip

# instances

COPIES = ["copies", [real("g")], [real("g")], [ONE, ["gauss", 1, ZERO, ONE]]]
SYMMETRY = eq(tr(A, B), tr(B, A))
good("instance of letters", eq(tr(mul(C, Z), T(C)), tr(T(C), mul(C, Z))), arithmetic(SYMMETRY),
     ["instance", [0], [[A, mul(C, Z)], [B, T(C)]]],
     given=(equal(mul(C, Z), mul(C, Z)), equal(T(C), T(C))))  # fmt: skip
bad("instance of letters: open", OPEN, eq(tr(mul(C, Z), T(C)), tr(T(C), mul(C, Z))),
    arithmetic(SYMMETRY), ["instance", [0], [[A, mul(C, Z)], [B, T(C)]]],
    given=(equal(T(C), T(C)),))  # fmt: skip
bad(
    "instance: another shape",
    "of its shape",
    SYMMETRY,
    arithmetic(SYMMETRY),
    ["instance", [0], [[A, X]]],
)
bad(
    "instance: a number",
    "of its shape",
    SYMMETRY,
    arithmetic(SYMMETRY),
    ["instance", [0], [[A, ONE]]],
)
bad("instance: a matrix for a number", "may not be substituted", eq(c, c), arithmetic(eq(c, c)),
    ["instance", [0], [[c, A]]])  # fmt: skip
for sort, conditions in {
    "M": (equal(mul(C), mul(C)),),
    "S": (equal(T(mul(C)), mul(C)),),
    "S>=0": (psd(mul(C)),),
    "S>0": (psd(mul(C)), invertible(mul(C))),
    "GL": (invertible(mul(C)),),
}.items():
    a = letter("B", sort)
    before, after = eq(tr(A, a), tr(a, A)), eq(tr(A, mul(C)), tr(mul(C), A))
    good(f"instance of a letter of sort {sort}", after, arithmetic(before),
         ["instance", [0], [[a, mul(C)]]], given=conditions)  # fmt: skip
    for i in range(len(conditions)):
        bad(f"instance of a letter of sort {sort} without {i}", OPEN, after, arithmetic(before),
            ["instance", [0], [[a, mul(C)]]], given=conditions[:i] + conditions[i + 1 :])  # fmt: skip
INVERSE = eq(tr(G, inv(G)), N)
good("instance of an inverse", eq(tr(D, inv(D)), N), arithmetic(INVERSE), ["instance", [0], [[G, D]]],
     given=(invertible(D),))  # fmt: skip
COMMUTING = eq(tr(F1, F2, A), tr(F2, F1, A))
good("instance of a family", eq(tr(scale(c, one()), P, A), tr(P, scale(c, one()), A)),
     arithmetic(COMMUTING), ["instance", [0], [[F1, scale(c, one())], [F2, P]]],
     given=(psd(scale(c, one())), psd(P),
            equal(mul(scale(c, one()), P), mul(P, scale(c, one())))))  # fmt: skip
good("instance of sizes",
     eq(tr(T(letter("X", "M", "3", "m")), letter("X", "M", "3", "m")),
        tr(letter("X", "M", "3", "m"), T(letter("X", "M", "3", "m")))),
     arithmetic(eq(tr(T(X), X), tr(X, T(X)))), ["instance", [0], [[N, dim("3")]]])  # fmt: skip
good("instance of sizes, exchanged",
     eq(mean([W], tr(W, T(W))), prod(M, N)),
     isserlis(eq(mean([letter("W", "M", "n", "m")], tr(letter("W", "M", "n", "m"), T(letter("W", "M", "n", "m")))),
                 prod(N, M))),
     ["instance", [0], [[N, M], [M, N]]])  # fmt: skip
bad("instance of sizes and letters", "sizes and other symbols", SYMMETRY, arithmetic(SYMMETRY),
    ["instance", [0], [[N, M], [A, B]]])  # fmt: skip
bad("instance of a numeral", "no symbol", eq(dim("3"), num(3)), arithmetic(eq(dim("3"), num(3))),
    ["instance", [0], [[dim("3"), dim("4")]]])  # fmt: skip
bad("a size gets a number", "sizes and other symbols", eq(ZERO, ZERO), arithmetic(eq(tr(one()), N)),
    ["instance", [0], [[N, num(3)]]])  # fmt: skip

# paths in matrices

EQUATION = eq(plus(c, ZERO), c)
good("rewrite in a multiple", eq(tr(scale(c, A)), tr(scale(c, A))),
     assumed(eq(tr(scale(plus(c, ZERO), A)), tr(scale(c, A)))), assumed(EQUATION),
     ["rewrite", [0, 1], [[1, 1, 1]]],
     given=(eq(tr(scale(plus(c, ZERO), A)), tr(scale(c, A))), EQUATION))  # fmt: skip
OLD, NEW = tr(X, T(X)), tr(T(X), X)
good("rewrite in a mean", eq(mean([X], NEW), prod(N, M)), isserlis(eq(mean([X], OLD), prod(N, M))),
     arithmetic(eq(OLD, NEW)), ["rewrite", [0, 1], [[1, [2, 0]]]])  # fmt: skip
bad("rewrite in a mean with a hypothesis about its variable", "free in a hypothesis",
    eq(mean([X], N), prod(N, M)), isserlis(eq(mean([X], OLD), prod(N, M))), assumed(eq(OLD, N)),
    ["rewrite", [0, 1], [[1, [2, 0]]]], given=(eq(OLD, N),))  # fmt: skip
good("a multiple in a trace is defined", eq(c, c), assumed(eq(tr(scale(c, A)), ZERO)),
     ["defined", [0], [1, 1, 1]], given=(eq(tr(scale(c, A)), ZERO),))  # fmt: skip
bad("a matrix is no term", "a term is expected", equal(A, A), assumed(eq(tr(A), ZERO)),
    ["defined", [0], [1, 1]], given=(eq(tr(A), ZERO),))  # fmt: skip

# what no statement can say, refused where it is made

for name, why, lines in [
    ("an inverse of a value that is no letter", SHAPE, [arithmetic(INVERSE), ["instance", [0], [[G, mul(G, K)]]]]),
    ("an inverse of another letter", SHAPE, [arithmetic(INVERSE), ["instance", [0], [[G, A]]]]),
    ("a law with a value that is no letter", SHAPE,
     [isserlis(eq(mean([X], tr(X, W), [(P, one("m"))]), ZERO)), ["instance", [0], [[P, mul(A, T(A))]]]]),
    ("a law with a value of another sort", SHAPE,
     [isserlis(eq(mean([X], tr(X, W), [(P, one("m"))]), ZERO)), ["instance", [0], [[P, S]]]]),
    ("a value with copies", "without copies", [arithmetic(SYMMETRY), ["instance", [0], [[A, scale(COPIES, B)]]]]),
    ("copies that come into a mean", "copies substituted",
     [assumed(eq(["u", "h", "R", [0], COPIES], ZERO)),
      ["instance", [0], [[["u", "h", "R", 1], ["lam", [c], [mean([X], prod(c, tr(X, W)))], []]]]]]),
    ("a letter of sort S that is a rectangle", SHAPE, [arithmetic(eq(tr(letter("X", "S", "n", "m"), W), ZERO))]),
    ("an invertible letter that is a rectangle", SHAPE, [arithmetic(eq(tr(letter("X", "GL", "n", "m"), W), ZERO))]),
    ("a letter of sort M with a family", SHAPE, [arithmetic(eq(tr(letter("A", family="F")), ZERO))]),
    ("a letter of sort GL with a family", SHAPE, [arithmetic(eq(tr(letter("A", "GL", family="F")), ZERO))]),
    ("a letter of an unknown sort", SHAPE, [arithmetic(eq(tr(letter("A", "S<0")), ZERO))]),
    ("a generalised letter", "no symbol", [arithmetic(SYMMETRY), ["generalise", [0], A]]),
    ("a generalised size", "no symbol", [arithmetic(SYMMETRY), ["generalise", [0], N]]),
    ("an induction over a size", "no symbol",
     [arithmetic(eq(N, N)), ["induction", [0, 0], N, eq(N, N)]]),
]:  # fmt: skip
    bad(name, why, eq(ZERO, ZERO), *lines, arithmetic(eq(ZERO, ZERO)))

# several inferences

BACK = eq(tr(B, Z), tr(A, Z))
good(
    "an equation the other way round",
    equal(B, A),
    assumed(equal(A, B)),
    ["sandwich", [0], one(), Z],
    arithmetic(BACK, premises=(1,)),
    ["matrix identity", [2], equal(B, A), Z],
    given=(equal(A, B),),
)
good(
    "the square of a symmetric matrix",
    psd(mul(S, S)),
    ["semidefinite", [], mul(S, T(S))],
    arithmetic(eq(tr(mul(S, T(S)), Z), tr(mul(S, S), Z))),
    ["matrix identity", [1], equal(mul(S, T(S)), mul(S, S)), Z],
    ["equal matrices", [0, 2]],
)
good(
    "a matrix without length is zero",
    equal(X, null(X)),
    ["definite trace", [], one(), X, one("m")],
    ["semidefinite", [], one()],
    ["invertible", [], one()],
    ["semidefinite", [], one("m")],
    ["invertible", [], one("m")],
    ["order", [], ZERO, tr(one(), X, one("m"), T(X))],
    arithmetic(eq(ZERO, tr(one(), X, one("m"), T(X))), eq(tr(T(X), X), ZERO)),
    ["logic", [0, 1, 2, 3, 4, 5, 6], [eq(tr(T(X), X), ZERO)], equal(X, null(X))],
    given=(eq(tr(T(X), X), ZERO),),
)
