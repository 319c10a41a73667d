"""The claims that come with the package, whose ids rules rest on."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

from slrsym.claims.claim import Claim
from slrsym.claims.files import DerivationError, builtin_folder, derivation_files
from slrsym.claims.loading import load_file

__all__ = ["builtin_claims", "is_builtin"]


def builtin_claims(besides: Container[Path]) -> tuple[dict[str, Claim], list[str]]:
    """The package's claims."""
    claims: dict[str, Claim] = {}
    problems: list[str] = []
    for file in derivation_files(builtin_folder()):
        if file.resolve() not in besides:
            try:
                claims |= {claim.id: claim for claim in load_file(file)}
            except DerivationError as problem:
                problems.append(str(problem))
    return claims, problems


def is_builtin(claim: Claim) -> bool:
    """Whether a claim is the package's own, or says the same."""
    for file in derivation_files(builtin_folder()):
        if claim.file is not None and claim.file.resolve() == file.resolve():
            return True
    for file in derivation_files(builtin_folder()):
        for other in load_file(file):
            if other.id == claim.id:
                return (other.statement, other.given) == (claim.statement, claim.given)
    return False
