"""The flow of exchangeable students, for K of them and of orthonormal teachers.

The equations are derived from the statement of the model. The Gram region is kept, the risk falls,
and students at least as near to their own teachers as to others stay so: R - S is multiplied by a
rate. At the plateau this rate is positive, so that almost no trajectory ends there.
"""

from sympy import (
    Add,
    Eq,
    Ge,
    Gt,
    Le,
    Matrix,
    Rational,
    S,
    Symbol,
    diff,
    erf,
    eye,
    log,
    pi,
    sqrt,
    symbols,
)

from slrsym.models import Directions, Predictor, Token, TokenSequence, model
from slrsym.proof import Claim, D, algebra, at, chain, differentiate, having, lemma, signs
from slrsym.proof.dynamical import DecaysAlong, EndsBy, NullFlowStarts, RegionKept, by_theorem, flow

K = Symbol("K", integer=True, positive=True)
SOURCE = "new: the flow of Section 3, to first order in $eta$, in units of $eta$"
students, teachers = Directions("w", K), Directions("u", K, unit=True)
data = TokenSequence({Token(target=lambda X: teachers.sum(lambda x: erf((X @ x) / sqrt(2)))): 1})
predictor = Predictor(lambda X: students.sum(lambda x: erf((X @ x) / sqrt(2))))
committee = model(
    data,
    predictor,
    inner_products={teachers @ teachers: 0},
    names={students @ students: ("Q", "C"), students @ teachers: ("R", "S")},
)
equations = committee.equations("gradient-flow", rate=Rational(1, 2))
# The model's symbols say more than that they are real, which coordinates may not.
Q, C, R, T = symbols("Q C R S", real=True)
_put = {p: Symbol(p.name, real=True) for p in equations.state}
velocity = {
    _put[p]: f.xreplace(_put) for p, f in zip(equations.state, equations.drift, strict=True)
}
risk = equations.risk.xreplace(_put)
F = flow(velocity, (1 + Q, 1 + 2 * Q, (1 + Q) ** 2 - C**2, 2 * (1 + Q) - R**2, 2 * (1 + Q) - T**2))
# Eigenvalues of the Gram determinants of students given teachers: differences and sums of units.
OF_DIFFERENCES = Q - C - (R - T) ** 2
OF_SUMS = Q + (K - 1) * C - (R + (K - 1) * T) ** 2
REGION = F.region(OF_DIFFERENCES, OF_SUMS)
MANY = [Ge(K, 2)]


def by_units(of_q, of_c, of_r, of_s):
    """Return the coefficients of one unit's gradient, from the slopes of the risk."""
    pairs = K * (K - 1)
    return {"a": 2 * of_q / K, "b": 2 * of_c / pairs, "g": of_r / K, "d": of_s / pairs}


kept = Claim(
    id="committee-flow-gram-kept",
    title=(
        "The flow of $K >= 2$ exchangeable students keeps $Q - C >= (R - S)^2$ and $Q + (K - 1) C "
        ">= (R + (K - 1) S)^2$"
    ),
    source=SOURCE,
    hypotheses=MANY,
    statement=RegionKept(F, REGION),
)


@kept.proof
def _(goal):
    """What of a student is beside the teachers is multiplied by a rate."""
    unit = by_units(*(diff(risk, x) for x in (Q, C, R, T)))
    k = (-(unit["a"] - unit["b"]), -(unit["a"] + (K - 1) * unit["b"]))
    return by_theorem(
        goal,
        "flow-cofactor",
        {"cofactors": F.function(*k)},
        rises_1=chain(k[0] * OF_DIFFERENCES).le(F.rate_of(OF_DIFFERENCES), by=differentiate),
        rises_2=chain(k[1] * OF_SUMS).le(F.rate_of(OF_SUMS), by=differentiate),
    )


r1, r2 = sqrt(1 + 2 * Q), sqrt((1 + Q) ** 2 - C**2)
r3, r4 = sqrt(2 * (1 + Q) - R**2), sqrt(2 * (1 + Q) - T**2)
_of_norm = 2 * K / r1 - 2 * K * (K - 1) * C / r2 + 2 * K * R / r3 + 2 * K * (K - 1) * T / r4
SLOPES = {
    Q: _of_norm / (1 + Q) / pi,
    C: 2 * K * (K - 1) / r2 / pi,
    R: -4 * K / r3 / pi,
    T: -4 * K * (K - 1) / r4 / pi,
}
unit = by_units(*SLOPES.values())


