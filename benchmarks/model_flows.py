"""Claims about the gradient flows of models of the documentation: proved, or refused in words.

``python benchmarks/model_flows.py`` prints a row for each model; ``--only PATTERN`` those whose
names match. ``--write docs/how-to/flows.md`` puts them into the table of the page, in the place of
those of the same names. ``--check docs/how-to/flows.md`` returns 1 if rows of quick models say
something else today. Seconds are of the processor, and not compared.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from sympy import Expr, Max, Rational, Symbol, erf, sign, sqrt, symbols, tanh

from slrsym.gaussian import normal_cdf
from slrsym.models import Direction, Directions, Noise, Predictor, Token, TokenSequence, model
from slrsym.proof import Claim, Ledger

u, s, w, v = (Direction(name, unit=name in "us") for name in "uswv")
NAMES = {w @ u: Symbol("R", real=True), w @ w: Symbol("Q", positive=True)}
sigma, kappa = Symbol("sigma", nonnegative=True), Symbol("kappa", positive=True)
d, mu, lam = symbols("d mu lambda", positive=True)
a, b = symbols("a b", real=True)

TABLE = re.compile(
    r"(<!-- flows of models -->\n).*?(<!-- end of the flows of models -->)", re.DOTALL
)
HEAD = """\
| model | page | Gram region kept | risk falls | s in all | s of the longest claim |
|---|---|---|---|--:|--:|
"""
_KINDS = ("gram-kept", "risk-falls")


def unit(z: Expr) -> Expr:
    """Return the unit of Saad and Solla's committees."""
    return erf(z / sqrt(2))


def learner(data: TokenSequence, predictor: Any, **more: Any) -> Any:
    """Return the model of a student, with short names of its overlaps unless others are given."""
    return model(data, Predictor(predictor), **({"names": NAMES} | more))


def teacher(target: Any, **more: Any) -> TokenSequence:
    """Return samples of one token with a target."""
    return TokenSequence({Token(target=target): 1}, **more)


def mixture(loss: str) -> Any:
    """Return a linear classifier of two Gaussian classes."""
    tokens = [Token(mean=c * mu * u, target=lambda X, c=c: c, name=f"class {c}") for c in (1, -1)]
    data = TokenSequence([({token: 1}, 0.5) for token in tokens])
    return learner(data, lambda X: X @ w, loss=loss)


def relus() -> Any:
    """Return two ReLU units that learn two."""
    teachers, students = Directions("t", 2, unit=True), Directions("w", 2)
    return learner(
        teacher(lambda X: teachers.sum(lambda t: Max(0, X @ t))),
        lambda X: students.sum(lambda x: Max(0, X @ x)),
        inner_products={teachers @ teachers: 0}, names={},
    )  # fmt: skip


def outputs() -> Any:
    """Return a model with a list of two outputs."""
    return learner(
        teacher(lambda X: [X @ u, erf(X @ s)]), lambda X: [erf(X @ w), (X @ w) + (X @ v)],
        inner_products={u @ s: 0}, names={},
    )  # fmt: skip


def committee() -> Any:
    """Return two units that learn one."""
    return learner(teacher(lambda X: unit(X @ u)), lambda X: unit(X @ w) + unit(X @ v), names={})


def attention(activation: Any, angle: Any = 0) -> Any:
    """Return one head of attention, on a token of ten with the signal."""
    k_star, v_star = Direction("k^*", unit=True), Direction("v^*", unit=True)
    k, value = Direction("k", sphere=True), Direction("v", sphere=True)
    told = Token(mean=sqrt(d / 2) * k_star, cov=0.5, target=lambda X: X @ v_star)
    return learner(
        TokenSequence({told: 1, Token(): 9}), lambda X: activation(lam * (X @ k)) * (X @ value),
        inner_products={k_star @ v_star: angle}, names={},
    )  # fmt: skip


