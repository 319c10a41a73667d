"""Rules about expectations, and when these exist.

Each module holds one property of expectations, with its rules: ``properties`` what the normal form
knows by itself, ``stein_lemma``, ``copies``, ``densities``, ``affine_images``, ``reflections``,
``disintegration``, ``integrands``, ``parameters``.
"""

from slrsym.search.rules.expectations.affine_images import substitution as substitution
from slrsym.search.rules.expectations.copies import peel_copy as peel_copy
from slrsym.search.rules.expectations.densities import complete_the_square as complete_the_square
from slrsym.search.rules.expectations.densities import density as density
from slrsym.search.rules.expectations.disintegration import conditioning as conditioning
from slrsym.search.rules.expectations.integrability import require_integrable as require_integrable
from slrsym.search.rules.expectations.integrands import inside as inside
from slrsym.search.rules.expectations.parameters import (
    differentiate_under_expectation as differentiate_under_expectation,
)
from slrsym.search.rules.expectations.properties import COPIES_CLAIMS as COPIES_CLAIMS
from slrsym.search.rules.expectations.properties import independence as independence
from slrsym.search.rules.expectations.properties import linearity as linearity
from slrsym.search.rules.expectations.properties import noise_moments as noise_moments
from slrsym.search.rules.expectations.reflections import symmetry as symmetry
from slrsym.search.rules.expectations.stein_lemma import STEIN_CLAIM as STEIN_CLAIM
from slrsym.search.rules.expectations.stein_lemma import stein as stein
