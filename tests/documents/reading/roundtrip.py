"""Whether what is printed is what was checked: every displayed formula, read back and compared."""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import (
    And,
    Basic,
    Derivative,
    Dummy,
    Eq,
    Equivalent,
    Expr,
    Float,
    Function,
    Implies,
    Integral,
    Limit,
    MatrixSymbol,
    Or,
    Rational,
    Subs,
    Sum,
    Symbol,
    expand,
    preorder_traversal,
    sympify,
)
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from slrsym.documents.export.document import ClaimEntry, Display, Document
from slrsym.documents.export.latex import LatexRenderer
from slrsym.documents.typeset.calculus import marginal_law
from slrsym.gaussian import Expectation, IIDSum
from slrsym.gaussian.law import Law, ProductLaw
from slrsym.prover.statements.expressions import conjuncts
from tests.documents.reading import ReadingError, read_display

__all__ = ["Outcome", "read_back", "same"]

_DIGITS = 30
_POINTS = 2


@dataclass(frozen=True)
class Outcome:
    """What reading a displayed formula back gave."""

    claim: str
    latex: str
    equal: bool
    reason: str = ""


def read_back(document: Document, renderer: Any = None) -> list[Outcome]:
    """Every displayed formula of the claims of a document, read back from its LaTeX."""
    renderer = renderer or LatexRenderer(document.labels)
    outcomes: list[Outcome] = []
    for claim in document.claims:
        # All expressions of the claim are gone through for them.
        names = claim.names()
        for display in claim.displays():
            if not speaks_of_matrices(display):
                outcomes += _of_display(claim, display, names, renderer)
    return outcomes


def speaks_of_matrices(display: Display) -> bool:
    """Whether a formula has letters for matrices, for which the reader has no words yet."""
    shown = [display.start.shown, *(link.formula.shown for link in display.links)]
    nodes = (node for x in shown if isinstance(x, Basic) for node in preorder_traversal(x))
    return any(isinstance(node, MatrixSymbol) for node in nodes)


def _of_display(
    claim: ClaimEntry, display: Display, names: dict[str, Any], renderer: Any
) -> Iterable[Outcome]:
    latex = renderer.display(display)
    try:
        found = read_display(latex, names)
    except (ReadingError, KeyError, TypeError, ValueError, AttributeError) as problem:
        reason = f"cannot be read: {type(problem).__name__}: {problem}"
        return [Outcome(claim.id, latex, False, reason)] * len(display.formulas)
    if not display.links:
        equal = _same_statement(found[0], _tree(display.start.shown))
        reason = "" if equal else f"reads as {found[0]}"
        return [Outcome(claim.id, latex, equal, reason)]
    if len(found) != len(display.formulas):
        reason = f"reads as {len(found)} sides, not {len(display.formulas)}"
        return [Outcome(claim.id, latex, False, reason)] * len(display.formulas)
    outcomes = []
    sides = [("", found[0]), *found[1:]]
    wanted = [("", display.start.shown), *((k.sign, k.formula.shown) for k in display.links)]
    for (sign, side), (relation, shown) in zip(sides, wanted, strict=True):
        equal = sign == relation and same(side, shown)
        reason = "" if equal else f"reads as {sign} {side}, and was checked as {relation} {shown}"
        outcomes.append(Outcome(claim.id, latex, equal, reason))
    return outcomes


def same(one: Any, other: Any) -> bool:
    """Whether two expressions are the same, up to the order of operations of real numbers."""
    one, other = sympify(one), sympify(other)
    if one == other and not one.has(Subs):
        return True
    one, other = _normal(one), _normal(other)
    if one == other or expand(one - other) == 0:
        return True
    names: dict[Any, Symbol] = {}
    return _same_values(_opened(one, names), _opened(other, names))


_OPAQUE = (Expectation, IIDSum, Derivative, Subs, Integral, Sum, Limit, AppliedUndef)


def _opened(expr: Any, names: dict[Any, Symbol]) -> Any:
    """The expression with a letter for whatever is no elementary function."""
    if isinstance(expr, _OPAQUE):
        return names.setdefault(expr, Dummy(real=True))
    if not expr.args:
        return expr
    return expr.func(*(_opened(arg, names) for arg in expr.args))


def _same_values(one: Expr, other: Expr) -> bool:
    source = random.Random(0)
    symbols = sorted(one.free_symbols | other.free_symbols, key=str)
    for _ in range(_POINTS):
        at = {s: Rational(source.randint(11, 97), 83) for s in symbols}
        at = {s: sympify(source.randint(2, 9)) if s.is_integer else v for s, v in at.items()}
        left, right = (_value(e, at) for e in (one, other))
        # A misprint may lead to a complex argument, at which Owen's T has no number.
        if not (abs(left).is_comparable and abs(right).is_comparable):
            return False
        size = max(abs(left), abs(right), Float(1))
        if not abs(left - right) < size * Float(10) ** -_DIGITS:
            return False
    return True


