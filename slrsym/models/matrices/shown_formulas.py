"""What models of matrices and their equations have in common: LaTeX, and tables in notebooks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from slrsym.files import text_written_as_well
from slrsym.registry import load_registered

# Whoever asks for one of these is told where they are.
_PICTURES = ("plot_field", "plot_landscape", "write_portrait", "linearise")


class ShownFormulas:
    """An object on matrices whose formulas are written as LaTeX, and displayed by notebooks."""

    _kind: ClassVar[str]
    #: What has pictures, as it is asked for.
    _drawn: ClassVar[str]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            missing = f"{type(self).__name__} has no {name}"
            if name in _PICTURES:
                missing += f": a picture is of numbers, as {self._drawn} has them"
            raise AttributeError(missing)

    def to_latex(self, file: str | Path | None = None) -> str:
        """Return the formulas as LaTeX text: of a model its laws, risk and gradient.

        Lines are broken for a text of 6.5 in. Before a line that is wider stands a comment that
        says so.

        Parameters
        ----------
        file : str or Path, optional
            Where to write the text as well.

        Returns
        -------
        str
            Displays for a document with amsmath and amssymb.

        Raises
        ------
        ValueError
            If the file cannot be written.
        """
        return text_written_as_well(lambda: load_registered(f"{self._kind}.latex")(self), file)

    def _repr_html_(self) -> str:
        return str(load_registered(f"{self._kind}.html")(self))
