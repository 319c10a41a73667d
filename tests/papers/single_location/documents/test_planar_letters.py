"""Letters for the planar map, and products within products."""

import pytest
from sympy import Derivative, Eq, Integer, Le, Symbol, sqrt, symbols

from slrsym.documents.export.shorthand import multiplicity_and_quotient
from slrsym.papers.single_location.documents.abbreviations import (
    choose_abbreviations,
    with_planar_letters,
)
from slrsym.papers.single_location.notation import alpha, d, gamma, kappa, lam, nu
from slrsym.papers.single_location.planar import C, R_kappa, R_nu, kappa2, kappa_next, nu2, nu_next

x, y, z = symbols("x y z", positive=True)


def written(*shown):
    shorthand = with_planar_letters(choose_abbreviations(shown), shown)
    return shorthand, [str(shorthand(e)) for e in shown]


def test_where_a_step_goes_has_a_letter():
    _, (stays, square) = written(Le(kappa_next, 1), Eq(nu_next**2, 1, evaluate=False))
    assert stays == "kappa_+ <= 1"
    assert square == "Eq(nu_+**2, 1)"


def test_letters_are_found_within_products():
    product = -2 * alpha * lam * sqrt(d / 2) * kappa_next * nu_next
    _, (text,) = written(product)
    assert "kappa_+" in text
    assert "nu_+" in text
    assert "erf" not in text


def test_derivatives_of_a_letter_are_not_taken_for_0():
    slope = Derivative(kappa_next, nu, evaluate=False)
    shorthand, (text, _) = written(slope, alpha * C)
    assert text == "Derivative(kappa_+, nu)"
    letter = Symbol("kappa_+", real=True)
    assert shorthand.meaning(letter) == kappa_next


def test_the_second_point_has_letters_of_its_own():
    there = nu_next.subs({kappa: kappa2, nu: nu2}, simultaneous=True)
    _, (text,) = written(nu_next - there)
    assert text == "nu_+ - nu_2+"


def test_constants_and_slopes():
    slopes = R_kappa(kappa, nu) * R_nu(kappa)
    _, (hypothesis, here, _) = written(alpha * C < 1, slopes, kappa_next * nu_next)
    assert hypothesis == "C*alpha < 1"
    assert here == "R_kappa*R_nu"


def test_a_claim_of_no_step_keeps_its_formulas():
    _, (text,) = written(R_kappa(kappa, nu) - R_nu(kappa))
    assert "R_" not in text


def test_letters_that_a_claim_uses_are_left_to_it():
    own = Symbol("kappa_+", real=True)
    shorthand, _ = written(kappa_next - own, alpha * gamma)
    assert own not in shorthand.letters


@pytest.mark.parametrize(
    ("product", "value", "count", "rest"),
    [
        (x**2 * y**3 * z, x * y, 2, y * z),
        (6 * x * y, 2 * x * y, 1, Integer(3)),
        (x * y / z, x / z, 1, y),
        (sqrt(2) * x * y, x * y, 0, None),
        (sqrt(2) * x * y * sqrt(z), x * y, 1, sqrt(2) * sqrt(z)),
        (x * z, x * y, 0, None),
        (x * y / z, x * z, 0, None),
        (x**2, x, 0, None),
    ],
)
def test_products_within_products(product, value, count, rest):
    found, left = multiplicity_and_quotient(product, value)
    assert found == count
    assert left == (product if rest is None else rest)
    assert (left * value**count - product).expand() == 0
