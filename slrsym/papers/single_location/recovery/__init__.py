"""Recovery of the oracle from random starts: counts of endpoints, and sweeps over settings."""

from slrsym.models.training.runs import wilson_intervals
from slrsym.papers.single_location.recovery.setting import NEAR, VERDICTS, Setting, classify_states
from slrsym.papers.single_location.recovery.swap_prediction import (
    Mode,
    SwapPrediction,
    components_along_modes,
    fit_swap_prediction,
    modes,
    setting_of_runs,
)
from slrsym.papers.single_location.recovery.sweeps import recover, sweep
