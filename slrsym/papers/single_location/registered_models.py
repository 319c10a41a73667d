"""Models of this paper by the names under which commands know them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slrsym.models.registered_models import RegisteredModel

if TYPE_CHECKING:
    from slrsym.models.stated_model import Model

# As in most of the paper's figures; the training is that of figure 7b.
_VALUES = {"d": 400, "L": 10, "gamma": 0.5**0.5, "epsilon": 0.0, "lambda": 0.1}
_TRAINING = {"steps": 20_000, "alpha": 4e-3, "runs": 30}


def _attention() -> Model:
    from slrsym.papers.single_location.models import attention

    return attention().model


def _two_heads() -> Model:
    from slrsym.papers.single_location.models import multi_head

    return multi_head(2, 2).model


MODELS = {
    "single-location": RegisteredModel(_attention, _VALUES, _TRAINING),
    "two-heads": RegisteredModel(_two_heads, _VALUES, _TRAINING),
}
