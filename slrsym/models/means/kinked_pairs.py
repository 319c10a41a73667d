r"""Means of functions with kinks of two variables, at any means, without branches.

Such a mean has the mean of a product of two signs, which Owen's T writes with branches where a mean
vanishes. It is :math:`\operatorname{erf} x \operatorname{erf} y + C(x, y, r)` with the covariance C
of `ErfCovariance`, which has none: here :math:`x = m/\sqrt{2v}` for the mean and the variance of
the one, y for the other, and r is their correlation.
"""

from __future__ import annotations

from itertools import combinations, permutations

from sympy import (
    Abs,
    Add,
    DiracDelta,
    Dummy,
    Expr,
    Heaviside,
    Max,
    Min,
    Piecewise,
    Symbol,
    erf,
    expand,
    expand_mul,
    factor,
    sign,
    sqrt,
)
from sympy.core.relational import Relational

from slrsym.gaussian import Expectation, GaussianLaw, OwensT, expectation
from slrsym.gaussian.integrals import erf_product_mean
from slrsym.gaussian.special_functions import with_own_owens_t
from slrsym.kernels.symbolic_functions import ErfCovariance
from slrsym.models.means.jumps import derivative_across_jumps
from slrsym.models.means.moments import (
    covariance_symbol,
    generic_gaussian_variables,
    mean_symbol,
)


def mean_of_kinked_pair(core: Expr, law: GaussianLaw) -> Expr | None:
    """Return the mean of a function with kinks of two variables; None if it has branches still.

    Parameters
    ----------
    core : Expr
        In the variables of the law.
    law : GaussianLaw
        Of any means.

    Returns
    -------
    Expr or None
    """
    forms = _forms_of_kinks(core, law)
    if len(law.symbols) != 2 or not forms or core.has(DiracDelta):
        return None
    value = with_own_owens_t(expectation(core, law))
    joint = law.linear_image({Dummy(real=True): form for form in forms})
    means, cov = list(joint.mean.values()), joint.cov
    for pair in combinations(range(len(forms)), 2):
        if factor(cov.extract(pair, pair).det()) == 0:
            continue
        for i, j in permutations(pair):
            known = erf_product_mean(means[i], means[j], cov[i, i], cov[j, j], cov[i, j], 0, 0)
            x, y = (means[k] / sqrt(2 * cov[k, k]) for k in (i, j))
            r = cov[i, j] / sqrt(cov[i, i] * cov[j, j])
            value = value.xreplace({known: erf(x) * erf(y) + ErfCovariance(x, y, r)})
    return None if value.has(Expectation, OwensT, Piecewise) else value


def derivative_in_law(core: Expr, argument: Symbol, count: int) -> Expr | None:
    """Return the function whose mean is the derivative of a function's mean in the law.

    In a mean it is the function's derivative, and in a covariance the second derivative (Price), of
    which a variance has half. Written so, slopes lose no digits where two variables align.

    Parameters
    ----------
    core : Expr
        In the generic Gaussian variables.
    argument : Symbol
        Of a mean or covariance.
    count : int
        How many variables there are.

    Returns
    -------
    Expr or None
        None if `argument` is neither, or the function has no derivative that is known here.
    """
    z = generic_gaussian_variables(count)
    if core.has(DiracDelta):
        return None
    for i in range(count):
        if argument == mean_symbol(i):
            return derivative_across_jumps(core, z[i])
        for j in range(i, count):
            if argument == covariance_symbol(i, j):
                first = derivative_across_jumps(core, z[i])
                if first.has(DiracDelta):
                    return None
                return derivative_across_jumps(first, z[j]) / (2 if i == j else 1)
    return None


def mean_at_kink(core: Expr, law: GaussianLaw) -> Expr | None:
    """Return the mean of a function of two variables times the density of one at a kink, or None.

    It is written by the variance of the other one given this, so that nothing infinite cancels
    where this variance vanishes.

    Parameters
    ----------
    core : Expr
        In the variables of the law.
    law : GaussianLaw
        With a symbol for each mean and covariance.

    Returns
    -------
    Expr or None
        None if there is no such density, or no closed form without branches.
    """
    used = set().union(*(node.free_symbols for node in core.atoms(DiracDelta)))
    at = [i for i, z in enumerate(law.symbols) if z in used]
    if len(at) != 1 or len(law.symbols) != 2:
        return None
    value = with_own_owens_t(expectation(core, law))
    if value.has(Expectation, OwensT, Piecewise):
        return None
    (i,), j = at, 1 - at[0]
    left = Dummy(positive=True)
    explained = law.cov[i, j] ** 2 / law.cov[i, i]
    value = value.xreplace({law.cov[j, j]: left + explained})
    value = value.replace(lambda e: e.is_Pow and e.base.is_Add, lambda e: factor(e.base) ** e.exp)
    value = Add(*(expand_mul(term, deep=False) for term in Add.make_args(value)))
    return value.xreplace({left: factor(law.cov[j, j] - explained)})


def _forms_of_kinks(function: Expr, law: GaussianLaw) -> list[Expr]:
    """Return the affine forms at whose zeros a function has kinks, in a fixed order.

    Those of one sign everywhere are the same form.
    """
    found = [node.args[0] for node in function.atoms(Abs, Heaviside, sign)]
    for node in function.atoms(Max, Min):
        found += [one - other for one, other in combinations(node.args, 2)]
    for node in function.atoms(Piecewise):
        conditions = (condition for _, condition in node.args)
        found += [e.lhs - e.rhs for c in conditions for e in c.atoms(Relational)]
    names = set(law.symbols)
    plain = [expand(form).primitive()[1] for form in found if form.free_symbols & names]
    forms = dict.fromkeys(-f if f.could_extract_minus_sign() else f for f in plain)
    return sorted((f for f in forms if f.is_polynomial(*law.symbols)), key=str)
