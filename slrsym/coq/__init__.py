"""Steps of proofs by Coq: a third check, by a program that shares nothing with the other two.

What it confirms is marked "also by Coq"; it is no part of what ``proved`` means.
"""
