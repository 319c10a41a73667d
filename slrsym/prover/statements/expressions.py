"""SymPy expressions in statements: bound variables, substitution, text; and proof errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

import sympy as sp
from sympy import Basic, Expr, Symbol
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean, BooleanFunction
from sympy.printing.str import StrPrinter

from slrsym.gaussian.binding import Binder


class ProofError(Exception):
    """Error for a malformed proof, such as one with the wrong goal or an unknown name."""


class Refused(Exception):  # noqa: N818
    """Error for a step of a proof that the rule given for it does not justify."""


class Sentence(BooleanFunction):  # type: ignore[misc]
    """A statement in words, such as one about orbits, which has no truth value at a point."""

    @classmethod
    def eval(cls, *args: Any) -> None:
        return None


class ForAll(Sentence):
    """A statement for all values of a variable, such as a recursion that defines a sequence.

    Parameters
    ----------
    variable : Symbol
        The variable, which is bound; it runs over the values that its declaration allows.
    statement : Boolean
        The statement.

    Raises
    ------
    ProofError
        If the variable is no real symbol, or the statement is none.
    """

    def __new__(cls, variable: Any, statement: Any, **_options: Any) -> Any:
        if not isinstance(variable, Symbol) or not variable.is_real:
            raise ProofError(f"the variable must be a real symbol; got {variable!r}")
        if not isinstance(statement, Boolean) or isinstance(statement, Symbol):
            raise ProofError(f"for all {variable} there must be a statement; got {statement!r}")
        return super().__new__(cls, variable, statement, **_options)

    @property
    def variable(self) -> Symbol:
        """The variable over which the statement quantifies."""
        return self.args[0]

    @property
    def statement(self) -> Boolean:
        """The quantified statement, in which the variable is bound."""
        return self.args[1]

    @property
    def free_symbols(self) -> set[Basic]:
        """The free symbols of the statement, without the bound variable and terms indexed by it."""
        x = self.variable
        return {s for s in self.statement.free_symbols if s != x and x not in s.free_symbols}

    def instantiate(self, value: Any) -> Boolean:
        """Return the quantified statement with a value in place of its bound variable.

        Parameters
        ----------
        value : expression
            The value.

        Returns
        -------
        Boolean
            The statement, with the value put for the variable.
        """
        return substitute_simultaneously(self.statement, {self.variable: sp.sympify(value)})

    def substitute_free_symbols(self, values: Mapping[Symbol, Expr]) -> ForAll:
        """Return the statement with values substituted for free symbols, avoiding capture.

        Parameters
        ----------
        values : mapping of Symbol to expression
            The values; one of the variable's own name is left out.

        Returns
        -------
        ForAll
            Its variable has another name, if a value has a symbol of that name.
        """
        values = {s: v for s, v in values.items() if s != self.variable}
        x = self.variable
        if any(x in v.free_symbols for v in values.values()):
            x = sp.Dummy(x.name, **x._assumptions_orig)
        made: ForAll = ForAll(x, substitute_simultaneously(self.instantiate(x), values))
        return made

    def _sympystr(self, printer: Any) -> str:
        return f"{infix_text(self.statement)} for all {_domain_and_name_text(self.variable)}"

    def _latex(self, printer: Any) -> str:
        said = printer._print(self.statement)
        domain = _domain_and_name_text(self.variable).removesuffix(str(self.variable))
        return rf"{said} \text{{ for all {domain}}} {printer._print(self.variable)}"


def _domain_and_name_text(x: Symbol) -> str:
    signs = ("positive", "negative", "nonnegative", "nonpositive", "nonzero")
    sign = next((s for s in signs if getattr(x, f"is_{s}")), "")
    kind = "integers" if x.is_integer else "real"
    return " ".join(filter(None, (sign, kind, str(x))))


def conjuncts(statement: Boolean) -> tuple[Boolean, ...]:
    """Return the statements that a conjunction joins; of any other statement, itself alone."""
    return statement.args if isinstance(statement, sp.And) else (statement,)


def disjuncts(statement: Boolean) -> tuple[Boolean, ...]:
    """Return the statements that a disjunction joins; of any other statement, itself alone."""
    return statement.args if isinstance(statement, sp.Or) else (statement,)


def flatten_conjunctions_and_disjunctions(statement: Boolean) -> Boolean:
    """Return a statement with nested conjunctions and disjunctions flattened and sorted.

    From SymPy 1.15 on they are otherwise nested, and in the order given, if ``evaluate=False``.
    """
    if isinstance(statement, sp.And | sp.Or):
        return statement.func(*map(flatten_conjunctions_and_disjunctions, statement.args))
    if isinstance(statement, sp.Equivalent | sp.Implies):
        return statement.func(
            *map(flatten_conjunctions_and_disjunctions, statement.args), evaluate=False
        )
    return statement


@lru_cache(maxsize=2**14)
def free_symbols(expr: Basic) -> frozenset[Symbol]:
    """Return the free symbols of an expression, from a cache, since SymPy's search is slow."""
    return frozenset(expr.free_symbols)


