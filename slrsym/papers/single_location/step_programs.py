"""Programs of a step of descent of the task's model: of k and v, or on M of kappa and nu."""

from __future__ import annotations

import numpy as np

from slrsym.kernels.program import Program
from slrsym.models.training.invariant_sets import find_invariant_set
from slrsym.models.training.reduced_steps import ReducedStep
from slrsym.papers.single_location.models import task_model

# Vectors k and v in an orthonormal basis k*, v*, x, y, such as no symmetry relates; and on M.
_ANYWHERE, _ON_M = [[1, 3, 4, 2], [2, 4, 1, 5]], [[3, 0, 4, 0], [0, 4, 0, 3]]


def descent_step_program(on_manifold: bool) -> Program:
    """Return the program of one step of descent, of coordinates of k and v.

    Parameters
    ----------
    on_manifold : bool
        Whether k and v are on the manifold of Lemma 6: k in the plane of k* and x, v in that of v*
        and y.

    Returns
    -------
    Program
        Of those coordinates that `slrsym.papers.single_location.dynamics.engines.COORDINATES` has,
        with the parameters L, d, epsilon, gamma, lambda, and the step size.
    """
    model, points = task_model(), np.array(_ON_M if on_manifold else _ANYWHERE, dtype=np.float64)
    # The fixed directions are v* and k*, in this order.
    rows = np.vstack([points / np.linalg.norm(points, axis=1, keepdims=True), np.eye(4)[[1, 0]]])
    kept = find_invariant_set(model, (rows @ rows.T)[None, None])
    return ReducedStep(model, kept, np.eye(4)[None]).program
