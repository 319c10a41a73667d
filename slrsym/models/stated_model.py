"""The class of models stated by data and predictor, and the function that makes them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from slrsym.files import text_written_as_well
from slrsym.kernels.arguments import explain_arguments, require_positive
from slrsym.models.definition.description import describe_model
from slrsym.models.definition.exchangeable_units import use_representatives
from slrsym.models.definition.losses import require_loss
from slrsym.models.definition.specification import Predictor, TokenSequence
from slrsym.models.model_runs import ModelWithRuns
from slrsym.registry import load_registered

if TYPE_CHECKING:
    from slrsym.models.matrices import (
        LinearAttention,
        LinearNetwork,
        MatrixModel,
        Prompt,
        Regression,
    )
    from slrsym.models.model_reports import SampledTokenComparison
    from slrsym.models.training.equations import Equations
    from slrsym.models.training.runs import Runs
    from slrsym.prover.claims.claim import Claim


@overload
def model(
    data: TokenSequence,
    predictor: Predictor,
    *,
    inner_products: Mapping[Any, Any] | None = None,
    names: Mapping[Any, Any] | None = None,
    loss: Any = "square",
    ridge: Any = 0,
) -> Model: ...
@overload
def model(data: Prompt | Regression, predictor: LinearAttention | LinearNetwork) -> MatrixModel: ...
@explain_arguments
def model(
    data: Any,
    predictor: Any,
    *,
    inner_products: Mapping[Any, Any] | None = None,
    names: Mapping[Any, Any] | None = None,
    loss: Any = "square",
    ridge: Any = 0,
) -> Model | MatrixModel:
    """Return the model with given data and predictor, from which risk and dynamics follow.

    Parameters
    ----------
    data : TokenSequence, Prompt or Regression
        The tokens and the target; or, of matrices of any size, those of `slrsym.models.matrices`.
    predictor : Predictor, LinearAttention or LinearNetwork
        The function that is trained: linear attention on a prompt, a network on a regression.
    inner_products : mapping of inner products to expression, optional
        Inner products of fixed directions, such as ``{u @ v: 0}``. All others are
        parameters of the model, if it depends on them, but for lengths: these are 1, unless stated
        for a direction without `unit`, as in ``{u @ u: 4}``.
    names : mapping of inner products to Symbol or str, optional
        Symbols to use for order parameters, or their names.
    loss : str or callable, optional
        Of one sample: ``'square'``, ``'absolute'`` or ``'huber'``; of labels 1 and -1
        ``'logistic'``, ``'hinge'``, ``'squared hinge'``, ``'exponential'``, ``'perceptron'`` or
        ``'zero-one'``; of the number of a class, with a list of outputs, ``'cross-entropy'``; or a
        function of label and output, such as ``lambda y, f: (y - f)**4``. But for the square it is
        for data of one token. The square of lists or vectors is the sum over their entries.
    ridge : expression, optional
        Half of it times the squared length of each trained direction that is not on a sphere is
        added to the risk; not negative.

    Returns
    -------
    Model or MatrixModel
        A `slrsym.models.matrices.MatrixModel` for a prompt or a regression.

    Raises
    ------
    ValueError
        If a prompt or a regression has one of the other parameters, which are for tokens.
        If there is no such loss, or label, outputs or tokens do not fit it; if directions are
        at odds: inner products of unit vectors beyond 1, or a Gram matrix that is certainly
        not positive semidefinite; if a direction of the data is declared to be trained, and the
        predictor does not use it, or trained and part of the law of a token; if an inner product is
        named or fixed that the model does not have; if `ridge` is negative or has no lengths to act
        on; if a share is not real and finite for all projections, or not smooth in pieces.
    TypeError
        If `data` or `predictor` is something else, or a share is no expression.

    Examples
    --------
    >>> from sympy import Symbol, erf, sqrt
    >>> from slrsym.models import Direction, Predictor, TokenSequence, Token, model
    >>> d, lam = Symbol("d", positive=True), Symbol("lambda", positive=True)
    >>> L = Symbol("L", integer=True, positive=True)
    >>> k_star, v_star = Direction("k^*", unit=True), Direction("v^*", unit=True)
    >>> k, v = Direction("k", sphere=True), Direction("v", sphere=True)
    >>> one = Token(mean=sqrt(d / 2) * k_star, target=lambda X: X @ v_star)
    >>> attention = Predictor(lambda X: erf(lam * (X @ k)) * (X @ v))
    >>> data = TokenSequence({one: 1, Token(): L - 1})
    >>> len(model(data, attention, inner_products={k_star @ v_star: 0}).order_parameters)
    5
    """
    if not isinstance(data, TokenSequence):
        set_here = {
            "inner_products": inner_products, "names": names, "ridge": ridge,
            "loss": None if loss == "square" else loss,
        }  # fmt: skip
        return _model_of_matrices(data, predictor, {k: v for k, v in set_here.items() if v})
    if not isinstance(predictor, Predictor):
        raise TypeError(f"predictor must be a slrsym.models.Predictor; got {predictor!r}")
    of = None if require_loss(loss) == "square" else loss
    return Model(data, predictor, dict(inner_products or {}), dict(names or {}), of, ridge)


def _model_of_matrices(data: Any, predictor: Any, settings: Mapping[str, Any]) -> MatrixModel:
    """Return the model with the data of a prompt or a regression, which takes no settings."""
    from slrsym.models.matrices import MatrixModel, Prompt, Regression

    if not isinstance(data, Prompt | Regression):
        raise TypeError(
            "data must be a slrsym.models.TokenSequence, or a Prompt or Regression of "
            f"slrsym.models.matrices; got {data!r}"
        )
    for name, value in settings.items():
        raise ValueError(
            f"{name}={value!r} is for tokens; a {type(data).__name__} has the square as its loss, "
            f"and no such setting: leave {name} out"
        )
    return MatrixModel(data, predictor)


class Model(ModelWithRuns):
    """A model with its exact risk, gradient and training dynamics; created by `model`.

    Parameters
    ----------
    data : TokenSequence
    predictor : Predictor
    inner_products, names : mapping of inner products to expressions
        As of `model`.
    loss : str or callable, optional
        As of `model`; None is the squared error.
    ridge : expression, optional
        As of `model`.

    Raises
    ------
    ValueError
        As `model` does.
    """

    def __repr__(self) -> str:
        return describe_model(self)

    def _repr_html_(self) -> str:
        return str(load_registered("model.html")(self))

    # The modules of runs and of studies are loaded on first use: proofs need none of them.
    @explain_arguments
    def equations(
        self,
        kind: str,
        *,
        rate: Any = None,
        decay: Any = 0,
        batch: Any = 1,
        momentum: Any = 0,
        train: Any = (),
        symmetric: bool = False,
    ) -> Equations:
        r"""Derive the equations of motion of the order parameters under a kind of training.

        Parameters
        ----------
        kind : {'gradient-flow', 'projected-descent', 'online-sgd'}
            Motion against the gradient of the risk in continuous time; a step of descent; or a step
            for each fresh sample, with a rate over d, in the limit of large d.
        rate : expression or mapping, optional
            The rate of all directions and scalars, or of each by itself; groups of exchangeable
            directions may be keys. By default a symbol, ``rate``. The loss has no factor 1/2: the
            learning rate :math:`\eta` of Saad and Solla (1995), who have it, is twice the rate.
        decay : expression or mapping, optional
            Weight decay :math:`\kappa` of directions that are not on spheres, or of each direction
            and scalar by itself: a step takes :math:`\kappa x` off, over d for online SGD.
        batch, momentum : expression, optional
            Of online SGD: how many fresh samples a step has, whose gradients are averaged; and the
            part of the last step that a step adds, from 0 to below 1.
        train : Symbol or sequence of Symbol, optional
            Scalars of the predictor that are trained, too, such as a second layer.
        symmetric : bool, optional
            Whether to restrict the equations to the subspace where exchangeable units, those of
            `Directions`, are alike. It is invariant. If their number is a symbol, it always is so.

        Returns
        -------
        Equations

        Raises
        ------
        ValueError
            If `kind` is none of these; if a rate, decay, batch or momentum is out of its range or
            of something that has none; if the predictor has softmax or tokens are correlated; if
            online SGD has no limit of large d, as with means whose length grows with d.
        NotClosedError
            If a mean in the equations has neither a closed form nor a quadrature.

        Examples
        --------
        >>> from sympy import Symbol
        >>> from slrsym.models import Direction, Predictor, TokenSequence, Token, model
        >>> w, u = Direction("w"), Direction("u", unit=True)
        >>> data = TokenSequence({Token(target=lambda X: X @ u): 1})
        >>> linear = model(data, Predictor(lambda X: X @ w), names={w @ u: Symbol("R", real=True)})
        >>> linear.equations("gradient-flow").drift[1]
        -2*rate*(R - 1)
        """
        from slrsym.models.training.equations import Equations
        from slrsym.models.training.rates_of_change import checked_training_settings

        stated = self
        if symmetric and not self.uses_representatives:
            with use_representatives():
                stated = type(self)(self.data, self.predictor, *self.stated_products, self.ridge)
            if not stated.uses_representatives:
                raise ValueError(
                    "symmetric=True needs exchangeable units: state them as Directions, whose sum "
                    "is a part of the predictor or of the target"
                )
        motion = checked_training_settings(stated, kind, rate, decay, train, batch, momentum)
        return Equations(stated, motion)

    @explain_arguments
    def solve_online_descent(
        self,
        values: Mapping[Any, Any],
        *,
        rate: float,
        time: float,
        start: Any = "uniform",
        points: int = 201,
        rng: Any = None,
    ) -> Runs:
        """Integrate the equations of online descent (a fresh sample for each step) for large d.

        A short form of ``equations("online-sgd").solve(...)``.

        Parameters
        ----------
        values : mapping of Symbol or str to number
            The parameters of the model, and ``d`` if the start is drawn.
        rate : float
            d times the step size, positive, for the squared error: half the learning rate of papers
            that descend on half of the square.
        time : float
            Number of steps over d, positive.
        start : str, mapping, array_like, path or Dataset, optional
            One initial point, as of `simulate`; as a Gram matrix, of shape (p, p).
        points : int, optional
            Number of times, from 0 to `time`, at least 2.
        rng : int or Generator, optional
            Seed of the random start.

        Returns
        -------
        Runs
            As of `Equations.solve`.

        Raises
        ------
        TypeError
            If `rate` or `time` is missing, or a parameter has no such name.
        ValueError
            If the equations have no limit of large d, as `equations` says; if a parameter is
            missing or out of its range, `start` does not fit this model, or the equations cannot be
            solved.
        """
        values = {**values, "rate": require_positive("rate", rate)}
        return self._online_equations.solve(values, start, time, points=points, rng=rng)

    @cached_property
    def _online_equations(self) -> Equations:
        return self.equations("online-sgd")

    @explain_arguments
    def check(
        self,
        values: Mapping[Any, Any],
        *,
        start: Any = "uniform",
        samples: int = 100_000,
        method: str = "auto",
        antithetic: bool = False,
        curvature: bool = False,
        rng: Any = None,
    ) -> SampledTokenComparison:
        """Compare risk and gradient at a point with sampled tokens.

        Parameters
        ----------
        values : mapping of Symbol or str to number
            The parameters of the model, and ``d``, an integer of at least 2, if the start is drawn
            or tokens are whole. Eigenspaces have dimensions as equal as possible.
        start : optional
            The directions: one point, as of `simulate`; a random one by default.
        samples : int, optional
            Number of sequences of tokens, at least 2; with pairs, both of a pair count.
        method : {'auto', 'plain', 'projected', 'conditioned'}, optional
            ``plain`` draws whole tokens in R^d, as the model states them; ``projected`` their
            projections alone, exactly in law and at a cost free of d; ``conditioned`` the
            projections in which shares are not affine, over the rest of which risk and moments are
            averaged in closed form. The default draws whole tokens, unless these are more than 1e9
            numbers.
        antithetic : bool, optional
            Whether to draw pairs of samples that mirror each other, of projections.
        curvature : bool, optional
            Whether to compare the Hessian, too, by the second derivative along a random geodesic.
            It is left out for softmax and for shares with kinks, where it is no mean over tokens.
        rng : int or Generator, optional
            Seed of the point and the samples.

        Returns
        -------
        SampledTokenComparison
            With the z-score of the risk, of each component of the gradient, and of the curvature;
            and in ``moments`` the means of the output, its square, and its product with the target.

        Raises
        ------
        TypeError
            If a parameter has no such name.
        ValueError
            If a parameter is missing or out of its range.
        """
        from slrsym.models.model_reports import compare_with_sampled_tokens

        return compare_with_sampled_tokens(
            self, values, start=start, samples=samples, method=method, antithetic=antithetic,
            curvature=curvature, rng=rng,
        )  # fmt: skip

    def claims(self, name: str = "model", source: str = "new") -> list[Claim]:
        """Return the derived results as claims, for a derivation file that `slrsym verify` checks.

        Parameters
        ----------
        name : str, optional
            Prefix of the ids, in lower case.
        source : str, optional
            Of the claims.

        Returns
        -------
        list of Claim
            The law of the projections of each role of tokens, and if the risk has a closed form,
            the risk against its definition, and its gradient. A readout of sums has none.
        """
        from slrsym.models.claims.risk_claims import claims_about_model

        return claims_about_model(self, name, source)

    def to_latex(self, file: str | Path | None = None) -> str:
        """Return the model's laws of projections, risk and gradient as LaTeX text.

        Parts that are repeated or wide are abbreviated, and lines are broken for a text of 6.5 in.
        Before a line that is wider stands a comment that says so.

        Parameters
        ----------
        file : str or Path, optional
            Where to write the text as well.

        Returns
        -------
        str
            Displays for a document with amsmath.

        Raises
        ------
        ValueError
            If the file cannot be written.
        """
        return text_written_as_well(lambda: load_registered("model.latex")(self), file)
