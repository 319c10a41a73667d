r"""A third look at claims about expectations: their laws are sampled, straight from the definition.

Where rules compare normal forms, and quadrature computes integrals to 30 digits, this draws random
numbers in the laws and takes averages. It decides little by itself: a wrong third digit passes. But
it shares no code with the other two, and what it refutes is wrong. `evidence` does the sampling; it
is loaded where there is something to sample.
"""

from slrsym.numbers.montecarlo.result import CONFIRMING as CONFIRMING
from slrsym.numbers.montecarlo.result import NOTICEABLE as NOTICEABLE
from slrsym.numbers.montecarlo.result import MonteCarlo as MonteCarlo
