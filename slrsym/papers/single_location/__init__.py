"""Attention layers that solve single-location regression (arXiv 2410.01537)."""
