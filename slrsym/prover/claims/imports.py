"""Modules that a Python file imports, and the files that they lie in, as its text tells them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import decode_source
from pathlib import Path

_IMPORT = re.compile(
    r"(?:^|[;:])[ \t]*(?:"
    r"from[ \t]+(?P<module>\.*[\w.]*)[ \t]+import[ \t]*(?P<names>\([^)]*\)|[^\n;#]*)"
    r"|import[ \t]+(?P<modules>[^\n;#]+))"
    r"|(?:import_module|__import__)\(\s*[\"'](?P<called>[.\w]+)[\"']",
    re.MULTILINE,
)

# A text with one of these may look for modules in more folders, or run files that it names.
_LOOKS_ELSEWHERE = re.compile(
    r"sys\.path|addsitedir|spec_from_file_location|runpy|exec\(|FileLoader"
)
_NAMED = re.compile(r"[\"']([^\"'\n]{1,80})[\"']")
# In how many folders above a file such names are looked for, and how many of them.
_FOLDERS_ABOVE, _MOST_NAMES = 4, 40
_LONGEST_FILE = 10**6


def source_text(file: Path) -> str:
    """Return the text of a Python file in the encoding that it declares; empty if it is not read.

    What that encoding does not decode is replaced: loading the file says what is wrong with it.
    """
    try:
        content = file.read_bytes()
    except OSError:
        return ""
    with suppress(SyntaxError, UnicodeDecodeError):
        # To look for a declaration takes long.
        return decode_source(content) if b"coding" in content[:400] else content.decode("utf-8")
    return content.decode("utf-8", errors="replace")


def package_and_root(file: Path) -> tuple[str, Path]:
    """Return the name of the package that a file is in, and the folder that the package is in.

    A file beside which there is no ``__init__.py`` is in no package.
    """
    names: list[str] = []
    folder = file.parent
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    return ".".join(names), folder


def imported_module_names(text: str, package: str) -> Iterator[str]:
    """Yield the names that the text of a file imports, be they modules or in modules."""
    for found in _IMPORT.finditer(text.replace("\\\n", " ")):
        if (said := found["modules"]) is not None:
            yield from (name.split()[0] for name in said.split(",") if name.split())
            continue
        module = _absolute(found["called"] or found["module"], package)
        if module:
            yield module
        for name in re.findall(r"[\w*]+(?:[ \t]+as[ \t]+\w+)?", found["names"] or ""):
            yield f"{module}.{name.split()[0]}".lstrip(".")


def _absolute(module: str, package: str) -> str:
    """Return the full name of a module, which a file of a package may name by leading dots."""
    name = module.lstrip(".")
    up = len(module) - len(name)
    if not up:
        return name
    above = package.split(".")[: len(package.split(".")) - (up - 1)]
    return ".".join(filter(None, (*above, name)))


def is_installed(file: Path) -> bool:
    """Return whether a file belongs to Python, to an installed library, or to slrsym itself."""
    if {"site-packages", "dist-packages"} & set(file.parts):
        return True
    library = (Path(os.__file__).parent, Path(__file__).parents[2])
    return any(file.is_relative_to(folder) for folder in library)


def imported_files(file: Path, text: str) -> list[Path]:
    """Return the files, of those that are not installed, that are run to import what a text says.

    They are looked for beside the file, and where Python looks for modules; if the text may change
    that, in folders that it names, too.
    """
    package, root = package_and_root(file)
    named, run = _named_in(file, text) if _LOOKS_ELSEWHERE.search(text) else ([], [])
    places = [root, *(Path(place or ".") for place in sys.path), *named]
    places = [place for place in dict.fromkeys(places) if not is_installed(place / "x")]
    found = dict.fromkeys(run)
    for name in dict.fromkeys(imported_module_names(text, package)):
        if name.split(".")[0] != "slrsym":
            found |= dict.fromkeys(_files_of_module(name, places))
    return [each for each in found if each != file]


def _named_in(file: Path, text: str) -> tuple[list[Path], list[Path]]:
    """Return the folders and the files that a text may name, in and near folders above its file."""
    names = list(dict.fromkeys(_NAMED.findall(text)))[:_MOST_NAMES]
    above = list(file.parents)[:_FOLDERS_ABOVE]
    folders = [*above, *(here / name for here in above for name in names if (here / name).is_dir())]
    files = [each for here in folders for name in names if (each := here / name).is_file()]
    return folders, [each for each in files if each.stat().st_size <= _LONGEST_FILE]


def _files_of_module(name: str, places: list[Path]) -> list[Path]:
    for place in places:
        found, here = [], place
        for part in name.split("."):
            possible = (here / part / "__init__.py", here / f"{part}.py")
            found += [file for file in possible if file.is_file()][:1]
            here /= part
        if found:
            return found
    return []
