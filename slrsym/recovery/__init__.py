"""Recovery of the oracle from uniform starts: counts, and sweeps over settings."""

from slrsym.recovery.separation import Mode, Separation, mode_sizes, modes, separation, setting_of
from slrsym.recovery.setting import NEAR, VERDICTS, Setting, verdicts
from slrsym.recovery.sweeps import recover, sweep
from slrsym.runs import wilson
