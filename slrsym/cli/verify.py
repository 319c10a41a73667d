"""Commands that verify claims and list axioms."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slrsym.cli import shared
from slrsym.cli.command_functions import as_command
from slrsym.cli.coq import check_by_coq, require_coq_installed
from slrsym.files import make_folder_with_files
from slrsym.prover.claims import id_from_short_name

if TYPE_CHECKING:
    from slrsym.prover.claims.check import ClaimVerdict
    from slrsym.prover.claims.dependencies import DirectDependencies
    from slrsym.prover.claims.ledger import Ledger
    from slrsym.prover.claims.verification import ClaimSummary


@as_command
def verify(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            help="Files or folders of derivations; by default those that come with the package.",
        ),
    ] = None,
    claim: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID", help="Check this claim and what it rests on. May be given more than once."
        ),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show each proof step by step.")
    ] = False,
    json_file: shared.JsonFile = None,
    seed: shared.SEED = 0,
    workers: shared.WORKERS = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Ignore the verdicts and evidence of earlier runs.")
    ] = False,
    proof_log: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the proofs with their evidence, for recheck. Evidence for unchanged steps "
            "is reused from FILE or from the bundled log, and checked again.",
        ),
    ] = None,
    effort: Annotated[
        float,
        typer.Option(
            metavar="X",
            min=0.0,
            show_default=False,
            help="How long to search for the evidence of a step, relative to the default of 1, "
            "which is about 20 seconds.",
        ),
    ] = 1.0,
    coq: Annotated[
        bool, typer.Option("--coq", help="Let Coq check steps, too, where it is installed.")
    ] = False,
) -> None:
    """Prove every claim; each step is checked twice.

    Once by the proof checker, and once by numbers at random points. Where neither slrsym nor a
    file beside the derivations has changed, and no claim had failed, the verdicts of the earlier
    run are shown.
    """
    to_stdout = shared.is_json_on_stdout(json_file)

    from slrsym.cli import terminal_output
    from slrsym.prover.claims import cache

    start = time.perf_counter()
    claim = claim and [id_from_short_name(name) for name in claim]
    if proof_log is not None:
        shared.require_writable(proof_log, "--proof-log")
    written = ("--proof-log", proof_log), ("--json", json_file)
    shared.require_distinct_files(*written)
    for path in paths or []:
        shared.require_distinct_files(("PATH", path), *written)
    if coq:
        require_coq_installed()
    require_derivations(paths)
    content, is_earlier = cache.load_or_compute(
        lambda: _verified(paths, claim, seed, effort, not no_cache, workers, verbose),
        paths, seed, claim, verbose, fresh=no_cache, is_good=_is_good,
        written=(proof_log, json_file),
    )  # fmt: skip
    found = cache.verify_result_to_objects(content)
    rows, problems = found.rows, found.problems
    if not rows:
        shared.write_json(json_file, [])
        shared.exit_if_problems(problems or ["there is no claim to verify"])
    out = terminal_output.console(sys.stderr if to_stdout else sys.stdout)
    asked = set(claim or [row.id for row in rows])
    for row in rows:
        if verbose and row.id in asked:
            terminal_output.show_proof(found.proofs[row.id], row, out)
    # What someone may search for is neither cut nor broken where nobody looks on.
    whole = not out.is_terminal
    out.print(terminal_output.claim_table(rows, None if whole else out.width))
    texts = (
        terminal_output.claims_per_axiom_text(rows),
        terminal_output.replacing_claims_note(row.id for row in rows if row.replaces),
        terminal_output.monte_carlo_summary(rows),
        *terminal_output.texts_on_hypotheses(rows),
        *terminal_output.texts_on_boxes_and_trials(rows),
        *terminal_output.texts_on_why_claims_are_not_proved(rows),
    )
    for text in filter(None, texts):
        out.print(text, soft_wrap=whole)
    for problem in problems:
        typer.echo(f"error: {problem}", err=True)
    for note in found.notes:
        typer.echo(f"note: {note}", err=True)
    if is_earlier:
        out.print("Nothing has changed since these verdicts were found; --no-cache checks again.")
    elif found.kept:
        was = "was" if found.kept == 1 else "were"
        out.print(
            f"{found.kept} of these verdicts {was} found earlier, of the same claims; --no-cache "
            "checks all again."
        )
    out.print(terminal_output.outcome_line(rows, time.perf_counter() - start))
    shared.write_json(json_file, [cache.objects_to_json_data(row) for row in rows])
    if problems or any(row.status in _FAILED for row in rows):
        raise typer.Exit(1)
    if proof_log is not None:
        _write_log(proof_log, paths, [row.id for row in rows], seed, effort, to_stdout)
    if coq:
        ids = [row.id for row in rows]
        check_by_coq(load_ledger(paths, ids), ids, search=bool(paths))


def _write_log(
    file: Path, paths: list[Path] | None, ids: list[str], seed: int, effort: float,
    to_stderr: bool,
) -> None:  # fmt: skip
    from slrsym.prover.claims.dependencies import write_table
    from slrsym.prover.tactics.bundled_log import BUNDLED_LOG, forget_log
    from slrsym.prover.tactics.proof_log import write_log

    ledger = load_ledger(paths, ids)
    with shared.show_activity("searching for evidence"):
        counts, left_out = write_log(file, ids, ledger.find, seed, (file, BUNDLED_LOG), effort)
    if file.resolve() == BUNDLED_LOG:
        # What the claims use is read from the new evidence.
        forget_log()
        write_table(_dependencies(ledger, ids))
    say = partial(typer.echo, err=to_stderr)
    for kind in sorted({kind for kind, _ in counts}):
        with_evidence, without = counts[kind, True], counts[kind, False]
        say(f"  {with_evidence:5} of {with_evidence + without:5} {kind}")
    if left_out:
        say(f"  left out, since the proof checker has no words for it: {', '.join(left_out)}")
    good = sum(count for (_, has), count in counts.items() if has)
    say(f"{file}: {good} of {sum(counts.values())} steps with evidence for recheck")


def _is_good(content: dict[str, Any]) -> bool:
    """Return whether cached results may be shown again: there are some, and no claim failed."""
    rows = content["rows"]
    good = all(row["status"] not in _FAILED for row in rows)
    return good and bool(rows) and not content["problems"]


_FAILED = ("failed", "unproved")


def _verified(
    paths: list[Path] | None,
    ids: list[str] | None,
    seed: int,
    effort: float,
    use_cache: bool,
    workers: int | None,
    with_proofs: bool,
) -> dict[str, Any]:
    """Verify claims; return their summaries, problems and proofs as plain data."""
    from slrsym.cli import terminal_output

    ledger = load_ledger(paths, ids, "--claim")
    verdicts: dict[str, ClaimVerdict] = {}
    rows = verify_with_progress(ledger, ids, seed, workers, verdicts, effort, use_cache)
    shown = [row.id for row in rows if with_proofs]
    proofs = {
        id: terminal_output.claim_and_verdict_as_data(ledger.find(id), verdicts[id]) for id in shown
    }
    data = [row.as_dict() for row in rows]
    texts = {"problems": ledger.problems, "notes": ledger.notes}
    kept = sum(verdict.is_kept for verdict in verdicts.values())
    return {"rows": data, "proofs": proofs, "kept": kept, **texts}


@as_command
def axioms(
    id: Annotated[
        str | None, typer.Argument(metavar="ID", help="A claim; all axioms if left out.")
    ] = None,
    path: shared.PATHS = None,
    json_file: shared.JsonFile = None,
) -> None:
    """List the axioms and claims that a claim rests on."""
    to_stdout = shared.is_json_on_stdout(json_file)
    from slrsym.cli import terminal_output
    from slrsym.prover.claims import cache
    from slrsym.prover.claims.dependencies import read_table

    id = None if id is None else id_from_short_name(id)
    require_derivations(path)
    for one in path or []:
        shared.require_distinct_files(("--path", one), ("--json", json_file))
    table = {} if path else read_table()
    if table and (id is None or id in table):
        content = _axioms_from_table(id, table)
    else:
        is_stale = not path and not table
        content, _ = cache.load_or_compute(
            lambda: _axioms(id, path, is_stale), path, "axioms", id, written=(json_file,)
        )
    problems = content.pop("problems")
    for problem in problems:
        typer.echo(f"error: {problem}", err=True)
    out = terminal_output.console(sys.stderr if to_stdout else sys.stdout)
    if id is None:
        terminal_output.show_axioms(content["axioms"], out)
    else:
        terminal_output.show_dependencies(id, content["claims"], content["axioms"], out)
    shared.write_json(json_file, content["axioms"] if id is None else content)
    if problems:
        raise typer.Exit(1)


def _axioms(id: str | None, paths: list[Path] | None, is_stale: bool) -> dict[str, Any]:
    """Judge claims, and return the axioms that they use, or that one rests on, as plain data."""
    if is_stale:
        typer.echo(
            "note: the derivations, the proof checker or its log have changed since the table of "
            "what claims use was made with the log; claims are judged again",
            err=True,
        )
    ledger = load_ledger(paths, None if id is None else [id], "ID")
    if id is None:
        found = _dependencies(ledger, ledger.claims)
        return {"problems": ledger.problems, "axioms": _users_of_axioms(found)}
    with shared.show_activity("reading proofs and their evidence"):
        below = ledger.foundations(id)
    return {"problems": ledger.problems, **_foundations_as_data(id, below)}


def _axioms_from_table(id: str | None, table: dict[str, DirectDependencies]) -> dict[str, Any]:
    """Return what `_axioms` does of claims that come with slrsym, from the table beside the log."""
    if id is None:
        return {"problems": [], "axioms": _users_of_axioms(table)}
    found: dict[str, DirectDependencies] = {}
    ahead = [id]
    while ahead:
        name = ahead.pop(0)
        if name not in found:
            found[name] = table[name]
            ahead += found[name].depends
    return {"problems": [], **_foundations_as_data(id, found)}


def _dependencies(ledger: Ledger, ids: Iterable[str]) -> dict[str, DirectDependencies]:
    """Judge claims with a progress bar; return the direct dependencies of each."""
    names, found = list(ids), {}
    with shared.progress_bar() as bar:
        task = bar.add_task("judging", total=len(names), told="")
        for done, name in enumerate(names, start=1):
            found[name] = ledger.foundations(name)[name]
            bar.update(task, completed=done, told=f"{done}/{len(names)} {name}")
    return found


def _users_of_axioms(found: Mapping[str, DirectDependencies]) -> list[dict[str, Any]]:
    """Return all axioms as plain data, each with the claims that use it directly."""
    from slrsym.prover.rules.axioms import AXIOMS, find_axiom

    users: dict[str, list[str]] = {}
    for name, own in found.items():
        for used in own.axioms:
            users.setdefault(used, []).append(name)
    # That a rule is sound, which has no evidence, is none of the table.
    names = dict.fromkeys((*AXIOMS, *sorted(users)))
    return [asdict(find_axiom(name)) | {"claims": users.get(name, [])} for name in names]


def _foundations_as_data(id: str, found: Mapping[str, DirectDependencies]) -> dict[str, Any]:
    """Return a claim's foundations as plain data, with the axioms among them."""
    from slrsym.prover.rules.axioms import find_axiom

    names = sorted({name for own in found.values() for name in own.axioms})
    return {
        "claim": id,
        "axioms": [asdict(find_axiom(name)) for name in names],
        "claims": {name: asdict(own) for name, own in found.items()},
    }


