"""Rigorous ranges: an interval that contains every value of an expression.

Nothing is taken from SymPy's assumption queries on compound expressions. A range is built from what
the symbols declare of themselves, from hypotheses, and from one rule for each kind of node. End
points are exact rationals or infinite; where a value is irrational they are rounded outwards from
ball arithmetic.

`Expectation` and `Integral` nodes are taken to exist: whoever writes one down answers for that.

The modules, each built on those before it: ``rounding`` (ends of intervals), ``intervals`` (their
arithmetic), ``names`` (what symbols declare), ``functions`` and ``binders`` (the rules for single
nodes), ``enclosure`` (expressions), ``facts`` (hypotheses), ``questions``.
"""

from slrsym.search.ranges.enclosure import Enclosure as Enclosure
from slrsym.search.ranges.facts import Facts as Facts
from slrsym.search.ranges.intervals import REALS as REALS
from slrsym.search.ranges.intervals import NoRange as NoRange
from slrsym.search.ranges.intervals import Range as Range
from slrsym.search.ranges.questions import range_of as range_of
