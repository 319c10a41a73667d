"""Links, rules, steps and tactics, for writing a rule of one's own."""

from slrsym.proofs.step import Link, Proof, Rule, Step, axioms_of, labelled, relation
from slrsym.tactics.emission import tactic
