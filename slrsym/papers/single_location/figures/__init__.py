"""Figures of the paper, and a few of our own about it."""
