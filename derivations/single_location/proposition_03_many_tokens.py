"""For a uniform location among many tokens, the best linear predictor hardly beats zero."""

from sympy import And, Ge, Le, Symbol

from slrsym.papers.single_location.notation import L, epsilon, gamma
from slrsym.proof import Claim, all_of, chain, having, sign

delta = Symbol("delta", positive=True)

many = Claim(
    id="proposition-3-many-tokens",
    title=(
        "For a uniform location and $L >= 1 + gamma^4/delta$, the risk of the best linear "
        "predictor is within $delta$ of that of the zero predictor"
    ),
    statement=And(
        Le(epsilon**2 + gamma**2 - gamma**4 / (L + gamma**2 - 1), epsilon**2 + gamma**2),
        Ge(
            epsilon**2 + gamma**2 - gamma**4 / (L + gamma**2 - 1),
            epsilon**2 + gamma**2 - delta,
            evaluate=False,
        ),
        evaluate=False,
    ),
    source="Section 4, after Proposition 3, in numbers: for each $delta$, $L$ large",
    compared_to_source="stronger: with a rate",
    hypotheses=[Ge(L, 1 + gamma**4 / delta)],
)


@many.proof
def _(goal):
    """The gain is at most $gamma^4/(L - 1)$."""
    value = epsilon**2 + gamma**2 - gamma**4 / (L + gamma**2 - 1)
    more = chain(L + gamma**2 - 1).ge(gamma**4 / delta, by=sign)
    return all_of(
        chain(value).le(epsilon**2 + gamma**2, by=sign),
        having(more, chain(value).ge(epsilon**2 + gamma**2 - delta, by=sign)),
    )
