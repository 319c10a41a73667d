r"""Derivatives against the functions that they belong to, by the remainders of Taylor's formula.

A cost f is followed along a curve through a point x in a direction u. If the gradient is right,
:math:`f(x(t)) - f(x) - t \langle g, u \rangle` falls like :math:`t^2`, and if the Hessian is right
too, what is left after the next term falls like :math:`t^3`: the slope of a straight line on
logarithmic axes, which is returned as a number, and drawn on request. A slope of 1 says that the
gradient is wrong, a slope of 2 that the Hessian is.

Costs are the user's own, of arrays of any shape, in Euclidean space or on a manifold.
"""

from slrsym.testing.derivatives.checks import check_gradient as check_gradient
from slrsym.testing.derivatives.checks import check_hessian as check_hessian
from slrsym.testing.derivatives.checks import check_retraction as check_retraction
from slrsym.testing.derivatives.manifolds import Manifold as Manifold
from slrsym.testing.derivatives.manifolds import UnitSpheres as UnitSpheres
from slrsym.testing.derivatives.remainders import TaylorCheck as TaylorCheck
