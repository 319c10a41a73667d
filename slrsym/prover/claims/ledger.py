"""The ledger: all claims, each with its status, its evidence, and the claims it rests on.

A ledger of a user's own claims may refer to those that come with the package. These fill gaps: they
are loaded when an id is asked for that the user's files do not have, and checked like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from pathlib import Path

from slrsym.jobs import Terminated
from slrsym.prover.claims import id_from_short_name
from slrsym.prover.claims.cache import is_cache_allowed
from slrsym.prover.claims.check import CheckOptions, ClaimVerdict, claim_ids_used_by_certificate
from slrsym.prover.claims.claim import Claim
from slrsym.prover.claims.dependencies import DirectDependencies
from slrsym.prover.claims.file_search import (
    DerivationError,
    builtin_derivation_folder,
    claim_ids_in_folder,
    derivation_files,
    files_with_claim,
    imports_slrsym_proof,
    linked_folders_with_claims,
    notebooks_with_claims,
)
from slrsym.prover.claims.kept_verdicts import kept_verdict
from slrsym.prover.claims.loading import closest_name, load_claims
from slrsym.prover.claims.verification import ClaimSummary, summarise_claim, verify_claims
from slrsym.prover.rules import RULE_CLAIMS
from slrsym.prover.rules.claim_steps import steps_of_claim
from slrsym.prover.statements.expressions import ProofError
from slrsym.prover.tactics.judgement import CheckerVerdict, judge_claim
from slrsym.prover.tactics.proof_log import claim_ids_used_by


def is_or_copies_builtin_claim(claim: Claim) -> bool:
    """Return whether a claim comes with slrsym, or states the same as one that does."""
    folder = builtin_derivation_folder().resolve()
    if claim.file is not None and claim.file.is_relative_to(folder):
        return True
    same = (other for file in files_with_claim(claim.id, folder) for other in load_claims(file))
    own = next((other for other in same if other.id == claim.id), None)
    return own is not None and (own.statement, own.hypotheses) == (
        claim.statement,
        claim.hypotheses,
    )


@dataclass
class Ledger:
    """A collection of claims that may use each other.

    Attributes
    ----------
    claims : dict
        The claims by id.
    problems : list of str
        What was wrong with files: each is reported, the other claims stand.
    notes : list of str
        Where claims might have been expected and are none: files, and notebooks, which are not run.
    """

    claims: dict[str, Claim] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _files: dict[Path, list[Claim]] = field(default_factory=dict, repr=False)
    _failed: dict[Path, DerivationError] = field(default_factory=dict, repr=False)
    _library: dict[str, Claim] = field(default_factory=dict, repr=False)
    _asked: set[Path] = field(default_factory=set, repr=False, compare=False)
    _founded: dict[str, DirectDependencies] = field(default_factory=dict, repr=False, compare=False)

    @property
    def files(self) -> list[Path]:
        """The derivation files that were loaded, or failed to load."""
        return list(self._files)

    @classmethod
    def load(cls, *paths: Path) -> Ledger:
        """Return the ledger of the claims in the derivation files at some paths.

        What cannot be loaded is noted in `problems`.

        Parameters
        ----------
        *paths : Path
            Files and folders.

        Returns
        -------
        Ledger
            A new one.
        """
        ledger = cls()
        for path in paths:
            try:
                ledger.add_path(Path(path))
            except DerivationError as problem:
                ledger.problems.append(str(problem))
        return ledger

    def add_path(self, path: Path) -> None:
        """Add the claims of the derivation files at a path; record files that fail as problems.

        Parameters
        ----------
        path : Path
            A file or a folder.

        Raises
        ------
        DerivationError
            If there is no derivation at the path.
        """
        for file in derivation_files(path):
            if file.resolve() not in self._files:
                try:
                    if self.load_file(file):
                        continue
                except DerivationError as problem:
                    self.problems.append(str(problem))
                    continue
                if path.is_file():
                    self.problems.append(f"{file.resolve()} makes no claim")
                elif imports_slrsym_proof(file):
                    self.notes.append(f"{file} makes no claim when it is imported")
        if path.is_dir():
            self.notes += [
                f"{file} is a notebook, whose claims are not checked"
                for file in notebooks_with_claims(path)
            ]
            self.notes += [
                f"{link} is a link to a folder, whose claims are not checked; name it as well"
                for link in linked_folders_with_claims(path)
            ]

    def load_file(self, file: Path) -> list[Claim]:
        """Add the claims of a file, unless it was loaded before, and return them.

        Parameters
        ----------
        file : Path
            The file.

        Returns
        -------
        list of Claim
            All claims of the file and of what it imports, those included whose ids were taken.

        Raises
        ------
        DerivationError
            If the file does not load.
        """
        file = file.resolve()
        if file in self._failed:
            raise self._failed[file]
        if file not in self._files:
            self._files[file] = []
            try:
                self.add_file(file, load_claims(file))
            except DerivationError as problem:
                self._failed[file] = problem
                raise
        return self._files[file]

    def add_file(self, file: Path, claims: Iterable[Claim]) -> None:
        """Add the claims that a file makes when it is run, and those of the files it imports.

        Parameters
        ----------
        file : Path
            The file.
        claims : iterable of Claim
            What was made, in order. What other files made is left out if it is known.
        """
        made: dict[Path, list[Claim]] = {file: []}
        for claim in claims:
            made.setdefault(claim.file or file, []).append(claim)
        own = [place for place in made if place == file or place not in self._files]
        self._files |= {place: made[place] for place in own if place != file}
        self._files[file] = [claim for place in made for claim in made[place]]
        for claim in (claim for place in own for claim in made[place]):
            self.add(claim)

    def add(self, claim: Claim) -> None:
        """Add a claim; a second claim with the same id is recorded as a problem.

        Parameters
        ----------
        claim : Claim
            The claim. The ids that rules rest on are kept for the package's own.
        """
        if claim.id in RULE_CLAIMS and not is_or_copies_builtin_claim(claim):
            self.problems.append(
                f"the id {claim.id!r} is that of a claim of the package that rules rest on; "
                f"choose another"
            )
            return
        known = self.claims.setdefault(claim.id, claim)
        if known is not claim:
            places = " and ".join(str(c.file or "<unknown>") for c in (known, claim))
            self.problems.append(f"the id {claim.id!r} stands for two claims, in {places}")

    def find(self, id: str) -> Claim:
        """Return the claim with a given id, from this ledger or among those that come with slrsym.

        Parameters
        ----------
        id : str
            The id, or the name that book and site show, such as ``P15`` for ``proposition-15``.

        Returns
        -------
        Claim
            This ledger's own, if there are two.

        Raises
        ------
        ProofError
            If there is none.
        """
        claim = self.claims.get(id) or self._from_library(id)
        if claim is None and id_from_short_name(id) != id:
            return self.find(id_from_short_name(id))
        if claim is None:
            close = closest_name(
                id, [*self.claims, *claim_ids_in_folder(builtin_derivation_folder())]
            )
            hint = f"; did you mean {close}?" if close else ""
            raise ProofError(f"unknown claim {id!r}{hint}")
        return claim

    def has_claim(self, id: str) -> bool:
        """Return whether a claim with this id exists, here or among those that come with slrsym.

        Parameters
        ----------
        id : str
            The id.

        Returns
        -------
        bool
            Whether `find` would find it.
        """
        return id in self.claims or self._from_library(id) is not None

    def _from_library(self, id: str) -> Claim | None:
        """Return slrsym's own claim with this id, unless this ledger has its file."""
        if id not in self._library:
            for file in files_with_claim(id, builtin_derivation_folder()):
                if file.resolve() in self._files or file in self._asked:
                    continue
                self._asked.add(file)
                try:
                    self._library |= {claim.id: claim for claim in load_claims(file)}
                except DerivationError as problem:
                    self.problems.append(str(problem))
        return self._library.get(id)

    def replacing_ids(self) -> set[str]:
        """Return the ids of claims that replace slrsym's own claims with the same id."""
        try:
            folder = builtin_derivation_folder().resolve()
        except DerivationError:
            return set()
        own = {
            id for id, c in self.claims.items() if c.file is None or not _is_copy(c.file, folder)
        }
        said = set(claim_ids_in_folder(folder, own)) if own else set()
        # Where the text of a file does not tell its ids, it is run if one may be among them.
        return said | {id for id in own - said if self._from_library(id) is not None}

    # -- what rests on what --------------------------------------------------------------------

    def foundations(self, id: str) -> dict[str, DirectDependencies]:
        """Return, by id, the direct dependencies of a claim and of every claim that it rests on.

        Numbers are not compared.

        Parameters
        ----------
        id : str
            The claim.

        Returns
        -------
        dict of str to Foundation
            The claim itself, and every claim that it rests on.

        Raises
        ------
        ProofError
            If the id is unknown.
        """
        replacing = self.replacing_ids()
        found: dict[str, DirectDependencies] = {}
        ahead = [self.find(id).id]
        while ahead:
            name = ahead.pop(0)
            if name not in found:
                found[name] = replace(self._foundation(name), replaces=name in replacing)
                ahead += found[name].depends
        return found

    def citations(self, id: str) -> dict[str, tuple[str, ...]]:
        """Return the ids of the claims used by a claim, and by every claim it rests on, by id.

        Parameters
        ----------
        id : str
            The claim.

        Returns
        -------
        dict of str to tuple of str
            For the claim and all that it rests on.

        Raises
        ------
        ProofError
            If the id is unknown.
        """
        found: dict[str, tuple[str, ...]] = {}
        ahead = [self.find(id).id]
        while ahead:
            name = ahead.pop(0)
            if name not in found:
                found[name] = self._cited(name)
                ahead += found[name]
        return found

    def _cited(self, id: str) -> tuple[str, ...]:
        # A proof is user code: whatever it raises, nothing is cited; a call of sys.exit included.
        try:
            claim = self.find(id)
            return tuple(
                dict.fromkeys(
                    (*claim_ids_used_by_certificate(claim), *claim_ids_used_by(claim, self.find))
                )
            )
        except Terminated:
            raise
        except (Exception, SystemExit):
            return ()

    def _foundation(self, id: str) -> DirectDependencies:
        # A claim of an id stays, and so does its proof; what could not be built may be mended yet.
        if id in self._founded:
            return self._founded[id]
        try:
            claim = self.find(id)
            if found := kept_verdict(claim, self.find, CheckOptions(use_cache=is_cache_allowed())):
                return DirectDependencies(found.depends, tuple(sorted(found.axioms)))
            steps = steps_of_claim(claim, self.find)
            judgement = judge_claim(claim, self.find) if steps else CheckerVerdict({})
            depends = dict.fromkeys((*claim_ids_used_by_certificate(claim), *judgement.uses))
            # Of what is not shown, what it was to rest on.
            if judgement.problem:
                depends |= dict.fromkeys(name for step in steps for name in step.uses)
            axioms = judgement.axioms
        except Terminated:
            raise
        # A proof is user code: whatever it raises is why, a call of sys.exit included.
        except (Exception, SystemExit) as problem:
            return DirectDependencies((), (), f"{type(problem).__name__}: {problem}")
        self._founded[id] = DirectDependencies(tuple(depends), tuple(sorted(axioms)))
        return self._founded[id]

    # -- verification --------------------------------------------------------------------------

    def verify(
        self,
        ids: Iterable[str] | None = None,
        *,
        seed: int = 0,
        effort: float = 1.0,
        use_cache: bool = False,
        workers: int | None = 1,
        on_verdict: Callable[[ClaimVerdict], None] | None = None,
    ) -> list[ClaimSummary]:
        """Check claims and all claims that they use; return a summary of each.

        Parameters
        ----------
        ids : iterable of str, optional
            The claims; all by default.
        seed : int, optional
            Moves the random points of the numerical checks.
        effort : float, optional
            How long the search for evidence may take for a step; 1 is some 20 seconds.
        use_cache : bool, optional
            Whether evidence that an earlier run found is used, and new evidence is kept.
        workers : int or None, optional
            How many processes to use; None for one for each core, if there are many claims.
        on_verdict : callable, optional
            Called with every verdict as it comes.

        Returns
        -------
        list of Row
            The claims asked for and what they rest on, in the ledger's order.

        Raises
        ------
        ProofError
            If an id is unknown, a proof ends the program, or a worker process dies.
        ValueError
            If `workers` is less than 1, or `seed` or `effort` is negative.
        """
        if seed < 0:
            raise ValueError(f"seed must not be negative; got {seed}")
        if not 0 <= effort < inf:
            raise ValueError(f"effort must be a number of at least 0; got {effort}")
        options = CheckOptions(seed, effort, use_cache)
        asked = list(self.claims) if ids is None else list(ids)
        verdicts = verify_claims(self, dict.fromkeys(asked), options, workers, on_verdict)
        own = self._loaded_claims()
        order = [id for id in own if id in verdicts]
        others = [id for id in verdicts if id not in own]
        order += sorted(others, key=lambda id: (self.find(id).file, list(self._library).index(id)))
        replacing = self.replacing_ids()
        return [summarise_claim(self.find(id), verdicts, id in replacing) for id in order]

    def _loaded_claims(self) -> dict[str, Claim]:
        """Return the ledger's own claims, as far as they are loaded."""
        return self.claims


