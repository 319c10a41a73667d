"""Errata of the paper and remarks on it, for the book, the site and the documentation.

Claims and commands stand between backquotes, formulas between dollar signs, as in titles of claims.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from slrsym.export.document import Inline, Reference, Text
from slrsym.export.prose import inline_text

# A heading, and paragraphs.
Erratum = tuple[str, tuple[str, ...]]

LEAD = (
    "Each claim says how it compares to the paper: exact, stronger, weaker or false, and how. This "
    "page collects what the paper states otherwise, then remarks on its open questions."
)

ERRATA: tuple[Erratum, ...] = (
    (
        "Theorem 5 and Proposition 13 need three dimensions",
        (
            "The paper does not restrict the dimension. For $d = 2$ the manifold $M$ consists of "
            "four points, and descent never moves from any of them. Two of the four, $(k*, -v*)$ "
            "and $(-k*, v*)$, have a larger risk than the oracle: `theorem-5-plane`. They are "
            "maxima of the risk restricted to $M$. On the two spheres they need not be: with $L = "
            "10$, $gamma^2 = 1/2$ and $lambda = 1/10$ they are saddles (`slrsym landscape --d 2`).",
            "For $d >= 3$ both statements are proved, with a step size in closed form: "
            "`theorem-5`, `proposition-13-manifold`. The case $d = 3$ takes another way than the "
            "paper's. There $M$ consists of four circles, on which $kappa$ or $nu$ is 1 or $-1$, "
            "`theorem-5-space-manifold`: the overlaps stay on the border of the square, which is "
            "a null set. On each edge almost every start converges to the end with the smaller "
            "risk: `theorem-5-edge-nu-plus` and three more.",
        ),
    ),
    (
        "Almost every start refers to the volume of $M$",
        (
            "A start may also be drawn as follows: $k$ uniformly among the unit vectors orthogonal "
            "to $v*$, then $v$ uniformly among those orthogonal to $k*$ and $k$. For $d >= 4$ this "
            "law has the same null sets, since its density is made of Gram determinants, "
            "`manifold-volume`. For $d = 3$ it has not: $v$ is then $v*$ or its opposite with "
            "probability 1.",
        ),
    ),
    (
        "Equations (14) are not those of a fixed point for long steps",
        (
            "They are if the step size times the larger of the two slopes is at most 2: "
            "`equation-14`. A longer step can overshoot and reflect $kappa$ onto itself: "
            "`equation-14-counterexample`. For $d = 400$, $lambda = 1/10$, $gamma^2 = 1/2$, $nu = "
            "1$ and $kappa = cos 0.3$ the step size 148.635 does so, "
            "`equation-14-counterexample-number`. The vectors $k$ and $v$ are fixed only where "
            "their tangent gradients vanish, at any step size: `equation-14-vectors`. The step "
            "sizes for which Propositions 8 to 13 are proved are far below this bound.",
        ),
    ),
    (
        "The distance to $M$ is not the distance",
        (
            "The figures show the root of the sum of the squares of $theta$, $eta$ and $rho$. At "
            "$k = v*$, $v = k*$ it is the root of 2, while every pair on $M$ is at the distance 2: "
            "`manifold-distance`.",
        ),
    ),
    (
        "$M$ has singular points",
        (
            "Where $kappa$ and $nu$ are both 1 or $-1$ it is a cone and no submanifold: "
            "`manifold-cone`. These points are the limits of Theorem 5. Everywhere else the "
            "gradients of its equations are independent, and its dimension is $2 d - 5$: "
            "`manifold-gradients`, `manifold-regular`.",
        ),
    ),
    (
        "Recovery in figure 4a is not universal",
        (
            "Of uniform starts with its parameters, 4.56 % end at a swap point, where $k$ is near "
            "$v*$ or its opposite (95 % interval 4.43 to 4.69 %, of 100,000 starts): `slrsym "
            "recovery --runs 100000`. None of the paper's 30 seeds does, which happens one time "
            "in four.",
        ),
    ),
    (
        "The notebooks behind figures 9 and 10 give both informative tokens the same noise",
        (
            "In the authors' code (github.com/PierreMarion23/single-location-regression, commit "
            "14e2b06), `generate_batch()` of toy-multihead.ipynb and transformer-multihead.ipynb "
            "draws both tokens with one random key, so that their noises are equal. The law (30) "
            "of the paper has them independent, and gives another curve.",
        ),
    ),
    (
        "A remark on Section 5: starts near $M$",
        (
            "Section 5 hopes that the analysis on $M$ transfers to starts near $M$ if $M$ is "
            "stable. Uniform starts lie near the point of $M$ where $kappa = nu = 0$. There $M$ is "
            "not stable, at any inverse temperature: `manifold-repels-at-origin`. This does not "
            "contradict the paper, which makes stability a condition.",
        ),
    ),
    (
        "A remark on Section 5: convergence from off $M$",
        (
            "The paper leaves it open. Near the oracle it is certified, in the five overlaps: with "
            "the task, inverse temperature and step size of figure 7b, each step from $2 - kappa - "
            "nu <= 1/50$ lowers that sum by a factor, so that descent converges to the oracle, "
            "`attraction-certified`. With smaller steps this holds up to 3/20, "
            "`attraction-certified-far`, and for every inverse temperature from 1/100 to 1/10 up "
            "to 1/200, `attraction-certified-temperatures`. Ball arithmetic shows that a quadratic "
            "form is positive: `attraction-rate`, `attraction-form`, `attraction-positive`. "
            "Convergence after any number of steps follows by induction: `attraction-induction`, "
            "`attraction-converges`, `attraction-distance`.",
            "In the same setting, pairs on the spheres whose excess risk is at most 0.1155 (the "
            "oracle's is 0.1135) have $2 - |kappa + nu| <= 3/20$: `sublevel-certified`. At a given "
            "$k$ the risk is quadratic in $v$, and a multiplier for the length of $v$ leaves a "
            "bound in $kappa$ alone: `sublevel-multiplier`, `sublevel-form`, `sublevel-affine`, "
            "`sublevel-near`. The level can hardly be raised: a swap point, which is critical, "
            "lies less than 0.00002 above it, `sublevel-swap`.",
            "Both kinds of bounds hold for every inverse temperature from 0.0908 to 0.12. There "
            "the oracle and its mirror image are the only global minima of the risk on the two "
            "spheres, and the only critical points whose risk exceeds the oracle's by at most "
            "0.00001: `oracle-global-minimum`. For the risk has a minimum, by compactness, which "
            "lies near one of the two. There no other point is critical, as a step lowers $2 - "
            "kappa - nu$ or, at the mirror image, $2 + kappa + nu$.",
            "Of 4,000 uniform starts (seed 0), 2,002 are in this set after 20,000 steps of "
            "figure 7b's descent, and the same 2,002 have $2 - |kappa + nu| <= 1/50$: 50.1 %, 95 % "
            "interval 48.5 to 51.6 %. All others end at swap points. "
            "`attraction-share` tests that at least a third enter.",
            "At smaller inverse temperatures the oracle is not the best pair: at inverse "
            "temperature 1/20 the exchanged pair $k = v*$, $v = k*$ has the excess risk 0.050, the "
            "oracle 0.079, `sublevel-temperature`. The swap points have less risk than the oracle "
            "at 0.09072 and more at 0.09073: `sublevel-exchange`.",
        ),
    ),
    (
        "A remark on the bound (8)",
        (
            "It holds for every measurable predictor of the matrix of tokens, and the conditional "
            "expectation of the output has the least risk: `bayes-risk`. The proof uses an axiom "
            "on conditional expectation, and an identity at given tokens, "
            "`bayes-risk-given-tokens`.",
        ),
    ),
    (
        "Observed, and not proved",
        (
            "In every task tried, the oracle loses its stability at one inverse temperature: "
            "`critical-temperature-unique`. The determinant of its transverse Hessian has four "
            "parameters, in error functions, $zeta$ and their derivatives at once. It vanishes at "
            "$lambda = 0$, and the parameters are not bounded: a certificate by boxes needs "
            "factors to divide by at each end, and none are known. With saturated scores there is "
            "one root, `oracle-saturated-decreasing`. For $d = 400$, $L = 10$ and $gamma^2 = 1/2$, "
            "signs of determinants are certified which show stability for $lambda$ from 0.01 to "
            "0.892, and instability from 0.893 to 4: `oracle-stable-certified`, "
            "`oracle-unstable-certified`.",
            "Statements on whole trajectories are tested by experiments, with counts. "
            "`manifold-attracts-for-good` compares eigenvalues along orbits that have no closed "
            "form, and no bound is known that is kept along them. "
            "`falling-lambda-avoids-swap-points` and `attraction-share` are about the volume of a "
            "basin. Its border is the stable set of saddles off the manifold, and a count of runs "
            "bounds the volume in probability only.",
        ),
    ),
)

_QUOTED = re.compile(r"`([^`]+)`")
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")


def claims_of(text: str) -> list[str]:
    """The claims that a text speaks of."""
    return [quoted for quoted in _QUOTED.findall(text) if _ID.fullmatch(quoted)]


def errata(included: Collection[str]) -> tuple[tuple[str, tuple[tuple[Inline, ...], ...]], ...]:
    """The page for a document, if it has every claim that is spoken of; empty otherwise."""
    spoken = {id for _, paragraphs in ERRATA for text in paragraphs for id in claims_of(text)}
    if not spoken <= set(included):
        return ()
    return tuple((heading, tuple(map(_paragraph, paragraphs))) for heading, paragraphs in ERRATA)


def _paragraph(text: str) -> tuple[Inline, ...]:
    made: list[Inline] = []
    for place, part in enumerate(_QUOTED.split(text)):
        if not place % 2:
            made += inline_text(part)
        else:
            made.append(Reference(part) if _ID.fullmatch(part) else Text(part))
    return tuple(made)
