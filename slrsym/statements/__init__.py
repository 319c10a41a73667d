"""Statements of claims: expressions, maps, and sentences about orbits."""


def strip_dollar_signs(text: str) -> str:
    """Remove the dollar signs around formulas from prose, for a terminal."""
    return text.replace("$", "") if text.count("$") % 2 == 0 else text
