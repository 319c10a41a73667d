"""Certificates by ball arithmetic: what holds on whole boxes, and how to see it again.

What each kind of certificate shows, and why that is enough, stands in `slrsym.certify.statements`.
"""

from __future__ import annotations

from slrsym.certify.certificate import Certificate as Certificate
from slrsym.certify.certificate import CertificateError as CertificateError
from slrsym.certify.certificate import Verdict as Verdict
from slrsym.certify.certificate import load as load
from slrsym.certify.claims import OnBox as OnBox
from slrsym.certify.enclosures import Enclosure as Enclosure
from slrsym.certify.enclosures import enclosure as enclosure
from slrsym.certify.fixed_points import LocalRates as LocalRates
from slrsym.certify.fixed_points import classification as classification
from slrsym.certify.fixed_points import fixed_points as fixed_points
from slrsym.certify.fixed_points import local_rates as local_rates
from slrsym.certify.step_size import StepSize as StepSize
from slrsym.certify.step_size import alpha_bar as alpha_bar
from slrsym.certify.step_size import certify_alpha as certify_alpha
from slrsym.certify.step_size import closed_form_step as closed_form_step
from slrsym.certify.step_size import grid_step as grid_step
from slrsym.certify.verifier import Check as Check
from slrsym.certify.verifier import check as check
