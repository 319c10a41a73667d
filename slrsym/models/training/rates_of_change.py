r"""Rates of change of inner products under gradient flow, online SGD and projected descent.

Every step follows the gradient g of the squared error, without a factor 1/2, and with a rate for
each direction. With weight decay :math:`\kappa` a direction x loses :math:`\kappa x` besides. On a
sphere the gradient is projected on the tangent space, and the length that is left is taken off.

Online SGD may have batches of B samples and momentum :math:`\beta`, both fixed as d grows. A sample
then moves x for :math:`1/(1 - \beta)` steps as much as in its own, so that rates and decays are
divided by :math:`1 - \beta`; gradients of different samples are almost orthogonal, so that terms of
second order are divided by B.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sympy import Add, Expr, Integer, S, Symbol, sqrt, sympify

from slrsym.models.definition.specification import Direction, real_expression
from slrsym.models.means.jumps import jumps_of
from slrsym.models.means.loss_means import means_over_one_sample
from slrsym.models.means.one_sample_means import total_derivative

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel

KINDS = ("gradient-flow", "projected-descent", "online-sgd")
# The rate of all that is trained, if none is given.
RATE = Symbol("rate", positive=True)


@dataclass(frozen=True)
class TrainingSettings:
    """The kind of training, with a learning rate and decay for each direction and scalar."""

    kind: str
    rates: Mapping[Direction | Symbol, Expr]
    decays: Mapping[Direction | Symbol, Expr]
    scalars: tuple[Symbol, ...]
    batch: Expr = S.One
    momentum: Expr = S.Zero


class RatesOfChange:
    """Rates of change of inner products and trained scalars, in terms of means over one sample.

    These are `OneSampleMeans`, or means by definition with the same methods.
    """

    def __init__(self, model: DerivedModel, training: TrainingSettings, means: Any = None) -> None:
        self.model, self.motion = model, training
        if training.kind == "online-sgd":
            _require_limit(model)
            require_gradients_of_samples(model, training.scalars)
        self.samples = means_over_one_sample(model) if means is None else means
        if training.kind == "online-sgd" and means is None:
            self.samples.require_few_second_moments()
        self._directions = directions_of_moving_inner_products(model)
        self.state = (*self._directions, *training.scalars)
        self._loss = self.samples.risk()
        self.risk = self._loss + model.ridge_penalty
        self._rates = {x: rate / (1 - training.momentum) for x, rate in training.rates.items()}
        # The gradient of the penalty of x is a multiple of x.
        lost = {x: training.rates[x] * model.ridge_of(x) for x in training.rates}
        self._decays = {
            x: (decay + lost[x]) / (1 - training.momentum) for x, decay in training.decays.items()
        }
        if training.kind == "projected-descent":
            _require_single_space(model)
            self.drift = self._steps()
        else:
            self.drift = {p: self._drift(p) for p in self.state}
        self.noise = dict.fromkeys(self.state, S.Zero)
        if training.kind == "online-sgd":
            self.noise = {p: self._noise(p) for p in self.state}

    # -- in continuous time ----------------------------------------------------------------------

    def _drift(self, p: Symbol) -> Expr:
        if p in self.motion.scalars:
            return -self._rates[p] * self.samples.slope_in_scalar(p) - self._decays[p] * p
        x, y, space = self._directions[p]
        total = self._moved(x, y, space)
        if self.model.is_trained(y):
            total += self._moved(y, x, space)
        return total

    def _moved(self, x: Direction, y: Direction, space: int) -> Expr:
        """Return the change of the inner product x.y that is due to the motion of x."""
        product = self.model.inner_product(x, y, space)
        slope = self.samples.gradient(x, y, space)
        if not x.on_sphere:
            return -self._rates[x] * slope - self._decays[x] * product
        spaces = range(self.model.spaces)
        along = sum((self.samples.gradient(x, x, a) for a in spaces), S.Zero)
        return -self._rates[x] * (slope - along * product)

    def _noise(self, p: Symbol) -> Expr:
        """Return a rate of change's terms of second order in the learning rates, for large d."""
        if p in self.motion.scalars:
            return S.Zero
        x, y, _ = self._directions[p]
        rates = self._rates
        total: Expr = S.Zero
        if self.model.is_trained(y):
            total += rates[x] * rates[y] * self.samples.second_moment(x, y)
        for z in (x, y):
            if z.on_sphere:
                total -= rates[z] ** 2 * self.samples.second_moment(z, z) / 2 * p
        return total / self.motion.batch

    # -- step by step ----------------------------------------------------------------------------

    def _steps(self) -> dict[Symbol, Expr]:
        """Return the exact change of each order parameter in one step of projected descent."""
        model = self.model
        moves = {x: self._move(x) for x in model.trained_directions}
        lengths = {
            x: sqrt(1 + self._inner(moves[x], moves[x])) if x.on_sphere else S.One for x in moves
        }
        found: dict[Symbol, Expr] = {}
        for p, (x, y, _) in self._directions.items():
            new = p - self._inner(moves[x], {y: S.One})
            if self.model.is_trained(y):
                new += self._inner(moves[x], moves[y]) - self._inner(moves[y], {x: S.One})
            found[p] = new / (lengths[x] * lengths.get(y, S.One)) - p
        for s in self.motion.scalars:
            slope = self._risk_slope(s)
            found[s] = -self._rates[s] * slope - self._decays[s] * s
        return found

    def _move(self, x: Direction) -> dict[Direction, Expr]:
        """Return the vector subtracted from x in a step, as a combination of directions."""
        move: dict[Direction, Expr] = {}
        for p, (y, z, _) in self._directions.items():
            slope = self._rates[x] * self._risk_slope(p)
            for one, other in ((y, z), (z, y)):
                if one is x:
                    move[other] = move.get(other, S.Zero) + slope
        if x.on_sphere:
            move[x] = move.get(x, S.Zero) - self._inner(move, {x: S.One})
        else:
            move[x] = move.get(x, S.Zero) + self._decays[x]
        return move

    def _inner(self, one: Mapping[Direction, Expr], other: Mapping[Direction, Expr]) -> Expr:
        inner = self.model.inner_product
        return Add(*(c * e * inner(x, y) for x, c in one.items() for y, e in other.items()))

    def _risk_slope(self, p: Symbol) -> Expr:
        return total_derivative(self._loss, p, self.samples)


