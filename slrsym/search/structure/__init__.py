"""Proofs that are more than one chain: by derivative, by cases, by induction, of several parts."""
