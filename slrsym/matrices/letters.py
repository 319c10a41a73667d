"""Letters for matrices and vectors of a declared kind, and for their sizes."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.symbol import Str

# What a letter may stand for, any matrix and square ones of four kinds, by the checker's sorts.
SORTS = {"any": "M", "symmetric": "S", "semidefinite": "S>=0", "definite": "S>0",
         "invertible": "GL"}  # fmt: skip
_SYMMETRIC = ("symmetric", "semidefinite", "definite")
_WITH_INVERSE = ("definite", "invertible")


class Size(sp.Symbol):  # type: ignore[misc]
    """A number of rows or columns: a positive integer that stands for itself in formulas, too.

    Parameters
    ----------
    name : str
        Its name. Two sizes are equal if their names are.

    Examples
    --------
    >>> from slrsym.matrices import Size, matrix
    >>> d, N = Size("d"), Size("N")
    >>> matrix("X", d, N).shape
    (d, N)
    """

    def __new__(cls, name: str) -> Size:
        return sp.Symbol.__xnew__(cls, name, integer=True, positive=True)  # type: ignore[no-any-return]

    def __getnewargs_ex__(self) -> Any:
        return (self.name,), {}


class Letter(sp.MatrixSymbol):  # type: ignore[misc]
    """A matrix or vector of a declared kind; made by `matrix`, `symmetric` or `covariance`.

    Parameters
    ----------
    name : str
        Its name.
    rows, columns : Size or 1
        Its sizes.
    kind : str, optional
        One of any, symmetric, semidefinite, definite, invertible.
    family : str, optional
        The name of the commuting family that it belongs to; empty if it belongs to none.

    Raises
    ------
    TypeError
        If a size is none, or a matrix of a kind other than any is not square.
    """

    def __new__(
        cls, name: Any, rows: Any, columns: Any, kind: Any = "any", family: Any = ""
    ) -> Any:
        name, kind, family = (getattr(a, "name", a) for a in (name, kind, family))
        rows, columns = map(sp.sympify, (rows, columns))
        for size in (rows, columns):
            if not isinstance(size, Size) and size != 1:
                raise TypeError(
                    f"{name}: a size is a Size or 1, so that it has a name; got {size!r}"
                )
        if kind != "any" and rows != columns:
            raise TypeError(f"{name}: a matrix that is {kind} is square; got {rows} x {columns}")
        texts = (Str(name), rows, columns, Str(kind), Str(family))
        return sp.Basic.__new__(cls, *texts)

    @property
    def kind(self) -> str:
        return str(self.args[3].name)

    @property
    def family(self) -> str:
        """The name of the commuting family that the letter belongs to; empty if none."""
        return str(self.args[4].name)

    @property
    def free_symbols(self) -> set[Any]:
        """The letter itself and its sizes."""
        return {self, *(n for n in self.shape if isinstance(n, Size))}

    def _eval_transpose(self) -> Any:
        return self if self.kind in _SYMMETRIC else sp.Transpose(self)

    # SymPy multiplies an inverse out before anybody sees it, and asks every letter for its inverse
    # inside of products, so that only what users write is refused here.
    @property
    def I(self) -> Any:  # noqa: E743
        """The inverse, of a letter that is declared to have one."""
        if self.kind not in _WITH_INVERSE:
            raise TypeError(
                f"{self.name} may have no inverse: declare it by invertible=True, or as a "
                f"covariance by definite=True"
            )
        return sp.Inverse(self)

    def __pow__(self, exponent: Any) -> Any:
        exponent = sp.sympify(exponent)
        if not (exponent.is_Integer and exponent >= -1000):
            raise TypeError(f"{self.name} is raised to {exponent}, which is no integer")
        if exponent.is_negative:
            return self.I if exponent == -1 else sp.MatPow(self.I, -exponent)
        return super().__pow__(exponent)

    def _entry(self, i: Any, j: Any, **_options: Any) -> Any:
        raise TypeError(f"entries of {self.name} have no names; write a number as a Trace")

    def _eval_simplify(self, **_options: Any) -> Any:
        return self

    def doit(self, **_hints: Any) -> Any:
        return self


def matrix(name: str, rows: Any, columns: Any = None, invertible: bool = False) -> Letter:
    """Return a letter for any matrix; with one column it is a vector.

    Parameters
    ----------
    name : str
        Its name.
    rows : Size or 1
        The number of rows.
    columns : Size or 1, optional
        The number of columns; without it, the matrix is square.
    invertible : bool, optional
        Whether it has an inverse.

    Returns
    -------
    Letter
        A SymPy matrix expression.

    Raises
    ------
    TypeError
        If a size is none, or an invertible matrix is not square.

    Examples
    --------
    >>> d = Size("d")
    >>> x, A = matrix("x", d, 1), matrix("A", d)
    >>> (x.T * A * x).shape
    (1, 1)
    """
    made: Letter = Letter(name, rows, rows if columns is None else columns,
                  "invertible" if invertible else "any")  # fmt: skip
    return made


def symmetric(name: str, size: Any, family: str = "") -> Letter:
    """Return a letter for a symmetric matrix.

    Parameters
    ----------
    name : str
        Its name.
    size : Size or 1
        The number of rows.
    family : str, optional
        The name of a family, all letters of which commute.

    Returns
    -------
    Letter
        A SymPy matrix expression, equal to its transpose.

    Raises
    ------
    TypeError
        If the size is none.
    """
    made: Letter = Letter(name, size, size, "symmetric", family)
    return made


def covariance(name: str, size: Any, definite: bool = False, family: str = "") -> Letter:
    """Return a letter for a covariance matrix: symmetric and positive semidefinite.

    Parameters
    ----------
    name : str
        Its name.
    size : Size or 1
        The number of rows.
    definite : bool, optional
        Whether it is positive definite, and so has an inverse.
    family : str, optional
        The name of a family, all letters of which commute.

    Returns
    -------
    Letter
        A SymPy matrix expression.

    Raises
    ------
    TypeError
        If the size is none.

    Examples
    --------
    >>> L = covariance("L", Size("d"), definite=True)
    >>> L.T == L
    True
    """
    made: Letter = Letter(name, size, size, "definite" if definite else "semidefinite", family)
    return made
