"""Pages of the reference, one for each public package, made of what it makes public."""

from __future__ import annotations

import importlib
import inspect
from itertools import takewhile
from pathlib import Path

PACKAGES = {
    "slrsym": "Top-level names",
    "slrsym.gaussian": "Gaussian calculus",
    "slrsym.matrices": "Vectors and matrices of any size",
    "slrsym.proof": "Claims, proofs and the ledger",
    "slrsym.proof.step": "Links, rules and steps",
    "slrsym.proof.dynamical": "Statements about orbits",
    "slrsym.papers.single_location": "The task of the first paper",
    "slrsym.papers.single_location.symbolic": "The risk and its derivatives",
    "slrsym.kernels": "Compiled functions",
    "slrsym.models": "Models",
    "slrsym.models.matrices": "Models of matrices of any size",
    "slrsym.models.sampling": "Sampled risks of models",
    "slrsym.papers.single_location.models": "Built-in models",
    "slrsym.papers.single_location.linear": "The best linear predictor",
    "slrsym.papers.single_location.sampled_risk": "Sampled risks of predictors",
    "slrsym.papers.single_location.dynamics": "Projected gradient descent",
    "slrsym.papers.single_location.experiments": "The paper's experiments",
    "slrsym.papers.single_location.surveys": "Data of the figures without runs",
    "slrsym.papers.single_location.landscape": "Critical points",
    "slrsym.papers.single_location.recovery": "Sweeps: how many starts recover",
    "slrsym.papers.single_location.recovery.tubes": "Certain endpoints of runs",
    "slrsym.papers.single_location.pairs": "Statements about pairs of vectors",
    "slrsym.papers.single_location.certify": "Certificates",
    "slrsym.papers.single_location.certify.statements": "Statements of certificates",
    "slrsym.papers.single_location.transformers": "Transformer layers, several heads",
    "slrsym.papers.single_location.probing": "Probing an encoder",
    "slrsym.documents.figures": "Figures",
    "slrsym.documents.figures.recipes": "Recipes of figures",
    "slrsym.documents.export": "Export",
    "slrsym.testing.derivatives": "Checks of derivatives",
    "slrsym.papers.single_location.testing.strategies": "Strategies for Hypothesis",
}

# What `import *` leaves out, as SymPy has these names.
BESIDE = {"slrsym.proof": ["sign", "substitution"], "slrsym.gaussian": ["Trace", "zeta"]}


def public(module):
    """Return a module's public names: `__all__`, or those that an ``__init__`` imports."""
    names = getattr(module, "__all__", None)
    if names is None:
        names = [
            name
            for name, thing in vars(module).items()
            if not name.startswith("_")
            and not inspect.ismodule(thing)
            and name not in ("annotations", "TYPE_CHECKING")
            and getattr(thing, "__module__", "slrsym").startswith("slrsym")
        ]
    names = [*names, *BESIDE.get(module.__name__, ())]
    return [name for name in sorted(names, key=str.lower) if not name.startswith("__")]


def hidden_bases(thing):
    """Return the base classes of a class of a model, which no page of the reference lists."""
    return [base for base in thing.__mro__[1:] if base.__module__.startswith("slrsym.models")]


def page(name, title):
    """Return a page with every public name of a package."""
    module = importlib.import_module(name)
    heading = f"{name}: {title}"
    rows = [heading, "=" * len(heading), "", f".. automodule:: {name}", "   :no-members:", ""]
    values = []
    for public_name in public(module):
        thing = getattr(module, public_name)
        if inspect.isclass(thing):
            rows += [f".. autoclass:: {name}.{public_name}", "   :members:"]
            # Methods of base classes that have no entry of their own are listed with the class.
            rows += ["   :inherited-members:"] if hidden_bases(thing) else []
            # Links lead to the first page that has it.
            rows += [*(["   :no-index:"] if _is_described_before(thing, name) else []), ""]
        elif inspect.isfunction(thing):
            rows += [f".. autofunction:: {name}.{public_name}", ""]
        elif type(thing).__module__.startswith("slrsym"):
            # A rule without parameters: its class is private, and says what it does.
            said = inspect.getdoc(type(thing)) or ""
            # The page is that of the module, whose name goes before.
            rows += [f".. py:data:: {public_name}", "", *_indented(said), ""]
        elif not inspect.ismodule(thing):
            values.append(public_name)
    if values:
        rows += ["Values:", "", *(f".. py:data:: {value}" for value in values), ""]
    return "\n".join(rows)


def _is_described_before(thing, name):
    before = takewhile(lambda other: other != name, PACKAGES)
    modules = map(importlib.import_module, before)
    return any(getattr(m, x) is thing for m in modules for x in public(m))


def _indented(text):
    return [f"   {line}" for line in text.splitlines()]


def _write(app):
    folder = Path(app.srcdir, "reference", "generated")
    folder.mkdir(exist_ok=True)
    for name, title in PACKAGES.items():
        file, text = folder / f"{name}.rst", page(name, title)
        # What has not changed is not read again.
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def setup(app):
    """Write the pages before they are read."""
    app.connect("builder-inited", _write)
    return {"version": "1", "parallel_read_safe": True}
