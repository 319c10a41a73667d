"""Whole boxes at once, by ball arithmetic: exact ranges, box trees, the search, a Newton test."""
