"""Statements of claims: expressions, maps, and sentences about orbits of maps."""


def remove_dollar_signs(text: str) -> str:
    """Return a text without the dollar signs around formulas, for a terminal."""
    return text.replace("$", "") if text.count("$") % 2 == 0 else text
