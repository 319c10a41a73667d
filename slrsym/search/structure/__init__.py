"""Proofs that are more than one chain: by derivative, by cases, by induction, of several parts."""

from slrsym.search.structure.by_cases import cases as cases
from slrsym.search.structure.by_derivative import equal_by_derivative as equal_by_derivative
from slrsym.search.structure.by_induction import induction as induction
from slrsym.search.structure.conclusions import concludes as concludes
from slrsym.search.structure.instances import claimed as claimed
from slrsym.search.structure.parts import all_of as all_of
from slrsym.search.structure.parts import having as having
from slrsym.search.structure.steps import structural_step as structural_step
