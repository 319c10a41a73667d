"""Random exact points of a domain, and random smooth functions.

A point gives every symbol a Rational of moderate size, so that identities are examined where no
rounding has happened yet and where quadrature is cheap.
"""

from slrsym.numbers.sampling.functions import random_test_function as random_test_function
from slrsym.numbers.sampling.points import NoPoint as NoPoint
from slrsym.numbers.sampling.points import Sampler as Sampler
from slrsym.numbers.sampling.points import parameters as parameters
from slrsym.numbers.sampling.points import sample_points as sample_points
