"""The plateau: students that are all alike, where descent stays until one of them specialises.

As many students as teachers, K of each, with orthonormal teachers and all second layers 1. If the
students are exchangeable, four order parameters are left: R between a student and its own teacher,
S with another teacher, Q of a student with itself and C with another one. Small learning rates
leave the terms of first order in it, here in units of 2 eta/pi.
"""

from sympy import (
    And,
    Eq,
    Equivalent,
    Function,
    Gt,
    Le,
    Matrix,
    Rational,
    Symbol,
    asin,
    erf,
    pi,
    sqrt,
    symbols,
    sympify,
)

from slrsym.gaussian import Expectation, GaussianLaw, erf_prime
from slrsym.proof import (
    Claim,
    D,
    algebra,
    all_of,
    at,
    chain,
    differentiate,
    gaussian_calculus,
    never,
    only_at,
    solution,
    solution_set,
    split_product,
)

K = Symbol("K", integer=True, positive=True)
R, S, C = symbols("R S C", real=True)
Q = Symbol("Q", nonnegative=True)
t, y = symbols("t y", real=True)

# -- exchangeable students -------------------------------------------------------------------------

# Fields of students and of teachers; the first student's teacher is the first.
l_1, l_2, l_3, r_1, r_2, r_3 = symbols("l_1:4 r_1:4", real=True)


def covariance(*fields):
    """Return the covariance matrix of fields."""
    values = {"ll": (Q, C), "lr": (R, S), "rl": (R, S), "rr": (1, 0)}

    def entry(i, j):
        (x, m), (z, n) = (str(fields[i]).split("_"), str(fields[j]).split("_"))
        return values[x + z][m != n]

    return Matrix(len(fields), len(fields), entry)


def g(u):
    return erf(u / sqrt(2))


def slope(u):
    return erf_prime(u / sqrt(2)) / sqrt(2)


def drift(own, along, across, between, wide):
    """Return I3 for fields of these covariances, without its factor 2/pi.

    They are those of the student with itself, with the direction, and with the third field, that
    of the direction with the third field, and that of the third field with itself.
    """
    shared = (1 + own) * (1 + wide) - across**2
    return (between * (1 + own) - along * across) / ((1 + own) * sqrt(shared))


def by_units(R, S, Q, C):
    """Return the terms of the teachers and of the students in the velocities of R, S, Q and C."""
    teachers = (
        drift(Q, R, R, 1, 1) + (K - 1) * drift(Q, R, S, 0, 1),
        drift(Q, S, S, 1, 1) + drift(Q, S, R, 0, 1) + (K - 2) * drift(Q, S, S, 0, 1),
        2 * (drift(Q, Q, R, R, 1) + (K - 1) * drift(Q, Q, S, S, 1)),
        2 * (drift(Q, C, R, S, 1) + drift(Q, C, S, R, 1) + (K - 2) * drift(Q, C, S, S, 1)),
    )
    students = (
        drift(Q, R, Q, R, Q) + (K - 1) * drift(Q, R, C, S, Q),
        drift(Q, S, Q, S, Q) + drift(Q, S, C, R, Q) + (K - 2) * drift(Q, S, C, S, Q),
        2 * (drift(Q, Q, Q, Q, Q) + (K - 1) * drift(Q, Q, C, C, Q)),
        2 * (drift(Q, C, Q, C, Q) + drift(Q, C, C, Q, Q) + (K - 2) * drift(Q, C, C, C, Q)),
    )
    return teachers, students


def flow(R, S, Q, C):
    """Return the velocities of the four order parameters, in units of 2 eta/pi."""
    return tuple(x - y for x, y in zip(*by_units(R, S, Q, C), strict=True))


# The error, of which the units that are alike are added up.
alike = {r_1: 1, r_2: K - 1, l_1: -1, l_2: 1 - K}
others = {r_1: 1, r_2: 1, r_3: K - 2, l_1: -1, l_2: -1, l_3: 2 - K}

written = {
    **{Function("g", real=True)(x): g(x) for x in (*others, y)},
    **{Function("g'", real=True)(x): slope(x) for x in (*others, y)},
}
# All variances are at most Q or 1, as covariances are.
bounds = [Le(R**2, Q), Le(S**2, Q), Le(C**2, Q**2)]


