"""The sign of an expression under assumptions: a sound procedure that may fail to decide.

An expression is examined as it stands, by its range (see `slrsym.search.ranges`), and as a quotient
of polynomials in *generators*: symbols, roots, and values of functions. The signs of the
irreducible factors are found one by one, by rules. Every rule is valid at each single point of the
domain, whatever relations there are between the generators.

No rule is applied to an expression that may be undefined somewhere on the domain.

The modules, each built on those before it: ``signs`` (sets of signs), ``polynomials``,
``generators`` (expressions as fractions), ``hypotheses`` (what they say of polynomials),
``factor_rules``, ``inquiry`` (how far questions may lead), ``decider`` (which asks them),
``questions``, ``explanation``.
"""

from slrsym.search.ranges import Facts as Facts
from slrsym.search.sign.explanation import explain as explain
from slrsym.search.sign.questions import holds as holds
from slrsym.search.sign.questions import is_defined as is_defined
from slrsym.search.sign.questions import is_nonzero as is_nonzero
from slrsym.search.sign.questions import sign_of as sign_of
from slrsym.search.sign.signs import Sign as Sign
