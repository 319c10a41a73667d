"""Interactive portraits of two order parameters: one page that runs the equations of motion."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sympy import Expr, Function, Symbol, cse, erf, jscode
from sympy.printing.codeprinter import PrintMethodNotImplementedError

from slrsym.documents.figures.direction_fields import plane_and_points, stability
from slrsym.documents.figures.planes import StatePlane
from slrsym.documents.figures.proved_basins import (
    ProvedBasin,
    proved_basin,
    require_same_motion,
)
from slrsym.documents.typeset import to_mathml
from slrsym.documents.typeset.letters import box_of_symbol_name
from slrsym.files import replace_atomically, require_writable
from slrsym.kernels.symbolic_functions import VARIABLES, DifferenceFromErf, GaussianMean
from slrsym.models.definition.description import ascii_name
from slrsym.models.training.fixed_points import gram_matrix_entries
from slrsym.models.training.parameter_values import parameter_values_by_name

if TYPE_CHECKING:
    from slrsym.models.training.fixed_points import FixedPoint
    from slrsym.models.training.motion_in_planes import MotionInPlanes
    from slrsym.prover.claims.claim import Claim

_FOLDER = files(__package__)
# Nodes of the quadratures of means of one and of two variables.
_NODES = {1: 64, 2: 40}
_FUNCTIONS = {
    "erf": "erf", "erfc": "erfc", "normal_cdf": "normalCdf", "normal_pdf": "normalPdf",
    "erf_prime": "erfPrime", "OwensT": "owensT", "owens_t": "owensT", "ErfVariance": "erfVariance",
    "zeta": "zeta", "Heaviside": "heaviside",
}  # fmt: skip


def portrait_tools() -> str:
    """Return JavaScript that every portrait needs: the error function, and making elements."""
    return (_FOLDER / "portrait_tools.js").read_text(encoding="utf-8")


def javascript_function(name: str, arguments: Sequence[Any], values: Sequence[Expr]) -> str:
    """Return a JavaScript function that evaluates expressions, with shared subexpressions.

    Raises
    ------
    ValueError
        If a function of the expressions has no form in JavaScript.
    """
    shared, values = cse(values)
    # `lambda` is a word of Python alone; JavaScript has no objection.
    means = {
        f.func.__name__: f.func.__name__
        for e in (*values, *(v for _, v in shared))
        for f in e.atoms(Function)
        if f.func.__name__.startswith("gaussianMean")
    }
    write = partial(_javascript, functions={**_FUNCTIONS, **means})
    lines = [f"  const {x} = {write(value)};" for x, value in shared]
    inside = "\n".join([*lines, f"  return [{', '.join(map(write, values))}];"])
    return f"function {name}({', '.join(x.name for x in arguments)}) {{\n{inside}\n}}\n"


def _javascript(expr: Expr, functions: Mapping[str, str]) -> str:
    try:
        text: str = jscode(expr, user_functions=dict(functions), strict=True)
    except PrintMethodNotImplementedError as problem:
        name = str(problem).partition("\n")[0].rpartition(": ")[2]
        raise ValueError(
            f"the equations have a function without a form for browsers, {name}; draw them with "
            "plot_field"
        ) from None
    return text


def write_portrait(
    equations: MotionInPlanes,
    path: str | Path,
    x: Any = None,
    y: Any = None,
    values: Mapping[Any, Any] | None = None,
    *,
    at: Mapping[Any, float] | None = None,
    points: Sequence[FixedPoint] | None = None,
    window: Any = None,
    basin: Claim | Sequence[Claim] | None = None,
) -> Path:
    """Write the page of a portrait; return its path."""
    if Path(path).suffix != ".html":
        raise ValueError(f"path must be a file .html; got {path}")
    require_writable(path, "path")
    shaded = None if basin is None else proved_basin(basin, equations)
    own, values = _values_of_claim(shaded, equations, values)
    plane, points = plane_and_points(equations, x, y, values, at, points, window)
    _, row = equations.numerical_values(plane.held, values)
    known = dict(zip(equations.parameters, row, strict=True))
    if shaded is not None:
        require_same_motion(
            shaded, equations, plane, {p.name: value for p, value in (known | own).items()}
        )
    script = _script(equations, plane, points, known, shaded, own)
    names = [ascii_name(plane.state[i].name) for i in (plane.x, plane.y)]
    kind = equations.kind.replace("-", " ").capitalize().replace("sgd", "SGD")
    title = f"{kind} of {names[0]} and {names[1]}"
    page = (_FOLDER / "portrait_of_model.html").read_text(encoding="utf-8")
    page = page.replace("{{title}}", escape(title)).replace("{{script}}", script)
    with replace_atomically(path) as draft:
        draft.write_text(page, encoding="utf-8")
    return Path(path)


def _values_of_claim(
    basin: ProvedBasin | None, equations: MotionInPlanes, values: Mapping[Any, Any] | None
) -> tuple[dict[Symbol, float], Mapping[Any, Any] | None]:
    """Return the numbers of a claim's own parameters, and what is left for the equations."""
    if basin is None:
        return {}, values
    left = parameter_values_by_name(equations.model, values or {})
    own = {}
    for p in basin.parameters:
        if p.name not in left:
            raise ValueError(
                f"values must have a number for {p.name}, a parameter of the claim {basin.claim.id}"
            )
        own[p] = float(left.pop(p.name))
    return own, left


