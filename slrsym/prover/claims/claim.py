"""Claims: statements with a source, hypotheses, and a proof, certificate or experiment."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from sympy import Eq, Expr, Ge, Gt, Le, Lt, Ne, Symbol, false, true
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from slrsym.gaussian.special_functions import with_own_owens_t
from slrsym.kernels.arguments import explain_arguments
from slrsym.prover.certificates.box_certificate import BoxCertificate, is_believed_certificate
from slrsym.prover.claims.explanation import NOTHING, Explanation
from slrsym.prover.claims.registration import register_claim
from slrsym.prover.rules.step import Proof, Rule
from slrsym.prover.statements.exact_numbers import require_exact_reals
from slrsym.prover.statements.expressions import (
    ProofError,
    conjuncts,
    flatten_conjunctions_and_disjunctions,
)
from slrsym.prover.statements.trajectories import FlowStatement
from slrsym.registry import load_registered

if TYPE_CHECKING:
    from numpy.random import Generator

# How many contradictions are told.
_TOLD = 3


@dataclass(frozen=True)
class Trials:
    """The result of an experiment that tests a claim; see `Claim.tested_by`.

    Parameters
    ----------
    count : int
        How many trials there were.
    domain : str
        Of what, in words: settings and their ranges.
    failures : tuple of str, optional
        Each trial that contradicts the statement.

    Examples
    --------
    >>> print(Trials(2000, "settings with d up to 100"))
    2,000 settings with d up to 100, none against it
    >>> Trials(3, "cubes", ("27 is one",)).problem
    '1 of 3 cubes against it: 27 is one'
    """

    count: int
    domain: str
    failures: tuple[str, ...] = ()

    @property
    def problem(self) -> str:
        """The reason why the trials do not support the statement; empty if they do."""
        if self.count < 1:
            return f"no trial was made of {self.domain}"
        if not self.failures:
            return ""
        told = "; ".join(self.failures[:_TOLD])
        return f"{len(self.failures):,} of {self.count:,} {self.domain} against it: {told}"

    def __str__(self) -> str:
        return self.problem or f"{self.count:,} {self.domain}, none against it"


_T = TypeVar("_T")

# How a claim may come to be believed, and what is said where it is to be given a second way.
_PROOF, _BOX, _TRIALS = "proof", "box", "trials"
_ALREADY = {
    _PROOF: "has a proof already",
    _BOX: "has evidence already",
    _TRIALS: "has evidence already",
}

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# A subclass could mean anything, and rules would take it for what it is derived from.
_RELATIONS = (Eq, Ne, Lt, Le, Gt, Ge)

_COMPARED = re.compile(r"exact|(stronger|weaker|false): \S.*")


class Claim:
    """A statement about expressions for all values of its symbols, with its proof.

    Parameters
    ----------
    id : str
        A name in lower case, words joined by hyphens.
    statement : Boolean
        A relation between expressions, or a conjunction or equivalence of relations. It is meant
        for all values of its free symbols that their declarations and `hypotheses` allow. SymPy
        evaluates relations that it finds obvious; write ``Eq(a, b, evaluate=False)`` for those.
    source : str
        Where the statement stands, such as ``Lemma 18 (ii)``.
    title : str, optional
        A few words for tables, where without them the statement stands. In it, as in the source and
        in the docstring of the proof, formulas stand between dollar signs, ``$gamma^2 <= 1$``.
    hypotheses : iterable of relations, optional
        Hypotheses besides what the symbols declare.
    compared_to_source : str, optional
        How it compares to what its source says: ``exact``, or ``stronger: ...``, ``weaker: ...``
        or ``false: ...`` and how; empty if the source does not say it.
    notation : mapping, optional
        How parts of the statement and of its proof are written in documents: a symbol, or an
        undefined function of some arguments, for each expression. Nothing is checked with it.
    explanation : Explanation or str, optional
        The paragraph with which documents open the claim: the idea of its proof, and where each
        assumption enters. An `Explanation` also has a sentence for each equation of the statement.

    Raises
    ------
    ProofError
        If the id is malformed, the statement is not a statement (or evaluated to true or false),
        a hypothesis is not one, or false, a float or another number that is not exact and real
        occurs in them, `compared_to_source` begins with another word, or
        `explanation` has a sentence for something that is no part of the statement.

    Examples
    --------
    >>> from sympy import Eq, Symbol
    >>> from slrsym.proof import Claim, algebra, chain
    >>> x = Symbol("x", real=True)
    >>> square = Claim(id="square", statement=Eq((x + 1)**2, x**2 + 2*x + 1), source="school")
    >>> @square.proof
    ... def _(goal):
    ...     return chain(goal.lhs).then(goal.rhs, by=algebra)
    """

    id: str
    statement: Boolean
    source: str
    title: str
    hypotheses: tuple[Boolean, ...]
    compared_to_source: str
    notation: Mapping[Expr, Expr]
    explanation: Explanation
    file: Path | None
    # What is to be believed of it, and the function that says why; None until that is given.
    _way: tuple[str, Callable[..., Any]] | None = None
    # What that function returned when it was first called for a proof.
    _proof: Proof | None = None

    @explain_arguments
    def __init__(
        self,
        id: str,
        statement: Boolean,
        source: str,
        title: str = "",
        hypotheses: Iterable[Boolean] = (),
        compared_to_source: str = "",
        notation: Mapping[Expr, Expr] | None = None,
        explanation: Explanation | str = NOTHING,
    ) -> None:
        if not isinstance(id, str) or not _ID.fullmatch(id):
            raise ProofError(
                f"id must be words in lower case joined by hyphens, such as lemma-18-ii; got {id!r}"
            )
        if statement in (true, false, True, False):
            raise ProofError(
                f"claim {id}: SymPy evaluated the statement to {statement}; pass evaluate=False"
            )
        if not isinstance(statement, Boolean) or isinstance(statement, Symbol):
            raise ProofError(f"claim {id}: the statement must be a relation; got {statement!r}")
        statement = flatten_conjunctions_and_disjunctions(with_own_owens_t(statement))
        hypotheses = tuple(
            flatten_conjunctions_and_disjunctions(with_own_owens_t(h))
            for h in hypotheses
            if h is not true and h is not True
        )
        for hypothesis in hypotheses:
            stated = isinstance(hypothesis, Boolean) and not isinstance(hypothesis, Symbol)
            if not stated or hypothesis in (false, False):
                raise ProofError(f"claim {id}: the hypothesis {hypothesis} cannot hold")
            if hypothesis.has(FlowStatement):
                raise ProofError(
                    f"claim {id}: what trajectories do, as in {hypothesis}, is proved and not "
                    "supposed; state it as a claim of its own, and cite that"
                )
        for part in (statement, *hypotheses):
            for node in part.atoms(Relational):
                if type(node) not in _RELATIONS:
                    raise ProofError(
                        f"claim {id}: {node} is a {type(node).__name__}, a relation that slrsym "
                        f"does not know; known are {', '.join(r.__name__ for r in _RELATIONS)}"
                    )
        require_exact_reals(f"claim {id}", statement, *hypotheses)
        if compared_to_source and not _COMPARED.fullmatch(compared_to_source):
            raise ProofError(
                f"claim {id}: compared_to_source must be exact, or stronger, weaker or false, a "
                f"colon, and how; got {compared_to_source!r}"
            )
        if isinstance(explanation, str):
            explanation = Explanation(explanation)
        for part in explanation.equations:
            if part not in conjuncts(statement):
                raise ProofError(
                    f"claim {id}: explanation has a sentence for {part}, which is no part of the "
                    "statement"
                )
        vars(self).update(
            id=id,
            statement=statement,
            source=source,
            title=title,
            hypotheses=hypotheses,
            file=register_claim(self),
            compared_to_source=compared_to_source,
            notation=MappingProxyType(dict(notation or {})),
            explanation=explanation,
        )

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"claim {self.id} stays as it was made: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"claim {self.id} stays as it was made: {name} cannot be deleted")

    def proof(self, function: Callable[[Any], Proof]) -> Callable[[Any], Proof]:
        """Register a function, as a decorator, that returns the proof of the claim.

        Parameters
        ----------
        function : callable
            Takes the claim's statement and returns a `Proof`. Its docstring is the `proof_idea`.

        Returns
        -------
        callable
            The function itself.

        Raises
        ------
        ProofError
            If the claim has a proof already.
        """
        already = {
            _PROOF: "has two proofs",
            _BOX: "is certified, and needs no proof",
            _TRIALS: "is tested, and has no proof",
        }
        return self._given_way(_PROOF, function, already)

    def certified_by(self, function: Callable[[], BoxCertificate]) -> Callable[[], BoxCertificate]:
        """Register a function, as a decorator, that returns a certificate in place of a proof.

        Parameters
        ----------
        function : callable
            Returns the certificate, such as `slrsym.proof.InequalitiesOnBox`. Its docstring is
            the `proof_idea`.

        Returns
        -------
        callable
            The function itself.

        Raises
        ------
        ProofError
            If the claim has a proof, or evidence already.
        """
        return self._given_way(_BOX, function, _ALREADY)

    def tested_by(self, function: Callable[[Generator], Trials]) -> Callable[[Generator], Trials]:
        """Register a function, as a decorator, that tests the claim in place of a proof.

        Parameters
        ----------
        function : callable
            Is given a random generator, seeded for the claim, and returns `Trials`. Its docstring
            is the `proof_idea`.

        Returns
        -------
        callable
            The function itself.

        Raises
        ------
        ProofError
            If the claim has a proof, or evidence already.
        """
        return self._given_way(_TRIALS, function, _ALREADY)

    def _given_way(
        self, kind: str, function: Callable[..., _T], already: Mapping[str, str]
    ) -> Callable[..., _T]:
        if self._way is not None:
            raise ProofError(f"claim {self.id} {already[self._way[0]]}")
        vars(self)["_way"] = kind, function
        return function

    def _function(self, kind: str) -> Callable[..., Any] | None:
        return self._way[1] if self._way is not None and self._way[0] == kind else None

    @property
    def evidence_function(self) -> Callable[..., Any] | None:
        """The function that returns the proof, certificate or trials; None if there is none."""
        return self._way[1] if self._way is not None else None

    @property
    def is_empirical(self) -> bool:
        """Whether the claim rests on an experiment instead of a proof."""
        return self._function(_TRIALS) is not None

    def experiment(self, rng: Generator) -> Trials | None:
        """Run the experiment that replaces the claim's proof; return its trials, or None.

        Parameters
        ----------
        rng : Generator
            Where its random numbers come from.

        Returns
        -------
        Trials or None

        Raises
        ------
        ProofError
            If the claim's function returns something else.
        """
        function = self._function(_TRIALS)
        if function is None:
            return None
        found = function(rng)
        if not isinstance(found, Trials):
            raise ProofError(f"claim {self.id}: {found!r} is no slrsym.proof.Trials")
        return found

    def certificate(self) -> BoxCertificate | None:
        """Call the function that `certified_by` registered, and return its certificate, or None.

        Returns
        -------
        Evidence or None
            What the claim's function returned.

        Raises
        ------
        ProofError
            If that is not a certificate.
        """
        function = self._function(_BOX)
        if function is None:
            return None
        found = function()
        # What users write is believed no more than what they prove.
        if not is_believed_certificate(found):
            raise ProofError(
                f"claim {self.id}: {found!r} is no certificate, such as "
                f"slrsym.proof.InequalitiesOnBox"
            )
        return found

    @property
    def proof_idea(self) -> str:
        """The idea of the proof: the docstring of the function that returns it."""
        text = self._way[1].__doc__ if self._way is not None else None
        return " ".join((text or "").split())

    def build_proof(self) -> Proof:
        """Build the proof of the claim, a tree of unchecked steps.

        The function is called once, so that every part of the check is about the same proof.

        Returns
        -------
        Proof
            What the claim's function returned.

        Raises
        ------
        ProofError
            If there is no proof, or it is not one.
        """
        function = self._function(_PROOF)
        if function is None:
            raise ProofError(f"claim {self.id} has no proof")
        if self._proof is not None:
            return self._proof
        _require_one_argument(function)
        proof = function(self.statement)
        where = _place_of(function)
        if isinstance(proof, Rule):
            raise ProofError(f"{where}the proof is a rule; write chain(...).then(..., by=rule)")
        if proof is None:
            raise ProofError(f"{where}the proof returned nothing; end it with: return chain(...)")
        if not isinstance(proof, Proof):
            raise ProofError(
                f"{where}the proof returned {proof!r}, which is no proof; return chain(...).then"
                "(..., by=rule), or another form of proof"
            )
        vars(self)["_proof"] = proof
        return proof

    @property
    def symbols(self) -> set[Symbol]:
        """The symbols in the statement and the hypotheses of the claim."""
        result: set[Symbol] = self.statement.free_symbols.union(
            *(h.free_symbols for h in self.hypotheses)
        )
        return result

    def symbol(self, name: Any) -> Any:
        """Return the claim's symbol or undefined function with a given name.

        Parameters
        ----------
        name : str or Symbol
            The name. What is not a string is returned as it is.

        Returns
        -------
        Symbol or function
            The one of that name.

        Raises
        ------
        ProofError
            If the claim has no such symbol, or more than one.
        """
        if not isinstance(name, str):
            return name
        functions = {f.func for f in self.statement.atoms(AppliedUndef)}
        known = {*self.symbols, *functions}
        found = [s for s in known if s.name == name]
        if len(found) != 1:
            names = ", ".join(sorted(s.name for s in known))
            raise ProofError(f"claim {self.id} has no symbol {name!r}; it has {names}")
        return found[0]

    def __repr__(self) -> str:
        return f"Claim({self.id!r}: {self.statement})"

    def to_latex(self, proof: bool = False) -> str:
        r"""Return the claim's statement, and on request its proof, in LaTeX.

        Parameters
        ----------
        proof : bool, optional
            Whether to write the assumptions and the proof, too.

        Returns
        -------
        str
            It needs amsmath and amssymb.

        Examples
        --------
        >>> import slrsym
        >>> print(slrsym.ledger().find("lemma-16").to_latex())
        \Bigl|1 - \frac{1}{\sqrt{1 + x}}\Bigr| \le \frac{x}{2}
        """
        return str(load_registered("claim.latex")(self, proof))

    def to_html(self, proof: bool = False) -> str:
        """Return the HTML of the claim's name, hypotheses and statement, and on request proof.

        Parameters
        ----------
        proof : bool, optional
            Whether to write the proof, too, abbreviated and broken into lines.

        Returns
        -------
        str
            A ``div`` with MathML in it, for ``IPython.display.HTML`` or a page.

        Examples
        --------
        >>> import slrsym
        >>> slrsym.ledger().find("lemma-16").to_html().startswith("<div><strong>Lemma 16")
        True
        """
        return str(load_registered("claim.html")(self, proof))

    def _repr_latex_(self) -> str:
        return str(load_registered("claim.cell")(self))

    def _repr_html_(self) -> str:
        return self.to_html()


def _place_of(function: Any) -> str:
    """Return file and line of a function, and a colon, or nothing if it has none."""
    code = getattr(function, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}: " if code else ""


def _require_one_argument(function: Callable[..., Any]) -> None:
    """Raise an error if a proof function cannot be called with the statement alone."""
    try:
        asked = inspect.signature(function)
    except (TypeError, ValueError):  # of what Python cannot look into
        return
    try:
        asked.bind(None)
    except TypeError:
        name = getattr(function, "__name__", repr(function))
        raise ProofError(
            f"{_place_of(function)}a proof takes one argument, the statement of the claim: "
            f"def {name}(goal); got {name}{asked}. Symbols come from the file, or from goal"
        ) from None
