"""Chapters of the book, ordered so that results come before their uses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from slrsym.documents.export.document import Section
from slrsym.prover.claims.papers import paper_of_file, papers_of_files


@dataclass(frozen=True)
class Chapter:
    """A chapter of the book: sections with one subject, and their summary in the roadmap."""

    title: str
    about: str
    sections: tuple[Section, ...] = ()


# With fewer sections there are no chapters.
_MOST_WITHOUT = 8


def group_by_chapter(sections: Sequence[Section]) -> list[Chapter]:
    """Group sections by chapters; few sections form one chapter without a title."""
    if len(sections) < _MOST_WITHOUT:
        return [Chapter("", "", sections=tuple(sections))]
    made = []
    papers = papers_of_files(section.derivation_file for section in sections)
    # A chapter may have general lemmas, too, of files that belong to no paper.
    names = {
        (paper and paper.folder, section.file): section
        for section in sections
        if section.file
        for paper in [paper_of_file(section.derivation_file)]
    }
    for paper in papers:
        for chapter in paper.chapters:
            found = (names.pop((f, x), None) for x in chapter.files for f in (paper.folder, None))
            inside = tuple(section for section in found if section is not None)
            if inside:
                made.append(Chapter(chapter.title, chapter.about, sections=inside))
    placed = {id(section) for chapter in made for section in chapter.sections}
    rest = tuple(section for section in sections if id(section) not in placed)
    if rest:
        made.append(Chapter("Further claims" if made else "", "", sections=rest))
    return made


def chapters_used(chapter: Chapter, others: Iterable[Chapter]) -> list[Chapter]:
    """Return those of the other chapters that contain claims which a given chapter uses."""
    needed = {id for section in chapter.sections for c in section.claims for id in c.depends}
    return [
        other
        for other in others
        if other is not chapter and any(c.id in needed for s in other.sections for c in s.claims)
    ]
