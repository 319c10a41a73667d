"""Models by their names: those that papers register, and those in Python files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slrsym.prover.claims.papers import registered_by_papers

if TYPE_CHECKING:
    from slrsym.models.stated_model import Model


@dataclass(frozen=True)
class RegisteredModel:
    """A model that a paper registers in a dictionary, with usual values for commands.

    Parameters
    ----------
    make : callable
        Returns the `Model`, without arguments.
    values : mapping of str to number, optional
        Parameters of the model, and ``d``.
    training : mapping of str to number, optional
        Of ``steps``, ``alpha`` and ``runs`` of descent.
    """

    make: Callable[[], Model]
    values: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)


def registered_models() -> dict[str, RegisteredModel]:
    """Return the models that papers register, by their names."""
    return {
        name: entry
        for models in registered_by_papers("models").values()
        for name, entry in models.items()
    }


def find_model(text: str) -> RegisteredModel:
    """Return the model of a registered name, or of ``FILE.py:NAME``.

    Parameters
    ----------
    text : str
        Such as ``committee`` or ``my_model.py:m``. The file is run.

    Returns
    -------
    RegisteredModel
        A model of a file has no usual values.

    Raises
    ------
    ValueError
        If there is no such model, no such file, or the name in it is no model.
    """
    file, colon, name = text.rpartition(":")
    if not colon:
        known = registered_models()
        if text not in known:
            raise ValueError(
                f"model must be one of {', '.join(known)}, or FILE.py:NAME; got {text!r}"
            )
        return known[text]
    found = _model_in_file(Path(file), name)
    return RegisteredModel(lambda: found)


def _model_in_file(file: Path, name: str) -> Model:
    from slrsym.models.stated_model import Model

    if not file.is_file():
        raise ValueError(f"there is no file {file}; a model is given as FILE.py:NAME")
    spec = spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ValueError(f"{file} is no Python file; a model is given as FILE.py:NAME")
    module = module_from_spec(spec)
    # What stands beside the file can be imported by it.
    sys.path.insert(0, str(file.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except Exception as problem:
        raise ValueError(f"{file} cannot be run: {type(problem).__name__}: {problem}") from None
    finally:
        sys.path.pop(0)
    found = getattr(module, name, None)
    found = getattr(found, "model", found)
    if not isinstance(found, Model):
        models = [x for x, value in vars(module).items() if isinstance(value, Model)]
        there = f"; models in it are {', '.join(models)}" if models else ""
        raise ValueError(f"{name} is no model in {file}{there}")
    return found
