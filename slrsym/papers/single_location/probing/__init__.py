"""Linear probes of a pretrained encoder (figures 1 and 2), from a local BERT directory."""

from slrsym.papers.single_location.probing.encoder import Encoder
from slrsym.papers.single_location.probing.probe import (
    SETS,
    Probing,
    Projections,
    fit_logistic_regression,
    labelled_sentences,
)