def linear_attention() -> Any:
    """Return linear attention: a product of two sums over tokens."""
    q, k, value = Direction("q"), Direction("k"), Direction("v")
    told = Token(mean=u, target=lambda X: X @ u)
    predictor = Predictor(
        sums=[lambda X: X @ q, lambda X: (X @ k) * (X @ value)], readout=lambda s, t: s * t
    )
    count = Symbol("L", integer=True, positive=True)
    return model(TokenSequence({told: 1, Token(): count - 1}), predictor)


def two_heads() -> Any:
    """Return two heads of attention on two informative tokens."""
    from slrsym.papers.single_location.models import multi_head

    return multi_head(heads=2, informative=2).model


def xor() -> Any:
    """Return two ReLU units with weights, which learn XOR of clusters."""
    clusters = [(2 * u, 1), (-2 * u, 1), (2 * s, -1), (-2 * s, -1)]
    tokens = [Token(mean=mean, target=lambda X, y=y: y) for mean, y in clusters]
    data = TokenSequence([({token: 1}, 0.25) for token in tokens])
    return learner(
        data, lambda X: a * Max(0, X @ w) + b * Max(0, X @ v), inner_products={u @ s: 0}, names={}
    )


def noisy_sign() -> Any:
    """Return logistic regression on noisy signs."""
    label = Token(target=lambda X: sign(X @ u + sqrt(mu) * (X @ Noise("xi"))))
    return learner(TokenSequence({label: 1}), lambda X: X @ w, loss="logistic")


def plateau() -> Any:
    """Return a committee whose number of units is a symbol."""
    K = Symbol("K", integer=True, positive=True)
    students, teachers = Directions("w", K), Directions("u", K, unit=True)
    return learner(
        teacher(lambda X: teachers.sum(lambda x: unit(X @ x))),
        lambda X: students.sum(lambda x: unit(X @ x)),
        inner_products={teachers @ teachers: 0}, names={},
    )  # fmt: skip


class Row(NamedTuple):
    """A model of a page of the how-to guides."""

    page: str
    make: Callable[[], Any]
    # What is trained besides directions.
    train: tuple[Symbol, ...] = ()
    # Whether claims, or refusals, take seconds: these are checked.
    is_quick: bool = False


ROWS = {
    "linear student": Row(
        "equations", lambda: learner(teacher(lambda X: X @ u, noise=sigma), lambda X: X @ w),
        is_quick=True),
    "ridge": Row(
        "batches-and-fluctuations",
        lambda: learner(teacher(lambda X: X @ u, noise=sigma), lambda X: X @ w, ridge=kappa)),
    "phase retrieval": Row(
        "batches-and-fluctuations",
        lambda: learner(teacher(lambda X: (X @ u) ** 2), lambda X: (X @ w) ** 2)),
    "erf student": Row(
        "flows", lambda: learner(teacher(lambda X: unit(X @ u)), lambda X: unit(X @ w))),
    "ReLU student": Row(
        "models", lambda: learner(teacher(lambda X: Max(0, X @ u)), lambda X: Max(0, X @ w))),
    "two ReLU units": Row("models", relus),
    "committee of two": Row("models", committee),
    "autoencoder": Row(
        "outputs",
        lambda: learner(
            TokenSequence({Token(cov={1: 1, u: 1.5}, target=lambda X: X): 1}),
            lambda X: (X @ w) * w)),
    "weights divided by a length": Row(
        "outputs", lambda: learner(teacher(lambda X: X @ u), lambda X: (X @ w) / (w @ w)),
        is_quick=True),
    "list of outputs": Row("outputs", outputs),
    "hinge loss": Row("losses", lambda: mixture("hinge")),
    "exponential loss": Row("losses", lambda: mixture("exponential")),
    "linear attention": Row("outputs", linear_attention),
    "attention": Row("models", lambda: attention(erf)),
    "attention, an angle": Row("models", lambda: attention(erf, Rational(1, 2))),
    "attention, probit": Row("models", lambda: attention(normal_cdf)),
    "two heads": Row("models", two_heads),
    "XOR by two ReLU units": Row("models", xor, train=(a, b)),
    "tanh student": Row(
        "models", lambda: learner(teacher(lambda X: tanh(X @ u)), lambda X: tanh(X @ w)),
        is_quick=True),
    "logistic loss": Row("losses", noisy_sign, is_quick=True),
    "committee of K units": Row("models", plateau, is_quick=True),
}  # fmt: skip


