"""Search for evidence: translate SymPy proofs into inferences of the proof checker.

This code need not be trusted, because the proof checker judges its output.
"""
