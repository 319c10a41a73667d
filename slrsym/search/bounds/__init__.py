"""Rigorous ranges: an interval that contains every value of an expression."""
