"""Committee machines as models."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Symbol, erf, sqrt

from slrsym.kernels.arguments import require_integer
from slrsym.models.definition.specification import Direction, Predictor, Token, TokenSequence
from slrsym.models.stated_model import Model, model

__all__ = ["Committee", "committee"]

# Standard deviation of the noise.
epsilon = Symbol("epsilon", nonnegative=True)


@dataclass(frozen=True)
class Committee:
    """A committee machine with its groups of student and teacher directions.

    Parameters
    ----------
    model : Model
    students, teachers : tuple of Direction
    """

    model: Model
    students: tuple[Direction, ...]
    teachers: tuple[Direction, ...]


def committee(students: int = 2, teachers: int = 2) -> Committee:
    r"""Return the model of a soft committee machine of erf units (Saad and Solla, 1995).

    One token, standard normal; the target is :math:`\sum_n g(X \cdot u_n)`, the prediction
    :math:`\sum_i g(X \cdot w_i)`, with :math:`g(x) = \operatorname{erf}(x/\sqrt2)`.

    Parameters
    ----------
    students, teachers : int, optional

    Returns
    -------
    Committee
        Teachers are orthonormal; students are free.

    Raises
    ------
    ValueError
        If there are no students or no teachers.
    """
    students = require_integer("students", students, 1)
    teachers = require_integer("teachers", teachers, 1)
    w = tuple(Direction(f"w_{i + 1}") for i in range(students))
    u = tuple(Direction(f"u_{n + 1}", unit=True) for n in range(teachers))
    data = TokenSequence(
        {Token(target=lambda X: sum(erf((X @ x) / sqrt(2)) for x in u)): 1}, noise=epsilon
    )
    predictor = Predictor(lambda X: sum(erf((X @ x) / sqrt(2)) for x in w))
    given = {x @ y: 0 for i, x in enumerate(u) for y in u[:i]}
    return Committee(model(data, predictor, inner_products=given), w, u)
