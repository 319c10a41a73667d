"""What the tests of the outside share: small files of claims."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

pytest_plugins = ["pytester"]

HEADER = """\
from sympy import Eq, Symbol, erf, sin
from slrsym.proof import Claim, algebra, chain, lemma
x = Symbol("x", real=True)
"""


def claim_text(
    id: str, lhs: str = "(x + 1)**2", rhs: str = "x**2 + 2*x + 1", by: str = "algebra"
) -> str:
    """The text of a claim with a proof of one step."""
    name = id.replace("-", "_")
    return dedent(f'''
        {name} = Claim(id="{id}", statement=Eq({lhs}, {rhs}, evaluate=False), source="test")
        @{name}.proof
        def _(goal):
            """In one step."""
            return chain(goal.lhs).then(goal.rhs, by={by})
    ''')


@pytest.fixture
def derivation(tmp_path: Path):
    """Writes a file of claims below a fresh folder, and returns its path."""

    def write(name: str, *claims: str, header: str = HEADER) -> Path:
        file = tmp_path / "derivations" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(header + "".join(claims), encoding="utf-8")
        return file

    return write
