"""Programs of the folder benchmarks, as modules."""

import importlib.util
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"


def benchmark(name: str, folder: Path = FOLDER) -> ModuleType:
    """Load a program, which is no module of a package."""
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program
