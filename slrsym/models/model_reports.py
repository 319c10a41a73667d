"""Comparison of a model with sampled tokens, counts of recovering runs, LaTeX of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sympy import Expr, S, lambdify, sympify

from slrsym.files import SavingFailedError
from slrsym.kernels.arguments import float_or_nan, require_integer
from slrsym.models.definition.description import latex_of, unique_token_names
from slrsym.models.definition.specification import Direction, NotClosedError, Token, softmax
from slrsym.models.means.jumps import derivative_across_jumps, jumps_of
from slrsym.models.training.initial_conditions import equal_dimensions, vectors_with_gram_matrix
from slrsym.models.training.runs import Runs, wilson_intervals
from slrsym.models.training.simulation import (
    add_inner_products_of_start,
    initial_gram_factors,
    parameter_row,
    parameter_values_by_name,
    require_value_of_d,
    simulate,
)

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel


Array = NDArray[np.float64]


@dataclass(frozen=True)
class SampledTokenComparison:
    """Comparison of a model's exact risk and gradient with averages over tokens sampled in R^d.

    Of a model whose risk is not known there is the average alone, with the `reason`.
    """

    risk: float
    estimate: float
    error: float
    z_scores: dict[str, float]
    reason: str | None = None

    @property
    def is_passed(self) -> bool:
        """Whether risk and gradient agree with sampled tokens within five standard errors."""
        # A score that is no number compares nothing.
        return self.reason is None and all(abs(z) < 5 for z in self.z_scores.values())

    def __repr__(self) -> str:
        if self.reason is not None:
            return (
                f"Not compared with sampled tokens: {self.reason}\n"
                f"  risk:     sampled {self.estimate:.6g}, standard error {self.error:.2g}"
            )
        scores = ", ".join(f"{name} {z:.2f}" for name, z in self.z_scores.items() if name != "risk")
        return (
            f"{'Agrees' if self.is_passed else 'Disagrees'} with sampled tokens\n"
            f"  risk:     {self.risk:.6g}; sampled {self.estimate:.6g}, standard error "
            f"{self.error:.2g}, z = {self.z_scores['risk']:.2f}\n"
            f"  z-scores: {scores}"
        )


def compare_with_sampled_tokens(
    model: DerivedModel, values: Mapping[Any, Any], *, samples: int = 100_000, rng: Any = None
) -> SampledTokenComparison:
    """Return a comparison of a model's risk and gradient with averages over sampled tokens."""
    samples, generator = require_integer("samples", samples, 2), np.random.default_rng(rng)
    by_name = parameter_values_by_name(model, values)
    d = require_value_of_d(by_name)
    dimensions = equal_dimensions(d, model.spaces)
    factor = initial_gram_factors(model, by_name, "uniform", 1, generator, dimensions)[0]
    # As vectors of R^d, in whatever basis of each eigenspace.
    blocks = [
        np.pad(part[:, :n], ((0, 0), (0, max(0, n - part.shape[1]))))
        for part, n in zip(factor, dimensions, strict=True)
    ]
    rows = np.concatenate(blocks, axis=1)
    space = np.repeat(np.arange(model.spaces), dimensions)
    try:
        reason, parameters = None, model.parameters
    except NotClosedError as problem:
        reason, parameters = str(problem), tuple(sorted(_symbols(model), key=str))
    add_inner_products_of_start(model, by_name, factor[None], parameters)
    row = parameter_row(model, by_name, parameters)
    numbers = dict(zip(parameters, row.tolist(), strict=True))
    # What the risk does not depend on may be anything.
    given = {**numbers, **{s: by_name.get(s.name, 1.0) for s in _symbols(model) - set(numbers)}}
    # So many of each case as chance has it.
    cases = list(model.role_count_cases())
    chances = np.array([float(sympify(p).subs(given)) for _, p in cases])
    drawn = generator.multinomial(samples, chances / chances.sum())
    parts = [
        _sampled(model, counts, rows, space, given, int(n), generator)
        for (counts, _), n in zip(cases, drawn, strict=True)
        if n
    ]
    squares = np.concatenate([part[0] for part in parts])
    moves = np.concatenate([part[1] for part in parts], axis=1)
    estimate, error = float(squares.mean()), float(squares.std() / np.sqrt(samples))
    if reason is not None:
        return SampledTokenComparison(np.nan, estimate, error, {}, reason)
    found = model.compile("numpy", "risk", "gradient")(
        model.flow.order_parameters_of_gram_factor(factor), *row
    )
    gradients = model.flow.gradient_vectors(factor, found[1:])
    slopes = np.sum(gradients @ np.swapaxes(factor, -1, -2), axis=0)
    scores = {"risk": _score(squares, found[0])}
    gram = rows @ rows.T
    for i, x in enumerate(model.trained_directions):
        for j, y in enumerate(model.directions):
            if y is x and x.on_sphere:
                continue
            # On a sphere, what is tangent to it: the risk is not a function of lengths there.
            radial = gram[i, j] if x.on_sphere else 0.0
            sampled = moves[i] @ (rows[j] - radial * rows[i])
            if np.isfinite(sampled).all():
                exact = slopes[i, j] - radial * slopes[i, i]
                scores[f"gradient in {x}, along {y}"] = _score(sampled, exact)
    return SampledTokenComparison(float(found[0]), estimate, error, scores)


