r"""Values of the risk and its derivatives to many digits, from the definition.

Nothing here knows a closed form. Given the location, tokens are independent, so that the mean of
the squared error is made of means over one token each. Given its score :math:`k \cdot X`, what else
is seen of a token is Gaussian, by the definition of the task, and polynomials in it have means that
are polynomials in its conditional mean and covariance. What is left are integrals over one standard
normal variable, of powers of erf and of the variable; they are done by quadrature. Derivatives are
differences of values, taken with so many digits that enough of them are left.

``python -m slrsym.testing.reference`` computes the values that are kept in ``slrsym/testing/data``,
at points of its own choice; `risk_references` and `zeta_references` read them. Inputs are binary
numbers and stand there exactly, in hexadecimal notation.

Notes
-----
The trapezoidal rule on the whole line converges faster than any power of its step for such
integrands. Two grids, one in the gaps of the other, have to agree; one of them also has the
differences of half the length, so that these have to agree, too.
"""

from slrsym.testing.reference.definition import compute_risk as compute_risk
from slrsym.testing.reference.definition import compute_zeta as compute_zeta
from slrsym.testing.reference.records import DIGITS as DIGITS
from slrsym.testing.reference.records import Derivatives as Derivatives
from slrsym.testing.reference.records import RiskReference as RiskReference
from slrsym.testing.reference.records import Setting as Setting
from slrsym.testing.reference.records import ZetaReference as ZetaReference
from slrsym.testing.reference.regions import RISK_REGIONS as RISK_REGIONS
from slrsym.testing.reference.regions import ZETA_REGIONS as ZETA_REGIONS
from slrsym.testing.reference.tables import risk_references as risk_references
from slrsym.testing.reference.tables import zeta_references as zeta_references
