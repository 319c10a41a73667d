r"""Gaussian means and covariances of products, in symbols that stand for atomic means.

A product is split into a polynomial and a function f of scores. The mean H of f is taken by
`slrsym.gaussian`, as a function of the means m and covariances c of the law; then, by Stein's
lemma, a factor :math:`Z_i` more turns H into :math:`m_i H + \sum_j c_{ij} \partial_{m_j} H`, and
the derivative in :math:`c_{ij}` is the second derivative in :math:`m_i, m_j`, half of it for i = j.
Each is found once, whatever roles and heads it is for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from sympy import (
    Abs,
    Add,
    Derivative,
    Dummy,
    Expr,
    Heaviside,
    Matrix,
    Max,
    Min,
    Mul,
    Piecewise,
    Pow,
    Rational,
    S,
    Symbol,
    erf,
    exp,
    expand,
    hessian,
    sign,
    sqrt,
    srepr,
)
from sympy.core.function import AppliedUndef, UndefinedFunction

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    OwensT,
    erf_prime,
    erf_second,
    normal_cdf,
    normal_pdf,
)
from slrsym.gaussian.closed_form import closed_form_for_proofs
from slrsym.gaussian.integrals import complete_square, erf_product_mean
from slrsym.kernels.printing import hoist_constant_parts
from slrsym.kernels.symbolic_functions import ErfCovariance, ErfVariance, gaussian_mean
from slrsym.models.definition.specification import NotClosedError


@cache
def generic_gaussian_variables(count: int) -> tuple[Symbol, ...]:
    """Return symbols for the variables of a Gaussian vector with arbitrary mean and covariance."""
    return tuple(Symbol(f"Z_{i}", real=True) for i in range(count))


@cache
def mean_symbol(i: int) -> Symbol:
    """Return the symbol of the mean of variable `i`."""
    return Symbol(f"m_{i}", real=True)


@cache
def covariance_symbol(i: int, j: int) -> Symbol:
    """Return the symbol of the covariance of variables `i` and `j`."""
    i, j = min(i, j), max(i, j)
    return Symbol(f"c_{i}_{j}", positive=True) if i == j else Symbol(f"c_{i}_{j}", real=True)


class AtomicMean(NamedTuple):
    """Closed form of a Gaussian mean or covariance, as a function of the variables' means.

    It is `closed`, but for names of what the means do not occur in: `constants`.
    """

    closed: Expr
    constants: dict[Symbol, Expr]


@cache
def differentiate_closed_form(expr: Expr, orders: tuple[tuple[Symbol, int], ...]) -> Expr:
    """Differentiate a closed form in the variables' means, to given orders."""
    if not orders:
        return expr
    (m, order), *rest = orders
    lower = ((m, order - 1), *rest) if order > 1 else tuple(rest)
    return _expanded(differentiate_closed_form(expr, lower).diff(m))


# By the undefined function that stands for it in a mean or covariance; and for a covariance, what
# stands for the two means.
ATOMS: dict[Any, AtomicMean] = {}
_MEANS: dict[Any, tuple[Expr, Expr]] = {}


def name_by_content(prefix: str, *parts: Any) -> str:
    """Return a name that says what it stands for, by a digest, whatever has been named before.

    SymPy puts the terms of sums in order by their names: numbers in the order of naming would make
    another program of a model that is stated after others.
    """
    text = "\0".join(srepr(part, order="none") for part in parts)
    return f"{prefix}_{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def expand_into_coefficient_pairs(expr: Expr, symbols: Sequence[Symbol]) -> list[tuple[Expr, Expr]]:
    """Expand an expression into pairs of a coefficient and a product in the symbols."""
    parts: dict[Expr, Expr] = {}
    for term in Add.make_args(expand(expr, power_base=False, log=False, trig=False)):
        coefficient, core = term.as_independent(*symbols, as_Add=False)
        parts[core] = parts.get(core, S.Zero) + coefficient
    return [(c, core) for core, c in parts.items() if c != 0]


