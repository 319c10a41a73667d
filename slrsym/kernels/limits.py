"""Expressions for programs, with their limits at the edges and their digits in the tails.

At a correlation of 1 or -1, at a variance of 0, and far out, a closed form has a limit where its
parts have none: 0/0 in the argument of an error function, the root of -0.0, the difference of two
numbers next to 1. Such parts become functions of `slrsym.kernels.edge_functions`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sympy as sp
from sympy import Expr, S, sqrt
from sympy.core.relational import Relational

from slrsym.gaussian import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf
from slrsym.gaussian.bivariate_normal import bivariate_normal_cdf
from slrsym.gaussian.probabilities import in_normal_probabilities
from slrsym.gaussian.roots import cancel_roots, is_even, is_polynomial, is_root
from slrsym.gaussian.special_functions import with_own_owens_t
from slrsym.kernels.denominators import (
    bases_of_roots,
    by_sizes,
    is_nonnegative,
    primitive,
    vanishing_powers,
    with_factored_denominators,
    with_signs,
    with_visible_limits,
)
from slrsym.kernels.edge_functions import (
    BivariateNormal,
    ExponentialExcess,
    GuardedRoot,
    HalfLineMoment,
    IntervalMoment,
    LogNormalCdf,
    MillsRatio,
    NormalCovariance,
    NormalInterval,
    QuadrantMoment,
    Quotient,
    RampMean,
    Ratio,
    SizeDifference,
)
from slrsym.kernels.one_variable_moments import with_one_variable_moments
from slrsym.kernels.truncated_moments import (
    CovarianceOfSteps,
    MomentOfQuadrant,
    with_truncated_moments,
)

# Functions that have limits at infinity, in each of their arguments.
_BOUNDED = (sp.erf, sp.erfc, sp.atan, sp.tanh, sp.exp, normal_cdf, OwensT)
_DIFFERENTIABLE = (*_BOUNDED, sp.asin, bivariate_normal_cdf, normal_pdf)
# Above this many operations a sum is left as it is: what is looked for is small.
_MOST = 2000
_DEEPEST = 100
# Polynomials of fewer operations are factored.
_SMALL = 40


def with_limits(expr: Any) -> Any:
    """Return an expression whose program has limits at edges and all its digits in tails."""
    expr = sp.sympify(expr)
    # SymPy's traversals nest calls for each level, and closed forms have a few.
    if not isinstance(expr, Expr) or _is_deep(expr):
        return expr
    expr = with_own_owens_t(expr)
    for function in (erf_prime, erf_second, normal_pdf):
        expr = expr.replace(function, lambda x, f=function: f(x).rewrite(sp.exp))
    expr, sizes = by_sizes(expr)
    if expr.count_ops() < _MOST:
        expr = cancel_roots(in_normal_probabilities(with_visible_limits(expr)), sums=True)
        expr = with_factored_denominators(expr)
    found = _Visitor(expr)(expr).xreplace(sizes)
    return found.replace(sp.Mul, with_signs) if found.has(sp.Abs) else found


def _is_deep(expr: Expr) -> bool:
    """Return whether an expression has more than `_DEEPEST` levels."""
    level, here = 0, [expr]
    while here and level <= _DEEPEST:
        here = list(dict.fromkeys(part for each in here for part in each.args))
        level += 1
    return bool(here)


class _Visitor:
    """Function that replaces the parts of an expression, from the top, once each."""

    def __init__(
        self,
        expr: Expr,
        bases: frozenset[Expr] = frozenset(),
        vanishing: frozenset[Expr] = frozenset(),
    ) -> None:
        self.known: dict[Any, Any] = {}
        # Sums of squares: where one is 0, so is the product that this is for.
        self.vanishing = vanishing
        # Sums that are written by means already.
        self.settled: set[Expr] = set()
        # Under a root: where these are below 0, by rounding, they are 0.
        self.bases = bases | {primitive(base) for base in bases_of_roots(expr)}

    def __call__(self, node: Any) -> Any:
        if not getattr(node, "args", ()) or isinstance(node, Relational):
            return node
        if node not in self.known:
            self.known[node] = self._visited(node)
        return self.known[node]

    def _visited(self, node: Any) -> Any:
        if not isinstance(node, sp.Piecewise):
            return _visited(node, self)
        # A root in one branch says nothing about the others.
        branches = ((_Visitor(value, self.bases)(value), test) for value, test in node.args)
        return sp.Piecewise(*branches, evaluate=False)

    def beside(self, product: Expr) -> _Visitor:
        """Return the function for the factors of a product."""
        bases = {f.base for f in product.atoms(sp.Pow) if vanishing_powers(f)}
        orders = {primitive(base): _order_of_zero(product, base) for base in bases}
        new = {base for base, order in orders.items() if order > 0} - self.vanishing
        if not new:
            return self
        found = _Visitor(product, self.bases, self.vanishing | new)
        found.settled = self.settled
        return found

    def sign(self, base: Expr) -> int:
        """Return 1 or -1 if a base is never below or above 0 where the whole is real, or 0."""
        if is_nonnegative(base) or primitive(base) in self.bases:
            return 1
        return -1 if primitive(-base) in self.bases else 0


def has_cancelling_roots(expr: Any) -> bool:
    """Return whether derivatives of an expression's parts may be infinite, and cancel."""
    jumps = (sp.Abs, sp.Max, sp.Min, sp.Piecewise, sp.sign)
    parts = (*_DIFFERENTIABLE, sp.Add, sp.Mul, sp.Pow, sp.Symbol, sp.Number, sp.NumberSymbol)
    expr = sp.sympify(expr)
    return (
        not expr.has(*jumps)
        and all(isinstance(node, parts) for node in sp.preorder_traversal(expr))
        and with_limits(expr).has(GuardedRoot)
    )


