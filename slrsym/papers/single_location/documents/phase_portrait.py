"""The interactive phase portrait of Theorem 5 for a browser: its data and script."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from sympy import Rational, diff

from slrsym.documents.export.paper_notation import InteractiveScript
from slrsym.documents.export.site import TEMPLATES, jinja_environment
from slrsym.documents.figures.portraits import javascript_function, portrait_tools
from slrsym.papers.single_location import planar
from slrsym.papers.single_location.notation import alpha, d, eta, gamma, kappa, lam, nu, rho, theta
from slrsym.papers.single_location.symbolic import gradient
from slrsym.proof import builtin_ledger

# The task of figure 4a, at one of the inverse temperatures that it comes through.
SETTING = {"lambda": 0.1, "alpha": 0.03, "d": 400, "gamma": 0.5**0.5}
_FOLDER = files(__package__)


@cache
def portrait_formulas_script() -> str:
    """Return JavaScript for the planar map, the saddle's Hessian and the step-size bounds.

    The slopes are those of the risk that is derived from its definition, on the manifold; how a
    step moves the overlaps is Lemma 7.
    """
    on_manifold = {theta: 0, eta: 0, rho: 0}
    slopes = [entry.subs(on_manifold) for entry in gradient()[:2]]
    origin = {kappa: 0, nu: 0}
    curvatures = [
        diff(slopes[0], kappa).subs(origin),
        diff(slopes[0], nu).subs(origin),
    ]
    moved = [
        planar.coordinate_after_step(x, slope) for x, slope in zip((kappa, nu), slopes, strict=True)
    ]
    setting = (lam, alpha, d, gamma)
    return "\n".join([
        javascript_function("step", (kappa, nu, *setting), moved),
        javascript_function("curvatures", setting, curvatures),
        javascript_function("bounds", setting, [1 / planar.K, 1 / planar.C]),
    ])  # fmt: skip


@cache
def theorem_5_certified_parameters() -> dict[str, float]:
    """Return the parameters and largest step size for which Theorem 5 is certified."""
    certificate: Any = builtin_ledger().find("theorem-5-certified").certificate()
    ranges = certificate.ranges
    found = {"lambda": ranges[lam], "d": ranges[d], "alpha": ranges[alpha][1]}
    return {"gamma": SETTING["gamma"]} | {name: float(Rational(x)) for name, x in found.items()}


def sweep_starts_and_verdicts(data: Any) -> dict[str, Any]:
    """Return the overlaps at the start of each run of a saved sweep, and its outcome."""
    missing = {"start", "verdict"} - set(data.variables)
    if missing:
        raise ValueError(
            "a sweep has the variables start and verdict, as slrsym paper single-location recovery "
            f"saves them for one setting; missing: {', '.join(sorted(missing))}"
        )
    return {
        "overlaps": [str(name) for name in data["overlap"].values],
        "names": [str(name) for name in data["verdict_names"].values],
        "starts": [[float(f"{x:.6g}") for x in row] for row in data["start"].values],
        "verdicts": [int(v) for v in data["verdict"].values],
    }


def portrait_script(setting: dict[str, float], sweep: dict[str, Any] | None = None) -> str:
    """Return the JavaScript, with its data, that draws the phase portrait in a web page."""
    told = json.dumps(
        {"setting": setting, "sweep": sweep, "certified": theorem_5_certified_parameters()},
        separators=(",", ":"),
    )
    text = (_FOLDER / "portrait.js").read_text(encoding="utf-8")
    formulas = portrait_formulas_script() + "\n" + portrait_tools()
    return f'"use strict";\n(() => {{\n{formulas}\nconst GIVEN = {told};\n{text}}})();\n'


def portrait_page_html(setting: dict[str, float], sweep: dict[str, Any] | None = None) -> str:
    """Return the page of the phase portrait as a single HTML file."""
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    page = (_FOLDER / "portrait.html").read_text(encoding="utf-8")
    shown = {"style": style, "script": portrait_script(setting, sweep), "sweep": sweep}
    return jinja_environment().from_string(page).render(**shown)


PORTRAIT = InteractiveScript(
    frozenset({"theorem-5", "proposition-9", "proposition-10", "proposition-13"}),
    "portrait.js",
    lambda: portrait_script(SETTING),
)
