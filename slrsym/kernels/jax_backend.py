"""JAX backend: programs as float64 functions that JAX can differentiate and vectorise."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from functools import cache, reduce
from typing import Any

import numpy as np

from slrsym.kernels.numba_backend import numba_softmax_risk
from slrsym.kernels.program import Program, execute_source
from slrsym.kernels.softmax_risk import risk_and_derivatives, softmax_risk_and_derivatives


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
        "erf": erf, "erfc": erfc, "abs": jnp.abs, "sin": jnp.sin, "cos": jnp.cos,
        "tanh": jnp.tanh, "log": jnp.log, "sign": jnp.sign, "pi": math.pi, "nan": math.nan,
        "maximum": lambda *x: reduce(jnp.maximum, x), "minimum": lambda *x: reduce(jnp.minimum, x),
        "decay_coefficients": _jax_special.decay_coefficients,
        "damped_factor": _jax_special.damped_factor,
        "cosine_of_slope": _jax_special.cosine_of_slope,
        "sine_of_slope": _jax_special.sine_of_slope,
        "with_slopes_of_zeta": _jax_special.with_slopes_of_zeta,
        "scaled_argument": _jax_special.scaled_argument,
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
    return _checked(_rows_of(program), len(program.state))


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

    return _checked(*differentiable(outputs))


def _rows_of(program: Program) -> Callable[..., Any]:
    """Return the function of states of shape (..., n) and parameters that runs a program."""
    import jax.numpy as jnp

    from slrsym.kernels._jax_special import gaussian_mean

    names = _namespace()
    means = {
        name: gaussian_mean(execute_source(pair.body, names, "arrays")["body"], orders)
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


def _checked(rows: Callable[..., Any], width: int) -> Callable[..., Any]:
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


# -- softmax ---------------------------------------------------------------------------------------


def make_jax_softmax_risk(
    addend_and_counts_of: Callable[..., Any],
    temperature_and_law_of: Callable[..., Any],
    rest: Callable[..., Any],
    what: tuple[str, ...],
    width: int,
) -> Callable[..., Any]:
    """Return a JAX function for the risk of softmax and its gradient, computed outside JAX.

    Functions of a state and parameters give what is added to the sum of exponentials and the counts
    of the roles; the inverse temperature and the law, as of `risk_and_derivatives`; the square of
    the noise and the derivatives of the law in the state, row by row. `what` is of 'risk',
    'excess_risk' and 'gradient'; the state has `width` numbers.
    """
    import jax
    import jax.numpy as jnp
    from jax.custom_derivatives import SymbolicZero

    fast = importlib.util.find_spec("numba") is not None
    risk_of = numba_softmax_risk() if fast else softmax_risk_and_derivatives

    def on_host(counts: Any, law: Any) -> Any:
        counts, law = np.asarray(counts), np.asarray(law)
        found = np.empty((*law.shape[:-1], law.shape[-1] + 1))
        for at in np.ndindex(law.shape[:-1]):
            extra, *numbers = counts[at]
            mu, *entries = law[at]
            found[at] = risk_and_derivatives(
                risk_of, mu, extra, np.array(numbers), np.array(entries)
            )
        return found

    def call(counts: Any, law: Any) -> Any:
        shape = jax.ShapeDtypeStruct((*law.shape[:-1], law.shape[-1] + 1), jnp.float64)
        return jax.pure_callback(on_host, shape, counts, law, vmap_method="broadcast_all")

    def refused(*_: Any) -> Any:
        raise NotImplementedError(
            "the risk of softmax is computed by NumPy or Numba, which return first derivatives, in "
            "the state and the inverse temperature, and no others; to differentiate it by JAX, "
            "compile the risk alone: m.compile('jax', 'risk')"
        )

    values = jax.custom_jvp(call)
    values.defjvp(refused)

    risk = jax.custom_jvp(lambda *inputs: values(*inputs)[..., 0])

    def slopes(inputs: Any, tangents: Any) -> Any:
        by_counts, by_law = tangents
        if not isinstance(by_counts, SymbolicZero):
            refused()
        found = values(*inputs)
        return found[..., 0], jnp.sum(found[..., 1:] * by_law, axis=-1)

    risk.defjvp(slopes, symbolic_zeros=True)

    def rows(state: Any, *parameters: Any) -> Any:
        at = addend_and_counts_of(state, *parameters), temperature_and_law_of(state, *parameters)
        numbers = rest(state, *parameters)
        found = []
        for name in what:
            if name == "gradient":
                rates = numbers[..., 1:].reshape(*numbers.shape[:-1], -1, width)
                found.append(jnp.einsum("...i,...ij->...j", values(*at)[..., 2:], rates))
            else:
                added = numbers[..., 0] if name == "risk" else 0.0
                found.append((risk(*at) + added)[..., None])
        return jnp.concatenate(found, axis=-1)

    return _checked(rows, width)
