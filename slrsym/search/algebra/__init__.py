"""Equality of expressions, decided by a normal form."""
