"""How many steps of growth or contraction suffice.

A count is a logarithm, divided by the rate of a step; as many steps make up for it.
"""

from sympy import Eq, Ge, Le, Symbol, exp, log, sqrt, symbols

from slrsym.papers.single_location.notation import kappa, nu
from slrsym.proof import Claim, algebra, chain, having, increasing, sign, tangent

n = Symbol("n", integer=True, nonnegative=True)
z = Symbol("z", positive=True)

# -- many steps --------------------------------------------------------------------------------

w = Symbol("w", real=True)
gained_rate = Symbol("a", nonnegative=True)
first, after = (Symbol(name, real=True) for name in ("W_0", "W'"))
now = Symbol("W", nonnegative=True)

many = Claim(
    id="convergence-time-growth-power",
    title=(
        "If $a, W >= 0$, $W >= e^(n s) W_0$ with $s = a/(1 + a)$, and $W' >= (1 + a) W$, then $W' "
        ">= e^((n + 1) s) W_0$"
    ),
    statement=Ge(after, exp((n + 1) * gained_rate / (1 + gained_rate)) * first, evaluate=False),
    source="new",
    hypotheses=[
        Ge(after, (1 + gained_rate) * now),
        Ge(now, exp(n * gained_rate / (1 + gained_rate)) * first),
    ],
)


@many.proof
def _(goal):
    """$e^(-s)$ lies above its tangent at 0, so that $1 + a$ is at least $e^s$."""
    share = gained_rate / (1 + gained_rate)
    other = chain(exp(-share)).ge(1 - share, by=tangent(exp(w), w, at=0, point=-share))
    factor = chain(exp(share)).le(1 + gained_rate, by=sign)
    return having(
        other,
        having(
            factor,
            chain(after)
            .ge((1 + gained_rate) * now, by=sign)
            .ge(exp(share) * now, by=sign)
            .ge(exp(share) * exp(n * share) * first, by=sign)
            .then(goal.rhs, by=algebra),
        ),
    )


lost_rate = Symbol("s", real=True)

fewer = Claim(
    id="convergence-time-contraction-power",
    title="If $0 <= W <= e^(-n s) W_0$ and $W' <= (1 - s) W$, then $W' <= e^(-(n + 1) s) W_0$",
    statement=Le(after, exp(-(n + 1) * lost_rate) * first, evaluate=False),
    source="new",
    hypotheses=[
        Le(after, (1 - lost_rate) * now),
        Le(now, exp(-n * lost_rate) * first),
    ],
)


@fewer.proof
def _(goal):
    """$e^(-s)$ lies above its tangent at 0."""
    factor = chain(1 - lost_rate).le(exp(-lost_rate), by=tangent(exp(w), w, at=0, point=-lost_rate))
    return having(
        factor,
        chain(after)
        .le(exp(-lost_rate) * now, by=sign)
        .le(exp(-lost_rate) * exp(-n * lost_rate) * first, by=sign)
        .then(goal.rhs, by=algebra),
    )


# -- steps that are enough for a phase ---------------------------------------------------------

large, little, rate = symbols("W_1 W_0 a", positive=True)

enough_growth = Claim(
    id="convergence-time-growth-enough",
    title=(
        "If $a > 0$ and $n >= (log(W_1) - log(W_0)) (1 + a)/a$, then $e^(n a/(1 + a)) W_0 >= W_1$"
    ),
    statement=Ge(exp(n * rate / (1 + rate)) * little, large, evaluate=False),
    source="new",
    hypotheses=[Ge(n, (log(large) - log(little)) * (1 + rate) / rate)],
)


@enough_growth.proof
def _(goal):
    """The exponential is increasing."""
    share = n * rate / (1 + rate)
    times = chain(share).ge(log(large) - log(little), by=sign)
    power = chain(exp(share)).ge(large / little, by=increasing(exp(w), w, times))
    return having(power, chain(goal.lhs).ge(large, by=sign))


lost = Symbol("s", positive=True)

enough_contraction = Claim(
    id="convergence-time-contraction-enough",
    title=(
        "If $s > 0$ and $n >= (log(W_1) - log(W_0))/s$, then $e^(-n s) W_1 <= W_0$, for the "
        "weights $W_1$ at the start and $W_0$ at the end"
    ),
    statement=Le(exp(-n * lost) * large, little, evaluate=False),
    source="new",
    hypotheses=[Ge(n, (log(large) - log(little)) / lost)],
)


@enough_contraction.proof
def _(goal):
    """The exponential is increasing."""
    times = chain(-n * lost).le(log(little) - log(large), by=sign)
    power = chain(exp(-n * lost)).le(little / large, by=increasing(exp(w), w, times))
    return having(power, chain(goal.lhs).le(little, by=sign))


# -- other bounds ------------------------------------------------------------------------------

product = Symbol("P", nonnegative=True)
positive, other = Symbol("a", positive=True), Symbol("b", real=True)

factor = Claim(
    id="other-factor-nonnegative",
    title="If $a b >= 0$ and $a > 0$, then $b >= 0$",
    statement=Ge(other, 0, evaluate=False),
    source="school; $P$ is the product",
    hypotheses=[Eq(product, positive * other)],
)


@factor.proof
def _(goal):
    """Divide by $a$."""
    return chain(other).then(product / positive, by=algebra).ge(0, by=sign)


# -- from a start near the saddle --------------------------------------------------------------

weight, least = symbols("m w", positive=True)
growth_rate = Symbol("g", positive=True)
smallest = 2 * sqrt(growth_rate * weight * least)

start = Claim(
    id="convergence-time-start",
    title="If $kappa, nu >= 0$ and $kappa nu >= w$, then $g kappa + m nu >= 2 (g m w)^(1/2)$",
    statement=Ge(growth_rate * kappa + weight * nu, smallest, evaluate=False),
    source="new; growth begins with a count that is logarithmic in $1/w$",
    hypotheses=[Ge(kappa, 0), Ge(nu, 0), Ge(kappa * nu, least)],
)


@start.proof
def _(goal):
    """The geometric mean is at most the arithmetic one."""
    both, difference = growth_rate * weight, growth_rate * kappa - weight * nu
    square = (
        chain(4 * both * least)
        .le(4 * both * kappa * nu, by=sign)
        .le(4 * both * kappa * nu + difference**2, by=sign)
        .then((growth_rate * kappa + weight * nu) ** 2, by=algebra)
    )
    return chain(goal.lhs).ge(goal.rhs, by=increasing(sqrt(z), z, square))