def equations(name: str) -> Any:
    """Return the gradient flow of a row's model."""
    row = ROWS[name]
    return row.make().equations("gradient-flow", train=row.train)


def verdicts(name: str) -> tuple[list[str], list[float]]:
    """Return what a row says of each kind of claim, and the seconds of each claim's check.

    Of what is refused it says the first sentence of the refusal.
    """
    found: list[str | list[str]] = []
    claims: dict[str, Claim] = {}
    flow = equations(name)
    for kind in _KINDS:
        try:
            made = flow.flow_claims(kind, name="own")
        except ValueError as refusal:
            found.append("refused: " + re.split(r"[.:] ", str(refusal))[0])
        else:
            claims |= {claim.id: claim for claim in made}
            found.append([claim.id for claim in made])
    statuses, seconds = _verified(Ledger(claims)) if claims else ({}, [])
    said = [
        what if isinstance(what, str) else ", ".join(sorted({statuses[key] for key in what}))
        for what in found
    ]
    return said, seconds


def _verified(ledger: Ledger) -> tuple[dict[str, str], list[float]]:
    """Return the statuses of claims, and the seconds that each took."""
    times = [time.process_time()]
    rows = ledger.verify(on_verdict=lambda _: times.append(time.process_time()))
    return {row.id: row.status for row in rows}, [y - x for x, y in pairwise(times)]


def line(name: str) -> str:
    """Return the row of a model in the table."""
    said, seconds = verdicts(name)
    if said[0] == said[1] and not seconds:
        said[1] = "refused, too"
    times = (f"{sum(seconds):.0f}", f"{max(seconds):.0f}") if seconds else ("", "")
    page = ROWS[name].page
    return f"| {name} | {{doc}}`{page}` | {said[0]} | {said[1]} | {times[0]} | {times[1]} |\n"


def rows_of(text: str) -> dict[str, str]:
    """Return the rows of the table of a page by their names."""
    table = TABLE.search(text)
    rows = table[0].splitlines(keepends=True)[3:-1] if table else []
    return {row.split("|")[1].strip(): row for row in rows}


def with_rows(text: str, rows: dict[str, str]) -> str:
    """Return a page with rows in the place of those of the same names, in the program's order."""
    known = rows_of(text) | rows
    table = HEAD + "".join(known[name] for name in ROWS if name in known)
    return TABLE.sub(lambda marks: marks[1] + table + marks[2], text)


def words_of(row: str) -> list[str]:
    """Return a row without its seconds."""
    return [part.strip() for part in row.split("|")[1:-3]]


def old_rows(text: str, names: list[str]) -> Iterator[str]:
    """Yield the rows of today, of these names, that say something else than a page."""
    shown = rows_of(text)
    for name in names:
        row = line(name)
        if words_of(row) != words_of(shown.get(name, "")):
            yield row


def main(arguments: list[str]) -> int:
    """Print rows; or write them to a page, or compare those of short models with it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="PATTERN", default="", help="rows whose names match")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the rows into a page")
    parser.add_argument("--check", type=Path, metavar="PAGE", help="compare rows with a page")
    given = parser.parse_args(arguments)
    names = [name for name in ROWS if re.search(given.only, name)]
    if given.check:
        quick = [name for name in names if ROWS[name].is_quick]
        old = list(old_rows(given.check.read_text(encoding="utf-8"), quick))
        print(*old, sep="", end="")
        return int(bool(old))
    for name in names:
        row = line(name)
        print(row, end="", flush=True)
        if given.write:
            page = given.write.read_text(encoding="utf-8")
            given.write.write_text(with_rows(page, {name: row}), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
