"""Direction fields of any equations: fixed points by their stability, no arrows without vectors."""

import matplotlib as mpl
import numpy as np
import pytest

from slrsym.documents.figures.direction_fields import stability
from slrsym.models import Linearisation
from tests.documents.figures._models import Q, R, pair, u, w
from tests.models._programs import MODELS

mpl.use("agg")


def test_a_fixed_point_and_streams_where_vectors_are():
    equations = pair().equations("gradient-flow", rate=1)
    ax = equations.plot_field(w @ u, w @ w, resolution=15)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$R$", "$Q$")
    markers = [line.get_data() for line in ax.lines]
    assert any(np.allclose(np.ravel(p), (1, 1)) for p in markers)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["attracting"]
    streams = [c for c in ax.collections if hasattr(c, "get_segments")]
    points = np.concatenate([s for c in streams for s in c.get_segments()])
    # R^2 <= Q of vectors, but for a cell of the grid.
    assert (points[:, 0] ** 2 <= points[:, 1] + 0.35).all()


def test_units_that_are_alike():
    equations = MODELS["plateau"]()
    ax = equations.plot_field("R", "S", {"K": 3}, at={"Q": 0.3, "C": 0.1}, points=(), resolution=9)
    assert "0.3" in ax.get_title(loc="left")
    assert ax.get_legend() is None


@pytest.mark.parametrize(
    ("eigenvalues", "is_map", "kind"),
    [
        ([-1, -2], False, "attracting"),
        ([1, 2], False, "repelling"),
        ([1, -2], False, "saddle"),
        ([0, -2], False, "not hyperbolic"),
        ([-0.5, -1.5], True, "attracting"),
        ([-0.5, -2.5], True, "saddle"),
    ],
)
def test_kinds_of_fixed_points(eigenvalues, is_map, kind):
    found = Linearisation.from_jacobian((Q, R), np.diag(np.array(eigenvalues, dtype=float)))
    assert stability(found, is_map) == kind


def test_bad_input_is_named():
    equations = pair().equations("gradient-flow")
    with pytest.raises(ValueError, match="values must have a number for rate"):
        equations.plot_field(points=())
    with pytest.raises(ValueError, match="y must be an order parameter"):
        equations.plot_field(R, "S", {"rate": 1}, points=())
