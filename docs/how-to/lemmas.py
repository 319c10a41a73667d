"""Lemmas of other papers, with their proofs."""

from sympy import (
    Abs,
    Eq,
    Function,
    Ge,
    Heaviside,
    IndexedBase,
    Le,
    Max,
    Rational,
    Sum,
    Symbol,
    acos,
    asin,
    cos,
    cosh,
    erf,
    exp,
    log,
    pi,
    sign,
    sin,
    sqrt,
    symbols,
    tanh,
)

from slrsym.gaussian import Expectation, GaussianLaw, normal_cdf, standard_normal
from slrsym.proof import (
    Claim,
    D,
    ForAll,
    Lipschitz,
    PolyakLojasiewicz,
    Smooth,
    algebra,
    chain,
    change_of_variables,
    complete_the_square,
    differentiate,
    equal_by_derivative,
    gaussian_calculus,
    having,
    increasing,
    independence,
    induction,
    inside,
    instance,
    jensen,
    monotone,
    piecewise,
    poincare,
    price,
    signs,
    stein,
    tangent,
    taylor,
)

a, b, c, m, r, u, v, x, y, z = symbols("a b c m r u v x y z", real=True)
h, p, q, s, mu, L, B = symbols("h p q s mu L B", positive=True)
t = Symbol("t", nonnegative=True)
i, n = Symbol("i", integer=True), Symbol("n", integer=True, nonnegative=True)
G, U, W = symbols("G U W", real=True)
f, g = Function("f", real=True), Function("g", real=True)
e, d = IndexedBase("e", real=True), IndexedBase("d", real=True)

pair = GaussianLaw({U: 0, W: 0}, [[1, r], [r, 1]])
correlated = (r > -1, r < 1)
# A student's and a teacher's field: the student's has variance q, their covariance is c.
fields = GaussianLaw({U: 0, W: 0}, [[q, c], [c, 1]])
possible = (q > c**2,)


def E(integrand, law=None):
    return Expectation(integrand, law or standard_normal(G))


def says(relation, left, right):
    return relation(left, right, evaluate=False)


def state(id, title, source, statement, given=()):
    return Claim(id=id, title=title, statement=statement, source=source, hypotheses=given).proof


