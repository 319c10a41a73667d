"""What finds proofs: rules, their engines, and the structure of proofs."""
