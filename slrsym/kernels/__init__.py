"""Compilation of expressions to fast functions for several backends."""

from slrsym.kernels.compile import compile_expressions
from slrsym.kernels.numpy_special_functions import erf_variance, zeta
