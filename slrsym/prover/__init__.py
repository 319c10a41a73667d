"""The prover: statements, claims, rules and tactics, whose proofs the checker judges.

Derivations are written with the names of `slrsym.proof`; what stands here is behind them.
"""
