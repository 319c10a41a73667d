"""Straight-line programs as text.

A `Program` is plain Python: a function of the parameters that returns constants, and one of the
state and the constants.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, ClassVar, Literal, NamedTuple

Style = Literal["numbers", "arrays", "balls"]


class Program(NamedTuple):
    """A straight-line program: Python source of two functions, with the names of their inputs.

    The function ``constants`` of the parameters is called once; the function ``body`` takes the
    state and what the other returned.
    """

    state: tuple[str, ...]
    parameters: tuple[str, ...]
    constants: tuple[str, ...]
    outputs: int
    setup: str
    body: str
    # The means that it calls: a name, the program of the integrand, and the orders of derivatives,
    # one for each variable.
    means: tuple[tuple[str, Program, tuple[int, ...]], ...] = ()

    def require_state(self, state: Iterable[Any]) -> list[Any]:
        """Return a state as a list; raise `ValueError` unless it fits the program's state."""
        numbers = list(state)
        if len(numbers) != len(self.state):
            raise ValueError(f"state must have {len(self.state)} numbers; got {len(numbers)}")
        return numbers


def has_no_gaps(integrand: Program) -> bool:
    """Tell whether the first nodes of a quadrature see all there is of an integrand."""
    return integrand.outputs > 2


class _Calls(ast.NodeTransformer):
    """Rewriter of Python source that replaces branches (for balls, powers, too) by calls."""

    _RELATIONS: ClassVar = {
        ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    }  # fmt: skip

    def __init__(self, style: Style) -> None:
        self._balls = style == "balls"

    @staticmethod
    def _call(name: str, *parts: ast.expr) -> ast.expr:
        return ast.Call(ast.Name(name, ast.Load()), list(parts), [])

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        nothing = ast.parse("lambda: 0", mode="eval").body.args  # type: ignore[attr-defined]
        later = (ast.Lambda(nothing, part) for part in (node.body, node.orelse))
        return self._call("select", node.test, *later)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        if not self._balls:
            return node
        relation = ast.Constant(self._RELATIONS[type(node.ops[0])])
        return self._call("compare", node.left, relation, *node.comparators)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if self._balls and isinstance(node.op, ast.Pow):
            with suppress(ValueError):
                if isinstance(ast.literal_eval(node.right), int):
                    return self._call("power", node.left, node.right)
        return node


def execute_source(
    source: str, namespace: dict[str, Any], style: Style = "numbers"
) -> dict[str, Any]:
    """Execute source code and return its definitions; `namespace` has the functions it calls."""
    tree = ast.parse(source)
    if style != "numbers":
        tree = ast.fix_missing_locations(_Calls(style).visit(tree))
    scope = dict(namespace)
    exec(compile(tree, "<kernel>", "exec"), scope)
    return scope
