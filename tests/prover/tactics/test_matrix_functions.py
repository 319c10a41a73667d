"""Claims on unknown functions of vectors: what is proved, and what is refused with a witness."""

from __future__ import annotations

import re

import pytest
from sympy import Eq, Ge, Gt, Identity, Le, Rational, Symbol, Trace, ZeroMatrix, exp, symbols

from slrsym.matrices import (
    ForAllMatrices,
    Loewner,
    MatrixMean,
    Size,
    along,
    covariance,
    matrix,
    smooth_function,
)
from slrsym.proof import (
    Bounded,
    Convex,
    Increasing,
    Lipschitz,
    PolyakLojasiewicz,
    ProofError,
    Smooth,
    algebra,
    averaged,
    chain,
    lipschitz_bound,
    poincare,
    stein,
    tangent_plane,
    trace_algebra,
)
from tests.prover.tactics._vector_claims import dot, equal, is_contradicted, most, verdict

d, N = Size("d"), Size("N")
h, k = smooth_function("h", d), smooth_function("k", d)
a, b, g, v, x, y, z = (matrix(name, d, 1) for name in "abgvxyz")
A, X, B = matrix("A", d), matrix("X", d, N), matrix("B", N, d)
S, R = covariance("S", d), covariance("R", N)
K, L, m = symbols("K L m", nonnegative=True)
t, eta = Symbol("t", real=True), Symbol("eta", positive=True)
unit, one = Identity(d), Identity(1)
slope, bend = h.gradient(g), h.hessian(g)


def mean(f):
    return MatrixMean(f, (g, S, one))


def white(f):
    return MatrixMean(f, (g, unit, one))


def variance(f, over=mean):
    return over(f**2) - over(f) ** 2


way = y - x
square, plane = dot(way, way), h(x) + dot(h.gradient(x), way)
step = x - eta * h.gradient(x)
M = Symbol("M", positive=True)
full_step = x - h.gradient(x) / M
down = dot(h.gradient(x), h.gradient(x))
line = tangent_plane((x, y))
origin = ZeroMatrix(d, 1)
at_origin = h(origin) + dot(h.gradient(origin), g)
LENGTH = dot(slope, slope)

STEIN = {
    "value": (mean(dot(a, g) * h(g)), mean(dot(a, S * slope))),
    "gradient": (mean(dot(a, g) * dot(b, slope)), mean(Trace(a.T * S * bend * b))),
    "twice": (mean(dot(a, g) * dot(b, g) * h(g)),
              Trace(a.T * S * b) * mean(h(g)) + mean(Trace(a.T * S * bend * S * b))),
    "length": (white(dot(g, g) * h(g)), d * white(h(g)) + white(dot(g, slope))),
    "length by Hessian": (white(dot(g, g) * h(g)), d * white(h(g)) + white(Trace(bend))),
    "inner factor": (mean(dot(a, g) * h(A * g)), mean(Trace(a.T * S * A.T * h.gradient(A * g)))),
    "square": (mean(dot(a, g) * h(g) ** 2), 2 * mean(h(g) * dot(a, S * slope))),
    "two functions": (mean(dot(a, g) * h(g) * k(g)),
                      mean(k(g) * dot(a, S * slope) + h(g) * dot(a, S * k.gradient(g)))),
    "coefficients": (mean(t * dot(a, g) * h(x) * h(g) + dot(b, g) ** 2),
                     t * h(x) * mean(dot(a, S * slope)) + Trace(b.T * S * b)),
    "both sides": (mean(dot(a, g) * h(g) - dot(b, g) * h(g)), mean(dot(a - b, g) * h(g))),
}  # fmt: skip
PROVED = {
    "poincare": (most(variance(h(g)), mean(dot(slope, S * slope))), poincare(h(g))),
    "poincare of a sum": (
        most(variance(h(g) + dot(a, g)), mean(dot(slope + a, S * (slope + a)))),
        poincare(h(g) + dot(a, g))),
    "averaged": (most(white(LENGTH), K**2), averaged(Lipschitz(h, K), g), [Lipschitz(h, K)]),
    "averaged value": (most(mean(h(A * g)), K), averaged(
        ForAllMatrices(z, Le(h(z), K)), A * g), [ForAllMatrices(z, Le(h(z), K))]),
    "averaged change": (most(mean((h(g) - h(origin)) ** 2), K**2 * Trace(S)), averaged(
        chain((h(g) - h(origin)) ** 2).le(K**2 * dot(g, g), by=lipschitz_bound((origin, g))), g),
        [Lipschitz(h, K)]),
    "averaged plane": (most(h(origin), mean(h(g))), averaged(
        chain(at_origin).le(h(g), by=tangent_plane((origin, g))), g), [Convex(h)]),
    "averaged parabola": (most(mean(h(g)), h(origin) + L / 2 * Trace(S)), averaged(
        chain(h(g)).le(at_origin + L / 2 * dot(g, g), by=tangent_plane((origin, g))), g),
        [Smooth(h, L)]),
    "descent": (most(h(y), plane + L / 2 * square), line, [Smooth(h, L)]),
    "ascent": (most(plane - L / 2 * square, h(y)), line, [Smooth(h, L)]),
    "step": (most(h(step), h(x) - eta * (1 - L * eta / 2) * dot(h.gradient(x), h.gradient(x))),
             tangent_plane((x, step)), [Smooth(h, L)]),
    "step of one over the bound": (most(h(full_step), h(x) - down / (2 * M)),
                                   tangent_plane((x, full_step)), [Smooth(h, M)]),
    "step that is one over the bound": (most(h(step), h(x) - down / (2 * M)),
                                        tangent_plane((x, step)), [Smooth(h, M), Eq(eta, 1 / M)]),
    "short step": (most(h(step), h(x) - eta * down / 2), tangent_plane((x, step)),
                   [Smooth(h, M), Le(eta, 1 / M)]),
    "squared length": (most(-eta * down, (1 - M * eta) * eta * down), algebra, [Le(M * eta, 2)]),
    "convex": (most(plane, h(y)), line, [Convex(h)]),
    "middle": (most(h((x + y) / 2), h(x) / 2 + h(y) / 2),
               tangent_plane(((x + y) / 2, x), ((x + y) / 2, y)), [Convex(h)]),
    "strongly convex": (most(plane + m / 2 * square, h(y)), line, [Convex(h, m)]),
    "monotone": (most(m * square, dot(h.gradient(y) - h.gradient(x), way)),
                 tangent_plane((x, y), (y, x)), [Convex(h, m)]),
    "a matrix as bound": (most(plane + Trace(way.T * S * way) / 2, h(y)), line,
                          [ForAllMatrices(z, Loewner(h.hessian(z), S))]),
    "along a line": (equal(along(h(x + t * v), (t, 1)), dot(h.gradient(x + t * v), v)),
                     trace_algebra),
    "second derivative": (
        equal(along(dot(a, h.gradient(x)), (x, v)), Trace(a.T * h.hessian(x) * v)),
        trace_algebra),
    "along a sum": (equal(h(x + y) * t, t * h(y + x)), trace_algebra),
}  # fmt: skip


