r"""Risks, gradients and outputs by sampling the task, with error bars.

Tokens are drawn as the task says, and predictors are applied to them; nothing that was derived is
used. There are three ways to draw them: whole, from the definition; the coordinates that matter,
exactly in law and at a cost free of d; and the attention scores alone, given which the rest is
averaged in closed form. What a sample is taken of does not differ between these.
"""

from slrsym.montecarlo.estimators import gradient_estimate as gradient_estimate
from slrsym.montecarlo.estimators import output_summary as output_summary
from slrsym.montecarlo.estimators import risk_estimate as risk_estimate
from slrsym.montecarlo.plan import METHODS as METHODS
from slrsym.montecarlo.plan import Directions as Directions
from slrsym.montecarlo.predictors import Erf as Erf
from slrsym.montecarlo.predictors import HardOracle as HardOracle
from slrsym.montecarlo.predictors import Linear as Linear
from slrsym.montecarlo.predictors import Softmax as Softmax
from slrsym.montecarlo.sampling import BLOCK as BLOCK
from slrsym.montecarlo.sampling import Estimate as Estimate
from slrsym.montecarlo.sampling import OutputSummary as OutputSummary
from slrsym.montecarlo.sampling import Quantile as Quantile
