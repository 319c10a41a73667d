"""What is claimed: expressions, maps, sentences about orbits; below both search and numbers."""
