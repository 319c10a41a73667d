"""Verdicts on single claims that earlier runs found, kept in the cache folder.

A verdict is shown again if nothing differs on which it depends: the statement, the hypotheses and
the proof of the claim, as they are after its file was run; what the claims that it cites state; the
package and the versions of libraries; and the seed. For a claim with code of its own, such as an
experiment, the code of its file and of what that imports counts, and the files that were read. Only
verdicts that accept a claim are kept. Its file is run again in any case.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, fields
from functools import cache as kept_for_process
from importlib.metadata import version
from pathlib import Path
from typing import Any

from slrsym.files import cache_key_of_files, replace_atomically
from slrsym.prover.claims import cache
from slrsym.prover.claims.check import CheckOptions, ClaimVerdict, StepReport, check_claim
from slrsym.prover.claims.claim import Claim, Trials
from slrsym.prover.claims.claim_digests import ClaimDigest, claim_digest, statement_digest
from slrsym.prover.claims.files_read import are_unchanged, read_by_code, recording_began
from slrsym.prover.claims.hypotheses import HypothesesReport
from slrsym.prover.claims.source_code import imported_with
from slrsym.prover.statements.expressions import ProofError

# For each claim: that of a few earlier states of its file is of use.
_MOST_OF_CLAIM = 4
_MOST_CLAIMS = 4_000
# What a clock of the file system may be late by, in nanoseconds.
_LATE = 20_000_000

Find = Callable[[str], Claim]


def check_and_describe(
    claim: Claim, find: Find, options: CheckOptions
) -> tuple[ClaimVerdict, dict[str, Any] | None]:
    """Check a claim; return its verdict, and an entry to be kept, or None if it may not be."""
    cited: dict[str, str] = {}

    def noted(id: str) -> Claim:
        cited[id] = ""
        found = find(id)
        cited[id] = statement_digest(found)
        return found

    verdict = check_claim(claim, noted, options)
    if not (options.use_cache and verdict.accepted):
        return verdict, None
    digest = _digest_or_none(claim)
    if digest is None or (digest.has_code and not _is_code_of_this_run(claim)):
        return verdict, None
    return verdict, {
        "digest": digest.text, "package": package_digest(options.seed), "cited": cited,
        "read": read_by_code() if digest.has_code else {},
        "verdict": _to_data(verdict),
    }  # fmt: skip


def kept_verdict(claim: Claim, find: Find, options: CheckOptions) -> ClaimVerdict | None:
    """Return the verdict that an earlier run found of the same claim, or None if there is none."""
    entries = _entries(claim) if options.use_cache else []
    if not entries:
        return None
    digest = _digest_or_none(claim)
    if digest is None:
        return None
    same = {"digest": digest.text, "package": package_digest(options.seed)}
    for entry in entries:
        # An entry is written by this program, and may be damaged.
        with suppress(KeyError, TypeError, ValueError, AttributeError):
            if (
                all(entry[name] == value for name, value in same.items())
                and are_unchanged(entry["read"])
                and all(_stated(id, find) == stated for id, stated in entry["cited"].items())
            ):
                return _from_data(entry["verdict"])
    return None


def keep(claim: Claim, entry: Mapping[str, Any]) -> None:
    """Keep an entry of a verdict on a claim, with a few earlier ones."""
    rests_on = ("digest", "package", "cited", "read")
    others = [e for e in _entries(claim) if any(e.get(n) != entry[n] for n in rests_on)]
    with suppress(OSError):
        _folder().mkdir(parents=True, exist_ok=True)
        with replace_atomically(_file(claim)) as draft:
            text = json.dumps([entry, *others[: _MOST_OF_CLAIM - 1]])
            draft.write_text(text, encoding="utf-8")


def remove_oldest() -> None:
    """Remove what is kept of the claims that were checked longest ago, if there are too many."""
    with suppress(OSError):
        files = list(_folder().glob("*.json"))
        if len(files) > _MOST_CLAIMS:
            for old in sorted(files, key=lambda file: file.stat().st_mtime)[:-_MOST_CLAIMS]:
                old.unlink()


@kept_for_process
def package_digest(seed: int) -> str:
    """Return a digest of the package, versions of libraries, the seed, and slrsym's environment."""
    files = cache.files_of_package()
    read = [file for file in files if file.suffix == ".py"]
    others = [cache.state_of_file(file) for file in files if file.suffix != ".py"]
    libraries = list(map(version, cache.LIBRARIES))
    return cache_key_of_files(
        read, others, libraries, seed, cache.environment_of_slrsym(), sys.flags.optimize
    )  # fmt: skip


def _digest_or_none(claim: Claim) -> ClaimDigest | None:
    # A proof is user code: whatever it raises, checking it says so.
    with suppress(Exception, SystemExit):
        return claim_digest(claim)
    return None


def _stated(id: str, find: Find) -> str:
    try:
        return statement_digest(find(id))
    except ProofError:
        return ""


def _is_code_of_this_run(claim: Claim) -> bool:
    """Return whether the files of a claim's code are those that were run in this process."""
    began = recording_began()
    if began is None or claim.file is None:
        return False
    return all(
        max(file.stat().st_ctime_ns, file.stat().st_mtime_ns) < began - _LATE
        for file in imported_with(claim.file)
    )


def _folder() -> Path:
    return cache.folder() / "verdicts"


def _file(claim: Claim) -> Path:
    return _folder() / f"{cache.name_of_claim(claim)}.json"


def _entries(claim: Claim) -> list[dict[str, Any]]:
    with suppress(OSError, ValueError):
        found = json.loads(_file(claim).read_text(encoding="utf-8"))
        if isinstance(found, list):
            return [entry for entry in found if isinstance(entry, dict)]
    return []


def _to_data(verdict: ClaimVerdict) -> dict[str, Any]:
    """Return a verdict as plain data; steps are said in words, as from another process."""
    data = {f.name: getattr(verdict, f.name) for f in fields(verdict)}
    data["reports"] = [report.__getstate__() for report in verdict.reports]
    data["monte_carlo"] = [asdict(found) for found in verdict.monte_carlo]
    data["trials"] = verdict.trials and asdict(verdict.trials)
    data["hypotheses"] = asdict(verdict.hypotheses)
    return data


def _from_data(data: Mapping[str, Any]) -> ClaimVerdict:
    if data["monte_carlo"]:
        from slrsym.crosscheck.montecarlo import MonteCarloCheck

        samples = tuple(MonteCarloCheck(**found) for found in data["monte_carlo"])
    else:
        samples = ()
    trials = data["trials"]
    supposed: dict[str, Any] = {
        name: tuple(x) if isinstance(x, list) else x for name, x in data["hypotheses"].items()
    }
    verdict = ClaimVerdict(
        **{
            **data,
            "is_kept": True,
            "reports": tuple(StepReport(**report) for report in data["reports"]),
            "depends": tuple(data["depends"]),
            "axioms": tuple(data["axioms"]),
            "monte_carlo": samples,
            "trials": trials and Trials(**{**trials, "failures": tuple(trials["failures"])}),
            "hypotheses": HypothesesReport(**supposed),
        }
    )
    # What is kept has been accepted.
    if not verdict.accepted:
        raise ValueError("no verdict that accepts a claim")
    return verdict
