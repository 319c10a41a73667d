"""Whether the expectations in an expression exist, which every rule about them asks first."""

from __future__ import annotations

from sympy import Expr, expand

from slrsym.gaussian.law import NoiseLaw
from slrsym.search.context import Context
from slrsym.search.growth import require_moderate
from slrsym.search.rules.expectations.terms import expectations_in
from slrsym.statements.errors import Refused

__all__ = ["require_integrable"]


def require_integrable(expr: Expr, context: Context) -> None:
    """Refuse unless every integrand is of moderate growth, and at most quadratic in noise."""
    for node in expectations_in(expr):
        require_moderate(node.integrand, frozenset(node.law.symbols), context)
        for block in node.law.blocks():
            if isinstance(block, NoiseLaw) and node.integrand.has(*block.symbols):
                (noise,) = block.symbols
                degree = expand(node.integrand).as_poly(noise)
                # The law of noise has two moments, and nothing else is known of it.
                if degree is None or degree.degree() > 2:
                    raise Refused(f"{node.integrand} is not known to be integrable in {noise}")
