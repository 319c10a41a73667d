"""What finds proofs: rules, their engines, and the structure of proofs.

All of it is imported here, and then closed: a rule that is defined later is not the package's.
"""

from slrsym.search import dynamical as _dynamical  # noqa: F401
from slrsym.search import rules as _rules  # noqa: F401
from slrsym.search import solutions as _solutions  # noqa: F401
from slrsym.search import structure as _structure  # noqa: F401
from slrsym.search.step import close as _close
from slrsym.search.structure import citation as _citation  # noqa: F401

_close()
