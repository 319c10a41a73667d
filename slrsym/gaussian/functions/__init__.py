r"""The special functions of Gaussian calculus, as SymPy functions.

=============  =================================================================================
`erf_prime`    :math:`\operatorname{erf}'(x) = \frac{2}{\sqrt\pi}e^{-x^2}`
`erf_second`   :math:`\operatorname{erf}''(x) = -2x\operatorname{erf}'(x)`
`OwensT`       :math:`T(h, a) = \frac{1}{2\pi}\int_0^a \frac{e^{-h^2(1+x^2)/2}}{1+x^2}dx`
`zeta`         :math:`\zeta(t, s) = \mathbb{E}\operatorname{erf}(t + sG)^2`, G standard normal
`normal_pdf`   :math:`\varphi(x) = e^{-x^2/2}/\sqrt{2\pi}`
`normal_cdf`   :math:`\Phi(x) = \int_{-\infty}^x \varphi`
=============  =================================================================================

They differentiate to any order, expand in series, rewrite among one another, evaluate to any
precision and print as code (see `printing`).
"""

from slrsym.gaussian.functions.erf_derivatives import erf_prime as erf_prime
from slrsym.gaussian.functions.erf_derivatives import erf_second as erf_second
from slrsym.gaussian.functions.mean_square import gaussian_zeta as gaussian_zeta
from slrsym.gaussian.functions.mean_square import zeta as zeta
from slrsym.gaussian.functions.normal import normal_cdf as normal_cdf
from slrsym.gaussian.functions.normal import normal_pdf as normal_pdf
from slrsym.gaussian.functions.owens_t import OwensT as OwensT