@pytest.mark.parametrize("name", STEIN)
def test_stein_s_lemma_is_proved(name):
    found = verdict(equal(*STEIN[name]), stein(g))
    assert found.accepted, found.failure
    assert "stein-lemma-of-matrices" in found.axioms
    assert not any("unchecked" in axiom for axiom in found.axioms)


@pytest.mark.parametrize("name", PROVED)
def test_claims_on_functions_of_vectors_are_proved(name):
    found = verdict(*PROVED[name])
    assert found.accepted, found.failure
    assert not any("unchecked" in axiom for axiom in found.axioms)


def test_stein_s_lemma_of_a_matrix():
    f = h(X * B * a)
    left = MatrixMean(Trace(B * X) * f, (X, S, R))
    right = MatrixMean(Trace(B * S * h.gradient(X * B * a) * a.T * B.T * R * B), (X, S, R))
    # The derivative along S B' R is that of the vector X B a.
    wanted = MatrixMean(dot(h.gradient(X * B * a), S * B.T * R * B * a), (X, S, R))
    found = verdict(equal(left, wanted), stein(X))
    assert found.accepted, found.failure
    assert not verdict(equal(left, right), stein(X)).accepted


# Ten or more false variants of each; every one is contradicted by functions that are told.
WRONG_STEIN = {
    "no covariance": (mean(dot(a, g) * h(g)), mean(dot(a, slope))),
    "covariance twice": (mean(dot(a, g) * h(g)), mean(dot(a, S * S * slope))),
    "sign": (mean(dot(a, g) * h(g)), -mean(dot(a, S * slope))),
    "lost trace": (white(dot(g, g) * h(g)), white(dot(g, slope))),
    "1 for d": (white(dot(g, g) * h(g)), white(h(g)) + white(dot(g, slope))),
    "product of means": (mean(dot(a, g) * h(g)), mean(dot(a, g)) * mean(h(g))),
    "other function": (mean(dot(a, g) * h(g)), mean(dot(a, S * k.gradient(g)))),
    "square": (mean(dot(a, g) * h(g) ** 2), mean(h(g) * dot(a, S * slope))),
    "other vector": (mean(dot(a, g) * h(g)), dot(a, S * h.gradient(x))),
    "one covariance": (mean(dot(a, g) * dot(b, g) * h(g)),
                       Trace(a.T * S * b) * mean(h(g)) + mean(Trace(a.T * bend * S * b))),
    "inner factor": (mean(dot(a, g) * h(A * g)), mean(dot(a, S * h.gradient(A * g)))),
    "transposed": (mean(dot(a, g) * h(A * g)), mean(Trace(a.T * S * A * h.gradient(A * g)))),
}  # fmt: skip
WRONG_POINCARE = {
    "no covariance": (variance(h(g)), mean(LENGTH)),
    "half": (variance(h(g)), mean(dot(slope, S * slope)) / 2),
    "second moment": (mean(h(g) ** 2), mean(dot(slope, S * slope))),
    "mean of the gradient": (variance(h(g)), mean(dot(a, slope)) ** 2),
    "covariance squared": (variance(h(g)), mean(dot(slope, S * S * slope))),
    "other function": (variance(h(g)), mean(dot(k.gradient(g), S * k.gradient(g)))),
    "inner factor": (variance(h(A * g), white),
                     white(dot(h.gradient(A * g), h.gradient(A * g)))),
    "plus": (mean(h(g) ** 2) + mean(h(g)) ** 2, mean(dot(slope, S * slope))),
    "inverse": (mean(dot(slope, S * slope)), variance(h(g))),
    "values": (variance(h(g)), mean(h(g) ** 2) / 2),
    "standard deviation": (variance(h(g)), mean(h(g)) ** 2),
}  # fmt: skip
smooth, convex, strong = [Smooth(h, L)], [Convex(h)], [Convex(h, m), Gt(m, 0)]
WRONG_PLANE = {
    "a quarter": (h(y), plane + L / 4 * square, smooth),
    "below by 0": (plane, h(y), smooth),
    "no gradient": (h(y), h(x) + L / 2 * square, smooth),
    "gradient at the end": (h(y), h(x) + dot(h.gradient(y), way) + L / 4 * square, smooth),
    "sign of the gradient": (h(y), h(x) - dot(h.gradient(x), way) + L / 2 * square, smooth),
    "linear": (h(y), plane, smooth),
    "other function": (k(y), k(x) + dot(k.gradient(x), way) + L / 2 * square, smooth),
    "length of x": (h(y), plane + L / 2 * dot(x, x), smooth),
    "upper bound alone": (plane - L / 2 * square, h(y),
                          [ForAllMatrices(z, Loewner(L * unit, h.hessian(z)))]),
    "whole step": (h(step), h(x) - eta * dot(h.gradient(x), h.gradient(x)), smooth),
    "whole step of one over the bound": (h(full_step), h(x) - down / M, [Smooth(h, M)]),
    "step that is one over the bound": (h(step), h(x) - down / M, [Smooth(h, M), Eq(eta, 1 / M)]),
    "uphill": (h(x + eta * h.gradient(x)), h(x), smooth),
    "reversed": (h(y), plane, convex),
    "strong from convex": (plane + m / 2 * square, h(y), [Convex(h), Gt(m, 0)]),
    "whole modulus": (plane + m * square, h(y), strong),
    "convex, gradient at the end": (h(x) + dot(h.gradient(y), way), h(y), convex),
    "no tangent": (h(x), h(y), convex),
    "concave": (plane, h(y), [ForAllMatrices(z, Loewner(-h.hessian(z)))]),
    "at one point": (plane, h(y), [Loewner(h.hessian(x))]),
    "convex, other function": (k(x) + dot(k.gradient(x), way), k(y), convex),
    "twice monotone": (2 * m * square, dot(h.gradient(y) - h.gradient(x), way), strong),
    "trace of the Hessian": (plane, h(y), [ForAllMatrices(z, Ge(Trace(h.hessian(z)), 0))]),
    "middle": (h(x) / 2 + h(y) / 2, h((x + y) / 2), convex),
}  # fmt: skip
bounded = Lipschitz(h, K)
WRONG_AVERAGED = {
    "first power": (white(LENGTH), K),
    "half": (white(LENGTH), K**2 / 2),
    "other function": (white(dot(k.gradient(g), k.gradient(g))), K**2),
    "value": (white(h(g) ** 2), K**2),
    "covariance": (mean(dot(slope, S * slope)), K**2),
    "sum of two": (2 * white(LENGTH), K**2),
    "below": (K**2, white(LENGTH)),
    "one direction": (white(dot(a, slope)), K),
    "fourth power": (white(LENGTH**2), K**2),
    "mean value": (white(h(g)), K),
}
WRONG_PROVED = {
    "size": (most(mean((h(g) - h(origin)) ** 2), K**2 * d), "averaged change"),
    "second moment": (most(mean(h(g) ** 2), K**2 * Trace(S)), "averaged change"),
    "turned": (most(mean(h(g)), h(origin)), "averaged plane"),
    "quarter": (most(mean(h(g)), h(origin) + L / 4 * Trace(S)), "averaged parabola"),
}


