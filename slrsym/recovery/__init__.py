"""Who recovers and who does not: descent from uniform starts, in numbers, and sweeps over them."""

from slrsym.montecarlo.proportions import wilson as wilson
from slrsym.recovery.separation import Mode as Mode
from slrsym.recovery.separation import Separation as Separation
from slrsym.recovery.separation import mode_sizes as mode_sizes
from slrsym.recovery.separation import modes as modes
from slrsym.recovery.separation import separation as separation
from slrsym.recovery.separation import setting_of as setting_of
from slrsym.recovery.setting import NEAR as NEAR
from slrsym.recovery.setting import VERDICTS as VERDICTS
from slrsym.recovery.setting import Setting as Setting
from slrsym.recovery.setting import verdicts as verdicts
from slrsym.recovery.sweeps import recover as recover
from slrsym.recovery.sweeps import sweep as sweep
