"""Means over Gaussian matrices, derivatives along a direction, and the Loewner order."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import Basic, Expr

from slrsym.matrices.letters import Letter, Size
from slrsym.prover.statements.expressions import ProofError, Sentence


class MatrixMean(Expr):  # type: ignore[misc]
    """The mean over independent centred Gaussian matrices.

    Parameters
    ----------
    body : Expr
        A polynomial in traces.
    *laws : (Letter, matrix, matrix)
        A matrix X with the covariances A of its rows and B of its columns: the mean of
        ``X_ia X_jb`` is ``A_ij B_ab``. With ``B = Identity(N)`` the columns are N samples of
        covariance A. Each covariance is an identity, or a letter made by `covariance`.

    Raises
    ------
    ProofError
        If a law is none, or a letter has two.

    Examples
    --------
    >>> from sympy import Identity, Trace
    >>> from slrsym.matrices import MatrixMean, Size, covariance, matrix
    >>> d = Size("d")
    >>> x, L = matrix("x", d, 1), covariance("L", d)
    >>> MatrixMean(Trace(x * x.T), (x, L, Identity(1)))
    E[Trace(x*x.T); x ~ (L, I)]
    """

    is_commutative = True
    is_real = True

    def __new__(cls, body: Any, *laws: Any) -> MatrixMean:
        made = []
        for law in laws:
            parts = tuple(law)
            if len(parts) != 3 or not isinstance(parts[0], Letter) or parts[0].kind != "any":
                raise ProofError(
                    f"a law is a plain letter with its two covariances, such as (X, L, "
                    f"Identity(N)); got {law!r}"
                )
            x, *covariances = parts
            for c, size in zip(covariances, x.shape, strict=True):
                is_law = isinstance(c, sp.Identity) or (
                    isinstance(c, Letter) and c.kind in ("semidefinite", "definite")
                )
                if not is_law or c.shape[0] != size:
                    raise ProofError(
                        f"{c} is no covariance for the size {size} of {x.name}: it is "
                        f"Identity({size}) or a letter made by covariance(..., {size})"
                    )
            made.append(sp.Tuple(*parts))
        if not made or len({law[0] for law in made}) != len(made):
            raise ProofError("a mean needs one law for each of its matrices")
        return Expr.__new__(cls, sp.sympify(body), *made)  # type: ignore[no-any-return]

    @property
    def body(self) -> Expr:
        """The integrand."""
        return self.args[0]

    @property
    def laws(self) -> tuple[Any, ...]:
        """The laws, each a letter with its covariances of rows and columns."""
        return tuple(self.args[1:])

    @property
    def bound_symbols(self) -> list[Letter]:
        """The random letters, in the order of the laws."""
        return [law[0] for law in self.laws]

    @property
    def free_symbols(self) -> set[Any]:
        outside = (c.free_symbols for law in self.laws for c in law)
        free: set[Any] = self.body.free_symbols.union(*outside)
        return free - set(self.bound_symbols)

    def _eval_subs(self, old: Any, new: Any) -> Any:
        return self if old in self.bound_symbols else None

    def _sympystr(self, printer: Any) -> str:
        laws = ", ".join(f"{x.name} ~ ({printer._print(a)}, {printer._print(b)})"
                         for x, a, b in self.laws)  # fmt: skip
        return f"E[{printer._print(self.body)}; {laws}]"

    def _latex(self, printer: Any) -> str:
        names = ", ".join(printer._print(x) for x in self.bound_symbols)
        return rf"\mathbb{{E}}_{{{names}}}\left[{printer._print(self.body)}\right]"


class Along(Expr):  # type: ignore[misc]
    """The derivative along a direction; made by `along`."""

    is_commutative = True
    is_real = True

    @property
    def body(self) -> Expr:
        return self.args[0]

    @property
    def moves(self) -> tuple[Any, ...]:
        return tuple(self.args[1:])

    def _sympystr(self, printer: Any) -> str:
        moves = ", ".join(f"{printer._print(x)} by {printer._print(h)}" for x, h in self.moves)
        return f"d[{printer._print(self.body)}; {moves}]"

    def _latex(self, printer: Any) -> str:
        moves = ", ".join(
            rf"{printer._print(x)} \to {printer._print(x)} + t \left({printer._print(h)}\right)"
            for x, h in self.moves
        )
        body = printer._print(self.body)
        return rf"\left.\frac{{d}}{{dt}}\right|_{{t = 0}} \left[{body}\right]_{{{moves}}}"


def along(body: Any, *moves: Any) -> Along:
    """Return d/dt at t = 0 of an expression in which letters move by t times a direction.

    Parameters
    ----------
    body : Expr
        The expression.
    *moves : (Letter, matrix) or (Symbol, Expr)
        What moves, and its direction, of the same shape.

    Returns
    -------
    Along
        Unevaluated. The gradient D of f in U is what makes ``along(f, (U, H))`` equal to ``Trace(
        D.T * H)`` for each H.

    Raises
    ------
    ProofError
        If a direction has another shape, or something else than a letter or a symbol moves.
    """
    for x, h in moves:
        is_number = isinstance(x, sp.Symbol) and x.is_real and not x.is_integer
        is_name = isinstance(x, Letter) or is_number
        if not is_name:
            raise ProofError(f"{x} cannot move: it is no plain letter and no real symbol")
        if isinstance(x, Letter) and (x.kind != "any" or getattr(h, "shape", None) != x.shape):
            raise ProofError(f"{x.name} moves by a matrix of its shape {x.shape}; got {h}")
    return Along(sp.sympify(body), *(sp.Tuple(x, sp.sympify(h)) for x, h in moves))


class Loewner(Sentence):
    """That the difference of two symmetric matrices is positive semidefinite.

    Parameters
    ----------
    larger, smaller : matrix
        Of one shape; without the second, the first is semidefinite itself.

    Raises
    ------
    ProofError
        If the matrices are not square, or of two shapes.
    """

    def __new__(cls, larger: Any, smaller: Any = None, **_options: Any) -> Any:
        difference = larger if smaller is None else larger - smaller
        if difference.shape[0] != difference.shape[1]:
            raise ProofError(f"{difference} is not square")
        return super().__new__(cls, difference, **_options)

    @property
    def difference(self) -> Basic:
        """The matrix that is positive semidefinite."""
        return self.args[0]

    def _sympystr(self, printer: Any) -> str:
        return f"{printer._print(self.difference)} is positive semidefinite"

    def _latex(self, printer: Any) -> str:
        return rf"{printer._print(self.difference)} \succeq 0"


# What a statement on matrices of free size contains.
MATRIX_NODES = (Letter, Size, MatrixMean, Along, Loewner)