def _visited(node: Any, visit: _Visitor) -> Any:
    if isinstance(node, sp.Add):
        found = with_truncated_moments(node)
        if found is not node:
            return visit(found)
        if is_polynomial(node) and node.count_ops() < _SMALL:
            # Near a correlation of -1 what is left of the sum has all its digits.
            return _factored(node) if sp.factor_terms(node).is_Mul else node
        if node not in visit.settled:
            found, settled = with_one_variable_moments(node)
            visit.settled.update(settled)
            if found is not node:
                return visit(found)
        node = _with_ramps_and_intervals(node)
    if isinstance(node, sp.log):
        node = _log(node)
    if isinstance(node, sp.Mul):
        node = _with_mills_ratios(node)
    if isinstance(node, sp.asin) and node.free_symbols:
        top, bottom, left = _leg_and_hypotenuse(node.args[0])
        root = GuardedRoot(visit(left), visit(2 * bottom**2))
        if any(not _has_limit(top, f, True, visit) for f in vanishing_powers(1 / bottom)):
            return 2 * sp.atan(visit(top) / (visit(bottom) + root))
        return 2 * sp.atan(Ratio(visit(top), visit(bottom) + root, S.Zero))
    if isinstance(node, bivariate_normal_cdf):
        h, k, r = node.args
        return BivariateNormal(*(_argument(x, visit) for x in (h, k)), *_cosine_and_sine(r, visit))
    if isinstance(node, CovarianceOfSteps):
        *bounds, r = node.args
        return NormalCovariance(*(_argument(x, visit) for x in bounds), *_cosine_and_sine(r, visit))
    if isinstance(node, MomentOfQuadrant):
        p, q, *law, r = node.args
        return QuadrantMoment(p, q, *map(visit, law), *_cosine_and_sine(r, visit))
    if isinstance(node, NormalInterval | RampMean | SizeDifference):
        return node.func(*(_argument(x, visit) for x in node.args))
    if isinstance(node, HalfLineMoment):
        return HalfLineMoment(*map(visit, node.args))
    if isinstance(node, IntervalMoment):
        direct, *ends = node.args
        return IntervalMoment(visit(direct), *(_argument(x, visit) for x in ends))
    if isinstance(node, ExponentialExcess):
        return ExponentialExcess(*(_argument(x, visit) for x in node.args))
    if isinstance(node, _BOUNDED):
        return node.func(*(_argument(x, visit) for x in node.args))
    if isinstance(node, sp.Pow) and node.exp.is_Rational:
        if node.exp < 0 and vanishing_powers(node) and primitive(node.base) in visit.bases:
            return Quotient(S.Zero, S.One, _denominator(node, visit))
        below = _root(node.base) if node.exp.q == 2 else None
        if below is not None:
            return below ** (2 * node.exp)
    if isinstance(node, sp.Mul):
        return _product(node, visit.beside(node))
    args = [visit(arg) for arg in node.args]
    same = all(a is b for a, b in zip(args, node.args, strict=True))
    return node if same else node.func(*args)


