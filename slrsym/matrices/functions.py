"""Unknown smooth functions of vectors of free size, and statements for all vectors."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import Basic, Expr
from sympy.core.symbol import Str
from sympy.logic.boolalg import Boolean

from slrsym.matrices.letters import Letter, Size
from slrsym.prover.statements.expressions import ProofError, Sentence, infix_text


class SmoothFunction(Basic):  # type: ignore[misc]
    """An unknown function of a vector of free size; made by `smooth_function`."""

    @property
    def name(self) -> str:
        """The name of the function."""
        return str(self.args[0].name)

    @property
    def size(self) -> Size:
        """The size of the vector that it takes."""
        size: Size = self.args[1]
        return size

    @property
    def free_symbols(self) -> set[Any]:
        """The size of the vector that it takes."""
        return {self.size}

    def __call__(self, *vectors: Any) -> Any:
        return ValueAt(self, self._vector(vectors))

    def gradient(self, *vectors: Any) -> Any:
        """Return the gradient at a vector, a vector of the same size.

        Parameters
        ----------
        *vectors : matrix
            One vector.

        Returns
        -------
        matrix
            A SymPy matrix expression.

        Raises
        ------
        TypeError
            If there is not one vector of the declared size.
        """
        return GradientAt(self, self._vector(vectors))

    def hessian(self, *vectors: Any) -> Any:
        """Return the Hessian at a vector, a symmetric matrix.

        Parameters
        ----------
        *vectors : matrix
            One vector.

        Returns
        -------
        matrix
            A SymPy matrix expression.

        Raises
        ------
        TypeError
            If there is not one vector of the declared size.
        """
        return HessianAt(self, self._vector(vectors))

    def _vector(self, vectors: tuple[Any, ...]) -> Any:
        if len(vectors) != 1:
            raise TypeError(f"{self.name} takes one vector of size {self.size}; got {len(vectors)}")
        (x,) = map(sp.sympify, vectors)
        if not getattr(x, "is_Matrix", False) or tuple(x.shape) != (self.size, 1):
            kind = f"{x}, of size {' x '.join(map(str, x.shape))}" if hasattr(x, "shape") else x
            raise TypeError(f"{self.name} takes a vector of size {self.size} x 1; got {kind}")
        return x

    def _sympystr(self, printer: Any) -> str:
        return self.name

    def _latex(self, printer: Any) -> str:
        return str(printer._print(sp.Symbol(self.name)))


def smooth_function(name: str, size: Any) -> SmoothFunction:
    """Return an unknown function of a vector, with its gradient and its Hessian.

    It is twice continuously differentiable, and it, its gradient and its Hessian grow at most as a
    power of the length of the vector.

    Parameters
    ----------
    name : str
        Its name.
    size : Size
        The size of the vector.

    Returns
    -------
    SmoothFunction
        ``h(x)`` is its value, ``h.gradient(x)`` and ``h.hessian(x)`` are matrices.

    Raises
    ------
    TypeError
        If the size is none.

    Examples
    --------
    >>> from sympy import Trace
    >>> from slrsym.matrices import Size, matrix, smooth_function
    >>> d = Size("d")
    >>> h, x, v = smooth_function("h", d), matrix("x", d, 1), matrix("v", d, 1)
    >>> h(x) + Trace(h.gradient(x).T * v)
    Trace(grad(h, x).T*v) + h(x)
    """
    if not isinstance(size, Size):
        raise TypeError(f"{name}: the size of the vector is a Size; got {size!r}")
    made: SmoothFunction = SmoothFunction(Str(name), size)
    return made


class _AtVector(Basic):  # type: ignore[misc]
    """What a function is at a vector."""

    @property
    def function(self) -> SmoothFunction:
        function: SmoothFunction = self.args[0]
        return function

    @property
    def vector(self) -> Any:
        return self.args[1]

    def doit(self, **_hints: Any) -> Any:
        return self

    def _eval_simplify(self, **_options: Any) -> Any:
        return self


class ValueAt(_AtVector, Expr):  # type: ignore[misc]
    """The value of a smooth function at a vector."""

    is_commutative = True
    is_real = True

    def _eval_derivative(self, s: Any) -> Any:
        # SymPy would need the derivative of a matrix.
        return sp.Derivative(self, s, evaluate=False)

    def _sympystr(self, printer: Any) -> str:
        return f"{self.function.name}({printer._print(self.vector)})"

    def _latex(self, printer: Any) -> str:
        name, at = map(printer._print, self.args)
        return rf"{name}\left({at}\right)"


class _MatrixAt(_AtVector, sp.MatrixExpr):  # type: ignore[misc]
    """A matrix of derivatives of a smooth function at a vector."""

    _sign, _tex = "", ""

    def _entry(self, i: Any, j: Any, **_options: Any) -> Any:
        raise TypeError(f"entries of {self} have no names; write a number as a Trace")

    @property
    def I(self) -> Any:  # noqa: E743
        """No inverse: `TypeError` says how to name one."""
        raise TypeError(
            f"{self} may have no inverse: name it by a hypothesis Eq(K, {self}), with K made by "
            f"matrix(..., invertible=True)"
        )

    def inv(self) -> Any:
        return self.I

    def __pow__(self, exponent: Any) -> Any:
        exponent = sp.sympify(exponent)
        if not (exponent.is_Integer and 0 <= exponent <= 1000):
            raise TypeError(f"{self} is raised to {exponent}, which is no natural number")
        return super().__pow__(exponent)

    def _sympystr(self, printer: Any) -> str:
        return f"{self._sign}({self.function.name}, {printer._print(self.vector)})"

    def _latex(self, printer: Any) -> str:
        name, at = map(printer._print, self.args)
        return rf"{self._tex} {name}\left({at}\right)"


class GradientAt(_MatrixAt):
    """The gradient of a smooth function at a vector."""

    _sign, _tex = "grad", r"\nabla"

    @property
    def shape(self) -> tuple[Any, Any]:
        return self.function.size, sp.S.One


class HessianAt(_MatrixAt):
    """The Hessian of a smooth function at a vector."""

    _sign, _tex = "hess", r"\nabla^{2}"

    @property
    def shape(self) -> tuple[Any, Any]:
        return self.function.size, self.function.size

    def _eval_transpose(self) -> Any:
        return self


class ForAllMatrices(Sentence):
    """A statement for all matrices or vectors of a size.

    Parameters
    ----------
    letter : Letter
        The matrix or vector, made by `matrix`; it is bound.
    statement : Boolean
        The statement.

    Raises
    ------
    ProofError
        If the letter is none, or of a kind other than any, or the statement is none.

    Examples
    --------
    >>> from slrsym.matrices import ForAllMatrices, Loewner, Size, matrix, smooth_function
    >>> d = Size("d")
    >>> h, z = smooth_function("h", d), matrix("z", d, 1)
    >>> ForAllMatrices(z, Loewner(h.hessian(z)))
    hess(h, z) is positive semidefinite for all z
    """

    def __new__(cls, letter: Any, statement: Any, **_options: Any) -> Any:
        if not isinstance(letter, Letter) or letter.kind != "any":
            raise ProofError(f"the variable is a letter made by matrix; got {letter!r}")
        if not isinstance(statement, Boolean) or isinstance(statement, sp.Symbol):
            raise ProofError(f"for all {letter} there must be a statement; got {statement!r}")
        return super().__new__(cls, letter, statement, **_options)

    @property
    def letter(self) -> Letter:
        """The letter that is bound."""
        letter: Letter = self.args[0]
        return letter

    @property
    def statement(self) -> Boolean:
        """The statement, in which the letter is bound."""
        return self.args[1]

    @property
    def bound_symbols(self) -> list[Letter]:
        """The letter that is bound, in a list."""
        return [self.letter]

    @property
    def free_symbols(self) -> set[Any]:
        """The letters and symbols of the statement that are not bound, and the sizes."""
        inside = self.statement.free_symbols | self.letter.free_symbols
        return {x for x in inside if x != self.letter}

    def _eval_subs(self, old: Any, new: Any) -> Any:
        return self if old == self.letter else None

    def _sympystr(self, printer: Any) -> str:
        return f"{infix_text(self.statement)} for all {self.letter.name}"

    def _latex(self, printer: Any) -> str:
        said, name = map(printer._print, (self.statement, self.letter))
        return rf"{said} \text{{ for all }} {name}"


# What a statement on unknown functions of vectors contains.
FUNCTION_NODES = (ValueAt, GradientAt, HessianAt, ForAllMatrices)
