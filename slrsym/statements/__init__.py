"""What is claimed: expressions, maps, sentences about orbits; below both search and numbers."""


def unmarked(text: str) -> str:
    """Remove the dollar signs around formulas from prose, for a terminal."""
    return text.replace("$", "") if text.count("$") % 2 == 0 else text
