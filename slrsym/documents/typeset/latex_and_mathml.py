"""Conversion of typeset boxes of formulas to LaTeX and to MathML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from xml.etree import ElementTree

from slrsym.documents.typeset.boxes import (
    Atom,
    Box,
    BracketedBox,
    Delimiter,
    FormulaLine,
    Fraction,
    MatrixBox,
    Operator,
    Root,
    RowBox,
    ScriptBox,
    Space,
)

_LEFT = ("", r"\bigl", r"\Bigl", r"\biggl")
_RIGHT = ("", r"\bigr", r"\Bigr", r"\biggr")
_SPECIAL = {"{": r"\{", "}": r"\}", "⟨": r"\langle ", "⟩": r"\rangle"}
_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z]+$")


def to_latex(box: Box) -> str:
    r"""Return the LaTeX of a formula's typeset box, for math mode.

    Examples
    --------
    >>> from slrsym.documents.typeset.boxes import Atom, Fraction, number_box
    >>> to_latex(Fraction(number_box(2), Atom("pi")))
    '\\frac{2}{\\pi}'
    """
    match box:
        case RowBox(parts):
            return _join_latex([to_latex(part) for part in parts])
        case Atom():
            return _latex_atom(box)
        case Operator():
            return _latex_operator(box)
        case Space(quads):
            if not quads:
                return ""
            return r"\," if quads < 0.5 else r"\quad " if quads < 1.5 else r"\qquad "
        case Fraction(numerator, denominator):
            return rf"\frac{{{to_latex(numerator)}}}{{{to_latex(denominator)}}}"
        case ScriptBox(base, below, above):
            text = to_latex(base)
            if below is not None:
                text += f"_{{{to_latex(below)}}}"
            if above is not None:
                if isinstance(above, Atom) and set(above.text) == {"'"}:
                    text += above.text
                else:
                    text += f"^{{{to_latex(above)}}}"
            return text
        case Root(radicand):
            return rf"\sqrt{{{to_latex(radicand)}}}"
        case Delimiter("|", 0, side):
            # Bars within bars could be read in more than one way.
            return r"\lvert " if side == "open" else r"\rvert "
        case Delimiter(text, size, side):
            sized = (_LEFT if side == "open" else _RIGHT)[size]
            return sized + _SPECIAL.get(text, text)
        case BracketedBox():
            return _join_latex(
                [to_latex(b) for b in (box.opening_delimiter, box.body, box.closing_delimiter)]
            )
        case MatrixBox(rows):
            lines = (" & ".join(map(to_latex, entries)) for entries in rows)
            return r"\begin{pmatrix} " + r" \\ ".join(lines) + r" \end{pmatrix}"
    raise TypeError(f"no box: {box!r}")


def _latex_atom(atom: Atom) -> str:
    if atom.kind == "identifier":
        return f"\\{atom.text}" if len(atom.text) > 1 else atom.text
    if atom.kind in ("number", "raw"):
        return atom.text
    if atom.kind == "words":
        return rf"\text{{ {atom.text} }}"
    if atom.text in ("E", "R"):
        return rf"\mathbb{{{atom.text}}}"
    if not atom.text.isascii():
        # TeX's standard fonts have the letters of few alphabets.
        known = (c if ord(c) < 0x100 else f"U+{ord(c):04X}" for c in atom.text)
        return rf"\text{{{''.join(known)}}}"
    if len(atom.text) == 1:
        return rf"\mathrm{{{atom.text}}}"
    return rf"\operatorname{{{atom.text}}}"


def _latex_operator(operator: Operator) -> str:
    sign = f"\\{operator.text}" if operator.text.isalpha() else operator.text
    if operator.kind in ("binary", "relation"):
        return f" {sign} "
    if operator.kind == "comma":
        return f"{sign} "
    return sign


def _join_latex(texts: list[str]) -> str:
    result = ""
    for text in texts:
        if text[:1].isalpha() and _ENDS_IN_COMMAND.search(result):
            result += " "
        if result.endswith(" ") and text.startswith(" "):
            text = text.lstrip()
        result += text
    return result.strip()


_LETTERS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε",
    "zeta": "ζ", "eta": "η", "theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ",
    "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "upsilon": "υ", "phi": "ϕ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ",
    "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
    "ell": "ℓ", "cdots": "⋯", "infty": "∞", "partial": "∂", "star": "⋆", "top": "⊤",
    "mathbb{R}": "ℝ", "mathbb{Z}": "ℤ", "mathbb{C}": "ℂ", "mathcal{R}": "ℛ", "mathcal{N}": "𝒩",
}  # fmt: skip
_SIGNS = {
    "-": "−", "le": "≤", "ge": "≥", "neq": "≠", "in": "∈", "sim": "∼", "to": "→",
    "implies": "⟹", "iff": "⟺", "cdot": "⋅", "neg": "¬", "sum": "∑", "int": "∫",
    "succeq": "⪰", "otimes": "⊗", "times": "×",
}  # fmt: skip
# How high a bracket is that stands by itself, in em, by its size.
_HEIGHTS = (1.0, 1.2, 2.3, 3.0)
# What is higher than a plain line needs brackets that grow.
_HIGH = 2
_BLACKBOARD = {"E": "𝔼", "R": "ℝ"}
_APPLY = "<mo>&#x2061;</mo>"
_PRIMES = ("", "′", "″", "‴")
# Letters that lean into what stands above to their right; browsers do not make room for it.
_LEANING = frozenset("FPTUVWYEf")
_LEAN = '<mspace width="0.09em"/>'
_THIN = '<mspace width="0.17em"/>'
# Of what latex2mathml writes: the outermost element, and names of functions, spaced as signs.
_OUTER = re.compile(r"^<math[^>]*>|</math>$")
_PREFIXES, _CLOSING = ("+", "−", "±"), (")", "]", "}", "|")
_NAME = re.compile(r"[A-Za-z]{2,}")
# Where half a formula is left out, it leaves out an element.
_CHILDREN = {
    "mfrac": 2, "msub": 2, "msup": 2, "msubsup": 3, "munder": 2, "mover": 2, "munderover": 3
}  # fmt: skip


def to_mathml(lines: Box | list[FormulaLine], display: bool = True, annotated: bool = False) -> str:
    """Return one ``math`` element of MathML for a formula, given as a box or as lines.

    Examples
    --------
    >>> from slrsym.documents.typeset.boxes import Atom, Fraction, number_box
    >>> to_mathml(Fraction(number_box(2), Atom("pi")), display=False)
    '<math><mfrac><mn>2</mn><mi>π</mi></mfrac></math>'
    """
    if isinstance(lines, Box):
        lines = [FormulaLine(lines)]
    if len(lines) == 1:
        (only,) = lines
        shown, latex = _row_content(only.box), to_latex(only.box)
    else:
        shown = "".join(map(_mathml_table_row, lines))
        shown = f'<mtable class="lines">{shown}</mtable>'
        latex = " ".join(to_latex(line.box) for line in lines)
    if annotated:
        note = f'<annotation encoding="application/x-tex">{escape(latex, quote=False)}</annotation>'
        shown = shown if len(lines) > 1 else _single_mathml_element(lines[0].box)
        shown = f"<semantics>{shown}{note}</semantics>"
    style = ' display="block"' if display else ""
    return f"<math{style}>{shown}</math>"


def _mathml_table_row(line: FormulaLine) -> str:
    indent = f'<mspace width="{line.indent:g}em"/>' if line.indent else ""
    return f"<mtr><mtd>{indent}{_row_content(line.box)}</mtd></mtr>"


def _row_content(box: Box) -> str:
    """Return the MathML of a formula's box; for a row, elements without an ``mrow`` around them."""
    return "".join(_mathml_of_parts(box.parts)) if isinstance(box, RowBox) else _mathml_element(box)


