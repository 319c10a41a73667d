"""Search for derivation files and claim ids by reading text, without running code.

A derivation file is a Python file that may make claims when it is imported: it imports what makes
them, or a file that does. Files are recognised by reading their text, so looking for them, and for
the claims in them, runs no code, and needs nothing but the standard library.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from slrsym.prover.claims.imports import imported_files, source_text

# Describes the paper that the derivations of a folder are about.
PAPER = "paper.toml"
# The names under which slrsym's own modules, and models, have what makes claims.
_MAKERS = {"Claim", "claims", "flow_claims", "proof"}
# A file may have a model from another one, and ask it for claims.
_ASKS_FOR_CLAIMS = re.compile(r"\.(?:flow_)?claims\b")
_IMPORTS_SLRSYM = re.compile(r"^\s*(?:from|import)\s+slrsym\b", re.MULTILINE)
# Functions that import, or run, what is named by a text.
_IMPORTERS = ("import_module", "__import__", "exec", "eval")
# One of them is in each text that names what makes claims, unless in pieces.
_WORDS = re.compile(rf"\b(?:{'|'.join([*sorted(_MAKERS), *_IMPORTERS])})\b|import[\s\\]*\*")


class DerivationError(Exception):
    """Raised if a path has no derivation, or if a derivation file cannot be loaded."""


def traceback_line_suffix(problem: BaseException, file: Path) -> str:
    """Return ``:N`` for the last line N of a file in a traceback; empty if it has none."""
    if isinstance(problem, SyntaxError) and problem.lineno and problem.filename == str(file):
        return f":{problem.lineno}"
    lines = []
    trace = problem.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(file):
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return f":{lines[-1]}" if lines else ""


def builtin_derivation_folder() -> Path:
    """Return the folder of the derivations that come with slrsym."""
    package = Path(__file__).resolve().parents[2]
    for folder in (package / "derivations", package.parent / "derivations"):
        if folder.is_dir():
            return folder
    raise DerivationError(f"the installation in {package} has no folder of derivations")


class DeclaredClaimIds(NamedTuple):
    """The ids of claims in a derivation file, as read from its text without running it."""

    ids: tuple[str, ...]
    patterns: tuple[str, ...]  # of ids that are put together when the file runs


class DerivationSearch:
    """Search for files that may make claims, which reads a text once."""

    def __init__(self) -> None:
        self._found: dict[Path, bool] = {}
        self._imported: dict[Path, list[Path]] = {}

    def is_derivation_file(self, path: Path) -> bool:
        """Return whether a file is Python, and its text shows that its import may make claims.

        A file that does not parse counts as one if it speaks of slrsym at all: loading it gives the
        error to show.
        """
        if path.suffix != ".py":
            return False
        path = path.resolve()
        seen, ahead = {path}, [path]
        while ahead and path not in self._found:
            here = ahead.pop()
            if self._found.get(here) or (here not in self._found and imports_slrsym_proof(here)):
                self._found[path] = True
            elif here not in self._found:
                more = self._imports(here)
                ahead += [file for file in more if file not in seen]
                seen.update(more)
        if path not in self._found:
            texts = [source_text(file) for file in seen]
            asks, imports = (
                any(map(found.search, texts)) for found in (_ASKS_FOR_CLAIMS, _IMPORTS_SLRSYM)
            )
            if asks and imports:
                self._found[path] = True
            else:
                self._found |= dict.fromkeys(seen, False)
        return self._found[path]

    def _imports(self, file: Path) -> list[Path]:
        if file not in self._imported:
            self._imported[file] = [
                each.resolve() for each in imported_files(file, source_text(file))
            ]
        return self._imported[file]


def imports_slrsym_proof(path: Path) -> bool:
    """Return whether the text of a Python file itself imports what makes claims."""
    return _speaks_of_claims(source_text(path))


# The files of a folder are looked at again and again.
@lru_cache(maxsize=1024)
def _speaks_of_claims(text: str) -> bool:
    if "slrsym" not in text:
        return False
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return True
    # To look at all nodes takes longer than to parse: most imports are outermost, and of a text
    # that has none of the words nothing is to be found.
    if any(_names_makers(name) for node in tree.body for name in _imported_from_slrsym(node)):
        return True
    return bool(_WORDS.search(text)) and _has_node_that_names_makers(tree)


def _has_node_that_names_makers(tree: ast.Module) -> bool:
    imported, words = False, set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            words.add(node.attr)
        elif isinstance(node, ast.alias):
            words.add(node.name)
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                words.add(node.value)
        elif isinstance(node, (ast.Import, ast.ImportFrom, ast.Call)):
            names = _imported_from_slrsym(node)
            if any(map(_names_makers, names)):
                return True
            imported = imported or bool(names)
    # import_module(name), where the name stands elsewhere.
    named = any(map(_names_makers, (word for word in words if word.startswith("slrsym."))))
    # slrsym.proof, getattr(slrsym, "proof"), model.claims(...).
    return (named and not words.isdisjoint(_IMPORTERS)) or (
        imported and not _MAKERS.isdisjoint(words)
    )


def _names_makers(name: str) -> bool:
    return not _MAKERS.isdisjoint(name.split(".")) or "*" in name.split(".")


def _imported_from_slrsym(node: ast.AST) -> list[str]:
    """Return the names that a node imports from slrsym, ``*`` for what its text does not tell."""
    match node:
        case ast.Import(names=names):
            found = [alias.name for alias in names]
        case ast.ImportFrom(module=str(module), names=names, level=0):
            found = [f"{module}.{alias.name}" for alias in names]
        case ast.Call(func=called, args=[first, *_]) if (
            getattr(called, "attr", getattr(called, "id", "")) in _IMPORTERS
        ):
            inside = [x.value for x in ast.walk(first) if isinstance(x, ast.Constant)]
            return ["*"] if any("slrsym" in x for x in inside if isinstance(x, str)) else []
        case _:
            return []
    return [name for name in found if name.split(".")[0] == "slrsym"]


def files_with_claim(id: str, folder: Path) -> list[Path]:
    """Return the files in and below a folder whose text seems to state a given claim."""
    texts = {
        file: source_text(file) for file in sorted(_files_below(folder)) if file.suffix == ".py"
    }
    # To parse a text takes long: most do not even speak of the id.
    spoken = [file for file, text in texts.items() if id in text]
    named = [file for file in spoken if (made := _declared_claims(texts[file])) and id in made.ids]
    if named:
        return named
    found = {file: made for file, text in texts.items() if (made := _declared_claims(text))}
    return [f for f, made in found.items() if any(re.fullmatch(x, id) for x in made.patterns)]


def claim_ids_in_folder(folder: Path, among: Collection[str] | None = None) -> list[str]:
    """Return the ids of claims that files in and below a folder write as literal strings."""
    texts = [source_text(file) for file in sorted(_files_below(folder)) if file.suffix == ".py"]
    if among is not None:
        texts = [text for text in texts if any(id in text for id in among)]
    found = [id for text in texts if (made := _declared_claims(text)) for id in made.ids]
    return found if among is None else [id for id in found if id in among]


# The files of the package are looked at again and again.
@lru_cache(maxsize=256)
def _declared_claims(text: str) -> DeclaredClaimIds | None:
    if "Claim" not in text or "slrsym" not in text:
        return None
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return DeclaredClaimIds((), (".*",))
    ids: list[str] = []
    patterns: list[str] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if getattr(node.func, "id", getattr(node.func, "attr", None)) != "Claim":
            continue
        match [word.value for word in node.keywords if word.arg == "id"] or node.args[:1]:
            case [ast.Constant(value=str(id))]:
                ids.append(id)
            case [ast.JoinedStr(values=parts)]:
                known = (getattr(part, "value", None) for part in parts)
                patterns.append(
                    "".join(re.escape(x) if isinstance(x, str) else ".*" for x in known)
                )
            case _:
                patterns.append(".*")
    return DeclaredClaimIds(tuple(ids), tuple(patterns)) if ids or patterns else None


def derivation_files(path: Path) -> list[Path]:
    """Return the derivation file at a path, or all those in and below a folder."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise DerivationError(f"{path} does not exist")
    search = DerivationSearch()
    found = [file for file in sorted(_files_below(path)) if search.is_derivation_file(file)]
    if not found:
        seen = notebooks_with_claims(path)
        also = f"; claims in notebooks, such as {seen[0]}, are not seen" if seen else ""
        raise DerivationError(
            f"{path} has no derivation: no .py file in it imports slrsym.proof, or a file that "
            f"does{also}"
        )
    return found


