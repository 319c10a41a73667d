"""Claims about the gradient flow of a model: its Gram matrix stays one, and its risk never rises.

The velocities are written by letters, the slopes of the risk in the vectors. With them, the Gram
determinant divides its velocity, and the velocity of the risk is a form in the Gram matrix, which a
decomposition into squares shows not to be positive. What the letters stand for is put in last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sympy import (
    Add,
    Eq,
    Expr,
    Ge,
    Gt,
    Le,
    Matrix,
    Mul,
    S,
    Symbol,
    cancel,
    div,
    expand,
    fraction,
    zeros,
)

from slrsym.models.claims.fixed_point_claims import FixedPointClaims
from slrsym.models.claims.model_flow import closed_forms, coordinates_of, flow_of_equations
from slrsym.models.claims.sector_claims import claims_about_sectors
from slrsym.models.claims.slopes_in_letters import SlopesInLetters
from slrsym.models.training.rates_of_change import RatesOfChange, TrainingSettings
from slrsym.proof import Claim, D, algebra, chain, differentiate, having, lemma, signs
from slrsym.proof.dynamical import (
    ConstantAlong,
    DecaysAlong,
    RegionKept,
    by_theorem,
    find_conserved,
    flow,
)
from slrsym.prover.statements.expressions import ProofError

if TYPE_CHECKING:
    from slrsym.models.training.equation_system import EquationSystem


# Operations of the velocities times coordinates. Attention with an angle has 68,695, and no claim
# on it takes more than half a minute. Of attention by a probit, with 73,380, the determinant's
# velocity is a theorem that is too long for the proof checker.
_LONGEST = 70_000
# The same for what an exchange moves. Two ReLU units have 3,248.
_LONGEST_WHERE_ALIKE = 20_000


class FlowClaims:
    """The claims about the gradient flow of equations of motion; see `Equations.flow_claims`."""

    def __init__(self, equations: EquationSystem, name: str, source: str) -> None:
        self.equations, self.name, self.source = equations, name, source
        self._made: dict[str, Claim] = {}
        model = equations.model
        if model.spaces > 1 or model.uses_representatives:
            what = (
                "units whose number is a symbol, or that are alike"
                if model.uses_representatives
                else f"{model.spaces} eigenspaces"
            )
            raise ValueError(
                f"claims about a flow are for single directions in one Gram matrix; this model has "
                f"{what}. State the units one by one, or prove the claim with "
                "slrsym.proof.dynamical from equations.flow()"
            )
        _require_short_velocities(equations, _LONGEST)
        self.put = coordinates_of(equations)
        self.letters = SlopesInLetters(model, equations.motion.scalars)
        self.order = (*model.fixed_directions, *model.trained_directions)
        gram = Matrix([[model.inner_product(x, y) for y in self.order] for x in self.order])
        self.gram = gram.xreplace(self.put)
        changes = RatesOfChange(model, self._motion_without_ridge(), self.letters)
        self.speeds = self.letters.named("v", equations.state)
        self.in_letters = {p: self._written(changes.drift[p]) for p in equations.state}
        self.flow = flow_of_equations(equations, *self._minors[:-1])
        self.region = self.flow.region(self._minors[-1] if self._minors else S.One)
        self.risk = closed_forms(equations)[-1]
        # By the symbols of the state, as letters are.
        self.slopes = {p: self.risk.diff(self.put[p]) for p in equations.state}

    def _motion_without_ridge(self) -> TrainingSettings:
        """Return the motion by slopes of the whole risk, with the penalty, which is no decay."""
        motion, ridge = self.equations.motion, self.equations.model.ridge_of
        return replace(
            motion, decays={x: c - motion.rates[x] * ridge(x) for x, c in motion.decays.items()}
        )

    def _written(self, expr: Expr) -> Expr:
        return expr.xreplace(self.put)

    @cached_property
    def _minors(self) -> list[Expr]:
        """The leading minors of the Gram matrix that depend on the state, fixed ones first."""
        moving = set(self.put.values())
        return [m for m in self._all_minors if m.free_symbols & moving]

    @cached_property
    def _all_minors(self) -> list[Expr]:
        """The leading minors of the Gram matrix, from the empty one on, which is 1."""
        return [expand(self.gram[:k, :k].det()) for k in range(len(self.order) + 1)]

    def _in_slopes(self, expr: Expr) -> Expr:
        return expr.xreplace({g: self.slopes[p] for p, g in self.letters.of.items()})

    def _claim(self, what: str, title: str, statement: Any, given: Any, proof: Any) -> Claim:
        # Two claims cite it, perhaps; a file that makes two of one id states something else.
        if what in self._made:
            return self._made[what]
        self._made[what] = claim = Claim(
            id=f"{self.name}-flow-{what}",
            title=title,
            statement=statement,
            source=self.source,
            hypotheses=given,
        )
        claim.proof(proof)
        return claim

    # -- the Gram matrix -------------------------------------------------------------------------

    def gram_kept(self) -> list[Claim]:
        """Return the claim that the Gram determinant does not fall below 0, with those it cites."""
        if not self._minors:
            raise ValueError("there is no Gram matrix that moves; only scalars are trained")
        a = self._minors[-1]
        moved = {p: slope for p in self.equations.state if (slope := a.diff(self.put[p])) != 0}
        rate = Add(*(slope * self.in_letters[p] for p, slope in moved.items()))
        letters = sorted(self.letters.of.values(), key=str)
        quotient, rest = div(expand(rate), a, *self.put.values(), *letters)
        if rest != 0:
            raise ValueError(
                f"the Gram determinant {a} does not divide its velocity: {rest} is left"
            )
        form = Eq(quotient * a, rate, evaluate=False)
        title = "Along the gradient flow, a Gram determinant that is not negative stays so"
        what = "The velocity of the Gram determinant is a multiple of it, in letters for slopes"
        return [
            *self._velocities_by_slopes(),
            self._put_equal(1),
            self._put_equal(len(moved)),
            self._claim("gram-form", what, form, (), _by_algebra),
            self._gram_rate(moved, quotient, rate),
            self._claim(
                "gram-kept", title, RegionKept(self.flow, self.region), (),
                self._by_cofactor(moved, quotient),
            ),
        ]  # fmt: skip

    @cached_property
    def _cofactor_letter(self) -> Symbol:
        """The letter for the velocity of the Gram determinant divided by it."""
        return self.letters.named("c", [Symbol("c")])[Symbol("c")]

    def _gram_rate(self, moved: Mapping[Symbol, Expr], quotient: Expr, rate: Expr) -> Claim:
        """Return the claim that the determinant rises as it has to, in letters for velocities."""
        a, factor = self._minors[-1], self._cofactor_letter
        along = Add(*(D(a, self.put[p]) * v for p, v in self.speeds.items()))
        says = [Eq(self.speeds[p], self.in_letters[p], evaluate=False) for p in moved]
        terms = [(slope, self.in_letters[p], self.speeds[p]) for p, slope in moved.items()]

        def proof(goal: Any) -> Any:
            """Put the factor in, and velocities for what they are."""
            return (
                chain(goal.lhs)
                .then(quotient * a, by=self._put([(a, factor, quotient)]))
                .then(rate, by=lemma(f"{self.name}-flow-gram-form"))
                .then(Add(*(slope * v for slope, _, v in terms)), by=self._put(terms))
                .le(goal.rhs, by=differentiate)
            )

        return self._claim(
            "gram-rate", "The Gram determinant times a factor is its velocity, in letters",
            Le(factor * a, along, evaluate=False),
            [Eq(factor, quotient, evaluate=False), *says], proof,
        )  # fmt: skip

    def _by_cofactor(self, moved: Mapping[Symbol, Expr], quotient: Expr) -> Callable[[Any], Any]:
        """Return the proof that the region is kept, as the determinant divides its velocity."""
        a, cofactor = self._minors[-1], self._in_slopes(quotient)
        used = quotient.free_symbols.union(*(self.in_letters[p].free_symbols for p in moved))
        values = {
            g.name: D(self.risk, self.put[p]) for p, g in self.letters.of.items() if g in used
        }
        values |= self._velocity_values | {self._cofactor_letter.name: cofactor}

        def proof(goal: Any) -> Any:
            """Put slopes and velocities for the letters in."""
            by_slopes = chain(cofactor).then(
                self._in_derivatives(quotient), by=algebra.using(*self._slopes_in(quotient))
            )
            rate = lemma(f"{self.name}-flow-gram-rate", **values)
            rises = chain(cofactor * a).le(
                self.flow.rate_of(a),
                by=rate.where(by_slopes, *self._velocity_facts(self.equations.state)),
            )
            return by_theorem(
                goal,
                "flow-cofactor",
                {"cofactors": self.flow.function(cofactor)},
                rises_1=rises,
            )

        return proof

    # -- velocities ------------------------------------------------------------------------------

    def _velocities_by_slopes(self) -> list[Claim]:
        """Return the claims that velocities are what they are by definition, by slopes."""
        given, claims = self.flow.domain_conditions(), []
        for number, p in enumerate(self.letters.of, start=1):
            slope = Eq(D(self.risk, self.put[p]), self.slopes[p], evaluate=False)
            title = f"The slope of the risk in {self.put[p]}"
            claims.append(
                self._claim(f"derivative-{number}", title, slope, given, _by_differentiation)
            )
        for number, p in enumerate(self.equations.state, start=1):
            title = f"The velocity of {self.put[p]}, by slopes of the risk"
            claims.append(
                self._claim(
                    f"velocity-{number}", title, self._velocity(p), given, self._by_slopes(p)
                )
            )
        return claims

    def _put_equal(self, count: int) -> Claim:
        """Return the claim that in a sum, numbers may stand for others that are equal."""
        c, v, w = ([Symbol(f"{x}_{k}", real=True) for k in range(1, count + 1)] for x in "cvw")
        left, right = (Add(*map(Mul, c, x)) for x in (v, w))
        return self._claim(
            f"put-{count}", "A sum with numbers in the place of others that are equal",
            Eq(left, right, evaluate=False),
            [Eq(*pair, evaluate=False) for pair in zip(v, w, strict=True)], _by_algebra,
        )  # fmt: skip

    def _put(self, terms: Sequence[tuple[Expr, Expr, Expr]]) -> Any:
        """Return the rule that puts numbers in the place of others, with their coefficients."""
        values = {
            f"{letter}_{k}": value
            for k, term in enumerate(terms, start=1)
            for letter, value in zip("cvw", term, strict=True)
        }
        return lemma(f"{self.name}-flow-put-{len(terms)}", **values)

    def _in_derivatives(self, expr: Expr) -> Expr:
        return expr.xreplace({g: D(self.risk, self.put[p]) for p, g in self.letters.of.items()})

    def _velocity(self, p: Symbol) -> Any:
        place = self.equations.state.index(p)
        by_derivatives = self._in_derivatives(self.in_letters[p])
        return Eq(self.flow.velocities[place], by_derivatives, evaluate=False)

    def _slopes_in(self, expr: Expr) -> list[Any]:
        """Return what the slopes are, for whose letters an expression has; as facts."""
        return [
            chain(D(self.risk, self.put[p])).then(
                self.slopes[p], by=lemma(f"{self.name}-flow-derivative-{number}")
            )
            for number, (p, g) in enumerate(self.letters.of.items(), start=1)
            if expr.has(g)
        ]

    def _by_slopes(self, p: Symbol) -> Callable[[Any], Any]:
        """Return the proof that a velocity is what its drift says in slopes of the risk."""

        def proof(goal: Any) -> Any:
            """Put the slopes of the risk in."""
            in_slopes, facts = (
                self._in_slopes(self.in_letters[p]),
                self._slopes_in(self.in_letters[p]),
            )
            return (
                chain(goal.lhs).then(in_slopes, by=algebra).then(goal.rhs, by=algebra.using(*facts))
            )

        return proof

    @property
    def _velocity_values(self) -> dict[str, Expr]:
        """The velocities by the names of their letters."""
        pairs = zip(self.speeds.values(), self.flow.velocities, strict=True)
        return {v.name: velocity for v, velocity in pairs}

    def _velocity_facts(self, state: Iterable[Symbol]) -> list[Any]:
        """Return what velocities are by slopes, as facts."""
        places = (self.equations.state.index(p) + 1 for p in state)
        return [
            chain(says.lhs).then(says.rhs, by=lemma(f"{self.name}-flow-velocity-{k}"))
            for says, k in zip(map(self._velocity, state), places, strict=True)
        ]

    # -- what is conserved -----------------------------------------------------------------------

    def conserved(self) -> list[Claim]:
        """Return claims that quadratic functions of directions and scalars are kept."""
        rates = {str(r) for r in self.equations.motion.rates.values()}
        decaying = [x for x, c in self.equations.motion.decays.items() if c != 0]
        if decaying or len(rates) > 1:
            raise ValueError(
                "what is conserved is looked for where nothing decays and all rates are equal; "
                f"here {f'{decaying[0]} decays' if decaying else 'rates are ' + ', '.join(rates)}"
            )
        trained = self.equations.model.trained_directions
        parts = [self.gram[i, j] for i in self._places(trained) for j in self._places(trained)]
        parts += [self.put[s] ** 2 for s in self.equations.motion.scalars]
        parts = [p for p in dict.fromkeys(parts) if p.free_symbols & set(self.put.values())]
        plane = flow(dict(zip(self.flow.coordinates, self.flow.velocities, strict=True)))
        try:
            found = find_conserved(plane, among=parts)
        except ProofError as problem:
            raise ValueError(f"no quadratic function is seen to be conserved: {problem}") from None

        def proof(goal: Any) -> Any:
            """Differentiate along the flow."""
            slope = chain(self.flow.rate_of(goal.function.expr[0])).then(0, by=differentiate)
            return by_theorem(goal, "flow-gronwall", kept=self._whole(), constant=slope)

        whole = self.flow.region()
        return [
            self._claim(
                f"conserved-{k}", f"Along the gradient flow, ${c}$ is constant",
                ConstantAlong(self.flow, whole, self.flow.function(c)), (), proof,
            )
            for k, c in enumerate(found, start=1)
        ]  # fmt: skip

    def _places(self, directions: Any) -> list[int]:
        return [self.order.index(x) for x in directions]

    # -- the risk ----------------------------------------------------------------------------------

    def risk_falls(self) -> list[Claim]:
        """Return the claim that the risk never rises, with those that its proof cites."""
        decaying = [x for x, c in self.equations.motion.decays.items() if c != 0]
        if decaying:
            raise ValueError(
                f"the risk may rise where weights decay, and {decaying[0]} does; leave decay out"
            )
        claims = self.gram_kept() if self._minors else self._velocities_by_slopes()
        claims += self._slope_in_letters()
        claims.append(self._falls())
        return claims

    def _slope_in_letters(self) -> list[Claim]:
        """Return the claim that the risk does not rise, in letters for slopes and velocities."""
        form, squares = self._form()
        total = Add(*(g * self.in_letters[p] for p, g in self.letters.of.items()), evaluate=False)
        positive = [Gt(m, 0, evaluate=False) for m in self._minors[:-1]]
        weights, lengths = (
            [Symbol(f"{letter}_{k}", real=True) for k in range(1, len(squares) + 1)]
            for letter in ("p", "x")
        )
        sum_of_squares = Add(*(-p * x**2 for p, x in zip(weights, lengths, strict=True)))
        named = {p.name: c for p, (c, _) in zip(weights, squares, strict=True)}
        named |= {x.name: e for x, (_, e) in zip(lengths, squares, strict=True)}
        given = {*self._minors, S.One}
        ratios = [
            chain(r).ge(0, by=lemma(f"{self.name}-flow-ratio", x=x, y=y))
            for r, (y, x) in zip(self._factors[1], pairwise(self._all_minors), strict=True)
            if r not in given
        ]

        def proof(goal: Any) -> Any:
            """Put the velocities in, and write the sum as one of squares."""
            terms = [(g, self.speeds[p], self.in_letters[p]) for p, g in self.letters.of.items()]
            down = chain(goal.lhs).then(total, by=self._put(terms))
            down = down.then(form, by=lemma(f"{self.name}-flow-form")).le(
                0, by=lemma(f"{self.name}-flow-squares", **named)
            )
            return having(*ratios, down) if ratios else down

        says = [Eq(v, self.in_letters[p], evaluate=False) for p, v in self.speeds.items()]
        last = [Ge(m, 0, evaluate=False) for m in self._minors[-1:]]
        slope = Add(*(g * self.speeds[p] for p, g in self.letters.of.items()), evaluate=False)
        return [
            self._claim(
                "form", "The velocity of the risk as a sum of squares, in letters for slopes",
                Eq(total, form, evaluate=False), positive, _by_algebra,
            ),
            self._claim(
                "squares", "Minus a sum of squares, with weights that are not negative",
                Le(sum_of_squares, 0, evaluate=False), [Ge(p, 0) for p in weights],
                lambda goal: chain(goal.lhs).le(0, by=signs),
            ),
            self._ratio(),
            self._put_equal(len(self.letters.of)),
            self._claim(
                "slope", "The risk does not rise, in letters for slopes and velocities",
                Le(slope, 0, evaluate=False), [*positive, *last, *says], proof,
            ),
        ]  # fmt: skip

    def _ratio(self) -> Claim:
        """Return the claim that a ratio of minors is not negative, in letters for minors."""
        x, y = (Symbol(letter, real=True) for letter in "xy")
        return self._claim(
            "ratio", "The ratio of a number that is not negative to a positive one",
            Ge(x / y, 0, evaluate=False), [Ge(x, 0), Gt(y, 0)],
            lambda goal: chain(goal.lhs).ge(0, by=signs),
        )  # fmt: skip

    def _falls(self) -> Claim:
        values = {g.name: D(self.risk, self.put[p]) for p, g in self.letters.of.items()}
        values |= self._velocity_values

        def proof(goal: Any) -> Any:
            """Add up: minus squared lengths of gradients, which are forms of the Gram matrix."""
            facts = self._velocity_facts(self.equations.state)
            slope = lemma(f"{self.name}-flow-slope", **values).where(*facts)
            down = chain(self.flow.rate_of(self.risk)).le(0, by=slope)
            kept = lemma(f"{self.name}-flow-gram-kept") if self._minors else self._whole()
            return by_theorem(goal, "flow-gronwall", kept=kept, decays=down)

        title = "Along the gradient flow, the risk never rises"
        about = self.flow, self.region, self.flow.function(self.risk), S.Zero
        return self._claim("risk-falls", title, DecaysAlong(*about), (), proof)

    def _whole(self) -> Any:
        plane = RegionKept(self.flow, self.flow.region())
        stays = chain(S.Zero).le(self.flow.rate_of(S.One), by=differentiate)
        return by_theorem(
            plane, "flow-cofactor", {"cofactors": self.flow.function(0)}, rises_1=stays
        )

    @cached_property
    def _factors(self) -> tuple[Matrix, list[Expr]]:
        """The factors of the Gram matrix: lower triangular L, and a diagonal, ratios of minors."""
        size = len(self.order)
        L, diagonal = zeros(size, size), list[Expr]()
        for k in range(size):
            ratio = self._all_minors[k + 1] / self._all_minors[k]
            short = cancel(ratio)
            diagonal.append(short if fraction(short)[1].is_number else ratio)
            for i in range(k, size):
                rest = self.gram[i, k] - sum(L[i, j] * L[k, j] * diagonal[j] for j in range(k))
                L[i, k] = S.One if i == k else cancel(rest / diagonal[k])
        return L, diagonal

    def _form(self) -> tuple[Expr, list[tuple[Expr, Expr]]]:
        """Return minus the sum of squared lengths of what directions move by, in letters.

        Also the weights of the squares, and what is squared.
        """
        L, diagonal = self._factors
        motion, squares = self.equations.motion, []
        for x in self.equations.model.trained_directions:
            moved = self.letters.coefficients(x)
            if x.on_sphere:
                products = (c * self.equations.model.inner_product(x, y) for y, c in moved.items())
                moved[x] = moved.get(x, S.Zero) - Add(*products)
            row = [self._written(S(moved.get(y, 0))) for y in self.order]
            for k, ratio in enumerate(diagonal):
                part = Add(*(row[i] * L[i, k] for i in range(len(row))))
                # Numbers stand before squares, as SymPy would take them out of some.
                number, part = part.as_content_primitive()
                squares.append((number**2 * motion.rates[x] * ratio, part))
        squares += [(motion.rates[s], self.letters.of[s]) for s in motion.scalars]
        squares = [(p, x) for p, x in squares if p != 0 and x != 0]
        return Add(*(-p * x**2 for p, x in squares), evaluate=False), squares


def _by_algebra(goal: Any) -> Any:
    """Expand both sides."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


