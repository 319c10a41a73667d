"""Descriptions of papers, read from ``paper.toml`` in the folder of their derivations.

Title, authors, sections with their statements, chapters, notation and errata are data of a folder.
A claim belongs to the paper whose folder holds its file; general lemmas belong to none.
"""

from __future__ import annotations

import sys
import tomllib
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from slrsym.prover.claims.file_search import PAPER, DerivationError, builtin_derivation_folder
from slrsym.registry import dotted_name, load_all_registered


@dataclass(frozen=True)
class PaperSection:
    """A section of a paper, with the ids of the claims that state its results.

    What is said in a section of `proofs` only helps to prove other statements.
    """

    number: str
    title: str
    statements: tuple[str, ...] = ()
    first_equation: int | None = None
    proofs: bool = False


@dataclass(frozen=True)
class BookChapter:
    """A chapter of the exported book of proofs: title, subject, and derivation files."""

    title: str
    about: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class Paper:
    """A paper whose statements are claims, as its ``paper.toml`` describes it.

    Attributes
    ----------
    folder : Path
        Where its derivations are.
    title, identifier : str
        What it is called, and where it is found, such as ``arXiv 2410.01537``.
    authors : tuple of str
        Their names.
    bibtex : str
        Its entry, which begins with ``@`` and the key.
    sections, chapters : tuple
        Its outline, and that of the book.
    notation : tuple of pairs of str
        Letters in LaTeX, and what they mean.
    errata : tuple
        Headings, each with paragraphs.
    letters : str
        The name under which it has registered its letters for documents, or an empty text.
    module : str
        The name of a Python module that registers what only this paper has: a file or package
        beside the description, or an installed one. Empty if there is none.
    """

    folder: Path
    title: str
    authors: tuple[str, ...]
    identifier: str
    bibtex: str = ""
    called: str = ""
    sections: tuple[PaperSection, ...] = ()
    chapters: tuple[BookChapter, ...] = ()
    notation: tuple[tuple[str, str], ...] = ()
    errata: tuple[tuple[str, tuple[str, ...]], ...] = ()
    letters: str = ""
    module: str = ""
    places: dict[str, str] = field(default_factory=dict, hash=False, compare=False)

    @property
    def bibtex_key(self) -> str:
        """The BibTeX key of the paper."""
        return self.bibtex.partition("{")[2].partition(",")[0]


def _joined(text: str) -> str:
    return " ".join(text.split())


@lru_cache(maxsize=16)
def _read(file: Path, text: str) -> Paper:
    try:
        data: dict[str, Any] = tomllib.loads(text)
        title, authors, identifier = (data[name] for name in ("title", "authors", "identifier"))
        sections = tuple(
            PaperSection(**entry | {"statements": tuple(entry.get("statements", ()))})
            for entry in data.get("sections", ())
        )
        chapters = tuple(
            BookChapter(entry["title"], _joined(entry["about"]), tuple(entry["files"]))
            for entry in data.get("chapters", ())
        )
        notation = tuple((letter, meaning) for letter, meaning in data.get("notation", ()))
        errata = tuple(
            (entry["heading"], tuple(map(_joined, entry["text"])))
            for entry in data.get("errata", ())
        )
    except (tomllib.TOMLDecodeError, TypeError, ValueError) as problem:
        raise DerivationError(f"{file} does not describe a paper: {problem}") from None
    except KeyError as problem:
        raise DerivationError(f"{file} does not say the paper's {problem.args[0]}") from None
    bibtex = data.get("bibtex", "") or _entry(file.parent.name, title, authors, identifier)
    return Paper(
        file.parent, title, tuple(authors), identifier, bibtex, data.get("called", ""), sections,
        chapters, notation, errata, str(data.get("letters", "")), str(data.get("module", "")),
        {id: section.number for section in sections for id in section.statements},
    )  # fmt: skip


def _entry(key: str, title: str, authors: Iterable[str], identifier: str) -> str:
    return (
        f"@misc{{{key},\n  author = {{{' and '.join(authors)}}},\n  title = {{{title}}},\n"
        f"  note = {{{identifier}}},\n}}\n"
    )


def paper_of_file(file: Path | None) -> Paper | None:
    """Return the paper of the nearest folder above a file that has a ``paper.toml``, or None.

    Raise `DerivationError` if that is no TOML, or lacks title, authors or identifier.
    """
    for folder in () if file is None else file.resolve().parents:
        about = folder / PAPER
        if about.is_file():
            return _read(about, about.read_text(encoding="utf-8"))
    return None


def papers_of_files(files: Iterable[Path | None]) -> list[Paper]:
    """Return the papers to which derivation files belong, those with most files first."""
    folders = (file.parent for file in set(files) if file is not None)
    papers = [paper for folder in folders if (paper := paper_of_file(folder / PAPER))]
    counts = Counter(paper.folder for paper in papers)
    found = {paper.folder: paper for paper in papers}
    return [found[folder] for folder in sorted(found, key=lambda f: (-counts[f], f))]


def builtin_papers() -> list[Paper]:
    """Return the papers whose derivations come with slrsym."""
    return papers_of_files(builtin_derivation_folder().rglob("*.py"))


def known_papers() -> tuple[Paper, ...]:
    """Return the papers that come with slrsym, and those of the current folder.

    These have their ``paper.toml`` in it, in a folder of it, or in one of its ``derivations``.
    """
    return _papers_seen_from(Path.cwd())


# What is registered is asked for once for each claim of a document.
@lru_cache(maxsize=16)
def _papers_seen_from(here: Path) -> tuple[Paper, ...]:
    own = [
        paper
        for pattern in (PAPER, f"*/{PAPER}", f"derivations/*/{PAPER}")
        for file in sorted(here.glob(pattern))
        if (paper := paper_of_file(file))
    ]
    found = {paper.folder.resolve(): paper for paper in (*builtin_papers(), *own)}
    return tuple(found.values())


def registered_by_papers(kind: str) -> dict[str, Any]:
    """Import what the known papers register of a kind; return it by its names.

    It is in the order of the papers. One whose module cannot be imported is left out, with a
    warning.
    """
    papers = known_papers()
    for paper in papers:
        if paper.module:
            try:
                _import_module_of_paper(paper.folder, paper.module)
            except DerivationError as problem:
                _warn_once(str(problem))
    modules = [paper.module for paper in papers]

    def place(name: str) -> int:
        path = dotted_name(f"{kind}.{name}")
        owners = (i for i, module in enumerate(modules) if module and path.startswith(module))
        return next(owners, len(modules))

    found = load_all_registered(kind)
    return {name: found[name] for name in sorted(found, key=place)}


@cache
def _warn_once(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=3)


@cache
def _import_module_of_paper(folder: Path, name: str) -> None:
    """Import the module of a paper: a file or package beside its description, or an installed one.

    Raise `DerivationError` if there is none, or it cannot be imported.
    """
    file = next(
        (f for f in (folder / f"{name}.py", folder / name / "__init__.py") if f.is_file()), None
    )
    try:
        if file is None:
            import_module(name)
            return
        spec = spec_from_file_location(name, file)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(module)
    except Exception as problem:
        sys.modules.pop(name, None)
        raise DerivationError(
            f"the module {name!r} of {folder / PAPER} cannot be imported: {problem}"
        ) from None