def velocity(name, letter, between, direction, units, teachers, students):
    law = GaussianLaw(dict.fromkeys(units, 0), covariance(*units))
    factor = pi if direction in (l_1, l_2) else pi / 2
    means = {x: n * Expectation(slope(l_1) * direction * g(x), law) for x, n in units.items()}
    claim = Claim(
        id=f"committee-exchangeable-{name}",
        title=(
            f"The velocity of the overlap ${letter}$ of {between}, for exchangeable students, in "
            "closed form"
        ),
        statement=Eq(factor * sum(means.values()), teachers - students, evaluate=False),
        source="Section 3: the equations of motion to first order in $eta$, in units of $2 eta/pi$",
        hypotheses=bounds,
        notation=written,
    )

    @claim.proof
    def _(goal):
        """Evaluate the means with outputs of teachers, and then those with outputs of students."""
        left = factor * sum(mean for x, mean in means.items() if x not in (r_1, r_2, r_3))
        return (
            chain(goal.lhs)
            .then(left + teachers, by=gaussian_calculus)
            .then(goal.rhs, by=gaussian_calculus)
        )

    return claim


terms = by_units(R, S, Q, C)
velocities = flow(R, S, Q, C)
ORDER_PARAMETERS = (
    ("own-overlap", "R", "a student with its own teacher", r_1, alike),
    ("other-overlap", "S", "a student with another teacher", r_2, others),
    ("norm", "Q", "a student with itself", l_1, alike),
    ("correlation", "C", "two students", l_2, others),
)
for row, teachers, students in zip(ORDER_PARAMETERS, *terms, strict=True):
    velocity(*row, teachers, students)


# -- the plateau -----------------------------------------------------------------------------------

aligned, length = 1 / sqrt(K * (2 * K - 1)), 1 / (2 * K - 1)
plateau = (aligned, aligned, length, length)

# How the velocities and the plateau are written.
R_0, Q_0 = symbols("R_0 Q_0", positive=True)
at_plateau = (R_0, R_0, Q_0, Q_0)
letters = {R_0: aligned, Q_0: length}


def named(values, *places):
    """Return how velocities at a place are written."""
    functions = [Function(f"F_{name}", real=True) for name in "RSQC"]
    general = {f(R, S, Q, C): v for f, v in zip(functions, velocities, strict=True)}
    return {f(*places): v for f, v in zip(functions, values, strict=True)} | general


fixed = Claim(
    id="committee-plateau",
    title=(
        "The plateau $R = S = 1/sqrt(K (2 K - 1))$, $Q = C = 1/(2 K - 1)$ is a fixed point of the "
        "flow of exchangeable students"
    ),
    statement=And(*(Eq(v, 0, evaluate=False) for v in flow(*plateau))),
    source="Section 3",
    notation=letters | named(flow(*plateau), *at_plateau),
)


@fixed.proof
def _(goal):
    """Every numerator vanishes."""
    return all_of(*(chain(part.lhs).then(0, by=algebra) for part in goal.args))


error = Claim(
    id="committee-plateau-error",
    title=(
        "On the plateau, the closed form of the generalisation error is $(K/pi) (pi/6 - K "
        "asin(1/(2 K)))$"
    ),
    statement=Eq(
        (
            K * asin(Rational(1, 2))
            + K**2 * asin(length / (1 + length))
            - 2 * K**2 * asin(aligned / sqrt(2 * (1 + length)))
        )
        / pi,
        K / pi * (pi / 6 - K * asin(1 / (2 * K))),
        evaluate=False,
    ),
    source="Section 3",
    notation=letters,
)


