"""Short names for terms with matrices, and the statements on linear attention that tests judge."""

from __future__ import annotations

from contextlib import contextmanager

from slrsym.checker import ProvedClaims, Rejected
from slrsym.checker.extensions.matrix_language import shape
from slrsym.checker.term import num
from slrsym.checker.theorem import apply_rule as apply_unrecorded
from slrsym.prover.tactics.arithmetic import search_arithmetic_evidence
from slrsym.prover.tactics.log_records import RecordingProofBuilder

# The proof that is recorded, and its inferences by the identity of their theorems.
_RECORDED = []


@contextmanager
def recorded_proof():
    """Record the inferences that are made, in a proof that becomes a record of a log."""
    builder, made = RecordingProofBuilder(ProvedClaims()), {}
    _RECORDED.append((builder, made))
    try:
        yield builder, made
    finally:
        _RECORDED.pop()


def apply_rule(name, premises, *data):
    if not _RECORDED:
        return apply_unrecorded(name, premises, *data)
    builder, made = _RECORDED[-1]
    line = builder.add(name, [made[id(p)] for p in premises], *data)
    made[id(line.theorem)] = line
    return line.theorem


def letter(name, rows="d", columns="d", sort="M", family=""):
    return ("M", name, sort, rows, columns, family)


def mul(*parts):
    return ("M.mul", *parts) if len(parts) > 1 else parts[0]


def add(*parts):
    return ("M.add", *parts)


def scale(c, a):
    return ("M.scale", c, a)


def less(a, b):
    return add(a, scale(num(-1), b))


def turned(a):
    return ("M.T", a)


def inv(a):
    return ("M.inv", a)


def tr(*parts):
    return ("M.tr", mul(*parts))


def symbol(name, sort="R"):
    return ("s", name, sort)


def plus(*parts):
    return ("+", *parts)


def times(*parts):
    return ("*", *parts)


def neg(t):
    return times(num(-1), t)


def square(t):
    return ("^", 2, 1, t)


def over(t, n=1):
    return ("^", -n, 1, t)


def mean(body, *laws):
    return ("M.E", tuple(x for x, *_ in laws), (body,),
            tuple(("M.gauss", a, b) for _, a, b in laws))  # fmt: skip


def along(f, t):
    """Return d/dt f at t = 0."""
    return ("d", (1,), (t,), (f,), (num(0),))


def eq(a, b):
    return ("M.eq", a, b)


ONE, HALF = num(1), num(1, 2)
ONE_D, ONE_N, ONE_1 = ("M.id", "d"), ("M.id", "N"), ("M.id", "1")
D, N = ("M.dim", "d"), ("M.dim", "N")
A, B, C, U, H, Z = map(letter, "ABCUHZ")
X, Y = letter("X", "d", "N"), letter("Y", "d", "N")
L, K = (letter(name, sort="S>0", family="F") for name in "LK")
T, P = (letter(name, sort="S>=0") for name in "TP")
G = letter("G", sort="S>0", family="F")
g = inv(G)
x, w, xi = letter("x", "d", "1"), letter("w", "d", "1"), letter("xi", "N", "1")
u, sigma, t = symbol("u"), symbol("sigma", "R>=0"), symbol("t")
S = scale(over(N), mul(X, turned(X)))
SAMPLES = (X, L, ONE_N)


def evidence(size=40, use=(), answers=()):
    return [size, [], list(use), list(answers)]


def isserlis(value_of, value, premises=(), given=(), size=40):
    return apply_rule("isserlis", list(premises), tuple(given), ("=", value_of, value),
                      evidence(size))  # fmt: skip


def arithmetic(p, premises=(), given=()):
    """Return a theorem by arithmetic, with evidence that is searched for."""
    premises = list(premises)
    name, _, *data = search_arithmetic_evidence(p, tuple(given), premises)
    return apply_rule(name, premises, *data)


def matrix_identity(goal, premises=()):
    """Return an equation of matrices, by arithmetic with traces against a letter."""
    rows, columns = shape(goal[1])
    z = letter("Z_0", columns, rows)
    said = ("=", tr(goal[1], z), tr(goal[2], z))
    return apply_rule("matrix identity", [arithmetic(said, premises)], goal, z)


def is_refused(name, premises, *data):
    try:
        apply_rule(name, list(premises), *data)
    except Rejected:
        return True
    return False


