"""Models of this paper by the names under which commands know them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slrsym.models.registered_models import RegisteredModel

if TYPE_CHECKING:
    from slrsym.models.stated_model import Model


def _committee() -> Model:
    from slrsym.papers.committee.models import committee

    return committee().model


MODELS = {"committee": RegisteredModel(_committee, {"epsilon": 0.0})}
