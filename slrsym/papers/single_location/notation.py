r"""The paper's letters as SymPy symbols, which all modules share.

======================  =========================  ==============================================
paper                   here                       meaning
======================  =========================  ==============================================
:math:`d`               ``d``                      dimension of a token
:math:`L`               ``L``                      number of tokens
:math:`\gamma`          ``gamma``                  standard deviation of the informative token
:math:`\varepsilon`     ``epsilon``                standard deviation of the output noise
:math:`\lambda`         ``lam``                    inverse temperature
:math:`\kappa`          ``kappa``                  overlap of k and k*
:math:`\nu`             ``nu``                     overlap of v and v*
:math:`\theta`          ``theta``                  overlap of v and k*
:math:`\eta`            ``eta``                    overlap of k and v*
:math:`\rho`            ``rho``                    overlap of k and v
:math:`\alpha`          ``alpha``                  step size
:math:`s = \lambda\gamma`  ``s``                   spread of the informative token's score
:math:`t`               ``t``                      its mean, :math:`\lambda\sqrt{d/2}\,\kappa`
:math:`A = \sqrt{1+2s^2}`  ``A``
:math:`B = \sqrt{1+4s^2}`  ``B``
:math:`a = t/A`         ``a``
======================  =========================  ==============================================
"""

from __future__ import annotations

from sympy import Matrix, Symbol, sqrt, symbols

__all__ = [
    "ORDER_PARAMETERS",
    "A",
    "B",
    "G",
    "L",
    "a",
    "alpha",
    "d",
    "epsilon",
    "eta",
    "gamma",
    "gram_matrix",
    "kappa",
    "lam",
    "nu",
    "rho",
    "s",
    "t",
    "theta",
]

d = Symbol("d", positive=True)
L = Symbol("L", integer=True, positive=True)
gamma = Symbol("gamma", positive=True)
epsilon = Symbol("epsilon", nonnegative=True)
lam = Symbol("lambda", positive=True)
alpha = Symbol("alpha", positive=True)

kappa, nu, theta, eta, rho = ORDER_PARAMETERS = symbols("kappa nu theta eta rho", real=True)

# A standard normal variable.
G = Symbol("G", real=True)

s = lam * gamma
t = lam * sqrt(d / 2) * kappa
A = sqrt(1 + 2 * s**2)
B = sqrt(1 + 4 * s**2)
a = t / A


def gram_matrix() -> Matrix:
    """Return the Gram matrix of (k, v, k*, v*) in the symbols of the overlaps."""
    return Matrix(
        [
            [1, rho, kappa, eta],
            [rho, 1, theta, nu],
            [kappa, theta, 1, 0],
            [eta, nu, 0, 1],
        ]
    )
