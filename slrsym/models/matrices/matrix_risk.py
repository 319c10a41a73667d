"""The risk of a model on matrices as a polynomial in traces, its gradient, and both compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import sympy as sp
from sympy import Expr, Symbol, Trace

from slrsym.matrices.letters import Letter, Size
from slrsym.matrices.means import MatrixMean
from slrsym.matrices.trace_polynomials import TraceAlgebra, TracePolynomial, Words
from slrsym.models.matrices.matrix_programs import matrix_function
from slrsym.models.matrices.matrix_values import MatrixValues
from slrsym.models.matrices.statements import (
    LinearAttention,
    LinearNetwork,
    Prompt,
    PromptWords,
    Regression,
)


class MatrixRisk:
    """The exact risk of a model on matrices of any size, and its gradient."""

    def __init__(
        self, data: Prompt | Regression, predictor: LinearAttention | LinearNetwork
    ) -> None:
        kind = {Prompt: LinearAttention, Regression: LinearNetwork}.get(type(data))
        if kind is None:
            raise TypeError(f"data must be a Prompt or a Regression; got {data!r}")
        if not isinstance(predictor, kind):
            raise TypeError(
                f"predictor must be a {kind.__name__} for a {type(data).__name__}; "
                f"got {predictor!r}"
            )
        self.data, self.predictor = data, predictor
        words: Any = data.words
        self.prediction: Any = predictor.prediction(words)
        random = {law[0] for law in data.laws}
        known = random | data.target.free_symbols | data.noise.free_symbols
        free = self.prediction.free_symbols - known
        #: The letters and symbols that are trained, by name.
        self.trained: tuple[Any, ...] = tuple(sorted(filter(_moves, free), key=lambda x: x.name))
        if not self.trained:
            raise ValueError(
                f"the predictor {self.prediction} has nothing to train: no letter made by matrix, "
                "and no real symbol"
            )
        self.algebra = TraceAlgebra()
        self.risk_polynomial: TracePolynomial = self.algebra.polynomial(self.definition)

    def __repr__(self) -> str:
        trained = ", ".join(x.name for x in self.trained)
        known = ", ".join(x.name for x in self.parameters)
        return f"MatrixModel(trained: {trained}; parameters: {known})"

    @property
    def definition(self) -> MatrixMean:
        """The risk by its definition: the mean of the squared error, without a factor 1/2."""
        error = self.prediction - self.data.target
        return MatrixMean(Trace(error * error.T), *self.data.laws)

    @cached_property
    def risk(self) -> Expr:
        """The risk, a polynomial in traces."""
        return self.algebra.expression(self.risk_polynomial)

    @property
    def parameters(self) -> tuple[Any, ...]:
        """The sizes, letters and symbols of the risk that are not trained, by name."""
        letters = {x for x in self.risk.free_symbols if isinstance(x, Letter | Symbol)}
        sizes = {n for x in (*self.trained, *letters) if isinstance(x, Letter)
                 for n in x.shape if isinstance(n, Size)}  # fmt: skip
        return tuple(sorted((letters | sizes) - set(self.trained), key=lambda x: x.name))

    @cached_property
    def slopes(self) -> dict[Any, Any]:
        """The gradient as sums of words, and polynomials in traces for numbers."""
        return {
            x: self.algebra.gradient(self.risk_polynomial, x) if isinstance(x, Letter) else
            {w: slope for w, c in self.risk_polynomial.items() if (slope := sp.diff(c, x)) != 0}
            for x in self.trained
        }  # fmt: skip

    @cached_property
    def gradient(self) -> dict[Any, Any]:
        """The gradient: a matrix for each trained letter, an expression for each number."""
        return {x: self.shown(x, slope) for x, slope in self.slopes.items()}

    def shown(self, x: Any, value: Words | TracePolynomial) -> Any:
        """Return what belongs to a letter or a number as an expression.

        Parameters
        ----------
        x : Letter or Symbol
            The letter or number.
        value : dict
            A sum of words of the letter's shape, or a polynomial in traces.

        Returns
        -------
        matrix or Expr
        """
        if isinstance(x, Letter):
            return self.algebra.matrix_expression(value, *x.shape)  # type: ignore[arg-type]
        return self.algebra.expression(value)  # type: ignore[arg-type]

    @cached_property
    def product(self) -> Any:
        """The matrix P by which the prediction is linear: ``b.T P x``, or ``P x``.

        Raises
        ------
        ValueError
            If the prediction is something else, as with several layers.
        """
        if isinstance(self.predictor, LinearNetwork):
            return self.predictor.product
        d = self.data.words.x.shape[0]
        S, b, x = Letter("S", d, d, "semidefinite"), Letter("b", d, 1), self.data.words.x
        algebra = TraceAlgebra()
        words, _, _ = algebra.matrix(self.predictor.prediction(PromptWords(S, b, x)))
        first, last = algebra.number_of_letter(b), algebra.number_of_letter(x)
        found: Words = {}
        for word, c in words.items():
            inner = word[1:-1]
            ends = word[:1] == (algebra.alphabet.transposed[first],) and word[-1:] == (last,)
            data = {algebra.number_of_letter(y) // 4 for y in (S, b, x)}
            if not ends or data & {y // 4 for y in inner}:
                raise ValueError(
                    f"the prediction {self.prediction} is not b' P x with one matrix P; of several "
                    "layers no minimum is known"
                )
            found[inner] = c
        return algebra.matrix_expression(found, d, d)

    def compile(self, backend: str = "numpy", what: str = "risk") -> Callable[..., Any]:
        """Compile the risk, or the gradient, to a function.

        Parameters
        ----------
        backend : {'numpy', 'numba', 'jax'}, optional
        what : {'risk', 'gradient'}, optional

        Returns
        -------
        callable
            A function of the arrays and numbers of `trained`, and then of `parameters`, with sizes
            as floats. It returns a tuple: the risk alone, or a gradient for each trained letter.

        Raises
        ------
        ValueError
            If there is no such backend, or `what` is something else.
        ImportError
            If the backend is not installed.
        """
        outputs = {"risk": {"risk": self.risk_polynomial}, "gradient": self.slopes}
        if what not in outputs:
            raise ValueError(f"what must be 'risk' or 'gradient'; got {what!r}")
        arguments = (*self.trained, *self.parameters)
        return matrix_function(self.algebra, outputs[what], arguments, backend)

    def risk_at(self, point: Mapping[Any, Any], values: Mapping[Any, Any] | None = None) -> float:
        """Return the risk in numbers.

        Parameters
        ----------
        point : mapping of Letter, Symbol or str to array or number
            What is trained. A matrix is an array of shape (rows, columns), a vector one of shape
            (rows,).
        values : mapping of Letter, Size, Symbol or str to array or number, optional
            The parameters. A matrix is an array of shape (rows, columns). A covariance may be
            given by its eigenvalues; it is diagonal then.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If a value is missing, or is of another kind or shape.
        """
        known = MatrixValues.of((*self.trained, *self.parameters), {**(values or {}), **point})
        (found,) = self.compile()(*known.row((*self.trained, *self.parameters)))
        return float(found)


def _moves(x: Any) -> bool:
    if isinstance(x, Letter):
        return x.kind == "any"
    return isinstance(x, Symbol) and bool(x.is_real) and not x.is_integer and x.is_positive is None