def require_derivations(paths: list[Path] | None) -> None:
    from slrsym.prover.claims.file_search import DerivationError, derivation_files

    for path in paths or ():
        try:
            derivation_files(path)
        except DerivationError as problem:
            raise typer.BadParameter(str(problem), param_hint="PATH") from None


def load_ledger(
    paths: list[Path] | None, ids: Iterable[str] | None = None, option: str = "CLAIM"
) -> Ledger:
    """Return the ledger of derivations at some paths, or that of slrsym's own claims.

    Of these, only the files are run that make claims that are asked for, or that these rest on.
    An unknown claim is bad usage of the `option`.
    """
    from slrsym.prover.claims.ledger import Ledger, builtin_ledger
    from slrsym.prover.statements.expressions import ProofError

    require_derivations(paths)
    if not paths and not ids:
        return builtin_ledger()
    ledger = Ledger.load(*paths or ())
    for id in ids or ():
        try:
            ledger.find(id)
        except ProofError as reason:
            if not ledger.problems:
                raise typer.BadParameter(str(reason), param_hint=option) from None
            missing = f"no file that could be read makes a claim {id!r}"
            shared.exit_if_problems([*ledger.problems, missing])
    return ledger


def verify_with_progress(
    ledger: Ledger,
    ids: list[str] | None,
    seed: int,
    workers: int | None,
    verdicts: dict[str, ClaimVerdict],
    effort: float = 1.0,
    use_cache: bool = True,
) -> list[ClaimSummary]:
    """Check claims with a progress bar; return summaries, and add every verdict to `verdicts`."""
    from slrsym.prover.claims.cache import is_cache_allowed

    with shared.progress_bar() as bar:
        task = bar.add_task("checking", total=len(ledger.claims if ids is None else ids), told="")

        def note(verdict: ClaimVerdict) -> None:
            verdicts[verdict.id] = verdict
            total = max(len(verdicts), int(bar.tasks[0].total or 0))
            # How many there are is known at the end: what claims rest on is checked as well.
            told = f"{len(verdicts)} checked, {verdict.id}"
            bar.update(task, completed=len(verdicts), total=total, told=told)

        return ledger.verify(
            ids, seed=seed, effort=effort, workers=workers,
            use_cache=use_cache and is_cache_allowed(), on_verdict=note,
        )  # fmt: skip


@as_command
def derivations(
    path: Annotated[
        bool, typer.Option("--path", help="Say where they are, as without any option.")
    ] = False,
    copy: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Copy them to a new folder, or an empty one.")
    ] = None,
) -> None:
    """Say where slrsym has its derivations, or copy them.

    In a copy, `pytest DIR` lists and checks every step, and files may be changed.
    """
    from slrsym.prover.claims.file_search import (
        builtin_derivation_folder,
        python_and_paper_toml_files,
    )

    folder = builtin_derivation_folder()
    if path or copy is None:
        typer.echo(folder)
    if copy is None:
        return
    if copy.exists() and (not copy.is_dir() or any(copy.iterdir())):
        raise typer.BadParameter(
            f"{copy} must be a new folder, or an empty one", param_hint="--copy"
        )
    files = python_and_paper_toml_files(folder)
    make_folder_with_files(copy, {str(f.relative_to(folder)): f.read_bytes() for f in files})
    typer.echo(f"{len(files)} files of derivations in {copy}; pytest {copy} checks them")