# No bundled statement has a third as many parts; the numerical check and the search for evidence of
# longer ones take minutes.
MOST_PARTS = 40_000
# Deeper ones are refused by the proof checker, and are too deep for SymPy to print.
_MOST_AROUND = 150


def require_moderate_size(what: str, *statements: Any) -> None:
    """Raise `ProofError` for a statement with too many parts to look for evidence, or too deep.

    A part that stands in several places counts in each of them, as for the proof checker. A letter
    for a matrix is one part, with its sizes.
    """
    for statement in statements:
        if isinstance(statement, Basic) and _is_deep(statement):
            raise ProofError(
                f"{what}: a statement has parts within more than {_MOST_AROUND} others; name a "
                "part inside by a symbol, with an equation as a hypothesis"
            )
        if isinstance(statement, Basic) and (n := _number_of_parts(statement)) > MOST_PARTS:
            raise ProofError(
                f"{what}: a statement has {n:,} parts, and may have {MOST_PARTS:,}; name a part "
                "that stands in several places by a symbol, with an equation as a hypothesis"
            )


def _is_deep(expr: Basic) -> bool:
    try:
        return _depth(expr) > _MOST_AROUND
    except RecursionError:
        return True


@lru_cache(maxsize=2**16)
def _depth(expr: Basic) -> int:
    return 1 + max(map(_depth, expr.args), default=0)


@lru_cache(maxsize=2**16)
def _number_of_parts(expr: Basic) -> int:
    if isinstance(expr, sp.MatrixSymbol):
        return 1
    return 1 + sum(map(_number_of_parts, expr.args))


class AtPoint(sp.Subs):  # type: ignore[misc]
    """An expression at a point, unlike SymPy's `Subs` distinct for different variables.

    SymPy takes two `Subs` for equal if their variables have equal values: the partial derivatives
    of f(x, y) in x and in y at (0, 0) are the same to it.
    """

    def __new__(cls, expr: Expr, variables: Iterable[Symbol], point: Iterable[Expr]) -> AtPoint:
        new: AtPoint = Expr.__new__(cls, expr, sp.Tuple(*variables), sp.Tuple(*point))
        new._expr = expr
        return new

    def _hashable_content(self) -> tuple[Any, ...]:
        return tuple(self.args)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AtPoint) and self.args == other.args

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.args))


def find_ambiguous_subs(expr: Basic) -> sp.Subs | None:
    """Return a `Subs` that SymPy takes for equal to others, or None; no `AtPoint` is one.

    SymPy names bound variables by the text of their values, and so confuses those whose values are
    written alike, in one `Subs` or in one inside another.
    """
    for node in expr.atoms(sp.Subs):
        if isinstance(node, AtPoint):
            continue
        inside = [n for n in node.expr.atoms(sp.Subs) if not isinstance(n, AtPoint)]
        values = [str(value) for part in (node, *inside) for value in part.point]
        if len(set(values)) < len(values):
            return node
    return None


