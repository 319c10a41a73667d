"""What a step may take for granted: its hypotheses, and the claims it may refer to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

from sympy import Basic, Derivative, Expr, Gt, Integral, Limit, Lt, Ne, Symbol, nan, oo, zoo
from sympy.logic.boolalg import Boolean

from slrsym.search.algebra.atoms import Freedom
from slrsym.search.algebra.normal_forms import NormalForms, is_same_multiplied_out
from slrsym.search.algebra.ring import NotNormalizable
from slrsym.search.domain import Domain
from slrsym.search.regularity import require_convergent
from slrsym.search.signs.decider import is_defined
from slrsym.statements.errors import ProofError, Refused
from slrsym.statements.expressions import put


class Stated(Protocol):
    """What a step asks of a claim that it uses: of any, as `slrsym.proof.Claim`."""

    id: str
    statement: Boolean
    given: tuple[Boolean, ...]

    @property
    def symbols(self) -> Collection[Symbol]:
        """Those it speaks of."""

    def symbol(self, name: Any) -> Any:
        """The one of a name."""


_NO_FREEDOM = Freedom()


def _no_claims(name: str) -> Stated:
    raise ProofError(f"unknown claim {name!r}: this proof is checked outside of a ledger")


@dataclass(frozen=True)
class Context(Domain):
    """What a step may take for granted besides its hypotheses, and equality under them."""

    claim: Callable[[str], Stated] = field(default=_no_claims, compare=False)
    granted: tuple[Boolean, ...] = ()
    covariances: tuple[Any, ...] = ()

    def granting(self, goal: Boolean) -> Self:
        """The context of an induction step, in which the goal may be used as it stands."""
        return replace(self, granted=(*self.granted, goal))

    def substituted(self, values: Mapping[Symbol, Expr]) -> Self:
        """The context in which some symbols have values; which its hypotheses speak of, too."""
        return replace(
            self,
            hypotheses=tuple(put(h, values) for h in self.hypotheses),
            covariances=tuple(
                m.applyfunc(lambda entry: put(entry, values)) for m in self.covariances
            ),
        )

    def algebra(self, freedom: Freedom = _NO_FREEDOM) -> NormalForms:
        """A fresh ring for comparing expressions."""
        return NormalForms(
            positive=lambda e: bool(self.sign(e).positive),
            nonnegative=lambda e: bool(self.sign(e).nonnegative),
            freedom=freedom,
        )

    def require_equal(
        self,
        lhs: Expr,
        rhs: Expr,
        freedom: Freedom = _NO_FREEDOM,
        given: tuple[tuple[Expr, Expr], ...] = (),
    ) -> None:
        """Refuse unless both sides have one normal form and divide by nothing that may vanish."""
        for side in (lhs, rhs):
            if not _is_finite(side):
                raise Refused(f"{side} is not a finite expression")
            self._require_open_domain(side)
            self._require_convergent(side)
        if is_same_multiplied_out(lhs, rhs) and all(
            is_defined(side, self.facts) for side in (lhs, rhs)
        ):
            return
        ring = self.algebra(freedom)
        try:
            for left, right in given:
                ring.assume(left, right)
            same = ring.equal(lhs, rhs)
        except NotNormalizable as reason:
            raise Refused(f"cannot bring it to normal form: {reason}") from None
        if not same:
            raise Refused("the normal forms of the two sides differ")
        for denominator in dict.fromkeys(ring.denominators):
            self.require_nonzero(denominator)

    def _require_open_domain(self, side: Expr) -> None:
        """Equals may be put for equals under a derivative only where its variable moves freely."""
        for node in side.atoms(Derivative):
            for hypothesis in self.hypotheses:
                closed = not isinstance(hypothesis, Lt | Gt | Ne)
                if closed and hypothesis.free_symbols & set(node.variables):
                    raise Refused(
                        f"{hypothesis} holds on no open set, or not on one only, and {node} is a "
                        f"derivative in a variable of it"
                    )

    def _require_convergent(self, side: Expr) -> None:
        """Integrals may be taken apart where they exist."""
        for node in side.atoms(Integral):
            require_convergent(node, self)


def _is_finite(expr: Basic) -> bool:
    """Whether infinities stand only where an integral ends, or where a limit is taken."""
    if expr in (nan, zoo, oo, -oo):
        return False
    if isinstance(expr, Integral):
        ends = [end for limit in expr.limits for end in limit[1:]]
        return all(end in (oo, -oo) or _is_finite(end) for end in ends) and _is_finite(
            expr.function
        )
    if isinstance(expr, Limit):
        of, _, point, _ = expr.args
        return (point in (oo, -oo) or _is_finite(point)) and _is_finite(of)
    return all(map(_is_finite, expr.args))
