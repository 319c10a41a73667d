"""A differential fuzzer of the two proof checkers, and ten faults planted in each.

`python -m tests.checker.fuzz --count 1000000 --seed 1` makes inferences for both, and prints a
table of what they said of each rule.
"""
