"""The flow of one student of one teacher: it converges from every start, at an explicit rate.

The equations are derived from the statement of the model. With D the part of the student's squared
length beside the teacher, the squared distance to the teacher is D + (1 - R)^2. It falls at a rate
that depends on the length alone, and near the teacher tends to that of the linear equation.
"""

from sympy import (
    And,
    Eq,
    Equivalent,
    Ge,
    Gt,
    Le,
    Lt,
    Rational,
    Symbol,
    erf,
    pi,
    sqrt,
    symbols,
)

from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from slrsym.proof import (
    Claim,
    D,
    algebra,
    all_of,
    at,
    cases,
    chain,
    differentiate,
    having,
    lemma,
    only_at,
    signs,
    solution,
    solution_set,
    split_product,
)
from slrsym.proof.dynamical import (
    DecaysAlong,
    FlowLimitsSolve,
    FlowsConvergeTo,
    RegionKept,
    by_theorem,
)

teacher, student = Direction("u", unit=True), Direction("w")
data = TokenSequence({Token(target=lambda X: erf((X @ teacher) / sqrt(2))): 1})
single = model(
    data,
    Predictor(lambda X: erf((X @ student) / sqrt(2))),
    names={
        student @ student: Symbol("Q", positive=True),
        student @ teacher: Symbol("R", real=True),
    },
)
equations = single.equations("gradient-flow", rate=Rational(1, 2))
F = equations.flow()
Q, R = F.coordinates
M, s, rho = symbols("M s rho", positive=True)
x, y = symbols("x y", real=True)
p, r = sqrt(1 + 2 * Q), sqrt(2 * Q - R**2 + 2)
BESIDE, DISTANCE = Q - R**2, Q - 2 * R + 1
SOURCE = "new: the flow of Section 3 for one student and one teacher, in units of $eta$"
GRAM = Ge(BESIDE, 0)


def on_gram(proof, *facts):
    """Return a proof that uses that the roots are positive, and further facts."""
    norm = chain(Q).ge(R**2, by=signs).ge(0, by=signs)
    room = chain(2 * Q - R**2 + 2).gt(0, by=signs)
    roots = (chain(root).gt(0, by=signs) for root in (p, r))
    return having(norm, room, *roots, *facts, proof)


# -- two roots -------------------------------------------------------------------------------------

larger = Claim(
    id="single-student-squares",
    title="$x < y$ for $x^2 < y^2$ and $y > 0$",
    source="new: used for `single-student-shorter`",
    hypotheses=[Gt(y, 0), Lt(x**2, y**2)],
    statement=Gt(y - x, 0, evaluate=False),
)


@larger.proof
def _(goal):
    """$2 y (y - x) = (y - x)^2 + y^2 - x^2$."""
    rest = chain(y**2 - x**2).gt(0, by=signs)
    gap = chain(goal.lhs).then(((y - x) ** 2 + (y**2 - x**2)) / (2 * y), by=algebra)
    return having(rest, gap.gt(0, by=signs))


slower = Claim(
    id="single-student-shorter",
    title=(
        "$Q/p > R/r$ for $Q > 1$, $Q >= R^2$, with $p = sqrt(1 + 2 Q)$, $r = sqrt(2 + 2 Q - R^2)$"
    ),
    source="new: used for `single-student-kept`",
    hypotheses=[GRAM, Gt(Q, 1)],
    statement=Gt(Q / p - R / r, 0, evaluate=False),
)


@slower.proof
def _(goal):
    """Compare the squares of $Q r$ and $R p$."""
    apart = (1 + Q) * (Q * (Q - 1) + (1 + Q) * BESIDE)
    by_squares = lemma("single-student-squares", x=R * p, y=Q * r)
    return on_gram(
        chain(goal.lhs).then((Q * r - R * p) / (p * r), by=algebra).gt(0, by=signs),
        chain((Q * r) ** 2 - (R * p) ** 2).then(apart, by=algebra).gt(0, by=signs),
        chain((R * p) ** 2).lt((Q * r) ** 2, by=signs),
        chain(Q * r - R * p).gt(0, by=by_squares),
    )


