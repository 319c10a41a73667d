r"""Moments of :math:`V\,\mathrm{erf}(\lambda U)` for one head and for two, and their derivatives.

They are derived by `slrsym.gaussian.expectation` from their definition. Those of two heads contain
:math:`F = \mathbb{E}\,\mathrm{erf}(\lambda U)\,\mathrm{erf}(\lambda u)`, which is made of Owen's T
function; all else, and all derivatives of F, are made of exp and erf. So the programs take F as a
number, and `erf_product` computes it.

The variances of U, V are those of unit vectors, so that no derivative by them is needed: descent on
spheres does not see it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import owens_t
from sympy import Expr, Matrix, Symbol, diff, erf, symbols

from slrsym.gaussian import GaussianLaw, expectation
from slrsym.kernels import compile_expressions
from slrsym.notation import lam

__all__ = ["erf_product", "one_head", "two_heads"]

_U, _V, _u, _v, _Y = symbols("U V u v Y", real=True)
_MEANS = symbols("m_U m_V m_u m_v", real=True)
_COVARIANCES = symbols("c_UV c_uv c_Uu c_Uv c_Vu c_Vv", real=True)
_WITH_Y = symbols("c_UY c_VY", real=True)
_S = Symbol("s", positive=True)
_F = Symbol("F", real=True)


def _law() -> GaussianLaw:
    UV, uv, Uu, Uv, Vu, Vv = _COVARIANCES
    square = _S**2
    covariance = [
        [square, UV, Uu, Uv],
        [UV, square, Vu, Vv],
        [Uu, Vu, square, uv],
        [Uv, Vv, uv, square],
    ]
    return GaussianLaw(dict(zip((_U, _V, _u, _v), _MEANS, strict=True)), Matrix(covariance))


@cache
def one_head(backend: str) -> Callable[..., NDArray[np.float64]]:
    """States m_U, m_V, c_UV, c_UY, c_VY, s to moments and their derivatives.

    E[V erf(lambda U)] with its derivatives by the first three; E[Y V erf(lambda U)], for a centred
    Y, with its derivatives by the first five.
    """
    (m_U, m_V, *_), c_UV = _MEANS, _COVARIANCES[0]
    UY, VY = _WITH_Y
    square = _S**2
    covariance = Matrix([[square, c_UV, UY], [c_UV, square, VY], [UY, VY, 1]])
    law = GaussianLaw({_U: m_U, _V: m_V, _Y: 0}, covariance)
    head = _V * erf(lam * _U)
    alone, with_Y = expectation(head, law), expectation(_Y * head, law)
    varying = (m_U, m_V, c_UV, UY, VY)
    outputs = [alone, *(diff(alone, x) for x in varying[:3])]
    outputs += [with_Y, *(diff(with_Y, x) for x in varying)]
    return compile_expressions(outputs, (*varying, _S), (lam,), backend)


@cache
def two_heads(backend: str) -> Callable[..., NDArray[np.float64]]:
    """States m_U, m_V, m_u, m_v, c_UV, c_uv, c_Uu, c_Uv, c_Vu, c_Vv, s, F to a second moment.

    That is E[V v erf(lambda U) erf(lambda u)], with its derivatives by the first ten.
    """
    law = _law()
    both = erf(lam * _U) * erf(lam * _u)
    product = expectation(both, law)
    moment = expectation(_V * _v * both, law).xreplace({product: _F})
    m_U, _, m_u, _ = _MEANS
    # Bonnet and Price: derivatives by means and covariances are expectations of derivatives.
    slopes = {m_U: diff(both, _U), m_u: diff(both, _u), _COVARIANCES[2]: diff(both, _U, _u)}

    def slope(x: Symbol) -> Expr:
        through = expectation(slopes[x], law) if x in slopes else 0
        return diff(moment, x) + diff(moment, _F) * through

    varying = (*_MEANS, *_COVARIANCES)
    return compile_expressions([moment, *map(slope, varying)], (*varying, _S, _F), (lam,), backend)


def erf_product(p: Any, q: Any, c: Any, s: Any, lam: float) -> NDArray[np.float64]:
    """The F of means p, q, their covariance and the deviation of each: Owen's form of 4 Phi_2."""
    w = 1 + 2 * (lam * s) ** 2
    scale = lam * np.sqrt(2 / w)
    x, y, r = np.broadcast_arrays(scale * p, scale * q, 2 * lam**2 * c / w)
    root = np.sqrt((1 - r) * (1 + r))
    # Where a mean is zero, its T is the limit: a quarter, with the sign of the other.
    with np.errstate(divide="ignore", invalid="ignore"):
        first = owens_t(x, (y - r * x) / (x * root))
        second = owens_t(y, (x - r * y) / (y * root))
    first = np.where(
        x == 0, np.where(y == 0, np.arctan2(r, root) / (-2 * np.pi), np.sign(y) / 4), first
    )
    second = np.where(y == 0, np.where(x == 0, 0, np.sign(x) / 4), second)
    opposite = (x * y < 0) | ((x * y == 0) & (x + y < 0))
    return np.asarray(1 - 4 * (first + second) - 2 * opposite - (x == 0) * (y == 0))