def _order_of_zero(product: Expr, base: Expr) -> Any:
    """Return the order at which a product goes to 0 as a sum of squares of symbols does.

    It is 0 if the base is another, and at least the order of the polynomials in the product.
    """
    squares = sp.Add.make_args(base)
    if len(squares) < 2 or not all(
        len(x.free_symbols) == 1 and is_even(x) and sp.degree(x, *x.free_symbols) == 2
        for x in squares
    ):
        return S.Zero
    order, symbols = S.Zero, _sorted(base)
    for factor in sp.Mul.make_args(product):
        below, exponent = factor.as_base_exp()
        if is_polynomial(below) and exponent.is_Rational:
            least = min(map(sum, sp.Poly(below, *symbols).monoms()))
            order += least * exponent
    return order


@lru_cache(maxsize=4096)
def _factored(base: Expr) -> Expr:
    return sp.factor(base)


def _root(base: Expr) -> Expr | None:
    """Return the root of a polynomial with terms of both signs, such as 1 - r^2, or None."""
    if not is_polynomial(base):
        return None
    addends = sp.Add.make_args(sp.expand(base))
    if not any(x.could_extract_minus_sign() for x in addends):
        return None
    return GuardedRoot(_factored(base), sp.Add(*map(sp.Abs, addends)))


def _leg_and_hypotenuse(ratio: Expr) -> tuple[Expr, Expr, Expr]:
    """Return n, d and d^2 - n^2 of a ratio n/d from -1 to 1, d being no less than 0."""
    top, bottom = sp.fraction(sp.together(ratio))
    parts = sp.Mul.make_args(bottom)
    if not all(
        p.is_positive or (isinstance(p, sp.Pow) and p.exp.is_Rational and p.exp.q == 2)
        for p in parts
    ):
        top, bottom = ratio, S.One
    left = sp.expand(bottom**2 - top**2)
    if is_polynomial(left) or not left.free_symbols:
        return top, bottom, _factored(left)
    return top, bottom, (bottom - top) * (bottom + top)


def _cosine_and_sine(r: Expr, visit: _Visitor) -> tuple[Expr, Expr]:
    """Return a correlation and the root of one minus its square, without what overflows."""
    top, bottom, left = _leg_and_hypotenuse(r)
    if len(bottom.free_symbols) == 1 and not vanishing_powers(1 / bottom):
        for base in [f.as_base_exp()[0] for f in sp.Mul.make_args(bottom)]:
            # Of a huge symbol the quotient is finite, where the polynomials are not.
            rest = sp.expand(left - base)
            if not rest.free_symbols <= base.free_symbols or not is_nonnegative(rest):
                continue
            return visit(r), visit(sqrt(1 + rest / base)) * visit(sqrt(base) / bottom)
        if left.is_number:
            return visit(r), visit(sqrt(left) / bottom)
    root = GuardedRoot(visit(left), visit(2 * bottom**2))
    cosine, sine = (Ratio(x, visit(bottom), S.Zero) for x in (visit(top), root))
    return cosine, sine


