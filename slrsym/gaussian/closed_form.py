r"""Closed forms of expectations under Gaussian laws, by rewriting rules with a trace.

`expectation` reduces an integrand by conditioning, Stein's lemma and completing the square to a few
Gaussian integrals (see `expectation_reduction`). What it cannot reduce it leaves as an
`Expectation`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, overload

import sympy as sp
from sympy import Expr

from slrsym.gaussian.binding import Expectation, require_real_parameters
from slrsym.gaussian.complex_error_function import in_real_form
from slrsym.gaussian.covariance import with_short_numbers
from slrsym.gaussian.degeneracy import rationals_from_floats
from slrsym.gaussian.evaluation_trace import Trace, TraceStep
from slrsym.gaussian.expectation_reduction import ExpectationReduction
from slrsym.gaussian.integrals import IntegrabilityError
from slrsym.gaussian.law import (
    GaussianLaw,
    Law,
    replace_sympy_stats_variables,
    without_floats,
)
from slrsym.gaussian.probabilities import in_erf, in_normal_probabilities, mean_of_two_signs
from slrsym.gaussian.roots import cancel_roots
from slrsym.gaussian.special_functions import with_own_owens_t, with_sympy_owens_t


@overload
def expectation(expr: Any, law: Law | None = None, *, trace: Literal[False] = False) -> Any: ...
@overload
def expectation(
    expr: Any, law: Law | None = None, *, trace: Literal[True]
) -> tuple[Any, Trace]: ...
def expectation(expr: Any, law: Law | None = None, *, trace: bool = False) -> Any:
    r"""Evaluate :math:`\mathbb{E}[f(X)]` in closed form.

    Polynomials are removed by Stein's lemma (C. Stein, Annals of Statistics 9, 1981); what is left
    is a table of integrals, in ``slrsym.gaussian.integrals``.

    Parameters
    ----------
    expr : expression
        The integrand: a linear combination of polynomials times products of up to two of erf,
        `erf_prime`, `erf_second`, exponentials of quadratic forms, `normal_pdf`, `normal_cdf`, and
        of sin, cos, exp, of affine forms of the vector; with absolute values, signs, Heaviside,
        Max, Min and Piecewise, where the conditions are on affine forms, on quadratic functions of
        one, or on products of such. Of a matrix, a list or a tuple, every entry.
    law : Law, optional
        A `GaussianLaw`; or a `ProductLaw` of independent laws, among them `NoiseLaw`, under which
        the integrand may contain `IIDSum`. Left out where the variables are normal random variables
        of `sympy.stats`, which have their laws with them.
    trace : bool, optional
        Whether to return the trace as well.

    Returns
    -------
    Expr or (Expr, Trace)
        The closed form, Owen's T as SymPy's ``owens_t`` if this SymPy has it. Terms outside of the
        class stay as unevaluated `Expectation`, of which ``why`` says what is in the way.

    Raises
    ------
    TypeError
        If `law` is not a law, or a random variable of `sympy.stats` is not normal.
    IntegrabilityError
        If the expectation does not exist, or the assumptions do not decide that it does.
    ValueError
        If a symbol that has to be real is not declared so, or a piece of a `Piecewise` that has a
        positive probability is no number.

    Examples
    --------
    >>> from sympy import symbols, erf
    >>> from slrsym.gaussian import standard_normal
    >>> t, g, G = symbols("t g G", real=True)
    >>> expectation(erf(t + g*G), standard_normal(G))
    erf(t/sqrt(2*g**2 + 1))
    """
    record = Trace()
    value = _entrywise(expr, law, record)
    if not trace:
        return value
    sides = (map(with_sympy_owens_t, (step.lhs, step.rhs)) for step in record.steps)
    steps = [TraceStep(step.rule, *pair) for step, pair in zip(record.steps, sides, strict=True)]
    return value, Trace(steps, record.reasons)


def _entrywise(expr: Any, law: Law | None, record: Trace) -> Any:
    if isinstance(expr, list | tuple):
        return type(expr)([_entrywise(entry, law, record) for entry in expr])
    expr = sp.sympify(expr)
    if isinstance(expr, sp.MatrixBase):
        return expr.applyfunc(lambda entry: _entrywise(entry, law, record))
    if not isinstance(expr, Expr):
        raise TypeError(f"expr must be an expression, or a matrix or list of them; got {expr!r}")
    if law is None:
        expr, law = replace_sympy_stats_variables(expr)
    if not isinstance(law, Law):
        raise TypeError(f"law must be a Law, such as a GaussianLaw; got {law!r}")
    expr = with_own_owens_t(expr)
    require_real_parameters(expr, law)
    value = _evaluate(_in_probabilities(record), expr, law)
    _require_value(expr, value)
    return with_sympy_owens_t(value)


def _require_value(expr: Expr, value: Expr) -> None:
    """Raise an error if an expectation is no number since a piece of its integrand is none."""
    if not value.has(sp.S.NaN):
        return
    for whole in sorted(expr.atoms(sp.Piecewise), key=sp.default_sort_key):
        for piece, condition in whole.args:
            if piece.has(sp.S.NaN):
                where = "elsewhere" if condition == True else f"where {condition}"  # noqa: E712
                raise ValueError(
                    f"expr must have a value in every piece with a positive probability; got "
                    f"{piece} {where} in {whole}: give that piece a value"
                )
    raise ValueError(f"expr must be a number almost everywhere; got {expr}")


def _in_probabilities(record: Trace) -> Callable[[Expr, Law], Expr]:
    """Return the function that evaluates an expectation, with its probabilities as such."""

    def evaluate(expr: Expr, law: Law) -> Expr:
        value = ExpectationReduction(record, pair_mean=mean_of_two_signs).evaluate(expr, law)
        record.steps = [TraceStep(s.rule, s.lhs, in_erf(s.rhs)) for s in record.steps]
        plain, found = in_erf(value), in_normal_probabilities(cancel_roots(value))
        record.record("normal probabilities", plain, found)
        if expr.has(sp.I):
            return found
        real = in_real_form(found)
        record.record("real part", found, real)
        return real

    return evaluate


def _evaluate(evaluate: Callable[[Expr, Law], Expr], expr: Expr, law: Law) -> Expr:
    """Evaluate an expectation with rationals for floats, and write its long numbers as floats."""
    if not (law.has(sp.Float) or expr.has(sp.Float)):
        return evaluate(expr, law)
    exact = without_floats(law)
    with rationals_from_floats():
        value = evaluate(without_floats(expr), exact)
    nodes = {node: sp.Dummy(real=True) for node in value.atoms(Expectation)}
    value = value.xreplace(nodes)
    value = with_short_numbers(value) if value.free_symbols else _number(value)
    parts = dict(zip(exact.independent_laws(), law.independent_laws(), strict=True)) | {exact: law}
    return value.xreplace({name: _in_floats(node, parts) for node, name in nodes.items()})


def _number(value: Expr) -> Expr:
    return value if value.is_Integer else value.evalf(15)


def _in_floats(node: Expectation, parts: dict[Law, Law]) -> Expectation:
    """Return an unevaluated mean with the law that was given, or the part of it that it is of."""
    law = node.law
    for exact, given in parts.items():
        if exact == law:
            law = given
        elif isinstance(exact, GaussianLaw) and set(law.symbols) < set(exact.symbols):
            part = exact.marginal(*law.symbols)
            law = given.marginal(*law.symbols) if law == part else law
    return Expectation(with_short_numbers(node.integrand), law)


def closed_form(node: Expectation) -> Expr:
    """Return the closed form of an unevaluated `Expectation`, as far as there is one."""
    return _evaluate(_in_probabilities(Trace()), node.integrand.doit(), node.law)


def closed_form_for_proofs(
    expr: Expr, law: Law, is_positive: Callable[[Expr], bool] = lambda _: False
) -> Expr:
    """Evaluate an expectation using only the functions that proofs and compiled code support.

    These are this package's own, and the Gamma function is none of them. `is_positive` may know
    more of parameters than they declare.
    """
    expr = with_own_owens_t(expr)
    require_real_parameters(expr, law)
    reduction = ExpectationReduction(Trace(), is_positive, with_gamma=False)
    return _evaluate(reduction.evaluate, expr, law)


def reason_without_closed_form(node: Expectation) -> str:
    """Return the reason why an expectation has no closed form here, or an empty text."""
    record = Trace()
    try:
        _evaluate(ExpectationReduction(record).evaluate, node.integrand, node.law)
    except IntegrabilityError as error:
        return str(error)
    return "; ".join(dict.fromkeys(record.reasons.values()))
