"""JAX backend: programs as float64 functions that JAX can differentiate and vectorise."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from functools import cache, reduce
from typing import Any

import numpy as np

from slrsym.kernels.program import Program, execute_source, has_no_gaps


class JaxMissingError(ImportError):
    """Error raised if the JAX backend is used and JAX is not installed."""


def require_jax_installed() -> None:
    """Raise an error if JAX is not installed."""
    if importlib.util.find_spec("jax") is None:
        raise JaxMissingError(
            "backend='jax' needs the package jax: pip install 'slrsym[jax]'; "
            "backend='numpy' works without"
        )


def require_double() -> None:
    """Raise an error if JAX computes in single precision, as it does by default."""
    import jax

    if not jax.config.jax_enable_x64:
        raise RuntimeError(
            "backend='jax' computes in float64, and JAX is set to float32; call "
            "jax.config.update('jax_enable_x64', True) at the start of the program, or set "
            "JAX_ENABLE_X64=1 in the environment"
        )


def _namespace() -> dict[str, Any]:
    import jax.numpy as jnp
    from jax.scipy.special import erf, erfc

    from slrsym.kernels import _jax_special

    return {
        "sqrt": jnp.sqrt, "exp": jnp.exp, "arcsin": jnp.arcsin, "arctan": jnp.arctan,
        "erf": erf, "erfc": erfc, "erfinv": _jax_special.erfinv,
        "abs": jnp.abs, "sin": jnp.sin, "cos": jnp.cos,
        "tanh": jnp.tanh, "log": jnp.log, "sign": jnp.sign, "pi": math.pi, "nan": math.nan,
        "maximum": lambda *x: reduce(jnp.maximum, x), "minimum": lambda *x: reduce(jnp.minimum, x),
        "decay_coefficients": _jax_special.decay_coefficients,
        "damped_factor": _jax_special.damped_factor,
        "cosine_of_slope": _jax_special.cosine_of_slope,
        "sine_of_slope": _jax_special.sine_of_slope,
        "with_slopes_of_zeta": _jax_special.with_slopes_of_zeta,
        "scaled_argument": _jax_special.scaled_argument,
        "over_root": _jax_special.over_root,
        "divided_square": _jax_special.divided_square,
        "evaluate_erf_variance_integral": _jax_special.evaluate_erf_variance_integral,
        "erf_defect": _jax_special.erf_defect, "owens_t": _jax_special.owens_t,
        "erf_covariance": _jax_special.erf_covariance, "normal_cdf": _jax_special.normal_cdf,
        "select": _jax_special.select_elementwise,
        "rational": lambda p, q: p / q,
        **_jax_special.EDGE_FUNCTIONS,
    }  # fmt: skip


def jax_function(program: Program) -> Callable[..., Any]:
    """Compile a program to a JAX function of states of shape (..., n) and parameters."""
    require_jax_installed()
    require_double()
    return jit_rows(_rows_of(program), len(program.state))


def jax_function_with_derivatives(
    outputs: Any, program_of: Callable[[Any], Program], derivative: Callable[[Any, int], Any]
) -> Callable[..., Any]:
    """Compile expressions to a JAX function whose derivatives are theirs, compiled.

    JAX would differentiate part by part, and not see infinite derivatives that cancel. Each
    derivative is made when JAX first asks for it.
    """
    require_jax_installed()
    require_double()
    import jax
    import jax.numpy as jnp
    from jax.custom_derivatives import SymbolicZero

    def differentiable(outputs: Any) -> tuple[Callable[..., Any], int]:
        program = program_of(outputs)
        width = len(program.state)
        value = jax.custom_jvp(_rows_of(program))
        slope = cache(lambda i: differentiable(derivative(outputs, i))[0])

        def rule(inputs: Any, tangents: Any) -> Any:
            found = value(*inputs)
            total = jnp.zeros_like(found)
            for n, tangent in enumerate(tangents):
                if isinstance(tangent, SymbolicZero):
                    continue
                if n:
                    total += slope(width + n - 1)(*inputs) * tangent[..., None]
                    continue
                for i in range(width):
                    total += slope(i)(*inputs) * tangent[..., i, None]
            return found, total

        value.defjvp(rule, symbolic_zeros=True)
        return value, width

    return jit_rows(*differentiable(outputs))


# The output that has the slopes of another in the state.
_SLOPES = {
    "risk": "gradient", "excess_risk": "gradient", "gradient": "hessian", "change": "jacobian",
}  # fmt: skip


def jax_function_with_programs_of_slopes(
    program_of: Callable[..., Program], what: tuple[str, ...]
) -> Callable[..., Any]:
    """Compile outputs of a model or its equations to a JAX function whose slopes are outputs, too.

    ``program_of(*what)`` returns the program of such outputs: 'risk' or 'excess_risk', 'gradient'
    and 'hessian', the upper triangle row by row, or 'change' and 'jacobian'. JAX would
    differentiate part by part, and not see infinite derivatives that cancel.
    """
    require_jax_installed()
    require_double()
    import jax
    import jax.numpy as jnp
    from jax.custom_derivatives import SymbolicZero

    def slopes(name: str, inputs: Any, moved: Any) -> Any:
        higher = _SLOPES[name]
        found = differentiable((higher,))(*inputs)
        width = moved.shape[-1]
        if higher == "gradient":
            return jnp.sum(found * moved, axis=-1, keepdims=True)
        place = np.arange(width * width).reshape(width, width)
        if higher == "hessian":
            place = np.zeros((width, width), dtype=int)
            place[np.triu_indices(width)] = np.arange(width * (width + 1) // 2)
            place = np.maximum(place, place.T)
        return jnp.sum(found[..., place] * moved[..., None, :], axis=-1)

    @cache
    def differentiable(what: tuple[str, ...]) -> Callable[..., Any]:
        rows = _rows_of(program_of(*what))
        if not set(what) <= _SLOPES.keys():
            return rows
        value = jax.custom_jvp(rows)

        def rule(inputs: Any, tangents: Any) -> Any:
            state, *parameters = inputs
            moved, *others = tangents
            found, total = value(*inputs), 0.0
            given = [n for n, t in enumerate(others) if not isinstance(t, SymbolicZero)]
            if given:

                def of_parameters(*changed: Any) -> Any:
                    rest = list(parameters)
                    for n, x in zip(given, changed, strict=True):
                        rest[n] = x
                    return rows(state, *rest)

                total = jax.jvp(
                    of_parameters,
                    tuple(parameters[n] for n in given),
                    tuple(others[n] for n in given),
                )[1]
            if not isinstance(moved, SymbolicZero):
                parts = [slopes(name, inputs, moved) for name in what]
                total = total + jnp.concatenate(parts, axis=-1)
            return found, total + jnp.zeros_like(found)

        value.defjvp(rule, symbolic_zeros=True)
        found: Callable[..., Any] = value
        return found

    return jit_rows(differentiable(what), len(program_of(*what).state))


def _rows_of(program: Program) -> Callable[..., Any]:
    """Return the function of states of shape (..., n) and parameters that runs a program."""
    import jax.numpy as jnp

    from slrsym.kernels._jax_means import gaussian_mean

    names = _namespace()
    means = {
        name: gaussian_mean(
            execute_source(pair.body, names, "arrays")["body"], orders, has_no_gaps(pair)
        )
        for name, pair, orders in program.means
    }
    scope = execute_source(program.setup + program.body, names | means, "arrays")
    width = len(program.state)

    def rows(state: Any, *parameters: Any) -> Any:
        fixed = scope["constants"](*parameters)
        values = scope["body"](*(state[..., i] for i in range(width)), *fixed)
        shape = jnp.broadcast_shapes(state.shape[:-1], *(p.shape for p in parameters))
        return jnp.stack([jnp.broadcast_to(value, shape) for value in values], axis=-1)

    return rows


def jit_rows(rows: Callable[..., Any], width: int) -> Callable[..., Any]:
    """Compile a function with JAX; calls raise `ValueError` for a state of the wrong width."""
    import jax
    import jax.numpy as jnp

    fast = jax.jit(rows)

    def evaluate(state: Any, *parameters: Any) -> Any:
        require_double()
        state, *rest = (jnp.asarray(x, dtype=jnp.float64) for x in (state, *parameters))
        if state.shape[-1:] != (width,):
            raise ValueError(f"state must have shape (..., {width}); got {state.shape}")
        return fast(state, *rest)

    return evaluate
