"""Laws of random vectors: jointly Gaussian, noise of known variance, products, sums of copies.

A law is an immutable SymPy object. Its vector is named by symbols, which the law *binds*: outside
of the law (and of the expectations taken under it) these symbols mean nothing, so substituting a
parameter never touches them.
"""

from slrsym.gaussian.law.base import Law as Law
from slrsym.gaussian.law.copies import IIDSum as IIDSum
from slrsym.gaussian.law.gaussian import GaussianLaw as GaussianLaw
from slrsym.gaussian.law.gaussian import standard_normal as standard_normal
from slrsym.gaussian.law.noise import NoiseLaw as NoiseLaw
from slrsym.gaussian.law.product import ProductLaw as ProductLaw
