"""Print hashes of what models of the documentation become: programs, texts and numbers.

`python -m tests.models._programs NAME...` is run in processes of several hash seeds.
"""

import ast
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sympy import Symbol, erf, symbols, tanh

from slrsym.gaussian import normal_cdf
from slrsym.models import Direction, Predictor, Token, TokenSequence, model, softmax
from slrsym.papers.committee.models import committee
from slrsym.papers.single_location.models import attention, multi_head
from slrsym.papers.single_location.paper_risk_expressions import risk_program
from slrsym.papers.single_location.step_programs import descent_step_program

_ROOT = Path(__file__).parents[2]


def _of_file(name: str) -> Any:
    """Execute a script of docs/models up to its first run, and return its model or equations."""
    tree = ast.parse((_ROOT / "docs" / "models" / f"{name}.py").read_text(encoding="utf-8"))
    lines = [node for node in tree.body if "matplotlib" not in ast.unparse(node)]
    first = next(
        i for i, x in enumerate(lines) if ".simulate(" in (t := ast.unparse(x)) or ".solve(" in t
    )
    scope: dict[str, Any] = {}
    exec(compile(ast.Module(lines[:first], []), name, "exec"), scope)
    return scope.get("equations") or scope.get("m") or scope["two"].model


def _of_readme() -> Any:
    """Execute the statement of README's model, and return the model."""
    text = (_ROOT / "README.md").read_text(encoding="utf-8")
    text = text.partition("## Your own model")[2].partition(">>> runs")[0]
    scope: dict[str, Any] = {"Symbol": Symbol, "erf": erf}
    exec("\n".join(x[4:] for x in text.splitlines() if x.startswith(">>> ")), scope)
    return scope["m"]


def _linear() -> Any:
    w, u = Direction("w"), Direction("u", unit=True)
    names = {w @ u: Symbol("R", real=True), w @ w: Symbol("Q", positive=True)}
    noise = Symbol("sigma", nonnegative=True)
    data = TokenSequence({Token(target=lambda X: X @ u): 1}, noise=noise)
    return model(data, Predictor(lambda X: X @ w), names=names)


def _biased() -> Any:
    p = Symbol("p", positive=True)
    return attention(bias=(1, 0, 0), location=(p, (1 - p) / 2, (1 - p) / 2)).model


MODELS: dict[str, Any] = {
    "papers": lambda: None,
    "linear": _linear,
    "readme": _of_readme,
    **{name: (lambda name=name: _of_file(name)) for name in ("angle", "committee", "probit")},
    "softmax": lambda: _of_file("softmax"),
    "two_heads": lambda: _of_file("two_heads"),
    "plateau": lambda: _of_file("plateau"),
    "attention": lambda: attention().model,
    "cdf": lambda: attention(normal_cdf).model,
    "tanh": lambda: attention(tanh).model,
    "tilted": lambda: attention(angle=Symbol("c", real=True)).model,
    "spaces": lambda: (
        attention(
            cov=symbols("g_1:3", positive=True), other_cov=symbols("s_1:3", positive=True)
        ).model
    ),
    "biased": _biased,
    "attention softmax": lambda: attention(softmax).model,
    "one head": lambda: multi_head(1, 2).model,
    "correlated": lambda: multi_head(1, 2, correlation=Symbol("tau", real=True)).model,
    "committee 2": lambda: committee(2, 2).model,
    "gradient flow": lambda: committee(2, 2).model.equations("gradient-flow"),
    "online": lambda: committee(1, 2).model.equations("online-sgd"),
    "online linear": lambda: _linear().equations("online-sgd"),
    "descent": lambda: attention().model.equations("projected-descent"),
}


def _of_papers() -> Iterator[str]:
    for name in ("excess_risk", "gradient", "hessian"):
        yield str(risk_program(name))
    yield str((descent_step_program(False), descent_step_program(True)))


def _of_model(stated: Any) -> Iterator[str]:
    row = [0.3 + 0.1 * i for i in range(len(stated.parameters))]
    row = [7.0 if p.name in "dL" else x for p, x in zip(stated.parameters, row, strict=True)]
    what = ("excess_risk", "gradient")
    state = np.linspace(0.05, 0.2, len(stated.order_parameters))
    if not stated.is_additive:
        yield stated.compile("numpy")(state, *row).tobytes().hex()
        return
    program = stated.program("gradient")
    yield str((program, stated.program(*what)))
    state = np.linspace(0.05, 0.2, len(program.state))
    yield str(stated.compile("numpy", *what)(state, *row).tolist())
    yield stated.to_latex()
    yield str([sorted(map(str, some)) for some in stated.flow.symmetries()])


def _of_equations(equations: Any) -> Iterator[str]:
    table = equations.change_table
    yield str((table._entries, table._final, table._patterns))
    yield equations.to_latex()
    row = [3.0] * len(equations.parameters)
    state = np.linspace(0.1, 0.2, len(equations.state))
    yield str(equations.compile("numpy")(state, *row).tolist())
    yield str(equations._jacobian_table._final)


def hashes(names: list[str]) -> dict[str, list[str]]:
    """Hash each text and number of each of these models."""
    found = {}
    for name in names:
        stated = MODELS[name]()
        if stated is None:
            parts = _of_papers()
        else:
            parts = (_of_equations if hasattr(stated, "drift") else _of_model)(stated)
        found[name] = [hashlib.sha256(part.encode()).hexdigest()[:16] for part in parts]
    return found


if __name__ == "__main__":
    json.dump(hashes(sys.argv[1:] or list(MODELS)), sys.stdout)