def _mathml_element(box: Box) -> str:
    """Return a formula's box as one MathML element; empty for an empty box."""
    match box:
        case RowBox(parts):
            inside = [element for element in _mathml_of_parts(parts) if element]
            return inside[0] if len(inside) == 1 else _mrow("".join(inside))
        case Atom():
            return _mathml_atom(box)
        case Operator():
            return _mathml_operator(box)
        case Space(quads):
            return f'<mspace width="{quads:g}em"/>' if quads else ""
        case Fraction(numerator, denominator):
            above, below = map(_single_mathml_element, (numerator, denominator))
            return f"<mfrac>{above}{below}</mfrac>"
        case ScriptBox():
            return _mathml_script(box)
        case Root(radicand):
            return f"<msqrt>{_row_content(radicand)}</msqrt>"
        case Delimiter(text, size, side):
            form = "prefix" if side == "open" else "postfix"
            height = f"{_HEIGHTS[size]:g}em"
            sized = (
                f'minsize="{height}" maxsize="{height}"' if size >= _HIGH else 'stretchy="false"'
            )
            return f'<mo form="{form}" {sized}>{escape(text)}</mo>'
        case BracketedBox(opening, body, closing):
            grows = body.height >= _HIGH
            opened, closed = (
                _mathml_bracket(opening, "prefix", grows),
                _mathml_bracket(closing, "postfix", grows),
            )
            return _mrow(opened + _row_content(body) + closed)
        case MatrixBox(rows):
            lines = "".join(
                f"<mtr>{''.join(f'<mtd>{_row_content(entry)}</mtd>' for entry in entries)}</mtr>"
                for entries in rows
            )
            opened, closed = _mathml_bracket("(", "prefix"), _mathml_bracket(")", "postfix")
            return _mrow(f"{opened}<mtable>{lines}</mtable>{closed}")
    raise TypeError(f"no box: {box!r}")


