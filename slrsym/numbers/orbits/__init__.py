"""Statements about orbits held against numbers."""
