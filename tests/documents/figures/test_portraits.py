"""Portraits of any equations in a real browser: their numbers are those of compiled functions."""

import json
import re
import subprocess
from html import unescape

import numpy as np
import pytest
from sympy import Heaviside, Max, asin, erf, gamma, symbols, tanh

from slrsym.documents.figures.portraits import javascript_function
from slrsym.matrices import Size, covariance
from slrsym.models.matrices import LinearAttention, MatrixModel, Prompt
from slrsym.papers.single_location.models import attention
from tests._browser import CHROMIUM
from tests._profile import thorough_cases
from tests.documents.figures._models import Q, R, pair
from tests.models._programs import MODELS

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")

FOUND = """
const found = {rates: ASKED.map((row) => PORTRAIT.rates(...row)), end: null,
               feasible: ASKED.map((row) => PORTRAIT.isFeasible(row.slice(0, SIZE)))};
const way = PORTRAIT.orbit(ASKED[0].slice(0, SIZE));
found.end = way.at(-1)[1];
found.wide = document.documentElement.scrollWidth;
"""
PROBE = f"""<script>{FOUND}
const shown = document.createElement("pre");
shown.id = "found"; shown.textContent = JSON.stringify(found);
document.body.append(shown);
</script></body>"""

MADE = {
    "erf": lambda: (pair().equations("gradient-flow"), {"rate": 1}),
    "relu": lambda: (pair(lambda x: Max(x, 0)).equations("online-sgd"), {"rate": 0.3}),
    "tanh": lambda: (pair(tanh).equations("gradient-flow", rate=1), {}),
    "attention": lambda: (
        attention().model.equations("projected-descent", rate=0.03),
        {"d": 40, "lambda": 0.1, "L": 10, "gamma": 0.7, "epsilon": 0.1},
    ),
    "plateau": lambda: (MODELS["plateau"](), {"K": 3}),
    "matrices": lambda: (two_layers(), {"L_1": 1, "L_2": 2, "N": 10}),
}


def two_layers():
    """Return the flow of two step sizes of linear attention, in numbers."""
    d, a, b = Size("d"), *symbols("a b", real=True)
    prompt = Prompt(d, Size("N"), covariance("L", d, definite=True, family="F"))
    layers = MatrixModel(prompt, LinearAttention(layers=[a, b]))
    return layers.equations("gradient-flow", rate=1).reduced("F").at_size(2)


def seen(page, tmp_path, asked, size, script=""):
    """Return what the page finds, or the value of a script on it."""
    text = page.read_text(encoding="utf-8")
    probe = PROBE.replace(FOUND, f"const found = {script};\n") if script else PROBE
    probe = probe.replace("ASKED", json.dumps(asked)).replace("SIZE", str(size))
    (tmp_path / "probe.html").write_text(text.replace("</body>", probe), encoding="utf-8")
    words = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=500,900",
             "--virtual-time-budget=20000", "--dump-dom", str(tmp_path / "probe.html")]  # fmt: skip
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    (found,) = re.findall('<pre id="found">(.*?)</pre>', done.stdout)
    return json.loads(unescape(found))


@thorough_cases("tanh", "attention", "matrices")
@needs_browser
@pytest.mark.parametrize("name", MADE)
def test_the_page_computes_what_the_equations_say(name, tmp_path):
    equations, values = MADE[name]()
    page = equations.write_portrait(tmp_path / "a.html", values=values, points=())
    rng = np.random.default_rng(0)
    size = len(equations.state)
    row = [float(values[p.name]) for p in equations.parameters]
    states = [[0.4 + 0.4 * rng.random() if s.is_positive else 0.3 * rng.uniform(-1, 1)
               for s in equations.state] for _ in range(4)]  # fmt: skip
    found = seen(page, tmp_path, [[*s, *row] for s in states], size)
    known = equations.compile("numpy")(np.array(states), *row)
    risk = equations.compile("numpy", "risk")(np.array(states), *row)
    close = {"rtol": 2e-4, "atol": 1e-5} if name == "tanh" else {"rtol": 1e-9, "atol": 1e-11}
    assert np.allclose(np.array(found["rates"])[:, :size], known, **close)
    assert np.allclose(np.array(found["rates"])[:, size:], risk, **close)
    assert found["wide"] <= 500
    if name in ("erf", "tanh"):
        # Few nodes of a quadrature move the end by a little.
        assert np.allclose(found["end"], 1, atol=1e-3 if name == "erf" else 1e-2)


@needs_browser
def test_what_no_vectors_have_is_known(tmp_path):
    equations = pair().equations("gradient-flow", rate=1)
    page = equations.write_portrait(tmp_path / "a.html", R, Q, points=())
    at = {"Q": [0.5, 0.5, 0.04], "R": [0.3, 0.8, 0.19]}
    asked = [[at[s.name][i] for s in equations.state] for i in range(3)]
    assert seen(page, tmp_path, asked, 2)["feasible"] == [True, False, True]


def test_a_function_with_no_form_for_browsers_is_named():
    with pytest.raises(ValueError, match=r"without a form for browsers, gamma; draw"):
        javascript_function("f", [R], [gamma(R)])
    assert "erf(R)" in javascript_function("f", [R], [erf(R) + asin(R) + Heaviside(R)])


def test_bad_paths_are_named(tmp_path):
    equations = pair().equations("gradient-flow", rate=1)
    with pytest.raises(ValueError, match=r"path must be a file \.html; got a\.png"):
        equations.write_portrait("a.png")
    with pytest.raises(ValueError, match="path must be in a folder that exists"):
        equations.write_portrait(tmp_path / "no" / "a.html")
