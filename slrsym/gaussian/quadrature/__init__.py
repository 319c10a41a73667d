r"""Expectations by numerical integration of the definition, to a given number of digits.

The integrand is a function of the affine forms that occur in it, :math:`u = Bx`, which are Gaussian
with mean :math:`Bm` and covariance :math:`B\Sigma B^T = LL^T`. With L from a Cholesky factorisation
that drops null directions, :math:`u = Bm + Lz` for independent standard normal z, of which there
are as many as the rank. Forms in which the integrand is a polynomial come last; the z that belong
to them alone are integrated exactly by Gauss-Hermite rules, and the others, three at most, by the
trapezoidal rule, which for analytic integrands converges faster than any power of the step.

A value is given only where two grids, shifted by half a step, agree to the digits asked for. In one
dimension integrands with kinks or singularities are integrated piece by piece, twice.
"""

from slrsym.gaussian.quadrature.evaluation import evaluate as evaluate
