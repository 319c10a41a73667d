"""Values of means over Gaussian matrices, and gradients in a matrix, without a proof."""

from __future__ import annotations

from typing import Any

import sympy as sp

from slrsym.matrices.letters import Letter
from slrsym.matrices.means import Along, MatrixMean
from slrsym.matrices.trace_polynomials import TraceAlgebra, Words
from slrsym.prover.statements.expressions import ProofError


def mean(word: Any, *laws: Any) -> Any:
    """Return the value of a mean over independent centred Gaussian matrices.

    Parameters
    ----------
    word : Expr or matrix
        A polynomial in traces, or a sum of products of matrices.
    *laws : (Letter, matrix, matrix)
        As of `MatrixMean`: a matrix X with the covariances of its rows and of its columns.

    Returns
    -------
    Expr or matrix
        A polynomial in traces, for a number or a matrix of size 1 x 1; otherwise a matrix of the
        same shape.

    Raises
    ------
    ProofError
        If a law is none, sizes do not match, the word is no polynomial in the random matrices, or
        its mean has too many terms.

    Examples
    --------
    >>> from sympy import Identity
    >>> from slrsym.matrices import Size, covariance, matrix
    >>> d, N = Size("d"), Size("N")
    >>> X, L = matrix("X", d, N), covariance("L", d)
    >>> mean(X * X.T / N, (X, L, Identity(N)))
    L
    """
    word = sp.sympify(word)
    if not getattr(word, "is_Matrix", False):
        algebra = TraceAlgebra()
        return algebra.expression(algebra.polynomial(MatrixMean(word, *laws)))
    # A matrix is found from the traces of its products with any other one.
    algebra = TraceAlgebra()
    words, rows, columns = algebra.matrix(word)
    taken = {getattr(x, "name", "") for x in word.free_symbols.union(
        *(c.free_symbols for law in laws for c in law if hasattr(c, "free_symbols")))}  # fmt: skip
    name = "Z"
    while name in taken:
        name += "'"
    z = Letter(name, columns, rows)
    at = algebra.number_of_letter(z)
    checked = MatrixMean(sp.Trace(z), *laws) if rows == columns else MatrixMean(0, *laws)
    found = algebra.mean(algebra.trace({(*w, at): c for w, c in words.items()}, rows), checked.laws)
    opened = algebra.gradient(found, z)
    turned: Words = {algebra.alphabet.transpose(w): c for w, c in opened.items()}
    if rows == columns == 1:
        return algebra.expression(algebra.trace(turned, 1))
    return algebra.matrix_expression(turned, rows, columns)


def gradient(f: Any, x: Any) -> Any:
    """Return the gradient of a polynomial in traces: the D with along(f, (x, H)) = tr(D' H).

    Parameters
    ----------
    f : Expr
        A polynomial in traces; means over matrices in it are computed.
    x : Letter or Symbol
        A letter made by `matrix`, or a real symbol.

    Returns
    -------
    matrix or Expr
        A matrix of the shape of a letter x, or the derivative in a number x.

    Raises
    ------
    ProofError
        If `f` is no polynomial in traces, or `x` is something else.

    Examples
    --------
    >>> from sympy import Trace
    >>> from slrsym.matrices import Size, covariance, matrix
    >>> d = Size("d")
    >>> U, L = matrix("U", d), covariance("L", d)
    >>> gradient(Trace(U * L * U.T), U)
    2*U*L
    """
    algebra = TraceAlgebra()
    f = sp.sympify(f)
    if f.has(Along):
        raise ProofError(
            f"f must have no derivatives along a direction; take the gradient of those; got {f}"
        )
    if isinstance(x, Letter):
        if x.kind != "any":
            raise ProofError(
                f"{x.name} is {x.kind}; a gradient is in a letter made by matrix, whose entries "
                "move by themselves"
            )
        algebra.number_of_letter(x)
        return algebra.matrix_expression(algebra.gradient(algebra.polynomial(f), x), *x.shape)
    if not (isinstance(x, sp.Symbol) and x.is_real and not x.is_integer):
        raise ProofError(f"{x} cannot move: it is no plain letter and no real symbol")
    found = algebra.polynomial(f)
    return algebra.expression({product: sp.diff(c, x) for product, c in found.items()})
