"""The commands that simulate and draw, and what all commands report by."""