def _mrow(inside: str) -> str:
    return f"<mrow>{inside}</mrow>"


def _single_mathml_element(box: Box) -> str:
    """Return a formula's box as exactly one MathML element; for an empty box, an empty row."""
    return _mathml_element(box) or _mrow("")


def _mathml_of_parts(parts: Iterable[Box]) -> Iterable[str]:
    before: Box | None = None
    for part in parts:
        if before is not None and _is_upright_name(before) and isinstance(part, BracketedBox):
            yield _APPLY
        elif before is None or isinstance(before, Operator | Space):
            pass
        elif _is_upright_name(part):
            leans = isinstance(before, Atom) and before.text in _LEANING
            yield _LEAN + _THIN if leans else _THIN
        elif _is_upright_name(before, signs=()) and not isinstance(part, Operator | Space):
            yield _THIN
        yield _mathml_element(part)
        before = part


def _is_upright_name(box: Box, signs: Sequence[str] = ("E",)) -> bool:
    """Tell whether a box is a name of several letters or one of the signs, with its scripts."""
    base = box.base if isinstance(box, ScriptBox) else box
    return (
        isinstance(base, Atom)
        and base.kind == "name"
        and (len(base.text) > 1 or base.text in signs)
    )


def _mathml_bracket(text: str, form: str, grows: bool = True) -> str:
    # Of a bracket that stands first or last in its row, browsers know that it is one, and grows.
    side = f' form="{form}"' if text == "|" else ""
    still = "" if grows else ' stretchy="false"'
    return f"<mo{side}{still}>{escape(text)}</mo>" if text else ""


def _mathml_atom(atom: Atom) -> str:
    text = atom.text
    if atom.kind == "number":
        return f"<mn>{escape(text)}</mn>"
    if atom.kind == "words":
        return f"<mtext>\u00a0{escape(text)}\u00a0</mtext>"
    if atom.kind == "raw":
        return latex_to_mathml(text)
    if atom.kind == "name":
        if set(text) == {"'"}:
            return f'<mo lspace="0" rspace="0">{_PRIMES[len(text)]}</mo>'
        if len(text) == 1 and text not in _BLACKBOARD:
            return f'<mi mathvariant="normal">{escape(text)}</mi>'
        return f"<mi>{_BLACKBOARD.get(text, escape(text))}</mi>"
    if len(text) > 1 and text not in _LETTERS:
        return latex_to_mathml(f"\\{text}")
    letter = _LETTERS.get(text, escape(text))
    # Capital Greek is upright in the text, and one letter alone would be slanted.
    upright = ' mathvariant="normal"' if letter in "ΓΔΘΛΞΠΣΥΦΨΩ∞⋆" else ""
    return f"<mi{upright}>{letter}</mi>"


