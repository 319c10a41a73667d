"""Checking a claim: every step twice, by its rule and at random points; expectations by samples."""

from slrsym.claims.checker.checks import check_claim as check_claim
from slrsym.claims.checker.checks import check_step as check_step
from slrsym.claims.checker.evidence import certified as certified
from slrsym.claims.checker.evidence import monte_carlo as monte_carlo
from slrsym.claims.checker.evidence import tried as tried
from slrsym.claims.checker.numbers import DIGITS as DIGITS
from slrsym.claims.checker.numbers import POINTS as POINTS
from slrsym.claims.checker.numbers import numerical_check as numerical_check
from slrsym.claims.checker.steps import step_seed as step_seed
from slrsym.claims.checker.steps import steps_of as steps_of
from slrsym.claims.checker.verdicts import StepReport as StepReport
from slrsym.claims.checker.verdicts import Verdict as Verdict
from slrsym.claims.checker.verdicts import sealed as sealed
