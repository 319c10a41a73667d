"""Integrands as straight-line programs on balls.

Numbers are `flint.arb` and `flint.acb` balls, so rounding errors bound themselves. A `Program`
performs every operation of an integrand in the outermost loop in which its operands are known.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from flint import arb

from slrsym.numbers.magnitudes import Ball

__all__ = ["Node", "Program"]

Node: TypeAlias = tuple[Ball, Ball, float]


class Program:
    """An integrand, compiled."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.values: list[Any] = [None] * depth
        self.levels = list(range(1, depth + 1))
        self._code: list[list[tuple[Callable[..., Any], int, tuple[int, ...]]]] = [
            [] for _ in range(depth + 1)
        ]
        self._known: dict[tuple[Any, ...], int] = {}
        self._compiled: tuple[Any, list[Callable[[list[Any]], None]]] = (None, [])
        self.output = -1

    def constant(self, value: Any) -> int:
        """Hold a value that no loop changes."""
        self.values.append(value)
        self.levels.append(0)
        return len(self.values) - 1

    def emit(self, operation: Callable[..., Any], *operands: int) -> int:
        """Perform an operation on registers, at once or in the outermost loop that allows it."""
        level = max((self.levels[i] for i in operands), default=0)
        if level == 0:
            return self.constant(operation(*(self.values[i] for i in operands)))
        key = (operation, *operands)
        if key not in self._known:
            self.values.append(None)
            self.levels.append(level)
            self._known[key] = len(self.values) - 1
            self._code[level].append((operation, self._known[key], operands))
        return self._known[key]

    def fold(self, operation: Callable[[Any, Any], Any], operands: Iterable[int]) -> int:
        """Combine registers by an associative operation, those of outer loops first."""
        first, *rest = sorted(operands, key=self.levels.__getitem__)
        for register in rest:
            first = self.emit(operation, first, register)
        return first

    def _steps(self) -> list[Callable[[list[Any]], None]]:
        """What each loop does to the registers, as Python functions; the outermost loop first."""
        state = self.output, *map(len, self._code)
        if self._compiled[0] != state:
            operands = [{i for _, _, inputs in code for i in inputs} for code in self._code]
            steps = []
            for level in range(1, self.depth + 1):
                wanted = {self.output}.union(*operands[level + 1 :])
                steps.append(_as_function(self._code[level], wanted))
            self._compiled = state, steps
        return self._compiled[1]

    def evaluate(self, node: Ball) -> Ball:
        """The value of a program with a single loop at one node."""
        values = self.values
        values[0] = node
        self._steps()[0](values)
        return values[self.output]

    def sum(
        self, rules: Sequence[Sequence[Node]], radius: float, width: float
    ) -> tuple[Ball, Ball, Ball]:
        """Sum over the nodes in a ball."""
        values = self.values
        last = self.depth - 1
        steps = self._steps()
        shell = radius**2 - max(radius - width, 0.0) ** 2
        zero = arb(0)

        def loop(level: int, room: float) -> tuple[Ball, Ball, Ball]:
            total, absolute, edge = zero, zero, zero
            step = steps[level]
            for node, weight, square in rules[level]:
                rest = room - square
                if rest < 0.0:
                    break
                values[level] = node
                step(values)
                if level == last:
                    term = weight * values[self.output]
                    size = abs(term)
                    total += term
                    absolute += size
                    if rest < shell:
                        edge += size
                else:
                    inner, inner_absolute, inner_edge = loop(level + 1, rest)
                    total += weight * inner
                    absolute += weight * inner_absolute
                    edge += weight * inner_edge
            return total, absolute, edge

        return loop(0, radius**2)


_INFIX = {operator.add: "+", operator.mul: "*"}


def _as_function(
    code: Sequence[tuple[Callable[..., Any], int, tuple[int, ...]]], wanted: set[int]
) -> Callable[[list[Any]], None]:
    """A function that performs operations on registers, and keeps the wanted results.

    Most operations are sums and products that take less time than finding out which they are.
    """
    lines, known, names = ["def step(v):", "    pass"], set[int](), dict[str, Any]()
    for operation, out, operands in code:
        lines += [f"    r{i} = v[{i}]" for i in dict.fromkeys(operands) if i not in known]
        known |= {out, *operands}
        inputs = [f"r{i}" for i in operands]
        if operation in _INFIX and len(inputs) == 2:
            lines.append(f"    r{out} = {inputs[0]} {_INFIX[operation]} {inputs[1]}")
        else:
            names[f"f{out}"] = operation
            lines.append(f"    r{out} = f{out}({', '.join(inputs)})")
        if out in wanted:
            lines.append(f"    v[{out}] = r{out}")
    exec("\n".join(lines), names)
    result: Callable[[list[Any]], None] = names["step"]
    return result