def slope_claim(x, value):
    claim = Claim(
        id=f"committee-flow-slope-{x.name.lower()}",
        title=f"The slope of the risk of exchangeable students in ${x.name}$, in closed form",
        source=SOURCE,
        hypotheses=[*MANY, *F.domain_conditions()],
        statement=Eq(D(risk, x), value, evaluate=False),
    )

    @claim.proof
    def _(goal):
        """By the table."""
        return chain(goal.lhs).then(goal.rhs, by=differentiate)

    return claim


slopes = [slope_claim(x, value) for x, value in SLOPES.items()]

p, x, q, y, n, z, w = symbols("p x q y n z w", real=True)
squares = Claim(
    id="committee-flow-squares",
    title="A negative combination of squares, for $p, q >= 0$ and $n >= 2$, is not positive",
    source=SOURCE,
    hypotheses=[Ge(p, 0), Ge(q, 0), Ge(n, 2)],
    statement=Le(-(x**2 * p + y**2) / 2 - (n - 1) * (z**2 * q + w**2) / 2, 0, evaluate=False),
)


@squares.proof
def _(goal):
    """Squares, with weights that are not negative."""
    return chain(goal.lhs).le(0, by=signs)


def terms(a, b, g, d):
    """Return each slope of the risk times its velocity, by the coefficients of one unit."""
    return (
        a * K / 2 * -(a * Q + b * (K - 1) * C + g * R + d * (K - 1) * T),
        b * K * (K - 1) / 2 * -(a * C + b * (Q + (K - 2) * C) + g * T + d * (R + (K - 2) * T)),
        g * K * -(a * R + b * (K - 1) * T + g) / 2,
        d * K * (K - 1) * -(a * T + b * (R + (K - 2) * T) + d) / 2,
    )


def units(a, b, g, d):
    """Return what stands for the letters of the claim on squares."""
    return {
        x: a + (K - 1) * b,
        p: OF_SUMS,
        y: (a + (K - 1) * b) * (R + (K - 1) * T) + g + (K - 1) * d,
        z: a - b,
        q: OF_DIFFERENCES,
        w: (a - b) * (R - T) + g - d,
        n: K,
    }


letters = symbols("a b g d", real=True)
form = Claim(
    id="committee-flow-form",
    title=(
        "Slopes times velocities, in letters for a unit's gradient, as minus squares for sums and "
        "differences of units"
    ),
    source=SOURCE,
    hypotheses=MANY,
    statement=Eq(
        Add(*terms(*letters), evaluate=False),
        squares.statement.lhs.xreplace(units(*letters)),
        evaluate=False,
    ),
)


