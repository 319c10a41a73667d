"""Programs for polynomials in traces and sums of words: on NumPy, Numba and JAX.

A program is the text of a function whose arguments are arrays and numbers. Products that several
words begin with are computed once; words that end in a vector are multiplied from their end.
In the eigenvalues of a commuting family a matrix is the array of its eigenvalues.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp
from sympy.printing.numpy import NumPyPrinter

from slrsym.checker.extensions.matrix_words import Word
from slrsym.kernels.compile import require_backend
from slrsym.matrices.letters import Letter
from slrsym.matrices.trace_polynomials import TraceAlgebra, TracePolynomial, Words

BACKENDS = ("numpy", "numba", "jax")


class _Writer:
    """The lines of one program."""

    def __init__(self, algebra: TraceAlgebra, arguments: Sequence[Any], eigenvalues: bool) -> None:
        self.algebra, self.eigenvalues = algebra, eigenvalues
        self.names = {x: f"x{i}" for i, x in enumerate(arguments)}
        self.lines: list[str] = []
        self._known: dict[Any, str] = {}
        printer = NumPyPrinter({"fully_qualified_modules": False})
        self._print = printer.doprint

    def _named(self, key: Any, text: str) -> str:
        if key not in self._known:
            name = f"y{len(self._known)}"
            self.lines.append(f"{name} = {text}")
            self._known[key] = name
        return self._known[key]

    def _letter(self, number: int) -> str:
        alphabet = self.algebra.alphabet
        name = self.names[self.algebra.letter_of_number(number)]
        if alphabet.base[number] != number:
            name = self._named(
                ("inverse", name), f"1 / {name}" if self.eigenvalues else f"inv({name})"
            )
        is_turned = number % 4 > 1 and not self.eigenvalues
        return f"{name}.T" if is_turned else name

    def product(self, word: Word) -> str:
        """Return a name for the product of a word."""
        if len(word) == 1:
            return self._letter(word[0])
        times = "*" if self.eigenvalues else "@"
        ends_in_vector = self.algebra.is_vector(word[-1])
        if ends_in_vector and not self.algebra.is_covector(word[0]):
            return self._named(word, f"{self._letter(word[0])} {times} {self.product(word[1:])}")
        return self._named(word, f"{self.product(word[:-1])} {times} {self._letter(word[-1])}")

    def _trace(self, word: Word) -> str:
        if self.eigenvalues:
            return self._named(("trace", word), f"sum({self.product(word)})")
        if len(word) == 1:
            return self._named(("trace", word), f"trace({self._letter(word[0])})")
        last = self.algebra.alphabet.transpose(word[-1:])
        text = f"sum({self.product(word[:-1])} * {self._letter(last[0])})"
        return self._named(("trace", word), text)

    def coefficient(self, c: Any) -> str:
        """Return a number that may contain traces as a text."""
        traces = {t: sp.Symbol(self.polynomial(self.algebra.polynomial(t)))
                  for t in sorted(c.atoms(sp.Trace), key=str)}  # fmt: skip
        c = c.xreplace(traces)
        return f"({self._print(c.xreplace({x: sp.Symbol(n) for x, n in self.names.items()}))})"

    def polynomial(self, p: TracePolynomial) -> str:
        """Return a name for a polynomial in traces."""
        terms = [
            " * ".join([self.coefficient(c), *map(self._trace, product)])
            for product, c in sorted(p.items(), key=lambda item: (len(item[0]), item[0]))
        ]
        return self._named(("polynomial", tuple(p.items())), " + ".join(terms) or "0.0")

    def words(self, words: Words, shaped_as: Letter) -> str:
        """Return a name for a sum of words of the shape of a letter."""
        like = self.names[shaped_as]
        terms = [f"0.0 * {like}"]
        for word, c in sorted(words.items(), key=lambda item: (len(item[0]), item[0])):
            unit = f"ones_like({like})" if self.eigenvalues else f"eye({like}.shape[0])"
            terms.append(f"{self.coefficient(c)} * {self.product(word) if word else unit}")
        return self._named(("words", shaped_as, tuple(words.items())), " + ".join(terms))


def matrix_function(
    algebra: TraceAlgebra,
    outputs: Mapping[Any, Any],
    arguments: Sequence[Any],
    backend: str = "numpy",
    eigenvalues: bool = False,
) -> Callable[..., Any]:
    """Compile outputs to a function of arguments that returns a tuple.

    Parameters
    ----------
    algebra : TraceAlgebra
        That of the outputs.
    outputs : mapping
        A letter to a sum of words of its shape, or anything else to a polynomial in traces.
    arguments : sequence of Letter, Size or Symbol
    backend : {'numpy', 'numba', 'jax'}, optional
    eigenvalues : bool, optional
        Whether each letter is the array of its eigenvalues, in a common basis.

    Raises
    ------
    ValueError
        If there is no such backend.
    ImportError
        If it is not installed.
    """
    require_backend(backend, BACKENDS)
    writer = _Writer(algebra, arguments, eigenvalues)
    found = [
        writer.words(value, x) if isinstance(x, Letter) else writer.polynomial(value)
        for x, value in outputs.items()
    ]
    body = "\n".join(f"    {line}" for line in writer.lines)
    head = f"def function({', '.join(writer.names.values())}):"
    source = f"{head}\n{body}\n    return ({', '.join(found)},)\n"
    return _executed(source, backend)


def _executed(source: str, backend: str) -> Callable[..., Any]:
    module: Any
    decorate: Any
    if backend == "jax":
        from slrsym.kernels.jax_backend import require_double, require_jax_installed

        require_jax_installed()
        require_double()
        import jax

        module, decorate = jax.numpy, jax.jit
    else:
        module, decorate = np, lambda function: function
        if backend == "numba":
            from slrsym.kernels.numba_backend import require_numba_installed

            require_numba_installed()
            from numba import njit

            decorate = njit(error_model="numpy")
    names = ("sqrt", "exp", "log", "trace", "sum", "eye", "ones_like")
    namespace = {name: getattr(module, name) for name in names} | {"inv": module.linalg.inv}
    exec(compile(source, "<program of matrices>", "exec"), namespace)
    function: Callable[..., Any] = decorate(namespace["function"])
    return function
