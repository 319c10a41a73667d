"""The statement that no measurable predictor beats the conditional mean, and its hypotheses.

How it follows from them stands with the checker's schema ``conditional-risk``.
"""

from __future__ import annotations

from sympy import Eq, Expr, Ge, Gt, IndexedBase, Sum, Symbol
from sympy.logic.boolalg import Boolean

from slrsym.gaussian import Expectation
from slrsym.gaussian.law import NoiseLaw
from slrsym.prover.rules.descent_theorems import TheoremHypotheses, TheoremHypothesis
from slrsym.prover.statements.expressions import ProofError
from slrsym.prover.statements.words import in_words

# The letters of theorem conditional-risk: the number of tokens, and the deviation of the noise.
L = Symbol("L", integer=True, positive=True)
epsilon = Symbol("epsilon", nonnegative=True)
# What it shows: for measurable predictors there is no formula.
BAYES_RISK = in_words(
    "Every measurable predictor $p$ of the matrix $X$ of all tokens has the risk $E (Y - p(X))^2 = "
    "E (Y - E[Y | X])^2 + E (E[Y | X] - p(X))^2$, and $E (Y - E[Y | X])^2$ is at least $epsilon^2$."
)


def conditional_risk_hypotheses(goal: Boolean, noise: NoiseLaw) -> TheoremHypotheses:
    if goal != BAYES_RISK:
        raise ProofError(f"theorem conditional-risk shows {BAYES_RISK}, not {goal}")
    if not isinstance(noise, NoiseLaw) or noise.variance != epsilon**2:
        raise ProofError(
            f"theorem conditional-risk is about noise of variance epsilon^2, not {noise}"
        )
    (xi,) = noise.symbols
    m, p = Symbol("m", real=True), Symbol("p", real=True)
    w, y = (IndexedBase(name, real=True) for name in "wy")
    place = Symbol("l", integer=True)
    total = Sum(w[place], (place, 1, L))

    def average(term: Expr) -> Expr:
        return Sum(w[place] * term, (place, 1, L)) / total

    squared, best = (m - p) ** 2 + epsilon**2, average(y[place])
    given_tokens = Eq(
        average(squared.subs(m, y[place])),
        average((y[place] - best) ** 2 + epsilon**2) + (best - p) ** 2,
        evaluate=False,
    )
    error = Expectation((m + xi - p) ** 2, noise)
    hypotheses = {
        "given_location": TheoremHypothesis(Eq(error, squared, evaluate=False)),
        "given_tokens": TheoremHypothesis(given_tokens, (Gt(total, 0),)),
        "at_least": TheoremHypothesis(Ge(squared, epsilon**2, evaluate=False)),
    }
    return TheoremHypotheses(hypotheses, (m, p, w.label, y.label))
