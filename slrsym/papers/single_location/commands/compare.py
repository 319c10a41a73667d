"""The command that compares predictors by their risks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slrsym.cli import shared
from slrsym.cli.command_functions import as_command
from slrsym.papers.single_location.commands import options

if TYPE_CHECKING:
    from rich.table import Table

    from slrsym.models.sampling.estimates import Estimate
    from slrsym.papers.single_location.sampled_risk import Predictor
    from slrsym.papers.single_location.task import OrderParameters, Task


_MOST_SAMPLES = 10_000_000

_WIDE = 100


@dataclass(frozen=True, eq=False)
class PredictorRisk:
    """The name of a predictor, with its risk in closed form and by estimation."""

    name: str
    estimate: Estimate
    method: str
    closed_form: float | None

    @property
    def z(self) -> float | None:
        """Distance of the estimate from the closed form, in standard errors."""
        if self.closed_form is None:
            return None
        return float(self.estimate.zscore(self.closed_form))

    def as_dict(self, level: float) -> dict[str, Any]:
        """Return the comparison as plain data for JSON."""
        found = self.estimate
        return {
            "predictor": self.name,
            "risk": found.value,
            "stderr": found.stderr,
            "interval": list(map(float, found.interval(level))),
            "samples": found.samples,
            "method": self.method,
            "gain": found.gain,
            "target_reached": found.is_reached,
            "closed_form": self.closed_form,
            "z": self.z,
        }


@as_command
def compare(
    d: options.DIMENSION = 400,
    L: options.TOKENS = 10,
    gamma: options.GAMMA = None,
    gamma2: options.GAMMA2 = None,
    lam: Annotated[
        float, typer.Option(help="Inverse temperature of softmax and erf attention.")
    ] = 0.1,
    epsilon: Annotated[float, typer.Option(help="Standard deviation of the output noise.")] = 0.0,
    p: Annotated[
        str | None,
        typer.Option(metavar="P1,...,PL", help="Probabilities of the locations; equal by default."),
    ] = None,
    kappa: Annotated[float, typer.Option(help="Overlap of k and k*.")] = 1.0,
    nu: Annotated[float, typer.Option(help="Overlap of v and v*.")] = 1.0,
    theta: Annotated[float, typer.Option(help="Overlap of v and k*.")] = 0.0,
    eta: Annotated[float, typer.Option(help="Overlap of k and v*.")] = 0.0,
    rho: Annotated[float, typer.Option(help="Overlap of k and v.")] = 0.0,
    target_stderr: Annotated[
        float | None,
        typer.Option(help="Sample until standard errors are as small, or --samples are used up."),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="How many samples of the task for each predictor. "
            f"[default: 100000; with a target, at most {_MOST_SAMPLES}]",
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            help="plain: whole tokens; projected: the coordinates that matter; conditioned: the "
            "attention scores, averaged over the rest; auto: conditioned, and projected for the "
            "linear predictor."
        ),
    ] = "auto",
    level: Annotated[float, typer.Option(help="Level of the confidence intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Of the random numbers.")] = 0,
    json_file: shared.JsonFile = None,
) -> None:
    """Compare the paper's predictors by their risks.

    The risks are sampled, with intervals, beside closed forms where there are any. Softmax and erf
    attention are taken at given overlaps, by default at the true directions; the hard oracle and
    the best linear predictor always know these.
    """
    to_stdout = shared.is_json_on_stdout(json_file)
    if not 0 < level < 1:
        raise typer.BadParameter(f"must lie in (0, 1); got {level}", param_hint="--level")

    if target_stderr is not None and not 0 < target_stderr < math.inf:
        raise typer.BadParameter(
            f"must be positive and finite; got {target_stderr}", param_hint="--target-stderr"
        )

    from slrsym.papers.single_location import risk
    from slrsym.papers.single_location.linear import best_linear
    from slrsym.papers.single_location.sampled_risk import (
        METHODS,
        Erf,
        HardOracle,
        Linear,
        Softmax,
        require_feasible_overlaps,
    )
    from slrsym.papers.single_location.task import OrderParameters, Task

    if method not in ("auto", *METHODS):
        raise typer.BadParameter(
            f"must be one of auto, {', '.join(METHODS)}; got {method}", param_hint="--method"
        )
    with shared.value_errors_as_usage_errors():
        task = Task(d, L, options.gamma_from_options(gamma, gamma2, options.USUAL_GAMMA), epsilon)
        predictors = (HardOracle(), Softmax(lam), Erf(lam), Linear())
        state = OrderParameters(kappa, nu, theta, eta, rho)
        require_feasible_overlaps(state, task, "the overlaps")
        risk(state, lam, task)  # where numbers overflow, before anything is sampled
    with shared.value_errors_as_usage_errors("--p"):
        probabilities = None if p is None else _numbers(p)
        best_linear(task, probabilities)
    most = samples or (100_000 if target_stderr is None else _MOST_SAMPLES)
    with shared.show_warnings(), shared.progress_bar() as bar:
        rows = [
            _compared(
                predictor,
                task,
                state,
                method,
                probabilities=probabilities,
                samples=most,
                target_stderr=target_stderr,
                rng=seed,
                progress=_progress_line(bar, predictor.name, most, target_stderr),
            )
            for predictor in predictors
        ]
    settings = {
        "task": {"d": task.d, "L": task.L, "gamma": task.gamma, "epsilon": task.epsilon},
        "lam": lam,
        "probabilities": probabilities,
        "overlaps": state._asdict(),
        "seed": seed,
        "level": level,
        "bayes_bound": task.epsilon**2,
        "predictors": [row.as_dict(level) for row in rows],
    }
    if not to_stdout:
        from slrsym.cli.terminal_output import console

        out = console()
        for line in _settings(task, lam, state):
            out.print(line)
        out.print(risk_table(rows, task, level, out.width))
        out.print(
            "z: how many standard errors the estimate lies above the closed form.\n"
            "The Bayes risk, and so every risk, is at least epsilon^2."
        )
        if any(row.estimate.stderr == 0 for row in rows):
            out.print("No spread: all samples gave the same; what is rarer has not been seen.")
    shared.write_json(json_file, settings)
    for row in rows:
        if not row.estimate.is_reached:
            typer.echo(
                f"{row.name}: the standard error is {row.estimate.stderr:.2g} after "
                f"{row.estimate.samples:,} samples, above the target; --samples allows more",
                err=True,
            )


def _compared(
    predictor: Predictor, task: Task, state: OrderParameters, method: str, **options: Any
) -> PredictorRisk:
    from slrsym.papers.single_location import risk
    from slrsym.papers.single_location.linear import best_linear
    from slrsym.papers.single_location.sampled_risk import Erf, Linear, risk_estimate

    if method in ("auto", "conditioned"):
        method = "projected" if isinstance(predictor, Linear) else "conditioned"
    found = risk_estimate(predictor, task, state, method=method, **options)
    closed_form = None
    if isinstance(predictor, Erf):
        closed_form = float(risk(state, predictor.lam, task))
    elif isinstance(predictor, Linear):
        closed_form = best_linear(task, options["probabilities"]).risk
    return PredictorRisk(predictor.name, found, method, closed_form)


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"p must be numbers separated by commas; got {text!r}") from None


def _progress_line(
    bar: Any, name: str, most: int, target: float | None
) -> Callable[[int, float], None]:
    """Add a progress line for a predictor, and return the function that updates it."""
    line = bar.add_task(name, total=1.0, told="")

    def progress(samples: int, stderr: float) -> None:
        done = samples / most
        if target is not None and stderr > 0:
            # The samples that are needed grow as the square of the accuracy.
            done = max(done, min(1.0, (target / stderr) ** 2))
        bar.update(line, completed=done, told=f"{samples:,} samples, error {stderr:.1e}")

    return progress


def _settings(task: Task, lam: float, state: OrderParameters) -> list[str]:
    from slrsym.papers.single_location.task import ORACLE

    overlaps = ", ".join(f"{name} = {value:g}" for name, value in state._asdict().items())
    return [
        f"d = {task.d:,}, L = {task.L:,}, gamma = {task.gamma:.4g}, "
        f"epsilon = {task.epsilon:.4g}, lambda = {lam:.4g}",
        f"softmax and erf attention at {'the true directions' if state == ORACLE else overlaps}",
    ]


def risk_table(rows: list[PredictorRisk], task: Task, level: float, width: int = 80) -> Table:
    """Return a table of predictors' risks, estimated and exact, with one line for each."""
    from slrsym.cli.terminal_output import empty_table

    decimals = _decimals([row.estimate.stderr for row in rows], 8 if width >= _WIDE else 5)
    gap = (0, 1) if width >= _WIDE else (0, 1, 0, 0)
    numbers = ">risk", f">{100 * level:g}% interval", ">closed form", ">z", ">samples"
    result = empty_table("predictor", *numbers, padding=gap)
    for row in rows:
        low, high = row.estimate.interval(level)
        interval = f"{low:.{decimals}f} to {high:.{decimals}f}"
        exact = "-" if row.closed_form is None else f"{row.closed_form:.{decimals}f}"
        result.add_row(
            row.name,
            f"{row.estimate.value:.{decimals}f}",
            interval if row.estimate.stderr > 0 else "no spread",
            exact,
            "-" if row.z is None else f"{row.z:+.2f}",
            f"{row.estimate.samples:,}",
        )
    result.add_row("Bayes bound", "", "", f"{task.epsilon**2:.{decimals}f}", "", "", style="dim")
    return result


def _decimals(errors: list[float], most: int) -> int:
    """Return how many decimals show two digits of the smallest standard error, up to a limit."""
    least = min((e for e in errors if e > 0), default=1e-6)
    return max(2, min(most, 1 - math.floor(math.log10(least))))
