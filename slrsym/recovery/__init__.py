"""Recovery of the oracle from random starts: counts of endpoints, and sweeps over settings."""

from slrsym.models.training.runs import wilson_intervals
from slrsym.recovery.setting import NEAR, VERDICTS, Setting, classify_states
from slrsym.recovery.swap_prediction import (
    Mode,
    SwapPrediction,
    components_along_modes,
    fit_swap_prediction,
    modes,
    setting_of_runs,
)
from slrsym.recovery.sweeps import recover, sweep