@cache
def product_mean(core: Expr, count: int) -> Expr:
    """Return the mean of a product, in parameters of the law and symbols of atomic means."""
    powers, function = _split(core, count)
    return _with_factors(_function_mean(function, count), powers)


@cache
def product_covariance(first: Expr, second: Expr, count: int) -> Expr:
    """Return the covariance of two products, without terms that cancel."""
    (powers, one), (others, other) = _split(first, count), _split(second, count)
    product = _function_mean(one, count) * _function_mean(other, count)
    product += _function_covariance(one, other, count)
    both = _with_factors(product, [n + m for n, m in zip(powers, others, strict=True)])
    return expand(both - product_mean(first, count) * product_mean(second, count))


def _with_factors(value: Expr, powers: Sequence[int]) -> Expr:
    """Return the mean of a function times powers of the variables, from the function's mean."""
    count = range(len(powers))
    for i, power in enumerate(powers):
        for _ in range(power):
            moved = (covariance_symbol(i, j) * value.diff(mean_symbol(j)) for j in count)
            value = expand(mean_symbol(i) * value + Add(*moved))
    return value


@cache
def derivatives_in_law_entries(value: Expr, count: int) -> dict[Symbol, Expr]:
    """Return the partial derivatives of a mean or covariance in the entries of the law."""
    found = {}
    for i in range(count):
        found[mean_symbol(i)] = expand(value.diff(mean_symbol(i)))
        for j in range(i, count):
            found[covariance_symbol(i, j)] = _slope(value, i, j)
    return {p: slope for p, slope in found.items() if slope != 0}


def _slope(value: Expr, i: int, j: int) -> Expr:
    """Return the partial derivative of a mean in the covariance of variables i and j."""
    names = {atom: Dummy(real=True) for atom in atomic_means_in(value)}
    plain = value.xreplace(names)
    total = plain.diff(covariance_symbol(i, j))
    for atom, name in names.items():
        total += plain.diff(name) * _heat(atom, i, j)
    return expand(total.xreplace({name: atom for atom, name in names.items()}))


def _heat(atom: Expr, i: int, j: int) -> Expr:
    function, orders = split_atomic_mean_derivative(atom)
    m_i, m_j = mean_symbol(i), mean_symbol(j)
    half = Rational(1, 2) if i == j else S.One
    value = half * function.diff(m_i, m_j)
    if function.func in _MEANS:
        one, other = _MEANS[function.func]
        value += half * (one.diff(m_i) * other.diff(m_j) + one.diff(m_j) * other.diff(m_i))
    for m, order in orders:
        value = value.diff(m, order)
    return value


def atomic_means_in(value: Expr) -> list[Expr]:
    """Return the atomic means in an expression, and their derivatives, by their names."""
    whole: set[Expr] = value.atoms(Derivative)
    rest = value.xreplace(dict.fromkeys(whole, S.One))
    return sorted(whole | rest.atoms(AppliedUndef), key=str)


def split_atomic_mean_derivative(atom: Expr) -> tuple[Expr, tuple[tuple[Symbol, int], ...]]:
    """Return the atomic mean in a derivative of it, with the order in each variable's mean."""
    if isinstance(atom, Derivative):
        return atom.expr, tuple((x, int(n)) for x, n in atom.variable_count)
    return atom, ()


@cache
def _split(core: Expr, count: int) -> tuple[list[int], Expr]:
    """Split a product into the exponents of the variables and the remaining function."""
    powers, rest = [0] * count, S.One
    names = generic_gaussian_variables(count)
    for factor in Mul.make_args(core):
        base, power = factor.as_base_exp()
        if base in names and power.is_Integer and power > 0:
            powers[names.index(base)] += int(power)
        else:
            rest *= factor
    return powers, rest


