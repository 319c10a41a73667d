"""Certificates by ball arithmetic: inequalities on whole boxes, with data to recheck them.

What each kind of certificate shows, and why that is enough, stands in
`slrsym.papers.single_location.certify.statements`.
"""

from __future__ import annotations

from slrsym.papers.single_location.certify.attracted_share import AttractedShare
from slrsym.papers.single_location.certify.attraction import Attraction
from slrsym.papers.single_location.certify.enclosures import Enclosure, enclosure
from slrsym.papers.single_location.certify.global_minimum import GlobalMinimum
from slrsym.papers.single_location.certify.manifold_fixed_points import (
    LocalRates,
    certify_classification,
    certify_fixed_points,
    certify_local_rates,
)
from slrsym.papers.single_location.certify.step_size import (
    StepSize,
    alpha_bar,
    certify_step_size,
    closed_form_step_size,
    grid_step_size,
)
from slrsym.papers.single_location.certify.sublevel import SublevelSet
from slrsym.prover.certificates.certificate import (
    Certificate,
    CertificateError,
    CertificateOutcome,
    load,
)
from slrsym.prover.certificates.verifier import CheckResult, check
