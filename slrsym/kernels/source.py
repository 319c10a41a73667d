"""Programs as Python source, in the few functions that every backend has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sympy import Expr, Rational, Symbol
from sympy.printing.pycode import PythonCodePrinter

from slrsym.kernels.program import Program

__all__ = ["body_source", "compiled", "constants_source"]

# SymPy's names, and the names that the namespace of a backend has to give a meaning.
_FUNCTIONS = {
    "exp": "exp", "erf": "erf", "erfc": "erfc", "asin": "arcsin", "atan": "arctan", "Abs": "abs",
    "Max": "maximum", "Min": "minimum",
    "DecayIntegral": "decay_integral", "ErfDefect": "erf_defect",
}  # fmt: skip


class _Printer(PythonCodePrinter):  # type: ignore[misc]
    """Functions by plain names; quotients of integers are left to the numbers of the backend.

    So are integer powers, if they are to be calls.
    """

    def __init__(self, calls: bool) -> None:
        super().__init__({"fully_qualified_modules": False, "user_functions": _FUNCTIONS})
        self._calls = calls

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        if self._calls and expr.exp.is_Integer and expr.exp != -1:
            return f"power({self.doprint(expr.base)}, {expr.exp})"
        return str(super()._print_Pow(expr, rational=rational))

    def _print_Pi(self, expr: Any) -> str:
        return "pi"

    def _print_Exp1(self, expr: Any) -> str:
        return "exp(1)"

    def _print_Float(self, expr: Any) -> str:
        number = float(expr)
        if Rational(number) != Rational(expr):
            raise ValueError(f"expressions contain {expr}, no double; a Rational would be exact")
        return repr(number)

    def _print_Rational(self, expr: Any) -> str:
        return f"rational({expr.p}, {expr.q})"


def _function(
    name: str,
    inputs: Iterable[Symbol],
    steps: Iterable[tuple[Symbol, Expr]],
    outputs: Sequence[Expr],
    calls: bool,
) -> str:
    printer = _Printer(calls)
    lines = [f"def {name}({', '.join(map(str, inputs))}):"]
    lines += [f"    {symbol} = {printer.doprint(expr)}" for symbol, expr in steps]
    lines.append(f"    return ({' '.join(printer.doprint(e) + ',' for e in outputs)})")
    return "\n".join(lines) + "\n"


def constants_source(program: Program, calls: bool = False) -> str:
    """The function ``constants`` of the parameters, which returns the constants of the program."""
    return _function("constants", program.parameters, program.scalars, program.constants, calls)


def body_source(program: Program, name: str = "body", calls: bool = False) -> str:
    """A function of the state and the constants, which returns the outputs of the program."""
    inputs = (*program.state, *program.constants)
    return _function(name, inputs, program.steps, program.outputs, calls)


def compiled(source: str, namespace: dict[str, Any]) -> dict[str, Any]:
    """What a source defines."""
    scope = dict(namespace)
    exec(compile(source, "<kernel>", "exec"), scope)
    return scope
