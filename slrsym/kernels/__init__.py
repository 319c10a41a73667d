"""Derived expressions as fast functions: risk, gradient and Hessian in the five overlaps."""

from slrsym.kernels.compile import compile_expressions as compile_expressions
from slrsym.kernels.compile import kernel as kernel
from slrsym.kernels.functions import excess_risk as excess_risk
from slrsym.kernels.functions import gradient as gradient
from slrsym.kernels.functions import hessian as hessian
from slrsym.kernels.functions import risk as risk
from slrsym.kernels.special import erf_variance as erf_variance
from slrsym.kernels.special import zeta as zeta
