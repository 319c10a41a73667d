"""What a step may take for granted, and the gate: what has to hold of any statement.

The gate stands before every step, whatever rule is to justify it. Rules compare sides after they
have been simplified, and SymPy simplifies while it builds. Where a rule looks at a difference of
two sides, each of them has to be defined by itself.

A claim is meant for the parameters for which the laws of its own statement exist. A step must not
bring in others unless these exist too, or what it concludes about their parameters would be false
where they do not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import permutations
from typing import Any, Protocol, Self

import sympy as sp
from sympy import Basic, Derivative, Dummy, Expr, ImmutableMatrix, Integral, Le, Subs, Sum, Symbol
from sympy.logic.boolalg import Boolean

from slrsym.gaussian.law import GaussianLaw, Law, NoiseLaw
from slrsym.proofs.intervals import NoRange, Sign
from slrsym.proofs.normal_forms import ALGEBRA, Freedom, NormalForms, is_same_multiplied_out
from slrsym.proofs.ranges import GivenValues
from slrsym.proofs.regularity import is_semidefinite, require_admissible, require_convergent
from slrsym.proofs.ring import NotNormalizable
from slrsym.proofs.signs import Decider, decider_of
from slrsym.statements.expressions import ProofError, Refused, ambiguous, put


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


def _no_claims(name: str) -> Stated:
    raise ProofError(f"unknown claim {name!r}: this proof is checked outside of a ledger")


@dataclass(frozen=True)
class Context:
    """What a step may take for granted, and questions about expressions under its hypotheses."""

    hypotheses: tuple[Boolean, ...] = ()
    claim: Callable[[str], Stated] = field(default=_no_claims, compare=False)
    granted: tuple[Boolean, ...] = ()
    covariances: tuple[Any, ...] = ()

    @cached_property
    def facts(self) -> GivenValues:
        """The hypotheses, ready for questions of sign."""
        return GivenValues(self.hypotheses)

    def assuming(self, *hypotheses: Boolean) -> Self:
        more = (h for h in hypotheses if h is not sp.true)
        return replace(self, hypotheses=(*self.hypotheses, *more))

    @cached_property
    def restricted(self) -> frozenset[Symbol]:
        """The symbols that hypotheses speak of."""
        return frozenset().union(*(h.free_symbols for h in self.hypotheses))

    # -- questions ----------------------------------------------------------------------------

    @property
    def decider(self) -> Decider:
        """What answers questions of sign; it remembers them, and is not pickled."""
        return decider_of(self.facts)

    def sign(self, expr: Expr) -> Sign:
        return self.decider.answer(expr)

    def holds(self, relation: Basic) -> bool:
        return self.decider.holds(relation)

    def is_real(self, expr: Expr) -> bool:
        return expr.is_real is True or self.decider.is_defined(expr)

    def require_real(self, expr: Expr) -> None:
        """Refuse unless an expression is certainly a real number."""
        self.require(self.is_real(expr), f"{expr} is not known to be a real number here")

    def stays_positive(self, expr: Expr) -> bool:
        """Whether an expression certainly stays above some positive number."""
        try:
            return bool(self.decider.range(expr).low > 0)
        except NoRange:
            return False

    def require_nonzero(self, denominator: Expr) -> None:
        """Refuse unless an expression is certainly different from zero."""
        if not self.sign(self.with_names_of_hypotheses(denominator)).nonzero:
            raise Refused(f"it divides by {denominator}, which is not known to be nonzero here")

    def with_names_of_hypotheses(self, expr: Expr) -> Expr:
        """The expression, its sums with the index that they have in a hypothesis, if any."""
        stated = [node for h in self.hypotheses for node in h.atoms(Sum) if len(node.limits) == 1]
        for node in expr.atoms(Sum):
            index, *ends = node.limits[0]
            for other in stated if len(node.limits) == 1 else ():
                name = other.limits[0][0]
                if name in node.free_symbols:
                    continue
                if Sum(node.function.xreplace({index: name}), (name, *ends)) == other:
                    expr = expr.xreplace({node: other})
        return expr

    def require(self, condition: Any, reason: str) -> None:
        """Refuse, with a reason, unless a condition is true."""
        if not condition:
            raise Refused(reason)

    def granting(self, goal: Boolean) -> Self:
        """The context of an induction step, in which the goal may be used as it stands.

        An inequality is a hypothesis like any other; equalities have a rule of their own.
        """
        here = self.assuming(goal) if isinstance(goal, Le | sp.Lt | sp.Ge | sp.Gt) else self
        return replace(here, granted=(*self.granted, goal))

    def substituted(self, values: Mapping[Symbol, Expr]) -> Self:
        """The context in which some symbols have values; which its hypotheses speak of, too."""
        return replace(
            self,
            hypotheses=tuple(put(h, values) for h in self.hypotheses),
            covariances=tuple(
                m.applyfunc(lambda entry: put(entry, values)) for m in self.covariances
            ),
        )

    def algebra(self, freedom: Freedom = ALGEBRA) -> NormalForms:
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
        freedom: Freedom = ALGEBRA,
        given: tuple[tuple[Expr, Expr], ...] = (),
    ) -> None:
        """Refuse unless both sides have one normal form and divide by nothing that may vanish."""
        for side in (lhs, rhs):
            if not _is_finite(side):
                raise Refused(f"{side} is not a finite expression")
            self.require_open_domain(side)
            # Integrals may be taken apart where they exist.
            for node in side.atoms(Integral):
                require_convergent(node, self)
        if is_same_multiplied_out(lhs, rhs) and all(map(self.decider.is_defined, (lhs, rhs))):
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
        for side in (lhs, rhs):
            # Of denominators, those that the normal forms met have been asked for.
            require_defined(side, self, dividing=False)

    def equal(self, lhs: Expr, rhs: Expr, freedom: Freedom = ALGEBRA) -> bool:
        try:
            self.require_equal(lhs, rhs, freedom)
        except Refused:
            return False
        return True

    def require_open_domain(self, side: Expr) -> None:
        """Equals may be put for equals under a derivative only where its variable moves freely."""
        for node in side.atoms(Derivative):
            for hypothesis in self.hypotheses:
                closed = not isinstance(hypothesis, sp.Lt | sp.Gt | sp.Ne)
                if closed and hypothesis.free_symbols & set(node.variables):
                    raise Refused(
                        f"{hypothesis} holds on no open set, or not on one only, and {node} is a "
                        f"derivative in a variable of it"
                    )


def _is_finite(expr: Basic) -> bool:
    """Whether infinities stand only where an integral ends, or where a limit is taken."""
    if expr in (sp.nan, sp.zoo, sp.oo, -sp.oo):
        return False
    if isinstance(expr, Integral):
        ends = [end for limit in expr.limits for end in limit[1:]]
        return all(end in (sp.oo, -sp.oo) or _is_finite(end) for end in ends) and _is_finite(
            expr.function
        )
    if isinstance(expr, sp.Limit):
        of, _, point, _ = expr.args
        return (point in (sp.oo, -sp.oo) or _is_finite(point)) and _is_finite(of)
    return all(map(_is_finite, expr.args))


# Half the width of the box about a point on which a function is required to be smooth.
_NEAR = sp.Rational(1, 2)


def require_stated(statement: Basic, context: Context) -> None:
    """Refuse a statement that SymPy, or a reader, could take for another, or that says nothing."""
    confused = ambiguous(statement)
    if confused is not None:
        raise Refused(
            f"{confused} is the same to SymPy as the derivative in another of its variables; "
            f"write it as at(...)"
        )
    parts = (statement, *context.hypotheses)
    _require_commuting(parts)
    _require_one_symbol_a_name(parts)
    _require_own_variables(statement, context)
    _require_moving(statement)


def _require_commuting(parts: Iterable[Basic]) -> None:
    for part in parts:
        for node in sp.preorder_traversal(part):
            matrix = isinstance(node, sp.MatrixBase)
            if isinstance(node, Expr) and not matrix and node.is_commutative is False:
                raise Refused(f"{node} does not commute, and every rule reorders products")


def _require_one_symbol_a_name(parts: Iterable[Basic]) -> None:
    found: dict[str, Symbol] = {}
    for part in parts:
        for symbol in part.atoms(Symbol):
            if isinstance(symbol, Dummy):
                continue
            other = found.setdefault(symbol.name, symbol)
            if other != symbol:
                raise Refused(
                    f"two different symbols are called {symbol.name}: one is declared "
                    f"{_declared(other)}, the other {_declared(symbol)}"
                )


def _declared(symbol: Symbol) -> str:
    facts = [f if v else f"not {f}" for f, v in symbol._assumptions_orig.items()]
    return " and ".join(f for f in facts if f != "commutative") or "nothing"


def _require_own_variables(statement: Basic, context: Context) -> None:
    """What a hypothesis says of a variable of a law, it says of another variable of that name."""
    free = context.restricted
    for law in statement.atoms(Law):
        for symbol in law.symbols:
            if symbol in free:
                raise Refused(
                    f"a hypothesis speaks of {symbol}, which is bound by a law here; rename it"
                )


def _require_moving(statement: Basic) -> None:
    for node in statement.atoms(Derivative):
        for variable in node.variables:
            if variable.is_real and variable.is_integer is None and variable.is_rational is None:
                continue
            raise Refused(
                f"{node} is a derivative in {variable}, which does not run over an interval"
            )


# -- what is defined ---------------------------------------------------------------------------


def require_defined(expr: Basic, context: Context, dividing: bool = True) -> None:
    """Refuse unless what stands in denominators, roots, logarithms and arc sines may stand there.

    What other functions ask of their arguments, the rules that know these functions ask.
    """
    if not expr.has(sp.Pow, sp.log, sp.asin, sp.acos, Subs):
        return
    if isinstance(expr, Sum | Integral):
        _require_defined_between_ends(expr, context, dividing)
        return
    if isinstance(expr, Subs):
        _require_defined_near(expr, context, dividing)
        return
    for arg in expr.args:
        require_defined(arg, context, dividing)
    if isinstance(expr, sp.Pow) and (dividing or not expr.exp.is_Integer):
        _require_power(expr, context)
    elif isinstance(expr, sp.log):
        context.require(context.sign(expr.args[0]).positive, f"{expr.args[0]} may not be positive")
    elif isinstance(expr, sp.asin | sp.acos):
        context.require(
            context.sign(1 - sp.Abs(expr.args[0])).nonnegative
            or context.sign(1 - expr.args[0] ** 2).nonnegative,
            f"{expr.args[0]} may lie outside of [-1, 1]",
        )


def _require_power(power: sp.Pow, context: Context) -> None:
    base, exponent = power.args
    base = context.with_names_of_hypotheses(base)
    if exponent.is_Integer:
        if exponent.is_negative and not base.is_nonzero:
            context.require_nonzero(base)
        return
    known = context.sign(base)
    if exponent.is_Rational:
        enough = known.nonnegative if exponent.is_positive else known.positive
    else:
        natural = exponent.is_integer and context.sign(exponent).nonnegative
        enough = known.positive or natural or (known.nonzero and exponent.is_integer)
    if not enough:
        raise Refused(f"{power} is not known to be defined: {base} may be negative or vanish")


def _require_defined_near(value: Subs, context: Context, dividing: bool) -> None:
    """A derivative at a point looks around it, whatever hypotheses say of its variable."""
    places, near = near_point(value)
    for variable, point in zip(value.variables, value.point, strict=True):
        require_admissible(variable, point, context)
    if not value.expr.has(Derivative):
        # What the value at a point divides by is not seen any more when the point is put in.
        dividing, ends = True, zip(places.values(), value.point, strict=True)
        near = [side for x, end in ends for side in (sp.Ge(x, end), Le(x, end))]
    for point in value.point:
        require_defined(point, context, dividing)
    require_defined(put(value.expr, places), context.assuming(*near), dividing)


def near_point(value: Subs) -> tuple[dict[Symbol, Symbol], list[Boolean]]:
    """Other names for the variables of a value at a point, and that they lie near the point."""
    places = {x: Dummy(x.name, **x._assumptions_orig) for x in value.variables}
    near = [
        side
        for x, point in zip(value.variables, value.point, strict=True)
        if point.is_Rational
        for side in (places[x] > point - _NEAR, places[x] < point + _NEAR)
    ]
    return places, near


def _require_defined_between_ends(node: Sum | Integral, context: Context, dividing: bool) -> None:
    inside = context
    body = node.function
    for x, *ends in reversed(node.limits):
        place = Dummy(x.name, **x._assumptions_orig)
        body = put(body, {x: place})
        if len(ends) != 2:
            continue
        for end in ends:
            if end not in (sp.oo, -sp.oo):
                require_defined(end, context, dividing)
        low, high = ends
        if isinstance(node, Integral) and not context.holds(Le(low, high)):
            continue
        if low != -sp.oo:
            inside = inside.assuming(sp.Ge(place, low, evaluate=False))
        if high != sp.oo:
            inside = inside.assuming(Le(place, high, evaluate=False))
    require_defined(body, inside, dividing)


def _laws(statement: Basic) -> dict[Law, ImmutableMatrix]:
    """The indecomposable laws of a statement, each with its covariance matrix."""
    found: dict[Law, ImmutableMatrix] = {}
    for law in statement.atoms(Law):
        for block in law.blocks():
            if isinstance(block, GaussianLaw):
                found[block] = ImmutableMatrix(block.cov)
            elif isinstance(block, NoiseLaw):
                found[block] = ImmutableMatrix([[block.variance]])
    return found


def covariances(*statements: Basic) -> tuple[ImmutableMatrix, ...]:
    """The covariance matrices of the laws that some statements speak of."""
    # Laws are found in no order.
    return tuple(sorted({m for s in statements for m in _laws(s).values()}, key=str))


def _is_part(small: ImmutableMatrix, large: ImmutableMatrix) -> bool:
    """Whether a matrix is a principal submatrix of another, in any order."""
    rows = permutations(range(large.shape[0]), small.shape[0])
    return any(large.extract(list(chosen), list(chosen)) == small for chosen in rows)


def require_laws(statement: Basic, context: Context) -> None:
    """Refuse unless every law of a step's statement is one of the claim's, or certainly a law."""
    for law, matrix in _laws(statement).items():
        if any(_is_part(matrix, known) for known in context.covariances):
            continue
        if not is_semidefinite(sp.Matrix(matrix), context):
            names = ", ".join(map(str, law.symbols))
            raise Refused(
                f"the law of ({names}) may not exist here: its covariance {matrix.tolist()} is not "
                f"known to be positive semidefinite, and the claim does not speak of it"
            )
