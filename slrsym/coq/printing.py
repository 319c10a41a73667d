"""Printer of SymPy expressions and statements in Coq's syntax.

What Coq has no word for here, such as an expectation, becomes a variable of its own. A goal for all
values of that variable says more, never less; two such parts are one variable only if SymPy holds
them to be equal. The printer is not trusted: `goal_parser` parses its text back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

FUNCTIONS = {
    "exp": "exp", "log": "ln", "erf": "erf", "erf_prime": "erf_prime", "erf_second": "erf_second",
    "asin": "asin", "acos": "acos", "atan": "atan", "sin": "sin", "cos": "cos", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "Abs": "Rabs", "zeta": "zeta", "OwensT": "owens_t",
}  # fmt: skip
_RELATIONS = {sp.Eq: "=", sp.Ne: "<>", sp.Le: "<=", sp.Lt: "<", sp.Ge: "<=", sp.Gt: "<"}
# Names that a variable must not take from the text around it.
_TAKEN = {
    *FUNCTIONS.values(), "PI", "sqrt", "Rmax", "Rmin", "Derive", "RInt", "Sum", "is_int", "R",
    "bell", "zeta_at", "owens_t_at", "True", "False", "fun", "forall", "exists", "at", "as", "in",
    "end", "using", "with", "then", "else", "if", "let", "match", "return", "fix", "where", "IF",
    "by",
}  # fmt: skip


class NotExpressibleInCoqError(ValueError):
    """Error raised for an expression or statement that cannot be printed in Coq's syntax."""


