r"""Equality of expressions, decided by a normal form.

An expression becomes a sum of terms :math:`c \prod_i g_i^{e_i} \exp(q)`, with c rational,
generators :math:`g_i` and exponents :math:`e_i` rational, and q again a normal form. Generators are
symbols, :math:`\pi`, i, primes under a root, *roots* (a polynomial that occurs with a negative or
fractional exponent) and *atoms* (erf, Owen's T, an expectation, ... of arguments in normal form).

Two expressions are reported equal only if the numerator of their difference vanishes term by term,
so the answer "equal" is a proof. Powers are principal, and a root of a product is the product of
roots only where all factors but one are known to be positive.

The modules, each built on those before it: ``elements`` (sums of terms), ``ring`` (products, and
what is zero), ``powers``, ``atoms``, ``binders`` (integrals and sums), ``expectations``,
``algebra`` (any expression). ``rewriting`` says which functions are written by means of others;
``comparison`` finds equality that needs no normal form.
"""

from slrsym.search.algebra.algebra import Algebra as Algebra
from slrsym.search.algebra.atoms import partial_derivative as partial_derivative
from slrsym.search.algebra.comparison import is_same_multiplied_out as is_same_multiplied_out
from slrsym.search.algebra.elements import NotNormalizable as NotNormalizable
from slrsym.search.algebra.expectations import Freedom as Freedom
