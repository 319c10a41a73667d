"""Where the paper is not right, and what should be said besides; for book, site and documentation.

Claims and commands stand between backquotes, formulas between dollar signs, as in titles of claims.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from slrsym.book.document import Inline, Reference, Text
from slrsym.book.prose import inline_text

# A heading, and paragraphs.
Erratum = tuple[str, tuple[str, ...]]

LEAD = (
    "Each claim says how it stands against the paper: exact, stronger, weaker or false, and how. "
    "Here is what is not as the paper has it."
)

ERRATA: tuple[Erratum, ...] = (
    (
        "Theorem 5 and Proposition 13 need three dimensions",
        (
            "They suppose nothing of the dimension. For $d = 2$ the manifold $M$ has four points, "
            "and two of them are maxima of the risk, where descent stays: `theorem-5-plane`. For "
            "$d >= 3$ both are proved, with a step size in closed form: `theorem-5`, "
            "`proposition-13-manifold`.",
            "At $d = 3$ that takes another way than the paper's. $M$ consists of four circles, on "
            "which $kappa$ or $nu$ is 1 or $-1$, `theorem-5-space-manifold`: the overlaps run on "
            "the border of the square, which is a null set of it. On each edge the iterates "
            "converge to the better end: `theorem-5-edge-nu-plus` and three more.",
        ),
    ),
    (
        "Almost every start is said of the volume of $M$",
        (
            "To draw $k$ uniformly among the unit vectors orthogonal to $v*$, then $v$ among "
            "those orthogonal to $k*$ and $k$, charges the same null sets for $d >= 4$: the "
            "density is made of Gram determinants, `manifold-volume`. For $d = 3$ it does not: "
            "$v$ is then $v*$ or its opposite with probability 1.",
        ),
    ),
    (
        "Equations (14) are not those of a fixed point",
        (
            "They are while the step size times the larger one of the two slopes is at most 2: "
            "`equation-14`. A longer step can overshoot and reflect $kappa$ onto itself: "
            "`equation-14-counterexample`; at $d = 400$, $lambda = 1/10$, $gamma^2 = 1/2$, $nu = "
            "1$ and $kappa = cos 0.3$ for the step size 148.635, "
            "`equation-14-counterexample-number`. The vectors $k$ and $v$ are fixed only where "
            "their tangent gradients vanish, whatever the step size is: `equation-14-vectors`. No "
            "step size for which Propositions 8 to 13 are proved comes near to 2.",
        ),
    ),
    (
        "The distance to $M$ is not the distance",
        (
            "The figures show the root of the sum of the squares of $theta$, $eta$ and $rho$. "
            "Where $k$ is $v*$ and $v$ is $k*$ that is the root of 2, and every pair on $M$ is at "
            "the distance 2: `manifold-distance`.",
        ),
    ),
    (
        "Near $M$ is not near enough",
        (
            "Section 5 hopes that $M$ is stable, since uniform starts lie near it. They lie near "
            "the point of $M$ where $kappa = nu = 0$, and there $M$ repels, at any temperature: "
            "`manifold-repels-at-origin`.",
        ),
    ),
    (
        "Convergence from off $M$",
        (
            "Section 5 leaves it open. Near the oracle it is certified, in the five overlaps: with "
            "the task, temperature and step size of figure 7b each step from $2 - kappa - nu <= "
            "1/50$ lowers that sum by a factor, so that descent converges to the oracle, "
            "`attraction-certified`; with smaller steps this holds up to 3/20, "
            "`attraction-certified-far`; and at every inverse temperature from 1/100 to 1/10 up to "
            "1/200, `attraction-certified-temperatures`. What ball arithmetic shows is a quadratic "
            "form: `attraction-rate`, `attraction-form`, `attraction-positive`. That it holds "
            "after any number of steps, and that the vectors converge, follows by induction: "
            "`attraction-induction`, `attraction-converges`, `attraction-distance`. Of 4,000 "
            "uniform starts 51.3 % enter it there within 20,000 steps (95 % interval 49.8 to "
            "52.8 %), and all others end at swap points: `attraction-share`.",
            "With that task and temperature a sublevel set of the risk is such a neighbourhood, on "
            "all of the two spheres: where the excess risk is at most 0.1155, the oracle's being "
            "0.1135, $2 - |kappa + nu|$ is at most 3/20, `sublevel-certified`, so that the oracle "
            "and its mirror image are the only critical points there, and the only global minima "
            "of the risk, off the manifold too. At a given $k$ the risk is quadratic in $v$, and a "
            "multiplier for the length of $v$ leaves a bound in $kappa$ alone: "
            "`sublevel-multiplier`, `sublevel-form`, `sublevel-affine`, `sublevel-near`. No larger "
            "set will do: the risk of swap points, which are critical, is above that level by less "
            "than 0.00002, `sublevel-swap`. Of 4,000 uniform starts 2,002 are in it at step "
            "20,000 of figure 7b's descent (50.1 %, 95 % interval 48.5 to 51.6 %).",
            "At higher temperatures the oracle is not the best pair: at inverse temperature 1/20 "
            "the exchanged pair $k = v*$, $v = k*$ has the excess risk 0.050, the oracle 0.079, "
            "`sublevel-temperature`.",
        ),
    ),
    (
        "$M$ has singular points",
        (
            "Where $kappa$ and $nu$ are both 1 or $-1$ it is a cone, and no submanifold: "
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
        "The notebook behind figures 9 and 10 gives both informative tokens the same noise",
        (
            "It draws their noises with one random key, so that they are equal. The law (30) of "
            "the paper has them independent, and what is seen then is another curve.",
        ),
    ),
    (
        "The bound (8)",
        (
            "It holds for every measurable predictor of the matrix of tokens, and the conditional "
            "expectation of the output has the least risk: `bayes-risk`. That takes the axioms of "
            "conditional expectation, and an identity at given tokens, "
            "`bayes-risk-given-tokens`.",
        ),
    ),
    (
        "What stays observed",
        (
            "That the oracle loses its stability at one temperature, in every task, is seen on a "
            "grid: `critical-temperature-unique`. The determinant of its transverse Hessian has "
            "four parameters, in error functions, $zeta$ and their derivatives at once. It "
            "vanishes at $lambda = 0$, and the parameters are not bounded: to decide its sign by "
            "boxes takes factors to divide by at each end, which are not found. With saturated "
            "scores it is proved to vanish once, `oracle-saturated-decreasing`. In the paper's "
            "task, $lambda$ from 0.01 to 4, stability is certified up to 0.892, and its loss from "
            "0.893 on: `oracle-stable-certified`, `oracle-unstable-certified`.",
            "What is said of whole trajectories is tested by experiments, with counts. "
            "`manifold-attracts-for-good` compares eigenvalues along orbits that have no closed "
            "form, and no bound is known that is kept along them. "
            "`falling-lambda-avoids-swap-points` and `attraction-share` are about "
            "the volume of a basin, whose border is the stable set of saddles off the manifold: a "
            "count of runs bounds it in probability only.",
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
