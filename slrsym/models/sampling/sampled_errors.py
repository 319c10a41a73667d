"""The error of a model on samples, with its square, its moments and its derivatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sympy import DiracDelta, Expr, S, Symbol, lambdify

from slrsym.models.means.jumps import derivative_across_jumps, jumps_of
from slrsym.models.sampling.token_batches import ClusterOfProjections, TokenBatch
from slrsym.models.sampling.token_laws import Geometry, SampledRole, TokenCase

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel

Array = NDArray[np.float64]

# From the scores of all tokens, shape (n, L), to their weights.
Weights = Callable[[Array], Array]


def share_derivative(share: Expr, x: Any) -> Expr:
    """Return a derivative of a share; where it jumps, it is no mean over tokens."""
    return S.NaN if jumps_of(share, x) else derivative_across_jumps(share, x)


class RoleFunctions:
    """The parts of a token's share as functions of its projections, in numbers.

    A share is the rest plus a factor times the softmax weight of a score. A readout has a share of
    each of its sums, and no softmax. What is in `parameters` has the values of `row`, numbers or
    one for each sample, which may be replaced.
    """

    def __init__(
        self,
        role: SampledRole,
        given: Mapping[Any, float],
        products: Sequence[Symbol] = (),
        parameters: Sequence[Symbol] = (),
    ) -> None:
        self._parameters, self.row = list(parameters), list[Any]()
        self._symbols, self._shares = role.symbols, [share.subs(given) for share in role.shares]
        self._explicit = [share.diff(p).subs(given) for share in role.shares for p in products]
        self.rest, self.factor, self._target = (
            x.subs(given) for x in (role.rest, role.factor, role.target)
        )
        self.score = None if role.score is None else role.score.subs(given)
        self._extra = lambdify(self._parameters, role.extra.subs(given), modules="numpy")

    @property
    def extra(self) -> float:
        """What is added to the sum of exponentials of softmax."""
        return float(self._extra(*self.row))

    def _function(self, expressions: Sequence[Expr]) -> Callable[[Array], list[Array]]:
        arguments = [*self._symbols, *self._parameters]
        compiled = lambdify(arguments, list(expressions), modules=["scipy", "numpy"])
        count = len(self._symbols)

        def evaluate(at: Array) -> list[Array]:
            row = (x[:, None] if np.ndim(x) else x for x in self.row)
            found = compiled(*np.moveaxis(at[..., :count], -1, 0), *row)
            return [np.broadcast_to(x, at.shape[:-1]) for x in found]

        return evaluate

    @cached_property
    def values(self) -> Callable[[Array], list[Array]]:
        """The function that returns rest, factor and score."""
        return self._function([self.rest, self.factor, self.score or S.Zero])

    @cached_property
    def sums(self) -> Callable[[Array], list[Array]]:
        """The function that returns what is added to each sum of a readout."""
        return self._function(self._shares)

    @cached_property
    def slopes_of_sums(self) -> Callable[[Array], list[Array]]:
        """The function that returns the slopes of what is added to each sum, one after another."""
        return self._function([share_derivative(s, x) for s in self._shares for x in self._symbols])

    @cached_property
    def explicit(self) -> Callable[[Array], list[Array]]:
        """The function that returns the derivatives of shares in inner products beside them."""
        return self._function(self._explicit)

    @cached_property
    def target(self) -> Callable[[Array], list[Array]]:
        """The function that returns the share of the target, then its slopes."""
        return self._function([self._target, *(self._target.diff(x) for x in self._symbols)])

    @cached_property
    def slopes(self) -> Callable[[Array], list[Array]]:
        """The function that returns the slopes of rest, of factor and of score."""
        parts = [share_derivative(self.rest, x) for x in self._symbols]
        for part in (self.factor, self.score or S.Zero):
            parts += [part.diff(x) for x in self._symbols]
        return self._function(parts)

    def second_slopes(self, pairs: Sequence[tuple[Any, Any]]) -> Callable[[Array], list[Array]]:
        """Return the function that returns second derivatives of the rest."""
        first = {x: derivative_across_jumps(self.rest, x) for x, _ in pairs}
        return self._function(
            [S.NaN if first[x].has(DiracDelta) else share_derivative(first[x], y) for x, y in pairs]
        )


@dataclass(frozen=True, eq=False)
class EvaluatedBatch:
    """A batch with the error of each sample, and of each role the parts that it is made of.

    Of a readout `rates` are the derivatives of the error in its sums, shape (sums, n), and
    `rates_in_products` in inner products that it has itself.
    """

    batch: TokenBatch
    functions: list[RoleFunctions]
    error: Array
    factors: list[Array]
    weights: list[Array]
    mixed: Array
    rates: Array | None = None
    rates_in_products: Array | float = 0.0

    def slopes(self, role: int) -> Array:
        """Return derivatives of the error in a role's projections, shape (symbols, n, count).

        The weights of softmax, which depend on the scores of all tokens, are differentiated too.
        """
        at = self.batch.projections[role]
        if self.rates is not None:
            of_sums = np.array(self.functions[role].slopes_of_sums(at))
            of_sums = of_sums.reshape(len(self.rates), -1, *at.shape[:-1])
            return np.asarray(np.einsum("an,aknc->knc", self.rates, of_sums))
        found = np.array(self.functions[role].slopes(at))
        rest, factor, score = found.reshape(3, -1, *found.shape[1:])
        if self.functions[role].score is None:
            return np.asarray(rest)
        apart = self.factors[role] - self.mixed[:, None]
        return np.asarray(rest + self.weights[role] * (factor + apart * score))

    def slopes_in_products(self, count: int) -> Array:
        """Return what shares add to derivatives of the error in inner products, (count, n)."""
        total = np.zeros((count, len(self.error)))
        for functions, at in zip(self.functions, self.batch.projections, strict=True):
            found = np.array(functions.explicit(at)).sum(axis=-1).reshape(-1, *total.shape)
            total += found[0] if self.rates is None else np.einsum("an,apn->pn", self.rates, found)
        return np.asarray(total + self.rates_in_products)


def softmax_weights(scores: Array, extra: float) -> Array:
    """Return the softmax weights of scores.

    Parameters
    ----------
    scores : ndarray, shape (n, L)
    extra : float
        What is added to the sum of exponentials: 0, or 1 for softmax-1.

    Returns
    -------
    ndarray of shape (n, L)
    """
    top = scores.max(axis=1, keepdims=True)
    if extra:
        top = np.maximum(top, 0.0)
    found = np.exp(scores - top)
    total = found.sum(axis=1, keepdims=True)
    if extra:
        total = total + extra * np.exp(-top)
    return np.asarray(found / total)


class SampledErrors:
    """The error of a model on batches of samples: target minus prediction, or the loss.

    Parameters
    ----------
    model : DerivedModel
    cases : list of TokenCase
    given : mapping of Symbol to float
        All parameters.
    averaged : list of lists of ClusterOfProjections, optional
        For each case the clusters of a source whose samples are means given scores.
    weights : callable, optional
        From scores to weights, in place of softmax.
    parameters : sequence of Symbol, optional
        Those that are not given, but set anew for each batch.
    """

    def __init__(
        self,
        model: DerivedModel,
        cases: Sequence[TokenCase],
        given: Mapping[Any, float],
        averaged: list[list[ClusterOfProjections]] | None = None,
        weights: Weights | None = None,
        parameters: Sequence[Symbol] = (),
    ) -> None:
        self._model, self._cases, self._averaged, self._weights = model, cases, averaged, weights
        self._row: list[Any] = []
        self._products = model.products_in_shares
        by_role = {
            id(r.role): RoleFunctions(r, given, [*self._products], parameters)
            for case in cases
            for r in case.roles
        }
        self._functions = [[by_role[id(r.role)] for r in case.roles] for case in cases]
        self._noise_of = model.data.noise.subs(given)
        self.is_loss = model.loss is not None and model.readout_error is None
        if model.readout_error is not None:
            names, error = model.sum_symbols, model.readout_error
            parts = [error, *(error.diff(s) for s in (*names, *self._products))]
            arguments = [*names, *parameters]
            self._readout = lambdify(arguments, [e.subs(given) for e in parts], modules="numpy")

    @cached_property
    def _noise(self) -> float:
        return float(self._noise_of)

    def set_parameters(self, row: Sequence[float | Array]) -> None:
        """Set the parameters for the next batch: numbers, or one for each sample, shape (n,)."""
        self._row = list(row)
        for functions in self._functions:
            for one in functions:
                one.row = self._row

    def evaluate(self, batch: TokenBatch) -> EvaluatedBatch:
        """Return the error of each sample of a batch, with its parts."""
        functions = self._functions[batch.case]
        if self._model.readout_error is not None:
            return self._evaluate_readout(batch, functions)
        found = [f.values(x) for f, x in zip(functions, batch.projections, strict=True)]
        error = batch.noise + batch.squares + sum(rest.sum(axis=1) for rest, _, _ in found)
        mixed, shares = np.zeros(len(error)), [np.zeros((0, 0))] * len(functions)
        attentive = [i for i, f in enumerate(functions) if f.score is not None]
        if attentive:
            scores = np.concatenate([found[i][2] for i in attentive], axis=1)
            weigh = self._weights or (lambda u: softmax_weights(u, functions[attentive[0]].extra))
            counts = [found[i][2].shape[1] for i in attentive]
            parts = np.split(weigh(scores), np.cumsum(counts)[:-1], axis=1)
            for i, part in zip(attentive, parts, strict=True):
                shares[i] = part
                mixed += np.sum(part * found[i][1], axis=1)
        factors = [factor for _, factor, _ in found]
        return EvaluatedBatch(batch, functions, error + mixed, factors, shares, mixed)

    def _evaluate_readout(
        self, batch: TokenBatch, functions: list[RoleFunctions]
    ) -> EvaluatedBatch:
        """Return the error of a readout of sums, with its derivatives in them."""
        parts = zip(functions, batch.projections, strict=True)
        sums = np.sum([np.array(f.sums(x)).sum(axis=-1) for f, x in parts], axis=0)
        error, *rates = (
            np.broadcast_to(v, sums.shape[1:]) for v in self._readout(*sums, *self._row)
        )
        none = np.zeros(0)
        return EvaluatedBatch(
            batch, functions, batch.noise + error, [], [], none, np.array(rates)[: len(sums)],
            np.array(rates)[len(sums) :],
        )  # fmt: skip

    def _variance(self, batch: TokenBatch, slopes: list[Array], others: list[Array]) -> Array:
        """Return the covariance given scores of two forms, whose slopes each role has.

        The slopes have the shape (symbols, n, count).
        """
        total = np.zeros(len(batch.noise))
        if self._averaged is None:
            return total
        for cluster in self._averaged[batch.case]:
            parts: list[list[Array]] = [[], []]
            places: list[int] = []
            for i, where in zip(cluster.roles, cluster.places, strict=True):
                first, last = self._cases[batch.case].roles[i].scores, len(slopes[i])
                places.extend(where[first:last])
                parts[0].extend(slopes[i][first:])
                parts[1].extend(others[i][first:])
            if places:
                covariance = cluster.covariance[np.ix_(places, places)]
                one, other = (np.array(part) for part in parts)
                total += np.einsum("inc,ij,jnc->n", one, covariance, other, optimize=True)
        return total

    def risks(self, there: EvaluatedBatch) -> Array:
        """Return the squared error of each sample, or its loss, shape (n, 1)."""
        if self.is_loss:
            return there.error[:, None]
        return self._squares(there)[:, None]

    def _squares(self, there: EvaluatedBatch) -> Array:
        square = there.error**2
        if self._averaged is None:
            return np.asarray(square)
        slopes = self._affine_slopes(there)
        return np.asarray(square + self._noise**2 + self._variance(there.batch, slopes, slopes))

    def _affine_slopes(self, there: EvaluatedBatch) -> list[Array]:
        """Return slopes of the error at fixed weights of softmax, where it is affine."""
        slopes = []
        for i, functions in enumerate(there.functions):
            found = np.array(functions.slopes(there.batch.projections[i]))
            rest, factor, _ = found.reshape(3, -1, *found.shape[1:])
            slopes.append(rest if functions.score is None else rest + there.weights[i] * factor)
        return slopes

    def output_moments(self, there: EvaluatedBatch) -> Array:
        """Return output, its square, and its product with the target, shape (n, 3)."""
        batch = there.batch
        found = [f.target(x) for f, x in zip(there.functions, batch.projections, strict=True)]
        target = batch.noise + sum(values[0].sum(axis=1) for values in found)
        output = target - there.error
        square, product = output**2, output * target
        if self._averaged is not None:
            affine = self._affine_slopes(there)
            of_target = [np.array(values[1:]).reshape(x.shape)
                         for values, x in zip(found, affine, strict=True)]  # fmt: skip
            of_output = [x - y for x, y in zip(of_target, affine, strict=True)]
            square = square + self._variance(batch, of_output, of_output)
            product = product + self._variance(batch, of_output, of_target)
        return np.stack([output, square, product], axis=1)

    def gradients(self, there: EvaluatedBatch, directions: Sequence[Any], where: Geometry) -> Array:
        """Return the inner products of each sample's gradients with directions.

        Parameters
        ----------
        there : EvaluatedBatch
            Whose tokens are projected on all these directions.
        directions : sequence of Direction
        where : Geometry

        Returns
        -------
        ndarray of shape (n, t, directions)
            For each trained direction; of the squared error, or of the loss.
        """
        model, trained = self._model, self._model.trained_directions
        found = np.zeros((len(there.error), len(trained), len(directions)))
        for i, role in enumerate(self._cases[there.batch.case].roles):
            at, slopes = there.batch.projections[i], there.slopes(i)
            along = [role.directions.index(y) for y in directions]
            for x, slope in zip(role.directions, slopes, strict=False):
                if model.is_trained(x):
                    found[:, trained.index(x)] += np.einsum("nc,ncq->nq", slope, at[..., along])
        rates = there.slopes_in_products(len(self._products)) if self._products else ()
        for (x, y, space), rate in zip(self._products.values(), rates, strict=True):
            for moved, other in ((x, y), (y, x)):
                if model.is_trained(moved):
                    along_other = where.inner_products(other, directions, space)
                    found[:, trained.index(moved)] += np.outer(rate, along_other)
        scale = 1.0 if self.is_loss else 2 * there.error[:, None, None]
        return np.asarray(scale * found)

    def curvatures(
        self, there: EvaluatedBatch, tangents: Mapping[Any, Any], square: Array
    ) -> Array:
        """Return the second derivative of each sample's error along geodesics, shape (n,).

        Parameters
        ----------
        there : EvaluatedBatch
        tangents : mapping of Direction to Direction
            For each trained direction the tangent of its geodesic, which tokens are projected on.
        square : ndarray, shape (t,)
            The squared lengths of the tangents.

        Returns
        -------
        ndarray of shape (n,)
            Of the squared error, or of the loss; NaN where it is no mean over tokens, as at kinks,
            and for softmax, readouts, and inner products beside projections.
        """
        model, trained = self._model, self._model.trained_directions
        moved, bends = np.zeros(len(there.error)), np.zeros(len(there.error))
        if there.rates is not None or self._products:
            return np.full(len(bends), np.nan)
        for i, role in enumerate(self._cases[there.batch.case].roles):
            functions, at = there.functions[i], there.batch.projections[i]
            if functions.score is not None:
                return np.full(len(bends), np.nan)
            own = {x: s for x, s in zip(role.directions, role.symbols, strict=False)
                   if model.is_trained(x)}  # fmt: skip
            if not own:
                continue
            speeds = {x: at[..., role.directions.index(tangents[x])] for x in own}
            slopes = dict(zip(role.directions, there.slopes(i), strict=False))
            pairs = [(x, y) for x in own for y in own]
            second = functions.second_slopes([(own[x], own[y]) for x, y in pairs])(at)
            for (x, y), value in zip(pairs, second, strict=True):
                bends = bends + np.sum(value * speeds[x] * speeds[y], axis=1)
            for x in own:
                moved = moved + np.sum(slopes[x] * speeds[x], axis=1)
                if x.on_sphere:
                    # Geodesics turn towards the centre.
                    turned = slopes[x] * at[..., role.directions.index(x)]
                    bends = bends - square[trained.index(x)] * np.sum(turned, axis=1)
        if self.is_loss:
            return np.asarray(bends)
        return np.asarray(2 * (moved**2 + there.error * bends))
