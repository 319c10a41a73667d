"""Lemmas of other papers, with their proofs: optimisation, sequences and losses."""

from lemma_letters import (
    B,
    E,
    G,
    L,
    a,
    b,
    d,
    e,
    f,
    h,
    i,
    mu,
    n,
    p,
    q,
    s,
    says,
    state,
    u,
    v,
    x,
    y,
    z,
)
from sympy import (
    Eq,
    Ge,
    Le,
    Rational,
    Sum,
    exp,
    log,
    sqrt,
)

from slrsym.proof import (
    Convex,
    D,
    ForAll,
    PolyakLojasiewicz,
    Smooth,
    algebra,
    chain,
    differentiate,
    gaussian_calculus,
    having,
    induction,
    instance,
    jensen,
    monotone,
    signs,
    tangent,
    taylor,
)

# [optimisation]
smooth = Smooth(f, L)


@state(
    "descent-lemma",
    "The descent lemma",
    "Nesterov (2004), Introductory lectures on convex optimization",
    says(Le, f(y), f(x) + D(f(x), x) * (y - x) + L * (y - x) ** 2 / 2),
    (smooth,),
)
def _(goal):
    return chain(goal.lhs).le(goal.rhs, by=taylor(f(z), z, x, y, bound=smooth))


step = x - D(f(x), x) / L
decrease = Le(f(step), f(x) - D(f(x), x) ** 2 / (2 * L))


def descend():
    """Show how far a step of gradient descent descends."""
    parabola = f(x) + D(f(x), x) * (step - x) + L * (step - x) ** 2 / 2
    return (
        chain(f(step))
        .le(parabola, by=taylor(f(z), z, x, step, bound=smooth))
        .then(f(x) - D(f(x), x) ** 2 / (2 * L), by=algebra)
    )


@state(
    "descent-of-a-step",
    "A step of gradient descent descends by the squared gradient",
    "Nesterov (2004), Introductory lectures on convex optimization",
    decrease,
    (smooth,),
)
def _(goal):
    return descend()


loja = PolyakLojasiewicz(f, mu, B)


@state(
    "polyak-lojasiewicz-rate",
    "Gradient descent contracts the excess under the Polyak-Lojasiewicz inequality",
    "Karimi, Nutini and Schmidt (2016), Linear convergence of gradient methods",
    says(Le, f(step) - B, (1 - mu / L) * (f(x) - B)),
    (smooth, loja),
)
def _(goal):
    slope = loja.instantiate(x)
    steep = chain(slope.lhs).le(slope.rhs, by=instance(loja, x))
    return having(descend(), steep, chain(goal.lhs).le(goal.rhs, by=signs))


@state(
    "strongly-convex-step",
    "A gradient step contracts the distance to the minimiser",
    "Nesterov (2004), Introductory lectures on convex optimization",
    says(Le, (x - h * u - y) ** 2, (1 - h * mu) * (x - y) ** 2),
    (
        says(Ge, u * (x - y), mu * (x - y) ** 2),
        says(Ge, L * u * (x - y), u**2),
        says(Le, h * L, 1),
    ),
)
def _(goal):
    above = chain(u * (x - y)).ge(mu * (x - y) ** 2, by=signs).ge(0, by=signs)
    short = having(
        above, chain(h**2 * u**2).le(h**2 * L * u * (x - y), by=signs).le(h * u * (x - y), by=signs)
    )
    expanded = chain(goal.lhs).then((x - y) ** 2 - 2 * h * u * (x - y) + h**2 * u**2, by=algebra)
    return having(
        short,
        expanded.le((x - y) ** 2 - h * u * (x - y), by=signs).le(goal.rhs, by=signs),
    )


@state(
    "heavy-ball-roots",
    "At the extreme curvatures, the heavy ball has a double root",
    "Polyak (1964), Some methods of speeding up the convergence of iteration methods",
    says(
        Eq,
        (
            1
            + ((sqrt(L) - sqrt(mu)) / (sqrt(L) + sqrt(mu))) ** 2
            - 4 * mu / (sqrt(L) + sqrt(mu)) ** 2
        )
        ** 2,
        4 * ((sqrt(L) - sqrt(mu)) / (sqrt(L) + sqrt(mu))) ** 2,
    ),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=algebra)


