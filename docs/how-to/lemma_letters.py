"""The letters of lemmas of other papers, and three short helpers that state one."""

from sympy import Function, IndexedBase, Symbol, symbols

from slrsym.gaussian import Expectation, GaussianLaw, standard_normal
from slrsym.proof import Claim

a, b, c, m, r, u, v, x, y, z = symbols("a b c m r u v x y z", real=True)
h, p, q, s, mu, B, L = symbols("h p q s mu B L", positive=True)
t = Symbol("t", nonnegative=True)
i, n = Symbol("i", integer=True), Symbol("n", integer=True, nonnegative=True)
f, g = Function("f", real=True), Function("g", real=True)
d, e = IndexedBase("d", real=True), IndexedBase("e", real=True)
G, U, W = symbols("G U W", real=True)

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
