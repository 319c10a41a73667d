"""Models that ship: the relatives of single-location regression, and one that is no attention."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial

from sympy import Expr, erf, sqrt

from slrsym.models.model import Model, model
from slrsym.models.statement import Direction, Predictor, Projections, Sequence, Token
from slrsym.notation import L, d, epsilon, gamma, lam

__all__ = ["MultiHead", "multi_head"]


@dataclass(frozen=True)
class MultiHead:
    """Several erf heads on several informative tokens, with the directions by name.

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


def _projected(u: Direction, X: Projections) -> Expr:
    return X @ u


@cache
def multi_head(heads: int = 2, informative: int = 2, correlation: object = 0) -> MultiHead:
    r"""Equations (30) and (31): multiple-location regression, and several erf heads.

    Parameters
    ----------
    heads : int, optional
    informative : int, optional
        How many informative tokens there are.
    correlation : expression, optional
        Of the noises of two informative tokens; the paper's law has 0.

    Returns
    -------
    MultiHead
    """
    k, v = (tuple(Direction(f"{x}_{h + 1}", sphere=True) for h in range(heads)) for x in "kv")
    k_star, v_star = (
        tuple(Direction(rf"{x}^\star_{i + 1}", unit=True) for i in range(informative)) for x in "kv"
    )
    tokens = [
        Token(sqrt(d / 2) * mean, gamma**2, partial(_projected, u), f"informative {i + 1}")
        for i, (mean, u) in enumerate(zip(k_star, v_star, strict=True))
    ]
    pairs = {(x, y): correlation for i, x in enumerate(tokens) for y in tokens[:i]}
    data = Sequence(
        {**dict.fromkeys(tokens, 1), Token(name="other"): L - informative},
        noise=epsilon,
        correlation=pairs if correlation != 0 else None,
    )
    attention = Predictor(
        lambda X: sum(erf(lam * (X @ key)) * (X @ value) for key, value in zip(k, v, strict=True))
    )
    given = {x @ y: 0 for x, y in zip(k_star, v_star, strict=True)}
    return MultiHead(model(data, attention, given=given), k, v, k_star, v_star)