def _score(sample: Array, exact: float) -> float:
    spread = sample.std() / np.sqrt(len(sample))
    return float((sample.mean() - exact) / spread) if spread > 0 else 0.0


def _drawn(
    model: DerivedModel,
    tokens: Sequence[Token],
    rows: Array,
    space: NDArray[np.int64],
    number: Callable[[Expr], float],
    samples: int,
    rng: np.random.Generator,
) -> Iterator[Array]:
    """Yield, for each token of a sequence, samples of its vector, shape (samples, d)."""
    places = {x: i for i, x in enumerate(model.directions)}
    noises: Iterator[Array] = (rng.standard_normal((samples, rows.shape[1])) for _ in tokens)
    if model.data.correlation:
        tau = np.eye(len(tokens))
        for i, x in enumerate(tokens):
            for j, y in enumerate(tokens[:i]):
                given = model.data.correlation.get(frozenset({x, y}), S.Zero)
                tau[i, j] = tau[j, i] = number(given)
        drawn = np.stack(list(noises))
        # Noises of correlation 1 are equal, and their matrix is singular.
        noises = (np.tensordot(row, drawn, 1) for row in vectors_with_gram_matrix(tau))
    for token, noise in zip(tokens, noises, strict=True):
        values = np.array([number(e) for e in token.eigenvalues])
        X = np.sqrt(values[space] if len(values) > 1 else values) * noise
        if token.spikes:
            basis, along = np.linalg.qr(rows[[places[u] for u in token.spikes]].T)
            spikes = along * [number(c) for c in token.spikes.values()] @ along.T
            root = vectors_with_gram_matrix(values[0] * np.eye(len(spikes)) + spikes)
            X += (noise @ basis) @ (root.T - np.sqrt(values[0]) * np.eye(len(spikes))) @ basis.T
        for u, c in token.mean.terms.items():
            X += number(c) * rows[places[u]]
        yield X


