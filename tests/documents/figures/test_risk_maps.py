"""Maps of the risk of any model: levels are the risk, markers the critical points in the plane."""

import matplotlib as mpl
import numpy as np
import pytest

from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from tests.documents.figures._models import Q, R, overlaps, pair, u, w

mpl.use("agg")


def test_the_points_of_a_plane_are_marked_where_they_are():
    stated = pair()
    ax = stated.plot_landscape({"d": 20}, w @ u, w @ w, resolution=15)
    assert ax.get_xlabel() == "$R$"
    assert ax.get_ylabel() == "$Q$"
    found = {
        (round(float(x[0]), 6), round(float(y[0]), 6)) for x, y in (p.get_data() for p in ax.lines)
    }
    assert (1.0, 1.0) in found
    assert "critical points found lie here" in ax.get_title(loc="left")
    # Levels cover the risk where vectors are, and no more.
    risk = stated.compile("numpy", "risk")(np.array([[1.0, 0.0]]))
    levels = ax.collections[0].levels
    assert levels[0] <= risk.min()
    assert levels[-1] <= 2.2


def test_by_default_the_plane_with_most_critical_points():
    stated = overlaps()
    points = stated.landscape({"d": 10}, rng=0)
    ax = stated.plot_landscape({"d": 10}, points=points, resolution=11)
    assert ax.get_xlabel() != ax.get_ylabel()
    held = overlaps().plot_landscape(
        {"d": 10}, "\\langle a, u\\rangle", "\\langle b, u\\rangle", points=points, resolution=11,
        at={"\\langle a, b\\rangle": 0.5},
    )  # fmt: skip
    assert "= 0.5" in held.get_title(loc="left")


def test_it_is_drawn_where_asked():
    axes = mpl.figure.Figure().subplots(1, 2)
    assert pair().plot_landscape({}, points=(), resolution=5, ax=axes[1]) is axes[1]
    assert not axes[0].collections


def _one():
    a = Direction("a", sphere=True)
    data = TokenSequence({Token(target=lambda X: X @ u): 1})
    return model(data, Predictor(lambda X: X @ a))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pair().plot_landscape({}, "S"), "x must be an order parameter of this model"),
        (lambda: pair().plot_landscape({}, R, R), "x and y must differ; both are R"),
        (
            lambda: pair().plot_landscape({}, at={"S": 1}),
            "at has S, which is not part of the state",
        ),
        (lambda: pair().plot_landscape({}, window=(0, 1)), "window must have the ends of both"),
        (lambda: pair().plot_landscape({}, resolution=1), "resolution must be"),
        (lambda: pair().plot_landscape({"x": 1}), "values has x, no parameter"),
        (lambda: _one().plot_landscape({}), "a plane needs two order parameters; this state has 1"),
        (
            lambda: pair().plot_landscape({}, R, Q, window=((2, 3), (0.1, 0.2)), points=()),
            "no point of this plane is one of vectors",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()