@form.proof
def _(goal):
    """Expand both sides."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


def term_claim(s, term):
    name = s.name.lower()
    claim = Claim(
        id=f"committee-flow-term-{name}",
        title=f"The slope of the risk in ${s.name}$ times the velocity of ${s.name}$",
        source=SOURCE,
        hypotheses=[*MANY, *F.domain_conditions()],
        statement=Eq(D(risk, s) * velocity[s], term, evaluate=False),
    )

    @claim.proof
    def _(goal):
        """Put the slope in."""
        slope = chain(D(risk, s)).then(SLOPES[s], by=lemma(f"committee-flow-slope-{name}"))
        product = chain(goal.lhs).then(SLOPES[s] * velocity[s], by=algebra)
        return having(slope, product.then(goal.rhs, by=algebra))

    return claim


all_terms = [term_claim(s, term) for s, term in zip(SLOPES, terms(**unit), strict=True)]

falls = Claim(
    id="committee-flow-risk-falls",
    title="Along the flow of $K >= 2$ exchangeable students the risk never rises",
    source=SOURCE,
    hypotheses=MANY,
    statement=DecaysAlong(F, REGION, F.function(risk), S.Zero),
)


@falls.proof
def _(goal):
    """Minus squared lengths of the gradients of units, split by symmetry."""
    parts, put = terms(**unit), units(**unit)
    facts = [
        chain(D(risk, s) * velocity[s]).then(
            part, by=lemma(f"committee-flow-term-{s.name.lower()}")
        )
        for s, part in zip(SLOPES, parts, strict=True)
    ]
    named = {letter.name: value for letter, value in put.items()}
    down = (
        chain(F.rate_of(risk))
        .then(Add(*parts, evaluate=False), by=algebra.using(*facts))
        .then(squares.statement.lhs.xreplace(put), by=lemma("committee-flow-form", **unit))
        .le(0, by=lemma("committee-flow-squares", **named))
    )
    return by_theorem(goal, "flow-gronwall", kept=lemma("committee-flow-gram-kept"), decays=down)


# -- own and other teachers ------------------------------------------------------------------------

GAP = R - T
growth = -(unit["a"] - unit["b"]) / 2 + 2 / pi * (R + T) / (r3 * r4 * (r3 + r4))

gap_rate = Claim(
    id="committee-flow-gap-rate",
    title=(
        "Along the flow of exchangeable students, $R - S$ is multiplied by a rate, in closed form"
    ),
    source=SOURCE,
    hypotheses=[*MANY, *F.domain_conditions()],
    statement=Eq(growth * GAP, velocity[R] - velocity[T], evaluate=False),
)


@gap_rate.proof
def _(goal):
    """$1/a - 1/b = (b^2 - a^2)/(a b (a + b))$ for the two roots."""
    apart = chain(1 / r3 - 1 / r4).then((R**2 - T**2) / (r3 * r4 * (r3 + r4)), by=algebra)
    left = -(unit["a"] - unit["b"]) * GAP / 2 + 2 / pi * (1 / r3 - 1 / r4)
    return having(apart, chain(goal.lhs).then(left, by=algebra).then(goal.rhs, by=algebra))


def moves_gap(way):
    """Return the proof that the rate times the gap, or minus it, is its velocity."""
    moves = chain(growth * GAP).then(velocity[R] - velocity[T], by=lemma("committee-flow-gap-rate"))
    if way == 1:
        return moves
    return chain(growth * -GAP).then(velocity[T] - velocity[R], by=algebra.using(moves))


def sector(name, title, *ways):
    claim = Claim(
        id=f"committee-flow-{name}",
        title=title,
        source=SOURCE,
        hypotheses=MANY,
        statement=RegionKept(F, F.region(*(way * GAP for way in ways))),
    )

    @claim.proof
    def _(goal):
        """$R - S$ divides its velocity."""
        rises = {
            f"rises_{i}": moves_gap(way).le(F.rate_of(way * GAP), by=differentiate)
            for i, way in enumerate(ways, start=1)
        }
        cofactors = F.function(*(growth for _ in ways))
        return by_theorem(goal, "flow-cofactor", {"cofactors": cofactors}, **rises)

    return claim


nearer = sector(
    "own-teacher",
    "Exchangeable students at least as near to their own teachers as to others, $R >= S$, stay so",
    1,
)
undecided = sector(
    "undecided",
    "Exchangeable students that are equally near to all teachers, $R = S$, stay so",
    1,
    -1,
)

# -- the plateau -----------------------------------------------------------------------------------

root = sqrt(4 * K**2 - 1)
aligned, length = 1 / sqrt(K * (2 * K - 1)), 1 / (2 * K - 1)
PLATEAU = {R: aligned, T: aligned, Q: length, C: length}
ESCAPE = 2 * K / (pi * (2 * K + 1) * root)

at_plateau = Claim(
    id="committee-flow-plateau-rate",
    title=(
        "At the plateau the rate by which $R - S$ is multiplied is $2 K/(pi (2 K + 1) "
        "sqrt(4 K^2 - 1))$"
    ),
    source=SOURCE,
    hypotheses=MANY,
    statement=Eq(growth.xreplace(PLATEAU), ESCAPE, evaluate=False),
)


@at_plateau.proof
def _(goal):
    """Put the plateau in."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


rate, most = symbols("r m", positive=True)
late = Claim(
    id="committee-flow-escape-late",
    title="$log(m/x)/r >= 0$ where $0 < x <= m$ and $r > 0$",
    source="new: used for `committee-flow-escape-time`",
    hypotheses=[Gt(x, 0), Le(x, most)],
    statement=Ge(log(most / x) / rate, 0, evaluate=False),
)


@late.proof
def _(goal):
    """$m/x >= 1$."""
    return having(
        chain(most / x - 1).then((most - x) / x, by=algebra).ge(0, by=signs),
        chain(goal.lhs).ge(0, by=signs),
    )