def _by_differentiation(goal: Any) -> Any:
    """Differentiate the risk."""
    return chain(goal.lhs).then(goal.rhs, by=differentiate)


def _require_short_velocities(equations: EquationSystem, most: int) -> None:
    """Raise `ValueError` if the velocities are too long for proofs, before they are written."""
    number = len(equations.state)
    length = equations.count_drift_operations(most=most // number)
    if length * number > most:
        raise ValueError(
            f"the velocities are too long for proofs: they have at least {length} operations "
            f"in {number} coordinates, {length * number} together, and at most {most} are "
            "taken. Fix directions that need not move, or state a flow of fewer coordinates "
            "by slrsym.proof.dynamical"
        )


_OF_GRAM = {
    "gram-kept": FlowClaims.gram_kept,
    "risk-falls": FlowClaims.risk_falls,
    "conserved": FlowClaims.conserved,
}
_OF_POINT = {"rates": FixedPointClaims.rates, "few-starts": FixedPointClaims.few_starts}
KINDS = (*_OF_GRAM, "sector-kept", *_OF_POINT)


def claims_about_flow(
    equations: EquationSystem,
    name: str,
    source: str,
    about: tuple[str, ...] = (),
    at: Mapping[Any, Any] | None = None,
) -> list[Claim]:
    """Return claims about the gradient flow of equations; see `Equations.flow_claims`."""
    for kind in about:
        if kind not in KINDS:
            raise ValueError(f"about must be some of {', '.join(KINDS)}; got {kind!r}")
        if kind in _OF_POINT and at is None:
            raise ValueError(
                f"{kind} is about a fixed point: give its exact coordinates as at, a mapping such "
                f"as {{{', '.join(f'{p}: 1' for p in equations.state[:2])}}}"
            )
    made = _Makers(equations, name, source, at)
    found: dict[str, Claim] = {}
    problems = []
    for kind in about or (k for k in KINDS if at is not None or k not in _OF_POINT):
        try:
            found |= {claim.id: claim for claim in made.claims(kind)}
        except ValueError as problem:
            if about:
                raise
            problems.append(problem)
    if problems and not found:
        raise problems[0]
    return list(found.values())


class _Makers:
    """What makes claims of each kind, each made once, when it is asked for."""

    def __init__(
        self, equations: EquationSystem, name: str, source: str, at: Mapping[Any, Any] | None
    ) -> None:
        self.equations, self.name, self.source, self.at = equations, name, source, at

    @cached_property
    def of_gram(self) -> FlowClaims:
        return FlowClaims(self.equations, self.name, self.source)

    @cached_property
    def of_point(self) -> FixedPointClaims:
        return FixedPointClaims(self.equations, self.at or {}, self.name, self.source)

    def claims(self, kind: str) -> list[Claim]:
        """Return the claims of a kind; raise `ValueError` if it cannot be stated."""
        if kind in _OF_GRAM:
            return _OF_GRAM[kind](self.of_gram)
        if kind in _OF_POINT:
            return _OF_POINT[kind](self.of_point)
        _require_short_velocities(self.equations, _LONGEST_WHERE_ALIKE)
        return claims_about_sectors(self.equations, self.name, self.source)