nearer = Claim(
    id="single-student-nearer",
    title="$(1 + Q - R^2)/r > R/p$ for $0 < R < 1$, $Q >= R^2$ and these roots $p$, $r$",
    source="new: used for `single-student-near-kept`",
    hypotheses=[GRAM, Gt(R, 0), Lt(R, 1)],
    statement=Gt((1 + Q - R**2) / r - R / p, 0, evaluate=False),
)


@nearer.proof
def _(goal):
    """Compare the squares of $p$ and $R r$."""
    apart = (1 - R) * (1 + R) * (1 + Q + BESIDE)
    by_squares = lemma("single-student-squares", x=R * r, y=p)
    return on_gram(
        chain(goal.lhs).then(BESIDE / r + (p - R * r) / (p * r), by=algebra).gt(0, by=signs),
        chain(p**2 - (R * r) ** 2).then(apart, by=algebra).gt(0, by=signs),
        chain((R * r) ** 2).lt(p**2, by=signs),
        chain(p - R * r).gt(0, by=by_squares),
    )


BOUNDS = [Le(p, s), Le(r, s)]
LEAST = (1 + Q) / s**3


def inverse_roots():
    """Return proofs that 1/s is at most the inverses of the roots, and at least `LEAST`."""
    longer = (
        chain(1 / root - 1 / s).then((s - root) / (root * s), by=algebra).ge(0, by=signs)
        for root in (p, r)
    )
    enough = chain(1 / s - LEAST).then(((s - p) * (s + p) + Q) / s**3, by=algebra)
    return *longer, enough.ge(0, by=signs)


along = Claim(
    id="single-student-along",
    title="$(1 - R) (1/r - R/p) >= (1 + Q) (1 - R)^2/s^3$ for $Q >= R^2$ and $s >= p, r$",
    source="new: used for `single-student-pull`",
    hypotheses=[GRAM, *BOUNDS],
    statement=Ge((1 - R) * (1 / r - R / p) - (1 - R) ** 2 * LEAST, 0, evaluate=False),
)


@along.proof
def _(goal):
    """Where $R >= 0$, by $p^2 - R^2 r^2 = (1 - R^2) (1 + 2 Q - R^2)$."""
    apart = (1 / r - 1 / s) - R * (1 / p - 1 / s) + (1 - R) * (1 / s - LEAST)
    behind = having(
        *inverse_roots(), chain(goal.lhs).then((1 - R) * apart, by=algebra).ge(0, by=signs)
    )
    total = p + R * r
    cubes = (s - p) * (s**2 + s * p) + p**2 * (s - r)
    cubes += R * ((s - r) * (s**2 + s * r) + r**2 * (s - p))
    rest = (1 - R) ** 2 * ((1 + R) * s**3 * BESIDE + (1 + Q) * cubes)
    ahead = having(
        chain(total).gt(0, by=signs),
        chain(goal.lhs).then(rest / (p * r * total * s**3), by=algebra).ge(0, by=signs),
    )
    return on_gram(cases(goal, (Le(R, 0), behind), (Ge(R, 0), ahead)))


pull = Claim(
    id="single-student-pull",
    title=(
        "$a (1/p + 1/r) + b (1/r - R/p)$ is at least $(1 + Q) (a + b^2)/s^3$ for "
        "$a = Q - R^2 >= 0$, $b = 1 - R$ and $s >= p, r$"
    ),
    source="new: used for `single-student-rate`",
    hypotheses=[GRAM, *BOUNDS],
    statement=Ge(
        BESIDE * (1 / p + 1 / r) + (1 - R) * (1 / r - R / p) - DISTANCE * LEAST, 0, evaluate=False
    ),
)


@pull.proof
def _(goal):
    """Compare what stands beside the teacher, and along it."""
    beside = BESIDE * ((1 / p - 1 / s) + (1 / s - LEAST) + 1 / r)
    ahead = (1 - R) * (1 / r - R / p) - (1 - R) ** 2 * LEAST
    return on_gram(
        chain(goal.lhs).then(beside + ahead, by=algebra).ge(0, by=signs),
        *inverse_roots(),
        chain(beside).ge(0, by=signs),
        chain(ahead).ge(0, by=lemma("single-student-along")),
    )


# -- the regions -----------------------------------------------------------------------------------

SHORT = [Gt(M, 1)]
SCALE = 4 / (pi * (1 + Q))
REGION = F.region(BESIDE, M - Q)
NEAR = F.region(BESIDE, M - Q, R - rho)

