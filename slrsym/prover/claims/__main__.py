"""``python -m slrsym.prover.claims`` prints the statements of claims as records of the proof log.

The command ``slrsym recheck`` asks it, in a process of its own, what the derivations say: what
judges a log loads neither SymPy nor a derivation.
"""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from pathlib import Path

from slrsym.prover.claims.ledger import Ledger
from slrsym.prover.statements.expressions import ProofError
from slrsym.prover.tactics.proof_log import statement_and_step_records


def main(paths: list[str], ids: list[str]) -> None:
    """Print the statement of each given claim that exists, as one line of JSON each."""
    # What a derivation prints is no answer.
    with redirect_stdout(sys.stderr):
        # Of the package, only the files are run that make claims which are asked for.
        ledger = Ledger.load(*map(Path, paths))
        known = [id for id in ids if _is_known(ledger, id)]
        answers = list(map(json.dumps, statement_and_step_records(known, ledger.find)))
    for answer in answers:
        print(answer)


def _is_known(ledger: Ledger, id: str) -> bool:
    try:
        ledger.find(id)
    except ProofError:
        return False
    return True


if __name__ == "__main__":
    asked = json.loads(sys.stdin.read())
    main(asked["paths"], asked["ids"])