@pytest.mark.parametrize("name", WRONG_STEIN)
def test_false_variants_of_stein_s_lemma_are_contradicted(name):
    is_contradicted(verdict(equal(*WRONG_STEIN[name]), stein(g)))


@pytest.mark.parametrize("name", WRONG_POINCARE)
def test_false_variants_of_poincare_s_inequality_are_contradicted(name):
    left, right = WRONG_POINCARE[name]
    of = h(A * g) if name == "inner factor" else h(g)
    is_contradicted(verdict(most(left, right), poincare(of)))


@pytest.mark.parametrize("name", WRONG_PLANE)
def test_false_variants_beside_a_tangent_plane_are_contradicted(name):
    left, right, given = WRONG_PLANE[name]
    is_contradicted(verdict(most(left, right), tangent_plane((x, y), (y, x)), given))


def test_a_number_that_a_hypothesis_gives_has_its_declared_sign():
    """L - L^2 is positive for L below 1 alone."""
    given = [Smooth(h, M), Eq(eta, M - M**2)]
    found = verdict(most(h(step), h(x) - eta * down), tangent_plane((x, step)), given)
    is_contradicted(found)
    numbers = dict(re.findall(r"(M|eta) = ([\d/]+)", found.failure))
    assert Rational(numbers["eta"]) == Rational(numbers["M"]) - Rational(numbers["M"]) ** 2