quick = Claim(
    id="committee-flow-escape-quick",
    title="$1 - z/(x r) <= 0$ where $z = y x$, $y >= r$ and $x, r > 0$",
    source="new: used for `committee-flow-escape-time`",
    hypotheses=[Gt(x, 0), Ge(y, rate), Eq(y * x, z)],
    statement=Le(1 - z / x / rate, 0, evaluate=False),
)


@quick.proof
def _(goal):
    """Put $z$ in."""
    return chain(goal.lhs).then(-(y - rate) / rate, by=algebra).le(0, by=signs)


NEAR = flow(velocity, (*F.positive, GAP, most - GAP, growth - rate))
escape = Claim(
    id="committee-flow-escape-time",
    title=(
        "From $0 < R - S < m$, a trajectory is at most for the time $log(m/(R - S))/r$ among "
        "overlaps with $R - S < m$ where $R - S$ is multiplied by a rate above $r$"
    ),
    source=SOURCE,
    hypotheses=MANY,
    statement=EndsBy(NEAR, NEAR.region(), NEAR.function(log(most / GAP) / rate)),
)


@escape.proof
def _(goal):
    """The time falls at the rate of $R - S$ over $r$, which is at least 1."""
    whole = RegionKept(NEAR, NEAR.region())
    stays = chain(S.Zero).le(NEAR.rate_of(S.One), by=differentiate)
    end = goal.function.expr[0]
    moved = velocity[R] - velocity[T]
    return by_theorem(
        goal,
        "flow-ends",
        kept=by_theorem(whole, "flow-cofactor", {"cofactors": NEAR.function(0)}, rises_1=stays),
        nonnegative=chain(end).ge(0, by=lemma("committee-flow-escape-late", x=GAP)),
        falls=having(
            moves_gap(1),
            chain(growth).ge(rate, by=signs),
            chain(NEAR.rate_of(end) + 1)
            .then(1 - moved / GAP / rate, by=differentiate)
            .le(0, by=lemma("committee-flow-escape-quick", x=GAP, y=growth, z=moved)),
        ),
    )


# The derivatives of the velocities of Q, C, R and S at the plateau, by rows.
_scale = 2 / (pi * root * (2 * K + 1))
_long = aligned * (2 * K - 1) ** 2
_norms = (
    -3 * K * (2 * K - 1),
    -4 * K * (K - 1) * (2 * K - 1),
    4 * K / aligned,
    4 * K * (K - 1) / aligned,
)
_overlaps = ((K + 2) * _long / 2, (K - 1) * _long)
_own = (*_overlaps, -(4 * K**2 + K - 1), -(K - 1) * (4 * K**2 + 2 * K - 1))
_other = (*_overlaps, -(4 * K**2 + 2 * K - 1), -(4 * K**3 - 2 * K**2 - 4 * K + 1))
MATRIX = tuple(tuple(_scale * e for e in row) for row in (_norms, _norms, _own, _other))

few = Claim(
    id="committee-flow-plateau-null",
    title=(
        "Almost no start has a trajectory of the flow of $K >= 2$ exchangeable students that "
        "converges to the plateau"
    ),
    source=SOURCE,
    hypotheses=MANY,
    statement=NullFlowStarts(F, F.points(tuple(PLATEAU[x] for x in F.coordinates))),
)


@few.proof
def _(goal):
    """The escape rate is a positive eigenvalue there."""
    needs = goal.map
    place = {x: PLATEAU[x] for x in needs.coordinates}
    premises = {}
    for i, f in enumerate(needs.velocities, start=1):
        premises[f"zero_{i}"] = chain(at(f, place)).then(0, by=algebra)
        for j, x in enumerate(needs.coordinates, start=1):
            premises[f"entry_{i}{j}"] = chain(at(D(f, x), place)).then(
                MATRIX[i - 1][j - 1], by=differentiate
            )
    for i, h in enumerate(needs.positive, start=1):
        premises[f"inside_{i}"] = chain(at(h, place)).gt(0, by=signs)
    letters = Matrix(MATRIX) - Symbol("r", real=True) * eye(4)
    characteristic = at(letters.det(method="laplace"), {Symbol("r", real=True): ESCAPE})
    return by_theorem(
        goal,
        "flow-center-stable",
        {"matrix": MATRIX, "eigenvalue": ESCAPE},
        eigenvalue=chain(characteristic).then(0, by=algebra),
        positive=chain(ESCAPE).gt(0, by=signs),
        **premises,
    )
