"""The formulas of a model of matrices and of its equations of motion, as LaTeX and as HTML."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from sympy import Add, Float, ImmutableMatrix, Integer, MatAdd

from slrsym.documents.typeset import FormulaPrinter, to_latex, to_mathml
from slrsym.documents.typeset.boxes import Atom, Box, Fraction, ScriptBox, Space, row_of_boxes
from slrsym.documents.typeset.displays import aligned, equation_rows
from slrsym.documents.typeset.tables import formula_html, html_of_parts
from slrsym.matrices.letters import Letter

if TYPE_CHECKING:
    from slrsym.models.matrices.matrix_flow import MatrixFixedPoint, MatrixFlow
    from slrsym.models.matrices.matrix_minimum import MatrixMinimum
    from slrsym.models.matrices.matrix_risk import MatrixRisk
    from slrsym.models.matrices.reduced_flow import ReducedFlow

_RISK = Atom("mathcal{R}")
# A notebook shows a formula of more terms by their number.
_MOST_TERMS = 12
# And a matrix of more numbers by its shape.
_MOST_ENTRIES = 36


def matrix_model_latex(model: MatrixRisk) -> str:
    """Return the model's formulas as LaTeX displays for a document with amsmath."""
    printer = FormulaPrinter(laws={})
    trained, known = (
        ", ".join(f"${to_latex(printer.box(x))}$" for x in letters)
        for letters in (model.trained, model.parameters)
    )
    slopes = [
        (row_of_boxes([ScriptBox(Atom(sign), printer.box(x)), Space(), _RISK]), slope)
        for x, slope in model.gradient.items()
        for sign in ("nabla" if isinstance(x, Letter) else "partial",)
    ]
    sections = [
        (
            "The data, independent of each other:",
            aligned(f"& {to_latex(printer.matrix_law(*law))}" for law in model.data.laws),
        ),
        (
            "The error of the prediction:",
            _display([(Atom("e"), model.prediction - model.data.target)], printer),
        ),
        ("The risk, the mean of the squared error:", _display([(_RISK, model.risk)], printer)),
        ("Its gradient:", _display(slopes, printer)),
    ]
    return _text([(rf"{{\sloppy Trained: {trained}. Parameters: {known}.\par}}",), *sections])


def matrix_flow_latex(flow: MatrixFlow | ReducedFlow) -> str:
    """Return equations of motion as LaTeX displays for a document with amsmath."""
    printer = FormulaPrinter(laws={})
    moves: list[Box] = [Fraction(Atom("d"), row_of_boxes([Atom("d"), Atom("t")])), Space()]
    if flow.kind == "projected-descent":
        moves = [Atom("Delta")]
    rows = [(row_of_boxes([*moves, printer.box(x)]), rate) for x, rate in flow.drift.items()]
    return _text([("The equations of motion:", _display(rows, printer))])


def _display(rows: Iterable[tuple[Box, Any]], printer: FormulaPrinter) -> str:
    """Return a display of equations, whose lines are broken for a text of 6.5 in."""
    return aligned(line for left, right in rows for line in equation_rows(left, printer.box(right)))


def _text(sections: Iterable[Iterable[str]]) -> str:
    """Return headed displays, which pages may divide."""
    parts = [part for section in sections for part in section]
    return "\n".join([r"\begingroup\allowdisplaybreaks", *parts, r"\endgroup", ""])


def matrix_model_html(model: MatrixRisk) -> str:
    """Return the table of a model of matrices: what is trained, data, prediction, and risk."""
    printer = FormulaPrinter(laws={})
    laws = (to_mathml(printer.matrix_law(*law), display=False) for law in model.data.laws)
    parts = {
        "trained": ", ".join(map(formula_html, model.trained)),
        "parameters": ", ".join(map(formula_html, model.parameters)) or "none",
        "data": ", ".join(laws),
        "target": formula_html(model.data.target),
        "prediction": formula_html(model.prediction),
        "risk": _formula(model.risk),
    }
    return html_of_parts("Model of matrices", parts)


def matrix_flow_html(flow: MatrixFlow | ReducedFlow) -> str:
    """Return the table of equations of motion in matrices or in eigenvalues."""
    said = "change of" if flow.kind == "projected-descent" else "velocity of"
    parts = {f"{said} {x}": _formula(rate) for x, rate in flow.drift.items()}
    return html_of_parts(f"Equations of {flow.kind.replace('-', ' ')}", parts)


def matrix_fixed_point_html(point: MatrixFixedPoint) -> str:
    """Return the table of a point at which a matrix flow rests: what is trained, and the risk."""
    parts = {x.name: _numbers(value) for x, value in point.point.items()}
    shown = {"risk": f"{point.risk:.6g}", "residual": f"{point.residual:.1g}"}
    return html_of_parts("Fixed point", {**parts, **shown})


def _numbers(value: Any) -> str:
    """Return a number or a matrix as a formula; of a large matrix, its shape."""
    entries = np.atleast_2d(value)
    if entries.size > _MOST_ENTRIES:
        return f"a matrix of {' x '.join(map(str, np.shape(value)))} numbers"
    # What is below rounding beside the largest entry is zero.
    least = 1e-9 * max(1.0, np.abs(entries).max())
    rounded = ImmutableMatrix(*entries.shape, [
        Float(f"{x:.6g}") if abs(x) > least else Integer(0) for x in entries.flat
    ])  # fmt: skip
    return formula_html(rounded if np.ndim(value) else rounded[0])


def matrix_minimum_html(minimum: MatrixMinimum) -> str:
    """Return the table of the least risk, and of the matrix that has it."""
    at = " = ".join(map(_formula, (minimum.product, minimum.point)))
    parts = {"value": _formula(minimum.value), "at": at}
    if minimum.definition is not None:
        parts["where"] = formula_html(minimum.definition)
    return html_of_parts("Least risk", parts)


def _formula(expr: Any) -> str:
    """Return a formula as HTML; of a long one, how many terms it has."""
    terms = len(expr.args) if isinstance(expr, Add | MatAdd) else 1
    return formula_html(expr) if terms <= _MOST_TERMS else f"a sum of {terms} terms"