def _mathml_operator(operator: Operator) -> str:
    sign = _SIGNS.get(operator.text, operator.text)
    shown = escape(sign)
    if operator.kind == "slash":
        return f'<mo lspace="0" rspace="0">{shown}</mo>'
    if operator.kind == "prefix":
        return f'<mo form="prefix" lspace="0" rspace="0">{shown}</mo>'
    if operator.kind in ("binary", "relation"):
        return f'<mo form="infix">{shown}</mo>'
    return f"<mo>{shown}</mo>"


def _mathml_script(box: ScriptBox) -> str:
    base, below, above = box.base, box.below, box.above
    if isinstance(above, Atom) and above.kind == "name" and set(above.text) == {"'"}:
        # Fonts draw primes raised already.
        return _mrow(
            _single_mathml_element(base if below is None else ScriptBox(base, below))
            + _mathml_atom(above)
        )
    beneath = isinstance(base, Operator) and base.text == "sum"
    beneath = beneath or (isinstance(base, Atom) and base.text == "lim")
    tag = ("munder", "mover", "munderover") if beneath else ("msub", "msup", "msubsup")
    scripts = [_single_mathml_element(part) for part in (below, above) if part is not None]
    if above is not None and isinstance(base, Atom) and base.text in _LEANING:
        scripts[-1] = _mrow(_LEAN + scripts[-1])
    name = tag[2] if len(scripts) == 2 else tag[0] if below is not None else tag[1]
    inner = _single_mathml_element(base)
    if isinstance(base, Delimiter):
        # Browsers draw a bracket with scripts in its plain size, but not a row that is a bracket.
        inner = _mrow(inner)
    return f"<{name}>{inner}{''.join(scripts)}</{name}>"


@cache
def latex_to_mathml(latex: str) -> str:
    r"""Convert LaTeX from other sources to the content of a ``math`` element.

    Examples
    --------
    >>> latex_to_mathml(r"\kappa")
    '<mrow><mi>κ</mi></mrow>'
    """
    from latex2mathml.converter import convert

    try:
        return _add_tex_spacing(_OUTER.sub("", convert(latex)))
    # It has errors of its own for each kind of bad LaTeX, and others besides.
    except Exception:
        return f"<mtext>{escape(latex)}</mtext>"


def _add_tex_spacing(element: str) -> str:
    """Return latex2mathml's output with TeX's spacing, and with function names as ``mi``."""
    tree = ElementTree.fromstring(element)
    for node in tree.iter():
        if len(node) != _CHILDREN.get(node.tag, len(node)):
            raise ValueError(f"{node.tag} has {len(node)} children")
    for node in tree.iter("mo"):
        if node.text in ("|", "/"):
            node.attrib |= {"lspace": "0", "rspace": "0"}
        if _NAME.fullmatch(node.text or ""):
            node.tag = "mi"
    for node in tree.iter("mover"):
        node.set("accent", "true")
        node[1].set("stretchy", "false")
    for node in tree.iter("msup"):
        if len(node) == 2 and set(node[1].text or " ") <= {*_PRIMES}:
            node.tag = "mrow"
            node[1].tag, node[1].attrib = "mo", {"lspace": "0", "rspace": "0"}
    for line in [*tree.iter("mrow")]:
        before: ElementTree.Element | None = None
        for part in [*line]:
            after_sign = before is not None and before.tag == "mo" and before.text not in _CLOSING
            if part.text in _PREFIXES and after_sign:
                part.attrib |= {"form": "prefix", "lspace": "0", "rspace": "0"}
            first = part[0] if len(part) and part.tag != "mfrac" else part
            named = first.tag == "mi" and _NAME.fullmatch(first.text or "")
            if named and before is not None and before.tag not in ("mo", "mspace"):
                line.insert([*line].index(part), ElementTree.Element("mspace", width="0.17em"))
            before = part
    return ElementTree.tostring(tree, encoding="unicode")
