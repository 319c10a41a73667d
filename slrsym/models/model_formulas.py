"""The formulas of a model and of its equations of motion as LaTeX, for a page of 6.5 in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from sympy import Expr, Heaviside, Symbol, erf

from slrsym.documents.typeset import Box, FormulaPrinter, to_latex
from slrsym.documents.typeset.boxes import (
    Atom,
    BracketedBox,
    Fraction,
    MatrixBox,
    Operator,
    ScriptBox,
    Space,
    comma_separated_row,
    number_box,
    relation_box,
    row_of_boxes,
)
from slrsym.documents.typeset.displays import PAGE_WIDTH, aligned, equation_rows
from slrsym.documents.typeset.letters import MOST_PRIMES
from slrsym.documents.typeset.long_formulas import NamedParts
from slrsym.documents.typeset.printer_base import POWER
from slrsym.gaussian import OwensT, erf_prime, normal_cdf, normal_pdf
from slrsym.gaussian.bivariate_normal import bivariate_normal_cdf
from slrsym.gaussian.special_functions import erf_second, zeta
from slrsym.kernels.symbolic_functions import (
    DifferenceFromErf,
    ErfCovariance,
    ErfVariance,
    GaussianMean,
)
from slrsym.models.definition.description import unique_token_names
from slrsym.models.definition.specification import softmax

if TYPE_CHECKING:
    from slrsym.gaussian import GaussianLaw
    from slrsym.models.training.descent import DerivedModel
    from slrsym.models.training.equation_system import EquationSystem

_BREAK, _SEMICOLON = Space(0.0, breaks=True), Operator(";", "comma")
_WIDE_ARGUMENT = 20.0
# What cannot be broken is named if it is wider than this, in em.
_ROOM = 26.0
_RISK = Atom("mathcal{R}")


@dataclass(frozen=True)
class FunctionLetter:
    """The letter of a function whose mean has no closed form, its variables and parameters."""

    box: ScriptBox
    variables: tuple[Symbol, ...]
    parameters: tuple[Symbol, ...]


class ModelFormulaPrinter(FormulaPrinter):
    """Printer of formulas that knows the means and functions of models.

    Parameters
    ----------
    functions : mapping of Expr to FunctionLetter
        Letters of the functions whose means have no closed form.
    """

    def __init__(self, functions: Mapping[Expr, FunctionLetter]) -> None:
        super().__init__(laws={})
        self._functions = functions

    def _variance_of_erf(self, expr: ErfVariance) -> tuple[Box, int]:
        t, s = expr.args
        inside = self._function_call(Atom("erf", "name"), [t + s * Symbol("G", real=True)])
        return row_of_boxes([Atom("Var", "name"), BracketedBox("[", inside, "]", False)]), POWER

    def _covariance_of_erf(self, expr: ErfCovariance) -> tuple[Box, int]:
        return self._function_call(Atom("C", "name"), expr.args), POWER

    def _gaussian_mean(self, expr: GaussianMean) -> tuple[Box, int]:
        letter, orders = self._functions[expr.function].box, expr.orders
        if len(orders) == 1 and orders[0] <= MOST_PRIMES:
            mark = Atom("'" * orders[0], "name") if orders[0] else None
            letter = replace(letter, above=mark)
        elif any(orders):
            shown = BracketedBox("(", comma_separated_row(map(number_box, orders)), ")", False)
            letter = replace(letter, above=shown)
        count = len(orders)
        ends = (0, count, count * (count + 3) // 2, len(expr.args))
        groups = [expr.args[a:b] for a, b in pairwise(ends) if b > a]
        parts: list[Box] = []
        for group in groups:
            boxes = (self._print(e, inline=True)[0] for e in group)
            parts += [_SEMICOLON] * bool(parts) + [comma_separated_row(boxes, _BREAK)]
        body = row_of_boxes(parts)
        called = BracketedBox("(", body, ")", breaks=body.width > _WIDE_ARGUMENT)
        return row_of_boxes([Atom("M", "name"), BracketedBox("[", letter, "]", False), called]), (
            POWER
        )

    def _softmax(self, expr: softmax) -> tuple[Box, int]:
        return self._function_call(Atom("softmax", "name"), expr.args[:1]), POWER

    _KINDS: ClassVar[dict[Any, Any]] = {
        ErfVariance: _variance_of_erf,
        ErfCovariance: _covariance_of_erf,
        GaussianMean: _gaussian_mean,
        softmax: _softmax,
        **FormulaPrinter._KINDS,
    }


# What is said of the functions that occur.
_MEANINGS: dict[Any, str] = {
    ErfVariance: r"$G$ is a standard normal variable.",
    GaussianMean: (
        r"$\mathrm{M}[f](m; v)$ is the mean of $f(z)$, $z$ normal with mean $m$ and variance $v$; "
        r"$\mathrm{M}[f](m_1, m_2; v_1, c, v_2)$ is that of $f(z, z_2)$, where $z$ and $z_2$ have "
        r"the means $m_1, m_2$, the variances $v_1, v_2$ and the covariance $c$. Orders in "
        r"brackets above $f$ are those of its partial derivatives."
    ),
    ErfCovariance: (
        r"$\mathrm{C}(x, y, r) = 4\Phi_2(\sqrt 2\,x, \sqrt 2\,y; r) - 4\Phi(\sqrt 2\,x)"
        r"\Phi(\sqrt 2\,y)$, with the distribution function $\Phi_2$ of two normal variables of "
        r"correlation $r$, and $\Phi$ of one."
    ),
    zeta: r"$\zeta(t, s)$ is the mean of $\operatorname{erf}(t + sG)^2$, $G$ standard normal.",
    normal_cdf: r"$\Phi$ is the normal distribution function.",
    normal_pdf: r"$\varphi$ is the normal density.",
    bivariate_normal_cdf: (
        r"$\Phi_2(x, y, r)$ is the distribution function of two normal variables of correlation "
        r"$r$."
    ),
    OwensT: (
        r"$T(h, a) = \frac{1}{2\pi}\int_0^a \frac{e^{-h^2(1 + x^2)/2}}{1 + x^2}\,dx$ is Owen's "
        r"function."
    ),
    Heaviside: r"$\Theta$ is the step function, $\Theta(0) = 1/2$.",
    erf_prime: r"$\operatorname{erf}'(x) = 2e^{-x^2}/\sqrt{\pi}$.",
    erf_second: r"$\operatorname{erf}''(x) = -4xe^{-x^2}/\sqrt{\pi}$.",
}  # fmt: skip


def model_latex(model: DerivedModel) -> str:
    """Return the model's formulas as LaTeX displays for a document with amsmath."""
    printer = ModelFormulaPrinter({})
    symbols = ", ".join(f"${to_latex(printer.symbol(p))}$" for p in model.order_parameters)
    parts = [rf"{{\sloppy Order parameters: {symbols}.\par}}"]
    for token, name in unique_token_names(model.data.tokens).items():
        if model.roles[token, next(iter(model.predictor.bias or (None,)))].directions:
            parts += [f"Projections of a token ({name}):", *_law(model.law(token), printer)]
    if model.quadrature is not None:
        parts.append(f"The risk is no closed form: {_in_words(model.quadrature.reason)}.")
    if model.is_additive:
        terms = model._terms
        risk = _box_of_derivative(printer, None)
        slopes = [_box_of_derivative(printer, p) for p in model.order_parameters]
        formulas = [terms.risk() + model.data.noise**2, *terms.gradient()]
        sections = {"The risk:": [risk], "Its gradient:": slopes}
        collected = (*model.order_parameters, *model.gram_indices)
        parts += _sections(sections, formulas, terms.meanings, collected)
    return "\n".join([*parts, ""])