def _script(
    equations: MotionInPlanes,
    plane: StatePlane,
    points: Sequence[FixedPoint],
    known: dict[Symbol, float],
    basin: ProvedBasin | None,
    own: dict[Symbol, float],
) -> str:
    """Return the JavaScript of a portrait with the functions and numbers that it needs."""
    inputs = (*equations.state, *equations.parameters)
    shown = (*inputs, *own)
    renamed = {s: Symbol(f"s{i}", real=True) for i, s in enumerate(equations.state)}
    renamed |= {s: Symbol(f"p{i}", real=True) for i, s in enumerate(known | own)}
    rates = [a + b for a, b in zip(equations.drift, equations.noise, strict=True)]
    outputs = [_plain(e) for e in (*rates, equations.risk)]
    outputs, means = _with_named_means(outputs)
    arguments = [renamed[s] for s in inputs]
    functions = javascript_function("rates", arguments, [e.xreplace(renamed) for e in outputs])
    # The numbers of exchangeable units stay as they are.
    held = {s for s in equations.parameters if s.is_integer and equations.is_symmetric}
    usable = _usable_entries(equations, known, {*inputs})
    gram = [
        javascript_function(
            f"gram{a}", arguments, [e.xreplace(renamed | {s: int(known[s]) for s in held})
                                    for line in matrix for e in line],
        )
        for a, matrix in enumerate(usable)
        if matrix
    ]  # fmt: skip
    mathml = [to_mathml(box_of_symbol_name(s.name), display=False) for s in shown]
    told = {
        "names": [ascii_name(s.name) for s in shown], "math": mathml,
        "dimension": len(equations.state), "x": plane.x, "y": plane.y, "window": plane.window,
        "start": plane.held.tolist(), "isMap": equations.kind == "projected-descent",
        "sliders": [_slider(s, v, s in held) for s, v in (known | own).items()],
        "basin": None if basin is None else _told_of_basin(basin, equations),
        "points": [
            {"kind": stability(p.linearisation, equations.kind == "projected-descent"),
             "states": [list(s.values()) for s in (p.samples or (p.state,))
                        if plane.contains(list(s.values()))]}
            for p in points
        ],
    }  # fmt: skip
    sizes = [len(matrix) for matrix in usable if matrix]
    listed = ", ".join(f"[{n}, gram{a}]" for a, n in enumerate(sizes))
    quadrature = "".join(
        f"const NODES{n} = {json.dumps(_nodes(n))};\n"
        for n in sorted({len(of.orders) for of in means.values()})
    )
    return "\n".join([
        '"use strict";', portrait_tools(), quadrature,
        *(_mean(name, of) for name, of in means.items()), functions, *gram,
        "" if basin is None else _functions_of_basin(basin, {s: renamed[s] for s in shown}),
        f"const GRAMS = [{listed}];",
        # A text that ends the script would end the page.
        "const GIVEN = " + json.dumps(told).replace("</", "<\\/") + ";",
        (_FOLDER / "portrait_of_model.js").read_text(encoding="utf-8"),
    ])  # fmt: skip


