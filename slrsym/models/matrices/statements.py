"""Data and predictors whose sizes are symbols: prompts of regressions, and linear teachers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from sympy import Expr, Identity

from slrsym.matrices.letters import Letter, Size, matrix
from slrsym.matrices.means import MatrixMean
from slrsym.models.definition.specification import exact_expression

Law: TypeAlias = tuple[Letter, Any, Any]
_ONE = Identity(1)


class PromptWords(NamedTuple):
    """What a predictor may use of a prompt.

    Attributes
    ----------
    S : matrix
        The sample covariance ``X X'/N`` of the inputs X.
    b : matrix
        The vector ``X y/N`` of inputs and labels.
    x : matrix
        The query, a vector.
    """

    S: Any
    b: Any
    x: Any


class Prompt:
    """Prompts of a linear regression: N pairs of an input and a label, and a query.

    The inputs are independent, with mean 0 and a covariance L; the label of an input z is ``w.z +
    sigma e``, for a task w of covariance T that each prompt draws, and a standard normal e. The
    query x is another input. Its label is ``w.x``, without noise.

    Parameters
    ----------
    d : Size
        The dimension of an input.
    pairs : Size
        The number N of pairs.
    covariance, task : matrix, optional
        L and T: each an ``Identity(d)``, the default, or a letter made by `covariance`.
    noise : Expr, optional
        sigma, a nonnegative number or symbol; 0 by default.

    Raises
    ------
    TypeError
        If a size is none.
    ValueError
        If the noise may be negative.
    ProofError
        If `covariance` or `task` is no covariance of size d.

    Notes
    -----
    The matrices X, w, x and xi of a prompt have these names, which others must not have.

    Examples
    --------
    >>> from slrsym.matrices import Size, covariance
    >>> from slrsym.models.matrices import Prompt
    >>> d, N = Size("d"), Size("N")
    >>> Prompt(d, pairs=N, covariance=covariance("L", d)).words.S
    1/N*X*X.T
    """

    def __init__(
        self, d: Size, pairs: Size, covariance: Any = None, task: Any = None, noise: Any = 0
    ) -> None:
        X, w, x, xi = (
            matrix(*of) for of in (("X", d, pairs), ("w", d, 1), ("x", d, 1), ("xi", pairs, 1))
        )
        L, T = (Identity(d) if c is None else c for c in (covariance, task))
        self.noise, labels = _nonnegative(noise), X.T * w
        self.laws: tuple[Law, ...] = (X, L, Identity(pairs)), (x, L, _ONE), (w, T, _ONE)
        if self.noise != 0:
            self.laws += ((xi, Identity(pairs), _ONE),)
            labels += self.noise * xi
        # Whether these are laws.
        MatrixMean(0, *self.laws)
        #: What a predictor may use: the matrix ``S = X X'/N``, ``b = X y/N`` and the query x.
        self.words = PromptWords(X * X.T / pairs, X * labels / pairs, x)
        self.target = w.T * x

    def error_of(self, product: Any) -> Any:
        """Return the error of the prediction b' P x, for a matrix P.

        Parameters
        ----------
        product : matrix
            The matrix P.

        Returns
        -------
        MatrixExpr
        """
        return self.words.b.T * product * self.words.x - self.target


class RegressionWords(NamedTuple):
    """What a predictor may use of a regression.

    Attributes
    ----------
    x : matrix
        The input, a vector.
    """

    x: Any


class Regression:
    """A linear teacher: inputs x of covariance L, and labels ``A x + sigma e``.

    Parameters
    ----------
    teacher : Letter
        The matrix A, of any shape, made by `matrix`.
    covariance : matrix, optional
        L, an identity (the default) or a letter made by `covariance`, of as many rows as A has
        columns.
    noise : Expr, optional
        sigma, a nonnegative number or symbol; 0 by default. The entries of e are independent and
        standard normal.

    Raises
    ------
    TypeError
        If the teacher is no letter.
    ValueError
        If the noise may be negative.
    ProofError
        If `covariance` is none of this size.

    Notes
    -----
    The vectors x and xi have these names, which others must not have.

    Examples
    --------
    >>> from slrsym.matrices import Size, matrix
    >>> from slrsym.models.matrices import Regression
    >>> d, k = Size("d"), Size("k")
    >>> Regression(matrix("A", k, d)).target
    A*x
    """

    def __init__(self, teacher: Letter, covariance: Any = None, noise: Any = 0) -> None:
        if not isinstance(teacher, Letter):
            raise TypeError(
                f"teacher must be a letter, such as slrsym.matrices.matrix('A', k, d); got "
                f"{teacher!r}"
            )
        rows, d = teacher.shape
        self.words, noises = RegressionWords(matrix("x", d, 1)), matrix("xi", rows, 1)
        self.noise = _nonnegative(noise)
        L = Identity(d) if covariance is None else covariance
        self.laws: tuple[Law, ...] = ((self.words.x, L, _ONE),)
        self.target = teacher * self.words.x
        if self.noise != 0:
            self.laws += ((noises, Identity(rows), _ONE),)
            self.target += self.noise * noises
        MatrixMean(0, *self.laws)

    def error_of(self, product: Any) -> Any:
        """Return the error of the prediction P x, for a matrix P.

        Parameters
        ----------
        product : matrix
            The matrix P.

        Returns
        -------
        MatrixExpr
        """
        return product * self.words.x - self.target


class LinearAttention:
    """Linear attention on prompts, by a formula or by layers.

    Parameters
    ----------
    predict : callable, optional
        A function of the prompt's words, with ``S``, ``b`` and ``x``, that returns the prediction,
        a matrix of size 1 x 1, such as ``lambda p: u * p.b.T * U * p.x``. A sum of such terms has
        several heads.
    layers : sequence of matrix or Expr, optional
        In place of it: matrices or numbers ``A_1, A_2, ...``. Layer l adds ``A_l (b - S v)`` to an
        estimate v of the task that begins at 0; the prediction is ``v.x``.

    Raises
    ------
    TypeError
        If both are given, or none.

    Examples
    --------
    >>> from slrsym.matrices import Size, matrix
    >>> from slrsym.models.matrices import LinearAttention
    >>> A_1, A_2 = (matrix(name, Size("d")) for name in ("A_1", "A_2"))
    >>> len(LinearAttention(layers=[A_1, A_2]).layers)
    2
    """

    def __init__(
        self,
        predict: Callable[[PromptWords], Any] | None = None,
        *,
        layers: Sequence[Any] | None = None,
    ) -> None:
        if (predict is None) == (not layers):
            raise TypeError(
                "LinearAttention takes either a function, such as lambda p: p.b.T * U * p.x, or "
                f"layers=[A_1, ...]; got {'none' if predict is None else 'both'}"
            )
        self._predict = predict
        self.layers = tuple(map(exact_expression, layers or ()))

    def prediction(self, words: PromptWords) -> Any:
        """Return the prediction from the words of a prompt, a matrix of size 1 x 1.

        Parameters
        ----------
        words : PromptWords

        Returns
        -------
        MatrixExpr

        Raises
        ------
        TypeError
            If the function returns something else.
        """
        if self._predict is None:
            estimate = None
            for layer in self.layers:
                step = words.b if estimate is None else words.b - words.S * estimate
                estimate = layer * step if estimate is None else estimate + layer * step
            return estimate.T * words.x  # type: ignore[union-attr]
        return _of_shape(self._predict(words), 1, "a prediction, such as u * p.b.T * U * p.x")


class LinearNetwork:
    """A deep linear network: the product of its matrices, ``W_L ... W_1 x``.

    Parameters
    ----------
    widths : sequence of Size
        The sizes of the layers, from the input to the output, at least two. Layer l has the matrix
        W_l of ``widths[l]`` rows and ``widths[l - 1]`` columns.
    name : str, optional
        The name of the matrices, by default W.

    Raises
    ------
    ValueError
        If there is only one width.

    Examples
    --------
    >>> from slrsym.matrices import Size
    >>> from slrsym.models.matrices import LinearNetwork
    >>> d, h, k = Size("d"), Size("h"), Size("k")
    >>> LinearNetwork([d, h, k]).matrices
    (W_1, W_2)
    """

    def __init__(self, widths: Sequence[Any], name: str = "W") -> None:
        if len(widths) < 2:
            raise ValueError(f"widths must have at least two sizes; got {list(widths)}")
        pairs = zip(widths[1:], widths, strict=False)
        self.matrices = tuple(
            matrix(f"{name}_{i}", rows, columns) for i, (rows, columns) in enumerate(pairs, 1)
        )

    @property
    def product(self) -> Any:
        """The product of all matrices."""
        found, *rest = self.matrices
        for m in rest:
            found = m * found
        return found

    def prediction(self, words: Any) -> Any:
        """Return the prediction for an input, a vector.

        Parameters
        ----------
        words : RegressionWords

        Returns
        -------
        MatrixExpr
        """
        return self.product * words.x


def _nonnegative(noise: Any) -> Expr:
    noise = exact_expression(noise)
    if not noise.is_nonnegative:
        raise ValueError(
            f"noise must be nonnegative, as Symbol('sigma', nonnegative=True); got {noise}"
        )
    return noise


def _of_shape(e: Any, size: Any, what: str) -> Any:
    e = exact_expression(e)
    if getattr(e, "is_Matrix", False) and tuple(e.shape) == (size, size):
        return e
    raise TypeError(f"predict must return {what}, of size {size} x {size}; got {e}")
