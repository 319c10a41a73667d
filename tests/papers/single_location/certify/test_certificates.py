"""What is certified is so, as far as numbers by other ways can tell."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from sympy import diff, erf, simplify, sympify

from slrsym.balls.boxes import parse_task_ranges
from slrsym.balls.branch_and_bound import Budget, prove_positive
from slrsym.kernels import zeta
from slrsym.kernels.compile import numpy_function
from slrsym.kernels.symbolic_functions import DifferenceFromErf
from slrsym.papers.single_location import certify
from slrsym.papers.single_location.certify.manifold_functions import (
    derivative_symbol_definitions,
    is_step_matrix_from_angle_hessian,
    planar_map,
    risk_first_derivatives,
)
from slrsym.papers.single_location.certify.statements import KINDS
from slrsym.papers.single_location.notation import alpha as alpha_symbol
from slrsym.papers.single_location.notation import d as d_symbol
from slrsym.papers.single_location.notation import gamma as gamma_symbol
from slrsym.papers.single_location.notation import kappa, lam, nu
from slrsym.papers.single_location.paper_risk import excess_risk, gradient, hessian
from slrsym.papers.single_location.task import Task
from slrsym.prover.certificates.certificate import CertificateError, load
from tests._profile import thorough, thorough_cases, thorough_only

TASK = Task(400, 10, math.sqrt(0.5))
SHOWN = certify.CertificateOutcome.SHOWN


def planar(points, alpha, at=0.1):
    """Lemma 7, by the gradient of the risk."""
    slopes, stretch = gradient(on_manifold(points), at, TASK)[..., :2], 1 - points**2
    return (points - alpha * slopes * stretch) / np.sqrt(1 + alpha**2 * slopes**2 * stretch)


def jacobian(at, alpha, h=1e-6):
    """Of the planar map, by differences."""
    columns = [(planar(at + e, alpha) - planar(at - e, alpha)) / (2 * h) for e in h * np.eye(2)]
    return np.stack(columns, axis=-1)


def on_manifold(points):
    return np.concatenate([points, np.zeros((*points.shape[:-1], 3))], axis=-1)


# -- step sizes --------------------------------------------------------------------------------


# A step size is looked for at three other tasks.
@thorough_only
def test_the_step_size_is_nearly_what_a_grid_allows(best):
    assert best.verdict is SHOWN
    assert best.fraction_of_grid > 0.999
    assert 0.3 < best.alpha < best.refuted_alpha < 0.307
    assert certify.check(best.certificate).verdict is SHOWN
    assert certify.check(best.refuted).verdict is certify.CertificateOutcome.REFUTED
    assert 0.3 * best.alpha < float(best.closed_form) < best.alpha


@thorough_only
def test_at_a_large_lambda_the_step_size_is_small():
    found = certify.alpha_bar("0.9", "sqrt(1/2)", 400)
    assert 0.009 < found.alpha < found.refuted_alpha < 0.01
    assert found.fraction_of_grid > 0.99


def test_the_risk_falls_by_what_is_certified(best):
    rng = np.random.default_rng(1)
    points = rng.uniform(-1, 1, (5000, 2))
    for part in (1.0, 0.3, 0.01):
        alpha = float(best.alpha) * part
        before = excess_risk(on_manifold(points), 0.1, TASK)
        after = excess_risk(on_manifold(planar(points, alpha)), 0.1, TASK)
        slope = gradient(on_manifold(points), 0.1, TASK)[..., :2] * np.sqrt(1 - points**2)
        fall = float(best.descent_factor_text) * (slope * np.arctan(alpha * slope)).sum(axis=-1)
        assert (after - before <= -fall + 1e-14).all()
        # And not by much more everywhere: the bound is one of this problem.
        assert ((before - after) < 30 * fall).any()


def test_the_conditions_are_those_of_the_map(best):
    alpha = float(best.alpha)
    points = np.random.default_rng(2).uniform(-0.99, 0.99, (500, 2))
    matrices = jacobian(points, alpha)
    field = KINDS["alpha"].parts({})[0].field
    values = numpy_function(field.value_program)(
        points, 0.1, TASK.gamma, 400.0, alpha, 1.0, 0.0, 1.0
    )
    norms = 2 - values[..., 5:7]
    scale = values[..., :2] / norms**1.5
    np.testing.assert_allclose(matrices[:, 0, 0], scale[:, 0] * values[..., 2], atol=1e-8)
    np.testing.assert_allclose(matrices[:, 1, 1], scale[:, 1] * values[..., 3], atol=1e-8)
    determinant = scale.prod(axis=-1) * values[..., 4]
    np.testing.assert_allclose(np.linalg.det(matrices), determinant, atol=1e-8)
    assert (np.linalg.det(matrices) > 0).all()
    small, large = np.sort(np.linalg.eigvals(jacobian(np.zeros(2), alpha)))
    # The step size is so near the limit that the smaller one is nearly 0.
    assert 0 < small < 1e-4
    assert large > 1.2


def test_the_map_is_not_injective_beyond(best):
    """The Jacobian determinant of the map itself is negative at the point that refutes."""
    ((x, _), (y, _)) = best.refuted.counterexample.point
    at = np.array([float(fmpq(x)), float(fmpq(y))])
    assert np.linalg.det(jacobian(at, float(best.refuted_alpha), 1e-5)) < 0


@pytest.mark.parametrize("seed", range(4))
def test_the_closed_form_is_a_step_size(seed):
    rng = np.random.default_rng(seed)
    task = (*np.exp(rng.uniform(np.log(0.02), np.log(2), 2)), float(rng.integers(2, 1000)))
    step = certify.closed_form_step_size(*task)
    assert certify.certify_step_size(*task, step).verdict is SHOWN
    assert float(step) < certify.grid_step_size(*task, count=41)


@pytest.mark.parametrize("digits", [-1, 0, 9, 30.5])
def test_the_closed_form_needs_digits(digits):
    said = f"digits must be an integer of at least 10; got {digits}"
    with pytest.raises(ValueError, match=said):
        certify.closed_form_step_size("0.1", "1", 10, digits)


WIDE = [
    ("0.1..0.2", "sqrt(1/2)", "400"),
    ("0.05..0.1", "sqrt(1/2)", "400"),
    ("0.1", "sqrt(1/2)", "50..400"),
    ("0.1", "0.5..1", "400"),
    ("1e-6..1e6", "0.01..100", "2..1e6"),
]


@pytest.mark.parametrize("task", WIDE)
def test_the_closed_form_serves_all_of_a_range(task):
    step = float(certify.closed_form_step_size(*task))
    rng = np.random.default_rng(0)
    bounds = [[float(x.low), float(x.high)] for x in parse_task_ranges(*task).values()]
    inside = [tuple(np.exp(rng.uniform(*np.log(bounds).T))) for _ in range(20)]
    least = min(float(certify.closed_form_step_size(*at)) for at in inside)
    assert 0 < step <= least


@thorough_cases("task3")
@pytest.mark.parametrize("task", WIDE[:4])
def test_a_step_size_is_looked_for_over_a_wide_range(task):
    found = certify.alpha_bar(*task, tolerance=0.9, max_boxes=50_000)
    assert found.verdict is SHOWN
    assert float(found.closed_form) < found.alpha <= found.grid
    assert certify.check(found.certificate).verdict is SHOWN


@thorough_only
def test_a_range_of_parameters(tmp_path):
    found = certify.alpha_bar("0.09..0.11", "sqrt(1/2)", 400)
    assert found.verdict is SHOWN
    # At 0.11 alone the limit is 0.26262.
    assert 0.9 * 0.26262 < found.alpha < 0.26263
    found.certificate.save(tmp_path / "range.json")
    assert certify.check(tmp_path / "range.json").verdict is SHOWN


def test_the_map_is_the_one_of_lemma_7():
    step = planar_map()
    new = dict(zip(("kappa", "nu"), step.new, strict=True))
    R, c = sympify("R_kappa"), 1 - kappa**2
    lemma = (kappa - alpha_symbol * R * c) / (1 + alpha_symbol**2 * R**2 * c) ** sympify("1/2")
    full = derivative_symbol_definitions()
    ours = new["kappa"].xreplace({x: value for x, value in full.items() if "c_" in x.name})
    ours = ours.subs({symbol: R for symbol in ours.free_symbols if symbol.name == "R_kappa"})
    assert simplify(ours - lemma) == 0
    # Its Jacobian matrix, by differentiation with the slopes put in.
    at = {kappa: 0.3, nu: -0.4, lam: 0.1, gamma_symbol: 0.7, d_symbol: 400, alpha_symbol: 0.2}

    def spelled(expr):
        while expr.free_symbols & full.keys():
            expr = expr.xreplace(full)
        return expr

    def number(expr):
        expr = spelled(expr).replace(DifferenceFromErf, lambda x, y: x - erf(y))
        return float(expr.subs(at))

    for i, name in enumerate(("kappa", "nu")):
        for j, x in enumerate((kappa, nu)):
            slope = number(diff(spelled(new[name]), x))
            assert slope == pytest.approx(number(step.jacobian[i][j]), rel=1e-9)
    assert is_step_matrix_from_angle_hessian()


# -- fixed points ------------------------------------------------------------------------------


def test_there_are_five_fixed_points(five_points):
    assert five_points.verdict is SHOWN
    assert five_points.numbers["count"] == 5
    ((wide, narrow),) = five_points.pieces[0]["square"].zeros
    assert all(low < 0 < high for low, high in (*wide, *narrow))
    assert max(float(high - low) for low, high in narrow) < 1e-12


@pytest.mark.parametrize(
    "task", [("2", "sqrt(1/2)", 80), ("0.001", "3", 2), thorough(("1", "0.1", 5000))]
)
def test_five_elsewhere(task):
    assert certify.certify_fixed_points(*task).numbers["count"] == 5
    assert certify.certify_classification(*task).verdict is SHOWN


def test_five_for_a_box_of_parameters(tmp_path):
    found = certify.certify_fixed_points("0.1..0.12", "0.6..0.7", "300..400")
    assert found.verdict is SHOWN
    assert found.numbers["count"] == 5
    again = load_again(found, tmp_path)
    assert again == found
    assert certify.check(again).verdict is SHOWN
    kinds = certify.certify_classification("0.1..0.12", "0.6..0.7", "300..400")
    assert kinds.verdict is SHOWN


def load_again(certificate, folder):
    certificate.save(folder / "saved.json")
    found = load(folder / "saved.json")
    # The time is rounded in the file.
    return type(found)(**{**vars(found), "seconds": certificate.seconds})


def test_certificates_come_back_from_their_files(small_step, kinds, rates, best, tmp_path):
    for certificate in (small_step, kinds, rates.certificate, best.refuted):
        assert load_again(certificate, tmp_path) == certificate


# -- rates -------------------------------------------------------------------------------------


def test_the_rates_are_those_of_the_map(rates):
    assert rates.verdict is SHOWN
    for x, (low, high) in ((0, rates.kappa_rate), (1, rates.nu_rate)):
        h = 1e-4
        point = np.ones(2)
        point[x] -= h
        rate = 1 - (1 - planar(point, 0.004)[x]) / h
        assert rate == pytest.approx(float(low), rel=1e-2)
        assert 0 < high - low < low * 1e-6
    assert 80 < rates.time_ratio < 100


def test_the_box_is_contracted(rates):
    size = float(rates.contracted_box_side)
    rng = np.random.default_rng(3)
    a, b = 1 - size * rng.uniform(0, 1, (2, 2000, 2))
    before = np.abs(a - b).max(axis=-1)
    after = np.abs(planar(a, 0.004) - planar(b, 0.004)).max(axis=-1)
    assert (after <= float(rates.lipschitz_factor) * before + 1e-15).all()


def test_kappa_waits_for_lambda_to_fall():
    """Figure 4a: at lambda = 1 kappa does not move at all at the oracle, at 0.1 it does."""
    slow = certify.certify_local_rates("1", "sqrt(1/2)", 400, "0.004")
    assert slow.verdict is SHOWN
    assert slow.kappa_rate[1] < 1e-59
    assert 0.007 < slow.nu_rate[0] < slow.nu_rate[1] < 0.009


# -- enclosures --------------------------------------------------------------------------------

BOX = {"kappa": ("0.4", "0.5"), "nu": (0, "0.125"), "theta": ("0.1", "0.2"), "rho": ("-0.1", 0)}
PARAMETERS = {"lam": "0.1", "gamma": "sqrt(1/2)", "d": 400, "L": 10}


@pytest.mark.parametrize(
    ("quantity", "function"),
    [
        ("risk", lambda x: excess_risk(x, 0.1, TASK)[..., None]),
        ("gradient", lambda x: gradient(x, 0.1, TASK)),
        thorough("hessian", lambda x: hessian(x, 0.1, TASK)[..., *np.triu_indices(5)]),
    ],
)
def test_enclosures_hold_and_are_tight(quantity, function, tmp_path):
    found = certify.enclosure(quantity, BOX, tolerance=0.2, **PARAMETERS)
    assert found.verdict is SHOWN
    ends = [tuple(map(float, BOX.get(x, (0, 0)))) for x in ("kappa", "nu", "theta", "eta", "rho")]
    rng = np.random.default_rng(4)
    points = np.stack([rng.uniform(*end, 3000) for end in ends], axis=-1)
    values = function(points)
    assert values.shape[-1] == len(found.bounds)
    for value, (low, high) in zip(values.T, found.bounds.values(), strict=True):
        assert low - 1e-12 <= value.min() <= value.max() <= high + 1e-12
        assert high - low <= 2 * (value.max() - value.min()) + 1e-20
    again = load_again(found.certificate, tmp_path)
    assert certify.check(again).verdict is SHOWN


def test_zeta_is_enclosed_for_ranges_of_s():
    found = certify.enclosure("zeta", {"t": ("-1", "2")}, s="0.3..0.4")
    t, s = np.meshgrid(np.linspace(-1, 2, 50), np.linspace(0.3, 0.4, 11))
    low, high = found.bounds["zeta"]
    assert low <= zeta(t, s).min() <= zeta(t, s).max() <= high
    assert found.verdict is SHOWN


def test_arguments_of_enclosures():
    with pytest.raises(ValueError, match="quantity must be one of risk"):
        certify.enclosure("loss", {}, **PARAMETERS)
    with pytest.raises(ValueError, match="box must be of kappa, nu"):
        certify.enclosure("risk", {"t": 1}, **PARAMETERS)
    with pytest.raises(ValueError, match="parameters must be lam, gamma"):
        certify.enclosure("risk", BOX, lam="0.1")
    with pytest.raises(ValueError, match="kappa must be a rational number"):
        certify.enclosure("risk", {"kappa": "a half"}, **PARAMETERS)


# -- the machinery -----------------------------------------------------------------------------


def test_precision_is_left_as_it_was(five_points):
    before = ctx.prec
    certify.certify_fixed_points("0.2", "1", 10, digits=50)
    certify.check(five_points)
    certify.closed_form_step_size("0.1", "1", 10)
    assert ctx.prec == before


class Strange:
    """Functions on boxes that give what they are told to."""

    dps = 30

    def __init__(self, value):
        self.value = value

    def natural_enclosure(self, box):
        return [self.value]

    centred_enclosure = natural_enclosure

    def jacobian_enclosure(self, box):
        return [self.value], [[arb(1)] * len(box)]


def test_what_is_no_number_shows_nothing():
    square = ((fmpq(-1), fmpq(1)),) * 2
    for value in (arb("nan"), arb(0, "inf"), arb(0)):
        found = prove_positive(Strange(value), square, Budget(30))
        assert not found.is_complete
        assert not found.margins
    assert prove_positive(Strange(arb(0, "inf")), square, Budget(30)).counterexample is None
    assert prove_positive(Strange(arb("nan")), square, Budget(30)).counterexample is None


def test_a_certificate_says_what_its_kind_says(five_points, tmp_path):
    file = tmp_path / "five.json"
    five_points.save(file)
    assert certify.check(file).accepted
    data = json.loads(file.read_text())
    said = data["statement"]
    for other in (
        said.replace("exactly", "at least") + " And more.", "", said + " ", " " + said,
        said[:-1], said.upper(), said * 2, said.replace("five", "six").replace("5", "6") + ".",
        "Everything is shown.", said[::-1],
    ):  # fmt: skip
        assert other != said
        file.write_text(json.dumps({**data, "statement": other}))
        with pytest.raises(certify.CertificateError, match="a certificate of its kind says"):
            certify.check(file)


def test_what_is_listed_as_undecided_is_what_the_trees_leave_open(five_points):
    found = certify.certify_step_size("0.1", "sqrt(1/2)", 400, "0.3", max_boxes=60)
    assert certify.check(found).accepted
    first, *rest = found.undecided
    fewer = replace(first, boxes=first.boxes + 1)
    for listed in ((), rest, (*found.undecided, first), (fewer, *rest)):
        refusal = certify.check(replace(found, undecided=tuple(listed))).refusal
        assert "undecided is not what its trees leave open" in refusal or "margins" in refusal
    shown = certify.check(replace(five_points, undecided=(first,)))
    assert "undecided is not what its trees leave open" in shown.refusal


def test_budgets_are_kept():
    found = certify.certify_step_size("0.1", "sqrt(1/2)", 400, "0.3", max_boxes=60)
    assert found.verdict is certify.CertificateOutcome.UNDECIDED
    assert found.visited <= 60
    assert 0 < sum(part.share for part in found.undecided if part.part == "square") < 1
    with pytest.raises(ValueError, match="max_boxes must be an integer of at least 1; got 0"):
        certify.certify_fixed_points("0.1", "1", 10, max_boxes=0)
    with pytest.raises(ValueError, match="seconds must be positive; got -1"):
        certify.certify_fixed_points("0.1", "1", 10, seconds=-1)
    with pytest.raises(ValueError, match="tolerance must lie between 0 and 1; got 2"):
        certify.alpha_bar("0.1", "1", 10, tolerance=2)


def test_a_map_that_does_not_contract():
    with pytest.raises(ValueError, match="alpha must be such that the map contracts"):
        certify.certify_local_rates("0.1", "sqrt(1/2)", 400, "5")


def test_files_that_are_no_certificates(tmp_path):
    file = tmp_path / "file.json"
    for text in ("", "[]", "{}", json.dumps({"format": "slrsym certificate 1"}), "\x00\xff"):
        file.write_text(text)
        with pytest.raises(CertificateError, match="certificate"):
            certify.check(file)
    with pytest.raises(CertificateError, match="cannot be read"):
        certify.check(tmp_path / "missing.json")


def test_slopes_are_products():
    in_kappa, in_nu = risk_first_derivatives()
    assert in_kappa.is_Mul
    assert not in_nu.has(nu)