def substitute_simultaneously(expr: Any, values: Mapping[Symbol, Expr]) -> Any:
    """Substitute values for symbols simultaneously, without capturing bound variables.

    Bound variables are left alone, and renamed where a value would be captured. Relations stay
    relations, even those that have become obvious.
    """
    if not values:
        return expr
    if isinstance(expr, Relational):
        return expr.func(
            substitute_simultaneously(expr.lhs, values),
            substitute_simultaneously(expr.rhs, values),
            evaluate=False,
        )
    if isinstance(expr, ForAll):
        return expr.substitute_free_symbols(values)
    if isinstance(expr, BooleanFunction):
        return expr.func(
            *(substitute_simultaneously(arg, values) for arg in expr.args), evaluate=False
        )
    if not isinstance(expr, Basic):
        return expr
    incoming = set().union(*(v.free_symbols for v in values.values()))
    return _substitute_without_clashes(
        rename_clashing_bound_variables(expr, incoming | set(values)), values
    )


def _substitute_without_clashes(expr: Any, values: Mapping[Symbol, Expr]) -> Any:
    if isinstance(expr, Symbol):
        return values.get(expr, expr)
    if not expr.args:
        return expr
    if isinstance(expr, sp.Add | sp.Mul | sp.Pow | sp.Function) and not isinstance(
        expr, sp.Piecewise
    ):
        # What `subs` would do as well, once for each symbol and again for each value.
        args = [_substitute_without_clashes(arg, values) for arg in expr.args]
        same = all(new is old for new, old in zip(args, expr.args, strict=True))
        return expr if same else expr.func(*args)
    if isinstance(expr, sp.Derivative) and (
        names := _substituted_derivative_variables(expr, values)
    ):
        counts = [n for _, n in expr.variable_count]
        return sp.Derivative(
            _substitute_without_clashes(expr.expr, values), *zip(names, counts, strict=True)
        )
    # SymPy's own simultaneous substitution goes through symbols that are not declared real.
    places = {s: sp.Dummy(s.name, **s._assumptions_orig) for s in values}
    for symbol, place in places.items():
        expr = expr.subs(symbol, place)
    for symbol, place in places.items():
        expr = expr.subs(place, values[symbol])
    return expr


def _substituted_derivative_variables(
    expr: sp.Derivative, values: Mapping[Symbol, Expr]
) -> list[Symbol]:
    """Return a derivative's variables after a substitution; [] if it would confuse variables."""
    named = {x: values.get(x, x) for x in expr.variables}
    others = free_symbols(expr.expr) - named.keys()
    inside = set().union(*(free_symbols(values.get(s, s)) for s in others))
    plain = all(isinstance(x, Symbol) for x in named.values())
    if not plain or len(set(named.values())) < len(named) or inside & set(named.values()):
        return []
    return [named[x] for x, _ in expr.variable_count]


def replace_outermost_parts(expr: Any, change: Callable[[Any], Any]) -> Any:
    """Rebuild an expression; replace outermost subexpressions where `change` returns a value."""
    found = change(expr)
    if found is not None:
        return found
    args = [replace_outermost_parts(arg, change) for arg in expr.args]
    if all(new is old for new, old in zip(args, expr.args, strict=True)):
        return expr
    return expr.func(*args)


def symbols_bound_by_node(node: Basic) -> Iterable[Symbol]:
    """Return the symbols that the outermost operator of an expression binds."""
    if isinstance(node, Binder):
        return node.bound_symbols
    if isinstance(node, ExprWithLimits):
        return [limit[0] for limit in node.limits]
    if isinstance(node, sp.Subs | sp.Lambda):
        result: Iterable[Symbol] = node.variables
        return result
    if isinstance(node, sp.Limit):
        return [node.args[1]]
    return ()


def bound_and_derivative_variables(expr: Basic) -> set[Symbol]:
    """Return all bound symbols and variables of derivatives in an expression."""
    found: set[Symbol] = set()
    for node in sp.preorder_traversal(expr):
        found |= set(symbols_bound_by_node(node))
        if isinstance(node, sp.Derivative):
            found |= set(node.variables)
    return found