def _value(expr: Expr, at: Mapping[Symbol, Expr]) -> Expr:
    """The value, from the innermost outwards; SymPy evaluates what is nested again and again."""
    if expr in at or not expr.args:
        value = at.get(expr, expr)
        return value if value.is_Rational else value.evalf(_DIGITS + 20)
    return expr.func(*(_value(arg, at) for arg in expr.args)).evalf(_DIGITS + 20)


def _normal(expr: Any) -> Any:
    """A form in which expressions that are printed alike are alike."""
    if not isinstance(expr, Basic) or isinstance(expr, Law) or not expr.args:
        return expr
    partial = _named_partial(expr)
    if partial is not None:
        return partial
    if isinstance(expr, Expectation):
        inside = expand(_normal(expr.integrand))
        law = _apart(expr.law, inside.free_symbols)
        return inside if law is None else Expectation(inside, law).as_dummy()
    if isinstance(expr, IIDSum):
        law = _apart(expr.law, expr.term.free_symbols) or expr.law
        return IIDSum(expand(_normal(expr.term)), law, expand(expr.count)).as_dummy()
    if isinstance(expr, Derivative):
        return Derivative(expand(_normal(expr.expr)), *expr.variable_count, evaluate=False)
    if isinstance(expr, Subs):
        # Subs of derivatives in different variables are equal, for SymPy, at (0, 0).
        pairs = zip(expr.variables, map(_normal, expr.point), strict=True)
        put = sorted((pair for pair in pairs if pair[0] != pair[1]), key=str)
        values = (*(x for x, _ in put), *(value for _, value in put))
        inner = _normal(expr.expr)
        if isinstance(inner, Derivative):
            orders = [part for pair in inner.variable_count for part in pair]
            return Function("derivative_at")(inner.expr, *orders, *values)
        # The value of a function, where the function is written at the values.
        return inner.subs(put, simultaneous=True)
    args = [_normal(arg) for arg in expr.args]
    if isinstance(expr, Function):
        args = [expand(arg) for arg in args]
    return expr.func(*args)


def _named_partial(expr: Any) -> Any:
    """A derivative of an undefined function as a function of its own."""
    inner, values = (expr.expr, expr.point) if isinstance(expr, Subs) else (expr, None)
    if not isinstance(inner, Derivative) or not isinstance(inner.expr, AppliedUndef):
        return None
    of = inner.expr
    if len(inner.variable_count) != 1 or inner.variables[0] not in of.args:
        return None
    if isinstance(expr, Subs) and tuple(expr.variables) != of.args:
        return None
    variable, count = inner.variable_count[0]
    name = f"{of.func.__name__}_{of.args.index(variable)}_{count}"
    return Function(name, real=True)(*map(expand, map(_normal, values or of.args)))


def _apart(law: Law, symbols: set[Symbol]) -> Law | None:
    """The law of the variables that matter, independent ones apart, in order."""
    part = marginal_law(law, symbols)
    if part is None:
        return None
    blocks: list[Law] = []
    for block in part.independent_laws():
        cov = getattr(block, "cov", None)
        if cov is not None and cov.is_diagonal():
            blocks += [block.marginal(s) for s in block.symbols]
        else:
            blocks.append(block)
    blocks.sort(key=lambda b: str(b.symbols))
    return blocks[0] if len(blocks) == 1 else ProductLaw(*blocks)


def _tree(statement: Any) -> Any:
    points = _points(statement)
    if points is not None:
        return points
    for kind, word in ((And, "and"), (Implies, "implies"), (Equivalent, "iff"), (Or, "or")):
        if isinstance(statement, kind):
            return (word, *map(_tree, statement.args))
    if isinstance(statement, Relational):
        sign = {"==": "="}.get(statement.rel_op, statement.rel_op)
        return (sign, statement.lhs, statement.rhs)
    return statement


def _points(statement: Any) -> Any:
    if not isinstance(statement, Or):
        return None
    options = [conjuncts(option) for option in statement.args]
    if not all(isinstance(e, Eq) and e.lhs.is_Symbol for option in options for e in option):
        return None
    values = [{e.lhs: e.rhs for e in option} for option in options]
    return ("points", frozenset(frozenset(v.items()) for v in values))


def _same_statement(found: Any, wanted: Any) -> bool:
    if not isinstance(found, tuple) or not isinstance(wanted, tuple):
        return (
            not isinstance(found, tuple) and not isinstance(wanted, tuple) and same(found, wanted)
        )
    if found[0] == "points" and wanted[0] == "points":
        _, names, points = found
        listed = {frozenset(zip(names, values, strict=True)) for values in points}
        return bool(frozenset(listed) == wanted[1])
    if found[0] != wanted[0] or len(found) != len(wanted):
        return False
    if found[0] in ("and", "or", "iff"):
        left = list(found[1:])
        for part in wanted[1:]:
            match = next((p for p in left if _same_statement(p, part)), None)
            if match is None:
                return False
            left.remove(match)
        return True
    return all(_same_statement(f, w) for f, w in zip(found[1:], wanted[1:], strict=True))