def _argument(arg: Expr, visit: _Visitor) -> Any:
    """Return an argument of a bounded function, infinite at n/0, and 0 at 0/0.

    So is the limit as a variance goes to 0 while the rest stays. What is no variance, such as
    x^2 + y^2 below x y, has no such limit, and is left as it is.
    """
    if not any(vanishing_powers(f) for f in arg.atoms(sp.Pow)) or arg.count_ops() > _MOST:
        return visit(arg)
    top, bottom = sp.fraction(sp.together(arg))
    powers = vanishing_powers(1 / bottom)
    others = [f for f in sp.Mul.make_args(bottom) if 1 / f not in powers]
    powers = _of_known_sign(powers, visit)
    whole = S.Zero
    if len(powers) == 1 and powers[0].base.is_Symbol and powers[0].exp.is_Integer:
        if not top.is_polynomial(powers[0].base):
            return visit(arg)
        # What does not go to infinity: m/s + 1 is (m + s)/s.
        whole, top = sp.div(top, 1 / powers[0], powers[0].base)
        if top == 0:
            return visit(whole / sp.Mul(*others))
    if not powers or not all(_has_limit(top, f, len(powers) == 1, visit) for f in powers):
        return visit(arg)
    below = [visit(f) for f in others]
    for power in powers:
        n = -power.exp
        if n.is_Integer and n.is_odd and visit.sign(power.base) < 0:
            top, power = -top, (-power.base) ** -n
        below.append(_denominator(power, visit))
    # A number may make a huge symbol infinite.
    number, top = top.as_independent(*top.free_symbols, as_Add=False)
    over, bottom = sp.Mul(*below).as_independent(*sp.Mul(*below).free_symbols, as_Add=False)
    found = number / over * Ratio(visit(top), bottom, _size(top))
    return visit(whole / sp.Mul(*others)) + found if whole != 0 else found


def _of_known_sign(powers: list[Expr], visit: _Visitor) -> list[Expr]:
    """Return powers with 1/(r - 1) and 1/(r + 1) put together where only 1 - r^2 has a sign."""
    unknown = [f for f in powers if f.exp.is_odd and not visit.sign(f.base)]
    base = sp.expand(sp.Mul(*(f.base for f in unknown)))
    if len({f.exp for f in unknown}) != 1 or not visit.sign(base):
        return powers
    return [f for f in powers if f not in unknown] + [base ** unknown[0].exp]


def _size(top: Expr) -> Expr:
    """Return the size of the numbers whose sum an expression is, or 0 where no digit is lost."""
    addends = sp.Add.make_args(sp.expand(top))
    if len(addends) == 1:
        return S.Zero
    if len(addends) == 2 and all((x if x.is_Symbol else -x).is_Symbol for x in addends):
        return S.Zero
    return sp.Add(*map(sp.Abs, addends))


def _has_limit(top: Expr, power: Expr, alone: bool, visit: _Visitor) -> bool:
    """Return whether n/d is infinite or goes to 0 as the base of a power in d does."""
    base, n = power.base, -power.exp
    roots = {z: sp.Dummy(z.name, nonnegative=True) ** 2 for z in base.free_symbols
             if z.is_nonnegative and top.has(sqrt(z))}  # fmt: skip
    top, base = (sp.powdenest(x.xreplace(roots)) for x in (top, base))
    symbols = base.free_symbols
    if is_root(top) and top.exp == S.Half and is_polynomial(top.base):
        # Of a quotient of roots the square goes where it goes.
        top, n = top.base, 2 * n
    if not top.is_polynomial(*symbols) or sp.gcd(top, base).has(*symbols):
        return False
    if n.is_odd and not visit.sign(base):
        return False
    if not symbols & top.free_symbols:
        return True
    if base.is_Symbol:
        if not alone:
            return visit.sign(base) > 0
        # The terms that are large are 0 where the largest is.
        low, *more = sp.Poly(top, base).all_coeffs()[::-1]
        least = sp.Mul(*(f for f, _ in sp.factor_list(low)[1]))
        large = more[: int(sp.ceiling(n)) - 1]
        return least == 1 or all(sp.rem(c, least, *_sorted(least)) == 0 for c in large if c != 0)
    variances = any(visit.sign(z) > 0 for z in symbols)
    # In a product that is 0 there, what is bounded may have any value.
    variances = variances or (n <= 1 and primitive(base) in visit.vanishing)
    if not variances and (len(symbols) > 1 or not sp.Poly(base).is_sqf):
        return False
    return bool(n < min(k for _, k in sp.factor_list(top, *_sorted(top))[1]))


