"""Theorems on flows in the second checker: their exact hypotheses, names, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.checker import reference
from tests.checker.reference import log, terms

from .flow_examples import (
    ALL,
    EVERYWHERE,
    EXAMPLES,
    GROWTH,
    HALF,
    LOGISTIC,
    MINUS,
    ONE,
    RISE,
    TIME,
    TURN,
    TWO,
    ZERO,
    P,
    T,
    X,
    Y,
    Z,
    add,
    along,
    eq,
    every,
    flow,
    fn,
    key,
    lam,
    le,
    line,
    lt,
    mul,
    n,
    neg,
    node,
    plane,
    points,
    power,
    prove,
    s,
    says,
    slope,
    smooth,
    timed,
)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_hypotheses_of_an_example_are_those_of_the_specification(name):
    goal, values, hyps, axioms = EXAMPLES[name]
    made = prove(name, goal, values)
    assert terms.key(made.conclusion) == key(goal)
    assert set(made.hypotheses) == {key(h) for h in hyps}
    assert made.axioms == {f"theorem {name}", "extension dynamics", *axioms.split()}


def test_a_constant_along_trajectories_and_a_region_in_parts():
    circle = add(power(X, 2), power(Y, 2))
    made = prove("flow-gronwall", says("ConstantAlong", TURN, plane(ONE), plane(circle)))
    inside = [EVERYWHERE, le(ZERO, ONE)]
    wanted = [
        says("RegionKept", TURN, plane(ONE)),
        every([X, Y], inside, smooth([X, Y], circle)),
        every([X, Y], inside, eq(along(circle, [neg(Y), X], (X, Y)), ZERO)),
    ]
    assert set(made.hypotheses) == {key(h) for h in wanted}
    goal, _, hyps, _ = EXAMPLES["flow-barrier"]
    made = prove("flow-barrier", goal, [ONE])
    assert set(made.hypotheses) == {
        key(h) for h in (says("RegionKept", RISE, plane(X)), hyps[1], hyps[3])
    }


def test_a_trajectory_that_rises_has_its_ends_the_other_way_round():
    goal = says("ArrivesAt", GROWTH, ["tuple", ONE, P], fn("log", P))
    wanted = [
        every([X], [EVERYWHERE], smooth([X], X, ONE)),
        le(ONE, P),
        every([X], [le(ONE, X), le(X, P)], ["and", EVERYWHERE, lt(ZERO, X)]),
        every([X], [le(ONE, X), le(X, P)], eq(mul(X, power(X, -1)), ONE)),
        eq(fn("log", P), ["int", [X], [power(X, -1)], [ONE, P]]),
    ]
    made = prove("flow-time", goal, [ONE, line(power(X, -1))])
    assert set(made.hypotheses) == {key(h) for h in wanted}


# --- the example of the specification --------------------------------------

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "checker-dynamics.md"
D8 = says("RegionKept", flow(line(LOGISTIC)), line(X))
D8_VALUE = lam([Y], add(ONE, neg(Y)))
D8_HYPOTHESES = [
    every([X], [EVERYWHERE], smooth([X], LOGISTIC, ONE)),
    every([X], [EVERYWHERE], smooth([X], X, add(ONE, neg(X)))),
    every([X], [EVERYWHERE], le(mul(add(ONE, neg(X)), X), add(mul(slope(X, X), LOGISTIC)))),
]


def test_the_example_of_the_page_is_what_is_tested_here():
    (block,) = re.findall(r"```text\n(name .*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    parts = re.fullmatch(r'name\s+"(.*?)"\s+goal(.*)values(.*)', block, re.DOTALL)
    name, goal, values = parts.groups()
    numbers = re.compile(r"(?<=[,\[])\s*(-?1)(?=[,\]])")
    goal, values = (json.loads(numbers.sub(r'["n",\1,1]', part)) for part in (goal, values))
    assert (name, goal, values) == ("flow-cofactor", D8, [D8_VALUE])
    made = prove(name, goal, values)
    assert set(made.hypotheses) == {key(h) for h in D8_HYPOTHESES}
    assert sorted(made.axioms) == [
        "bolzano-weierstrass", "extension dynamics", "mean-value-theorem", "picard-lindelof",
        "theorem flow-cofactor",
    ]  # fmt: skip


def proof_of_the_example():
    """The inferences of a record that shows the example."""
    body = [h[2][0][2] for h in D8_HYPOTHESES]
    lines = [["flow theorem", [], "flow-cofactor", D8, [D8_VALUE]], ["symbol", [], X]]
    for goal in body[:2]:
        lines.append(["smooth", [], *goal[2:]])
    lines.append(["arithmetic", [], [], body[2], [8, [], [], []]])
    for at, (goal, h) in enumerate(zip(body, D8_HYPOTHESES, strict=True)):
        lines.append(["logic", [1, 2 + at], [], h[2][0]])
        lines.append(["generalise", [len(lines) - 1], X])
        assert goal is h[2][0][2]
    lines.append(["logic", [0, 6, 8, 10], [], D8])
    return lines


def written(path, extensions=("dynamics",), header=("dynamics",), axioms=None, lines=None):
    """A log with one record, which shows the example."""
    record = {
        "claim": "kept", "extensions": list(extensions), "given": [], "statement": D8,
        "terms": [], "lines": lines or proof_of_the_example(), "steps": [], "shown": 11,
        "axioms": axioms or [
            "bolzano-weierstrass", "extension dynamics", "mean-value-theorem", "picard-lindelof",
            "theorem flow-cofactor",
        ],
    }  # fmt: skip
    first = {"format": log.FORMAT, "claims": 1, "extensions": list(header)}
    before, out = "", []
    for made in (first, record):
        before = log.digest(made, before)
        out.append(json.dumps({**made, "digest": before}) + "\n")
    path.write_text("".join(out), encoding="utf-8")
    return path


def test_the_example_is_shown_by_a_log_that_names_the_extension(tmp_path):
    ((claim, steps, axioms),) = reference.recheck(written(tmp_path / "a.log"))
    assert (claim, steps) == ("kept", 0)
    assert "extension dynamics" in axioms
    for changes in (
        {"extensions": ()},
        {"extensions": (), "header": ()},
        {"header": ()},
        {"extensions": ("dynamics", "vectors"), "header": ("dynamics", "vectors")},
        {"axioms": ["mean-value-theorem", "picard-lindelof", "theorem flow-cofactor"]},
    ):
        with pytest.raises(reference.Refused):
            reference.recheck(written(tmp_path / "b.log", **changes))


# --- names -----------------------------------------------------------------


NEW = [
    *(s(name) for name in ("x_1", "x_2", "z_1", "s", "x_1'")),
    s("t", "R>=0"),
    # Names of coordinates of the examples, with another sort.
    *(s(name, "R>0") for name in ("x", "y", "z", "t", "u")),
]


def marked(data, q):
    """The data with a parameter as a factor of each term and of each body of a function."""
    if data[0] == "lam":
        return ["lam", data[1], [mul(q, b) for b in data[2]], []]
    if data[0] in ("tuple", "set"):
        return [data[0], *(marked(part, q) for part in data[1:])]
    return data if data[0] == "text" else mul(q, data)


# Values that have numbers with no parameters: how many functions, a direction, a place.
NUMBERS = {"flow-barrier": 0, "flow-time": 0, "flow-limit": 1}


def with_parameter(name, q):
    """The goal and the values of an example with a parameter in one part, for each part."""
    goal, values, _, _ = EXAMPLES[name]
    for at in range(2, len(goal)):
        yield [*goal[:at], marked(goal[at], q), *goal[at + 1 :]], values
    for at in range(len(values)):
        if NUMBERS.get(name) != at:
            yield goal, [*values[:at], marked(values[at], q), *values[at + 1 :]]


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("new", NEW, ids=[f"{name}-{sort}" for _, name, sort in NEW])
def test_parameters_are_never_caught(name, new):
    old = s("q", new[2])
    sigma = {node(old): node(new)}
    for one, other in zip(*(with_parameter(name, q) for q in (old, new)), strict=True):
        made, found = (prove(name, *data) for data in (one, other))
        assert node(old) in terms.union(h.free for h in made.hypotheses.values())
        wanted = {terms.key(terms.subst(h, sigma)) for h in made.hypotheses.values()}
        assert set(found.hypotheses) == wanted


def renamed(data, name, new):
    """The data with another name, wherever it stands."""
    if isinstance(data, list):
        if data[:2] == ["s", name]:
            return ["s", new, data[2]]
        return [renamed(part, name, new) for part in data]
    return data


@pytest.mark.parametrize("name", EXAMPLES)
def test_names_of_coordinates_do_not_matter(name):
    goal, values, _, _ = EXAMPLES[name]
    made = prove(name, goal, values)
    for old, new in (("x", "s"), ("y", "t"), ("x", "x_1"), ("t", "z_1")):
        changed = [renamed(part, old, new) for part in (goal, *values)]
        assert set(prove(name, changed[0], changed[1:]).hypotheses) == set(made.hypotheses)


# --- what is refused -------------------------------------------------------

REGION, WHOLE = line(X), s("m", "Z")


def refused(name, goal, values):
    """Whether the rule refuses the goal with these values."""
    try:
        prove(name, goal, values)
    except reference.Refused:
        return True
    return False


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize(
    "wrong",
    [
        ["text", "Flow"],
        ["tuple"],
        ["tuple", ["text", "BoxMap"], line(X), ALL],
        ["tuple", ["o", "Flow"], line(X), ALL],
        ["tuple", ["text", "Flow"], line(X)],
        ["tuple", ["text", "Flow"], line(X), ALL, ALL],
        ["tuple", ["text", "Flow"], X, ALL],
        ["tuple", ["text", "Flow"], line(X), ONE],
        flow(line(X, X)),
        flow(plane(X), plane(ONE)),
        flow(lam([WHOLE], WHOLE)),
        flow(lam([s("x", "R>0")], X)),
        flow(line(X), lam([WHOLE], ONE)),
        flow(line(X), plane(ONE)),
        flow(lam([X, Y, Z], X, Y, Z)),
    ],
)
def test_a_flow_of_a_wrong_shape_is_refused(name, wrong):
    goal, values, _, _ = EXAMPLES[name]
    with pytest.raises(reference.Refused):
        prove(name, [*goal[:2], wrong, *goal[3:]], values)


GOOD_PARTS = {
    "RegionKept": ("region",), "ConstantAlong": ("region", "real"),
    "DecaysAlong": ("region", "real", "term"), "LastsForEver": ("region",),
    "FlowLimitsSolve": ("region", "region"), "FlowsConvergeTo": ("region", "points"),
    "SolvedBy": ("region", "solution"), "ArrivesAt": ("pair", "term"),
    "EndsBy": ("region", "real"), "NullFlowStarts": ("points",),
}  # fmt: skip
WRONG_PARTS = {
    "region": [X, lam([WHOLE], ONE), lam([X, Y, Z], X), lam([s("x", "R>=0")], X), points([X])],
    "real": [X, line(X, X), lam([WHOLE], ONE), lam([X, Y, Z], X)],
    "term": [lt(X, ONE), line(X), ["tuple", X], ["oo"]],
    "points": [
        ["set"], ["tuple", ["tuple", X]], X, ["set", X], points([]), points([X, X, X]),
        points([lt(X, ONE)]), points([ZERO], [ZERO, ZERO, ZERO]),
    ],
    "solution": [line(X), timed(X, X), lam([T, X, Y, Z], X), lam([s("t", "R>=0"), X], X)],
    "pair": [["tuple", X], ["tuple", X, X, X], ["set", X, Y], ["tuple", X, ["oo"]]],
}  # fmt: skip
GOALS = {g[0][1]: (name, g[0], g[1]) for name, g in EXAMPLES.items()}
GOALS["ConstantAlong"] = (
    "flow-gronwall",
    says("ConstantAlong", GROWTH, REGION, line(power(X, 2))),
    [],
)


@pytest.mark.parametrize("kind", GOOD_PARTS)
def test_goals_with_other_parts_are_refused(kind):
    name, goal, values = GOALS[kind]
    prove(name, goal, values)
    bad = [goal[:-1], [*goal, REGION], [*goal, ONE], [*goal[:2]]]
    for at, part in enumerate(GOOD_PARTS[kind]):
        bad += [[*goal[: 3 + at], wrong, *goal[4 + at :]] for wrong in WRONG_PARTS[part]]
    for other in GOOD_PARTS.keys() - {"DecaysAlong", "ConstantAlong", kind}:
        bad.append(["o", other, *goal[2:]])
    bad += [["o", "DecreasesAlong", *goal[2:]], ["o", "RegionsKept", *goal[2:]], lt(ZERO, ONE)]
    for wrong in bad:
        assert refused(name, wrong, values), wrong


def test_a_trajectory_arrives_on_a_line_alone():
    with pytest.raises(reference.Refused):
        prove(
            "flow-time",
            says("ArrivesAt", flow(plane(ONE, ONE)), ["tuple", ZERO, ONE], ONE),
            [ONE, plane(ONE)],
        )


WRONG_VALUES = {
    "flow-barrier": [[n(2)], [MINUS], [HALF], [X], [line(X)]],
    "flow-cofactor": [[plane(X)], [plane(X, X, X)], [line(X, X)], [X], [ZERO]],
    "flow-gronwall": [[ZERO]],
    "flow-for-ever": [
        [line(X, X), ZERO, timed(X), timed(X)], [timed(X), ZERO, timed(X), timed(X)],
        [line(X), line(X), timed(X), timed(X)], [line(X), ZERO, line(X), timed(X)],
        [line(X), ZERO, timed(X), timed(X, X)], [line(X), ZERO, timed(X), ONE],
        [line(X), ZERO, lam([TIME, X], X), timed(X)], [line(X), lt(X, ONE), timed(X), timed(X)],
    ],
    "flow-lasalle": [
        [line(X), line(X), ONE], [line(X), ONE, ["oo"]], [line(X, X), ONE, ONE],
        [plane(X), ONE, ONE], [X, ONE, ONE],
    ],
    "flow-limit": [
        [plane(X), ["tuple"]], [X, ["tuple"]], [line(X), ["set"]], [line(X), X],
        [line(X), ["tuple", X]], [line(X), ["tuple", ["tuple", ZERO]]],
        [line(X), ["tuple", ["tuple", ZERO, ONE]]], [line(X), ["tuple", ["tuple", ZERO, MINUS]]],
        [line(X), ["tuple", ["tuple", ZERO, HALF]]], [line(X), ["tuple", ["tuple", ZERO, X]]],
        [line(X), ["tuple", ["tuple", ZERO, ZERO, ZERO]]],
        [line(X), ["tuple", ["tuple", line(X), ZERO]]], [line(X), ["tuple", ["set", ZERO, ZERO]]],
    ],
    "flow-solution": [[ZERO]],
    "flow-time": [
        [ZERO, line(X)], [TWO, line(X)], [X, line(X)], [ONE, X], [ONE, line(X, X)],
        [ONE, timed(X)], [power(ONE, 2), line(X)],
    ],
    "flow-ends": [[line(X)]],
    "flow-center-stable": [
        [["tuple", ONE, ZERO, ZERO], ONE], [["set", ONE, ZERO, ZERO, MINUS], ONE],
        [["tuple", ONE, ZERO, ZERO, line(X)], ONE], [["tuple", ONE, ZERO, ZERO, MINUS], line(X)],
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_other_values_are_refused(name):
    goal, values, _, _ = EXAMPLES[name]
    for wrong in [*WRONG_VALUES[name], values[:-1] if values else [ONE], [*values, ONE]]:
        assert refused(name, goal, wrong), wrong


def test_one_point_of_at_most_four_coordinates_is_unstable():
    def many(count):
        names = [s(f"w{i}") for i in range(count)]
        goal = says("NullFlowStarts", flow(lam(names, *names)), points([ZERO] * count))
        unit = [ONE if i == j else ZERO for i in range(count) for j in range(count)]
        return prove("flow-center-stable", goal, [["tuple", *unit], ONE])

    assert len(many(4).hypotheses) > 4
    with pytest.raises(reference.Refused):
        many(5)
    goal, values, _, _ = EXAMPLES["flow-center-stable"]
    for more in ([ONE, ONE], [ZERO, ZERO]):
        with pytest.raises(reference.Refused):
            prove("flow-center-stable", [*goal[:3], [*goal[3], ["tuple", *more]]], values)


@pytest.mark.parametrize("name", ["flow-theorem", "decrease", "center-stable", "", None, 3, ["a"]])
def test_other_schemas_are_refused(name):
    goal, values, _, _ = EXAMPLES["flow-cofactor"]
    with pytest.raises(reference.Refused):
        prove(name, goal, values)
    with pytest.raises(reference.Refused):
        reference.prove("theorem", [], "flow-cofactor", goal, values)
