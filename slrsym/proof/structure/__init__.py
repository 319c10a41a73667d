"""Proofs that are more than one chain: by derivative, by cases, by induction, of several parts."""

from slrsym.proof.structure.by_cases import cases as cases
from slrsym.proof.structure.by_derivative import equal_by_derivative as equal_by_derivative
from slrsym.proof.structure.by_induction import induction as induction
from slrsym.proof.structure.conclusions import concludes as concludes
from slrsym.proof.structure.instances import claimed as claimed
from slrsym.proof.structure.parts import all_of as all_of
from slrsym.proof.structure.parts import having as having
from slrsym.proof.structure.steps import structural_step as structural_step