@state(
    "newton-for-a-reciprocal",
    "Newton's method for a reciprocal squares the relative error",
    "Schulz (1933), in one dimension",
    says(Eq, 1 - a * (x * (2 - a * x)), (1 - a * x) ** 2),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=algebra)


@state(
    "convex-rate-step",
    "If the excess falls by its square over c, its inverse grows by 1/c",
    "Nesterov (2004), Introductory lectures on convex optimization",
    says(Ge, 1 / v, 1 / u + 1 / p),
    (u > 0, v > 0, says(Le, v, u - u**2 / p)),
)
def _(goal):
    falls = chain(v).le(u - u**2 / p, by=signs).le(u, by=signs)
    product = having(falls, chain(u * v).le(u**2, by=signs).le(p * (u - v), by=signs))
    return having(product, chain(goal.lhs).ge(goal.rhs, by=signs))


@state(
    "convex-gradients-are-monotone",
    "The gradient of a convex function is monotone",
    "Nesterov (2004), Introductory lectures on convex optimization",
    says(Ge, D(f(x), x) * (x - y), D(f(y), y) * (x - y)),
    (Convex(f),),
)
def _(goal):
    below = chain(f(y)).ge(f(x) + D(f(x), x) * (y - x), by=tangent(f(z), z, at=x, point=y))
    above = chain(f(x)).ge(f(y) + D(f(y), y) * (x - y), by=tangent(f(z), z, at=y, point=x))
    return having(below, above, chain(goal.lhs).ge(goal.rhs, by=signs))


@state(
    "strong-convexity-gives-polyak-lojasiewicz",
    "A strongly convex function satisfies the Polyak-Lojasiewicz inequality",
    "Karimi, Nutini and Schmidt (2016), Linear convergence of gradient methods",
    says(Le, f(x) - f(y), D(f(x), x) ** 2 / (2 * mu)),
    (Convex(f, mu),),
)
def _(goal):
    parabola = f(x) + D(f(x), x) * (y - x) + mu * (y - x) ** 2 / 2
    below = chain(f(y)).ge(parabola, by=taylor(f(z), z, x, y, bound=Convex(f, mu)))
    square = chain((D(f(x), x) + mu * (y - x)) ** 2 / (2 * mu)).ge(0, by=signs)
    return having(below, square, chain(goal.lhs).le(goal.rhs, by=signs))


# [sequences]
growth = ForAll(i, Le(e[i + 1], (1 + h) * e[i]))


@state(
    "discrete-gronwall",
    "The discrete inequality of Gronwall",
    "Gronwall (1919); in numerical analysis",
    says(Le, e[n], (1 + h) ** n * e[0]),
    (growth,),
)
def _(goal):
    def step(known):
        once = chain(e[n + 1]).le((1 + h) * e[n], by=instance(growth, n))
        return once.le((1 + h) ** (n + 1) * e[0], by=known.scaled(1 + h))

    return induction(goal, n, base=algebra, step=step)


noisy = ForAll(i, Le(e[i + 1], q * e[i] + b))


@state(
    "contraction-with-noise",
    "A contraction with noise ends near the noise floor",
    "Bottou, Curtis and Nocedal (2018), Optimization methods for large-scale machine learning",
    says(Le, e[n] - b / (1 - q), q**n * (e[0] - b / (1 - q))),
    (noisy, q < 1),
)
def _(goal):
    floor = b / (1 - q)

    def step(known):
        once = chain(e[n + 1] - floor).le(q * e[n] + b - floor, by=instance(noisy, n))
        again = once.then(q * (e[n] - floor), by=algebra)
        return again.le(q ** (n + 1) * (e[0] - floor), by=known.scaled(q))

    return induction(goal, n, base=algebra, step=step)


