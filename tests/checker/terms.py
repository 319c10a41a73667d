"""Random terms over a few names, and their values: what the kernel's terms mean, written again."""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from typing import Any

from hypothesis import strategies as st

from slrsym.checker import Inference, ProvedClaims, Theorem
from slrsym.checker.term import Term, num
from slrsym.checker.theorem import apply_rule
from slrsym.prover.tactics.arithmetic import prove_by_arithmetic
from slrsym.prover.tactics.emission import ProofEmitter

X, Y = ("s", "x", "R"), ("s", "y", "R>0")
I = ("s", "i", "Z")  # noqa: E741
J, N = ("s", "j", "Z"), ("s", "n", "Z>=0")
F = ("u", "f", "R", 2)
ZERO, ONE, TWO = num(0), num(1), num(2)
NORMAL = ("gauss", 1, ZERO, ONE)


def f(*args: Term) -> Term:
    return ("u", "f", "R", (0,) * len(args), *args)


def fn(name: str, *args: Term) -> Term:
    return ("f", name, *args)


def mean(body: Term, names: tuple[Term, ...] = (X,), laws: tuple[Term, ...] = (NORMAL,)) -> Term:
    return ("E", names, (body,), laws)


def assume(p: Term) -> Theorem:
    return apply_rule("assume", [], p)


def total(i: Term, body: Term, low: Term, high: Term) -> Term:
    return ("sum", (i,), (body,), (low, high))


_leaves = st.sampled_from([X, Y, I, J, num(1), num(-2), num(1, 2)])
terms = st.recursive(
    _leaves,
    lambda t: st.one_of(
        st.tuples(st.sampled_from("+*"), t, t),
        st.tuples(st.just("^"), st.just(2), st.just(1), t),
        st.builds(lambda a, b: f(a, b), t, t),
        st.builds(lambda i, a: total(i, a, num(0), num(2)), st.sampled_from([I, J]), t),
    ),
    max_leaves=8,
)


def value(t: Term, env: dict[Term, Fraction]) -> Fraction:
    """The value of a term; f(a, b) = 3 a + b^2 + 1/7, say."""
    head = t[0]
    if head == "n":
        return Fraction(t[1], t[2])
    if head == "s":
        return env[t]
    if head == "+":
        return sum((value(a, env) for a in t[1:]), Fraction(0))
    if head == "*":
        out = Fraction(1)
        for a in t[1:]:
            out *= value(a, env)
        return out
    if head == "^":
        return value(t[3], env) ** t[1]
    if head == "u":
        a, b = (value(p, env) for p in t[4:])
        return 3 * a + b * b + Fraction(1, 7)
    assert head == "sum"
    (i,), (body,), (low, high) = t[1:]
    ends = range(int(value(low, env)), int(value(high, env)) + 1)
    return sum((value(body, {**env, i: Fraction(k)}) for k in ends), Fraction(0))


def renamed(t: Term, names: dict[Term, Term] | None = None, fresh: count | None = None) -> Term:
    """The same term with other names for what is bound."""
    names, fresh = names or {}, fresh or count()
    if t[0] == "s":
        return names.get(t, t)
    if t[0] == "sum":
        new = ("s", f"k{next(fresh)}", "Z")
        body = renamed(t[2][0], {**names, t[1][0]: new}, fresh)
        return ("sum", (new,), (body,), tuple(renamed(e, names, fresh) for e in t[3]))
    return tuple(renamed(p, names, fresh) if isinstance(p, tuple) and p and isinstance(p[0], str)
                 else p for p in t)  # fmt: skip


def proved(p: Term, given: tuple[Term, ...] = (), premises: tuple[Theorem, ...] = (),
           effort: int = 60_000) -> Theorem:  # fmt: skip
    """Search for a proof, with steps for sums and integrals; `Rejected` if none is found."""
    em: Any = ProofEmitter(None, None, ProvedClaims())  # type: ignore[arg-type]
    lines = [Inference(k, theorem) for k, theorem in enumerate(premises)]
    theorem = prove_by_arithmetic(em, p, given, lines, effort).theorem
    assert theorem.conclusion == p
    return theorem