@pytest.mark.parametrize("name", WRONG_AVERAGED)
def test_false_variants_of_averaged_bounds_are_contradicted(name):
    is_contradicted(verdict(most(*WRONG_AVERAGED[name]), averaged(bounded, g), [bounded]))


@pytest.mark.parametrize("name", WRONG_PROVED)
def test_false_variants_of_averaged_proofs_are_contradicted(name):
    statement, of = WRONG_PROVED[name]
    is_contradicted(verdict(statement, *PROVED[of][1:]))


REFUSED = {
    "no mean": (equal(h(x), h(x) + 0 * t), stein(g), [], "there is no mean over g"),
    "exponential": (most(variance(exp(h(g))), mean(LENGTH)), poincare(exp(h(g))), [],
                    "no value in coordinates for exp"),
    "slope of a Hessian": (most(variance(Trace(bend)), 100 * variance(Trace(bend))),
                           poincare(Trace(bend)), [], "random vector has no derivative"),
    "no bound": (most(h(x), h(x) + square), line, [], "no hypothesis bounds a Hessian"),
    "no hypothesis": (most(-white(LENGTH), K**2), averaged(bounded, g), [],
                      "the bound is no hypothesis"),
    "hypothesis on the letter": (most(mean(dot(a, g)), 1), averaged(
        chain(dot(a, g)).le(1, by=algebra), g), [Le(dot(a, g), 1)], "no proof was found"),
    "third derivative": (equal(along(Trace(A * h.hessian(x)), (x, v)),
                               along(Trace(h.hessian(x) * A), (x, v))), algebra, [],
                         "a derivative is not known to be defined"),
    "other vectors": (equal(h(x), h(2 * x)), trace_algebra, [], "fails at"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_rule_is_refused_in_words(name):
    statement, by, given, said = REFUSED[name]
    found = verdict(statement, by, given)
    assert not found.accepted
    assert said in found.failure


def test_hypotheses_by_name():
    assert str(Convex(h)) == "hess(h, z) is positive semidefinite for all z"
    assert Lipschitz(h, K, v) == ForAllMatrices(v, Le(dot(h.gradient(v), h.gradient(v)), K**2))
    assert len(Smooth(h, L).statement.args) == len(Bounded(h, L).statement.args) == 2
    assert PolyakLojasiewicz(h, m, t).letter == z
    for make, said in (
        (lambda: Increasing(h), "not smaller or larger"),
        (lambda: Lipschitz(h, t), "may be negative"),
        (lambda: Convex(h, variable=X), "a vector of size d"),
        (lambda: Convex(h, dot(z, z)), "must not depend on z"),
        (lambda: averaged(h, g), "takes a ForAllMatrices"),
        (lambda: averaged(bounded, t), "the matrix that is random"),
        (lambda: averaged(chain(t).le(t, by=algebra), 2 * x), "over a letter made by matrix"),
        (lambda: tangent_plane(), "pairs of vectors"),
        (lambda: tangent_plane((x, X)), "pairs of vectors of one size"),
        (lambda: stein(g, t), "not both"),
    ):
        with pytest.raises(ProofError, match=said):
            make()
