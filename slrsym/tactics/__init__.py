"""Search for evidence: translate SymPy proofs into inferences of the proof checker.

This code is untrusted: the checker judges its output.
"""
