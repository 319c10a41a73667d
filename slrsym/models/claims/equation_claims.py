"""Claims that the equations of motion of a model follow from the definition of a step."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sympy import Eq, Expr, Ge, Le, Matrix, S, Symbol, asin, expand

from slrsym.gaussian import Expectation, NoiseLaw, ProductLaw
from slrsym.models.claims.loss_claims import (
    LossMeansByDefinition,
    require_closed_form,
    require_statable,
)
from slrsym.models.claims.risk_claims import claims_about_model as claims_of_model
from slrsym.models.claims.risk_claims import contribution_of_tokens, xi
from slrsym.models.definition.projections import TokenRole
from slrsym.models.definition.specification import Direction
from slrsym.models.means.jumps import derivative_across_jumps, with_means_at_jumps
from slrsym.models.means.one_sample_means import OneSampleMeans
from slrsym.models.training.rates_of_change import (
    RatesOfChange,
    TrainingSettings,
    directions_of_moving_inner_products,
)
from slrsym.models.training.symbolic_sums_over_units import (
    MeansAsSymbolicSumsOverUnits,
    Units,
    collapse_sums_of_equal_terms,
)
from slrsym.proof import Claim, algebra, chain, gaussian_calculus

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel
    from slrsym.models.training.equation_system import EquationSystem


class MeansByDefinition:
    """Means over one sample by definition, in place of `OneSampleMeans`, for single units."""

    def __init__(self, model: DerivedModel) -> None:
        self.model = model
        self._laws = OneSampleMeans(model)

    def risk(self) -> Expr:
        """Return 0 in place of the risk, whose claim `Model.claims` states."""
        return S.Zero

    def gradient(self, i: Direction, y: Direction, space: int) -> Expr:
        """Return the mean inner product of y with the squared error's gradient in direction `i`."""
        weight = (y, None if self.model.spaces == 1 else space)
        return self._total(lambda e, slope, Y, role: 2 * e * slope[0] * Y, (i,), weight)

    def slope_in_scalar(self, s: Symbol) -> Expr:
        """Return the mean of the derivative of the squared error in a trained scalar."""
        return self._total(lambda e, slope, Y, role: 2 * e * slope[0], (s,))

    def second_moment(self, i: Direction, j: Direction) -> Expr:
        """Return the mean inner product of one sample's gradients in i and in j, divided by d."""
        return self._total(
            lambda e, slope, Y, role: 4 * role.token.eigenvalues[0] * e**2 * slope[0] * slope[1],
            (i, j),
        )

    def _total(
        self,
        integrand: Callable[..., Expr],
        moved: Iterable[Direction | Symbol],
        weight: Any = None,
    ) -> Expr:
        """Return the sum over tokens of means of a function of the error and its derivatives."""
        total: Expr = S.Zero
        for roles, probability in self._laws.cases:
            for role, count in roles:
                error, laws, slopes, Y = self._sample(roles, role, moved, weight)
                if S.Zero in slopes:
                    continue
                value = integrand(error, slopes, Y, role)
                total += probability * count * Expectation(value, ProductLaw(*laws))
        return total

    def _sample(
        self, roles: Any, role: TokenRole, moved: Iterable[Direction | Symbol], weight: Any
    ) -> tuple[Expr, list[Any], list[Expr], Expr]:
        """Return a sample's error, the laws in it, its derivatives, and the weighting variable."""
        share, symbols = role.share, role.symbol_of
        variables = {(x, None): s for x, s in symbols.items()}
        Y = S.One
        if weight is not None:
            Y = variables.setdefault(weight, Symbol(f"Y_{{{weight[0].name}}}", real=True))
        at = [symbols.get(x) if isinstance(x, Direction) else x for x in moved]
        slopes = [S.Zero if s is None else derivative_across_jumps(share, s) for s in at]
        laws: list[Any] = [self._laws.projection_law(role, variables)] if variables else []
        laws.append(NoiseLaw(xi, self.model.data.noise**2))
        error = with_means_at_jumps(share) + xi
        for n, (other, count) in enumerate(roles, 1):
            rest = count - 1 if other is role else count
            if rest != 0:
                part, law = contribution_of_tokens(other, other.share, rest, n)
                error += part
                laws += [] if law is None else [law]
        return error, laws, slopes, Y


