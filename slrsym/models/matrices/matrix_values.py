"""Numbers for sizes, letters and symbols, checked for their kinds and shapes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Symbol

from slrsym.kernels.arguments import require_integer, require_real_array
from slrsym.matrices.letters import Letter, Size

# How far from symmetric or semidefinite rounding may make a matrix.
_ROUNDING = 1e-10


@dataclass(frozen=True)
class MatrixValues:
    """Numbers and arrays by letter, size and symbol."""

    values: dict[Any, Any]

    @classmethod
    def of(cls, wanted: Iterable[Any], given: Mapping[Any, Any]) -> MatrixValues:
        """Return checked values of what is wanted; raise `ValueError` for what does not fit."""
        wanted = list(wanted)
        named = {x.name: x for x in wanted}
        by_name = {str(getattr(x, "name", x)): v for x, v in given.items()}
        if unknown := sorted(set(by_name) - set(named)):
            raise ValueError(f"values has {unknown[0]}, which is none of {', '.join(named)}")
        found: dict[Any, Any] = {}
        # Parameters, which come last, tell the sizes before what is trained.
        letters = [x for x in reversed(wanted) if isinstance(x, Letter)]
        order = [*(x for x in wanted if x not in letters), *letters]
        for x in (x for x in order if x.name in by_name):
            name, value = x.name, by_name[x.name]
            if isinstance(x, Letter):
                found[x] = _matrix(x, value, found)
            elif isinstance(x, Size):
                found[x] = require_integer(name, value, 1)
            else:
                found[x] = _number(x, value)
        missing = [x.name for x in wanted if x not in found]
        if missing:
            raise ValueError(f"values must have {', '.join(missing)}")
        _require_commuting(found)
        return cls(found)

    def row(self, arguments: Iterable[Any]) -> list[Any]:
        """Return values in the order of arguments, all of them floats or arrays of floats."""
        return [
            self.values[x] if isinstance(x, Letter) else float(self.values[x]) for x in arguments
        ]


def _number(x: Symbol, value: Any) -> float:
    found = require_real_array(x.name, value, "a real number")
    if found.ndim or not np.isfinite(found):
        raise ValueError(f"{x.name} must be a finite number; got {value!r}")
    if (x.is_nonnegative and found < 0) or (x.is_positive and found <= 0):
        raise ValueError(
            f"{x.name} must be {'positive' if x.is_positive else 'nonnegative'}; got {value!r}"
        )
    return float(found)


def _matrix(x: Letter, value: Any, sizes: dict[Any, Any]) -> NDArray[np.float64]:
    """Return the value of a letter, and learn the sizes that it tells."""
    found = require_real_array(x.name, value, "an array of real numbers")
    if not np.isfinite(found).all():
        raise ValueError(f"{x.name} must have finite entries; got {value!r}")
    if found.ndim == 1 and x.shape[1] == 1:
        found = found[:, None]
    elif found.ndim == 1 and x.kind != "any":
        found = np.diag(found)
    if found.ndim != 2:
        raise ValueError(f"{x.name} must be a matrix; got an array of shape {found.shape}")
    for n, count in zip(x.shape, found.shape, strict=True):
        if (1 if n == 1 else sizes.setdefault(n, count)) != count:
            known = 1 if n == 1 else sizes[n]
            raise ValueError(f"{x.name} must be {x.shape[0]} x {x.shape[1]}, with {n} = {known}; "
                             f"got an array of shape {found.shape}")  # fmt: skip
    scale = max(1e-300, float(np.abs(found).max()))
    is_symmetric = x.kind not in ("any", "invertible")
    if is_symmetric and np.abs(found - found.T).max() > _ROUNDING * scale:
        raise ValueError(f"{x.name} must be symmetric; got {value!r}")
    if x.kind in ("semidefinite", "definite"):
        least = float(np.linalg.eigvalsh(found)[0])
        if least < -_ROUNDING * scale or (x.kind == "definite" and least <= 0):
            raise ValueError(f"{x.name} must be positive {x.kind}; its least eigenvalue is {least}")
    if x.kind == "invertible" and np.linalg.matrix_rank(found) < len(found):
        raise ValueError(f"{x.name} must be invertible; got {value!r}")
    return np.ascontiguousarray(found)


def _require_commuting(found: Mapping[Any, Any]) -> None:
    letters = [x for x in found if isinstance(x, Letter) and x.family]
    for x, y in combinations(letters, 2):
        if (x.family, x.shape) == (y.family, y.shape):
            a, b = found[x], found[y]
            if np.abs(a @ b - b @ a).max() > _ROUNDING * np.abs(a).max() * np.abs(b).max():
                raise ValueError(f"{x.name} and {y.name} must commute, as both are of the family "
                                 f"{x.family}")  # fmt: skip
