"""Strategies for Hypothesis, and the accuracy of the risk against values to many digits."""
