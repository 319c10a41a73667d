"""Digests of Python files by what they do: comments, blank lines and line breaks make no other one.

A file is compiled, not run. One that may ask for its own text or for numbers of lines counts by its
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from types import CodeType

from slrsym.prover.claims.imports import imported_files, is_installed, source_text

# Who says one of these words may see the text of a file, or where in it something stands.
_SEES_LINES = re.compile(
    rb"lineno|inspect|traceback|linecache|tokenize|getsource|__code__|_getframe|co_lines|"
    rb"currentframe|stack_info|tracemalloc"
)
# And who says one of these may depend on more than on the files that are imported by name.
_SEES_MORE = re.compile(
    rb"importlib|__import__|\bexec\b|\beval\b|runpy|\bsetattr\b|\bglobals\b|__dict__|\bvars\b|"
    rb"sys\.(?:modules|path|argv)|import_module|"
    rb"__subclasses__|\bgc\b"
)
# And these ask for what Python tells nobody: whether there is a file, what a program or a library
# in another language answers, and what time it is.
_SEES_SYSTEM = re.compile(
    rb"exists\b|\bis_?(?:file|dir|link|symlink|mount)\b|\breadlink\b|\bget[acm]?(?:time|size)\b|"
    rb"\bl?stat\(|\bsamefile\b|\bos\.access\b|subprocess|(?:\.|import [^\n]*\b)popen\b|"
    rb"\bos\.(?:system|spawn|exec|posix)|"
    rb"sqlite3|\bsocket\b|urllib|http\.client|\brequests\b|ctypes|cffi|"
    rb"\btime\.|\bfrom time\b|datetime"
)
_SEES_ENVIRONMENT = re.compile(rb"environ|getenv|expandvars|expanduser|\bhome\(")


# A run asks for those of all derivations before and after it, and to compile them takes seconds.
@lru_cache(maxsize=1024)
def code_digest(text: bytes) -> str:
    """Return a digest of what the text of a Python file does, or of the text if it may see it."""
    if not _SEES_LINES.search(text):
        try:
            return _digest_of_compiled(compile(text, "", "exec", dont_inherit=True))
        # Running it says what is wrong with it.
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    return sha256(text).hexdigest()


def asks_for_environment(text: bytes) -> bool:
    """Return whether a text names what gives environment variables."""
    return bool(_SEES_ENVIRONMENT.search(text))


def asks_the_system(text: bytes) -> bool:
    """Return whether a text may depend on what nothing that Python opens or lists tells."""
    return bool(_SEES_SYSTEM.search(text))


def _digest_of_compiled(code: CodeType) -> str:
    """Return a digest of compiled code, but for the numbers of its lines and columns."""
    parts: list[object] = [
        code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars,
        code.co_flags, code.co_name, code.co_qualname, code.co_exceptiontable,
        (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount),
        *map(_constant, code.co_consts),
    ]  # fmt: skip
    return sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _constant(value: object) -> str:
    if isinstance(value, CodeType):
        return _digest_of_compiled(value)
    if isinstance(value, frozenset):
        # In another order in each process.
        return f"frozenset {sorted(map(_constant, value))}"
    if isinstance(value, tuple):
        return f"tuple {[*map(_constant, value)]}"
    return f"{type(value).__name__} {value!r}"


def imported_with(file: Path) -> dict[Path, bytes]:
    """Return the texts of a file and of all files that it imports, directly or by way of others.

    Left out is what belongs to Python, to installed libraries, and to slrsym.
    """
    found: dict[Path, bytes] = {}
    ahead = [file.resolve()]
    while ahead:
        here = ahead.pop()
        if here in found or (is_installed(here) and here != file.resolve()):
            continue
        found[here] = here.read_bytes()
        ahead += [each.resolve() for each in imported_files(here, source_text(here))]
    return found


def digest_of_code(files: Iterable[Path]) -> str | None:
    """Return a digest of what files and all that they import do.

    Return None if they may depend on more than that, or cannot be read.
    """
    texts: dict[Path, bytes] = {}
    try:
        for file in files:
            texts |= imported_with(file)
    except OSError:
        return None
    own = [text for file, text in texts.items() if not is_installed(file)]
    seen = (_SEES_MORE.search, asks_for_environment, asks_the_system)
    if any(sees(text) for text in own for sees in seen):
        return None
    # Wherever they lie.
    digests = sorted(f"{file.name} {code_digest(text)}" for file, text in texts.items())
    return sha256("\n".join(digests).encode()).hexdigest()
