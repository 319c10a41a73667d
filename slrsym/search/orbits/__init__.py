"""Statements about orbits of maps, and the theorems that conclude them."""