gram = Claim(
    id="single-student-gram",
    title="The flow of one student keeps $Q >= R^2$",
    source=SOURCE,
    statement=RegionKept(F, F.region(BESIDE)),
)


@gram.proof
def _(goal):
    """What of the student is beside the teacher is multiplied by a rate."""
    rate = -SCALE * (1 / p + R / r)
    return by_theorem(
        goal,
        "flow-cofactor",
        {"cofactors": F.function(rate)},
        rises_1=chain(rate * BESIDE).le(F.rate_of(BESIDE), by=differentiate),
    )


kept = Claim(
    id="single-student-kept",
    title="The flow of one student keeps $R^2 <= Q <= M$, for $M > 1$",
    source=SOURCE,
    hypotheses=SHORT,
    statement=RegionKept(F, REGION),
)


@kept.proof
def _(goal):
    """A student that is longer than the teacher becomes shorter."""
    shrinks = chain(F.rate_of(M - Q)).then(SCALE * (Q / p - R / r), by=differentiate)
    rises = having(
        chain(Q).ge(M, by=signs).gt(1, by=signs),
        chain(Q / p - R / r).gt(0, by=lemma("single-student-shorter")),
        shrinks.gt(0, by=signs),
    )
    first = lemma("single-student-gram")
    return by_theorem(goal, "flow-barrier", {"first": 1}, first=first, rises_2=rises)


near = Claim(
    id="single-student-near-kept",
    title=(
        "The flow of one student keeps $R^2 <= Q <= M$ with $R >= rho$, for $M > 1$ and "
        "$0 < rho < 1$"
    ),
    source=SOURCE,
    hypotheses=[*SHORT, Lt(rho, 1)],
    statement=RegionKept(F, NEAR),
)


@near.proof
def _(goal):
    """At $R = rho$ the overlap grows."""
    push = (1 + Q - R**2) / r - R / p
    grows = chain(F.rate_of(R - rho)).then(SCALE * push / 2, by=differentiate)
    rises = having(
        chain(R).ge(rho, by=signs).gt(0, by=signs),
        chain(R).le(rho, by=signs).lt(1, by=signs),
        chain(push).gt(0, by=lemma("single-student-nearer")),
        grows.gt(0, by=signs),
    )
    first = lemma("single-student-kept")
    return by_theorem(goal, "flow-barrier", {"first": 2}, first=first, rises_3=rises)


# -- how fast --------------------------------------------------------------------------------------


def falls_by(square):
    """Return a proof that the squared distance falls at a rate, where both squared roots are less.

    The rate is 4/pi over the cube of the root of what bounds them.
    """
    length = sqrt(square)
    pulled = BESIDE * (1 / p + 1 / r) + (1 - R) * (1 / r - R / p)
    left = pulled - DISTANCE * LEAST.subs(s, length)
    bounds = []
    for root in (p, r):
        apart = (square - root**2) / (length + root)
        bounds += [
            chain(square - root**2).ge(0, by=signs),
            chain(length - root).then(apart, by=algebra).ge(0, by=signs),
            chain(root).le(length, by=signs),
        ]
    return having(
        chain(square).gt(0, by=signs),
        *bounds,
        chain(left).ge(0, by=lemma("single-student-pull", s=length)),
        chain(F.rate_of(DISTANCE) + 4 / (pi * length**3) * DISTANCE)
        .then(-SCALE * left, by=differentiate)
        .le(0, by=signs),
    )


def decay(name, title, kept, region, given, square):
    """Claim that the squared distance decays at a rate, by a bound of both squared roots."""
    claim = Claim(
        id=f"single-student-{name}",
        title=title,
        source=SOURCE,
        hypotheses=given,
        statement=DecaysAlong(F, region, F.function(DISTANCE), 4 / (pi * sqrt(square) ** 3)),
    )

    @claim.proof
    def _(goal):
        """Both roots are at most the square root in the rate."""
        return by_theorem(goal, "flow-gronwall", kept=lemma(kept), decays=falls_by(square))

    return claim