def directions_of_moving_inner_products(
    model: DerivedModel,
) -> dict[Symbol, tuple[Direction, Direction, int]]:
    """Return, for each symbol of an inner product that moves, its two directions and eigenspace."""
    x = model.directions
    return {p: (x[i], x[j], a) for p, (i, j, a) in model.gram_indices.items()}


def _require_single_space(model: DerivedModel) -> None:
    if model.spaces > 1 or model.uses_representatives:
        raise ValueError(
            "projected-descent is for single units and one eigenspace; this model has "
            f"{model.spaces}{' and exchangeable units' if model.uses_representatives else ''}; use "
            "gradient-flow, or simulate"
        )


def _require_limit(model: DerivedModel) -> None:
    """Raise an error for models whose online SGD has no limit as d grows."""
    if model.spaces > 1:
        raise ValueError(
            "online-sgd is for tokens whose covariance is a multiple of the identity, with spikes; "
            "these have eigenspaces, whose dimensions would be needed"
        )
    for token in model.data.tokens:
        growing = [
            str(c) for c in token.mean.terms.values() if "d" in {s.name for s in c.free_symbols}
        ]
        if growing:
            raise ValueError(
                f"the mean of {token.name} has the length {growing[0]}, which grows with d: the "
                "limit of descent on single samples needs lengths that do not. State the mean with "
                "another symbol for its length, as in Token(mean=a * u)"
            )


def require_gradients_of_samples(
    model: DerivedModel, scalars: Sequence[Symbol], what: str = "online-sgd"
) -> None:
    """Raise an error if a share jumps in what is trained, which samples' gradients do not show."""
    if model.loss == "zero-one":
        raise ValueError(
            f"loss='zero-one' has no gradient for {what}: ask for m.risk, and train with "
            "another loss, such as 'hinge' or 'logistic'"
        )
    for share, names in model.shares.values():
        shown = {s: Symbol(f"<X, {x}>") for x, s in names.items()}
        moving = [s for x, s in names.items() if model.is_trained(x)]
        for x in (*moving, *scalars):
            for root, _ in jumps_of(share, x):
                where = (
                    f"{x} = {root}" if x not in shown else f"{shown[x]} = {root.xreplace(shown)}"
                )
                raise ValueError(
                    f"the predictor jumps at {where}, and the gradient of a single sample does not "
                    "show it: that of a step or a sign vanishes almost everywhere, so online SGD "
                    "cannot follow it. Take a unit without jumps, such as erf, tanh or ReLU; "
                    "gradient-flow descends on the mean, which has a gradient"
                )


