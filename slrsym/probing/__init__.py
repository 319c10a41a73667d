"""Linear probes of a pretrained encoder (figures 1 and 2), from a local BERT directory."""

from slrsym.probing.encoder import Encoder
from slrsym.probing.probe import (
    SETS,
    Probing,
    Projections,
    fit_logistic_regression,
    labelled_sentences,
)
from slrsym.renamed import getattr_for_old_names as _old_names

__getattr__ = _old_names(
    __name__, logistic_regression="fit_logistic_regression", sentences="labelled_sentences"
)
