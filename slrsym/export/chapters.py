"""Chapters of the book, ordered so that results come before their uses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from slrsym.export.document import Section


@dataclass(frozen=True)
class Chapter:
    """Sections with one subject, and what is said of them in the roadmap."""

    title: str
    about: str
    files: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()


_CHAPTERS = (
    Chapter(
        "Gaussian tools",
        "Stein's lemma, the error function and its Gaussian means, Owen's $T$ function and $zeta$.",
        ("stein", "lemma_16", "lemma_17", "lemma_18", "owens_t", "zeta"),
    ),
    Chapter(
        "The task and its predictors",
        "What is assumed of the tokens, attention as a predictor, the Bayes risk and the best "
        "linear predictor.",
        ("definition_01", "attention", "conditional_mean", "bayes_risk",
         "equation_08", "proposition_03"),
    ),
    Chapter(
        "The risk in five overlaps",
        "Theorem 1, the closed form of the risk, and how close the oracle comes to the Bayes risk.",
        ("theorem_01", "proposition_15", "excess_risk", "landscape_symmetries", "corollary_02",
         "equation_09", "several_heads"),
    ),
    Chapter(
        "The manifold",
        "What the manifold is, that descent stays on it, and the risk there.",
        ("manifold", "lemma_04", "lemma_06"),
    ),
    Chapter(
        "The planar map",
        "Descent on the manifold as a map of a square: bounds, descent, fixed points, minima, "
        "convergence, and where almost every start ends.",
        ("equation_14", "planar_bounds", "planar_taylor", "planar_step", "step_sizes",
         *(f"proposition_{n:02d}" for n in range(8, 14))),
    ),
    Chapter(
        "Recovery",
        "Theorem 5: almost every start on the manifold recovers the oracle, and in which "
        "dimensions; a larger step size on boxes of parameters.",
        ("theorem_05_edges", "theorem_05", "theorem_05_plane", "certified_step_size"),
    ),
    Chapter(
        "Off the manifold",
        "Stability of the oracle, swap points, how descent leaves the null point, and a "
        "neighbourhood that the oracle attracts; and what changes without Assumption 1.",
        (
            "oracle_stability", "swap_points", "null_modes", "attraction", "sublevel", "angle",
            "observations",
        ),
    ),
)  # fmt: skip


# With fewer sections there are no chapters.
_MOST_WITHOUT = 8


def chapters(sections: Sequence[Section]) -> list[Chapter]:
    """The sections by chapters; one without a title if they are few."""
    if len(sections) < _MOST_WITHOUT:
        return [Chapter("", "", sections=tuple(sections))]
    by_file = {section.file: section for section in sections if section.file}
    made = []
    for chapter in _CHAPTERS:
        inside = tuple(by_file.pop(file) for file in chapter.files if file in by_file)
        if inside:
            made.append(Chapter(chapter.title, chapter.about, sections=inside))
    placed = {id(section) for chapter in made for section in chapter.sections}
    rest = tuple(section for section in sections if id(section) not in placed)
    if rest:
        made.append(Chapter("Further claims" if made else "", "", sections=rest))
    return made


def uses(chapter: Chapter, others: Iterable[Chapter]) -> list[Chapter]:
    """The other chapters whose claims this one uses."""
    needed = {id for section in chapter.sections for c in section.claims for id in c.depends}
    return [
        other
        for other in others
        if other is not chapter and any(c.id in needed for s in other.sections for c in s.claims)
    ]