def discharged(theorem, *proofs):
    """Return a theorem without the hypotheses that others conclude."""
    proofs = [p for p in proofs if p.conclusion in theorem.hypotheses.values()]
    shown = [p.conclusion for p in proofs]
    given = [h for h in theorem.hypotheses.values() if h not in shown]
    given += [h for p in proofs for h in p.hypotheses.values()]
    return apply_rule("logic", [theorem, *proofs], tuple(given), theorem.conclusion)


def settled(theorem, given=()):
    """Discharge what has a form: semidefinite, invertible and defined matrices, and signs."""
    for _ in range(30):
        goal = next((h for h in theorem.hypotheses.values() if h not in given), None)
        if goal is None:
            return theorem
        if goal[0] == "M.psd":
            proof = apply_rule("semidefinite", [], goal[1])
        elif goal[0] == "M.invertible":
            proof = apply_rule("invertible", [], goal[1])
        elif goal[0] == "M.eq":
            proof = matrix_identity(goal)
        else:
            proof = arithmetic(goal, (), given)
        theorem = discharged(theorem, proof)
    raise Rejected("conditions do not end")


# -- linear attention ------------------------------------------------------------------------------

k = plus(ONE, over(N))


def noise_floor(task):
    return times(over(N), plus(tr(L, task), square(sigma)))


def loss(task, u=u, U=U):
    c = noise_floor(task)
    inner = plus(times(k, tr(L, task, L, U, L, turned(U))), times(c, tr(L, U, L, turned(U))))
    return plus(times(HALF, square(u), inner), times(num(-1), u, tr(L, task, L, U)),
                times(HALF, tr(L, task)))  # fmt: skip


def squared_error(task):
    y = add(mul(turned(X), w), scale(sigma, xi))
    b = scale(over(N), mul(X, y))
    error = plus(times(u, tr(turned(b), U, x)), neg(tr(turned(w), x)))
    return mean(square(error), SAMPLES, (x, L, ONE_1), (w, task, ONE_1), (xi, ONE_N, ONE_1))


def gradient_in_matrix(task):
    c = noise_floor(task)
    ltl = mul(L, task, L)
    return add(scale(times(square(u), k), mul(ltl, U, L)), scale(times(square(u), c), mul(L, U, L)),
               scale(neg(u), turned(ltl)))  # fmt: skip


def gradient_in_scalar(task):
    c = noise_floor(task)
    inner = plus(times(k, tr(L, task, L, U, L, turned(U))), times(c, tr(L, U, L, turned(U))))
    return plus(times(u, inner), neg(tr(L, task, L, U)))


DEFINITION = eq(G, add(scale(k, L), scale(noise_floor(ONE_D), ONE_D)))
MINIMUM = times(HALF, plus(tr(L), neg(tr(L, L, g))))
REST = less(scale(u, U), g)


def value_of_two(a):
    """Return the mean of tr(S a S Z) under SAMPLES."""
    return plus(
        tr(L, a, L, Z), times(over(N), plus(tr(L, turned(a), L, Z), times(tr(a, L), tr(L, Z))))
    )


I1 = (mean(tr(S, A, S, Z), SAMPLES), value_of_two(A))


def _of_three():
    a, b = turned(A), turned(B)

    def z(*word):
        return tr(*word, Z)

    n1, n2, al, bl = over(N), over(N, 2), tr(A, L), tr(B, L)
    return plus(
        z(L, A, L, B, L),
        times(n1, al, z(L, B, L)), times(n1, z(L, a, L, B, L)), times(n1, bl, z(L, A, L)),
        times(n1, z(L, A, L, b, L)), times(n1, z(L, b, L, a, L)), times(n1, tr(A, L, B, L), z(L)),
        times(n2, al, bl, z(L)), times(n2, al, z(L, b, L)), times(n2, bl, z(L, a, L)),
        times(n2, tr(A, L, b, L), z(L)), times(n2, z(L, a, L, b, L)),
        times(n2, z(L, B, L, A, L)), times(n2, z(L, B, L, a, L)), times(n2, z(L, b, L, A, L)),
    )  # fmt: skip


I2 = (mean(tr(S, A, S, B, S, Z), SAMPLES), _of_three())
I3 = (squared_error(T), times(num(2), loss(T)))


def at_least(smaller, larger, equation, *products):
    """Return smaller <= larger from an equation larger - smaller = V and signs of V's terms."""
    value = equation.conclusion[2]
    positive = arithmetic(("<=", num(0), value), products)
    difference = apply_rule("rewrite", [positive, equation], [[2]])
    return arithmetic(("<=", smaller, larger), [difference])
