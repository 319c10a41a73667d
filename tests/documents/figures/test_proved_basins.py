"""Basins in portraits: of proved claims alone, about the same flow, and where hypotheses hold."""

import numpy as np
import pytest
from sympy import Function, Gt, Lt, Rational, Symbol, erf, sqrt

import slrsym
from slrsym.documents.figures import proved_basins
from slrsym.papers.single_location.models import attention
from slrsym.proof import Claim
from slrsym.proof.dynamical import FlowsConvergeTo, RegionKept, flow
from tests._profile import thorough_only
from tests.documents.figures._models import pair
from tests.documents.figures.test_portraits import needs_browser, seen

STUDENT = pair(lambda x: erf(x / sqrt(2))).equations("gradient-flow", rate=Rational(1, 2))
F = STUDENT.flow()
at = {x.name: x for x in F.coordinates}
Q, R = at["Q"], at["R"]
M = Symbol("M", positive=True)
n = Symbol("n", integer=True, positive=True)
POINT = F.points([1 for _ in F.coordinates])


LONG = Gt(M, 1)


def converges(region=(Q - R**2, M - Q), given=(LONG,), of=F, points=POINT):
    """Return a claim without a proof, that one student converges to its teacher."""
    return Claim(
        id="student-basin",
        source="a test",
        hypotheses=given,
        statement=FlowsConvergeTo(of, of.region(*region), points),
    )


@pytest.fixture
def taken_as_proved(monkeypatch):
    """Take claims as proved, as the verdict on some takes seconds."""
    monkeypatch.setattr(proved_basins, "_require_proved", lambda claims: None)


ASKED = """ASKED.map(([state, numbers]) => {
  PORTRAIT.parameters.splice(0, numbers.length, ...numbers);
  return [PORTRAIT.isSupposed(), PORTRAIT.isInBasin(state)];
})"""


@needs_browser
def test_it_is_shaded_where_the_region_is_and_hypotheses_hold(tmp_path, taken_as_proved):
    page = STUDENT.write_portrait(
        tmp_path / "a.html", "Q", "R", {"M": 1.5}, points=(), basin=converges()
    )
    names = [s.name for s in STUDENT.state]
    points = [(q, r, m) for q in (0.3, 1.2, 1.8) for r in (-0.4, 0.8, 1.2) for m in (0.9, 1.5)]
    asked = [([{"Q": q, "R": r}[s] for s in names], [m]) for q, r, m in points]
    found = seen(page, tmp_path, asked, 2, ASKED)
    assert found == [[m > 1, r**2 <= q <= m] for q, r, m in points]
    text = page.read_text(encoding="utf-8")
    assert "claim <code>student-basin<\\/code>, proved" in text


@needs_browser
def test_a_portrait_without_a_basin_says_nothing_of_one(tmp_path):
    page = STUDENT.write_portrait(tmp_path / "a.html", points=())
    assert '"basin": null' in page.read_text(encoding="utf-8")
    assert seen(page, tmp_path, [], 2, "[basinLegend.isConnected, noBasin.isConnected]") == [
        False, False,
    ]  # fmt: skip


def test_only_claims_that_are_proved_are_drawn(tmp_path):
    with pytest.raises(ValueError, match=r"is proved; student-basin is failed: .* no proof"):
        STUDENT.write_portrait(tmp_path / "a.html", values={"M": 2}, points=(), basin=converges())
    assert not (tmp_path / "a.html").exists()


@thorough_only
@pytest.mark.parametrize("side", [1, -1])
def test_the_oracle_of_the_first_paper(side, tmp_path):
    equations = attention().model.equations("gradient-flow", rate=1)
    id = "manifold-flow-to-oracle" if side == 1 else "manifold-flow-to-mirror"
    claim = slrsym.ledger().find(id)
    values = {"d": 80, "lambda": 0.1, "gamma": 0.7, "epsilon": 0.1, "L": 10, "delta": 0.1}
    about = {"values": values | {"nu_0": 0.2}, "points": (), "basin": claim}
    page = equations.write_portrait(tmp_path / "a.html", "kappa", "nu", **about)
    assert f"<code>{id}<" in page.read_text(encoding="utf-8")
    # Beside the manifold, the other overlaps move.
    with pytest.raises(ValueError, match=r"is another one than these equations: .* Hold with at="):
        equations.write_portrait(tmp_path / "b.html", "kappa", "nu", at={"rho": 0.1}, **about)


TWICE = flow(dict(zip(F.coordinates, (2 * f for f in F.velocities), strict=True)), F.positive)
u = Symbol("u", real=True)
LINE = flow({u: -u})
g = Function("g")
SHOWN = flow(dict(zip(F.coordinates, (f + g(Q) for f in F.velocities), strict=True)))
ODD = Symbol("M", odd=True)


@pytest.mark.parametrize(
    ("make", "values", "said"),
    [
        (lambda: 3, {}, r"basin must be a claim, or a sequence of a claim and those .*; got 3"),
        (lambda: (), {}, r"basin must be a claim, or a sequence of a claim and those .*; got \(\)"),
        (
            lambda: Claim(id="kept", source="a test", statement=RegionKept(F, F.region(Q))), {},
            "flows converge to points, a FlowsConvergeTo; kept states: every trajectory from",
        ),
        (
            lambda: converges(of=LINE, region=(u,), points=LINE.points((0,))), {},
            "basin has a claim on u, which is not part of the state",
        ),
        (
            lambda: converges(given=[Gt(Symbol("R", real=True), M)]), {},
            "the parameter R, which is part of the state",
        ),
        (lambda: converges(of=SHOWN), {}, r"relations between numbers, .* has g\(Q"),
        (lambda: converges(region=(Q - ODD,)), {}, "in student-basin, M is declared odd"),
        (converges, {}, "values must have a number for M, a parameter of the claim student-basin"),
        (converges, {"M": 2, "N": 1}, r"values has N, no parameter of the equations \(\)"),
        (lambda: converges(of=TWICE), {"M": 2}, "is another one than these equations: "),
    ],
)  # fmt: skip
def test_other_claims_are_refused(make, values, said, tmp_path, taken_as_proved):
    with pytest.raises(ValueError, match=said):
        STUDENT.write_portrait(tmp_path / "a.html", values=values, points=(), basin=make())


def test_steps_have_no_basin_of_a_flow(tmp_path, taken_as_proved):
    steps = STUDENT.model.equations("projected-descent", rate=Rational(1, 2))
    with pytest.raises(ValueError, match="are of steps; ask the model for equations"):
        steps.write_portrait(tmp_path / "a.html", values={"M": 2}, points=(), basin=converges())


def test_a_window_without_velocities_is_named(tmp_path, taken_as_proved):
    with pytest.raises(ValueError, match="no velocity is finite in the window; choose another"):
        STUDENT.write_portrait(
            tmp_path / "a.html", "Q", "R", {"M": 2}, points=(), basin=converges(),
            window=((-3, -2), (0, 1)),
        )  # fmt: skip


def test_declarations_are_supposed():
    basin = proved_basins.ProvedBasin(converges(region=(n - Q,), given=[Lt(n, M)]), (M, n))
    assert [str(r) for r in basin.suppositions] == ["M > 0", "n > 0", "Eq(n, floor(n))", "n < M"]
    rng = np.random.default_rng(1)
    assert all(1 <= proved_basins._moved(M, 3.0, rng) <= 9 for _ in range(9))
    assert proved_basins._moved(n, 3, rng) == 3
