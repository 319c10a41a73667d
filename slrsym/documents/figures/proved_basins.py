"""Basins of attraction that a claim proves, as shaded in portraits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from sympy import Eq, Expr, Float, Ge, Gt, Le, Lt, Ne, Symbol, Tuple, floor
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from slrsym.documents.typeset import FormulaPrinter, to_mathml
from slrsym.prover.claims.claim import Claim
from slrsym.prover.claims.ledger import Ledger
from slrsym.prover.statements.expressions import conjuncts
from slrsym.prover.statements.trajectories import FlowsConvergeTo

if TYPE_CHECKING:
    from slrsym.documents.figures.planes import StatePlane
    from slrsym.models.training.motion_in_planes import MotionInPlanes

# How many states the two vector fields are compared at, and how closely they agree there.
_STATES, _CLOSE = 24, 1e-8

# The relation that says of a number what a symbol may be declared; a sign before what it implies.
_SIGNS: dict[str, Callable[[Symbol], Any]] = {
    "positive": lambda x: Gt(x, 0, evaluate=False),
    "nonnegative": lambda x: Ge(x, 0, evaluate=False),
    "negative": lambda x: Lt(x, 0, evaluate=False),
    "nonpositive": lambda x: Le(x, 0, evaluate=False),
    "nonzero": lambda x: Ne(x, 0, evaluate=False),
}


@dataclass(frozen=True)
class ProvedBasin:
    """The region of starts of a proved claim that trajectories converge to listed points.

    Parameters
    ----------
    claim : Claim
        Its statement is a `FlowsConvergeTo`.
    parameters : tuple of Symbol
        Those that the claim has and the equations of the portrait have not, by name.
    """

    claim: Claim
    parameters: tuple[Symbol, ...]

    @property
    def coordinates(self) -> tuple[Symbol, ...]:
        """The coordinates of the claim's flow."""
        found: tuple[Symbol, ...] = self.claim.statement.map.coordinates
        return found

    @property
    def suppositions(self) -> list[Relational]:
        """The relations between parameters under which the claim speaks."""
        declared = []
        for x in sorted(self.claim.symbols, key=str):
            signs = (says for sign, says in _SIGNS.items() if getattr(x, f"is_{sign}"))
            declared += [says(x) for says in islice(signs, 1)]
            if x.is_integer:
                free = Symbol(x.name, real=True)
                declared.append(Eq(free, floor(free), evaluate=False))
        return [*declared, *_stated(self.claim)]

    @property
    def region(self) -> list[Relational]:
        """The relations of the region of starts."""
        return list(self.claim.statement.region_conditions())

    def legend(self) -> str:
        """Return the HTML that names the points and the claim."""
        points = sorted(self.claim.statement.points, key=str)
        limits = " or ".join(map(_mathml, points))
        names = _mathml(Tuple(*self.coordinates))
        return f"{names} converges to {limits}: claim <code>{self.claim.id}</code>, proved"

    def hypotheses(self) -> str:
        """Return the HTML of the claim's hypotheses; empty if there are none."""
        return ", ".join(map(_mathml, self.claim.hypotheses))


def _mathml(expr: Any) -> str:
    """Return the MathML of an expression within a sentence."""
    return to_mathml(FormulaPrinter(laws={}).box(expr), display=False)


def proved_basin(basin: Claim | Sequence[Claim], equations: MotionInPlanes) -> ProvedBasin:
    """Return the basin of a claim, once it is proved and seen to fit equations.

    Raises
    ------
    ValueError
        If the claim is no `FlowsConvergeTo` of relations between numbers, is not proved, or has
        coordinates or a time that the equations have not.
    """
    claims = list(basin) if isinstance(basin, Sequence) else [basin]
    if not claims or not all(isinstance(c, Claim) for c in claims):
        raise ValueError(
            "basin must be a claim, or a sequence of a claim and those that its proof cites; got "
            f"{basin!r}"
        )
    claim = claims[0]
    if not isinstance(claim.statement, FlowsConvergeTo):
        raise ValueError(
            "basin must be a claim that flows converge to points, a FlowsConvergeTo; "
            f"{claim.id} states: {claim.statement}"
        )
    _require_numbers(claim)
    if equations.kind == "projected-descent":
        raise ValueError(
            f"basin has a claim on a flow in time, {claim.id}, and these equations are of "
            'steps; ask the model for equations("gradient-flow")'
        )
    state = [s.name for s in equations.state]
    flow = claim.statement.map
    if unknown := [x.name for x in flow.coordinates if x.name not in state]:
        raise ValueError(
            f"basin has a claim on {unknown[0]}, which is not part of the state "
            f"({', '.join(state)})"
        )
    if twice := sorted({x.name for x in claim.symbols} & {*state}):
        raise ValueError(
            f"basin has a claim with the parameter {twice[0]}, which is part of the state "
            f"({', '.join(state)}); name it otherwise"
        )
    _require_proved(claims)
    known = {p.name for p in equations.parameters}
    more = sorted((x for x in claim.symbols if x.name not in known), key=str)
    return ProvedBasin(claim, tuple(more))


