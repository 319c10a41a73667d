"""Risks of models, estimated from sampled tokens: streams of random numbers, and their errors."""

from slrsym.models.sampling.estimates import Estimate
from slrsym.models.sampling.sampled_risk import METHODS, sample_risk
