"""Old name of `slrsym.checker`, importable until version 0.3."""

import sys
import warnings
from importlib import import_module

from slrsym.checker import *  # noqa: F403

warnings.warn("slrsym.trusted is called slrsym.checker now", DeprecationWarning, stacklevel=2)
for _name in ("analysis", "calculus", "expect", "log", "numbers", "ring", "schemas", "sign",
              "term", "theorem", "vectors"):  # fmt: skip
    sys.modules[f"slrsym.trusted.{_name}"] = import_module(f"slrsym.checker.{_name}")
sys.modules["slrsym.trusted.means"] = import_module("slrsym.checker.gaussian_integrals")