@cache
def _function_mean(function: Expr, count: int) -> Expr:
    """Return the symbol for the mean of a function of Gaussian variables."""
    used = _used(function, count)
    if not used:
        return function
    return _atom((function,), used, lambda: _closed_mean(function, used))


@cache
def _function_covariance(first: Expr, second: Expr, count: int) -> Expr:
    """Return the symbol for the covariance of two functions of Gaussian variables."""
    if not _used(first, count) or not _used(second, count):
        return S.Zero
    used = _used(first * second, count)
    both = (first, second)
    found = _atom(both, used, lambda: _closed_covariance(first, second, used, count))
    if found != 0:
        _MEANS[found.func] = (_function_mean(first, count), _function_mean(second, count))
    return found


def _used(function: Expr, count: int) -> tuple[int, ...]:
    return tuple(i for i, z in enumerate(generic_gaussian_variables(count)) if function.has(z))


def _atom(functions: tuple[Expr, ...], used: tuple[int, ...], closed: Callable[[], Expr]) -> Expr:
    parameters = [mean_symbol(i) for i in used]
    names: dict[Expr, Symbol] = {}
    value = hoist_constant_parts(closed(), frozenset(parameters), names)
    if value == 0:
        return S.Zero
    function = UndefinedFunction(name_by_content("F", *functions, *used), real=True)
    ATOMS[function] = AtomicMean(value, {symbol: expr for expr, symbol in names.items()})
    return function(*parameters)


@cache
def _closed_mean(function: Expr, used: tuple[int, ...]) -> Expr:
    """Evaluate a Gaussian mean in closed form, in exp, erf, and covariances of erf."""
    tilted = _tilted_mean(function, used)
    if tilted is not None:
        return tilted
    names = generic_gaussian_variables(max(used) + 1)
    law = GaussianLaw(
        {names[i]: mean_symbol(i) for i in used},
        [[covariance_symbol(i, j) for j in used] for i in used],
    )
    value = closed_form_for_proofs(function, law)
    if value.has(Expectation):
        _require_quadrature(function, len(used))
        return gaussian_mean(function, law)
    value = _with_covariances(value, function, law)
    if value.has(Piecewise) or (len(used) > 1 and value.has(OwensT)):
        many = "s" if len(used) > 1 else ""
        raise NotClosedError(
            f"no smooth closed form is known of the mean of {function}, a function of {len(used)} "
            f"projection{many}: it has branches, whose derivatives jump. Of functions with kinks, "
            "two of one projection each close, and on tokens of mean 0 more, with kinks at 0"
        )
    for special in (erf_prime, erf_second, normal_pdf):
        value = value.replace(special, lambda x, f=special: f(x).rewrite(exp))
    return value.replace(normal_cdf, lambda x: (1 + erf(x / sqrt(2))) / 2)


def _tilted_mean(function: Expr, used: tuple[int, ...]) -> Expr | None:
    """Return the mean of an exponential times functions erf by a change of measure, or None.

    Under the tilted law the error functions have a mean without branches.
    """
    names = [generic_gaussian_variables(max(used) + 1)[i] for i in used]
    factors = Mul.make_args(function)
    exponent = expand(Add(*(f.exp for f in factors if isinstance(f, exp))))
    rest = Mul(*(f for f in factors if not isinstance(f, exp)))
    if exponent == 0 or not rest.has(erf, normal_cdf):
        return None
    powers = [f.as_base_exp() for f in Mul.make_args(rest)]
    order = Add(*(power for base, power in powers if isinstance(base, erf | normal_cdf)))
    # Of one variable, only that of two error functions has branches, by Owen's T.
    if len(used) == 1 and order != 2:
        return None
    quadratic, linear = -hessian(exponent, names), Matrix([exponent.diff(z) for z in names])
    origin = dict.fromkeys(names, S.Zero)
    if quadratic.free_symbols & set(names):
        return None
    mean = Matrix([mean_symbol(i) for i in used])
    cov = Matrix([[covariance_symbol(i, j) for j in used] for i in used])
    front, determinant, mean, cov = complete_square(quadratic, linear.subs(origin), mean, cov)
    inner = _used(rest, max(used) + 1)
    value = _closed_mean(rest, inner)
    moved = {mean_symbol(i): mean[used.index(i)] for i in inner}
    moved |= {
        covariance_symbol(i, j): cov[used.index(i), used.index(j)] for i in inner for j in inner
    }
    value = value.xreplace(moved)
    return exp(front + exponent.subs(origin)) / sqrt(determinant) * value


