"""Translation of SymPy expressions and statements to terms of the proof checker.

The proof checker proves the terms that it reads. So the translation refuses every expression that
would mean something else to the checker.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from slrsym.checker.term import COMMUTE, Term, canonical_key, is_valid_name, neg, num
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.bivariate_normal import bivariate_normal_cdf
from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, NoiseLaw
from slrsym.gaussian.special_functions import (
    OwensT,
    erf_prime,
    erf_second,
    normal_cdf,
    normal_pdf,
    zeta,
)
from slrsym.prover.statements.expressions import ForAll, Sentence
from slrsym.prover.tactics.matrix_translation import (
    UntranslatableMatrix,
    is_matrix_expression,
    translate_matrix,
)


class Untranslatable(ValueError):  # noqa: N818
    """Raised for an expression or statement that the proof checker cannot express."""


_SIGNS = (
    ("is_positive", ">0"), ("is_negative", "<0"), ("is_nonnegative", ">=0"),
    ("is_nonpositive", "<=0"), ("is_nonzero", "!=0"),
)  # fmt: skip
_KNOWN = {
    "commutative", "complex", "extended_real", "finite", "hermitian", "imaginary", "infinite",
    "integer", "negative", "nonnegative", "nonpositive", "nonzero", "positive", "rational", "real",
    "zero", "algebraic", "transcendental", "irrational", "noninteger", "antihermitian",
    "extended_positive", "extended_negative", "extended_nonnegative", "extended_nonpositive",
    "extended_nonzero",
}  # fmt: skip
# By class and not by name, because SymPy has another function zeta.
FUNCTIONS: dict[type, str] = {
    sp.exp: "exp", sp.log: "log", sp.erf: "erf", sp.asin: "asin", sp.atan: "atan", sp.Abs: "abs",
    sp.sin: "sin", sp.cos: "cos", sp.sinh: "sinh", sp.cosh: "cosh", sp.tanh: "tanh",
    erf_prime: "erf_prime", erf_second: "erf_second", zeta: "zeta", OwensT: "owens",
    sp.sign: "sign",
}  # fmt: skip
_U = sp.Dummy("u", real=True)
# Functions that are translated by other functions of u, equal to them at every real u. The term for
# the argument takes the place of u: SymPy would evaluate sqrt(x)**2, or sign(x) of a bound x.
_BY_OTHER_FUNCTIONS: dict[type, sp.Expr] = {
    sp.acos: sp.pi / 2 - sp.asin(_U),
    normal_cdf: (1 + sp.erf(_U / sp.sqrt(2))) / 2,
    normal_pdf: sp.exp(-(_U**2) / 2) / sp.sqrt(2 * sp.pi),
    sp.Heaviside: (1 + sp.sign(_U)) / 2,
}
# Kronecker's delta by the difference u of two integers.
_KRONECKER_DELTA = (1 - sp.Abs(_U) + sp.Abs(1 - sp.Abs(_U))) / 2
_RELATIONS: dict[Any, tuple[str, bool]] = {
    sp.Eq: ("=", False), sp.Ne: ("!=", False), sp.Le: ("<=", False), sp.Lt: ("<", False),
    sp.Ge: ("<=", True), sp.Gt: ("<", True),
}  # fmt: skip
_CONNECTIVES: dict[type, str] = {sp.And: "and", sp.Or: "or", sp.Not: "not", sp.Implies: "implies"}


def _single_argument(e: Any) -> tuple[Any, ...]:
    """Return the only argument of a function call, or the first if the second is a default."""
    if len(e.args) == 2 and e.args[1] == sp.Rational(1, 2):
        return (e.args[0],)
    if len(e.args) != 1:
        raise Untranslatable(f"{e} has more than one argument")
    return tuple(e.args)


_PACKAGES = "sympy", "slrsym"
# SymPy has functions of these names, too.
_OWN_NAMES = {known.__name__ for known in FUNCTIONS if known.__module__.startswith("slrsym.")}


def _is_known_class(known: type) -> bool:
    """Return whether a class is one of SymPy or of this package, and no other of its name."""
    package = known.__module__.partition(".")[0]
    at_home = getattr(sys.modules.get(known.__module__), known.__name__, None)
    return package in _PACKAGES and at_home is known


def checker_sort(x: Any, is_function_value: bool = False) -> str:
    """Return the proof checker's sort of a symbol, or of a function's values."""
    if not x.is_real:
        raise Untranslatable(f"{x} is not declared real")
    declared = getattr(x, "_assumptions_orig", {}) if not is_function_value else {}
    if any(name not in _KNOWN and value is not None for name, value in declared.items()):
        raise Untranslatable(f"{x} is declared {', '.join(sorted(set(declared) - _KNOWN))}")
    sign = next((text for name, text in _SIGNS if getattr(x, name)), "")
    return ("Z" if x.is_integer else "R") + sign


def exact_sort(x: sp.Symbol) -> str:
    """Return the checker's sort of a symbol, if the sort covers all the symbol's assumptions.

    A statement for all rational numbers says less than one for all real numbers.
    """
    sort = checker_sort(x)
    declared = {"integer" if sort[0] == "Z" else "real": True}
    declared |= {name.removeprefix("is_"): True for name, text in _SIGNS if text == sort[1:]}
    if sp.Symbol(x.name, **declared).assumptions0 != x.assumptions0:
        raise Untranslatable(f"{x}, which is bound, is declared other than by integer and its sign")
    return sort


# The beginning of a name that replaces one that the checker would refuse.
_CODED = "coded_"


def valid_checker_name(name: str, head: str, sort: str) -> str:
    """Return a name that the proof checker accepts, different for different symbols."""
    if is_valid_name(name, head, sort) and not name.startswith(_CODED):
        return name
    return _CODED + sha256(name.encode()).hexdigest()[:50]


class Translator:
    """Translator of the statements of one claim to terms of the proof checker."""

    def __init__(self) -> None:
        self._names: dict[sp.Symbol, Term] = {}
        self._terms: dict[sp.Basic, Term] = {}

    def term(self, expr: Any) -> Term:
        """Translate an expression that is inside no binder."""
        expr = sp.sympify(expr)
        if expr not in self._terms:
            self._terms[expr] = self._translate(expr, {})
        return self._terms[expr]

    formula = term

    def symbol(self, x: sp.Symbol) -> Term:
        """Return the term for a free symbol."""
        if x not in self._names:
            sort = checker_sort(x)
            name = valid_checker_name(x.name, "s", sort)
            taken = {s[1] for s in self._names.values()}
            if isinstance(x, sp.Dummy):
                # A dummy never takes the name of a symbol that may occur later.
                name += "'"
                while name in taken:
                    name += "'"
            if name in taken:
                raise Untranslatable(f"two symbols are called {name}")
            self._names[x] = ("s", name, sort)
        return self._names[x]

    def named_term(self, x: Any, term: Term) -> Term:
        """Return the term for a letter or size; refuse one whose name another symbol has."""
        if x not in self._names:
            if term[1] in {s[1] for s in self._names.values()}:
                raise Untranslatable(f"two symbols are called {term[1]}")
            self._names[x] = term
        return self._names[x]

    def part(self, e: Any, env: Mapping[sp.Symbol, Term]) -> Term:
        """Translate a part of an expression, under terms for the symbols bound around it."""
        return self._translate(e, env)

    def translated_pairs(self) -> list[tuple[sp.Basic, Term]]:
        """Return all pairs of a translated symbol or expression and its term."""
        return [*self._names.items(), *self._terms.items()]

    def function(self, f: Any, arity: int) -> Term:
        """Return the term for an undefined function, as a key for `substitute`."""
        applied = f(*(sp.Symbol(f"x{i}", real=True) for i in range(arity)))
        sort = checker_sort(applied, is_function_value=True)
        return ("u", valid_checker_name(f.__name__, "u", sort), sort, arity)

    def sequence_term_and_function(
        self, label: sp.Symbol, function: sp.Lambda
    ) -> tuple[Term, Term]:
        """Return the term for a sequence, and the function of the index to substitute for it."""
        names, within = self._fresh_variables(list(function.variables), [function.expr], {}, "Z")
        sort = checker_sort(label)
        named = ("ix", valid_checker_name(label.name, "ix", sort), sort, len(names))
        return named, ("lam", names, (self._translate(function.expr, within),), ())

    # -- one node ---------------------------------------------------------------------------------

    def _translate(self, e: Any, env: Mapping[sp.Symbol, Term]) -> Term:
        """Translate an expression, under given terms for the symbols that are bound around it."""
        if env and not (e.free_symbols & set(env)):
            env = {}
        known = self._terms.get(e) if not env else None
        if known is None:
            known = self._translate_node(e, env)
            if not env:
                self._terms[e] = known
        return known

    def _translate_node(self, e: Any, env: Mapping[sp.Symbol, Term]) -> Term:
        def all_of(parts: Iterable[Any]) -> tuple[Term, ...]:
            return tuple(self._translate(p, env) for p in parts)

        if not isinstance(e, AppliedUndef) and not _is_known_class(type(e)):
            raise Untranslatable(f"{e} is a {type(e).__name__} of {type(e).__module__}")

        if is_matrix_expression(e):
            try:
                return translate_matrix(self, e, env)
            except UntranslatableMatrix as reason:
                raise Untranslatable(str(reason)) from None
        if isinstance(e, sp.Symbol):
            return env[e] if e in env else self.symbol(e)
        if isinstance(e, sp.Rational):
            return num(int(e.p), int(e.q))
        if e is sp.pi:
            return ("pi",)
        if e in (sp.oo, -sp.oo):
            return ("oo",) if e is sp.oo else ("-oo",)
        if e is sp.E:
            return ("f", "exp", num(1))
        if isinstance(e, Boolean):
            return self._translate_statement(e, env, all_of)
        if isinstance(e, sp.Add | sp.Mul):
            return _commutative_term("+" if isinstance(e, sp.Add) else "*", all_of(e.args))
        if isinstance(e, sp.Pow):
            # For other bases, a power may be defined where the logarithm is not.
            positive = not isinstance(e.exp, sp.Rational) and _as_bound(e.base, env).is_positive
            if positive and e.exp.is_real:
                return ("f", "exp", _commutative_term("*", all_of([e.exp, sp.log(e.base)])))
            if not isinstance(e.exp, sp.Rational):
                raise Untranslatable(
                    f"the exponent of {e} is no number, and {e.base} is not positive by the "
                    "declarations of its symbols; put a positive symbol for it"
                )
            return ("^", int(e.exp.p), int(e.exp.q), self._translate(e.base, env))
        if isinstance(e, sp.Max | sp.Min):
            sign = neg if isinstance(e, sp.Min) else lambda t: t
            first, *rest = sorted(map(sign, all_of(e.args)), key=canonical_key)
            for other in rest:
                first = ("f", "max", first, other)
            return sign(first)
        if isinstance(e, sp.erfc):
            return ("+", num(1), neg(("f", "erf", *all_of(e.args))))
        if isinstance(e, bivariate_normal_cdf):
            return self._translate(e.rewrite(OwensT), env)
        if type(e) in _BY_OTHER_FUNCTIONS:
            (u,), made = _single_argument(e), _BY_OTHER_FUNCTIONS[type(e)]
            if isinstance(e, sp.Heaviside):
                factor, rest = u.as_coeff_Mul()
                u = -rest if factor < 0 else rest
            if u.could_extract_minus_sign():
                # As SymPy does, so that an odd function has one term for both signs.
                u, made = -u, made.subs(_U, -_U)
            return self._translate(made, {_U: self._translate(u, env)})
        if isinstance(e, sp.KroneckerDelta):
            if not all(_as_bound(index, env).is_integer for index in e.args):
                raise Untranslatable(f"{e} is not of integers")
            first, second = all_of(e.args)
            difference = _commutative_term("+", (first, neg(second)))
            return self._translate(_KRONECKER_DELTA, {_U: difference})
        if isinstance(e, AppliedUndef):
            sort = checker_sort(e, is_function_value=True)
            if sort[0] == "Z":
                # Unknown functions are smooth, so that one of integers would be constant.
                raise Untranslatable(f"{e} is a function whose values are integers")
            name = valid_checker_name(e.func.__name__, "u", sort)
            return ("u", name, sort, (0,) * len(e.args), *all_of(e.args))
        if isinstance(e, sp.Indexed):
            sort = checker_sort(e, is_function_value=True)
            return (
                "ix",
                valid_checker_name(str(e.base.label), "ix", sort),
                sort,
                *all_of(e.indices),
            )
        if type(e) in FUNCTIONS:
            return ("f", FUNCTIONS[type(e)], *all_of(e.args))
        if isinstance(e, sp.Tuple):
            return ("tuple", *all_of(e.args))
        if isinstance(e, sp.FiniteSet):
            return _commutative_term("set", all_of(e.args))
        return self._translate_binder(e, env, all_of)

    def _translate_statement(
        self, e: Any, env: Mapping[sp.Symbol, Term], all_of: Callable[..., tuple[Term, ...]]
    ) -> Term:
        if isinstance(e, Relational) and e.has(sp.Limit):
            return self._translate_limit(e, env)
        if isinstance(e, Relational) and any(side.is_Matrix for side in e.args):
            if not isinstance(e, sp.Eq | sp.Ne):
                raise Untranslatable(f"{e} compares matrices; write Loewner(larger, smaller)")
            equal = ("M.eq", *all_of((e.lhs, e.rhs)))
            return equal if isinstance(e, sp.Eq) else ("not", equal)
        if isinstance(e, Relational):
            kind, swapped = _RELATIONS[type(e)]
            a, b = all_of((e.lhs, e.rhs))
            return (kind, b, a) if swapped else (kind, a, b)
        head = next((name for known, name in _CONNECTIVES.items() if isinstance(e, known)), "")
        if head:
            return (
                _commutative_term(head, all_of(e.args))
                if head in COMMUTE
                else (head, *all_of(e.args))
            )
        if isinstance(e, sp.Equivalent):
            first, *rest = sorted(all_of(e.args), key=canonical_key)
            made = [("iff", first, other) for other in rest]
            return made[0] if len(made) == 1 else ("and", *made)
        if isinstance(e, ForAll):
            names, within = self._fresh_variables(
                [e.variable], [e.statement], env, exact_sort(e.variable)
            )
            return ("forall", names, (self._translate(e.statement, within),), ())
        if isinstance(e, Sentence):
            if type(e).__name__ == "InWords":
                return ("o", "InWords", ("text", str(e.args[0].name)))
            return ("o", type(e).__name__, *all_of(e.args))
        raise Untranslatable(f"a statement of the kind {type(e).__name__}")

    def _translate_limit(self, e: Relational, env: Mapping[sp.Symbol, Term]) -> Term:
        """Translate a relation of limits to a sentence that implies nothing but itself.

        The checker has no limits. It sees the free symbols beside the text, since a theorem for all
        their values says nothing of them after values are put in.
        """
        unknown = e.atoms(AppliedUndef, sp.Indexed)
        if unknown:
            raise Untranslatable(f"a limit with {min(map(str, unknown))}")
        for known in {type(node) for node in sp.preorder_traversal(e)}:
            is_ours = known.__module__.startswith("slrsym.")
            if not _is_known_class(known) or (known.__name__ in _OWN_NAMES and not is_ours):
                # The text names classes only.
                raise Untranslatable(f"a limit with a {known.__name__} of {known.__module__}")
        free = sorted(e.free_symbols, key=lambda s: s.name)
        return ("o", "Limit", ("text", sp.srepr(e)), *(self._translate(s, env) for s in free))

    # -- binders ----------------------------------------------------------------------------------

    def _fresh_variables(
        self, names: Sequence[sp.Symbol], bodies: Sequence[Any], env: Mapping[sp.Symbol, Term],
        sort: str,
    ) -> tuple[tuple[Term, ...], dict[sp.Symbol, Term]]:  # fmt: skip
        """Return new variables for bound symbols, and the terms of all symbols bound inside."""
        for x in names:
            if not isinstance(x, sp.Symbol):
                raise Untranslatable(f"{x} is bound, and is no symbol")
        taken = {s[1] for s in env.values()}
        for body in bodies:
            taken |= {self.symbol(s)[1] for s in body.free_symbols - set(names) - set(env)
                      if isinstance(s, sp.Symbol)}  # fmt: skip
        made: dict[sp.Symbol, Term] = {}
        for x in names:
            name = valid_checker_name(x.name, "s", sort)
            while name in taken:
                name += "'"
            taken.add(name)
            made[x] = ("s", name, sort)
        return tuple(made.values()), {**env, **made}

    def _translate_binder(
        self, e: Any, env: Mapping[sp.Symbol, Term], all_of: Callable[..., tuple[Term, ...]]
    ) -> Term:
        if isinstance(e, sp.Sum | sp.Integral):
            return self._translate_ranges(e, list(e.limits), env)
        if isinstance(e, Expectation | IIDSum):
            body = e.integrand if isinstance(e, Expectation) else e.term
            blocks = list(e.law.independent_laws())
            variables = [x for block in blocks for x in block.symbols]
            names, within = self._fresh_variables(variables, [body], env, "R")
            laws = tuple(self._translate_law(block, env) for block in blocks)
            if isinstance(e, Expectation):
                return ("E", names, (self._translate(body, within),), laws)
            return ("copies", names, (self._translate(body, within),), (*all_of([e.count]), *laws))
        if isinstance(e, sp.Derivative):
            variables = list(dict.fromkeys(x for x, _ in e.variable_count))
            if any(not isinstance(x, sp.Symbol) or x.is_integer for x in variables):
                raise Untranslatable(f"{e} is no derivative in real variables")
            if any(not n.is_Integer for _, n in e.variable_count):
                raise Untranslatable(f"{e} is a derivative whose order is no number")
            orders = tuple(sum(int(n) for y, n in e.variable_count if y == x) for x in variables)
            names, within = self._fresh_variables(variables, [e.expr], env, "R")
            # Outside, the variables are those of the point; inside, they are new and real.
            return ("d", orders, names, (self._translate(e.expr, within),), all_of(variables))
        if isinstance(e, sp.Subs):
            names, within = self._fresh_variables(list(e.variables), [e.expr], env, "R")
            inner = (self._translate(e.expr, within),)
            return ("d", (0,) * len(names), names, inner, all_of(e.point))
        if isinstance(e, sp.Lambda):
            names, within = self._fresh_variables(list(e.variables), [e.expr], env, "R")
            parts = list(e.expr) if isinstance(e.expr, sp.Tuple) else [e.expr]
            return ("lam", names, tuple(self._translate(p, within) for p in parts), ())
        if type(e).__module__.startswith("slrsym."):
            # The data of a sentence, which only rules for this sentence read.
            return ("tuple", ("text", type(e).__name__), *all_of(e.args))
        raise Untranslatable(f"a term of the kind {type(e).__name__}")

    def _translate_ranges(self, e: Any, limits: list[Any], env: Mapping[sp.Symbol, Term]) -> Term:
        """Translate an iterated sum or integral, with the last range as the outermost."""
        if not limits:
            return self._translate(e.function, env)
        (x, *ends), rest = limits[-1], limits[:-1]
        if len(ends) != 2:
            raise Untranslatable(f"{e} has a range without ends")
        head, sort = ("sum", "Z") if isinstance(e, sp.Sum) else ("int", "R")
        (name,), within = self._fresh_variables(
            [x], [e.func(e.function, *rest) if rest else e.function], env, sort
        )
        low, high = (self._translate(end, env) for end in ends)
        return (head, (name,), (self._translate_ranges(e, rest, within),), (low, high))

    def _translate_law(self, law: Law, env: Mapping[sp.Symbol, Term]) -> Term:
        if isinstance(law, NoiseLaw):
            return ("noise", self._translate(law.args[1], env))
        if isinstance(law, GaussianLaw):
            entries = [*law.mean.values(), *law.cov]
            return ("gauss", len(law.symbols), *(self._translate(c, env) for c in entries))
        raise Untranslatable(f"a law of the kind {type(law).__name__}")


def _as_bound(e: Any, env: Mapping[sp.Symbol, Term]) -> Any:
    """Return an expression with bound symbols declared as their binder has them run."""
    names = {x: sp.Dummy(x.name, real=True, integer=t[2][0] == "Z" or None) for x, t in env.items()}
    return e.xreplace(names)


def _commutative_term(head: str, parts: Iterable[Term]) -> Term:
    """Return a term whose parts are sorted, since the order of SymPy's arguments is arbitrary."""
    return (head, *sorted(parts, key=canonical_key))
