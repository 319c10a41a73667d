"""Laws that are laws: covariances positive semidefinite wherever a claim speaks of them.

A claim is meant for the parameters for which the laws of its own statement exist. A step must not
bring in others unless these exist too, or what it concludes about their parameters would be false
where they do not.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

from sympy import Basic, ImmutableMatrix, Matrix

from slrsym.gaussian.law import GaussianLaw, Law, NoiseLaw
from slrsym.search.semidefinite import is_semidefinite
from slrsym.statements.errors import Refused

if TYPE_CHECKING:
    from slrsym.search.context import Context

__all__ = ["covariances", "require_laws"]


def _laws(statement: Basic) -> dict[Law, ImmutableMatrix]:
    """The indecomposable laws of a statement, each with its covariance matrix."""
    found: dict[Law, ImmutableMatrix] = {}
    for law in statement.atoms(Law):
        for block in law.blocks():
            if isinstance(block, GaussianLaw):
                found[block] = ImmutableMatrix(block.cov)
            elif isinstance(block, NoiseLaw):
                found[block] = ImmutableMatrix([[block.variance]])
    return found


def covariances(*statements: Basic) -> tuple[ImmutableMatrix, ...]:
    """The covariance matrices of the laws that some statements speak of."""
    return tuple(dict.fromkeys(m for s in statements for m in _laws(s).values()))


def _is_part(small: ImmutableMatrix, large: ImmutableMatrix) -> bool:
    """Whether a matrix is a principal submatrix of another, in any order."""
    rows = permutations(range(large.shape[0]), small.shape[0])
    return any(large.extract(list(chosen), list(chosen)) == small for chosen in rows)


def require_laws(statement: Basic, context: Context) -> None:
    """Refuse unless every law of a step's statement is one of the claim's, or certainly a law."""
    for law, matrix in _laws(statement).items():
        if any(_is_part(matrix, known) for known in context.covariances):
            continue
        if not is_semidefinite(Matrix(matrix), context):
            names = ", ".join(map(str, law.symbols))
            raise Refused(
                f"the law of ({names}) may not exist here: its covariance {matrix.tolist()} is not "
                f"known to be positive semidefinite, and the claim does not speak of it"
            )
