"""Relatives of single-location regression as models.

They change a part of equations (1) to (3); several heads are equations (30) and (31).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from sympy import Expr, erf, sqrt

from slrsym.kernels.arguments import require_integer
from slrsym.models.definition.specification import (
    Direction,
    Predictor,
    Token,
    TokenSequence,
)
from slrsym.models.definition.symbolic_token import SymbolicToken
from slrsym.models.stated_model import Model, model
from slrsym.papers.single_location.notation import (
    L,
    d,
    epsilon,
    eta,
    gamma,
    kappa,
    lam,
    nu,
    rho,
    theta,
)

__all__ = ["Attention", "MultiHead", "attention", "multi_head"]


@dataclass(frozen=True)
class MultiHead:
    """A model with several erf heads and several informative tokens, with its directions by name.

    Parameters
    ----------
    model : Model
    k, v : tuple of Direction
        Of the heads.
    k_star, v_star : tuple of Direction
        Of the informative tokens.
    """

    model: Model
    k: tuple[Direction, ...]
    v: tuple[Direction, ...]
    k_star: tuple[Direction, ...]
    v_star: tuple[Direction, ...]


def _projected(u: Direction, X: SymbolicToken) -> Expr:
    return X @ u


@cache
def multi_head(
    heads: int = 2, informative: int = 2, correlation: object = 0, activation: Any = erf
) -> MultiHead:
    r"""Return the model with several informative tokens and heads: equations (30) and (31).

    Parameters
    ----------
    heads : int, optional
    informative : int, optional
        How many informative tokens there are.
    correlation : expression, optional
        Of the noises of two informative tokens; the paper's law has 0.
    activation : callable, optional
        From a score to attention.

    Returns
    -------
    MultiHead

    Raises
    ------
    ValueError
        If there is no head or no informative token.
    """
    heads = require_integer("heads", heads, 1)
    informative = require_integer("informative", informative, 1)
    k, v = (tuple(Direction(f"{x}_{h + 1}", sphere=True) for h in range(heads)) for x in "kv")
    k_star, v_star = (
        tuple(Direction(rf"{x}^\star_{i + 1}", unit=True) for i in range(informative)) for x in "kv"
    )
    tokens = [
        Token(sqrt(d / 2) * mean, gamma**2, partial(_projected, u), f"informative {i + 1}")
        for i, (mean, u) in enumerate(zip(k_star, v_star, strict=True))
    ]
    pairs = {(x, y): correlation for i, x in enumerate(tokens) for y in tokens[:i]}
    data = TokenSequence(
        {**dict.fromkeys(tokens, 1), Token(name="other"): L - informative},
        noise=epsilon,
        correlation=pairs if correlation != 0 else None,
    )
    attention = Predictor(
        lambda X: sum(
            activation(lam * (X @ key)) * (X @ value) for key, value in zip(k, v, strict=True)
        )
    )
    given = {x @ y: 0 for x, y in zip(k_star, v_star, strict=True)}
    return MultiHead(model(data, attention, inner_products=given), k, v, k_star, v_star)


@dataclass(frozen=True)
class Attention:
    """A model with one head and one informative token, with its directions by name.

    Parameters
    ----------
    model : Model
    k, v : Direction
        That are trained.
    k_star, v_star : Direction
        Of the informative token.
    """

    model: Model
    k: Direction
    v: Direction
    k_star: Direction
    v_star: Direction


def attention(
    activation: Any = erf,
    *,
    angle: Any = 0,
    cov: Any = gamma**2,
    other_cov: Any = 1,
    bias: Iterable[Any] | None = None,
    location: Iterable[Any] | None = None,
) -> Attention:
    r"""Return the model of single-location regression with one attention head.

    Parameters
    ----------
    activation : callable, optional
        From a score to attention: a function of SymPy, or `softmax`.
    angle : expression, optional
        The inner product of k* and v*.
    cov, other_cov : expression or sequence, optional
        Covariance of the informative and of the other tokens, as of `Token`.
    bias : iterable of expressions, optional
        Of each position, which is then added to scores; there are as many tokens.
    location : iterable of expressions, optional
        The law of the location, where there is a bias.

    Returns
    -------
    Attention
    """
    k, v = Direction("k", sphere=True), Direction("v", sphere=True)
    k_star, v_star = Direction(r"k^\star", unit=True), Direction(r"v^\star", unit=True)
    places = None if bias is None else tuple(bias)
    informative = Token(sqrt(d / 2) * k_star, cov, lambda X: X @ v_star, "informative")
    count = (L if places is None else len(places)) - 1
    data = TokenSequence(
        {informative: 1, Token(cov=other_cov, name="other"): count},
        noise=epsilon,
        location=None if location is None else tuple(location),
    )

    def share(X: SymbolicToken, b: Any = 0) -> Any:
        return activation(lam * (X @ k) + b) * (X @ v)

    spaces = max(len(c) if isinstance(c, tuple) else 1 for c in (cov, other_cov))
    names = {k @ k_star: kappa, v @ v_star: nu, v @ k_star: theta, k @ v_star: eta, k @ v: rho}
    stated = model(
        data,
        Predictor(share, bias=places),
        inner_products={k_star @ v_star: angle} if spaces == 1 else None,
        names=names if spaces == 1 else None,
    )
    return Attention(stated, k, v, k_star, v_star)


@cache
def task_model() -> Model:
    """Return the model of the task, with erf attention, made once.

    Returns
    -------
    Model
    """
    return attention().model
