"""Softmax attention: its risk is no closed form, but an integral over an integral."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
from sympy import Expr, S, Symbol, expand

from slrsym.kernels.arguments import whole
from slrsym.kernels.compile import compile_expressions, require_backend
from slrsym.kernels.laplace import laplace_risk, mpmath_laplace_risk
from slrsym.kernels.numba_backend import numba_laplace_risk
from slrsym.models.statement import Direction, Token, softmax

if TYPE_CHECKING:
    from slrsym.models.model import Model

__all__ = ["Quadrature", "SoftmaxTerms"]


@dataclass(frozen=True)
class Quadrature:
    """A risk that is computed by quadrature.

    Parameters
    ----------
    dimension : int
        Of the integral.
    reason : str
        Why it is no closed form.
    """

    dimension: int
    reason: str


class SoftmaxTerms:
    """The parameters of the law of (score, value, target) of each role, and the risk in them."""

    def __init__(self, stated: Model) -> None:
        self.model = stated
        if len(stated.data.mixture) > 1 or stated.data.correlation or stated.predictor.bias:
            raise ValueError(
                "softmax is for independent tokens, of fixed numbers, without a bias of positions"
            )
        self.temperature, self.extra = S.One, S.Zero
        ((self.counts, _),) = stated.data.mixture
        self.means: list[Expr] = []
        self.covs: list[Expr] = []
        for token in self.counts:
            self._add_role(token)

    def _add_role(self, token: Token) -> None:
        error, symbols = self.model.shares[token, None]
        names = {symbol: x for x, symbol in symbols.items()}
        heads = list(error.atoms(softmax))
        if len(heads) != 1:
            raise ValueError(
                f"softmax is for one head, softmax(mu * (X @ k)) * (X @ v); got {len(heads)}"
            )
        (head,) = heads
        score = _linear(head.args[0], names)
        if len(score) != 1:
            raise ValueError(f"the score of softmax must be mu * (X @ k); got {head.args[0]}")
        ((key, self.temperature),) = score.items()
        self.extra = head.args[1] if len(head.args) == 2 else S.Zero
        weight = expand(error).coeff(head)
        target = expand(error - weight * head)
        if target.has(softmax):
            raise ValueError(f"softmax must stand in the first power; got {error}")
        forms = [{key: S.One}, _linear(-weight, names), _linear(target, names)]
        x = self.model
        for i, form in enumerate(forms):
            self.means.append(_sum(c * x.mean_of(token, y) for y, c in form.items()))
            for other in forms[i:]:
                pairs = ((c * e, y, z) for y, c in form.items() for z, e in other.items())
                self.covs.append(_sum(c * x.covariance_of(token, y, z) for c, y, z in pairs))

    @cached_property
    def used(self) -> set[Symbol]:
        """The symbols that the risk depends on."""
        found = set(self.model.data.noise.free_symbols)
        return found.union(*(e.free_symbols for e in self._entries))

    @property
    def _entries(self) -> list[Expr]:
        return [
            self.temperature, self.extra, *self.counts.values(), *self.means, *self.covs,
            self.model.data.noise**2,
        ]  # fmt: skip

    @property
    def value(self) -> Quadrature:
        """The risk, for what it is."""
        return Quadrature(
            2, "softmax divides by a sum over tokens: the denominator is an integral (Laplace)"
        )

    def compile(self, backend: str, what: tuple[str, ...]) -> Callable[..., Any]:
        """Risk and gradient as a function of states and parameters."""
        require_backend(backend, ("numpy", "numba", "mpmath"))
        if not set(what) <= {"excess_risk", "risk", "gradient"}:
            raise ValueError(f"of softmax there are risk, excess_risk and gradient; got {what}")
        names, parameters = self.model.order_parameters, self.model.parameters
        moving = [*self.means, *self.covs]
        rates = [e.diff(p) for e in moving for p in names]
        inner = "mpmath" if backend == "mpmath" else "numpy"
        entries = compile_expressions([*self._entries, *rates], names, parameters, inner)
        roles, n = len(self.counts), len(names)
        if backend == "mpmath":
            return self._in_mpmath(entries, what)
        risk_of = numba_laplace_risk() if backend == "numba" else laplace_risk
        upper = np.triu_indices(3)

        def row(numbers: Any) -> list[float]:
            mu, extra, counts = numbers[0], numbers[1], numbers[2 : 2 + roles]
            rest = numbers[2 + roles :]
            means = rest[: 3 * roles].reshape(roles, 3)
            covs = np.zeros((roles, 3, 3))
            covs[:, upper[0], upper[1]] = rest[3 * roles : 9 * roles].reshape(roles, 6)
            covs[:, upper[1], upper[0]] = covs[:, upper[0], upper[1]]
            risk, _, by_means, by_covs = risk_of(mu, extra, counts.copy(), means.copy(), covs)
            slopes = np.concatenate([by_means.ravel(), by_covs[:, upper[0], upper[1]].ravel()])
            gradient = slopes @ rest[9 * roles + 1 :].reshape(9 * roles, n)
            found: list[float] = []
            for name in what:
                if name == "gradient":
                    found.extend(gradient)
                else:
                    found.append(risk + (rest[9 * roles] if name == "risk" else 0.0))
            return found

        def evaluate(state: Any, *values: Any) -> Any:
            numbers = entries(state, *values)
            rows = [row(x) for x in numbers.reshape(-1, numbers.shape[-1])]
            return np.array(rows).reshape(*numbers.shape[:-1], -1)

        return evaluate

    def _in_mpmath(self, entries: Callable[..., Any], what: tuple[str, ...]) -> Callable[..., Any]:
        roles, n = len(self.counts), len(self.model.order_parameters)

        def evaluate(state: Any, *values: Any, dps: int = 30) -> list[Any]:
            digits = whole("dps", dps, 1)
            numbers = entries(state, *values, dps=digits + 10)
            mu, extra, counts = numbers[0], numbers[1], numbers[2 : 2 + roles]
            noise = numbers[2 + roles + 9 * roles]
            rates = numbers[3 + 10 * roles :]
            law = numbers[2 + roles : 2 + 10 * roles]
            with mpmath.workdps(digits):
                found = []
                for name in what:
                    if name == "gradient":
                        # In the direction in which the law moves with each order parameter.
                        for j in range(n):
                            rate = [rates[i * n + j] for i in range(9 * roles)]
                            found.append(_along(mu, extra, counts, law, rate, digits))
                    else:
                        risk = mpmath_laplace_risk(mu, extra, counts, law)
                        found.append(+(risk + (noise if name == "risk" else 0)))
            return found

        return evaluate


def _along(mu: Any, extra: Any, counts: Any, law: Any, rate: Any, digits: int) -> Any:
    """The slope of the risk along a line, by differences of twice as many digits."""
    with mpmath.workdps(2 * digits):
        step = mpmath.mpf(10) ** (-digits // 2)
        ahead, behind = (
            mpmath_laplace_risk(
                mu, extra, counts, [x + s * step * r for x, r in zip(law, rate, strict=True)]
            )
            for s in (1, -1)
        )
        slope = (ahead - behind) / (2 * step)
    return +slope


def _linear(expr: Expr, names: dict[Symbol, Direction]) -> dict[Direction, Expr]:
    """Coefficients of projections in a linear form."""
    found = {x: expr.diff(symbol) for symbol, x in names.items() if expr.has(symbol)}
    if expand(expr - _sum(c * s for s, x in names.items() if (c := found.get(x)) is not None)) != 0:
        raise ValueError(f"softmax needs values and targets that are linear; got {expr}")
    return found


def _sum(terms: Any) -> Expr:
    return sum(terms, start=S.Zero)
