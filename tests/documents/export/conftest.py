"""Documents made of the package's claims, without verifying them again."""

import shutil
import subprocess
import zlib

import pytest

from slrsym.documents.export.build import build
from slrsym.prover.claims.verification import ClaimSummary
from tests._profile import NIGHTLY, THOROUGH

# One of each kind of proof and of formula; ci takes their files, and a part of the others.
FEW = (
    "attention-with-itself",
    "excess-risk-stable",
    "lemma-6",
    "lemma-6-lower-bound",
    "lemma-16-one-sided",
    "lemma-17-iii",
    "lemma-18-ii",
    "lemma-18-v",
    "owens-t-derivative-h",
    "proposition-9",
    "proposition-10-hessian",
    "proposition-10-maximum",
    "stein-multivariate",
    "stein-one-dimensional",
    "sum-of-copies",
    "theorem-1-location",
    "zeta-at-zero",
    "zeta-variance",
)


NODE = shutil.which("node") or shutil.which("nodejs")


def run_by_node(script: str) -> str:
    """Return the standard output of a script that Node runs."""
    ran = subprocess.run([NODE, "-"], input=script, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def as_if_proved(ledger, ids, axioms=("fubini",)):
    """Rows for claims that other tests verify."""
    return [
        ClaimSummary(c.id, c.title, c.source, "proved", 3, 30, axioms, (), 0.1, "")
        for c in map(ledger.find, ids)
    ]


def _is_chosen(claim):
    # A third of the largest paper, by the names of files: a new claim changes nothing for others.
    is_largest = claim.file.parent.name == "single_location"
    return not is_largest or zlib.crc32(claim.file.name.encode()) % 3 == 0


@pytest.fixture(scope="session")
def document(ledger):
    few = [id for id in FEW if id in ledger.claims]
    assert len(few) >= len(FEW) - 2
    # A claim may refer to others of its file, and those of a smaller paper to all of its own.
    files = {ledger.find(id).file for id in few}
    ids = [
        id
        for id, claim in ledger.claims.items()
        if NIGHTLY or id in few or (THOROUGH and (claim.file in files or _is_chosen(claim)))
    ]
    return build(ledger, as_if_proved(ledger, ids), {})
