"""The domain of a flow: short conditions in the sentence, wide ones in lines of their own."""

from __future__ import annotations

from sympy import exp, sqrt, symbols

from slrsym.documents.export.document import Display, Paragraph
from slrsym.documents.export.notebook import _writer
from slrsym.documents.export.proofs import orbit_blocks
from slrsym.proof.dynamical import RegionKept, flow

x, y = symbols("x y", real=True)
SHORT = 1 - x
WIDE = sum(sqrt(n + x**2) / (n + exp(n * y)) for n in range(2, 9)) - 1


def shown(*positive):
    F = flow({x: -x, y: -y}, positive)
    return orbit_blocks(RegionKept(F, F.region(x)), _writer([]))


def test_wide_conditions_stand_by_themselves():
    narrow = shown(SHORT)
    assert sum(isinstance(block, Display) for block in narrow) == 2 + 1
    wide = shown(SHORT, WIDE)
    assert sum(isinstance(block, Display) for block in wide) == 2 + 1 + 1
    assert sum(isinstance(block, Paragraph) for block in wide) == 3