def rename_clashing_bound_variables(expr: Basic, symbols: set[Symbol]) -> Basic:
    """Rename those bound variables of an expression that are among given symbols."""
    if not expr.args:
        return expr
    clash = {s for s in symbols_bound_by_node(expr) if s in symbols}
    if clash:
        names = {s: sp.Dummy(s.name, **s._assumptions_orig) for s in clash}
        expr = _rename_symbols_bound_by_node(expr, names)
    args = [rename_clashing_bound_variables(arg, symbols) for arg in expr.args]
    if all(new is old for new, old in zip(args, expr.args, strict=True)):
        return expr
    if isinstance(expr, sp.Derivative):
        return sp.Derivative(*args, evaluate=False)
    return expr.func(*args)


def _rename_symbols_bound_by_node(expr: Basic, names: Mapping[Symbol, Symbol]) -> Basic:
    """Rename the variables that an expression's outermost operator binds."""
    if isinstance(expr, Binder):
        return expr.rename_variables(names)
    if isinstance(expr, ExprWithLimits):
        # Ends of the first ranges may contain the variables of the later ones.
        limits = []
        for position, (x, *ends) in enumerate(expr.limits):
            later = {
                s: d for s, d in names.items() if s in {v[0] for v in expr.limits[position + 1 :]}
            }
            limits.append((names.get(x, x), *(end.xreplace(later) for end in ends)))
        return expr.func(expr.function.xreplace(dict(names)), *limits)
    if isinstance(expr, sp.Subs):
        variables = tuple(names.get(x, x) for x in expr.variables)
        return expr.func(expr.expr.xreplace(dict(names)), variables, tuple(expr.point))
    if isinstance(expr, sp.Lambda):
        variables = tuple(names.get(x, x) for x in expr.variables)
        return sp.Lambda(variables, expr.expr.xreplace(dict(names)))
    body, x, target, direction = expr.args
    return sp.Limit(body.xreplace(dict(names)), names[x], target, str(direction))


_SIGNS = {
    "Equality": "=", "Unequality": "!=", "LessThan": "<=", "StrictLessThan": "<",
    "GreaterThan": ">=", "StrictGreaterThan": ">",
}  # fmt: skip
_WORDS = {sp.And: " and ", sp.Or: " or ", sp.Implies: " => ", sp.Equivalent: " <=> "}


class _CachingTextPrinter(StrPrinter):  # type: ignore[misc]
    """SymPy's plain-text printer, with a cache of subexpressions printed before.

    Parts are known by where they are: to SymPy, a `Subs` is equal to others that read differently.
    """

    _MOST = 100_000

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[int, tuple[Any, str]] = {}

    def _print(self, expr: Any, **settings: Any) -> Any:
        if not isinstance(expr, Basic) or not expr.args:
            return super()._print(expr, **settings)
        found = self._known.get(id(expr))
        if found is None or found[0] is not expr:
            if len(self._known) > self._MOST:
                self._known.clear()
            found = self._known[id(expr)] = (expr, super()._print(expr, **settings))
        return found[1]


_printer = _CachingTextPrinter()


def expression_text(expr: Any) -> str:
    """Return the text of a SymPy expression or statement as `str` does, but from a cache.

    For one that is too deep for `str`, it only says so.
    """
    try:
        return str(_printer.doprint(expr))
    except RecursionError:
        return "an expression that is too deep to be written"


def infix_text(statement: Any) -> str:
    """Return a statement as text in infix notation.

    Examples
    --------
    >>> from sympy import And, Eq, Symbol
    >>> x = Symbol("x", real=True)
    >>> infix_text(And(Eq(x**2, 4), x > 0))
    '(x**2 = 4) and (x > 0)'
    """
    if isinstance(statement, Relational):
        left, right = expression_text(statement.lhs), expression_text(statement.rhs)
        return f"{left} {_SIGNS[type(statement).__name__]} {right}"
    if isinstance(statement, sp.Not):
        return f"not ({infix_text(statement.args[0])})"
    for kind, word in _WORDS.items():
        if isinstance(statement, kind):
            # SymPy orders the arguments of Implies alone by meaning, of the others by name.
            parts = (
                statement.args
                if kind is sp.Implies
                else sorted(statement.args, key=expression_text)
            )
            return word.join(f"({infix_text(part)})" for part in parts)
    return expression_text(statement)
