"""Checking a claim: every step twice, by its rule and at random points; expectations by samples."""

from slrsym.proof.checker.checks import check_claim as check_claim
from slrsym.proof.checker.checks import check_step as check_step
from slrsym.proof.checker.evidence import certified as certified
from slrsym.proof.checker.evidence import monte_carlo as monte_carlo
from slrsym.proof.checker.evidence import tried as tried
from slrsym.proof.checker.numbers import DIGITS as DIGITS
from slrsym.proof.checker.numbers import POINTS as POINTS
from slrsym.proof.checker.numbers import numerical_check as numerical_check
from slrsym.proof.checker.steps import step_seed as step_seed
from slrsym.proof.checker.steps import steps_of as steps_of
from slrsym.proof.checker.verdicts import StepReport as StepReport
from slrsym.proof.checker.verdicts import Verdict as Verdict
from slrsym.proof.checker.verdicts import sealed as sealed