def equations_latex(equations: EquationSystem) -> str:
    """Return equations of motion as LaTeX displays for a document with amsmath."""
    printer = ModelFormulaPrinter({})
    lefts = []
    for p in equations.state:
        symbol = printer.symbol(p)
        if equations.kind == "projected-descent":
            lefts.append(row_of_boxes([Atom("Delta"), symbol]))
        else:
            signs = Fraction(Atom("d"), row_of_boxes([Atom("d"), Atom("t")]))
            lefts.append(row_of_boxes([signs, Space(), symbol]))
    rates, meanings = equations.rates_in_moments()
    parts = _sections({"The equations of motion:": lefts}, rates, meanings, equations.state)
    return "\n".join([*parts, ""])


def _in_words(text: str) -> str:
    """Return a text with its special characters escaped for LaTeX."""
    for sign in "_^&%#":
        text = text.replace(sign, "\\" + sign + ("{}" if sign == "^" else ""))
    return text


def _box_of_derivative(printer: FormulaPrinter, p: Symbol | None) -> Box:
    if p is None:
        return _RISK
    return row_of_boxes([ScriptBox(Atom("partial"), printer.symbol(p)), Space(), _RISK])


def _sections(
    sections: Mapping[str, Sequence[Box]],
    formulas: Sequence[Expr],
    meanings: Mapping[Symbol, Expr],
    collected: Sequence[Symbol],
) -> list[str]:
    """Return headed displays of formulas, after those of the letters that they use."""
    known = {name: _plain(e) for name, e in meanings.items()}
    shown = [_plain(e) for e in formulas]
    functions = _letters_of_functions([*shown, *known.values()])
    printer = ModelFormulaPrinter(functions)
    named = NamedParts(shown, known, collected, printer, _ROOM)
    parts: list[str] = [r"\begingroup\allowdisplaybreaks"]
    if functions:
        parts.append("Functions whose means have no closed form:")
        rows = []
        for function, letter in functions.items():
            variables = comma_separated_row(map(printer.symbol, letter.variables))
            groups = [variables, comma_separated_row(map(printer.symbol, letter.parameters))]
            arguments = [groups[0], *([_SEMICOLON, groups[1]] if letter.parameters else [])]
            left = row_of_boxes([letter.box, BracketedBox("(", row_of_boxes(arguments), ")")])
            rows += equation_rows(left, printer.box(function))
        parts.append(aligned(rows))
    if named.definitions:
        parts += ["Abbreviations, each of which uses earlier ones at most:"]
        rows = [
            row
            for letter, meaning in named.definitions.items()
            for row in equation_rows(printer.symbol(letter), printer.box(meaning))
        ]
        parts.append(aligned(rows))
    rest = iter(named.formulas)
    for heading, lefts in sections.items():
        rows = [row for left in lefts for row in equation_rows(left, printer.box(next(rest)))]
        parts += [heading, aligned(rows)]
    shown = [*named.formulas, *named.definitions.values()]
    kinds = {f.func if not isinstance(f, GaussianMean) else GaussianMean
             for e in shown for f in e.atoms(*_MEANINGS)}  # fmt: skip
    said = [text for kind, text in _MEANINGS.items() if kind in kinds]
    return [*parts, *([" ".join(said)] if said else []), r"\endgroup"]


