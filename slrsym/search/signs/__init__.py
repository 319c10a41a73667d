"""The sign of an expression under assumptions: a sound procedure that may fail to decide."""
