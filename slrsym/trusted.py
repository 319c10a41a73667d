"""Old name of the module `slrsym.checker`, importable until version 0.3."""

import sys
import warnings
from importlib import import_module

from slrsym.checker import *  # noqa: F403

warnings.warn("slrsym.trusted is called slrsym.checker now", DeprecationWarning, stacklevel=2)
_RENAMED = {
    "analysis": "integrals_and_sums",
    "calculus": "differentiation",
    "expect": "expectations",
    "means": "gaussian_integrals",
    "numbers": "number_comparison",
    "schemas": "orbit_theorems",
    "vectors": "vector_theorems",
}
for _name in ("analysis", "calculus", "expect", "log", "means", "numbers", "ring", "schemas",
              "sign", "term", "theorem", "vectors"):  # fmt: skip
    _module = import_module(f"slrsym.checker.{_RENAMED.get(_name, _name)}")
    sys.modules[f"slrsym.trusted.{_name}"] = globals()[_name] = _module
