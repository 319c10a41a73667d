"""What a pretrained encoder keeps of a sentence: figures 1 and 2, from any local BERT directory."""

from slrsym.probing.encoder import Encoder as Encoder
from slrsym.probing.probe import SETS as SETS
from slrsym.probing.probe import Probing as Probing
from slrsym.probing.probe import Projections as Projections
from slrsym.probing.probe import logistic_regression as logistic_regression
from slrsym.probing.probe import sentences as sentences