def claims_about_equations(equations: EquationSystem, name: str, source: str) -> list[Claim]:
    """Return claims that equations of motion follow from the definition of a descent step."""
    require_statable(equations.model)
    if equations.kind == "projected-descent":
        return claims_of_model(equations.model, name, source)
    if equations.is_symmetric:
        if any(map(_group_of_any_number, equations.model.directions)):
            return _claims_of_any_number(equations, name, source)
        return _symmetric_claims(equations, name, source)
    is_loss = equations.model.loss is not None
    means = (LossMeansByDefinition if is_loss else MeansByDefinition)(equations.model)
    defined = RatesOfChange(equations.model, equations.motion, means)
    found = []
    for k, (p, drift, noise) in enumerate(
        zip(equations.state, equations.drift, equations.noise, strict=True), 1
    ):
        parts = {"drift": (defined.drift[p], drift), "noise": (defined.noise[p], noise)}
        for part, (left, right) in parts.items():
            if right != 0:
                id, title = f"{name}-{part}-{k}", f"the {part} of {p}, by its definition"
                if is_loss:
                    require_closed_form(f"the {part} of {p}", right)
                hypotheses = _minors(equations.model, right)
                found.append(_claim(id, title, left, right, hypotheses, source, _by_means))
    return found


def _minors(model: DerivedModel, found: Expr) -> list[Any]:
    """Return as hypotheses that principal minors of Gram matrices are nonnegative, where needed."""
    hypotheses = []
    # Of three directions, where a mean is of two products.
    for count in (2, 3) if found.has(asin) else (2,):
        for some in itertools.combinations(model.directions, count):
            gram = Matrix([[model.inner_product(x, y) for y in some] for x in some])
            off = [gram[i, j] for i in range(count) for j in range(i) if gram[i, j] != 0]
            if len(off) >= count - 1 and any(p in found.free_symbols for p in off):
                hypotheses.append(Ge(expand(gram.det()), 0))
    return [h for h in dict.fromkeys(hypotheses) if h != True]  # noqa: E712


def _claim(
    id: str, title: str, left: Expr, right: Expr, hypotheses: list[Any], source: str, proof: Any
) -> Claim:
    statement = Eq(left, right, evaluate=False)
    claim = Claim(id=id, title=title, statement=statement, source=source, hypotheses=hypotheses)
    claim.proof(proof)
    return claim


def _by_means(goal: Any) -> Any:
    """Prove an equation by evaluating its Gaussian means in closed form."""
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


