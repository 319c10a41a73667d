"""Base class of certificates that make their statement of their own numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod

from sympy.logic.boolalg import Boolean

from slrsym.prover.statements.exact_numbers import require_exact_reals
from slrsym.prover.statements.words import InWords
from slrsym.registry import load_registered


class OwnStatementCertificate(ABC):
    """A certificate that is evidence for one statement, in words with all its numbers."""

    def __post_init__(self) -> None:
        """Refuse floats, which the statement would tell as other numbers than are checked."""
        for name, value in vars(self).items():
            require_exact_reals(name, value)

    def _repr_html_(self) -> str:
        names = ["statement", *(name for name in vars(self) if not name.startswith("_"))]
        return str(load_registered("fields.html")(self, names))

    @property
    @abstractmethod
    def statement(self) -> InWords:
        """The certified statement in words, with all its numbers."""

    def reason_not_shown(self, statement: Boolean) -> str:
        """Check the certificate; return why it does not show a statement, or an empty text.

        Parameters
        ----------
        statement : Boolean
            What it is evidence for.

        Returns
        -------
        str
            Why the statement is not shown; empty if it is.
        """
        if statement != self.statement:
            return f"this is evidence for {self.statement}"
        return self._reason_not_shown()

    @abstractmethod
    def _reason_not_shown(self) -> str:
        """Check the certificate; return why its own statement is not shown, or an empty text."""
