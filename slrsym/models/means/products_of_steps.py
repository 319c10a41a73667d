"""Products with steps, signs and ramps in the fewest factors, so that equal products are one."""

from __future__ import annotations

from functools import cache

from sympy import Expr, Heaviside, Max, Mul, Pow, S, sign

from slrsym.models.means.mean_patterns import ProductFactors


def with_fewest_steps(product: ProductFactors) -> ProductFactors:
    """Return a product that is equal almost everywhere, without powers of steps and signs.

    Parameters
    ----------
    product : ProductFactors

    Returns
    -------
    ProductFactors
        Without the variables that it does not depend on.
    """
    factors = ((variable, _reduced(function)) for variable, function in product.factors)
    kept = tuple((variable, function) for variable, function in factors if function != 1)
    return ProductFactors(kept, _reduced(product.rest))


@cache
def _reduced(function: Expr) -> Expr:
    powers = function.as_powers_dict()
    ramps = {node for node, n in powers.items() if isinstance(node, Max) and n.is_positive}
    found = []
    for node, n in powers.items():
        whole = n.is_Integer and n > 0
        if isinstance(node, Heaviside) and whole:
            # A ramp is 0 where its step is.
            step = S.One if Max(0, node.args[0]) in ramps else Heaviside(node.args[0])
            found.append(step)
        elif isinstance(node, sign) and whole:
            found.append(S.One if n % 2 == 0 else node)
        else:
            found.append(Pow(node, n))
    return Mul(*found)
