"""Symbolic preprocessing of integrands before numerical evaluation.

Elementary derivatives, functions put in for undefined ones, products multiplied out, kinks found,
integrands taken apart into independent parts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import sympy as sp
from flint import arb
from sympy import Basic, Expr, S, Symbol
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from slrsym.crosscheck.ball_quadrature import Ball, Inconclusive
from slrsym.gaussian.law import GaussianLaw, Law, NoiseLaw, without_floats
from slrsym.prover.statements.expressions import free_symbols

_BINDERS = (
    "AtPoint",
    "Derivative",
    "Expectation",
    "IIDSum",
    "Integral",
    "Limit",
    "Product",
    "Subs",
    "Sum",
)


def renaming_invariant_key(expr: Basic, names: Mapping[Symbol, Symbol]) -> Any:
    """Return a hashable key that expressions share if they are equal up to names of symbols.

    The new expressions themselves would be as good, but to make them takes longer.
    """
    if isinstance(expr, Symbol):
        return names.get(expr, expr)
    if not expr.args:
        return expr
    if isinstance(expr, sp.Add | sp.Mul):
        # The order of terms depends on names. A product that is not evaluated may repeat a factor.
        parts = Counter(renaming_invariant_key(arg, names) for arg in expr.args)
        return expr.func, frozenset(parts.items())
    if isinstance(expr, sp.Pow | sp.Function):
        return expr.func, *(renaming_invariant_key(arg, names) for arg in expr.args)
    return expr.xreplace(dict(names))


def has_undefined_function_or_node_named(expr: Basic, kinds: Sequence[str] = _BINDERS) -> bool:
    """Return whether an expression contains undefined functions or nodes of given kinds."""
    if type(expr).__name__ in kinds or isinstance(expr, AppliedUndef):
        return True
    return any(has_undefined_function_or_node_named(arg, kinds) for arg in expr.args)


_SLOPES: dict[str, Callable[[Expr], Expr]] = {
    "exp": sp.exp,
    "log": lambda x: 1 / x,
    "erf": lambda x: 2 / sp.sqrt(sp.pi) * sp.exp(-(x**2)),
    "erfc": lambda x: -2 / sp.sqrt(sp.pi) * sp.exp(-(x**2)),
    "erfi": lambda x: 2 / sp.sqrt(sp.pi) * sp.exp(x**2),
    "sin": sp.cos,
    "cos": lambda x: -sp.sin(x),
    "sinh": sp.cosh,
    "cosh": sp.sinh,
    "atan": lambda x: 1 / (1 + x**2),
    "asin": lambda x: 1 / sp.sqrt(1 - x**2),
    "acos": lambda x: -1 / sp.sqrt(1 - x**2),
    "erf_prime": lambda x: -4 * x / sp.sqrt(sp.pi) * sp.exp(-(x**2)),
    "erf_second": lambda x: (8 * x**2 - 4) / sp.sqrt(sp.pi) * sp.exp(-(x**2)),
    "normal_pdf": lambda x: -x / sp.sqrt(2 * sp.pi) * sp.exp(-(x**2) / 2),
    "normal_cdf": lambda x: sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi),
}


def _slope_of(expr: Expr, x: Symbol) -> Expr | None:
    """Return the derivative of an elementary expression, or None for others."""
    if x not in free_symbols(expr):
        return (
            None
            if has_undefined_function_or_node_named(expr) and x in expr.atoms(Symbol)
            else S.Zero
        )
    if expr == x:
        return S.One
    name = type(expr).__name__
    if isinstance(expr, sp.Add | sp.Mul):
        slopes = [_slope_of(arg, x) for arg in expr.args]
        if any(slope is None for slope in slopes):
            return None
        if isinstance(expr, sp.Add):
            return sp.Add(*slopes)
        args = expr.args
        return sp.Add(*(sp.Mul(*args[:i], slope, *args[i + 1 :]) for i, slope in enumerate(slopes)))
    if isinstance(expr, sp.Pow) and x not in free_symbols(expr.exp):
        inner = _slope_of(expr.base, x)
        return None if inner is None else expr.exp * expr.base ** (expr.exp - 1) * inner
    if name in _SLOPES and len(expr.args) == 1:
        inner = _slope_of(expr.args[0], x)
        return None if inner is None else _SLOPES[name](expr.args[0]) * inner
    return None


def replace_undefined_functions(expr: Basic, functions: Mapping[Any, Any]) -> Basic:
    """Replace undefined functions by given concrete ones."""
    chosen = {
        getattr(h, "func", h) if isinstance(h, AppliedUndef) else h: f for h, f in functions.items()
    }
    if chosen:
        expr = _rebuilt(expr, chosen)
    unknown = sorted(str(e.func) for e in expr.atoms(AppliedUndef))
    if unknown:
        raise ValueError(
            f"no function is given for {unknown[0]}; pass functions={{{unknown[0]}: ...}}, for "
            f"example random_test_function(rng, ...)"
        )
    return expr


def _rebuilt(expr: Basic, chosen: Mapping[Any, Any]) -> Basic:
    """Rebuild an expression with functions replaced, even where SymPy would evaluate a relation."""
    if not expr.args:
        return expr
    args = [_rebuilt(arg, chosen) for arg in expr.args]
    if isinstance(expr, AppliedUndef) and expr.func in chosen:
        return chosen[expr.func](*args)
    if all(new is old for new, old in zip(args, expr.args, strict=True)):
        return expr
    if isinstance(expr, Relational | sp.And | sp.Or | sp.Not):
        return expr.func(*args, evaluate=False)
    return expr.func(*args)


def replace_index(expr: Basic, index: Symbol, value: sp.Integer) -> Any:
    """Substitute a value for an index, except where an inner sum or integral binds the index."""
    if expr == index:
        return value
    if index not in free_symbols(expr):
        return expr
    if type(expr).__name__ in ("Sum", "Product", "Integral"):
        limits = [
            (x, *(replace_index(end, index, value) for end in ends)) for x, *ends in expr.args[1:]
        ]
        shadowed = any(x == index for x, *_ in limits)
        body = expr.args[0] if shadowed else replace_index(expr.args[0], index, value)
        return expr.func(body, *limits)
    return expr.func(*(replace_index(arg, index, value) for arg in expr.args))


def evaluate_elementary_derivative(expr: Expr) -> Expr | None:
    """Evaluate a `Derivative` node if it is elementary; return None otherwise."""
    slope: Expr | None = expr.expr
    for x, n in expr.variable_count:
        if not n.is_Integer or not isinstance(x, Symbol):
            raise Inconclusive(f"cannot differentiate {n} times in {x}")
        for _ in range(int(n)):
            slope = None if slope is None else _slope_of(slope, x)
    return slope


def rewrite_maxima_as_positive_parts(expr: Expr) -> Expr:
    """Rewrite max(a, b) as b + max(a - b, 0), and minima of two terms likewise."""
    if not expr.has(sp.Max, sp.Min):
        return expr
    nodes = [n for n in expr.atoms(sp.Max, sp.Min) if len(n.args) == 2 and 0 not in n.args]
    put = {
        n: n.args[1] + n.func(n.args[0] - n.args[1], 0) for n in nodes if not n.has(sp.Piecewise)
    }
    return expr.xreplace(put)


# The integers between which an argument of floor varies.
Integers: TypeAlias = Callable[[Expr], range]


def kinks_of_integrand(expr: Basic, random: frozenset[Symbol], integers: Integers) -> list[Expr]:
    """Return expressions that vanish where an integrand has a kink or a jump."""
    return _zeros_of(expr, random, _WITH_KINKS, integers)


def steep_places_of_integrand(
    expr: Basic, random: frozenset[Symbol], integers: Integers
) -> list[Expr]:
    """Return expressions that vanish where an integrand may be steep or singular, or has a kink."""
    return _zeros_of(expr, random, (*_WITH_KINKS, sp.Pow, sp.Function), integers)


_WITH_JUMPS = (sp.floor, sp.ceiling, sp.frac)
_WITH_KINKS = (sp.Abs, sp.sign, sp.Heaviside, sp.Max, sp.Min, Relational, *_WITH_JUMPS)


def _zeros_of(
    expr: Basic, random: frozenset[Symbol], kinds: tuple[Any, ...], integers: Integers
) -> list[Expr]:
    """Return expressions that vanish where the argument of a node of some kinds does."""
    found: dict[Expr, None] = {}
    for node in sorted(expr.atoms(*kinds), key=sp.default_sort_key):
        # The conditions of a Piecewise, and what is in its values, are nodes of their own.
        if isinstance(node, sp.Piecewise) or not free_symbols(node) & random:
            continue
        if isinstance(node, _WITH_JUMPS):
            arguments = [node.args[0] - k for k in integers(node.args[0])]
        elif isinstance(node, Relational):
            arguments = [node.lhs - node.rhs]
        elif isinstance(node, sp.Max | sp.Min):
            arguments = [a - b for a, b in combinations(node.args, 2)]
        else:
            arguments = list(node.args)
        for argument in arguments:
            found |= dict.fromkeys(_factors(argument, random, integers))
    return list(found)


def _factors(expr: Expr, random: frozenset[Symbol], integers: Integers) -> Iterable[Expr]:
    """Yield smooth expressions, one of which vanishes wherever the given expression does."""
    if not free_symbols(expr) & random:
        return
    nodes = expr.atoms(sp.Abs, sp.sign, sp.Heaviside, sp.Max, sp.Min, sp.Piecewise, *_WITH_JUMPS)
    for node in sorted(nodes, key=sp.default_sort_key):
        if free_symbols(node) & random:
            for branch in _branches(node, integers):
                yield from _factors(expr.xreplace({node: branch}), random, integers)
            return
    if isinstance(expr, sp.Mul):
        for part in expr.args:
            yield from _factors(part, random, integers)
    elif isinstance(expr, sp.Pow) and expr.exp.is_Rational:
        yield from _factors(expr.base, random, integers)
    else:
        yield expr


def _branches(node: Basic, integers: Integers) -> list[Any]:
    if isinstance(node, sp.Abs):
        return [node.args[0], -node.args[0]]
    if isinstance(node, sp.sign):
        return [S.One, S.NegativeOne]
    if isinstance(node, sp.Heaviside):
        return [S.One, S.Zero]
    if isinstance(node, sp.frac):
        return [node.args[0] - k for k in integers(node.args[0])]
    if isinstance(node, _WITH_JUMPS):
        return [sp.Integer(k) for k in integers(node.args[0])]
    return [pair[0] for pair in node.args] if isinstance(node, sp.Piecewise) else list(node.args)


_MOST_TERMS = 4000


def expand_to_factor_tuples(expr: Expr, random: frozenset[Symbol]) -> list[tuple[Expr, ...]]:
    """Expand an expression to a sum of products, as far as it contains random variables."""
    if not free_symbols(expr) & random:
        return [(expr,)]
    if isinstance(expr, sp.Add):
        return [factors for arg in expr.args for factors in expand_to_factor_tuples(arg, random)]
    if isinstance(expr, sp.Mul):
        result: list[tuple[Expr, ...]] = [()]
        for arg in expr.args:
            right = expand_to_factor_tuples(arg, random)
            if len(result) * len(right) > _MOST_TERMS:
                return [(expr,)]
            result = [f + g for f in result for g in right]
        return result
    if isinstance(expr, sp.Pow) and expr.exp.is_Integer and 1 < expr.exp <= 12:
        base, n = expand_to_factor_tuples(expr.base, random), int(expr.exp)
        if len(base) == 1:
            return [tuple(factor**n for factor in base[0])]
        if math.comb(len(base) + n - 1, n) <= _MOST_TERMS:
            counts = Counter({(0,) * len(base): 1})
            for _ in range(n):
                step: Counter[tuple[int, ...]] = Counter()
                for powers, ways in counts.items():
                    for i in range(len(base)):
                        step[(*powers[:i], powers[i] + 1, *powers[i + 1 :])] += ways
                counts = step
            return [
                (sp.Integer(w), *(f**p for fs, p in zip(base, ps, strict=True) if p for f in fs))
                for ps, w in counts.items()
            ]
    return [(expr,)]


@dataclass(frozen=True)
class IndependentLawBlock:
    """One independent part of a probability law, without the checks that laws make."""

    symbols: tuple[Symbol, ...]
    mean: tuple[Expr, ...]
    cov: Any

    @classmethod
    def parts_of_law(cls, law: Law) -> list[IndependentLawBlock]:
        """Return the independent parts of a law."""
        blocks = []
        for part in law.independent_laws():
            if not isinstance(part, GaussianLaw | NoiseLaw):
                raise Inconclusive(f"no quadrature for a law of type {type(part).__name__}")
            part = without_floats(part)
            if isinstance(part, GaussianLaw):
                blocks.append(cls(part.symbols, tuple(part.mean.values()), part.cov))
            else:
                blocks.append(cls(part.symbols, (), part.variance))
        return blocks

    def copy_and_renaming(self) -> tuple[IndependentLawBlock, dict[Symbol, Symbol]]:
        """Return a copy of the part with new variables, and the renaming."""
        names = {s: sp.Dummy(s.name, real=True) for s in self.symbols}
        return IndependentLawBlock(tuple(names.values()), self.mean, self.cov), names

    @property
    def is_gaussian(self) -> bool:
        """Whether the part is Gaussian, not a noise variable."""
        return bool(self.mean)


# A noise of mean 0 and variance 1 that shares no other moment with the normal law.
NOISE = ((-1, 1, 4, 9), (1, 2, 4, 9), (2, 1, 1, 9))


def group_factors_by_law_part(
    factors: Iterable[Expr], owner: Mapping[Symbol, int], random: frozenset[Symbol]
) -> tuple[Expr, dict[frozenset[int], Expr]]:
    """Group factors of a product by the independent parts of the law that they depend on."""
    constant: list[Expr] = []
    parts: dict[frozenset[int], Expr] = {}
    for factor in factors:
        concerned = frozenset(owner[s] for s in free_symbols(factor) & random)
        if not concerned:
            constant.append(factor)
            continue
        product = factor
        for other in [component for component in parts if component & concerned]:
            product *= parts.pop(other)
            concerned |= other
        parts[concerned] = product
    return sp.Mul(*constant), parts


def split_off_powers_if_single_law_part(
    parts: dict[frozenset[int], Expr], random: frozenset[Symbol]
) -> tuple[tuple[tuple[frozenset[int], Expr], ...], Expr]:
    """Split powers of variables off a product that does not fall into independent parts."""
    if len(parts) != 1:
        return tuple(sorted(parts.items(), key=lambda part: sorted(part[0]))), S.One
    ((component, product),) = parts.items()
    factors = sp.Mul.make_args(product)
    polynomial = [
        f
        for f in factors
        if f.as_base_exp()[0] in random and degree_bound_with_functions_as_constants(f, random) > 0
    ]
    rest = [f for f in factors if f not in polynomial]
    return ((component, sp.Mul(*rest)),), sp.Mul(*polynomial)


def degree_bound_with_functions_as_constants(expr: Expr, random: frozenset[Symbol]) -> int:
    """Bound a polynomial's degree in some variables; other functions of them count as 0."""
    if not free_symbols(expr) & random:
        return 0
    if isinstance(expr, Symbol):
        return 1
    if isinstance(expr, sp.Add):
        return max(degree_bound_with_functions_as_constants(arg, random) for arg in expr.args)
    if isinstance(expr, sp.Mul):
        return sum(degree_bound_with_functions_as_constants(arg, random) for arg in expr.args)
    if isinstance(expr, sp.Pow) and expr.exp.is_Integer and expr.exp > 0:
        return int(expr.exp) * degree_bound_with_functions_as_constants(expr.base, random)
    return 0