def _by_patterns(goal: Any) -> Any:
    """Prove an equation by counting terms of one pattern, equal where units are alike."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


def _by_counting(goal: Any) -> Any:
    """Prove an equation by counting equal terms of units, then evaluating Gaussian means."""
    steps = chain(goal.lhs).then(collapse_sums_of_equal_terms(goal.lhs), by=algebra)
    return steps.then(goal.rhs, by=gaussian_calculus)


def _symmetric_claims(equations: EquationSystem, name: str, source: str) -> list[Claim]:
    """Return claims that equations of exchangeable units, where equal, are the symmetric equations.

    So the subspace is invariant: every inner product of one class changes by the same amount.
    """
    model = equations.model
    whole = type(model)(model.data, model.predictor, *model.stated_products, model.ridge)
    single = type(equations)(whole, _single_motion(equations, whole))
    alike = _classes(whole, model)
    claims = []
    for k, (p, drift, noise) in enumerate(
        zip(single.state, single.drift, single.noise, strict=True), 1
    ):
        q = alike.get(p, p)
        i = equations.state.index(q)
        left = (drift + noise).xreplace(alike)
        right = equations.drift[i] + equations.noise[i]
        id = f"{name}-alike-{k}"
        title = f"the change of {p} where units are alike, which is that of {q}"
        hypotheses = _minors(model, right)
        claims.append(_claim(id, title, left, right, hypotheses, source, _by_patterns))
    return claims


def _claims_of_any_number(equations: EquationSystem, name: str, source: str) -> list[Claim]:
    """Return claims about exchangeable units i < j whose number is a symbol.

    They are about all i and j, so the subspace is invariant: every inner product of one class
    changes by the same amount, which is that of the equations.
    """
    model, claims = equations.model, []
    names = frozenset(s.name for s in (*equations.state, *equations.parameters))
    orders = []
    for units in _orders(model, names):
        means = MeansAsSymbolicSumsOverUnits(model, units, names)
        orders.append((units, RatesOfChange(model, equations.motion, means)))
    moving = directions_of_moving_inner_products(model)
    for k, p in enumerate(equations.state):
        groups = set(filter(None, map(_group_of_any_number, moving.get(p, ())[:2])))
        own = {(group.count, place) for group, place in groups}
        # The matrix of one group is symmetric in i and j.
        different = len({group for group, _ in groups}) > 1 and len({n for _, n in own}) > 1
        parts = {"drift": equations.drift[k], "noise": equations.noise[k]}
        for order, (units, defined) in enumerate(orders if different else orders[:1]):
            numbers = [
                [s for s, place in row if (count, place) in own] for count, row in units.items()
            ]
            hypotheses: list[Any] = []
            for count, row in zip(units, numbers, strict=True):
                hypotheses += [Le(s + 1, t) for s, t in itertools.pairwise(row)]
                hypotheses += [Le(s, count) for s in row[-1:]]
            about = ", ".join(" < ".join(map(str, row)) for row in numbers if row)
            for part, right in parts.items():
                left = getattr(defined, part)[p]
                if left == right == 0:
                    continue
                id = f"{name}-{part}-{k + 1}" + "-reversed" * (order > 0)
                title = f"the {part} of {p}" + f" for units {about}" * bool(about)
                given = [*hypotheses, *_minors(model, right)]
                claims.append(_claim(id, title, left, right, given, source, _by_counting))
    return claims


def _group_of_any_number(x: Any) -> tuple[Any, int] | None:
    """Return the group of a unit and its index, if the number of units is a symbol; else None."""
    if x.group is None or x.group[0].count.is_number:
        return None
    found: tuple[Any, int] = x.group
    return found


def _orders(model: DerivedModel, names: frozenset[str]) -> list[dict[Expr, Units]]:
    """Return two mappings from group size to two unit indices, in opposite orders."""
    groups = filter(None, map(_group_of_any_number, model.directions))
    counts = dict.fromkeys(group.count for group, _ in groups)
    letters = (letter for letter in "ijklmnopqrst" if letter not in names)
    rows = {
        count: tuple(
            (Symbol(next(letters), integer=True, positive=True), place) for place in range(2)
        )
        for count in counts
    }
    return [rows, {count: row[::-1] for count, row in rows.items()}]


def _single_motion(equations: EquationSystem, whole: DerivedModel) -> TrainingSettings:
    """Return learning rates and weight decays for all single units, equal within each group."""
    motion, of = equations.motion, _representative
    moving = (*whole.trained_directions, *motion.scalars)
    rates = {x: motion.rates[of(x) if isinstance(x, Direction) else x] for x in moving}
    decays = {x: motion.decays[of(x) if isinstance(x, Direction) else x] for x in moving}
    return replace(motion, rates=rates, decays=decays)


def _representative(x: Direction, place: int = 0) -> Direction:
    """Return a unit of the direction's group, or the direction itself if it belongs to none."""
    return x if x.group is None else x.group[0].unit(place)


def _classes(whole: DerivedModel, symmetric: DerivedModel) -> dict[Symbol, Expr]:
    """Return, for each inner product of single units, the symmetric order parameter it equals."""
    found = {}
    for x in whole.directions:
        for y in whole.directions:
            product = whole.inner_product(x, y)
            if isinstance(product, Symbol):
                partners = x.group is None or y.group is None or x.group[1] == y.group[1]
                first, second = _representative(x), _representative(y, 0 if partners else 1)
                found[product] = symmetric.inner_product(first, second)
    return found
