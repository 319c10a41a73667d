"""Certificates by ball arithmetic: statements on whole boxes, with data to check them again.

What each kind of certificate shows, and why that is enough, stands in `slrsym.certify.statements`.
"""

from __future__ import annotations

from slrsym.certify.attraction import Attraction
from slrsym.certify.certificate import Certificate, CertificateError, CertificateOutcome, load
from slrsym.certify.claims import OnBox
from slrsym.certify.enclosures import Enclosure, enclosure
from slrsym.certify.fixed_points import LocalRates, classification, fixed_points, local_rates
from slrsym.certify.global_minimum import GlobalMinimum
from slrsym.certify.step_size import StepSize, alpha_bar, certify_alpha, closed_form_step, grid_step
from slrsym.certify.sublevel import Sublevel
from slrsym.certify.verifier import Check, check
from slrsym.renamed import old_names as _old_names

__getattr__ = _old_names(__name__, Verdict="CertificateOutcome")