def notebooks_with_claims(path: Path) -> list[Path]:
    """Return the notebooks in and below a folder that seem to make claims."""
    found = sorted(file for file in _files_below(path) if file.suffix == ".ipynb")
    return [
        file for file in found if all(word in source_text(file) for word in ("slrsym", "Claim"))
    ]


def linked_folders_with_claims(path: Path) -> list[Path]:
    """Return the links in and below a folder to other folders that have files that make claims.

    They are not followed: a link may lead to any amount of data.
    """
    links = [Path(here, name) for here, below, _ in _walk(path) for name in below]
    return [
        link
        for link in sorted(links)
        if link.is_symlink()
        and not link.resolve().is_relative_to(path.resolve())
        and any(map(imports_slrsym_proof, link.glob("*.py")))
    ]


def python_and_paper_toml_files(folder: Path) -> list[Path]:
    """Return all Python files and descriptions of papers in and below a folder."""
    found = _files_below(folder)
    return sorted(file for file in found if file.suffix == ".py" or file.name == PAPER)


def files_that_derivations_may_read(folder: Path) -> list[Path]:
    """Return all files in and below a folder, but for those in hidden folders and caches.

    Folders of virtual environments are left out as well. A derivation may import or read the files.
    """
    return sorted(_files_below(folder))


def _files_below(folder: Path) -> Iterator[Path]:
    """Yield the files in and below a folder, but for hidden folders and virtual environments."""
    for here, _, files in _walk(folder):
        yield from (Path(here, name) for name in files)


def _walk(folder: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield folders that may have derivations, with the names of the folders and files in each."""
    for here, below, files in os.walk(folder):
        below[:] = [
            name
            for name in below
            if name[0] != "."
            and name != "__pycache__"
            and not Path(here, name, "pyvenv.cfg").exists()
        ]
        yield here, below, files