@error.proof
def _(goal):
    """Both sines are 1/(2K)."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


root = sqrt(4 * K**2 - 1)
MODES = {
    "escape": (
        "in which students specialise",
        "$K/((2 K + 1) sqrt(4 K^2 - 1))$, the escape rate",
        K / ((2 * K + 1) * root),
        (-(K - 1), 1, 0, 0),
    ),
    "neutral": (
        "that trades norms for correlations of students",
        "0",
        0,
        (-(2 * K - 1) * (K - 1) / (2 * K) * R_0,) * 2 + (-2 * (K - 1), 1),
    ),
    "fast": (
        "in which $Q$ and $C$ grow and $R$ and $S$ fall",
        "$-2 K (2 K - 1)/sqrt(4 K^2 - 1)$",
        -2 * K * (2 * K - 1) / root,
        (-3 * (2 * K - 1) / (4 * K) * R_0,) * 2 + (1, 1),
    ),
    "slow": (
        "in which all four overlaps grow",
        "$-K (2 K - 1)^2/((2 K + 1) sqrt(4 K^2 - 1))$",
        -K * (2 * K - 1) ** 2 / ((2 * K + 1) * root),
        ((2 * K - 1) / 2 * R_0,) * 2 + (1, 1),
    ),
}


def spectrum(name, direction, eigenvalue, rate, mode):
    values = [sympify(e).subs(letters) for e in mode]
    moving = [x + t * e for x, e in zip(plateau, values, strict=True)]
    moved = flow(*moving)
    # The line along the vector: values that are alike have one letter.
    line = {}
    for x, still, value in zip("RSQC", at_plateau, moving, strict=True):
        line.setdefault(value, Symbol(f"{x}_t", real=True) if value.has(t) else still)
    moves = {letter: value for value, letter in line.items() if value.has(t)}
    claim = Claim(
        id=f"committee-plateau-{name}",
        title=(
            f"At the plateau, a direction {direction} is an eigenvector of the flow, with "
            f"eigenvalue {eigenvalue}"
        ),
        statement=And(
            *(
                Eq(at(D(v, t), {t: 0}), rate * e, evaluate=False)
                for v, e in zip(moved, values, strict=True)
            ),
            evaluate=False,
        ),
        source="Section 3",
        notation=letters | moves | named(moved, *(line[x] for x in moving)),
    )

    @claim.proof
    def _(goal):
        """Differentiate along the vector."""
        return all_of(*(chain(part.lhs).then(part.rhs, by=differentiate) for part in goal.args))

    return claim


for name, row in MODES.items():
    spectrum(name, *row)


# -- no other plateau ------------------------------------------------------------------------------

n = Symbol("n", positive=True)
r = Symbol("r", positive=True)
shared, long = sqrt(2 * (1 + Q) - r**2), sqrt(1 + 2 * Q)
velocity_r = ((1 + Q) - n * r**2) / shared - n * r / long
velocity_q = r / shared - Q / long

equal_students = Claim(
    id="committee-plateau-equal-students",
    title=(
        "The velocities of $R$ and $Q$ where all students are equal, $R = S$ and $Q = C$, in "
        "closed form"
    ),
    statement=And(
        Eq(flow(r, r, Q, Q)[0], velocity_r.subs(n, K) / (1 + Q), evaluate=False),
        Eq(flow(r, r, Q, Q)[2], 2 * K * velocity_q / (1 + Q), evaluate=False),
        evaluate=False,
    ),
    source="Section 3",
    hypotheses=[Gt(2 * (1 + Q) - r**2, 0)],
    notation=named(flow(r, r, Q, Q), r, r, Q, Q),
)


@equal_students.proof
def _(goal):
    """Add up the terms of all units."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=algebra) for part in goal.args))


combined = Claim(
    id="committee-plateau-combinations",
    title=(
        "For equal students, multiples of the velocity of $Q$ and of a combination of those "
        "of $R$, $Q$ are linear in $Q - K R^2$ and $Q (1 - (2 K - 1) Q)$"
    ),
    statement=And(
        Eq(
            (Q * velocity_r - n * r * velocity_q) * shared,
            (1 + Q) * (Q - n * r**2),
            evaluate=False,
        ),
        Eq(
            n * shared * long * (r * long + Q * shared) * velocity_q,
            Q * (1 + Q) * (1 - (2 * n - 1) * Q) - (1 + Q) ** 2 * (Q - n * r**2),
            evaluate=False,
        ),
        evaluate=False,
    ),
    source="Section 3",
    hypotheses=[Gt(2 * (1 + Q) - r**2, 0)],
)


@combined.proof
def _(goal):
    """Multiply out."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=algebra) for part in goal.args))


# The number of units, less 1.
p = Symbol("p", nonnegative=True)
lone = (1 - (2 * p + 1) * Q) * Q
balance = Q - (p + 1) * r**2
unique = Claim(
    id="committee-plateau-unique",
    title=(
        "Where $R > 0$ and $Q >= 0$, both $Q - K R^2$ and $Q (1 - (2 K - 1) Q)$ vanish at the "
        "plateau only"
    ),
    statement=Equivalent(
        And(Eq(lone, 0), Eq(balance, 0)),
        And(Eq(Q, 1 / (2 * p + 1)), Eq(r, 1 / sqrt((p + 1) * (2 * p + 1)))),
    ),
    source="Section 3",
)


@unique.proof
def _(goal):
    """Either $Q$ is that of the plateau, or it is 0, and then $R$ would be 0."""
    value = 1 / sqrt((p + 1) * (2 * p + 1))
    aligned_only = split_product(
        balance, never(-(p + 1) * (r + value)), only_at(r - value, r, value, then=solution())
    )
    tree = split_product(
        lone,
        only_at(1 - (2 * p + 1) * Q, Q, 1 / (2 * p + 1), then=aligned_only),
        only_at(Q, Q, 0, then=split_product(balance, never(-(p + 1) * r**2))),
    )
    return solution_set(goal, (Q, r), tree)