def _require_quadrature(function: Expr, dimension: int) -> None:
    """Raise NotClosedError if a mean has too many variables, or kinks, for quadrature."""
    reason = f"no closed form is known of the mean of {function}, an integral of {dimension} "
    if dimension > 2:
        raise NotClosedError(f"{reason}dimensions; quadrature is for one or two")
    if function.has(Abs, Heaviside, Max, Min, Piecewise, sign):
        many = "s" if dimension > 1 else ""
        raise NotClosedError(
            f"{reason}dimension{many} that has kinks; quadrature is for smooth functions, such as "
            "tanh; m.check samples tokens for any function"
        )


def _closed_covariance(first: Expr, second: Expr, used: tuple[int, ...], count: int) -> Expr:
    both = _closed_mean(first * second, used)
    means = [_closed_mean(f, _used(f, count)) for f in (first, second)]
    return _expanded(both - means[0] * means[1])


def _with_covariances(value: Expr, function: Expr, law: GaussianLaw) -> Expr:
    """Replace Owen's T, which has branches near vanishing means, by covariances of erf."""
    arguments = [f.args[0] for f in function.atoms(erf)]
    arguments += [f.args[0] / sqrt(2) for f in function.atoms(normal_cdf)]
    arguments.sort(key=str)
    if not arguments:
        return value
    joint = law.linear_image({Dummy(real=True): u for u in arguments})
    means, cov = list(joint.mean.values()), joint.cov
    for i in range(len(means)):
        for j in range(i, len(means)):
            value = _replaced(value, means[i], means[j], cov[i, i], cov[j, j], cov[i, j])
    return value


def _replaced(value: Expr, m_u: Expr, m_w: Expr, v_u: Expr, v_w: Expr, both: Expr) -> Expr:
    """Replace Owen's T in a mean by a product of two means of erf plus a covariance."""
    known = erf_product_mean(m_u, m_w, v_u, v_w, both)
    x, y = m_u / sqrt(1 + 2 * v_u), m_w / sqrt(1 + 2 * v_w)
    if (m_u, v_u) == (m_w, v_w):
        product = erf(x) ** 2 + ErfVariance(m_u, sqrt(v_u))
    else:
        r = 2 * both / (sqrt(1 + 2 * v_u) * sqrt(1 + 2 * v_w))
        product = erf(x) * erf(y) + ErfCovariance(x, y, r)
    nodes = known.atoms(OwensT)
    if len(nodes) == 1 and not known.is_Piecewise:
        (node,) = nodes
        constant, factor = known.as_independent(node, as_Add=True)[0], known.coeff(node)
        return value.xreplace({node: (product - constant) / factor})
    again = erf_product_mean(m_w, m_u, v_w, v_u, both)
    return value.xreplace({known: product, again: product})


def _expanded(expr: Expr) -> Expr:
    """Expand an expression, leaving function arguments, roots and denominators as they are."""
    names: dict[Expr, Symbol] = {}

    def hidden(part: Expr) -> Expr:
        if part.is_Add or part.is_Mul:
            return part.func(*map(hidden, part.args))
        if part.is_Pow and part.exp.is_Integer and part.exp > 0:
            return Pow(hidden(part.base), part.exp)
        if part.is_Symbol or part.is_Number:
            return part
        return names.setdefault(part, Dummy(real=True))

    plain = expand(hidden(expr))
    return plain.xreplace({name: part for part, name in names.items()})
