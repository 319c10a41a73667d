"""Claims that units which are alike stay so: the flow keeps what an exchange leaves as it is.

Differences of coordinates and their images are 0 there. The velocities of the differences are
sums of these, and of changes of roots and functions, which their arguments bound. So the sum S of
squared differences grows at most at a smooth rate, and -S >= 0 is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sympy import Add, Expr, Integer, Le, Mul, S, Symbol

from slrsym.models.claims.bounds_of_changes import BoundsOfChanges
from slrsym.models.claims.exchanges import Exchange, find_exchanges
from slrsym.models.claims.model_flow import flow_of_equations
from slrsym.models.claims.sector_letters import Letters, combination, squares
from slrsym.proof import Claim, D, algebra, chain, differentiate, lemma, signs
from slrsym.proof.dynamical import RegionKept, by_theorem

if TYPE_CHECKING:
    from slrsym.models.training.equation_system import EquationSystem
    from slrsym.prover.statements.flows import Flow


def claims_about_sectors(equations: EquationSystem, name: str, source: str) -> list[Claim]:
    """Return claims that the flow keeps what exchanges of directions leave as it is.

    Parameters
    ----------
    equations : EquationSystem
        Of the gradient flow.
    name : str
        Prefix of the ids.
    source : str
        Of the claims.

    Returns
    -------
    list of Claim
        One for each exchange, of those that are alike for the first, with what their proofs cite.

    Raises
    ------
    ValueError
        If no exchange is found, or the velocities have functions for which nothing is known, for
        all exchanges.
    """
    exchanges = find_exchanges(equations)
    if not exchanges:
        raise ValueError(
            "no units are alike: no exchange of directions, and no change of their signs, is seen "
            "to leave the risk, the rates and the decays as they are and to move an inner product. "
            "Leave 'sector-kept' out"
        )
    flow = flow_of_equations(equations)
    lemmas = BoundsOfChanges(name, source)
    made: list[Claim] = []
    problems = []
    for number, group in enumerate(exchanges, start=1):
        try:
            made += SectorClaims(flow, group[0], lemmas, number).claims()
        except ValueError as problem:
            problems.append(problem)
    if not made:
        raise problems[0]
    return [*lemmas.made.values(), *made]


class SectorClaims:
    """The claims that a flow keeps what one exchange leaves as it is."""

    def __init__(
        self, flow: Flow, exchange: Exchange, lemmas: BoundsOfChanges, number: int
    ) -> None:
        self.flow, self.exchange, self.lemmas, self.number = flow, exchange, lemmas, number
        self.letters = Letters(flow, exchange)
        for x in self.letters.moved:
            if x in self.letters.of:
                lemmas.require_kind(self.letters.of[x].kind)
        self.moved = exchange.moved
        self.size = squares([exchange.difference(x) for x in self.moved])
        # Bounds of squared differences over their sum S; those of letters are letters, too.
        self.bounds: dict[Symbol, Expr] = dict.fromkeys(self.moved, S.One)
        self.values: dict[Symbol, Expr] = {}
        self.claimed: dict[Symbol, Claim] = {}

    def claims(self) -> list[Claim]:
        """Return the claims about letters, the one in letters, and the conclusion."""
        found = [self._letter(x) for x in self.letters.moved if x not in self.moved]
        form = self._form()
        return [*found, form, self._kept(form)]

    def _in_full(self, expr: Expr) -> Expr:
        """Put in what letters stand for, without evaluation, as an instance of a claim has it."""
        return _put_unevaluated(expr, self.letters.values | self.values)

    def _claim(self, what: str, title: str, statement: Any, given: Any, proof: Any) -> Claim:
        claim = Claim(
            id=f"{self.lemmas.name}-flow-sector-{self.number}{what}",
            title=title,
            statement=statement,
            source=self.lemmas.source,
            hypotheses=given,
        )
        claim.proof(proof)
        return claim

    # -- combinations of differences ---------------------------------------------------------------

    def _bound_of(self, coefficients: Mapping[Symbol, Expr]) -> Expr:
        """Return a bound of the square of a combination of differences, over S."""
        terms = (c**2 * self.bounds[x] for x, c in coefficients.items())
        return Mul(len(coefficients), Add(*terms))

    def _bounded(self, value: Expr, coefficients: Mapping[Symbol, Expr], full: bool) -> Any:
        """Return the proof that the square of a combination is bounded, in letters or in full."""

        def put(expr: Expr) -> Expr:
            return self._in_full(expr) if full else expr

        whole = combination(coefficients, self.letters)
        named: dict[str, Expr] = {"v": value, "S": self.size}
        where = [chain(value).then(put(whole), by=algebra)]
        for k, (x, c) in enumerate(coefficients.items(), start=1):
            d = put(self.letters.difference(x))
            named |= {f"c_{k}": put(c), f"d_{k}": d, f"b_{k}": put(self.bounds[x])}
            if x in self.moved:
                where.append(chain(d**2).le(self.size, by=signs))
            elif full:
                where.append(self._fact_of(x))
        rule = self.lemmas.of_combination(len(coefficients), named)
        bound = Mul(put(self._bound_of(coefficients)), self.size, evaluate=False)
        return chain(value**2).le(bound, by=rule.where(*where))

    def _fact_of(self, x: Symbol) -> Any:
        """Return the bound of a letter's squared difference, in full, from its claim."""
        claim = self.claimed[x]
        return chain(claim.statement.lhs).le(claim.statement.rhs, by=lemma(claim.id, {}))

    # -- letters -----------------------------------------------------------------------------------

    def _letter(self, x: Symbol) -> Claim:
        """Return the claim that bounds the squared difference of a letter and its image."""
        one, (image, sign) = self.letters.of[x], self.letters.images[x]
        coefficients = self.letters.change(one.base)
        start, end = one.argument, sign * self.letters.of[image].argument
        inner = self._in_full(self._bound_of(coefficients))
        bound = self.lemmas.bound_of_kind(one.kind, start, end, inner)
        difference = self._in_full(self.letters.difference(x))
        changed = self._bounded(start - end, coefficients, full=True)
        rule = self.lemmas.of_kind(one.kind, start, end, inner, self.size).where(changed)

        def proof(goal: Any) -> Any:
            """Bound it by the change of what stands below the root, or the line."""
            return chain(goal.lhs).le(goal.rhs, by=rule)

        letter = Symbol(f"b{x.name}", nonnegative=True)
        self.claimed[x] = claim = self._claim(
            f"-letter-{len(self.claimed) + 1}",
            f"How much {one.in_words} differs after the {self.exchange.in_words}",
            Le(difference**2, Mul(bound, self.size, evaluate=False), evaluate=False),
            self.flow.domain_conditions(), proof,
        )  # fmt: skip
        self.bounds[x], self.values[letter] = letter, bound
        return claim

    # -- velocities --------------------------------------------------------------------------------

    def _velocities(self, written: Any) -> list[Expr]:
        """Return the velocities of the differences, from those of the coordinates."""
        by_coordinate = dict(zip(self.flow.coordinates, written, strict=True))
        found = []
        for x in self.moved:
            y, sign = self.exchange.of_state[x]
            other = Integer(0) if y is x else sign * by_coordinate[y]
            found.append(by_coordinate[x] - other)
        return found

    def _form(self) -> Claim:
        """Return the claim that S grows at a rate, in letters."""
        velocities = self._velocities(self.letters.velocities)
        differences = [self.exchange.difference(x) for x in self.moved]
        changes = []
        for x in self.moved:
            place = self.flow.coordinates.index(x)
            change = self.letters.change(self.letters.velocities[place])
            turned = self.exchange.of_state[x][0] is x
            changes.append({y: c / 2 for y, c in change.items()} if turned else change)
        bounds = [self._bound_of(change) for change in changes]
        self.rate = Add(1, *bounds)
        falls = Add(*(Mul(-2, d, v) for d, v in zip(differences, velocities, strict=True)))
        given = [
            Le(self.letters.difference(x) ** 2, self.bounds[x] * self.size, evaluate=False)
            for x in self.claimed
        ]

        named: dict[str, Expr] = {}
        for k, (v, d, b) in enumerate(zip(velocities, differences, bounds, strict=True), start=1):
            named |= {f"v_{k}": v, f"d_{k}": d, f"b_{k}": b}
        parts = zip(velocities, changes, strict=True)
        where = [self._bounded(v, change, full=False) for v, change in parts if change]
        rule = self.lemmas.of_growth(len(self.moved), named).where(*where)

        def proof(goal: Any) -> Any:
            """Write each velocity as a combination of differences."""
            return chain(goal.lhs).le(goal.rhs, by=rule)

        return self._claim(
            "-form", "Squared differences grow at most at a rate, in letters",
            Le(self.rate * -self.size, falls, evaluate=False), given, proof,
        )  # fmt: skip

    def _kept(self, form: Claim) -> Claim:
        below, rate = -self.size, self._in_full(self.rate)
        velocity = dict(zip(self.flow.coordinates, self.flow.velocities, strict=True))
        put = {x.name: v for x, v in (self.letters.values | self.values).items()}

        def proof(goal: Any) -> Any:
            """Bound the growth of the sum of squared differences by a smooth rate."""
            facts = [self._fact_of(x) for x in self.claimed]
            terms, splits, falls = dict.fromkeys(velocity, Integer(0)), [], []
            pairs = zip(self.moved, self._velocities(velocity.values()), strict=True)
            for x, v in pairs:
                d, (y, sign) = self.exchange.difference(x), self.exchange.of_state[x]
                terms[x] = Mul(-2, d, velocity[x])
                if y is not x:
                    terms[y] = Mul(2 * sign, d, velocity[y])
                falls.append(Mul(-2, d, v))
                if y is not x:
                    # Sums of all roots are long: each velocity is taken apart alone.
                    splits.append(chain(falls[-1]).then(terms[x] + terms[y], by=algebra))
            slopes = [
                chain(D(below, x) * velocity[x]).then(term, by=differentiate)
                for x, term in terms.items()
            ]
            apart = algebra.using(*splits) if splits else algebra
            rises = (
                chain(rate * below)
                .le(Add(*falls), by=lemma(form.id, put).where(*facts))
                .then(Add(*terms.values()), by=apart)
                .then(self.flow.rate_of(below), by=algebra.using(*slopes))
            )
            return by_theorem(
                goal, "flow-cofactor", {"cofactors": self.flow.function(rate)}, rises_1=rises
            )

        title = f"The gradient flow keeps the points that the {self.exchange.in_words} leaves alone"
        kept = RegionKept(self.flow, self.flow.region(below))
        return self._claim("-kept", title, kept, (), proof)


def _put_unevaluated(expr: Expr, values: Mapping[Symbol, Expr]) -> Expr:
    """Return an expression with values for symbols, of which no product or power is evaluated."""
    if not expr.free_symbols & values.keys():
        return expr
    if expr.is_Symbol:
        return values[expr]
    args = (_put_unevaluated(arg, values) for arg in expr.args)
    return expr.func(*args, evaluate=False)