class _Builtin(Ledger):
    """The ledger of slrsym's own claims, in which a file is run when its claim is needed."""

    @cached_property
    def claims(self) -> dict[str, Claim]:  # type: ignore[override]
        self._read()
        return self.claims

    @cached_property
    def problems(self) -> list[str]:  # type: ignore[override]
        self._read()
        return self.problems

    @cached_property
    def notes(self) -> list[str]:  # type: ignore[override]
        self._read()
        return self.notes

    @property
    def files(self) -> list[Path]:
        self._read()
        return super().files

    def _read(self) -> None:
        if not self._is_whole:
            vars(self).update(claims={}, problems=[], notes=[])
            self.add_path(builtin_derivation_folder())

    @property
    def _is_whole(self) -> bool:
        return "claims" in vars(self)

    def find(self, id: str) -> Claim:
        return (None if self._is_whole else self._from_library(id)) or super().find(id)

    def _loaded_claims(self) -> dict[str, Claim]:
        # To check a few claims, their files are enough.
        return self.claims if self._is_whole else {}

    def has_claim(self, id: str) -> bool:
        return (not self._is_whole and self._from_library(id) is not None) or super().has_claim(id)

    def replacing_ids(self) -> set[str]:
        return super().replacing_ids() if self._is_whole else set()


def builtin_ledger() -> Ledger:
    """Return the ledger of the claims that come with slrsym."""
    builtin_derivation_folder()
    ledger = _Builtin()
    del ledger.claims, ledger.problems, ledger.notes
    return ledger


def _is_copy(file: Path, folder: Path) -> bool:
    """Return whether a file lies below a folder, or is a copy of a file there."""
    if file.is_relative_to(folder):
        return True
    return any(x.read_bytes() == file.read_bytes() for x in folder.rglob(file.name))