def _letters_of_functions(formulas: Sequence[Expr]) -> dict[Expr, FunctionLetter]:
    """Return letters for the functions whose means by quadrature occur, in a fixed order."""
    means = {node.function: node for e in formulas for node in e.atoms(GaussianMean)}
    taken = {s.name[:1] for e in formulas for s in e.free_symbols}
    stem = next((x for x in "fgh" if x not in taken), "psi")
    return {
        function: FunctionLetter(
            ScriptBox(Atom(stem), number_box(i)), mean.variables(), mean.parameters
        )
        for i, (function, mean) in enumerate(
            sorted(means.items(), key=lambda pair: (len(pair[1].orders), str(pair[0]))), 1
        )
    }


def _plain(expr: Expr) -> Expr:
    """Return an expression with differences in the place of functions for their digits."""
    return expr.replace(DifferenceFromErf, lambda x, y: x - erf(y))


def _law(law: GaussianLaw, printer: FormulaPrinter) -> list[str]:
    """Return the display of a law: with a matrix, or entry by entry if that is too wide."""
    names = [printer.symbol(s) for s in law.symbols]
    means, cov = list(law.mean.values()), law.cov
    normal = Atom("mathcal{N}")
    vector = MatrixBox(tuple((box,) for box in names))
    grid = MatrixBox(tuple(tuple(map(printer.box, row)) for row in cov.tolist()))
    mean = MatrixBox(tuple((printer.box(e),) for e in means)) if any(means) else number_box(0)
    inside = BracketedBox("(", comma_separated_row([mean, grid]), ")", False)
    whole = relation_box(vector, "sim", row_of_boxes([normal, inside]))
    if len(names) == 1:
        inside = BracketedBox("(", comma_separated_row(map(printer.box, (means[0], cov[0]))), ")")
        whole = relation_box(names[0], "sim", row_of_boxes([normal, inside]))
    if whole.width <= PAGE_WIDTH:
        return [aligned([f"& {to_latex(whole)}"])]
    rows = []
    for name, e in zip(names, means, strict=True):
        left = row_of_boxes([Atom("E", "name"), name])
        rows += equation_rows(left, printer.box(e)) if e != 0 else []
    for i, name in enumerate(names):
        for j, other in enumerate(names[: i + 1]):
            pair = BracketedBox("(", comma_separated_row([other, name]), ")", False)
            left = row_of_boxes([Atom("Cov", "name"), pair])
            rows += equation_rows(left, printer.box(cov[i, j])) if cov[i, j] != 0 else []
    return ["jointly normal; means and covariances that are not listed are 0:", aligned(rows)]
