"""Chains get what writes them, in notebooks and elsewhere; it is loaded when first asked for."""

from __future__ import annotations

from slrsym.search.chain import Chain
from slrsym.statements.printing import in_html, in_latex


@in_latex.register(Chain)
def _chain_latex(chain: Chain, step_numbers: bool = False) -> str:
    from slrsym.book.notebook import chain_latex

    return chain_latex(chain, step_numbers)


@in_html.register(Chain)
def _chain_html(chain: Chain) -> str:
    from slrsym.book.notebook import chain_html

    return chain_html(chain)
