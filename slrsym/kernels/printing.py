"""Compilation of expressions to straight-line programs, with constants computed once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy as sp
from sympy import Basic, Expr, Symbol
from sympy.core.relational import Relational
from sympy.functions.elementary.piecewise import ExprCondPair
from sympy.logic.boolalg import And, Boolean, BooleanAtom, Not, Or
from sympy.printing.pycode import PythonCodePrinter

from slrsym.gaussian import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf
from slrsym.gaussian import zeta as symbolic_zeta
from slrsym.gaussian.bivariate_normal import bivariate_normal_cdf
from slrsym.gaussian.special_functions import with_own_owens_t
from slrsym.kernels.edge_functions import NAMES, BivariateNormal
from slrsym.kernels.orthants import OrthantMoment, OrthantProbability
from slrsym.kernels.program import Program
from slrsym.kernels.symbolic_functions import (
    CosineOfSlope,
    DampedFactor,
    DecayCoefficients,
    DecayIntegral,
    DifferenceFromErf,
    DividedSquare,
    ErfCovariance,
    ErfVariance,
    GaussianMean,
    OverRoot,
    ScaledArgument,
    SineOfSlope,
    WithSlopesOfZeta,
    with_safe_factors,
    zeta_by_variance,
)

# The names that the namespace of a backend has to give a meaning.
_FUNCTIONS = {
    sp.exp: "exp", sp.erf: "erf", sp.erfc: "erfc", sp.erfinv: "erfinv", sp.asin: "arcsin",
    sp.atan: "arctan",
    sp.Abs: "abs", sp.Max: "maximum", sp.Min: "minimum", sp.sin: "sin", sp.cos: "cos",
    sp.tanh: "tanh", sp.log: "log", sp.sign: "sign", normal_cdf: "normal_cdf", OwensT: "owens_t",
    ErfCovariance: "erf_covariance", DifferenceFromErf: "erf_defect",
    DecayCoefficients: "decay_coefficients", DecayIntegral: "evaluate_erf_variance_integral",
    **NAMES,
    CosineOfSlope: "cosine_of_slope", SineOfSlope: "sine_of_slope", DampedFactor: "damped_factor",
    ScaledArgument: "scaled_argument", OverRoot: "over_root", DividedSquare: "divided_square",
    WithSlopesOfZeta: "with_slopes_of_zeta", OrthantProbability: "orthant_probability",
    OrthantMoment: "orthant_moment",
}  # fmt: skip

# What every backend can compute.
_KNOWN = (
    *_FUNCTIONS, Symbol, sp.Rational, sp.Float, sp.Add, sp.Mul, sp.Pow, GaussianMean,
    sp.Piecewise, ExprCondPair, Relational, BooleanAtom,
)  # fmt: skip

# What is computed by way of these.
_MEANINGS = {
    erf_prime: lambda x: erf_prime(x).rewrite(sp.exp),
    erf_second: lambda x: erf_second(x).rewrite(sp.exp),
    normal_pdf: lambda x: normal_pdf(x).rewrite(sp.exp),
    bivariate_normal_cdf: lambda h, k, r: BivariateNormal(h, k, r, sp.sqrt((1 - r) * (1 + r))),
    symbolic_zeta: lambda t, s: WithSlopesOfZeta(zeta_by_variance(t, s), t, s),
    ErfVariance: lambda t, s: ErfVariance(t, s).as_integral(),
}

# What `rewrite_for_backends` takes the place of.
_REWRITTEN = (*_MEANINGS, And, Or, Not)


def program_from_expressions(
    expressions: Sequence[Expr],
    state: Sequence[Symbol],
    parameters: Sequence[Symbol],
    given: Mapping[Symbol, Expr] | None = None,
    *,
    hoist: bool = True,
) -> Program:
    """Return the straight-line Python program that evaluates SymPy expressions.

    Without `hoist` the program has no constants: its body takes the state alone.
    """
    parts: dict[Expr, Symbol] = {}
    given = {x: limit_expression_depth(e, parts) for x, e in (given or {}).items()}
    expressions = [limit_expression_depth(e, parts) for e in expressions]
    given |= {name: part for part, name in parts.items()}
    fixed = frozenset(parameters)
    given = {x: rewrite_for_backends(e, fixed) for x, e in given.items()}
    expressions = [rewrite_for_backends(e, fixed) for e in expressions]
    used = set().union(*(e.free_symbols for e in (*expressions, *given.values())))
    loose = used - given.keys() - {*state, *parameters}
    if loose:
        names = ", ".join(sorted(map(str, loose)))
        raise ValueError(f"expressions contain {names}, neither of the state nor parameters")
    plain = _python_names((*state, *parameters, *given))
    constant: dict[Expr, Symbol] = {}
    branching: dict[Expr, Symbol] = {}
    varying = frozenset(plain[x] for x in (*state, *given))
    fixed = frozenset(plain.values()) - varying

    def body(expr: Expr) -> Expr:
        whole = _without_branches(expr.xreplace(plain), fixed, branching, constant)
        if not hoist:
            return whole
        return hoist_constant_parts(whole, varying | set(branching.values()), constant)

    bodies = [body(e) for e in (*given.values(), *expressions)]
    shared, reduced = sp.cse(bodies, symbols=sp.numbered_symbols("x", real=True), order="none")
    steps = [*shared, *zip(map(plain.get, given), reduced, strict=False)]
    steps = _in_order([*steps, *((name, branch) for branch, name in branching.items())])
    outputs = reduced[len(given) :]
    scalars, values = sp.cse(
        list(constant), symbols=sp.numbered_symbols("s", real=True), order="none"
    )
    scalars = [*scalars, *zip(constant.values(), values, strict=True)]
    inputs, rest = ([plain[x] for x in some] for some in (state, parameters))
    fixed_names = [*constant.values()]
    means = {
        node.func: node
        for e in (*(e for _, e in (*scalars, *steps)), *outputs)
        for node in e.atoms(GaussianMean)
    }
    return Program(
        tuple(map(str, inputs)),
        tuple(map(str, rest)),
        tuple(map(str, fixed_names)),
        len(outputs),
        _function("constants", rest, scalars, fixed_names),
        _function("body", [*inputs, *fixed_names], steps, outputs),
        tuple(
            (kind.__name__, _integrand(kind), kind.orders)
            for kind in sorted(means, key=lambda kind: kind.__name__)
        ),
    )


def _integrand(kind: type[GaussianMean]) -> Program:
    """Return the program that evaluates the integrand of a Gaussian mean.

    By way of that function a mean of a derivative loses no digits; see
    `slrsym.kernels.numpy_special_functions`.
    """
    outputs = [kind.integrand(), kind.function][: 3 - len(kind.orders)]
    # A third output says so.
    outputs += [sp.S.One] * kind.has_no_gaps
    return program_from_expressions(outputs, (*kind.variables(), *kind.parameters), (), hoist=False)


def rewrite_for_backends(expr: Any, fixed: frozenset[Symbol] = frozenset()) -> Expr:
    """Rewrite an expression in functions that every backend has, or raise `ValueError`.

    Of the `fixed` symbols, extreme values are left aside where safety would cost time.
    """
    expr = with_own_owens_t(sp.sympify(expr))
    for function, meaning in _MEANINGS.items():
        if expr.has(function):
            expr = expr.replace(function, meaning)
    if expr.has(And, Or, Not):
        expr = expr.replace(sp.Piecewise, _with_single_relations)
    expr = with_safe_factors(expr, fixed)
    if (part := _unknown_part(expr, _KNOWN)) is not None:
        raise ValueError(f"expressions contain {part}, which kernels cannot compute")
    return expr


def is_known_to_backends(expr: Any) -> bool:
    """Return whether `rewrite_for_backends` accepts an expression, which takes much longer."""
    return _unknown_part(with_own_owens_t(sp.sympify(expr)), (*_KNOWN, *_REWRITTEN)) is None


def _unknown_part(expr: Basic, known: tuple[Any, ...]) -> Basic | None:
    for part in sp.preorder_traversal(expr):
        if not isinstance(part, known) and part not in (sp.pi, sp.E):
            return part
    return None


def _with_single_relations(*branches: ExprCondPair) -> Expr:
    """Return a `Piecewise` as nested ones, of which each condition is a single relation."""
    (value, condition), *rest = branches
    if condition == True:  # noqa: E712
        return value
    otherwise = _with_single_relations(*rest) if rest else None
    return _chosen_by(condition, value, otherwise)


def _chosen_by(condition: Boolean, then: Expr, otherwise: Expr | None) -> Expr:
    if isinstance(condition, And | Or):
        first, *more = condition.args
        rest = _chosen_by(condition.func(*more), then, otherwise)
        if isinstance(condition, And):
            return _chosen_by(first, rest, otherwise)
        return _chosen_by(first, then, rest)
    if isinstance(condition, Not) and otherwise is not None:
        return _chosen_by(condition.args[0], otherwise, then)
    last = [] if otherwise is None else [(otherwise, True)]
    return sp.Piecewise((then, condition), *last, evaluate=False)


def _without_branches(
    expr: Expr, fixed: frozenset[Symbol], found: dict[Expr, Symbol], constant: dict[Expr, Symbol]
) -> Expr:
    """Replace each `Piecewise` in an expression by a symbol, and record both in `found`."""

    def name_of(branch: Expr) -> Symbol:
        for x in sorted(branch.free_symbols & fixed, key=str):
            branch = branch.xreplace({x: constant.setdefault(x, Symbol(f"c{len(constant)}"))})
        return found.setdefault(branch, Symbol(f"w{len(found)}", real=True))

    return expr.replace(lambda e: isinstance(e, sp.Piecewise), name_of)


def _python_names(inputs: Sequence[Symbol]) -> dict[Symbol, Symbol]:
    """Map input symbols to symbols whose names are Python identifiers ending in _."""
    names = [x.name if x.name.isidentifier() else f"_{i}" for i, x in enumerate(inputs)]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise ValueError(f"state and parameters must have different names; {name} occurs twice")
    return {x: Symbol(f"{name}_", real=True) for x, name in zip(inputs, names, strict=True)}


def _in_order(steps: list[tuple[Symbol, Expr]]) -> list[tuple[Symbol, Expr]]:
    """Return assignments sorted so that each comes after those it uses."""
    values = dict(steps)
    ordered: dict[Symbol, Expr] = {}
    for first in values:
        # Those that wait for others, each with those others that are not placed yet.
        waiting: dict[Symbol, list[Symbol]] = {}
        symbol = first
        while True:
            if symbol not in ordered and symbol not in waiting:
                used = values[symbol].free_symbols & values.keys()
                waiting[symbol] = sorted(used - ordered.keys(), key=str, reverse=True)
            elif symbol in waiting:
                raise ValueError(f"circular definition of {symbol.name[:-1]}")
            while waiting and not waiting[last := next(reversed(waiting))]:
                ordered[last] = values[last]
                del waiting[last]
            if not waiting:
                break
            symbol = waiting[last].pop()
    return list(ordered.items())


# How deep an expression may be before a part of it becomes an assignment of its own, and how many
# terms of a sum stand in one line. Python's compiler and SymPy nest a call for each level, and a
# sum of n terms is a tree of depth n to the compiler.
_DEEPEST, _LONGEST = 60, 100


def limit_expression_depth(expr: Any, parts: dict[Expr, Symbol]) -> Expr:
    """Return an expression of bounded depth, with its deep parts named in `parts`.

    Branches of a `Piecewise` are left as they are: they are computed where they are chosen.
    """
    expr = sp.sympify(expr)
    heights: dict[Basic, int] = {}
    stand_ins: dict[Basic, Basic] = {}
    open_ = [expr]
    while open_:
        part = open_[-1]
        below = () if isinstance(part, sp.Piecewise) else part.args
        if part not in heights and (later := [x for x in below if x not in heights]):
            open_ += later
            continue
        open_.pop()
        if part in heights:
            continue
        heights[part] = 1 + max((heights[x] for x in below), default=0)
        if any(x in stand_ins for x in below):
            new = part.func(*(stand_ins.get(x, x) for x in below), evaluate=False)
            stand_ins[part] = new
        if heights[part] >= _DEEPEST and isinstance(part, Expr):
            name = Symbol(f"part{len(parts)}", real=True)
            stand_ins[part] = parts.setdefault(stand_ins.get(part, part), name)
            heights[part] = 1
    return stand_ins.get(expr, expr)


def hoist_constant_parts(expr: Expr, varying: frozenset[Symbol], found: dict[Expr, Symbol]) -> Expr:
    """Replace the largest parts without varying symbols by symbols, recorded in `found`."""
    known: dict[Basic, bool] = {}

    def varies(part: Basic) -> bool:
        if part not in known:
            known[part] = any(map(varies, part.args)) if part.args else part in varying
        return known[part]

    def named(part: Any) -> Expr:
        if not varies(part):
            if part.is_Number:
                return part
            return found.setdefault(part, Symbol(f"c{len(found)}", real=True))
        if not part.args:
            return part
        if isinstance(part, sp.Pow) and part.exp.is_Rational:
            parts = [named(part.base), part.exp]
        elif isinstance(part, sp.Add | sp.Mul):
            fixed = [x for x in part.args if not varies(x)]
            parts = [named(x) for x in part.args if varies(x)]
            parts += [named(part.func(*fixed))] if fixed else []
        else:
            parts = [named(x) for x in part.args]
        same = len(parts) == len(part.args) and set(parts) == set(part.args)
        return part if same else part.func(*parts)

    return named(expr)


# -- as Python source --------------------------------------------------------------------------


class _Printer(PythonCodePrinter):  # type: ignore[misc]
    """Printer of Python source code for programs, with short names of functions."""

    def __init__(self) -> None:
        names = {function.__name__: name for function, name in _FUNCTIONS.items()}
        super().__init__({"fully_qualified_modules": False, "user_functions": names})
        # Assignments made so far; those of parts of long sums come before what they are parts of.
        self.lines: list[str] = []
        self._sums = self._branches = 0

    def _print_Add(self, expr: Any, order: Any = None) -> str:
        terms = self._as_ordered_terms(expr, order=order)
        # A branch is computed only where it is chosen, so that nothing in it may go before.
        if len(terms) <= _LONGEST or self._branches:
            return str(super()._print_Add(expr, order=order))
        so_far: list[Expr] = []
        for start in range(0, len(terms), _LONGEST):
            part = sp.Add(*so_far, *terms[start : start + _LONGEST], evaluate=False)
            code = str(super()._print_Add(part, order="none"))
            so_far = [Symbol(f"t{self._sums}")]
            if start + _LONGEST < len(terms):
                self.lines.append(f"    {so_far[0]} = {code}")
                self._sums += 1
        return code

    def _print_Pi(self, expr: Any) -> str:
        return "pi"

    def _print_Exp1(self, expr: Any) -> str:
        return "exp(1)"

    def _print_Float(self, expr: Any) -> str:
        number = float(expr)
        if sp.Rational(number) != sp.Rational(expr):
            raise ValueError(f"expressions contain {expr}, no double; a Rational would be exact")
        return repr(number)

    def _print_Rational(self, expr: Any) -> str:
        return f"rational({expr.p}, {expr.q})"

    def _print_Function(self, expr: Any) -> str:
        if isinstance(expr, GaussianMean):
            return f"{type(expr).__name__}({', '.join(map(self._print, expr.args))})"
        return str(super()._print_Function(expr))

    def _print_sign(self, expr: Any) -> str:
        return f"sign({self._print(expr.args[0])})"

    def _print_Piecewise(self, expr: Any) -> str:
        code = "nan"
        self._branches += 1
        for value, condition in reversed(expr.args):
            then, test = self._print(value), self._print(condition)
            code = then if condition == True else f"(({then}) if ({test}) else ({code}))"  # noqa: E712
        self._branches -= 1
        return code

    def _print_Relational(self, expr: Any) -> str:
        left, right = map(self._print, expr.args)
        return f"({left} {expr.rel_op} {right})"


def _function(
    name: str,
    inputs: Iterable[Symbol],
    steps: Iterable[tuple[Symbol, Expr]],
    outputs: Sequence[Expr],
) -> str:
    printer = _Printer()
    for symbol, expr in steps:
        printer.lines.append(f"    {symbol} = {printer.doprint(expr)}")
    values = " ".join(printer.doprint(e) + "," for e in outputs)
    lines = [
        f"def {name}({', '.join(map(str, inputs))}):",
        *printer.lines,
        f"    return ({values})",
    ]
    return "\n".join(lines) + "\n"