def _told_of_basin(basin: ProvedBasin, equations: MotionInPlanes) -> dict[str, Any]:
    """Return the legend of a basin, and the places of the state that its flow has at rest."""
    moving = {x.name for x in basin.coordinates}
    resting = [i for i, s in enumerate(equations.state) if s.name not in moving]
    return {"legend": basin.legend(), "hypotheses": basin.hypotheses(), "resting": resting}


def _functions_of_basin(basin: ProvedBasin, renamed: Mapping[Symbol, Symbol]) -> str:
    """Return JavaScript for the relations of a basin: their sides' differences, and their signs."""
    # By name, as a claim may declare of a symbol what the equations do not.
    letters = {s.name: letter for s, letter in renamed.items()}
    made = []
    for name, relations in (("supposed", basin.suppositions), ("starts", basin.region)):
        sides = [
            (r.lhs - r.rhs).xreplace({s: letters[s.name] for s in r.free_symbols})
            for r in relations
        ]
        signs = json.dumps([r.rel_op for r in relations])
        made += [
            javascript_function(f"{name}Values", list(renamed.values()), sides),
            f"const {name}Signs = {signs};\n",
        ]
    return "".join(made)


def _plain(expr: Expr) -> Expr:
    """Return an expression without functions for the digits of other backends."""
    return expr.replace(DifferenceFromErf, lambda x, y: x - erf(y))


def _with_named_means(outputs: list[Expr]) -> tuple[list[Expr], dict[str, Any]]:
    """Replace means by quadrature by functions of their names; return these with their kinds."""
    kinds: dict[Any, str] = {}
    nodes = {node for e in outputs for node in e.atoms(GaussianMean)}
    for node in sorted(nodes, key=str):
        kinds.setdefault(node.func, f"gaussianMean{len(kinds)}")
    made = [
        e.replace(lambda x: isinstance(x, GaussianMean), lambda x: Function(kinds[x.func])(*x.args))
        for e in outputs
    ]
    return made, {name: of for of, name in kinds.items()}


def _nodes(dimension: int) -> list[list[float]]:
    """Return the nodes and weights of a Gauss-Hermite quadrature for a standard normal variable."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES[dimension])
    return [nodes.tolist(), (weights / weights.sum()).tolist()]


def _mean(name: str, kind: Any) -> str:
    """Return a JavaScript function for means of one kind, by quadrature."""
    count = len(kind.orders)
    variables = VARIABLES[:count]
    inside = javascript_function(
        f"{name}Inside", (*variables, *kind.parameters), [kind.integrand()]
    )
    entries = ["m, v", "m1, m2, v1, c, v2"][count - 1]
    given = "".join(f", {p.name}" for p in kind.parameters)
    zs = ", ".join(z.name for z in variables)
    return inside + (
        f"function {name}({entries}{given}) {{\n"
        f"  return meanOf{count}(({zs}) => {name}Inside({zs}{given})[0], {entries});\n}}\n"
    )


def _usable_entries(
    equations: MotionInPlanes, known: Mapping[Symbol, float], inputs: set[Symbol]
) -> list[list[list[Expr]]]:
    """Return the entries of the Gram matrices whose symbols are known, of up to 12 directions."""
    found = []
    for space in range(equations.model.spaces):
        matrix = gram_matrix_entries(equations, known, space)
        usable = [
            i
            for i, line in enumerate(matrix)
            if {s for e in line for s in e.free_symbols} <= inputs
        ]
        found.append([[matrix[i][j] for j in usable] for i in usable])
    return found


def _slider(symbol: Symbol, value: float, is_held: bool) -> dict[str, Any]:
    """Return the ends of a parameter's slider, and whether it goes by factors or by steps."""
    ends: dict[str, Any] = {"value": value, "logarithmic": False, "step": 0}
    if is_held:
        return ends | {"least": value, "most": value}
    if symbol.is_integer:
        return ends | {"least": 1, "most": max(20, 4 * round(value)), "step": 1}
    if symbol.is_positive or (value > 0 and symbol.is_nonnegative):
        return ends | {"least": value / 30, "most": value * 30, "logarithmic": True}
    if symbol.is_nonnegative:
        return ends | {"least": 0.0, "most": 2.0}
    bound = 1.0 if abs(value) <= 1 else 2 * abs(value)
    return ends | {"least": -bound, "most": bound}
