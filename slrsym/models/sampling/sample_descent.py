"""Descent on the errors of samples of tokens: what is common to fresh and to finite samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sympy import Symbol, lambdify

from slrsym.models.definition.specification import Token
from slrsym.models.sampling.sampled_errors import EvaluatedBatch, SampledErrors
from slrsym.models.sampling.sampled_risk import symbols_of_samples
from slrsym.models.sampling.token_laws import TokenCase, compositions
from slrsym.models.training.initial_conditions import vectors_with_gram_matrix

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel

Array = NDArray[np.float64]


class Cluster:
    """Tokens of a case that are drawn together: of one role, or one each of correlated roles."""

    def __init__(self, roles: tuple[int, ...], count: int, taus: Array) -> None:
        self.roles, self.count = roles, count
        # Noises of correlation 1 are equal, and their matrix is singular.
        self.mixing = vectors_with_gram_matrix(taus)


class TokenLaws:
    """The laws of a model's tokens as functions of its parameters, in numbers.

    Their `symbols` are those on which means and covariances depend.
    """

    def __init__(self, model: DerivedModel, symbols: Sequence[Symbol]) -> None:
        self._places = {x: i for i, x in enumerate(model.directions)}
        self._tokens, self._spaces = list(model.data.tokens), model.spaces
        parts: list[Any] = [model.data.noise, *map(model.ridge_of, model.trained_directions)]
        for token in self._tokens:
            parts += [*token.eigenvalues, *token.mean.terms.values(), *token.spikes.values()]
        self._compiled = lambdify(symbols, parts, modules="numpy")
        of_tokens = parts[1 + len(model.trained_directions) :]
        self.symbols = {s for part in of_tokens for s in getattr(part, "free_symbols", ())}
        self._trained = len(model.trained_directions)

    def table(self, columns: Sequence[Array]) -> Array:
        """Return all numbers of the laws at each value of the parameters, a row for each.

        Parameters
        ----------
        columns : sequence of ndarray
            Values of each parameter, or one.

        Returns
        -------
        ndarray of shape (steps, n), or (1, n)
            The noise, ridges, and of each token eigenvalues, coefficients of the mean, and spikes.
        """
        found = np.stack(np.broadcast_arrays(*map(np.atleast_1d, self._compiled(*columns))), -1)
        at = 1 + self._trained
        for token in self._tokens:
            at += len(token.eigenvalues) + len(token.mean.terms)
            self._require_spikes(token, found[:, at : at + len(token.spikes)].ravel())
            at += len(token.spikes)
        return np.ascontiguousarray(found, dtype=np.float64)

    def _require_spikes(self, token: Token, values: Sequence[float] | Array) -> None:
        if min(values, default=0.0) < 0:
            raise ValueError(
                f"samples need covariances whose spikes are not negative; got {min(values):g} "
                f"of {token.name}"
            )

    def set_parameters(self, row: Sequence[float]) -> None:
        """Compute everything at values of the parameters."""
        noise, *values = map(float, self._compiled(*row))
        ridge, values = values[: self._trained], values[self._trained :]
        self.noise, self.ridge = noise, np.array(ridge)
        self.scales, self.means, self.spikes = {}, {}, {}
        for token in self._tokens:
            some = []
            for count in (len(token.eigenvalues), len(token.mean.terms), len(token.spikes)):
                some.append(values[:count])
                values = values[count:]
            self.scales[token] = np.sqrt(np.broadcast_to(some[0], self._spaces))
            self.means[token] = dict(
                zip(map(self._places.get, token.mean.terms), some[1], strict=True)
            )
            self.spikes[token] = dict(
                zip(map(self._places.get, token.spikes), some[2], strict=True)
            )
            self._require_spikes(token, some[2])


class SampleDescent:
    """Base of engines that descend on the mean error of sampled tokens.

    Parameters
    ----------
    model : DerivedModel
    row : sequence of float
        The parameters of the risk at the first step, on which numbers of tokens depend.
    others : mapping of str to number
        Values by name, of what else the samples depend on.
    alpha : float
        Step size.
    asked : str
        The argument by which samples were asked for.

    Attributes
    ----------
    work : int
        How many steps without samples one of a run takes as long as.
    training_risks : dict of int to ndarray, shape (runs,)
        The mean squared error, or loss, of all samples, with the penalty of a ridge, after so many
        steps, where it was noted; empty where samples are fresh.
    """

    _reason = "numbers of tokens depend on it"
    # How many coordinates each eigenspace has.
    _space: int
    work = 100

    def __init__(
        self, model: DerivedModel, row: Array, others: Any, alpha: float, asked: str
    ) -> None:
        self._model, self._alpha, self._asked = model, alpha, asked
        self.excess_risks: dict[int, Array] = {}
        self.training_risks: dict[int, Array] = {}
        self._places = {x: i for i, x in enumerate(model.directions)}
        self._t = len(model.trained_directions)
        more = symbols_of_samples(model) - {*model.parameters}
        # What the risk does not depend on may be anything.
        self._others = {s: float(others.get(s.name, 1.0)) for s in sorted(more, key=str)}
        symbols = [*model.parameters, *self._others]
        self._laws = TokenLaws(model, symbols)
        self._set_cases(dict(zip(symbols, [*row, *self._others.values()], strict=True)))
        products = list(model.products_in_shares)
        self._errors = SampledErrors(model, self._cases, {}, parameters=[*symbols, *products])
        self._products = [
            (model.directions.index(x), model.directions.index(y), space)
            for x, y, space in model.products_in_shares.values()
        ]
        self._row: list[float] | None = None

    def _set_cases(self, given: dict[Any, float]) -> None:
        """Find the possible compositions of a sample, whose numbers stay from step to step."""
        model, fixed = self._model, set[Symbol]()

        def number(expr: Any) -> float:
            fixed.update(expr.free_symbols)
            return float(expr.subs(given))

        self._cases, self._clusters = [], []
        for roles, together, probability in compositions(model, number):
            self._clusters.append(
                [Cluster(some, roles[some[0]].count, taus) for some, taus in together]
            )
            self._cases.append(TokenCase(roles, [], probability))
        chances = [case.probability for case in self._cases]
        self._ends = np.cumsum(chances) / np.sum(chances)
        self._last = int(np.flatnonzero(chances)[-1])
        self._fixed = [i for i, s in enumerate(model.parameters) if s in fixed]

    @property
    def states(self) -> Array:
        """The directions in coordinates of their span, shape (runs, spaces, p, p)."""
        raise NotImplementedError

    def _chosen(self, uniform: Array) -> NDArray[np.intp]:
        """Return the cases of samples, from a uniform number of each."""
        return np.minimum(np.searchsorted(self._ends, uniform, side="right"), self._last)

    def advance(self, parameters: Array, every: int) -> Array:
        """Take one step for each row of parameters, and return every `every`-th state."""
        self._require_fixed(parameters)
        noted = np.empty((len(parameters) // every, *self.states.shape))
        steps = self._steps(len(parameters))
        # Of states that are not finite a warning tells at the end of all runs.
        with np.errstate(all="ignore"):
            for n, row in enumerate(parameters):
                self._set_parameters(row.tolist())
                next(steps)
                if (n + 1) % every == 0:
                    self._note_training_risks()
                    noted[n // every] = self.states
        return noted

    def _require_fixed(self, parameters: Array) -> None:
        """Raise an error if a parameter changes on which the samples depend."""
        first = parameters[0] if self._row is None else np.array(self._row)
        for k in self._fixed:
            other = parameters[parameters[:, k] != first[k], k]
            if other.size:
                raise ValueError(
                    f"{self._model.parameters[k]} must be the same at all steps with "
                    f"{self._asked}, as {self._reason}; got {first[k]:g}, and then {other[0]:g}"
                )

    def _steps(self, count: int) -> Iterator[None]:
        """Take so many steps, one each time that the next is asked for."""
        raise NotImplementedError

    def _note_training_risks(self) -> None:
        """Note the training risks of the current states, if samples are kept."""

    def _set_parameters(self, row: list[float]) -> None:
        if row != self._row:
            self._row = row
            self._laws.set_parameters([*row, *self._others.values()])

    def _set_errors(self, values: Sequence[Any]) -> None:
        """Set what errors depend on: the parameters, and the inner products that shares have."""
        self._errors.set_parameters([*(self._row or ()), *self._others.values(), *values])

    def _scale(self, there: EvaluatedBatch, count: int) -> Array:
        """Return by what derivatives of errors are multiplied for those of a mean over so many."""
        scale = np.full(len(there.error), 1 / count)
        return scale if self._errors.is_loss else scale * 2 * there.error

    def _moving(self) -> Iterator[tuple[int, int, slice]]:
        """Yield products that shares have: two directions, and the coordinates of a space."""
        for i, j, space in self._products:
            yield i, j, slice(space * self._space, (space + 1) * self._space)

    def _weights(self, there: EvaluatedBatch, scale: Array) -> list[Array]:
        """Return, for each role, the weights of its tokens in the gradient.

        Parameters
        ----------
        there : EvaluatedBatch
        scale : ndarray, shape (n,)

        Returns
        -------
        list of ndarray, shape (t, n, count)
            For each trained direction.
        """
        found = []
        for i, role in enumerate(self._cases[there.batch.case].roles):
            weights = np.zeros((self._t, *there.batch.projections[i].shape[:2]))
            for x, slope in zip(role.directions, there.slopes(i), strict=False):
                if self._places.get(x, self._t) < self._t:
                    weights[self._places[x]] = scale[:, None] * slope
            found.append(weights)
        return found
