"""What is claimed: expressions, maps, sentences about orbits; below both search and numbers."""


def unmarked(text: str) -> str:
    """Prose for a terminal, without the dollar signs around formulas."""
    return text.replace("$", "") if text.count("$") % 2 == 0 else text
