"""Moments of one and of two erf heads on tokens, derived from the tokens' laws."""

from __future__ import annotations

from sympy import Matrix, Symbol, diff, erf, sqrt, symbols

from slrsym.gaussian import GaussianLaw
from slrsym.gaussian.closed_form import closed_form_for_proofs
from slrsym.kernels.printing import program_from_expressions
from slrsym.kernels.program import Program
from slrsym.kernels.symbolic_functions import ErfCovariance
from slrsym.papers.single_location.notation import lam

_U, _V, _u, _v, _Y = symbols("U V u v Y", real=True)
_MEANS = symbols("m_U m_V m_u m_v", real=True)
_COVARIANCES = symbols("c_UV c_uv c_Uu c_Uv c_Vu c_Vv", real=True)
_S = Symbol("s", positive=True)


def one_head_moments_program() -> Program:
    """Return the program that computes one erf head's moments on a token, with derivatives.

    E[V erf(lambda U)] with its derivatives by the first three; E[Y V erf(lambda U)], for a centred
    Y, with its derivatives by the first five.
    """
    (m_U, m_V, *_), c_UV = _MEANS, _COVARIANCES[0]
    UY, VY = symbols("c_UY c_VY", real=True)
    covariance = Matrix([[_S**2, c_UV, UY], [c_UV, _S**2, VY], [UY, VY, 1]])
    law = GaussianLaw({_U: m_U, _V: m_V, _Y: 0}, covariance)
    head = _V * erf(lam * _U)
    alone, with_Y = closed_form_for_proofs(head, law), closed_form_for_proofs(_Y * head, law)
    varying = (m_U, m_V, c_UV, UY, VY)
    outputs = [alone, *(diff(alone, x) for x in varying[:3])]
    outputs += [with_Y, *(diff(with_Y, x) for x in varying)]
    return program_from_expressions(outputs, (*varying, _S), (lam,))


def two_head_moments_program() -> Program:
    """Return the program that computes the second moment of two erf heads, with derivatives.

    That is E[V v erf(lambda U) erf(lambda u)], with its derivatives by the first ten.
    """
    m_U, _, m_u, _ = _MEANS
    UV, uv, Uu, Uv, Vu, Vv = _COVARIANCES
    s2 = _S**2
    rows = [[s2, UV, Uu, Uv], [UV, s2, Vu, Vv], [Uu, Vu, s2, uv], [Uv, Vv, uv, s2]]
    law = GaussianLaw(dict(zip((_U, _V, _u, _v), _MEANS, strict=True)), Matrix(rows))
    both = erf(lam * _U) * erf(lam * _u)
    # The same number, without cases where a mean is zero.
    wide = 1 + 2 * lam**2 * s2
    x, y = (lam * mean / sqrt(wide) for mean in (m_U, m_u))
    product = erf(x) * erf(y) + ErfCovariance(x, y, 2 * lam**2 * Uu / wide)
    moment = closed_form_for_proofs(_V * _v * both, law).xreplace(
        {closed_form_for_proofs(both, law): product}
    )
    varying = (*_MEANS, *_COVARIANCES)
    slopes = (diff(moment, symbol) for symbol in varying)
    return program_from_expressions([moment, *slopes], (*varying, _S), (lam,))
