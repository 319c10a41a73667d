"""Old name of the module `slrsym.models.examples`, importable until version 0.3."""

import sys
import warnings

from slrsym.models import examples

warnings.warn(
    "slrsym.models.instances is called slrsym.models.examples now", DeprecationWarning, stacklevel=2
)
sys.modules[__name__] = examples
