"""Symbolic Gaussian calculus: laws, and expectations under them in closed form."""

from slrsym.gaussian.expectation import Expectation as Expectation
from slrsym.gaussian.expectation import expectation as expectation
from slrsym.gaussian.functions import OwensT as OwensT
from slrsym.gaussian.functions import erf_prime as erf_prime
from slrsym.gaussian.functions import erf_second as erf_second
from slrsym.gaussian.functions import normal_cdf as normal_cdf
from slrsym.gaussian.functions import normal_pdf as normal_pdf
from slrsym.gaussian.functions import zeta as zeta
from slrsym.gaussian.integrals import IntegrabilityError as IntegrabilityError
from slrsym.gaussian.law import GaussianLaw as GaussianLaw
from slrsym.gaussian.law import IIDSum as IIDSum
from slrsym.gaussian.law import NoiseLaw as NoiseLaw
from slrsym.gaussian.law import ProductLaw as ProductLaw
from slrsym.gaussian.law import standard_normal as standard_normal
from slrsym.gaussian.trace import Trace as Trace

# Names of SymPy's own: `import *` takes these, and leaves SymPy's alone.
ExpectationTrace = Trace
mean_erf_squared = zeta

__all__ = [
    "Expectation",
    "ExpectationTrace",
    "GaussianLaw",
    "IIDSum",
    "IntegrabilityError",
    "NoiseLaw",
    "OwensT",
    "ProductLaw",
    "erf_prime",
    "erf_second",
    "expectation",
    "mean_erf_squared",
    "normal_cdf",
    "normal_pdf",
    "standard_normal",
]
