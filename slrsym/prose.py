"""Prose of claims: plain text, with formulas in plain notation between dollar signs."""


def unmarked(text: str) -> str:
    """Prose for a terminal, without the dollar signs around formulas."""
    return text.replace("$", "") if text.count("$") % 2 == 0 else text
