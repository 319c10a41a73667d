"""Links, rules and steps: what a rule of one's own is made of."""

from slrsym.search.step import Link as Link
from slrsym.search.step import Proof as Proof
from slrsym.search.step import Rule as Rule
from slrsym.search.step import Step as Step
from slrsym.search.step import axioms_of as axioms_of
from slrsym.search.step import labelled as labelled
from slrsym.search.step import relation as relation
