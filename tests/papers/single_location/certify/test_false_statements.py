"""Statements that are false: each is refuted, refused or left undecided, and none is shown."""

import copy
import json
from fractions import Fraction

import pytest
from flint import arb

from slrsym.balls.boxes import parse_parameter_range, parse_task_ranges
from slrsym.balls.branch_and_bound import Budget
from slrsym.papers.single_location import certify
from slrsym.papers.single_location.certify.statements import KINDS
from slrsym.prover.certificates.certificate import CertificateError
from slrsym.prover.certificates.certificate_search import certify as search
from tests._profile import thorough, thorough_only

SHOWN = certify.CertificateOutcome.SHOWN


def checked(data, folder):
    """The verdict of the verifier on a file with these data, or None if it is refused."""
    file = folder / "certificate.json"
    file.write_text(json.dumps(data))
    try:
        found = certify.check(file)
    except CertificateError:
        return None
    assert found.accepted or found.refusal
    return found.verdict if found.accepted else None


# -- steps that are too long -------------------------------------------------------------------


def least_limit(lam, gamma, d):
    """One over the positive eigenvalue of the Hessian at the origin: no step may be longer."""
    x, g, n = (float(Fraction(value)) for value in (lam, gamma, d))
    s = x * g
    b = x * (n / 2) ** 0.5 / (1 + 2 * s * s) ** 0.5
    pi = float(arb.pi())
    p, q = 8 * g * g * b * b / (pi * (1 + 4 * s * s) ** 0.5), 4 * g * g * b / pi**0.5
    return 1 / (p / 2 + ((p / 2) ** 2 + q * q) ** 0.5)


@pytest.mark.parametrize("excess", ["1.000001", "1.01", "3", "1000"])
@pytest.mark.parametrize(
    "task", [("0.1", "0.7", 400), ("0.9", "0.5", 400), ("0.01", "2", 50), ("3", "1", 30)]
)
def test_a_step_that_is_too_long(task, excess):
    alpha = f"{least_limit(*task) * float(excess):.12e}"
    found = certify.certify_step_size(*task, alpha, max_boxes=2000)
    assert found.verdict is certify.CertificateOutcome.REFUTED
    assert certify.check(found).accepted


def test_a_step_that_is_too_long_for_a_part_of_the_range():
    # The limit is 0.306 at 0.1, and 0.26 at 0.11.
    found = certify.certify_step_size("0.1..0.11", "sqrt(1/2)", 400, "0.28", max_boxes=2000)
    assert found.verdict is certify.CertificateOutcome.REFUTED


@thorough_only
def test_a_step_just_above_a_limit_inside_of_the_square():
    # At 0.9 the limit, 0.0093794, is reached near the side nu = 1, not at the origin.
    assert least_limit("0.9", "0.70710678", 400) > 0.0094
    for alpha in ("0.00939", "0.00938"):
        found = certify.certify_step_size("0.9", "sqrt(1/2)", 400, alpha, max_boxes=2000)
        assert found.verdict is not SHOWN


# -- files that were changed -------------------------------------------------------------------


def square(data):
    return data["pieces"][0]["square"]


def all_of(*changes):
    return lambda data: [change(data) for change in changes]


def tree(changed):
    return lambda data: square(data).update(tree=changed(square(data)["tree"]))


def boxes(more):
    return lambda data: data.update(boxes=data["boxes"] + more)


def setting(*path, to):
    """Set an entry of an entry ... of the data."""

    def change(data):
        for part in path[:-1]:
            data = data[part]
        data[path[-1]] = to

    return change


def without(*path):
    def change(data):
        for part in path[:-1]:
            data = data[part]
        del data[path[-1]]

    return change


def refuted_at(*point):
    def change(data):
        where = {"parameters": data["parameters"], "part": "square", "point": list(point)}
        data.update(verdict="refuted", counterexample=where)

    return change


