"""Loading of derivation files: each is run as it stands, and its claims are returned."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.machinery import SOURCE_SUFFIXES, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from slrsym.prover.claims.claim import Claim
from slrsym.prover.claims.file_search import (
    DerivationError,
    builtin_derivation_folder,
    traceback_line_suffix,
)
from slrsym.prover.claims.imports import package_and_root
from slrsym.prover.claims.registration import (
    claims_of_imported_modules,
    claims_of_module,
    file_of_module,
    modules_of_file,
    record_created_claims,
)

# The package's own files as they were run last: their text, and what they made of it.
_loaded: dict[Path, tuple[bytes, list[Claim]]] = {}


def load_claims(path: Path) -> list[Claim]:
    """Run a derivation file and return its claims, in order, and those of what it imports."""
    resolved = path.resolve()
    try:
        text = resolved.read_bytes() if is_builtin(resolved) else None
    except OSError:
        text = None  # what is wrong with the file is found below
    if text is None:
        return _run(path, resolved)
    if resolved not in _loaded or _loaded[resolved][0] != text:
        _loaded[resolved] = text, _run(path, resolved)
    return list(_loaded[resolved][1])


class _AsItStands(SourceFileLoader):
    """Module loader that always compiles a file, without Python's cache of compiled code.

    Python takes compiled code for up to date if the second of the last change and the size of the
    file are the same: a proof that was just mended could be checked as it was.
    """

    def get_code(self, fullname: str) -> CodeType:
        file = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(file), file)
        return code


# How the names of modules begin that are run as derivations.
_PREFIX = "slrsym_derivation_"
# What files import from beside them, by the folder.
_imported: dict[Path, dict[str, ModuleType]] = {}


@contextmanager
def _imports_from(folder: Path, package: str) -> Iterator[None]:
    """Let imports find the modules of a folder, as for a program there, inside the block only.

    What another folder has under the same name is another module.
    """
    before, is_importable = dict(sys.modules), str(folder) in sys.path
    kept = {} if is_importable else _imported.setdefault(folder, {})
    for name, module in before.items():
        if package and name.split(".")[0] == package.split(".")[0] and not _lies_in(module, folder):
            del sys.modules[name]
    if not is_importable:
        sys.path.append(str(folder))
        sys.modules.update(kept)
    try:
        yield
    finally:
        if not is_importable:
            sys.path.remove(str(folder))
            for name in sys.modules.keys() - before.keys():
                if _lies_in(sys.modules[name], folder):
                    kept[name] = sys.modules.pop(name)
        sys.modules.update(before)


def files_of_module_named(name: str) -> set[Path]:
    """Return the files of the modules of a name, those that derivations imported included."""
    everywhere = (sys.modules, *_imported.values())
    found = (file_of_module(modules[name]) for modules in everywhere if name in modules)
    return {file for file in found if file is not None}


def _lies_in(module: ModuleType, folder: Path) -> bool:
    file = file_of_module(module)
    return file is not None and file.is_relative_to(folder)


def imported_module(file: Path) -> ModuleType | None:
    """Return the module that a file was imported as by someone else, if it was."""
    found = (m for m in modules_of_file(file) if not m.__name__.startswith(_PREFIX))
    return next(found, None)


def _module_to_run(name: str, file: Path) -> tuple[ModuleType, SourceFileLoader]:
    """Return an empty module for a file, and what runs the file in it."""
    loader = _AsItStands(name, str(file))
    inside = [str(file.parent)] if file.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(
        name, file, loader=loader, submodule_search_locations=inside
    )
    assert spec is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    return module, loader


def _import_packages(package: str, folder: Path) -> None:
    """Import a package of a folder, and those that it is in, unless they are imported."""
    names = package.split(".") if package else []
    for count in range(1, len(names) + 1):
        name, file = ".".join(names[:count]), folder.joinpath(*names[:count], "__init__.py")
        if file_of_module(sys.modules.get(name)) != file:
            module, loader = _module_to_run(name, file)
            loader.exec_module(module)


def _run(path: Path, resolved: Path) -> list[Claim]:
    if resolved.suffix == ".ipynb":
        raise DerivationError(f"{path} is a notebook; write its claims into a Python file")
    if resolved.suffix not in SOURCE_SUFFIXES:
        raise DerivationError(f"{path} is not a Python file")
    package, folder = package_and_root(resolved)
    name = f"{_PREFIX}{resolved.stem}_{zlib.crc32(os.fsencode(resolved)):08x}"
    above = package
    if package and resolved.name == "__init__.py":
        name, above = package, package.rpartition(".")[0]
    elif package:
        name = f"{package}.{resolved.stem}"
    try:
        with _imports_from(folder, package), record_created_claims(resolved) as claims:
            _import_packages(above, folder)
            module, loader = _module_to_run(name, resolved)
            loader.exec_module(module)
            return claims_made_by(module, resolved, claims)
    except KeyboardInterrupt:
        raise
    # User code: whatever it raises is why it does not import; sys.exit and pytest.skip, too.
    except BaseException as problem:
        if not package:
            sys.modules.pop(name, None)
        where = traceback_line_suffix(problem, resolved)
        # The text of a syntax error names the file once more.
        what = problem.msg if isinstance(problem, SyntaxError) else problem
        raise DerivationError(
            f"{path}{where} does not import: {type(problem).__name__}: {what}{_suggestion(problem)}"
        ) from problem


def claims_made_by(module: ModuleType, file: Path, recorded: Iterable[Claim] = ()) -> list[Claim]:
    """Return the claims that a file and what it imports made, and none of the package's own.

    What the file was imported as besides, by a file that it imports, made the same claims. A module
    that could not be imported is an error where it is asked for.
    """
    made = (*recorded, *claims_of_module(module), *claims_of_imported_modules(module))
    own = {id(claim) for claim in claims_of_module(module)}
    copies = {id(c) for other in modules_of_file(file) for c in claims_of_module(other)} - own
    others = {claim.file for claim in made if claim.file is not None} - {file}
    good = {other for other in others if modules_of_file(other)}
    if not is_builtin(file):
        good = {other for other in good if not is_builtin(other)}
    return [
        claim
        for claim in {id(claim): claim for claim in made}.values()
        if claim.file in good or (claim.file == file and id(claim) not in copies)
    ]


def is_builtin(file: Path) -> bool:
    """Return whether a file is one of the derivations that come with slrsym."""
    try:
        return file.is_relative_to(builtin_derivation_folder().resolve())
    except DerivationError:
        return False


def _suggestion(problem: BaseException) -> str:
    """Return a hint at the name that a failed import probably meant, or an empty text."""
    missing = re.match(r"cannot import name '(.+?)' from '(.+?)'", str(problem))
    if not isinstance(problem, ImportError) or missing is None:
        return ""
    known = [name for name in dir(sys.modules.get(missing[2])) if not name.startswith("_")]
    close = closest_name(missing[1], known)
    return f"; did you mean {close}?" if close else ""


def closest_name(id: str, known: Iterable[str]) -> str:
    """Return the name among the known ones that is closest to one that is not; or nothing."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(id, known, n=1)), "")
