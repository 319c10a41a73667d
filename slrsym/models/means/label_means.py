r"""Gaussian means of products with the sign of a sum, as of a label with noise in it.

With :math:`y = \operatorname{sign} L`, for a centred sum L of projections that h does not depend
on, :math:`\mathbb{E}[h\,y]` is a mean over L and the variables of h: how L is summed does not
matter. One of the summands Z as a factor more is left out by Stein's lemma, as
:math:`\mathbb{E}[Z h y] = \sum_i c_i\,\mathbb{E}[\partial_i h\,y]
+ c_L \sqrt{2/(\pi v_L)}\,\mathbb{E}[h \mid L = 0]`, with the covariances c of Z and the variance
of L. So are the derivatives of E[h y] in covariances with L found, which hold at alignment, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sympy import Add, DiracDelta, Expr, Matrix, Mul, S, Symbol, exp, expand, pi, sign, sqrt

from slrsym.models.means.jumps import derivative_across_jumps
from slrsym.models.means.moments import (
    covariance_symbol,
    generic_gaussian_variables,
    mean_symbol,
)
from slrsym.models.means.smooth_pieces import KINKS


class LabelledTerm(NamedTuple):
    """A coefficient times the mean of a product at a law of its variables, which are generic."""

    coefficient: Expr
    core: Expr
    cov: Matrix
    means: tuple[Expr, ...] = ()
    """Of the variables; 0 if there are none."""


def terms_by_label(core: Expr, cov: Matrix) -> list[LabelledTerm] | None:
    """Return terms whose sum is the mean of a product with the sign of a sum of variables.

    Parameters
    ----------
    core : Expr
        In the generic variables, whose means are 0.
    cov : Matrix
        Their covariance.

    Returns
    -------
    list of LabelledTerm or None
        None if there is no sign of a sum, or the product is of another kind.
    """
    names = generic_gaussian_variables(cov.rows)
    label = _sign_of_sum(core, names)
    if label is None:
        return None
    rest = core / label
    if rest.has(DiracDelta):
        return _terms_with_delta(rest, label, cov)
    slopes = Matrix([label.args[0].coeff(z) for z in names])
    summands = [i for i, z in enumerate(names) if slopes[i] != 0]
    shared = [i for i in summands if rest.has(names[i])]
    others = [i for i, z in enumerate(names) if rest.has(z) and i not in summands]
    with_label, variance = cov * slopes, (slopes.T * cov * slopes)[0]
    if not shared:
        return [_with_label(S.One, rest, others, cov, with_label, variance)]
    if len(shared) > 1 or rest.diff(names[shared[0]]).has(names[shared[0]]):
        return None
    (k,) = shared
    h = rest.coeff(names[k])
    if expand(rest - h * names[k]) != 0:
        return None
    found = []
    for i in others:
        slope = derivative_across_jumps(h, names[i])
        for term in Add.make_args(expand(slope) if slope.has(DiracDelta) else slope):
            found.append(_with_label(cov[k, i], term, others, cov, with_label, variance))
    given = [(cov[i, j] - with_label[i] * with_label[j] / variance) for i in others for j in others]
    renamed = {names[i]: z for i, z in zip(others, names, strict=False)}
    front = with_label[k] * sqrt(2 / (pi * variance))
    found.append(LabelledTerm(front, h.xreplace(renamed), Matrix(len(others), len(others), given)))
    return [term for term in found if term.coefficient != 0 and term.core != 0]


def _terms_with_delta(rest: Expr, label: Expr, cov: Matrix) -> list[LabelledTerm] | None:
    """Return terms of products with delta functions, which are means given a variable."""
    found: list[LabelledTerm] = []
    for part in Add.make_args(expand(rest)):
        deltas = [f for f in Mul.make_args(part) if isinstance(f, DiracDelta)]
        if not part.has(DiracDelta):
            terms = terms_by_label(part * label, cov)
        else:
            terms = _given_a_variable(part, deltas[0], label, cov) if len(deltas) == 1 else None
        if terms is None:
            return None
        found += terms
    return found


def _given_a_variable(
    part: Expr, delta: Expr, label: Expr, cov: Matrix
) -> list[LabelledTerm] | None:
    names = generic_gaussian_variables(cov.rows)
    inside = [i for i, z in enumerate(names) if delta.args[0].has(z)]
    if len(inside) != 1 or len(delta.args) != 1:
        return None
    (k,) = inside
    root = names[k] - delta.args[0]
    h = (part / delta).xreplace({names[k]: root})
    if root.has(*names) or h.has(DiracDelta):
        return None
    slopes = Matrix([label.args[0].coeff(z) for z in names])
    # The variables that are left and, as one more, the label's.
    others = [i for i, z in enumerate(names) if h.has(z)]
    rows = [*(Matrix([int(i == j) for j in range(cov.rows)]) for i in others), slopes]
    with_it = [(row.T * cov)[k] for row in rows]
    law = Matrix(len(rows), len(rows), lambda i, j: (
        (rows[i].T * cov * rows[j])[0] - with_it[i] * with_it[j] / cov[k, k]
    ))  # fmt: skip
    new = generic_gaussian_variables(len(rows))
    renamed = {names[i]: z for i, z in zip(others, new, strict=False)}
    density = exp(-(root**2) / (2 * cov[k, k])) / sqrt(2 * pi * cov[k, k])
    means = tuple(c * root / cov[k, k] for c in with_it)
    return [LabelledTerm(density, h.xreplace(renamed) * sign(new[-1]), law, means)]


def _sign_of_sum(core: Expr, names: Sequence[Symbol]) -> Expr | None:
    """Return the sign of a sum of variables if it is a factor, and the only such sign."""
    sums = [f for f in core.atoms(sign) if sum(f.has(z) for z in names) > 1]
    if len(sums) != 1 or sums[0] not in Mul.make_args(core):
        return None
    (label,) = sums
    form = label.args[0]
    inside = [z for z in names if form.has(z)]
    if expand(form - Add(*(form.coeff(z) * z for z in inside))) != 0:
        return None
    return label if not any(form.coeff(z).has(*names) for z in inside) else None


def _with_label(
    coefficient: Expr,
    function: Expr,
    others: Sequence[int],
    cov: Matrix,
    with_label: Matrix,
    variance: Expr,
) -> LabelledTerm:
    names = generic_gaussian_variables(max(cov.rows, len(others) + 1))
    renamed = {names[i]: z for i, z in zip(others, names, strict=False)}
    last = len(others)
    law = Matrix(last + 1, last + 1, lambda i, j: (
        variance if i == j == last
        else with_label[others[min(i, j)]] if last in (i, j)
        else cov[others[i], others[j]]
    ))  # fmt: skip
    return LabelledTerm(coefficient, function.xreplace(renamed) * sign(names[last]), law)


class LabelledSlope(NamedTuple):
    """A coefficient times the mean of a product of so many variables at a law, by its symbols."""

    coefficient: Expr
    core: Expr
    variables: int
    law: Mapping[Symbol, Expr]


class LabelledProduct:
    """A product with the sign of one of its variables, with the derivatives of its mean."""

    def __init__(self, core: Expr, label: Expr, count: int) -> None:
        self.names = generic_gaussian_variables(count)
        self.function, self.label = core / label, label
        self.place = self.names.index(label.args[0])
        self.others = [i for i in range(count) if i != self.place]

    @staticmethod
    def of(core: Expr, count: int) -> LabelledProduct | None:
        """Return a product as such, or None if it is of another kind."""
        names = generic_gaussian_variables(count)
        labels = [f for f in Mul.make_args(core) if isinstance(f, sign) and f.args[0] in names]
        if len(labels) != 1:
            return None
        rest = core / labels[0]
        if rest.has(labels[0].args[0], DiracDelta) or (count > 2 and rest.has(*KINKS)):
            return None
        return LabelledProduct(core, labels[0], count)

    def slope(self, i: int, j: int) -> list[LabelledSlope]:
        """Return terms whose sum is the derivative of the mean in a covariance.

        Parameters
        ----------
        i, j : int
            The variables.

        Returns
        -------
        list of LabelledSlope
        """
        if self.place in (i, j):
            return self._in_label(i, j)
        names, count = self.names, len(self.names)
        if i != j or not self.function.has(*KINKS):
            half = S.Half if i == j else S.One
            core = half * self.function.diff(names[i], names[j]) * self.label
            return [LabelledSlope(S.One, core, count, {})]
        # By Stein's lemma, as the second derivative of a kink is a delta function, or worse.
        v = covariance_symbol(i, i)
        core = names[i] * self.function.diff(names[i]).replace(DiracDelta, lambda *_: S.Zero)
        found = [LabelledSlope(1 / (2 * v), core * self.label, count, {})]
        share = -covariance_symbol(i, self.place) / (2 * v)
        return [*found, *(t._replace(coefficient=share * t.coefficient)
                          for t in self._in_label(*sorted((i, self.place))))]  # fmt: skip

    def _in_label(self, i: int, j: int) -> list[LabelledSlope]:
        """Return the terms of a slope in a covariance with the label, or in its variance."""
        here, c = self.place, covariance_symbol
        v = c(here, here)
        given = {
            c(a, b): c(k, m) - c(k, here) * c(m, here) / v
            for a, k in enumerate(self.others)
            for b, m in enumerate(self.others)
        }
        given |= {mean_symbol(a): S.Zero for a in range(len(self.names))}
        renamed = {self.names[k]: z for k, z in zip(self.others, self.names, strict=False)}
        found = []
        for k in self.others if i == j else {i, j} - {here}:
            # In the scale of the label alone the mean is constant.
            share = -c(k, here) / (2 * v) if i == j else S.One
            slope = derivative_across_jumps(self.function, self.names[k]).xreplace(renamed)
            for core in Add.make_args(expand(slope) if slope.has(DiracDelta) else slope):
                front = share * sqrt(2 / (pi * v))
                found.append(LabelledSlope(front, core, len(self.others), given))
        return found


def law_of_matrix(cov: Matrix, means: Sequence[Expr] = ()) -> dict[Symbol, Expr]:
    """Return the entries of a law by their symbols.

    Parameters
    ----------
    cov : Matrix
    means : sequence of Expr, optional
        By default 0.

    Returns
    -------
    dict
    """
    count = range(cov.rows)
    law: dict[Symbol, Expr] = {mean_symbol(i): means[i] if means else S.Zero for i in count}
    law |= {covariance_symbol(i, j): cov[i, j] for i in count for j in count if i <= j}
    return law