def _sorted(expr: Expr) -> list[Any]:
    return sorted(expr.free_symbols, key=str)


def _denominator(power: Expr, visit: _Visitor) -> Any:
    """Return a power with the sign of its exponent turned, and 0 where its base is so by rounding.

    The base cannot be less if the expression has its root, too.
    """
    if primitive(power.base) in visit.bases and (root := _root(power.base)) is not None:
        return root ** (-2 * power.exp)
    return visit(1 / power)


def _product(node: Expr, visit: _Visitor) -> Any:
    """Return a product in which exp is stronger than what it is divided by."""
    bells = [f for f in node.args if isinstance(f, sp.exp) and f.free_symbols]
    found = vanishing_powers(node)
    signed = _of_known_sign(found, visit)
    powers = [f for f in signed if f.exp.q == 2 or visit.sign(f.base)]
    if not bells and not any(primitive(f.base) in visit.bases for f in powers):
        powers = []
    inner = bells and any(vanishing_powers(f) for f in node.atoms(sp.Pow))
    if not powers:
        signed = found
    if not powers and not inner:
        return sp.Mul(*map(visit, node.args))
    left = [f for f in found if f in signed and f not in powers]
    exponents = [_argument(f.args[0], visit) for f in bells]
    if any(e.has(sp.Pow) and not e.has(Ratio) for e in exponents):
        # Of unknown sign at the edge.
        return sp.Mul(*map(visit, node.args))
    others = [f for f in node.args if f not in bells and f not in found]
    rest = sp.Mul(*map(visit, (*others, *left)))
    exponent = sp.Add(*exponents)
    below = []
    for power in powers:
        if power.exp.is_odd and visit.sign(power.base) < 0:
            rest, power = -rest, (-power.base) ** power.exp
        below.append(_denominator(power, visit))
    if exponent == 0 and not all(_order_of_zero(node, f.base) > 0 for f in powers):
        # Nothing says that 0/0 is 0.
        return rest * Quotient(exponent, S.One, sp.Mul(*below))
    return Quotient(exponent, rest, sp.Mul(*below))


# -- tails -----------------------------------------------------------------------------------------


def _equal(a: Expr, b: Expr) -> bool:
    difference = a - b
    if difference == 0:
        return True
    small = difference.count_ops() < _MOST / 10
    return bool(small and sp.cancel(sp.together(sp.expand(difference))) == 0)


def _bell_parts(term: Expr) -> tuple[Expr, Expr]:
    """Return the exponent of a term and what it multiplies."""
    bells = [f for f in sp.Mul.make_args(term) if isinstance(f, sp.exp)]
    return sp.Add(*(f.args[0] for f in bells)), sp.Mul(
        *(f for f in sp.Mul.make_args(term) if f not in bells)
    )


def _with_ramps_and_intervals(total: Expr) -> Expr:
    if not total.has(normal_cdf, sp.erf) or len(total.args) > 100:
        return total
    return _with_intervals(_with_ramps(_with_size_differences(total)))


def _with_size_differences(total: Expr) -> Expr:
    """Put a function in place of half of E|a + b G| - E|c + b G|, which cancels far out."""
    if len(total.atoms(sp.erf)) < 2:
        return total
    terms = list(sp.Add.make_args(total))
    ramps: list[tuple[Expr, Expr, list[Expr]]] = []
    for sign in sorted(total.atoms(sp.erf), key=str):
        u = sqrt(2) * sign.args[0]
        steps = [t for t in terms if sign in sp.Mul.make_args(t)]
        bells = [
            t for t in terms if t.has(sp.exp) and not t.has(sp.erf)
            and _equal(_bell_parts(t)[0], -(u**2) / 2)
        ]  # fmt: skip
        a = 2 * sp.Add(*(t / sign for t in steps))
        b = sqrt(2 * sp.pi) * sp.Add(*(_bell_parts(t)[1] for t in bells))
        if bells and steps and _equal(a, b * u):
            ramps.append((a, b, steps + bells))
    for i, (a, b, parts) in enumerate(ramps):
        for c, d, others in ramps[i + 1 :]:
            if _equal(b, -d) and set(parts) <= set(terms) and set(others) <= set(terms):
                length = sp.expand(a + c)
                terms = [t for t in terms if t not in parts and t not in others]
                way = -1 if b.could_extract_minus_sign() else 1
                ends = (-c, a, length, sp.expand(a - c))
                terms.append(way * SizeDifference(*ends, way * b))
    return sp.Add(*terms)