almost = ForAll(i, Le(e[i + 1], e[i] - d[i] + B * q**i))


@state(
    "robbins-siegmund-sums",
    "What falls but for summable errors: a bound of the decrements' sum",
    "Robbins and Siegmund (1971), without randomness",
    says(Le, e[n] + Sum(d[i], (i, 0, n - 1)), e[0] + B * Sum(q**i, (i, 0, n - 1))),
    (almost,),
)
def _(goal):
    def step(known):
        once = chain(e[n + 1] + Sum(d[i], (i, 0, n))).le(
            e[n] - d[n] + B * q**n + Sum(d[i], (i, 0, n)), by=instance(almost, n)
        )
        return once.then(e[n] + Sum(d[i], (i, 0, n - 1)) + B * q**n, by=algebra).le(
            e[0] + B * Sum(q**i, (i, 0, n)), by=signs
        )

    return induction(goal, n, base=algebra, step=step)


regret = ForAll(i, Le(e[i + 1], e[i] - 2 * h * d[i] + h**2 * B))


@state(
    "subgradient-regret",
    "The regret of the subgradient method with a fixed step",
    "Zinkevich (2003), Online convex programming",
    says(Le, 2 * h * Sum(d[i], (i, 0, n - 1)), e[0] - e[n] + n * h**2 * B),
    (regret,),
)
def _(goal):
    def step(known):
        peeled = chain(2 * h * Sum(d[i], (i, 0, n))).then(
            2 * h * Sum(d[i], (i, 0, n - 1)) + 2 * h * d[n], by=algebra
        )
        last = chain(2 * h * d[n]).le(
            e[n] - e[n + 1] + h**2 * B,
            by=signs.using(
                chain(e[n + 1]).le(e[n] - 2 * h * d[n] + h**2 * B, by=instance(regret, n))
            ),
        )
        return having(last, peeled.le(e[0] - e[n + 1] + (n + 1) * h**2 * B, by=signs))

    return induction(goal, n, base=algebra, step=step)


descent = ForAll(i, Le(e[i + 1], q * e[i] + h**2 * B))


@state(
    "sgd-noise-floor",
    "Stochastic gradient descent with a fixed step ends near its noise floor",
    "Needell, Srebro and Ward (2016), Stochastic gradient descent, weighted sampling",
    says(Le, e[n], q**n * e[0] + h * B / mu),
    (descent, says(Eq, q, 1 - h * mu)),
)
def _(goal):
    def step(known):
        once = chain(e[n + 1]).le(q * e[n] + h**2 * B, by=instance(descent, n))
        again = once.le(q * (q**n * e[0] + h * B / mu) + h**2 * B, by=known.scaled(q))
        return again.then(q ** (n + 1) * e[0] + h * B / mu, by=algebra)

    return induction(goal, n, base=signs, step=step)


# [losses]
@state(
    "logistic-curvature",
    "The logistic loss has a curvature of at most 1/4",
    "Bach (2010), Self-concordant analysis for logistic regression",
    says(Le, D(log(1 + exp(-x)), x, x), Rational(1, 4)),
)
def _(goal):
    curvature = exp(-x) / (1 + exp(-x)) ** 2
    return chain(goal.lhs).then(curvature, by=differentiate).le(goal.rhs, by=signs)


@state(
    "logistic-self-concordance",
    "The third derivative of the logistic loss is at most the second",
    "Bach (2010), Self-concordant analysis for logistic regression",
    says(Le, D(log(1 + exp(-x)), x, x, x), D(log(1 + exp(-x)), x, x)),
)
def _(goal):
    w = exp(-x)
    third = chain(goal.lhs).then(w * (w - 1) / (1 + w) ** 3, by=differentiate)
    return third.le(w / (1 + w) ** 2, by=signs).then(goal.rhs, by=differentiate)


