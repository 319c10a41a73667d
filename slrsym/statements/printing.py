"""How proofs and claims write themselves: what writes them is registered from above."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

__all__ = ["in_html", "in_latex"]


@singledispatch
def in_latex(thing: Any, *options: Any) -> str:
    """A thing in LaTeX; what writes it is registered with ``in_latex.register``."""
    raise TypeError(f"nothing is registered that writes a {type(thing).__name__} in LaTeX")


@singledispatch
def in_html(thing: Any, *options: Any) -> str:
    """A thing in HTML; what writes it is registered with ``in_html.register``."""
    raise TypeError(f"nothing is registered that writes a {type(thing).__name__} in HTML")