# [kernels]
@state(
    "arc-sine-kernel",
    "The kernel of infinitely many erf units",
    "Williams (1997), Computing with infinite networks",
    says(Eq, E(erf(U) * erf(W), fields), 2 / pi * asin(2 * c / sqrt((1 + 2 * q) * 3))),
    possible,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "arc-cosine-kernel-zero",
    "The arc-cosine kernel of degree 0",
    "Cho and Saul (2009), Kernel methods for deep learning",
    says(Eq, 2 * E(Heaviside(U) * Heaviside(W), pair), 1 - acos(r) / pi),
    correlated,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "arc-cosine-kernel-degree-one",
    "The arc-cosine kernel of degree 1",
    "Cho and Saul (2009), Kernel methods for deep learning",
    says(
        Eq,
        2 * E(Max(U, 0) * Max(W, 0), pair),
        (sqrt(1 - r**2) + r * (pi - acos(r))) / pi,
    ),
    correlated,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "random-fourier-features",
    "The mean of a random Fourier feature is the Gaussian kernel",
    "Rahimi and Recht (2007), Random features for large-scale kernel machines",
    says(Eq, E(cos(G * (x - y) / s)), exp(-((x - y) ** 2) / (2 * s**2))),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "mean-embedding",
    "The mean embedding of a Gaussian law, for the Gaussian kernel",
    "Muandet, Fukumizu, Sriperumbudur and Schoelkopf (2017), Kernel mean embedding",
    says(
        Eq,
        E(exp(-((x - s * G) ** 2) / (2 * h**2))),
        h / sqrt(h**2 + s**2) * exp(-(x**2) / (2 * (h**2 + s**2))),
    ),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "mehler-generating",
    "Mehler's formula for the generating functions of Hermite polynomials",
    "Mehler (1866)",
    says(Eq, E(exp(a * U - a**2 / 2) * exp(b * W - b**2 / 2), pair), exp(r * a * b)),
    correlated,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "hermite-of-degree-four",
    "The normalised Hermite polynomials of degree 4 have the kernel r^4",
    "O'Donnell (2014), Analysis of Boolean functions",
    says(Eq, E((U**4 - 6 * U**2 + 3) * (W**4 - 6 * W**2 + 3), pair) / 24, r**4),
    correlated,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "erf-tangent-kernel",
    "The slopes' part of the tangent kernel of erf units",
    "Jacot, Gabriel and Hongler (2018), Neural tangent kernel",
    says(Eq, 4 / pi * E(exp(-(U**2) - W**2), fields), 4 / (pi * sqrt(3 * (1 + 2 * q) - 4 * c**2))),
    possible,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "gelu-mean",
    "The mean of a GELU",
    "Hendrycks and Gimpel (2016), Gaussian error linear units",
    says(Eq, E(s * G * normal_cdf(s * G)), s**2 / sqrt(2 * pi * (1 + s**2))),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "gelu-second-moment",
    "The second moment of a GELU",
    "Hendrycks and Gimpel (2016), Gaussian error linear units",
    says(Eq, E((G * normal_cdf(G)) ** 2), Rational(1, 3) + 1 / (2 * pi * sqrt(3))),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "he-initialisation",
    "A ReLU halves the second moment",
    "He, Zhang, Ren and Sun (2015), Delving deep into rectifiers",
    says(Eq, E(Max(s * G, 0) ** 2), s**2 / 2),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


# [gaussian]
@state(
    "price-theorem",
    "Price's theorem",
    "Price (1958), A useful theorem for nonlinear devices",
    says(Eq, D(E(f(U) * g(W), pair), r), E(D(f(U), U) * D(g(W), W), pair)),
    correlated,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=price)


@state(
    "stein-of-a-pair",
    "Stein's lemma for a correlated pair",
    "Stein (1981), Estimation of the mean of a multivariate normal distribution",
    says(Eq, E(U * f(W), pair), r * E(D(f(W), W), pair)),
    correlated,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=stein(U))


@state(
    "cameron-martin",
    "An exponential tilt shifts a Gaussian variable",
    "Cameron and Martin (1944)",
    says(Eq, E(f(G) * exp(a * G - a**2 / 2)), Expectation(f(G), GaussianLaw({G: a}, [[1]]))),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=complete_the_square(GaussianLaw({G: a}, [[1]])))


@state(
    "lipschitz-variance",
    "A Lipschitz function of a Gaussian variable has a bounded variance",
    "Boucheron, Lugosi and Massart (2013), Concentration inequalities",
    says(Le, E(f(G) ** 2) - E(f(G)) ** 2, L**2),
    (Lipschitz(f, L),),
)
def _(goal):
    slope = D(f(G), G)
    below = chain(slope).le(L, by=instance(Lipschitz(f, L), G))
    above = chain(slope).ge(-L, by=instance(Lipschitz(f, L), G))
    variance = chain(goal.lhs).le(E(slope**2), by=poincare(f(G)))
    bound = variance.le(E(L**2 + 0 * G), by=inside(signs.using(below, above)))
    return bound.then(L**2, by=gaussian_calculus)


@state(
    "poincare-sine",
    "The Gaussian Poincare inequality for a cosine",
    "Nash (1958); Chernoff (1981)",
    says(Le, E(cos(a * G) ** 2) - E(cos(a * G)) ** 2, a**2),
)
def _(goal):
    slope = chain(goal.lhs).le(E(a**2 * sin(a * G) ** 2), by=poincare(cos(a * G)))
    return slope.le(E(a**2 + 0 * G), by=inside(signs)).then(a**2, by=gaussian_calculus)


@state(
    "log-sobolev-equality",
    "Exponentials attain the Gaussian logarithmic Sobolev inequality",
    "Gross (1975), Logarithmic Sobolev inequalities; Carlen (1991)",
    says(
        Eq,
        E(a * G * exp(a * G)) - E(exp(a * G)) * log(E(exp(a * G))),
        2 * E((a / 2 * exp(a * G / 2)) ** 2),
    ),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "gaussian-divergence",
    "The Kullback-Leibler divergence of two shifted Gaussian laws",
    "McAllester (1999), PAC-Bayesian model averaging, in one dimension",
    says(Eq, E((s * G + m) ** 2 - (s * G) ** 2) / (2 * s**2), m**2 / (2 * s**2)),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "chernoff-of-a-gaussian",
    "The Chernoff bound for a Gaussian variable of variance s^2",
    "Boucheron, Lugosi and Massart (2013), Concentration inequalities",
    says(Le, 1 - normal_cdf(p / s), exp(-(p**2) / (2 * s**2))),
)
def _(goal):
    w = p / s
    tail = chain(goal.lhs).then(E(Heaviside(G - w)), by=gaussian_calculus)
    bound = tail.le(E(exp(w * (G - w))), by=inside(piecewise(signs)))
    return bound.then(goal.rhs, by=gaussian_calculus)


@state(
    "mills-upper",
    "The upper bound of Mills' ratio",
    "Gordon (1941), Values of Mills' ratio",
    says(Le, 1 - normal_cdf(p), exp(-(p**2) / 2) / (p * sqrt(2 * pi))),
)
def _(goal):
    excess = E(Max(G - p, 0))
    mean = chain(goal.lhs).then(goal.rhs - excess / p, by=gaussian_calculus)
    return mean.le(goal.rhs, by=signs)


@state(
    "laurent-massart",
    "The logarithm of the moment generating function of G^2 - 1",
    "Laurent and Massart (2000), Adaptive estimation of a quadratic functional",
    says(Le, -x - log(1 - 2 * x) / 2, x**2 / (1 - 2 * x)),
    (x >= 0, x < Rational(1, 2)),
)
def _(goal):
    gap = z**2 / (1 - 2 * z) + z + log(1 - 2 * z) / 2
    slope = chain(D(gap, z)).then(2 * z**2 / (1 - 2 * z) ** 2, by=differentiate).ge(0, by=signs)
    above = chain(gap.subs(z, x)).ge(0, by=monotone(gap, z, x, 0, slope))
    return chain(goal.lhs).le(goal.rhs, by=signs.using(above))


@state(
    "centred-chi-square",
    "The moment generating function of G^2 - 1",
    "Laurent and Massart (2000), Adaptive estimation of a quadratic functional",
    says(Eq, E(exp(x * (G**2 - 1))), exp(-x) / sqrt(1 - 2 * x)),
    (x < Rational(1, 2),),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "projected-length",
    "The cubic bound of the logarithm, for random projections",
    "Dasgupta and Gupta (2003), An elementary proof of a theorem of Johnson and Lindenstrauss",
    says(Le, log(1 + t), t - t**2 / 2 + t**3 / 3),
)
def _(goal):
    gap = z - z**2 / 2 + z**3 / 3 - log(1 + z)
    slope = chain(D(gap, z)).then(z**3 / (1 + z), by=differentiate).ge(0, by=signs)
    above = chain(gap.subs(z, t)).ge(0, by=monotone(gap, z, t, 0, slope))
    return chain(goal.lhs).le(goal.rhs, by=signs.using(above))


@state(
    "rademacher",
    "A random sign is subgaussian",
    "Hoeffding (1963), Probability inequalities for sums of bounded random variables",
    says(Le, (exp(x) + exp(-x)) / 2, exp(x**2 / 2)),
)
def _(goal):
    below = tangent(u**2 / 2 - log(cosh(u)), u, 0, x)
    logarithms = chain(log(cosh(x))).le(x**2 / 2, by=below)
    mean = chain(goal.lhs).then(cosh(x), by=algebra)
    return mean.le(goal.rhs, by=increasing(exp(u), u, logarithms))


@state(
    "bussgang",
    "Bussgang's theorem",
    "Bussgang (1952), Crosscorrelation functions of amplitude-distorted Gaussian signals",
    says(Eq, E(U * f(W), fields), c * E(D(f(W), W), fields)),
    possible,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=stein(U))


@state(
    "one-bit-sensing",
    "A sign keeps the direction of a signal",
    "Plan and Vershynin (2013), One-bit compressed sensing by linear programming",
    says(Eq, E(sign(U) * W, pair), sqrt(2 / pi) * r),
    correlated,
)
def _(goal):
    apart = GaussianLaw({U: 0, W: 0}, [[1, 0], [0, 1]])
    along, across = r * U, sqrt(1 - r**2) * W
    turned = chain(goal.lhs).then(
        E(sign(U) * (along + across), apart),
        by=change_of_variables({U: U, W: along + across}, apart),
    )
    parts = r * E(U * sign(U), standard_normal(U))
    parts += sqrt(1 - r**2) * E(W, standard_normal(W)) * E(sign(U), standard_normal(U))
    return turned.then(parts, by=independence).then(goal.rhs, by=gaussian_calculus)


@state(
    "gaussian-crps",
    "The mean distance of an observation in the score of a Gaussian forecast",
    "Gneiting and Raftery (2007), Strictly proper scoring rules",
    says(
        Eq,
        E(Abs(s * G - x)),
        x * (2 * normal_cdf(x / s) - 1) + 2 * s * exp(-(x**2) / (2 * s**2)) / sqrt(2 * pi),
    ),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "expected-improvement",
    "Expected improvement, of Bayesian optimisation",
    "Jones, Schonlau and Welch (1998), Efficient global optimization",
    says(
        Eq,
        E(Max(a + s * G, 0)),
        a * normal_cdf(a / s) + s * exp(-(a**2) / (2 * s**2)) / sqrt(2 * pi),
    ),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "probit-predictive",
    "The predictive probability of probit regression",
    "Rasmussen and Williams (2006), Gaussian processes for machine learning",
    says(Eq, E(normal_cdf(m + s * G)), normal_cdf(m / sqrt(1 + s**2))),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "spiked-transform",
    "The Stieltjes transform of the semicircle, where a spike leaves the bulk",
    "Benaych-Georges and Nadakuditi (2011), Eigenvalues of low rank perturbations",
    says(Eq, (p + 1 / p - sqrt((p + 1 / p) ** 2 - 4)) / 2, 1 / p),
    (p > 1,),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=algebra)


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


# [networks]
@state(
    "erf-committee-error",
    "The generalisation error of an erf unit that learns an erf unit",
    "Saad and Solla (1995), On-line learning in soft committee machines",
    says(
        Eq,
        E((erf(U / sqrt(2)) - erf(W / sqrt(2))) ** 2, fields) / 2,
        (asin(q / (1 + q)) + pi / 6 - 2 * asin(c / sqrt(2 * (1 + q)))) / pi,
    ),
    possible,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "erf-committee-drift",
    "The drift of the overlap with the teacher, of an erf unit",
    "Saad and Solla (1995), On-line learning in soft committee machines",
    says(
        Eq,
        E(exp(-(U**2) / 2) * W * erf(W / sqrt(2)), fields),
        sqrt(2 / pi) * (1 + q - c**2) / ((1 + q) * sqrt(2 * (1 + q) - c**2)),
    ),
    possible,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "perceptron-error",
    "The generalisation error of the perceptron",
    "Opper and Kinzel (1996), Statistical mechanics of generalization",
    says(Eq, E((1 - sign(U) * sign(W)) / 2, pair), acos(r) / pi),
    correlated,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "relu-teacher-student",
    "The risk of a ReLU unit that learns a ReLU unit, by the angle",
    "Tian (2017), An analytical formula of population gradient for two-layered ReLU network",
    says(
        Eq,
        E((Max(U, 0) - Max(W, 0)) ** 2, pair) / 2,
        Rational(1, 2) - (sqrt(1 - r**2) + r * (pi - acos(r))) / (2 * pi),
    ),
    correlated,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "phase-retrieval-risk",
    "The population risk of phase retrieval",
    "Sun, Qu and Wright (2018), A geometric analysis of phase retrieval",
    says(Eq, E((U**2 - W**2) ** 2, fields), 3 * q**2 + 3 - 2 * q - 4 * c**2),
    possible,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


@state(
    "phase-retrieval-drift",
    "The drift of phase retrieval along the signal",
    "Sun, Qu and Wright (2018), A geometric analysis of phase retrieval",
    says(Eq, E((W**2 - U**2) * U * W, fields), 3 * c * (1 - q)),
    possible,
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=gaussian_calculus)


oja = ForAll(t, Eq(D(f(t), t), p * f(t) * (1 - f(t) ** 2)))
inside_ball = ForAll(t, f(t) ** 2 < 1)


@state(
    "oja-flow",
    "Along Oja's flow the squared cotangent of the angle grows at twice the gap",
    "Oja (1982), Simplified neuron model as a principal component analyzer",
    says(
        Eq,
        f(t) ** 2 / (1 - f(t) ** 2) * exp(-2 * p * t),
        f(0) ** 2 / (1 - f(0) ** 2),
    ),
    (oja, inside_ball),
)
def _(goal):
    velocity = chain(D(f(t), t)).then(p * f(t) * (1 - f(t) ** 2), by=instance(oja, t))
    below = chain(f(t) ** 2).lt(1, by=instance(inside_ball, t))
    start = chain(f(0) ** 2).lt(1, by=instance(inside_ball, 0))
    rate = 2 * f(t) * D(f(t), t) / (1 - f(t) ** 2) ** 2 - 2 * p * f(t) ** 2 / (1 - f(t) ** 2)
    slope = chain(D(goal.lhs, t)).then(rate * exp(-2 * p * t), by=differentiate)
    slope = slope.then(0, by=algebra).then(D(goal.rhs, t), by=differentiate)
    proof = equal_by_derivative(
        goal, t, at=0, value=algebra, derivative=having(below, velocity, slope)
    )
    return having(start, proof)


modes = ForAll(t, Eq(D(g(t), t), 2 * g(t) * (s - g(t))))


@state(
    "linear-network-mode",
    "The strength of a mode of a deep linear network follows a logistic curve",
    "Saxe, McClelland and Ganguli (2014), Exact solutions to deep linear networks",
    says(Eq, D((s - g(t)) / g(t) * exp(2 * s * t), t), 0),
    (modes, ForAll(t, g(t) > 0)),
)
def _(goal):
    velocity = chain(D(g(t), t)).then(2 * g(t) * (s - g(t)), by=instance(modes, t))
    positive = chain(g(t)).gt(0, by=instance(ForAll(t, g(t) > 0), t))
    quotient = -D(g(t), t) / g(t) - (s - g(t)) * D(g(t), t) / g(t) ** 2 + 2 * s * (s - g(t)) / g(t)
    slope = chain(goal.lhs).then(quotient * exp(2 * s * t), by=differentiate)
    return having(positive, velocity, slope.then(0, by=algebra))


@state(
    "em-of-two-gaussians",
    "A step of EM for two Gaussian classes, without separation, by Stein's lemma",
    "Daskalakis, Tzamos and Zampetakis (2017), Ten steps of EM suffice",
    says(Eq, E(G * tanh(a * G)), a * E(1 - tanh(a * G) ** 2)),
)
def _(goal):
    return chain(goal.lhs).then(goal.rhs, by=stein(G))


@state(
    "shrinkage",
    "No linear shrinkage beats the oracle's risk",
    "James and Stein (1961), Estimation with quadratic loss",
    says(Ge, E((c * (m + s * G) - m) ** 2), m**2 * s**2 / (m**2 + s**2)),
)
def _(goal):
    risk = chain(goal.lhs).then(c**2 * s**2 + (1 - c) ** 2 * m**2, by=gaussian_calculus)
    best = m**2 / (m**2 + s**2)
    square = goal.rhs + (m**2 + s**2) * (c - best) ** 2
    return risk.then(square, by=algebra).ge(goal.rhs, by=signs)