def checked_training_settings(
    model: DerivedModel,
    kind: str,
    rate: Any,
    decay: Any,
    train: Any,
    batch: Any = 1,
    momentum: Any = 0,
) -> TrainingSettings:
    """Return rates and decays of everything trained, checked against the model."""
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}; got {kind!r}")
    scalars = tuple(sympify(s) for s in ((train,) if isinstance(train, Symbol) else train))
    for s in scalars:
        if s not in model.scalars:
            allowed = ", ".join(map(str, model.scalars)) or "none"
            raise ValueError(f"train must be symbols of the predictor ({allowed}); got {s!r}")
    moving = (*model.trained_directions, *scalars)
    if not moving:
        allowed = (
            f"one of {', '.join(map(str, model.scalars))}" if model.scalars else "none is known"
        )
        raise ValueError(
            f"equations need something that is trained: the predictor uses no direction but fixed "
            f"ones; with train= its scalars are trained ({allowed})"
        )
    rates = _each("rate", rate, moving, RATE)
    # Decay of all is that of directions; scalars have their own.
    spread = decay if isinstance(decay, Mapping) else dict.fromkeys(model.trained_directions, decay)
    found = TrainingSettings(
        kind, rates, _each("decay", spread, moving, S.Zero), scalars,
        real_expression("batch", batch), real_expression("momentum", momentum),
    )  # fmt: skip
    if kind != "online-sgd" and (found.batch, found.momentum) != (1, 0):
        name, given = ("batch", batch) if found.batch != 1 else ("momentum", momentum)
        raise ValueError(
            f"{name} is for online-sgd, which descends on fresh samples; {kind} descends on the "
            f"mean over all. Got {given}; leave it out, or ask for online-sgd"
        )
    _require_batch_and_momentum(found.batch, found.momentum)
    return found


def _require_batch_and_momentum(batch: Expr, momentum: Expr) -> None:
    if batch.is_number and not (batch.is_integer and batch >= 1):
        raise ValueError(f"batch must be a whole number of at least 1; got {batch}")
    if momentum.is_number and not 0 <= momentum < 1:
        raise ValueError(
            f"momentum must be from 0 to below 1; got {momentum}. With 1 - momentum of order 1/d "
            "the velocity is an order parameter of its own, which is not derived"
        )


def _each(name: str, given: Any, moving: tuple[Any, ...], default: Expr) -> dict[Any, Expr]:
    """Return one rate, a number or an expression, for each trained direction and scalar."""
    if not isinstance(given, Mapping):
        given = dict.fromkeys(moving, default if given is None else given)
    found: dict[Any, Expr] = {}
    for key, value in given.items():
        parts = [x for x in moving if x is key or _is_unit_of(x, key)]
        if not parts:
            allowed = ", ".join(map(str, moving))
            raise ValueError(f"{name} has {key!r}, which is not trained (trained: {allowed})")
        found |= dict.fromkeys(parts, real_expression(name, value))
    for x in moving:
        found.setdefault(x, default)
        _require_not_negative(name, found[x], x)
    return found


def _require_not_negative(name: str, number: Expr, x: Any) -> None:
    if number.is_negative:
        shown = f"{float(number):.12g}" if number.is_number else number
        raise ValueError(f"{name} must not be negative; got {shown} of {x}")


def require_rates(training: TrainingSettings, values: Mapping[Symbol, float]) -> None:
    """Raise an error if rate, decay, batch or momentum is out of its range at given values."""
    for name, given in (("rate", training.rates), ("decay", training.decays)):
        for x, expr in given.items():
            _require_not_negative(name, expr.subs(values), x)
    # A number of samples is given as a float.
    batch = training.batch.subs(values)
    whole = Integer(int(batch)) if batch.is_number and int(batch) == float(batch) else batch
    _require_batch_and_momentum(whole, training.momentum.subs(values))


def _is_unit_of(x: Any, group: Any) -> bool:
    return isinstance(x, Direction) and x.group is not None and x.group[0] is group
