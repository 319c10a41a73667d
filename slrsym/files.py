"""Files that are complete or not there at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["replacing"]


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A draft beside a file, which takes the place of the file when the block has ended well.

    Parameters
    ----------
    path : path
        In a folder that exists. What a symbolic link points to is replaced, not the link; a device
        or a pipe is written to as it is.

    Yields
    ------
    Path
        Where to write.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> with replacing(file) as draft:
    ...     written = draft.write_text("1 2 3")
    ...     file.exists()
    False
    >>> file.read_text()
    '1 2 3'
    """
    file = Path(path)
    if file.exists() and not file.is_file():
        yield file
        return
    file = file.resolve()
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=".slrsym-", suffix=".part")
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        # mkstemp makes files that only their owner may read.
        mask = os.umask(0)
        os.umask(mask)
        draft.chmod(0o666 & ~mask)
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
