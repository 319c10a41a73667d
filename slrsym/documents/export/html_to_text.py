"""Plain text of HTML and MathML, with powers, indices and roots written out, for titles.

Without them a reader would see γ2 for a square, and d/2 for its root.
"""

from __future__ import annotations

from html.parser import HTMLParser

# Marks that stand high, or low, by themselves.
_RAISED = "′″‴⋆∗*"
_HIGH = str.maketrans("0123456789+−-()nit", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾ⁿⁱᵗ")
_LOW = str.maketrans("0123456789+−-()ijlt", "₀₁₂₃₄₅₆₇₈₉₊₋₋₍₎ᵢⱼₗₜ")
# Elements without an end.
_VOID = {"br", "img", "wbr", "hr", "input"}


def html_to_plain_text(html: str) -> str:
    """Return the plain text of a piece of HTML and MathML, without tags.

    Examples
    --------
    >>> html_to_plain_text("<msup><mi>γ</mi><mn>2</mn></msup>")
    'γ²'
    >>> html_to_plain_text("<msup><mi>e</mi><mrow><mo>−</mo><mi>c</mi></mrow></msup>")
    'e^(−c)'
    >>> html_to_plain_text("at <msqrt><mi>d</mi><mo>/</mo><mn>2</mn></msqrt>")
    'at √(d/2)'
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return "".join(reader.parts[0]).strip()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        # Texts of the elements inside each element that is open; the first is the whole.
        self.parts: list[list[str]] = [[]]

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID:
            self.parts.append([])

    def handle_startendtag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        """Skip an element that has no content, such as a space."""

    def handle_data(self, data: str) -> None:
        self.parts[-1].append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID and len(self.parts) > 1:
            inside = self.parts.pop()
            self.parts[-1].append(_written(tag, inside))


def _written(tag: str, inside: list[str]) -> str:
    match tag, inside:
        case ("annotation", _):
            return ""
        case ("msqrt", _):
            return f"√{_one(''.join(inside))}"
        case ("msup", [base, power]):
            return base + _script(power, _HIGH, "^")
        case ("msub" | "munder", [base, index]):
            return base + _script(index, _LOW, "_")
        case ("msubsup" | "munderover", [base, index, power]):
            return base + _script(index, _LOW, "_") + _script(power, _HIGH, "^")
    return "".join(inside)


def _script(text: str, letters: dict[int, int], sign: str) -> str:
    if text and all(x in _RAISED for x in text):
        return text
    if text and all(ord(x) in letters for x in text):
        return text.translate(letters)
    return sign + _one(text)


def _one(text: str) -> str:
    """Return a text, in parentheses unless it is a single character."""
    return text if len(text) == 1 else f"({text})"