whole = decay(
    "rate",
    "Along the flow of one student with $|w|^2 <= M$, the squared distance to the teacher decays "
    "at the rate $4/(pi (2 + 2 M)^(3/2))$, for $M > 1$",
    "single-student-kept",
    REGION,
    SHORT,
    2 + 2 * M,
)
sharp = decay(
    "near-rate",
    "Along the flow of one student with $|w|^2 <= M$ and $R >= rho$, the squared distance to the "
    "teacher decays at the rate $4/(pi (2 + 2 M - rho^2)^(3/2))$, for $0 < rho < 1 < M$",
    "single-student-near-kept",
    NEAR,
    [*SHORT, Lt(rho, 1)],
    2 + 2 * M - rho**2,
)

# -- where it tends --------------------------------------------------------------------------------

RATE = whole.statement.rate

limits = Claim(
    id="single-student-limits",
    title=(
        "The flow of one student with $|w|^2 <= M$, $M > 1$, accumulates where $R = 1$, $Q = R^2$"
    ),
    source=SOURCE,
    hypotheses=SHORT,
    statement=FlowLimitsSolve(F, REGION, F.function(R - 1, BESIDE)),
)


@limits.proof
def _(goal):
    """The squared distance, $Q - R^2 + (1 - R)^2$, falls at a rate."""
    falls = F.rate_of(DISTANCE) + RATE * DISTANCE
    rest = (M - 1) * (1 - R) ** 2 + BESIDE * (M - Q + R**2)
    change = (R - 1) ** 2 + BESIDE**2 + M / RATE * F.rate_of(DISTANCE)
    middle = (1 + R**2) / 2
    inside = having(
        chain(Q).ge(R**2, by=signs).ge(0, by=signs),
        all_of(
            *(chain(h).gt(0, by=signs) for h in F.positive),
            chain(Q).ge(-M, by=signs),
            chain(Q).le(M, by=signs),
            chain(R).ge(-middle, by=signs).ge(-(1 + M) / 2, by=signs).ge(-M, by=signs),
            chain(R).le(middle, by=signs).le((1 + M) / 2, by=signs).le(M, by=signs),
        ),
    )
    return by_theorem(
        goal,
        "flow-lasalle",
        {"function": F.function(DISTANCE), "factor": M / RATE, "bound": M},
        kept=lemma("single-student-kept"),
        bounded=inside,
        falls=having(
            falls_by(2 + 2 * M),
            chain(rest).ge(0, by=signs),
            chain(change).then(M / RATE * falls - rest, by=algebra).le(0, by=signs),
        ),
    )


converges = Claim(
    id="single-student-learns",
    title="The flow of one student converges to the teacher from every start",
    source=SOURCE,
    hypotheses=SHORT,
    statement=FlowsConvergeTo(F, REGION, F.points((1, 1))),
)


@converges.proof
def _(goal):
    """The limits are the teacher alone."""
    system, ends = (
        (Eq(R - 1, 0, evaluate=False), Eq(BESIDE, 0, evaluate=False)),
        (Eq(Q, 1), Eq(R, 1)),
    )
    solved = Equivalent(And(*system), And(*ends), evaluate=False)
    length = split_product(BESIDE, only_at(Q - 1, Q, 1, then=solution()))
    tree = split_product(R - 1, only_at(R - 1, R, 1, then=length))
    return by_theorem(
        goal,
        "flow-limit",
        {"equations": limits.statement.equations, "outside": ()},
        limits=lemma("single-student-limits"),
        solutions=solution_set(solved, (Q, R), tree),
    )


# -- the linear equation at the teacher ------------------------------------------------------------

SLOW = 2 / (3 * sqrt(3) * pi)
slopes = [[at(D(f, z), {Q: 1, R: 1}) for z in (Q, R)] for f in F.velocities]
optimum = Claim(
    id="single-student-optimum",
    title=(
        "At the teacher, $-2/(3 sqrt(3) pi)$ is an eigenvalue of the derivatives of velocities; "
        "the rate of `single-student-near-rate` is twice as much at $rho = M = 1$"
    ),
    source=SOURCE,
    statement=And(
        Eq(
            (slopes[0][0] + SLOW) * (slopes[1][1] + SLOW) - slopes[0][1] * slopes[1][0],
            0,
            evaluate=False,
        ),
        Eq(at(sharp.statement.rate, {rho: 1, M: 1}), 2 * SLOW, evaluate=False),
        evaluate=False,
    ),
)


@optimum.proof
def _(goal):
    """Differentiate; the eigenvector is along the teacher, (2, 1)."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=differentiate) for part in goal.args))
