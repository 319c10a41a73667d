"""Lemmas of other papers, with their proofs: kernels and Gaussian variables."""

from lemma_letters import (
    E,
    G,
    L,
    U,
    W,
    a,
    b,
    c,
    correlated,
    f,
    fields,
    g,
    h,
    m,
    p,
    pair,
    possible,
    q,
    r,
    s,
    says,
    state,
    t,
    u,
    x,
    y,
    z,
)
from sympy import (
    Abs,
    Eq,
    Heaviside,
    Le,
    Max,
    Rational,
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
)

from slrsym.gaussian import Expectation, GaussianLaw, normal_cdf, standard_normal
from slrsym.proof import (
    D,
    Lipschitz,
    algebra,
    chain,
    change_of_variables,
    complete_the_square,
    differentiate,
    gaussian_calculus,
    increasing,
    independence,
    inside,
    instance,
    monotone,
    piecewise,
    poincare,
    price,
    signs,
    stein,
    tangent,
)


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
