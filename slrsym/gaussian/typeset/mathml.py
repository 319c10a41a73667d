"""Boxes as MathML, which browsers show without help."""

from __future__ import annotations

from html import escape

from slrsym.gaussian.typeset.boxes import (
    Atom,
    Box,
    Delimiter,
    Fence,
    Fraction,
    Grid,
    Operator,
    Root,
    Row,
    Script,
    Space,
)

__all__ = ["to_mathml"]

_CHARACTERS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε",
    "zeta": "ζ", "eta": "η", "theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ",
    "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "upsilon": "υ", "phi": "ϕ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ",
    "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
    "ell": "ℓ", "infty": "∞", "partial": "∂", "star": "⋆", "le": "≤", "ge": "≥", "neq": "≠",
    "in": "∈", "sim": "∼", "to": "→", "implies": "⟹", "iff": "⟺", "neg": "¬", "sum": "∑",
    "int": "∫", "cdot": "⋅", "-": "−", "mathcal{R}": "ℛ", "mathcal{N}": "𝒩",
    r"widehat{\mathcal{R}}": "ℛ\u0302", "mathbb{R}": "ℝ",
    "mathbb{Z}": "ℤ", "mathbb{C}": "ℂ", r"mathbb{Z}_{\ge 1}": "ℤ≥1", r"mathbb{Z}_{\ge 0}": "ℤ≥0",
}  # fmt: skip
_DOUBLE_STRUCK = {"E": "𝔼", "R": "ℝ"}


def to_mathml(box: Box, display: bool = True) -> str:
    """A formula as a ``math`` element.

    Parameters
    ----------
    box : Box
        The formula.
    display : bool, optional
        Whether it stands by itself, rather than in a line of text.

    Returns
    -------
    str
        Presentation MathML.

    Raises
    ------
    TypeError
        If there is no such kind of box.

    Examples
    --------
    >>> from slrsym.gaussian.typeset.boxes import identifier
    >>> to_mathml(identifier("kappa"), display=False)
    '<math><mi>κ</mi></math>'
    """
    kind = ' display="block"' if display else ""
    return f"<math{kind}>{_element(box)}</math>"


def _element(box: Box) -> str:
    match box:
        case Row(parts):
            return f"<mrow>{''.join(map(_element, parts))}</mrow>"
        case Atom(text, kind):
            return _atom(text, kind)
        case Operator(text, kind):
            large = ' largeop="true"' if kind == "large" else ""
            form = ' form="prefix"' if kind == "prefix" else ""
            return f"<mo{large}{form}>{escape(_CHARACTERS.get(text, text))}</mo>"
        case Space(quads):
            return f'<mspace width="{quads:g}em"></mspace>' if quads else ""
        case Fraction(numerator, denominator):
            return f"<mfrac>{_one(numerator)}{_one(denominator)}</mfrac>"
        case Script():
            return _script(box)
        case Root(radicand):
            return f"<msqrt>{_element(radicand)}</msqrt>"
        case Delimiter(text, _, side):
            form = "prefix" if side == "open" else "postfix"
            return f'<mo form="{form}" fence="true">{escape(text)}</mo>'
        case Fence():
            inside = "".join(map(_element, (box.opened, box.body, box.closed)))
            return f"<mrow>{inside}</mrow>"
        case Grid(rows):
            lines = (
                "<mtr>" + "".join(f"<mtd>{_element(entry)}</mtd>" for entry in line) + "</mtr>"
                for line in rows
            )
            return f"<mrow><mo>(</mo><mtable>{''.join(lines)}</mtable><mo>)</mo></mrow>"
    raise TypeError(f"no box: {box!r}")


def _one(box: Box) -> str:
    """Exactly one element."""
    inside = _element(box)
    return inside if inside else "<mrow></mrow>"


def _atom(text: str, kind: str) -> str:
    if kind == "number":
        return f"<mn>{text}</mn>"
    if kind == "words":
        return f"<mtext>\u00a0{escape(text)}\u00a0</mtext>"
    if kind == "name":
        shown = _DOUBLE_STRUCK.get(text, text.replace("'", "′"))
        normal = ' mathvariant="normal"' if len(shown) == 1 else ""
        return f"<mi{normal}>{escape(shown)}</mi>"
    if kind == "raw":
        return f"<mtext>{escape(text)}</mtext>"
    return f"<mi>{escape(_CHARACTERS.get(text, text))}</mi>"


def _script(box: Script) -> str:
    base = _one(box.base)
    wide = isinstance(box.base, Operator) and box.base.text == "sum"
    wide = wide or (isinstance(box.base, Atom) and box.base.text == "lim")
    below, above = ("munder", "mover") if wide else ("msub", "msup")
    if box.below is not None and box.above is not None:
        both = "munderover" if wide else "msubsup"
        return f"<{both}>{base}{_one(box.below)}{_one(box.above)}</{both}>"
    if box.below is not None:
        return f"<{below}>{base}{_one(box.below)}</{below}>"
    if box.above is not None:
        return f"<{above}>{base}{_one(box.above)}</{above}>"
    return base