QUARTER = [["-1/4", "1/4"], ["-1/4", "1/4"]]
CHANGES = {
    "a leaf is missing": tree(lambda marks: marks[:-1]),
    "the tree is empty": tree(lambda marks: ""),
    "a leaf is there twice": all_of(tree(lambda marks: marks + "."), boxes(1)),
    "leaves overlap: a leaf is followed by its halves": tree(lambda marks: "." + marks),
    "the cuts are left out": tree(lambda marks: "."),
    "the cuts are left out, and so is their number": all_of(
        tree(lambda marks: "."), setting("boxes", to=2)
    ),
    "an axis that is not there": tree(lambda marks: "7" + marks[1:]),
    "the other axis is cut first": tree(lambda marks: marks.translate(str.maketrans("01", "10"))),
    "all leaves are said to be clear at a glance": tree(lambda marks: marks.replace(":", ".")),
    "a leaf is said to lie around a zero": tree(lambda marks: marks.replace(".", "*", 1)),
    "a leaf is undecided, and all is said to be shown": tree(
        lambda marks: marks.replace(".", "?", 1)
    ),
    "marks behind the end of the tree": tree(lambda marks: marks + "."),
    "a part is missing, and its boxes are not counted": all_of(
        without("pieces", 0, "saddle"), boxes(-1)
    ),
    "the number of boxes is wrong": boxes(-1),
    "a margin is larger than it is": setting("margins", "Jacobian determinant", to="0.9"),
    "a margin is no number": setting("margins", "Jacobian determinant", to="nan"),
    "the step is longer": setting("parameters", "alpha", to=["31/100", "31/100"]),
    "the box of alpha is wider": setting("parameters", "alpha", to=["1/4", "1/3"]),
    "the box of lambda is wider": setting("parameters", "lam", to=["1/10", "1"]),
    "the box of d is wider": setting("parameters", "d", to=["400", "4000"]),
    "gamma is another": setting("parameters", "gamma", to=["2", "2"]),
    "a range goes downwards": setting("parameters", "lam", to=["1/10", "1/20"]),
    "a parameter is a float": setting("parameters", "lam", to=[0.1, 0.1]),
    "a parameter is negative": setting("parameters", "lam", to=["-1/10", "1/10"]),
    "a margin is missing": without("margins", "Jacobian determinant"),
    "a parameter is missing": without("parameters", "d"),
    "the parameters are said to be cut, and are not": setting("tree", to="0.."),
    "a piece of the parameters is missing": all_of(
        setting("parameters", "lam", to=["1/10", "11/100"]), setting("tree", to="0..")
    ),
    "a piece too many": lambda data: data.update(pieces=data["pieces"] * 2),
    "no pieces": setting("pieces", to=[]),
    "a part is missing": without("pieces", 0, "saddle"),
    "a part is another": lambda data: data["pieces"][0].update(
        saddle=data["pieces"][0].pop("square")
    ),
    "a zero where there should be none": setting(
        "pieces", 0, "square", "zeros", to=[[QUARTER, QUARTER]]
    ),
    "it is another kind": setting("kind", to="fixed-points"),
    "there is no such kind": setting("kind", to="everything"),
    "a number that does not belong to it": setting("numbers", "count", to="5"),
    "too few digits": setting("digits", to=1),
    "refuted, without a counterexample": setting("verdict", to="refuted"),
    "refuted, by a point that is none": refuted_at("0", "0"),
    "refuted, by a point outside of the square": refuted_at("5", "5"),
}


@pytest.fixture(scope="module")
def unchanged(small_step, tmp_path_factory):
    data = json.loads(json.dumps(small_step.as_dict()))
    assert checked(data, tmp_path_factory.mktemp("unchanged")) is SHOWN
    return data


@pytest.mark.parametrize("name", CHANGES)
def test_a_file_that_was_changed(name, unchanged, tmp_path):
    data = copy.deepcopy(unchanged)
    CHANGES[name](data)
    assert checked(data, tmp_path) is None


# -- zeros -------------------------------------------------------------------------------------

LEFT = [["-3/4", "-1/2"], ["-3/4", "-1/2"]]
WIDE = [["-1", "1"], ["-1", "1"]]
BEYOND = [["1/2", "3/2"], ["1/2", "3/2"]]
AROUND = [["-3/8", "3/8"], ["-3/8", "3/8"]]
TINY = [["-1/1024", "1/1024"], ["-1/1024", "1/1024"]]


@pytest.mark.parametrize(
    ("count", "part", "zeros"),
    [
        (6, None, None),
        (4, None, None),
        (6, "square", [[LEFT, LEFT]]),
        (6, "square", [[AROUND, AROUND]]),
        (6, "side nu = 1", [[LEFT[:1], LEFT[:1]]]),
        (6, "square", [[BEYOND, BEYOND]]),
        (6, "square", [[LEFT, TINY]]),
    ],
)
def test_a_sixth_fixed_point(count, part, zeros, five_points, tmp_path):
    data = json.loads(json.dumps(five_points.as_dict()))
    assert checked(data, tmp_path) is SHOWN
    data["numbers"]["count"] = str(count)
    if part is not None:
        data["pieces"][0][part]["zeros"] += zeros
    assert checked(data, tmp_path) is None


@pytest.mark.parametrize("zeros", [[], [[WIDE, WIDE]], [[AROUND, LEFT]], [[LEFT, LEFT]]])
def test_a_zero_elsewhere(zeros, five_points, tmp_path):
    data = json.loads(json.dumps(five_points.as_dict()))
    data["pieces"][0]["square"]["zeros"] = zeros
    assert checked(data, tmp_path) is None


