"""Claims of one step on vectors and matrices, and what becomes of them."""

from __future__ import annotations

from sympy import Eq, Ge, Le, Trace

from slrsym.proof import Claim, ProofError, chain, check_claim


def verdict(statement, by, hypotheses=()):
    """Check a claim of one step."""
    claim = Claim(id="a", statement=statement, source="test", hypotheses=hypotheses)

    @claim.proof
    def _(goal):
        start = chain(goal.lhs)
        extend = {Eq: start.then, Le: start.le, Ge: start.ge}[type(goal)]
        return extend(goal.rhs, by=by)

    def find(id):
        raise ProofError(f"no claim {id}")

    return check_claim(claim, find)


def equal(left, right):
    return Eq(left, right, evaluate=False)


def most(left, right):
    return Le(left, right, evaluate=False)


def dot(u, w):
    return Trace(u.T * w)


def is_contradicted(found):
    assert not found.accepted
    assert "fails at" in found.failure, found.failure
    assert " = a " in found.failure or " = two cosines" in found.failure
