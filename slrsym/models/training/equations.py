r"""Equations of motion of a stated model: read, solve, linearise and compile them.

The descent is on the mean R of the squared error, *without* a factor 1/2. One sample has the error
e and the gradient :math:`g_x = \nabla_x e^2`; x has the rate r, and loses the part :math:`\kappa`
to weight decay. Then each kind of equations is about

=====================  =========================================================  =================
kind                   motion                                                     time
=====================  =========================================================  =================
``gradient-flow``      :math:`\dot x = -r \nabla_x R - \kappa x`                  continuous
``projected-descent``  :math:`x \to x - r \nabla_x R - \kappa x`                  steps
``online-sgd``         :math:`x \to x - (r\,g_x + \kappa x)/d`, d to infinity     steps / d
=====================  =========================================================  =================

On a sphere the motion is tangent, and a step ends at length 1. Papers that descend on half the
square, such as Saad and Solla (1995) and Goldt et al. (2019), have a learning rate
:math:`\eta = 2r`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from slrsym.models.training.equation_system import EquationSystem
from slrsym.models.training.motion_in_planes import MotionInPlanes

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from slrsym.models.training.fixed_points import FixedPoint
    from slrsym.models.training.runs import Runs
    from slrsym.prover.claims.claim import Claim
    from slrsym.prover.statements.flows import Flow


class Equations(EquationSystem, MotionInPlanes):
    """The equations of motion in the order parameters of a model; created by `Model.equations`.

    Parameters
    ----------
    model : Model
    motion : TrainingSettings
        Kind, rates, decays and trained scalars.

    Raises
    ------
    ValueError
        As `Model.equations` does.
    """

    def fixed_points(
        self,
        values: Mapping[Any, Any] | None = None,
        *,
        starts: int | ArrayLike = 50,
        rng: Any = None,
        certified: bool = False,
    ) -> list[FixedPoint]:
        """Search for fixed points of the equations of motion from random or given starts.

        Parameters
        ----------
        values : mapping of Symbol or str to number, optional
            The parameters.
        starts : int or array_like of shape (count, n), optional
            The number of random starts, at least 1, or the points to start from.
        rng : int or Generator, optional
            Seed of the starts.
        certified : bool, optional
            Whether to enclose each in a box that certainly has exactly one fixed point. Those of a
            continuum have none.

        Returns
        -------
        list of FixedPoint
            By their risk. There may be others.

        Raises
        ------
        ValueError
            If a parameter is missing, or belongs to no symbol of the equations.
        """
        from slrsym.models.training.fixed_points import search_fixed_points

        return search_fixed_points(self, values, starts=starts, rng=rng, certified=certified)

    def solve(
        self,
        values: Mapping[Any, Any] | None = None,
        start: Any = "uniform",
        time: float = 1.0,
        *,
        points: int = 201,
        tolerance: float = 1e-9,
        rng: Any = None,
        backend: str = "auto",
        path: str | Path | None = None,
    ) -> Runs:
        """Solve the equations of motion in time from one start; return a dataset.

        Parameters
        ----------
        values : mapping of Symbol or str to number, optional
            The parameters, and of a trained scalar its initial value; ``d`` if the start is drawn.
        start : str, mapping, array_like, path or Dataset, optional
            As of `Model.simulate`, one point, as a Gram matrix of shape (p, p); or a mapping of the
            order parameters to numbers, which exchangeable units need.
        time : float, optional
            Until when, positive; of projected descent, the number of steps.
        points : int, optional
            Number of times, from 0 to `time`, at least 2.
        tolerance : float, optional
            Relative error of a step in time, positive; absolute errors are a hundredth of it.
        rng : int or Generator, optional
            Seed of a random start.
        backend : {'auto', 'numpy', 'numba'}, optional
        path : path, optional
            A file .nc to save the result in.

        Returns
        -------
        Runs
            Over ``time``: the order parameters and trained scalars by their names, ``risk``, and in
            ``gram`` the inner products of all directions, unless units are exchangeable.

        Raises
        ------
        ValueError
            If a parameter is missing or out of its range, or `start` does not fit.
        NotSolvedError
            If the equations cannot be solved up to `time`, as where a rate of change is not finite.
            It says where, and has what was solved as its ``result``, which `path` has, too.
        """
        from slrsym.models.training.solutions import solve

        return solve(
            self, values or {}, start, time, points=points, tolerance=tolerance, rng=rng,
            backend=backend, path=path,
        )  # fmt: skip

    def solve_fluctuations(
        self,
        values: Mapping[Any, Any] | None = None,
        start: Any = "uniform",
        time: float = 1.0,
        *,
        leading: bool = False,
        points: int = 201,
        tolerance: float = 1e-9,
        rng: Any = None,
        path: str | Path | None = None,
    ) -> Runs:
        """Solve the equations of online SGD with the covariance of runs at a finite dimension.

        It is that of the linear stochastic differential equation around the solution, with
        `diffusion`. ``plot`` draws the band in which runs are predicted.

        Parameters
        ----------
        values : mapping of Symbol or str to number, optional
            As of `solve`, and ``d``, an integer of at least 2.
        start, time, points, tolerance, rng, path
            As of `solve`. All runs have the same start.
        leading : bool, optional
            Whether to take `leading_diffusion`, as for small learning rates.

        Returns
        -------
        Runs
            As of `solve`, with ``covariance`` over ``time, quantity, other_quantity``: order
            parameters, trained scalars and ``risk``, this to first order.

        Raises
        ------
        ValueError
            As `solve` does; if ``d`` is missing; if the equations are not those of online SGD, or
            are of exchangeable units.
        NotClosedError
            If a mean in the diffusion has neither a closed form nor a quadrature.
        NotSolvedError
            As `solve` does.
        """
        from slrsym.models.training.fluctuations import solve_fluctuations

        return solve_fluctuations(
            self, values or {}, start, time, leading=leading, points=points, tolerance=tolerance,
            rng=rng, path=path,
        )  # fmt: skip

    def sweep(
        self,
        values: Mapping[Any, Any] | None = None,
        start: Any = "uniform",
        time: float = 1.0,
        *,
        points: int = 201,
        tolerance: float = 1e-9,
        rng: Any = None,
        backend: str = "auto",
        executor: Executor | Callable[[], Executor] | None = None,
        workers: int | None = None,
        path: str | Path | None = None,
        progress: bool | None = None,
    ) -> Runs:
        """Solve the equations of motion at each point of a parameter grid; return a dataset.

        Parameters
        ----------
        values : mapping of Symbol or str to number or list of numbers, optional
            As of `solve`. Each list is an axis of the grid; its numbers differ.
        start, time, points, tolerance, rng, backend
            As of `solve`. A random start is drawn with the same seed at each point.
        executor : concurrent.futures.Executor or callable, optional
            Where to solve, such as that of a Dask client, or a function that makes one.
        workers : int, optional
            How many processes, without an executor; at least 1, by default one for each core.
        path : path, optional
            A file .nc for the result. If it exists, it is read. What was interrupted goes on from
            the folder beside it, which holds the points that are solved.
        progress : bool, optional
            Whether to show progress; by default on a terminal, and a line every 30 s elsewhere.

        Returns
        -------
        Runs
            Over the axes and ``time``: the order parameters and trained scalars by their names, and
            ``risk``. They are NaN from where the equations cannot be solved.

        Warns
        -----
        RuntimeWarning
            If they cannot be solved up to `time` at some points.

        Raises
        ------
        ValueError
            As `solve` does; or if an axis has a number twice, or the file has another grid.
        """
        from slrsym.models.training.solutions_on_grid import sweep

        return sweep(
            self, values or {}, start, time, points=points, tolerance=tolerance, rng=rng,
            backend=backend, executor=executor, workers=workers, path=path, progress=progress,
        )  # fmt: skip

    def claims(self, name: str = "equations", source: str = "new") -> list[Claim]:
        """Return claims that the equations follow from the definition of a step of descent.

        Parameters
        ----------
        name : str, optional
            Prefix of the ids, in lower case.
        source : str, optional
            Of the claims.

        Returns
        -------
        list of Claim
            The closed form of each mean in the equations, from its definition at any law; and that
            the subspace where exchangeable units are alike is invariant.

        Raises
        ------
        ValueError
            If a mean of a loss is a quadrature, or the prediction is a readout of several sums.
        """
        from slrsym.models.claims.equation_claims import claims_about_equations

        return claims_about_equations(self, name, source)

    def flow(self) -> Flow:
        """Return the gradient flow as a `Flow`, of which statements can be proved.

        Returns
        -------
        Flow
            Its coordinates are the state, declared real alone. Its domain, read off the closed
            forms, is where they are smooth.

        Raises
        ------
        ValueError
            If the equations are of another kind, or have no closed form of smooth functions, or
            parameters are not declared so that the domain can be read off.
        """
        from slrsym.models.claims.model_flow import flow_of_equations

        return flow_of_equations(self)

    def flow_claims(
        self,
        *about: str,
        at: Mapping[Any, Any] | None = None,
        name: str = "equations",
        source: str = "new",
    ) -> list[Claim]:
        """Return claims about all trajectories of the gradient flow, with their proofs.

        Parameters
        ----------
        *about : {'gram-kept', 'risk-falls', 'conserved', 'sector-kept', 'rates', 'few-starts'}
            What they say: that the Gram determinant does not become negative, that the risk never
            rises, that quadratic functions are constant, that units which are alike stay so; of a
            fixed point, the eigenvalues of the Jacobian, and that almost no start ends there. By
            default all that can be stated.
        at : mapping, optional
            The exact coordinates of a fixed point, by symbols, names or inner products, for
            ``rates`` and ``few-starts``.
        name : str, optional
            Prefix of the ids, in lower case.
        source : str, optional
            Of the claims.

        Returns
        -------
        list of Claim
            Also those that their proofs cite. Of several directions, they are about the flow where
            the smaller Gram determinants are positive.

        Raises
        ------
        ValueError
            As `flow` does; or if units are alike or in several eigenspaces, or one of `about`
            cannot be stated, as that the risk falls where weights decay; or if `at` is no fixed
            point, or `few-starts` is asked of one that is no saddle.
        """
        from slrsym.models.claims.flow_claims import claims_about_flow

        return claims_about_flow(self, name, source, about, at)