def test_a_zero_that_is_left_out(five_points, tmp_path):
    data = json.loads(json.dumps(five_points.as_dict()))
    square = data["pieces"][0]["square"]
    # As if the whole square were seen at a glance to have none.
    data["boxes"] -= sum(not mark.isdigit() for mark in square["tree"]) - 1
    square |= {"tree": ".", "zeros": []}
    data["numbers"]["count"] = "4"
    assert checked(data, tmp_path) is None


def test_a_box_around_a_zero_that_leaves_the_square(tmp_path):
    # At so small a lambda the slopes are nearly linear, and the test for one zero holds far out.
    data = json.loads(json.dumps(certify.certify_fixed_points("0.001", "1", 10).as_dict()))
    (zero,) = data["pieces"][0]["square"]["zeros"]
    assert checked(data, tmp_path) is SHOWN
    zero[0] = [["-2", "2"], ["-2", "2"]]
    assert checked(data, tmp_path) is None


# -- wrong signs and bounds --------------------------------------------------------------------

TASK = parse_task_ranges("1/10", "sqrt(1/2)", 400, L=10, epsilon=0)


def enclosure_of(quantity, box, parameters, **bounds):
    """The search for a proof that values lie between given bounds."""
    kind = KINDS[f"enclosure-{quantity}"]
    numbers = {}
    for name in kind.numbers:
        end = name.rpartition("_")[2]
        far = {"above": -100, "below": 100}.get(end, 0)
        numbers[name] = Fraction(bounds.get(name, box.get(name, far)))
    return search(f"enclosure-{quantity}", parameters, numbers, Budget(300))


def thin(kappa, nu, width="1/4096"):
    return {
        "kappa_from": Fraction(kappa),
        "kappa_to": Fraction(kappa) + Fraction(width),
        "nu_from": Fraction(nu),
        "nu_to": Fraction(nu) + Fraction(width),
    }


@pytest.mark.parametrize(
    ("box", "bounds"),
    [
        # R_kappa has the sign of erf(b kappa / B) - nu, which changes along a curve.
        (thin("1/2", "3/4"), {"R_kappa_above": 0}),
        (thin("1/2", "1/2"), {"R_kappa_below": 0}),
        thorough(thin("0", "-1/8192"), {"R_kappa_above": 0}),
        (thin("0", "-1/8192"), {"R_kappa_below": 0}),
        (thin("-1/8192", "1/2"), {"R_nu_above": 0}),
        (thin("-1/8192", "1/2"), {"R_nu_below": 0}),
        (thin("1/2", "1/2"), {"R_nu_above": 0}),
        (thin("-1/2", "1/2"), {"R_nu_below": 0}),
        # They vanish on the manifold (Lemma 14).
        (thin("1/2", "1/2"), {"R_theta_above": 0}),
        (thin("1/2", "1/2"), {"R_rho_below": 0}),
    ],
)
def test_a_wrong_sign_on_a_thin_box(box, bounds):
    found = enclosure_of("gradient", box, TASK, **bounds)
    assert found.verdict is not SHOWN
    if found.verdict is certify.CertificateOutcome.UNDECIDED:
        assert found.undecided[0].boxes >= 1
        assert found.undecided[0].largest.startswith("[")


@pytest.mark.parametrize(
    "bounds",
    [
        {"zeta_above": "0.3"},
        {"zeta_below": "0.6"},
        {"zeta_below": "0.2169328168"},
        {"zeta_above": "0.6318907740"},
        {"zeta_above": "0.7", "zeta_below": "0.1"},
    ],
)
def test_bounds_that_zeta_exceeds(bounds):
    # From 0.21693281682... to 0.6318907739... on this interval.
    box = {"t_from": 0, "t_to": 1}
    found = enclosure_of("zeta", box, {"s": parse_parameter_range("s", "1/2")}, **bounds)
    assert found.verdict is not SHOWN


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kappa_gain", "9/100000"),
        ("nu_gain", "8/1000"),
        ("radius", "1/2"),
        ("kappa_rate_low", "9/100000"),
        ("kappa_rate_high", "8/100000"),
        ("nu_rate_high", "76/10000"),
    ],
)
def test_a_rate_that_is_not_reached(name, value, rates):
    of = rates.certificate
    wrong = search("rates", of.parameters, {**of.numbers, name: Fraction(value)}, Budget(300))
    assert wrong.verdict is not SHOWN


@pytest.mark.parametrize("kind", ["alpha", "fixed-points", "classification"])
def test_nothing_is_shown_without_looking(kind, request):
    of = request.getfixturevalue(
        {"alpha": "small_step", "fixed-points": "five_points", "classification": "kinds"}[kind]
    )
    found = search(kind, of.parameters, budget=Budget(2))
    assert found.verdict is certify.CertificateOutcome.UNDECIDED
    assert found.undecided
    assert found.visited <= 2
    assert certify.check(found).verdict is certify.CertificateOutcome.UNDECIDED
