"""Digests of claims: what a claim states, and how it is proved.

Two claims with the same digest are the same to the proof checker and to the numerical cross-check,
in whatever process and by whatever text they were made. Where a proof has code of its own, such as
a rule of the user's, the digest takes in the files that the code comes from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from sympy import Basic, Dummy, Equivalent, FiniteSet
from sympy.core.function import UndefinedFunction
from sympy.core.operations import AssocOp, LatticeOp

from slrsym.prover.claims.loading import files_of_module_named
from slrsym.prover.claims.source_code import digest_of_code
from slrsym.prover.tactics.registration import USER_EMITTERS

if TYPE_CHECKING:
    from slrsym.prover.claims.claim import Claim

# Of these SymPy sorts no arguments, or not in every process alike.
_UNORDERED = (AssocOp, LatticeOp, Equivalent, FiniteSet, set, frozenset)
_PLAIN = (str, int, float, complex, bytes, bool, type(None), Fraction, type(Ellipsis))
_SEQUENCES = (tuple, list, set, frozenset)
_OWN = ("sympy", "slrsym", "builtins", "fractions", "flint", "mpmath")


def statement_digest(claim: Claim) -> str:
    """Return a digest of a claim's statement and hypotheses, the same in every process."""
    return _Digester().digest((claim.statement, claim.hypotheses))


class ClaimDigest(NamedTuple):
    """A digest of a claim and its proof, and whether code of the user's has a part in its verdict.

    Such code may read files whenever it runs.
    """

    text: str
    has_code: bool


def claim_digest(claim: Claim) -> ClaimDigest | None:
    """Return the digest of a claim's id, statement, hypotheses and proof, or None.

    It is None if there is no proof, certificate or experiment, or if its code may depend on more
    than on the files that it comes from. What a claim that is cited states is not covered.
    """
    function = claim.evidence_function
    if function is None:
        return None
    digester = _Digester()
    is_proof = not (claim.is_empirical or claim.certificate() is not None)
    evidence = claim.build_proof() if is_proof else function
    digest = digester.digest((claim.id, claim.statement, claim.hypotheses, evidence))
    if digester.is_incomplete:
        return None
    if is_proof and not digester.foreign:
        return ClaimDigest(digest, has_code=False)
    files = [claim.file, *digester.files_of_code()]
    code = None if None in files else digest_of_code(file for file in files if file)
    return None if code is None else ClaimDigest(_hash(digest, code), has_code=True)


class _Digester:
    """Digests of expressions, proofs and rules, and what they have from outside of the package."""

    def __init__(self) -> None:
        # Classes, functions and objects which more than their data may tell apart.
        self.foreign: list[Any] = []
        # Whether there is an object whose data are not known, nor where they come from.
        self.is_incomplete = False
        # By the object, which is kept: another one would have the same number.
        self._known: dict[int, tuple[Any, str]] = {}
        self._dummies: dict[Dummy, int] = {}

    def digest(self, thing: Any) -> str:
        if isinstance(thing, Basic) or is_dataclass(thing):
            known = self._known.get(id(thing))
            if known is None:
                known = self._known[id(thing)] = thing, self._new_digest(thing)
            return known[1]
        return self._new_digest(thing)

    def _new_digest(self, thing: Any) -> str:
        kind = type(thing)
        if kind in _PLAIN:
            return _hash(kind.__name__, repr(thing))
        parts = [*map(self.digest, self._parts(thing))]
        if isinstance(thing, _UNORDERED) and getattr(thing, "is_commutative", True) is not False:
            parts.sort()
        return _hash(self._name(kind), *parts)

    def _parts(self, thing: Any) -> Iterable[Any]:
        """Return what tells an object apart from others of its class."""
        match thing:
            case Dummy():
                # Its number is another one in each process.
                number = self._dummies.setdefault(thing, len(self._dummies))
                return thing.name, number, sorted(thing.assumptions0.items())
            case Basic():
                return _contents(thing)
            case _ if isinstance(thing, _SEQUENCES):
                return thing
            case dict() | MappingProxyType():
                return (part for item in thing.items() for part in item)
            case type():
                return (self._name(thing),)
            case FunctionType():
                return self._parts_of_function(thing)
            case BuiltinFunctionType():
                return (thing.__module__, thing.__qualname__)
            case _ if is_dataclass(thing):
                return [part for f in fields(thing) for part in (f.name, getattr(thing, f.name))]
            case _ if _is_own(type(thing)) and hasattr(thing, "__dict__"):
                return [part for item in sorted(vars(thing).items()) for part in item]
            case _ if getattr(thing, "__slots__", None) == ():
                return ()
        self.is_incomplete |= _is_own(type(thing))
        self.foreign.append(thing)
        return ()

    def _parts_of_function(self, function: FunctionType) -> Iterable[Any]:
        if not _is_own(function):
            self.foreign.append(function)
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        defaults = function.__defaults__, sorted((function.__kwdefaults__ or {}).items())
        return function.__module__, function.__qualname__, *defaults, cells

    def _name(self, kind: type) -> str:
        if isinstance(kind, UndefinedFunction):
            declared = getattr(kind, "_kwargs", {})
            return f"function {kind.__name__} {sorted(declared.items())!r}"
        if not _is_own(kind):
            self.foreign.append(kind)
        return f"{kind.__module__}.{kind.__qualname__}"

    def files_of_code(self) -> list[Path | None]:
        """Return the files of foreign classes and functions, and of tactics for these rules."""
        found: list[Path | None] = []
        for thing in self.foreign:
            kind = thing if isinstance(thing, type) else type(thing)
            code = getattr(thing, "__code__", None)
            tactic = getattr(USER_EMITTERS.get(kind), "__code__", None)
            found += [Path(each.co_filename) for each in (code, tactic) if each is not None]
            if code is None:
                # The methods of a class that it is derived from are its own.
                for base in kind.__mro__:
                    if not _is_own(base):
                        found += files_of_module_named(base.__module__) or [None]
        return list(dict.fromkeys(found))


def _contents(node: Basic) -> tuple[Any, ...]:
    """Return the arguments of an expression, and what else SymPy compares, such as a name."""
    compared = node._hashable_content()
    return node.args if compared == node.args else (*node.args, compared)


def _is_own(thing: Any) -> bool:
    """Return whether a class or function is one of slrsym or of the libraries that it names."""
    return str(thing.__module__).partition(".")[0] in _OWN


def _hash(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()