@state(
    "logistic-tangent",
    "The logistic loss is above its tangent at 0",
    "Bartlett, Jordan and McAuliffe (2006), Convexity, classification, and risk bounds",
    says(Ge, log(1 + exp(-x)), log(2) - x / 2),
)
def _(goal):
    return chain(goal.lhs).ge(goal.rhs, by=tangent(log(1 + exp(-u)), u, 0, x))


@state(
    "entropy-floor",
    "x log x is at least -1/e",
    "Cover and Thomas (2006), Elements of information theory",
    says(Ge, p * log(p), -exp(-1)),
)
def _(goal):
    return chain(goal.lhs).ge(goal.rhs, by=tangent(s * log(s), s, exp(-1), p))


@state(
    "logarithm-below-a-line",
    "log x is at most x/e",
    "Corless, Gonnet, Hare, Jeffrey and Knuth (1996), On the Lambert W function",
    says(Le, log(p), p / exp(1)),
)
def _(goal):
    above = chain(goal.lhs).le(exp(log(p) - 1), by=tangent(exp(u - 1), u, 1, log(p)))
    return above.then(goal.rhs, by=algebra)


@state(
    "softplus-mean",
    "The mean logistic loss of a random score is at least log 2",
    "Jensen (1906); for label noise",
    says(Ge, E(log(1 + exp(s * G))), log(2)),
)
def _(goal):
    convex = jensen(log(1 + exp(u)), u)
    below = chain(goal.lhs).ge(log(1 + exp(E(s * G))), by=convex)
    return below.then(goal.rhs, by=gaussian_calculus)


@state(
    "hoeffding-curvature",
    "The cumulant generating function of a coin has a second derivative of at most 1/4",
    "Hoeffding (1963), Probability inequalities for sums of bounded random variables",
    says(Le, D(log(1 - h + h * exp(x)), x, x), Rational(1, 4)),
    (h < 1,),
)
def _(goal):
    second = h * (1 - h) * exp(x) / (1 - h + h * exp(x)) ** 2
    return chain(goal.lhs).then(second, by=differentiate).le(goal.rhs, by=signs)


@state(
    "exponential-below-a-parabola",
    "The exponential of a negative number is at most its parabola",
    "Maurer (2003), A bound on the deviation probability for sums of non-negative random variables",
    says(Le, exp(-p), 1 - p + p**2 / 2),
)
def _(goal):
    gap = 1 - z + z**2 / 2 - exp(-z)
    line = chain(exp(-z)).ge(1 - z, by=tangent(exp(-u), u, 0, z))
    slope = chain(D(gap, z)).then(z - 1 + exp(-z), by=differentiate).ge(0, by=signs.using(line))
    above = chain(gap.subs(z, p)).ge(0, by=monotone(gap, z, p, 0, slope))
    return chain(goal.lhs).le(goal.rhs, by=signs.using(above))


@state(
    "log-sum-exp-of-two",
    "The log-sum-exp of two numbers is at least their mean and log 2",
    "Nesterov (2005), Smooth minimization of non-smooth functions",
    says(Ge, log(exp(x) + exp(y)), (x + y) / 2 + log(2)),
)
def _(goal):
    turned = chain(goal.lhs).then(y + log(1 + exp(x - y)), by=algebra)
    return turned.ge(goal.rhs, by=tangent(log(1 + exp(u)), u, 0, x - y))


@state(
    "gibbs-of-two-coins",
    "The Kullback-Leibler divergence of two coins is not negative",
    "Cover and Thomas (2006), Elements of information theory",
    says(Ge, h * log(h / q) + (1 - h) * log((1 - h) / (1 - q)), 0),
    (h < 1, q < 1),
)
def _(goal):
    heads = chain(log(q / h)).le(q / h - 1, by=tangent(log(s), s, 1, q / h))
    odds = (1 - q) / (1 - h)
    tails = chain(log(odds)).le(odds - 1, by=tangent(log(s), s, 1, odds))
    turned = chain(goal.lhs).then(-h * log(q / h) - (1 - h) * log(odds), by=algebra)
    return having(heads, tails, turned.ge(0, by=signs))
