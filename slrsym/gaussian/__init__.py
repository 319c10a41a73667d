"""Symbolic Gaussian calculus: laws, and expectations under them in closed form."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.bivariate_normal import bivariate_normal_cdf
from slrsym.gaussian.law import GaussianLaw, IIDSum, NoiseLaw, ProductLaw, standard_normal
from slrsym.gaussian.special_functions import (
    OwensT,
    erf_prime,
    erf_second,
    normal_cdf,
    normal_pdf,
    sympy_owens_t,
    zeta,
)

if TYPE_CHECKING:
    from sympy import Function

    from slrsym.gaussian.closed_form import expectation
    from slrsym.gaussian.evaluation_trace import Trace
    from slrsym.gaussian.evaluation_trace import Trace as ExpectationTrace
    from slrsym.gaussian.integrals import IntegrabilityError

    owens_t: type[Function]

# Loaded when first asked for: proofs need no closed forms.
_LAZY = {
    "ExpectationTrace": ("evaluation_trace", "Trace"),
    "IntegrabilityError": ("integrals", "IntegrabilityError"),
    "Trace": ("evaluation_trace", "Trace"),
    "expectation": ("closed_form", "expectation"),
}


def __getattr__(name: str) -> Any:
    if name == "owens_t":
        return sympy_owens_t()
    if name in _LAZY:
        module, own = _LAZY[name]
        return getattr(import_module(f"{__name__}.{module}"), own)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# Names of SymPy's own: `import *` takes these, and leaves SymPy's alone.
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
    "bivariate_normal_cdf",
    "erf_prime",
    "erf_second",
    "expectation",
    "mean_erf_squared",
    "normal_cdf",
    "normal_pdf",
    "owens_t",
    "standard_normal",
]
