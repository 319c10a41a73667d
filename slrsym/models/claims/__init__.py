"""Claims about a stated model, with their proofs."""
