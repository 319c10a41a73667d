"""The second checker, written from the specification alone, judges as the first one does."""

from __future__ import annotations

import pytest

from slrsym.checker import recheck
from slrsym.evidence.shipped import SHIPPED
from tests._profile import one_in, thorough_only

from . import reference
from .test_forged_logs import FORGERIES, good, text_of


@thorough_only
def test_both_checkers_accept_the_shipped_log():
    """Every inference, the statement of every step with its hypotheses, and all axioms."""
    first = [(claim.id, len(claim.steps), set(claim.axioms)) for claim in recheck(SHIPPED)]
    second = reference.recheck(SHIPPED)
    assert sum(steps for _, steps, _ in second) == 1333
    assert [(id, steps, set(axioms)) for id, steps, axioms in second] == first


def test_both_accept_a_good_log(tmp_path):
    path = tmp_path / "good.log"
    path.write_text(text_of(good()))
    assert [id for id, _, _ in reference.recheck(path)] == [r["claim"] for r in good()]


@pytest.mark.parametrize("name", one_in(10, list(FORGERIES)))
def test_the_second_one_refuses_forged_logs(name, tmp_path):
    path = tmp_path / "forged.log"
    path.write_text(FORGERIES[name](), encoding="utf-8")
    with pytest.raises((reference.Refused, UnicodeDecodeError)):
        reference.recheck(path)