def _require_numbers(claim: Claim) -> None:
    odd = next((p for p in _stated(claim) if not isinstance(p, Relational)), None)
    if odd is None and claim.statement.has(AppliedUndef):
        odd = sorted(claim.statement.atoms(AppliedUndef), key=str)[0]
    if odd is not None:
        raise ValueError(
            f"basin must be a claim of relations between numbers, to be drawn; {claim.id} has {odd}"
        )
    for x in sorted(claim.symbols, key=str):
        facts = {fact for fact, holds in x._assumptions_orig.items() if holds is not None}
        if other := sorted(facts - {*_SIGNS, "integer", "real", "finite", "commutative"}):
            raise ValueError(
                f"basin must be a claim whose symbols are declared by sign or as integers, to be "
                f"drawn; in {claim.id}, {x} is declared {other[0]}"
            )


def _stated(claim: Claim) -> list[Any]:
    return [part for h in claim.hypotheses for part in conjuncts(h)]


def _require_proved(claims: Sequence[Claim]) -> None:
    ledger = Ledger()
    for claim in claims:
        ledger.add(claim)
    (row,) = (r for r in ledger.verify([claims[0].id], use_cache=True) if r.id == claims[0].id)
    if row.status != "proved":
        raise ValueError(
            f"basin must be a claim that is proved; {row.id} is {row.status}: {row.error}. "
            "Pass the claims that its proof cites behind it, basin=[claim, *others]"
        )


def require_same_motion(
    basin: ProvedBasin, equations: MotionInPlanes, plane: StatePlane, values: Mapping[str, float]
) -> None:
    """Raise `ValueError` unless equations move as the claim's flow, at states of a plane.

    States are drawn from the plane, and positive parameters up to three times as large or small.
    What of the state has no coordinate in the flow is to rest.
    """
    rng = np.random.default_rng(0)
    flow = basin.claim.statement.map
    names = [s.name for s in equations.state]
    places = [names.index(x.name) for x in flow.coordinates]
    compiled = equations.compile("numpy")
    compared = 0
    for _ in range(_STATES):
        state = plane.held.copy()
        for i, (low, high) in zip((plane.x, plane.y), plane.window, strict=True):
            state[i] = rng.uniform(low, high)
        here = {
            p: _moved(p, values[p.name], rng) if p in equations.parameters else values[p.name]
            for p in (*equations.parameters, *basin.parameters)
        }
        by_name = {p.name: x for p, x in here.items()} | dict(zip(names, state, strict=True))
        with np.errstate(all="ignore"):
            ours = compiled(state, *(here[p] for p in equations.parameters))
        expected = np.zeros(len(names))
        numbers = [_number(v, by_name) for v in flow.velocities]
        if not np.isfinite(ours).all() or None in numbers:
            continue
        expected[places] = numbers
        compared += 1
        far = np.abs(ours - expected) > _CLOSE * (1 + np.abs(expected))
        if far.any():
            i = int(np.argmax(far))
            where = ", ".join(f"{n} = {x:.4g}" for n, x in by_name.items())
            raise ValueError(
                f"the flow of {basin.claim.id} is another one than these equations: {names[i]} has "
                f"the velocity {expected[i]:.6g} by the claim, and {ours[i]:.6g} by the equations, "
                f"at {where}. Hold with at= what the claim has at rest, and take its rate"
            )
    if not compared:
        raise ValueError(
            f"the flow of {basin.claim.id} cannot be compared with these equations: no velocity "
            "is finite in the window; choose another with window="
        )


def _moved(p: Symbol, value: float, rng: np.random.Generator) -> float:
    """Return another value of a positive parameter."""
    return float(value * 3 ** rng.uniform(-1, 1)) if p.is_positive and not p.is_integer else value


def _number(expr: Expr, values: Mapping[str, float]) -> float | None:
    number = expr.subs({x: Float(values[x.name], 30) for x in expr.free_symbols}).evalf(20)
    return float(number) if number.is_real and number.is_finite else None