def essential_affine_forms(
    expr: Expr,
    random: frozenset[Symbol],
    affine: Callable[[Expr], tuple[Ball, dict[Symbol, Ball]] | None],
) -> list[dict[Symbol, Ball]]:
    """Return the affine forms on which an integrand depends other than polynomially."""
    found: dict[Expr, dict[Symbol, Ball]] = {}

    def inside(node: Basic) -> None:
        if not free_symbols(node) & random:
            return
        form = affine(node) if isinstance(node, Expr) else None
        if form is not None:
            found.setdefault(node, form[1])
        elif has_undefined_function_or_node_named(
            node,
            ("Expectation", "Integral", "Limit", "Sum", "Product", "Derivative", "Subs", "AtPoint"),
        ):
            for symbol in sorted(free_symbols(node) & random, key=sp.default_sort_key):
                found.setdefault(symbol, {symbol: arb(1)})
        else:
            for arg in node.args:
                inside(arg)

    def outside(node: Expr) -> None:
        if isinstance(node, Symbol) or not free_symbols(node) & random:
            return
        if isinstance(node, sp.Add | sp.Mul):
            for arg in node.args:
                outside(arg)
        elif isinstance(node, sp.Pow) and node.exp.is_Integer and node.exp > 0:
            outside(node.base)
        else:
            inside(node)

    outside(expr)
    return [
        found[form] for form in sorted(found, key=lambda f: (len(found[f]), sp.default_sort_key(f)))
    ]
