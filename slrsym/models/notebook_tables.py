"""HTML of models, equations and their results, as notebooks display them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from sympy import Symbol

from slrsym.documents.typeset.tables import formula_html, html_of_parts, html_of_rows
from slrsym.models.definition.description import in_projections, readout_in_words
from slrsym.models.definition.losses import loss_in_words
from slrsym.models.definition.specification import Direction
from slrsym.models.model_formulas import ModelFormulaPrinter

if TYPE_CHECKING:
    from slrsym.models.landscape.critical_point_table import CriticalPoints
    from slrsym.models.stated_model import Model
    from slrsym.models.training.equation_system import EquationSystem
    from slrsym.models.training.fixed_points import FixedPoint, Linearisation


def _formula(expr: Any) -> str:
    return formula_html(expr, ModelFormulaPrinter({}))


def _listed(symbols: Any) -> str:
    return ", ".join(_formula(s) for s in symbols) or "none"


def _direction(x: Direction) -> str:
    return _formula(Symbol(x.name))


def model_html(model: Model) -> str:
    """Return the table of a model: what is trained, data, target, predictor, and symbols."""
    spheres = [_direction(x) for x in model.trained_directions if x.on_sphere]
    free = [_direction(x) for x in model.trained_directions if not x.on_sphere]
    trained = [f"{', '.join(spheres)} on unit spheres"] * bool(spheres)
    trained += [f"{', '.join(free)} without constraint"] * bool(free)
    cases = []
    for counts, probability in model.data.mixture:
        listed = "; ".join(f"{_formula(n)} {_token(token)}" for token, n in counts.items())
        chance = "" if probability == 1 else f"with probability {_formula(probability)}: "
        cases.append(chance + listed)
    targets = [_projections(t.target) for t in model.data.tokens if t.target is not None]
    biased = model.predictor.bias is not None
    share = model.predictor.share
    predictor = _projections((lambda X: share(X, Symbol("b"))) if biased else share)
    parts = {
        "trained": ", ".join(trained) or "nothing",
        "fixed": ", ".join(map(_direction, model.fixed_directions)) or "none",
        "tokens": "<br/>".join(cases),
        "target": f"{' + '.join(targets) or '0'}, noise {_formula(model.data.noise)}",
        "predictor": f"{escape(readout_in_words(model))}sum over tokens of {predictor}",
    }
    if model.loss is not None:
        parts["loss"] = loss_in_words(model.loss)
    # Their derivation may take a while, and a display must not.
    if "_symbols" in vars(model):
        parts["order parameters"] = _listed(model.order_parameters)
        parts["parameters"] = _listed(model.parameters)
    return html_of_parts("Model", parts)


def _token(token: Any) -> str:
    mean = " + ".join(f"{_formula(c)} {_direction(x)}" for x, c in token.mean.terms.items()) or "0"
    cov = ", ".join(map(_formula, token.eigenvalues))
    cov = f"({cov})" if len(token.eigenvalues) > 1 else cov
    spikes = "".join(
        f" + {_formula(c)} {_direction(x)}{_direction(x)}<sup>&#8868;</sup>"
        for x, c in token.spikes.items()
    )
    return f"{escape(token.name)} ~ N({mean}, {cov}{spikes})"


def _projections(share: Any) -> str:
    """Return a function of a token as a formula in its projections."""
    return _formula(in_projections(share, r"\langle X, {}\rangle"))


def equations_html(equations: EquationSystem) -> str:
    """Return the table of equations of motion: their kind, what moves, and the symbols."""
    decays = dict.fromkeys(k for k in equations.motion.decays.values() if k != 0)
    parts = {
        "trained": ", ".join(
            _direction(x) if isinstance(x, Direction) else _formula(x)
            for x in (*equations.model.trained_directions, *equations.motion.scalars)
        ),
        "state": _listed(equations.state) + " (exchangeable units alike)" * equations.is_symmetric,
        "parameters": _listed(equations.parameters),
        "rate": _listed(dict.fromkeys(equations.motion.rates.values()))
        + f" on the {loss_in_words(equations.model.loss)}",
    }
    if decays:
        parts["decay"] = _listed(decays)
    options = {"batch": (equations.motion.batch, 1), "momentum": (equations.motion.momentum, 0)}
    parts |= {name: _formula(x) for name, (x, usual) in options.items() if x != usual}
    return html_of_parts(f"Equations of {escape(equations.kind.replace('-', ' '))}", parts)


def critical_points_html(points: CriticalPoints) -> str:
    """Return the table of critical points, one in each row."""
    heads = ["", "risk", "kind", "index", "flat", "copies", "hits"]
    heads += [_formula(Symbol(name)) for name in points.overlaps]
    rows = [
        [str(i), f"{p.risk:.6g}", p.kind, str(p.index), str(p.flat),
         "-" if p.continuum or p.plateau else str(p.copies), str(p.hits),
         *(points.entry_text(p, k) for k in range(len(points.overlaps)))]
        for i, p in enumerate(points, 1)
    ]  # fmt: skip
    return html_of_rows("Critical points", heads, rows, points.summary)


def fixed_point_html(point: FixedPoint) -> str:
    """Return the table of a fixed point: the state, the risk, and the eigenvalues."""
    shown = {"risk": f"{point.risk:.6g}", "eigenvalues": _numbers(point.linearisation.eigenvalues)}
    if point.radius is not None:
        shown["certain within"] = f"{point.radius:g}"
    if point.continuum:
        shown["continuum"] = f"of dimension {point.continuum}"
    state = ", ".join(f"{_formula(s)} = {value:.6g}" for s, value in point.state.items())
    return html_of_parts("Fixed point", {"state": state, **shown})


def linearisation_html(linearisation: Linearisation) -> str:
    """Return the table of a Jacobian, with its eigenvalues below."""
    names = [_formula(s) for s in linearisation.state]
    rows = [[name, *(f"{x:.6g}" for x in row)]
            for name, row in zip(names, linearisation.matrix, strict=True)]  # fmt: skip
    below = f"eigenvalues {_numbers(linearisation.eigenvalues)}"
    return html_of_rows("Jacobian", ["", *names], rows, below)


def _numbers(values: Any) -> str:
    return ", ".join(f"{x:.6g}" for x in values)
