r"""Real and imaginary part of the error function at complex arguments, as SymPy functions.

Means of sines and cosines times error functions are written in these: they are real in form, where
:math:`\operatorname{erf}(x + iy)` and its conjugate leave an imaginary part of rounding.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import Expr, S, cos, erf, erfi, exp, pi, sin, sqrt

from slrsym.gaussian.erf_derivatives_and_normal_law import (
    SpecialFunction,
    are_extended_real,
    require_argument_index,
)


class _PartOfErf(SpecialFunction):
    """Base class of the parts of erf(x + i y) for real x and y."""

    nargs = 2
    _part: str
    # Signs of f(-x, y)/f(x, y) and of f(x, -y)/f(x, y).
    _parities: tuple[int, int]

    @classmethod
    def eval(cls, x: Expr, y: Expr) -> Expr | None:
        if S.NaN in (x, y):
            return S.NaN
        if y.is_zero or x.is_zero:
            return cls._on_an_axis(x, y)
        if x.could_extract_minus_sign():
            return cls._parities[0] * cls(-x, y)
        if y.could_extract_minus_sign():
            return cls._parities[1] * cls(x, -y)
        return None

    @classmethod
    def _on_an_axis(cls, x: Expr, y: Expr) -> Expr:
        raise NotImplementedError

    def _slopes(self) -> tuple[Expr, Expr]:
        """Return the real and the imaginary part of the derivative of erf."""
        x, y = self.args
        size = 2 / sqrt(pi) * exp(y**2 - x**2)
        return size * cos(2 * x * y), -size * sin(2 * x * y)

    def _eval_is_extended_real(self) -> bool | None:
        return True if are_extended_real(self.args) else None

    def _eval_is_finite(self) -> bool | None:
        return True if all(arg.is_real for arg in self.args) else None

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        x, y = map(printer._print, self.args)
        found = rf"\operatorname{{{self._part}}}\operatorname{{erf}}\left({x} + i\,{y}\right)"
        return found if exp is None else rf"\left({found}\right)^{{{exp}}}"

    def _numpycode(self, printer: Any) -> str:
        function = printer._module_format("scipy.special.erf")
        x, y = map(printer._print, self.args)
        return f"{function}({x} + 1j*({y})).{'real' if self._part == 'Re' else 'imag'}"

    _scalar_code = _numpycode


class erf_real_part(_PartOfErf):  # noqa: N801
    r"""Real part of the error function, :math:`\operatorname{Re}\operatorname{erf}(x + iy)`.

    Parameters
    ----------
    x, y : Expr
        Real arguments. Odd in x, even in y.
    """

    _multiprecision = "erf_real_part"
    _part = "Re"
    _parities = (-1, 1)

    @classmethod
    def _on_an_axis(cls, x: Expr, y: Expr) -> Expr:
        return erf(x) if y.is_zero else S.Zero

    def fdiff(self, argindex: int = 1) -> Expr:
        require_argument_index(self, argindex)
        real, imaginary = self._slopes()
        return real if argindex == 1 else -imaginary


class erf_imaginary_part(_PartOfErf):  # noqa: N801
    r"""Imaginary part of the error function, :math:`\operatorname{Im}\operatorname{erf}(x + iy)`.

    Parameters
    ----------
    x, y : Expr
        Real arguments. Even in x, odd in y.
    """

    _multiprecision = "erf_imaginary_part"
    _part = "Im"
    _parities = (1, -1)

    @classmethod
    def _on_an_axis(cls, x: Expr, y: Expr) -> Expr:
        return S.Zero if y.is_zero else erfi(y)

    def fdiff(self, argindex: int = 1) -> Expr:
        require_argument_index(self, argindex)
        real, imaginary = self._slopes()
        return imaginary if argindex == 1 else real


def in_real_form(value: Expr) -> Expr:
    """Return an expression that is real, by real functions of real arguments."""
    nodes = {node: node.args[0] for node in value.atoms(erf) if node.has(sp.I)}
    if not nodes:
        return value
    parts = {}
    for node, argument in nodes.items():
        x, y = (sp.factor_terms(part) for part in argument.as_real_imag())
        parts[node] = erf_real_part(x, y) + sp.I * erf_imaginary_part(x, y)
    found: Expr = sp.expand(value.xreplace(parts)).as_real_imag()[0]
    return sp.expand_mul(found)
