"""The landscape off the manifold."""

from sympy import And, Eq, Equivalent, Function, Ge, Symbol, erf

from slrsym.gaussian import OwensT, zeta
from slrsym.papers.single_location.notation import (
    ORDER_PARAMETERS,
    L,
    a,
    eta,
    gamma,
    kappa,
    nu,
    rho,
    s,
    t,
    theta,
)
from slrsym.papers.single_location.symbolic import gradient, risk_closed_form, risk_definition
from slrsym.proof import (
    Claim,
    algebra,
    all_of,
    chain,
    lemma,
    never,
    only_at,
    solution,
    solution_set,
    split_product,
)

# What the program derives from the definition, and all that follows is about.
risk = risk_closed_form()
risk_by_zeta = risk.replace(OwensT, lambda *_: (1 - zeta(t, s)) / 8)
R_kappa, R_nu, R_theta, R_eta, R_rho = gradient()

derived = Claim(
    id="landscape-risk",
    title=(
        "The closed form of the risk, written with $zeta$ or with Owen's $T$, equals its definition"
    ),
    statement=And(
        Eq(risk_definition(), risk_by_zeta, evaluate=False),
        Eq(risk_definition(), risk, evaluate=False),
        evaluate=False,
    ),
    source="new",
)


@derived.proof
def _(goal):
    """Proposition 15, with $zeta$ by Owen's $T$."""
    by_zeta = chain(risk_definition()).then(risk_by_zeta, by=lemma("proposition-15"))
    return all_of(by_zeta, by_zeta.then(risk, by=lemma("zeta-owens-t", t=t, s=s)))


def at(*signs):
    values = {x: sign * x for x, sign in zip(ORDER_PARAMETERS, signs, strict=True)}
    return risk.subs(values, simultaneous=True)


R = Function("R^", real=True)

symmetries = Claim(
    id="landscape-symmetries",
    title="The risk is the same at $(-k, -v)$, and at $(k, -v)$ after a reflection along $v*$",
    statement=And(
        Eq(at(-1, -1, -1, -1, 1), risk, evaluate=False),
        Eq(at(1, 1, -1, -1, -1), risk, evaluate=False),
        evaluate=False,
    ),
    source="new",
    notation={
        R(*ORDER_PARAMETERS): risk,
        R(-kappa, -nu, -theta, -eta, rho): at(-1, -1, -1, -1, 1),
        R(kappa, nu, -theta, -eta, -rho): at(1, 1, -1, -1, -1),
    },
)


@symmetries.proof
def _(goal):
    """Erf is odd, $zeta$ is even in $t$, and the other terms are products of two odd overlaps."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=algebra) for part in goal.args))


# -- linearly independent vectors --------------------------------------------------------------

independent = Claim(
    id="landscape-independent",
    title=(
        "For $L >= 2$, the partial derivatives of the risk in all five overlaps, in closed form, "
        "vanish at the null point, where all overlaps are 0, and nowhere else"
    ),
    statement=Equivalent(
        And(*(Eq(slope, 0, evaluate=False) for slope in (R_kappa, R_nu, R_theta, R_eta, R_rho))),
        And(*(Eq(x, 0) for x in (kappa, nu, theta, eta, rho))),
    ),
    source=(
        "new; so it is the only critical point at which $k$, $v$, $k*$, $v*$ are linearly "
        "independent"
    ),
    hypotheses=[Ge(L, 2)],
    notation={
        Symbol(f"D_{x}", real=True): slope
        for x, slope in zip(ORDER_PARAMETERS, gradient(), strict=True)
    },
)


@independent.proof
def _(goal):
    """$R_nu$ gives $kappa = 0$.

    Then $R_eta$, $R_theta$, $R_rho$ and $R_kappa$ give one overlap each.
    """
    found = {kappa: 0}
    last = split_product(
        R_kappa,
        only_at(R_kappa.subs({kappa: 0, theta: 0, eta: 0, rho: 0}), nu, 0, then=solution()),
    )
    third = split_product(
        R_rho,
        only_at(R_rho.subs({kappa: 0, theta: 0, eta: 0}), rho, 0, then=last),
    )
    second = split_product(R_theta, only_at(R_theta.subs({kappa: 0, theta: 0}), eta, 0, then=third))
    first = split_product(R_eta, only_at(R_eta.subs(found), theta, 0, then=second))
    tree = split_product(R_nu, never(-2 * gamma**2), only_at(erf(a), kappa, 0, then=first))
    return solution_set(goal, (kappa, nu, theta, eta, rho), tree)
