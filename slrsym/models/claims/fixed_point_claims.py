"""Claims about a fixed point of a model's gradient flow that is known exactly.

The eigenvalues of the Jacobian there are the rates of the linear flow near by. If one is positive,
almost no start has a trajectory that converges to the point.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sympy import (
    Add,
    And,
    Eq,
    Expr,
    Float,
    Matrix,
    Mul,
    Poly,
    Pow,
    S,
    Symbol,
    cancel,
    default_sort_key,
    expand,
    expand_power_base,
    eye,
    factor,
    factor_list,
    factor_terms,
    latex,
    numer,
    powdenest,
    radsimp,
    roots,
    simplify,
    sqrtdenest,
    sympify,
    together,
)
from sympy.core.symbol import uniquely_named_symbol

from slrsym.models.claims.model_flow import closed_forms, coordinates_of, flow_of_equations
from slrsym.models.training.parameter_values import parameter_values_by_name
from slrsym.proof import Claim, D, algebra, all_of, at, chain, differentiate, signs
from slrsym.proof.dynamical import DecaysAlong, NullFlowStarts, RegionKept, by_theorem

if TYPE_CHECKING:
    from slrsym.models.training.equation_system import EquationSystem


# The theorem flow-center-stable takes matrices of so many rows.
_MOST_ROWS = 4


class FixedPointClaims:
    """The claims about one fixed point of a gradient flow.

    Parameters
    ----------
    equations : EquationSystem
        Of the gradient flow.
    point : mapping
        An exact value for each coordinate of the state.
    name : str
        Prefix of the ids.
    source : str
        Of the claims.

    Raises
    ------
    ValueError
        If a value is missing, or no exact one, or the point is not in the domain of the closed
        forms, or no fixed point.
    """

    def __init__(
        self, equations: EquationSystem, point: Mapping[Any, Any], name: str, source: str
    ) -> None:
        if equations.model.uses_representatives:
            raise ValueError(
                "at is for models whose number of units is stated; here it is a symbol, or units "
                "are alike. State the units one by one, or prove the claim with "
                "slrsym.proof.dynamical from equations.flow()"
            )
        self.equations, self.name, self.source = equations, name, source
        self.flow = flow_of_equations(equations)
        self.place = self._exact(point)
        # A formula may show that it is not negative; a sign that is not known is left to the proof.
        for h in self.flow.positive:
            if simplify(h.xreplace(self.place)).is_nonpositive:
                raise ValueError(
                    f"at must be a point where the closed forms are smooth; {h} is not positive "
                    f"at {self._said}. Take a point inside of the domain, equations.flow().positive"
                )
        for x, velocity in zip(self.flow.coordinates, self.flow.velocities, strict=True):
            left = _short(velocity.xreplace(self.place))
            if left != 0:
                raise ValueError(
                    f"at must be a fixed point; at {self._said} the velocity of {x} is {left}. "
                    "equations.fixed_points() finds fixed points, as numbers"
                )

    def _exact(self, point: Mapping[Any, Any]) -> dict[Symbol, Expr]:
        given = parameter_values_by_name(self.equations.model, point)
        put = coordinates_of(self.equations)
        names = {p.name for p in put}
        if missing := sorted(names - given.keys()):
            raise ValueError(f"at must have a value for {missing[0]}; got {dict(point)}")
        if unknown := sorted(given.keys() - names):
            raise ValueError(
                f"at has {unknown[0]}, no coordinate of the state ({', '.join(sorted(names))})"
            )
        found = {x: sympify(given[p.name]) for p, x in put.items()}
        for x, value in found.items():
            if value.atoms(Float):
                raise ValueError(
                    f"at must have exact values; that of {x} is {value}. Write a quotient as "
                    "Rational(1, 2), a root as sqrt(2)"
                )
            if names & {s.name for s in value.free_symbols}:
                raise ValueError(f"at must be a point; the value of {x} is {value}")
        return found

    @property
    def _said(self) -> str:
        return ", ".join(f"{x} = {value}" for x, value in self.place.items())

    def _claim(self, what: str, title: str, statement: Any, proof: Any) -> Claim:
        claim = Claim(
            id=f"{self.name}-flow-{what}", title=title, statement=statement, source=self.source
        )
        claim.proof(proof)
        return claim

    @property
    def _point_in_words(self) -> str:
        return ", ".join(f"${x} = {latex(v)}$" for x, v in self.place.items())

    # -- the Jacobian ------------------------------------------------------------------------------

    @cached_property
    def _jacobian(self) -> Matrix:
        """The derivatives of the velocities at the point."""
        rows = [
            [_short(v.diff(x).xreplace(self.place)) for x in self.flow.coordinates]
            for v in self.flow.velocities
        ]
        return Matrix(rows)

    @cached_property
    def _letter(self) -> Symbol:
        taken = [*self.flow.velocities, *self.place.values(), *self.flow.coordinates]
        return uniquely_named_symbol("r", taken, real=True)

    @cached_property
    def _characteristic(self) -> Expr:
        shifted = self._jacobian - self._letter * eye(len(self.place))
        return shifted.det(method="laplace")

    @cached_property
    def _eigenvalues(self) -> dict[Expr, int]:
        """The eigenvalues for which there are formulas, with multiplicities."""
        found: dict[Expr, int] = {}
        for places in self._jacobian.connected_components():
            block = self._jacobian.extract(places, places)
            for value, count in _eigenvalues_of_block(block, self._letter).items():
                found[value] = found.get(value, 0) + count
        return found

    def _facts_at_point(self) -> dict[str, Any]:
        """Return proofs that the point is a fixed one, and of the Jacobian's entries."""
        found: dict[str, Any] = {}
        for i, v in enumerate(self.flow.velocities, start=1):
            found[f"zero_{i}"] = chain(at(v, self.place)).then(0, by=algebra)
            for j, x in enumerate(self.flow.coordinates, start=1):
                found[f"entry_{i}{j}"] = chain(at(D(v, x), self.place)).then(
                    self._jacobian[i - 1, j - 1], by=differentiate
                )
        return found

    # -- claims ------------------------------------------------------------------------------------

    def rates(self) -> list[Claim]:
        """Return the claim on the eigenvalues; and a rate of the risk, where that is exact.

        Raises
        ------
        ValueError
            If eigenvalues have no formula.
        """
        values = self._eigenvalues
        if sum(values.values()) != len(self.place):
            raise ValueError(
                f"the eigenvalues at {self._said} have no formula that is found: they are the "
                f"zeros of {factor(self._characteristic)} in {self._letter}. Take values for "
                "parameters, or equations.fixed_points() for numbers"
            )
        product = Mul(*((value - self._letter) ** n for value, n in values.items()))
        facts = self._facts_at_point()
        # What is 0 as it stands, such as the determinant of zeros, needs no claim.
        same = Eq(self._characteristic, product, evaluate=False)
        statement = And(
            *(Eq(part.start, part.end, evaluate=False) for part in facts.values()),
            same,
            evaluate=False,
        )

        def proof(goal: Any) -> Any:
            """Differentiate the velocities, and multiply out the determinant."""
            known = {part.conclusion: part for part in facts.values()}
            known[same] = chain(same.lhs).then(same.rhs, by=algebra)
            return all_of(*(known[part] for part in goal.args))

        listed = ", ".join(
            f"${latex(v)}${f' ({n} times)' if n > 1 else ''}" for v, n in values.items()
        )
        title = (
            f"At {self._point_in_words} the gradient flow is at rest, and its Jacobian has the "
            f"eigenvalues {listed}"
        )
        return [self._claim("rates", title, statement, proof), *self._risk_decays()]

    def _risk_decays(self) -> list[Claim]:
        """Return the claim that the risk above its value decays at a rate, if it does exactly."""
        risk, here = closed_forms(self.equations)[-1], self.flow.coordinates
        if not all(e.is_rational_function(*here) for e in (risk, *self.flow.velocities)):
            return []
        excess = risk - _short(risk.xreplace(self.place))
        pairs = zip(self.flow.coordinates, self.flow.velocities, strict=True)
        slope = Add(*(excess.diff(x) * v for x, v in pairs))
        quotient = cancel(-slope / excess)
        if quotient.free_symbols & {*self.place} or not quotient.is_positive:
            return []
        whole = self.flow.region()

        def proof(goal: Any) -> Any:
            """Differentiate: the velocity of the risk above its value is a multiple of it."""
            stays = chain(S.Zero).le(self.flow.rate_of(S.One), by=differentiate)
            kept = by_theorem(
                RegionKept(self.flow, whole), "flow-cofactor",
                {"cofactors": self.flow.function(0)}, rises_1=stays,
            )  # fmt: skip
            falls = chain(self.flow.rate_of(excess) + quotient * excess).le(0, by=differentiate)
            return by_theorem(goal, "flow-gronwall", kept=kept, decays=falls)

        statement = DecaysAlong(self.flow, whole, self.flow.function(excess), quotient)
        title = (
            f"From all starts, the risk above its value at {self._point_in_words} decays at least "
            f"at the rate ${latex(quotient)}$"
        )
        return [self._claim("risk-decays", title, statement, proof)]

    def few_starts(self) -> list[Claim]:
        """Return the claim that almost no start has a trajectory which converges to the point.

        Raises
        ------
        ValueError
            If no eigenvalue is known to be positive.
        """
        if len(self.place) > _MOST_ROWS:
            raise ValueError(
                f"few-starts is for at most {_MOST_ROWS} coordinates, as the theorem "
                f"flow-center-stable is; these are {len(self.place)}. Ask for 'rates'"
            )
        positive = [value for value in self._eigenvalues if value.is_positive]
        if not positive:
            known = ", ".join(map(str, self._eigenvalues)) or "none that is found"
            raise ValueError(
                f"few-starts is about saddles: an eigenvalue of the Jacobian has to be positive. "
                f"At {self._said} the eigenvalues are {known}. Declare parameters positive, or "
                "leave 'few-starts' out"
            )
        eigenvalue = min(positive, key=lambda v: (v.count_ops(), default_sort_key(v)))
        matrix = tuple(tuple(row) for row in self._jacobian.tolist())

        def proof(goal: Any) -> Any:
            """Put a positive eigenvalue in."""
            inside = {
                f"inside_{i}": chain(at(h, self.place)).gt(0, by=signs)
                for i, h in enumerate(self.flow.positive, start=1)
                if h != 1
            }
            characteristic = at(self._characteristic, {self._letter: eigenvalue})
            return by_theorem(
                goal, "flow-center-stable", {"matrix": matrix, "eigenvalue": eigenvalue},
                eigenvalue=chain(characteristic).then(0, by=algebra),
                positive=chain(eigenvalue).gt(0, by=signs), **self._facts_at_point(), **inside,
            )  # fmt: skip

        point = self.flow.points([self.place[x] for x in self.flow.coordinates])
        title = (
            f"Almost no start, in the coordinates of the flow, has a trajectory that converges to "
            f"{self._point_in_words}"
        )
        return [self._claim("few-starts", title, NullFlowStarts(self.flow, point), proof)]


def _short(value: Expr) -> Expr:
    """Return a number or formula in a short form, without roots in denominators.

    Roots of products are split as if factors were positive: what is said is proved later.
    """
    split = value.replace(
        lambda e: isinstance(e, Pow) and e.exp.is_Rational and e.exp.q == 2,
        lambda e: powdenest(expand_power_base(factor(e.base) ** e.exp, force=True), force=True),
    )
    plain = sqrtdenest(simplify(split))
    forms = plain, radsimp(plain), factor_terms(radsimp(plain))
    return min(forms, key=lambda e: e.count_ops())


def _eigenvalues_of_block(block: Matrix, letter: Symbol) -> dict[Expr, int]:
    """Return the eigenvalues of a matrix that have formulas, with multiplicities."""
    if block.shape == (1, 1):
        return {block[0, 0]: 1}
    shifted = block - letter * eye(block.rows)
    whole = numer(together(expand(shifted.det(method="laplace"))))
    found: dict[Expr, int] = {}
    for part, power in factor_list(whole)[1]:
        if part.has(letter):
            for value, count in roots(Poly(part, letter)).items():
                short = _short(value)
                found[short] = found.get(short, 0) + power * count
    return found
