"""Certificates by ball arithmetic: inequalities on boxes, with data to check them again."""
