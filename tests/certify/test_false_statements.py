"""Statements that are false: each is refuted, refused or left undecided, and none is shown."""

from __future__ import annotations

import copy
import json
from fractions import Fraction

import pytest
from flint import arb

from slrsym import certify
from slrsym.balls.boxes import parse_parameter_range, parse_task_ranges
from slrsym.balls.branch_and_bound import Budget
from slrsym.certify.certificate import CertificateError
from slrsym.certify.certificate_search import certify as search
from slrsym.certify.statements import KINDS

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


def test_a_step_just_above_a_limit_inside_of_the_square():
    # At 0.9 the limit, 0.0093794, is reached near the side nu = 1, not at the origin.
    assert least_limit("0.9", "0.70710678", 400) > 0.0094
    for alpha in ("0.00939", "0.00938"):
        found = certify.certify_step_size("0.9", "sqrt(1/2)", 400, alpha, max_boxes=2000)
        assert found.verdict is not SHOWN


# -- files that were changed -------------------------------------------------------------------


def change(name):
    def register(function):
        CHANGES[name] = function
        return function

    return register


CHANGES = {}


def square(data):
    return data["pieces"][0]["square"]


@change("a leaf is missing")
def _(data):
    square(data)["tree"] = square(data)["tree"][:-1]


@change("the tree is empty")
def _(data):
    square(data)["tree"] = ""


@change("a leaf is there twice")
def _(data):
    square(data)["tree"] += "."
    data["boxes"] += 1


@change("leaves overlap: a leaf is followed by its halves")
def _(data):
    square(data)["tree"] = "." + square(data)["tree"]


@change("the cuts are left out")
def _(data):
    square(data)["tree"] = "."


@change("the cuts are left out, and so is their number")
def _(data):
    square(data)["tree"] = "."
    data["boxes"] = 2


@change("an axis that is not there")
def _(data):
    square(data)["tree"] = "7" + square(data)["tree"][1:]


@change("the other axis is cut first")
def _(data):
    tree = square(data)["tree"]
    square(data)["tree"] = tree.translate(str.maketrans("01", "10"))


@change("all leaves are said to be clear at a glance")
def _(data):
    assert ":" in square(data)["tree"]
    square(data)["tree"] = square(data)["tree"].replace(":", ".")


@change("a leaf is said to lie around a zero")
def _(data):
    square(data)["tree"] = square(data)["tree"].replace(".", "*", 1)


@change("a leaf is undecided, and all is said to be shown")
def _(data):
    square(data)["tree"] = square(data)["tree"].replace(".", "?", 1)


@change("marks behind the end of the tree")
def _(data):
    square(data)["tree"] += "."


@change("a part is missing, and its boxes are not counted")
def _(data):
    del data["pieces"][0]["saddle"]
    data["boxes"] -= 1


@change("the number of boxes is wrong")
def _(data):
    data["boxes"] -= 1


for _said, _part, _name, _value in (
    ("a margin is larger than it is", "margins", "Jacobian determinant", "0.9"),
    ("a margin is no number", "margins", "Jacobian determinant", "nan"),
    ("the step is longer", "parameters", "alpha", ["31/100", "31/100"]),
    ("the box of alpha is wider", "parameters", "alpha", ["1/4", "1/3"]),
    ("the box of lambda is wider", "parameters", "lam", ["1/10", "1"]),
    ("the box of d is wider", "parameters", "d", ["400", "4000"]),
    ("gamma is another", "parameters", "gamma", ["2", "2"]),
    ("a range goes downwards", "parameters", "lam", ["1/10", "1/20"]),
    ("a parameter is a float", "parameters", "lam", [0.1, 0.1]),
    ("a parameter is negative", "parameters", "lam", ["-1/10", "1/10"]),
):

    @change(_said)
    def _(data, part=_part, name=_name, value=_value):
        data[part][name] = value


@change("a margin is missing")
def _(data):
    del data["margins"]["Jacobian determinant"]


@change("a parameter is missing")
def _(data):
    del data["parameters"]["d"]


@change("the parameters are said to be cut, and are not")
def _(data):
    data["tree"] = "0.."


@change("a piece of the parameters is missing")
def _(data):
    data["parameters"]["lam"] = ["1/10", "11/100"]
    data["tree"] = "0.."


@change("a piece too many")
def _(data):
    data["pieces"] *= 2


@change("no pieces")
def _(data):
    data["pieces"] = []


@change("a part is missing")
def _(data):
    del data["pieces"][0]["saddle"]


@change("a part is another")
def _(data):
    data["pieces"][0]["saddle"] = data["pieces"][0].pop("square")


@change("a zero where there should be none")
def _(data):
    box = [["-1/4", "1/4"], ["-1/4", "1/4"]]
    square(data)["zeros"] = [[box, box]]


@change("it is another kind")
def _(data):
    data["kind"] = "fixed-points"


@change("there is no such kind")
def _(data):
    data["kind"] = "everything"


@change("a number that does not belong to it")
def _(data):
    data["numbers"]["count"] = "5"


@change("too few digits")
def _(data):
    data["digits"] = 1


@change("refuted, without a counterexample")
def _(data):
    data["verdict"] = "refuted"


@change("refuted, by a point that is none")
def _(data):
    data["verdict"] = "refuted"
    data["counterexample"] = {
        "parameters": data["parameters"],
        "part": "square",
        "point": ["0", "0"],
    }


@change("refuted, by a point outside of the square")
def _(data):
    data["verdict"] = "refuted"
    data["counterexample"] = {
        "parameters": data["parameters"],
        "part": "square",
        "point": ["5", "5"],
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
        (thin("0", "-1/8192"), {"R_kappa_above": 0}),
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
