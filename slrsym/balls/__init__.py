"""Branch and bound over boxes in ball arithmetic: exact ranges, trees, the Krawczyk test."""