def _sampled(
    model: DerivedModel,
    counts: Mapping[Any, tuple[Any, Expr]],
    rows: Array,
    space: NDArray[np.int64],
    given: Mapping[Any, float],
    samples: int,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """Return samples of the squared error and of its gradient in each trained direction."""
    places = {x: i for i, x in enumerate(model.directions)}

    def number(expr: Expr) -> float:
        return float(expr.subs(given))

    error = number(model.data.noise) * rng.standard_normal(samples)
    change = np.zeros((len(model.trained_directions), samples, rows.shape[1]))
    listed = [role for role, count in counts.values() for _ in range(round(number(count)))]
    drawn = _drawn(model, [role.token for role in listed], rows, space, number, samples, rng)
    tokens, scores, attended = [], [], []
    for role, X in zip(listed, drawn, strict=True):
        share, symbols = role.share, role.symbol_of
        names = list(symbols.values())
        heads = list(share.atoms(softmax))
        at = [X @ rows[places[x]] for x in symbols]
        if heads:
            (head,) = heads
            plain = lambdify(
                names, [head.args[0].subs(given), share.coeff(head), share.subs(head, 0)]
            )
            score, value, rest = (np.broadcast_to(a, samples) for a in plain(*at))
            tokens.append((X, symbols, head, -share.coeff(head)))
            scores.append(score)
            attended.append(-value)
            error = error + rest
            continue
        share = share.subs(given)
        # Where a share jumps, the gradient is no mean over tokens.
        slopes = [S.NaN if jumps_of(share, x) else derivative_across_jumps(share, x) for x in names]
        expressions = [share, *slopes]
        found = lambdify(names, expressions, modules=["scipy", "numpy"])(*at)
        error = error + found[0]
        for x, slope in zip(symbols, found[1:], strict=True):
            if model.is_trained(x):
                change[places[x]] += np.broadcast_to(slope, samples)[:, None] * X
    if tokens:
        weights = np.exp(np.array(scores) - np.max(scores, axis=0))
        extra = float(tokens[0][2].args[1]) if len(tokens[0][2].args) == 2 else 0.0
        weights /= weights.sum(axis=0) + extra * np.exp(-np.max(scores, axis=0))
        values = np.array(attended)
        mixed = np.sum(weights * values, axis=0)
        error = error - mixed
        for (X, symbols, head, value), w, v in zip(tokens, weights, values, strict=True):
            for x, symbol in symbols.items():
                if model.is_trained(x):
                    slope = w * (v - mixed) * float(head.args[0].subs(given).diff(symbol))
                    slope = slope + w * float(value.subs(given).diff(symbol))
                    change[places[x]] -= slope[:, None] * X
    return error**2, 2 * error[:, None] * change


def _symbols(model: DerivedModel) -> set[Any]:
    parts: list[Expr] = [model.data.noise, *(e for e, _ in model.shares.values())]
    parts += [*(model.data.location or ()), *model.data.correlation.values()]
    for counts, probability in model.data.mixture:
        parts.append(probability)
        for token, count in counts.items():
            parts += [count, *token.mean.terms.values(), *token.eigenvalues, *token.spikes.values()]
    projections = {s for _, names in model.shares.values() for s in names.values()}
    return {s for part in parts for s in part.free_symbols} - projections


@dataclass(frozen=True)
class Recovery:
    """Fraction of runs in which all chosen pairs end aligned, with Wilson's 95 % interval."""

    fraction: float
    interval: tuple[float, float]
    runs: Runs

    def __repr__(self) -> str:
        low, high = (f"{100 * x:.3g}" for x in self.interval)
        return (
            f"{100 * self.fraction:.3g} % of {self.runs.sizes['run']} runs recover "
            f"(95% interval {low} to {high} %)"
        )


def simulate_and_measure_recovery(
    model: DerivedModel,
    values: Mapping[Any, Any],
    pairs: Sequence[tuple[Direction, Direction]],
    *,
    min_overlap: float = 0.9,
    **options: Any,
) -> Recovery:
    """Return the fraction of simulated runs that end with all given pairs of directions aligned."""
    if not pairs:
        raise ValueError("pairs must have two directions at least that are to be aligned; got none")
    known = {x.name for x in model.directions}
    for pair in pairs:
        two = pair if isinstance(pair, Sequence) and not isinstance(pair, str) else ()
        if len(two) != 2 or not known.issuperset(map(str, two)):
            raise ValueError(
                f"pairs must be of two directions of this model ({', '.join(sorted(known))}), as "
                f"in [(k, k_star)]; got {pair!r}"
            )
    if not 0 <= float_or_nan(min_overlap) <= 1:
        raise ValueError(f"min_overlap must be an overlap from 0 to 1; got {min_overlap!r}")
    try:
        runs = simulate(model, values, **options)
    except SavingFailedError as problem:
        if problem.result is not None:
            problem.result = _recovery(problem.result, pairs, min_overlap)
        raise
    return _recovery(runs, pairs, min_overlap)


def _recovery(
    runs: Runs, pairs: Sequence[tuple[Direction, Direction]], min_overlap: float
) -> Recovery:
    last = [np.abs(runs.overlap(x, y).isel(step=-1).values) for x, y in pairs]
    hits = np.min(last, axis=0) >= min_overlap
    low, high = wilson_intervals(hits.sum(), len(hits))
    return Recovery(float(hits.mean()), (float(low), float(high)), runs)


# -- in LaTeX --------------------------------------------------------------------------------------


def model_latex(model: DerivedModel) -> str:
    """Return the model's formulas as LaTeX displays for a document with amsmath."""
    parts = [r"Order parameters: $" + ", ".join(map(latex_of, model.order_parameters)) + "$."]
    for token, name in unique_token_names(model.data.tokens).items():
        if model.roles[token, next(iter(model.predictor.bias or (None,)))].directions:
            parts += [f"Projections of a token ({name}):", _display(latex_of(model.law(token)))]
    if model.quadrature is not None:
        parts.append(f"The risk is no closed form: {model.quadrature.reason}.")
    if not model.is_additive:
        return "\n".join([*parts, ""])
    parts += ["The risk:", _display("R = " + latex_of(model.risk)), "Its gradient:"]
    for p, slope in zip(model.order_parameters, model.gradient, strict=True):
        parts.append(_display(rf"\partial_{{{latex_of(p)}}} R = {latex_of(slope)}"))
    return "\n".join([*parts, ""])


def _display(text: str) -> str:
    return rf"\begin{{equation*}}{text}\end{{equation*}}"