def _with_ramps(total: Expr) -> Expr:
    """Put E max(0, a + b G) in place of a Phi(a/b) + b phi(a/b), which cancels far out."""
    terms = list(sp.Add.make_args(total))
    for tail in sorted(total.atoms(normal_cdf), key=str):
        (u,) = tail.args
        steps = [t for t in terms if tail in sp.Mul.make_args(t)]
        bells = [
            t for t in terms if t.has(sp.exp) and not t.has(normal_cdf)
            and _equal(_bell_parts(t)[0], -(u**2) / 2)
        ]  # fmt: skip
        if not steps or not bells:
            continue
        a = sp.Add(*(t / tail for t in steps))
        b = sqrt(2 * sp.pi) * sp.Add(*(_bell_parts(t)[1] for t in bells))
        if _equal(a, b * u):
            terms = [t for t in terms if t not in steps and t not in bells]
            # A sum over powers of what vanishes at an edge loses all digits there.
            short = a / u
            width = short if short.count_ops() < b.count_ops() else b
            # Where nothing varies, the sign of the deviation is lost, and that of a symbol in it.
            both = set(sp.Mul.make_args(a)) & set(sp.Mul.make_args(width))
            front = sp.Mul(*(x for x in both if x.is_Symbol and not x.is_nonnegative))
            a, width = a / front, width / front
            way = -1 if width.could_extract_minus_sign() else 1
            terms.append(front * way * RampMean(way * a, way * width))
    return sp.Add(*terms)


def _with_intervals(total: Expr) -> Expr:
    """Put an integral in place of c Phi(a) - c Phi(b)."""
    terms = list(sp.Add.make_args(total))
    for function, scale in ((sp.erf, sqrt(2)), (normal_cdf, S.One)):
        found: dict[Expr, tuple[Expr, Expr]] = {}
        for term in list(terms):
            nodes = [f for f in sp.Mul.make_args(term) if isinstance(f, function)]
            if len(nodes) != 1:
                continue
            factor = term / nodes[0]
            if -factor in found:
                opposite, other = found.pop(-factor)
                high, low = (scale * x.args[0] for x in (nodes[0], other))
                length = _factored(sp.together(high - low))
                terms.remove(term)
                terms.remove(opposite)
                both = 2 * factor if function is sp.erf else factor
                terms.append(both * NormalInterval(low, high, length))
            else:
                found[factor] = term, nodes[0]
    return sp.Add(*terms)


def _log(node: Expr) -> Expr:
    """Return log of a multiple of a tail probability by its own function."""
    number, rest = node.args[0].as_coeff_Mul()
    if isinstance(rest, sp.erfc):
        number, rest = 2 * number, normal_cdf(-sqrt(2) * rest.args[0])
    if number > 0 and isinstance(rest, normal_cdf):
        return sp.log(number) + LogNormalCdf(rest.args[0])
    return node


def _with_mills_ratios(product: Expr) -> Expr:
    """Put the inverse Mills ratio in place of phi(u)/Phi(u), where both may be 0."""
    for power in product.args:
        base, exponent = power.as_base_exp()
        if isinstance(base, normal_cdf) and exponent == -1:
            (u,) = base.args
            bell, rest = _bell_parts(product)
            if bell != 0 and _equal(bell, -(u**2) / 2):
                return sqrt(2 * sp.pi) * MillsRatio(u) * rest * base
    return product
