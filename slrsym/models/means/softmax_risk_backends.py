"""The risk of softmax attention compiled with Numba, and as a JAX function."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from slrsym.kernels.jax_backend import jit_rows
from slrsym.kernels.numba_backend import (
    DECORATOR,
    digest_of_files,
    import_generated_module,
    is_function_compiled,
    require_numba_installed,
)
from slrsym.models.means import softmax_risk
from slrsym.models.means.softmax_risk import risk_and_derivatives, softmax_risk_and_derivatives


@cache
def numba_softmax_risk() -> Any:
    """Return `softmax_risk_and_derivatives`, the risk of softmax attention, compiled with Numba."""
    require_numba_installed()
    return import_generated_module(_softmax_source()).softmax_risk_and_derivatives


def is_softmax_risk_compiled() -> bool:
    """Return whether an earlier process has compiled the risk of softmax attention."""
    return is_function_compiled(_softmax_source(), "softmax_risk_and_derivatives")


def _softmax_source() -> str:
    # What is compiled with it, whose change Numba does not notice.
    helpers = tuple(Path(__file__).with_name(f"{n}.py") for n in ("_numba_softmax", "softmax_risk"))
    source = f"# {digest_of_files(helpers)}\nimport math\n\nimport numpy as np\n\n"
    source += (
        "from slrsym.models.means._numba_softmax import log_grid_ends, role_means\n\n"
        "Array = object\n"
    )
    for name in ("RIGHT", "STEP_1", "STEP_S", "DENSE", "ORDERS"):
        source += f"{name} = {getattr(softmax_risk, name)!r}\n"
    for function in (
        softmax_risk.log_grid_nodes,
        softmax_risk._assembled,
        softmax_risk.softmax_risk_and_derivatives,
    ):
        text = inspect.getsource(function)
        body = text[text.index(":\n", text.index(") ->")) + 2 :]
        untyped = f"def {function.__name__}({', '.join(inspect.signature(function).parameters)})"
        source += f"\n\n{DECORATOR}{untyped}:\n{body}"
    return source


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

    return jit_rows(rows, width)
