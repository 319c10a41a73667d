"""Which random variables an expectation speaks of, and when it has to say so."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr, Symbol

from slrsym.gaussian.law import GaussianLaw, Law, ProductLaw
from slrsym.gaussian.unevaluated import Expectation

__all__ = ["declared_laws", "is_part_of", "reduced"]


def reduced(law: Law, symbols: set[Symbol]) -> Law | None:
    """The law of some variables only."""
    parts: list[Law] = []
    for block in law.blocks():
        kept = [s for s in block.symbols if s in symbols]
        if kept:
            parts.append(
                block.marginal(*kept)
                if isinstance(block, GaussianLaw) and len(kept) < len(block.symbols)
                else block
            )
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else ProductLaw(*parts)


def _blocks(law: Law) -> set[Law]:
    """The independent parts, an uncorrelated Gaussian vector taken apart."""
    found: set[Law] = set()
    for block in law.blocks():
        if isinstance(block, GaussianLaw) and block.cov.is_diagonal():
            found |= {block.marginal(s) for s in block.symbols}
        else:
            found.add(block)
    return found


def is_part_of(law: Law, declared: Mapping[Symbol, Law]) -> bool:
    """Whether a law is what has been declared of its variables."""
    if any(s not in declared for s in law.symbols):
        return False
    blocks = list(dict.fromkeys(declared[s] for s in law.symbols))
    together: set[Law] = set()
    for block in blocks:
        part = reduced(block, set(law.symbols))
        if part is not None:
            together |= _blocks(part)
    return together == _blocks(law)


def declared_laws(expressions: list[Expr]) -> dict[Symbol, Law]:
    """The laws to declare once, so that most expectations need not name theirs."""
    declared: dict[Symbol, Law] = {}
    for expression in expressions:
        laws: list[Law] = []
        for node in _binders(expression):
            laws += node.law.blocks()
        for law in sorted(laws, key=lambda b: -len(b.symbols)):
            if not any(s in declared for s in law.symbols):
                declared |= dict.fromkeys(law.symbols, law)
    return declared


def _binders(expression: Expr) -> list[Expectation]:
    from slrsym.gaussian.law import IIDSum

    found = expression.atoms(Expectation) | expression.atoms(IIDSum)
    return sorted(found, key=lambda node: (-len(str(node)), str(node)))