class CoqPrinter:
    """Printer for one Coq goal, which gives each symbol a unique name."""

    def __init__(self) -> None:
        # The name of each symbol, indexed sequence, or part that became a variable.
        self.names: dict[Any, str] = {}
        # Those that stand freely in what was printed, in order, each with its number of indices.
        self.free: dict[Any, int] = {}
        self._bound: list[Any] = []

    def name(self, thing: Any, hint: str) -> str:
        """Return a symbol's or subexpression's unique Coq name, made from a hint on first use."""
        if thing not in self.names:
            name = re.sub(r"\W", "_", hint, flags=re.ASCII).strip("_") or "x"
            if name in _TAKEN or not name[0].isalpha():
                name = f"{name}_" if name[0].isalpha() else f"x{name}"
            while name in self.names.values():
                name += "'"
            self.names[thing] = name
        return self.names[thing]

    def _variable(self, thing: Any, hint: str, indices: int = 0) -> str:
        if thing not in self._bound:
            self.free.setdefault(thing, indices)
        return self.name(thing, hint)

    def _opaque_variable(self, e: Any) -> str:
        if set(self._bound) & e.free_symbols or not isinstance(e, sp.Expr):
            raise NotExpressibleInCoqError(f"{e} has no words in Coq")
        return self._variable(e, "part")

    @property
    def opaque_subexpressions(self) -> dict[str, Any]:
        """The subexpressions that stand as variables in the Coq goal, by their Coq names."""
        return {
            self.names[e]: e for e in self.free if not isinstance(e, sp.Symbol | sp.IndexedBase)
        }

    # -- terms ------------------------------------------------------------------------------------

    def term(self, e: Any) -> str:
        """Return an expression in Coq's syntax, in parentheses unless it is one word."""
        if getattr(e, "is_Matrix", False):
            # SymPy takes their products for products of numbers, too.
            raise NotExpressibleInCoqError(f"{e} is a matrix, which has no words in Coq")
        if isinstance(e, sp.Symbol):
            if not e.is_real:
                raise NotExpressibleInCoqError(f"{e} is not declared real")
            return self._variable(e, e.name)
        if isinstance(e, sp.Rational):
            size = str(abs(e.p)) if e.q == 1 else f"{abs(e.p)} / {e.q}"
            return f"(- {size})" if e.p < 0 else size if e.q == 1 else f"({size})"
        if e is sp.pi or e is sp.E:
            return "PI" if e is sp.pi else "(exp 1)"
        if isinstance(e, sp.Add):
            return f"({' + '.join(map(self.term, e.args))})"
        if isinstance(e, sp.Mul):
            return self._product(e.args)
        if isinstance(e, sp.Pow):
            return self._power(e)
        if isinstance(e, sp.Max | sp.Min):
            first, *rest = map(self.term, e.args)
            for other in rest:
                first = f"({'Rmax' if isinstance(e, sp.Max) else 'Rmin'} {first} {other})"
            return first
        if isinstance(e, sp.Indexed) and all(isinstance(i, sp.Expr) for i in e.indices):
            base = self._variable(e.base, str(e.base.label), len(e.indices))
            return f"({base} {' '.join(map(self.term, e.indices))})"
        if isinstance(e, sp.Function) and type(e).__name__ in FUNCTIONS:
            return f"({FUNCTIONS[type(e).__name__]} {' '.join(map(self.term, e.args))})"
        if isinstance(e, sp.erfc):
            return f"(1 - erf {self.term(e.args[0])})"
        binder = self._binder(e) if isinstance(e, sp.Expr) else None
        return binder or self._opaque_variable(e)

    def _product(self, factors: Sequence[Any]) -> str:
        below = [f for f in factors if isinstance(f, sp.Pow) and f.exp.is_Rational and f.exp.p < 0]
        above = [f for f in factors if f not in below]
        text = " * ".join(map(self.term, above)) or "1"
        for f in below:
            text += f" / {self.term(sp.Pow(f.base, -f.exp, evaluate=False))}"
        return f"({text})"

    def _power(self, e: Any) -> str:
        if not isinstance(e.exp, sp.Rational) or e.exp.q > 2:
            return self._opaque_variable(e)
        n = abs(int(e.exp.p))
        base = self.term(e.base)
        root = f"(sqrt {base})" if e.exp.q == 2 else base
        text = root if n == 1 else f"({root} ^ {n})"
        return text if e.exp.p >= 0 else f"(/ {text})"

    def _binder(self, e: Any) -> str | None:
        mark = dict(self.free)
        try:
            if isinstance(e, sp.Derivative):
                variables = [x for x, n in e.variable_count for _ in range(int(n))]
                text = self._term_with_bound(variables, e.expr)
                for x in variables:
                    name = self.name(x, x.name)
                    text = f"(Derive (fun {name} : R => {text}) {name})"
                # The point is where these variables are now.
                for x in variables:
                    self.term(x)
                return text
            if isinstance(e, sp.Subs):
                heads = "".join(f"fun {self.name(x, x.name)} : R => " for x in e.variables)
                body = self._term_with_bound(e.variables, e.expr)
                return f"(({heads}{body}) {' '.join(map(self.term, e.point))})"
            if isinstance(e, sp.Sum | sp.Integral) and len(e.limits) == 1 and len(e.limits[0]) == 3:
                x, low, high = e.limits[0]
                if sp.oo in (low, high) or -sp.oo in (low, high):
                    return None
                word = "Sum" if isinstance(e, sp.Sum) else "RInt"
                body = self.lambda_term(x, e.function)
                return f"({word} {body} {self.term(low)} {self.term(high)})"
        except NotExpressibleInCoqError:
            self.free = mark
        return None

    def lambda_term(self, x: Any, body: Any) -> str:
        return f"(fun {self.name(x, x.name)} : R => {self._term_with_bound([x], body)})"

    def _term_with_bound(self, variables: Sequence[Any], body: Any) -> str:
        self._bound += variables
        try:
            return self.term(body)
        finally:
            del self._bound[-len(variables) :]

    def argument(self, e: Any) -> str:
        """Return a lemma's argument in Coq's syntax: a term, or the name of an indexed family."""
        return self.name(e, str(e.label)) if isinstance(e, sp.IndexedBase) else self.term(e)

    # -- statements -------------------------------------------------------------------------------

    def statement(self, p: Any) -> str:
        """Return a statement in Coq's syntax, in parentheses unless it is a relation."""
        if isinstance(p, Relational):
            a, b = map(self.term, (p.lhs, p.rhs))
            a, b = (b, a) if isinstance(p, sp.Ge | sp.Gt) else (a, b)
            return f"{a} {_RELATIONS[type(p)]} {b}"
        word = {sp.And: " /\\ ", sp.Or: " \\/ ", sp.Implies: " -> ", sp.Equivalent: " <-> "}.get(
            type(p)
        )
        if word is None or (isinstance(p, sp.Equivalent) and len(p.args) != 2):
            raise NotExpressibleInCoqError(f"{type(p).__name__} has no words in Coq")
        return f"({word.join(map(self.statement, p.args))})"
