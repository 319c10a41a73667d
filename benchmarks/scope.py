"""Print what can be stated: one row for each kind of model of the field, as running it says.

Each row states a model and asks for its risk, its gradient flow and its online SGD. What is refused
is printed with the first sentence of the refusal. ``--only WORD`` prints the rows with a word.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable
from typing import Any

from sympy import Heaviside, Max, Piecewise, Symbol, erf, exp, sign, sin, sqrt, sympify, tanh

from slrsym.gaussian import normal_cdf
from slrsym.kernels.symbolic_functions import GaussianMean
from slrsym.models import (
    Direction,
    Directions,
    Noise,
    NotClosedError,
    Predictor,
    Token,
    TokenSequence,
    model,
    softmax,
)

d, lam = Symbol("d", positive=True), Symbol("lambda", positive=True)
K = Symbol("K", integer=True, positive=True)
L = Symbol("L", integer=True, positive=True)
u, u_2 = Direction("u", unit=True), Direction("u_2", unit=True)
w, w_2 = Direction("w"), Direction("w_2")
k, v = Direction("k", sphere=True), Direction("v", sphere=True)
k_star, v_star = Direction("k^*", unit=True), Direction("v^*", unit=True)


def pair(f: Callable[[Any], Any], g: Callable[[Any], Any] | None = None) -> Any:
    """Return a model in which one unit learns another."""
    teacher = g or f
    data = TokenSequence({Token(target=lambda X: teacher(X @ u)): 1})
    return model(data, Predictor(lambda X: f(X @ w)))


def committee(f: Callable[[Any], Any], count: Any) -> Any:
    """Return a model in which so many units learn as many."""
    student, teacher = Directions("w", count), Directions("u", count, unit=True)
    data = TokenSequence({Token(target=lambda X: teacher.sum(lambda x: f(X @ x))): 1})
    stated = Predictor(lambda X: student.sum(lambda x: f(X @ x)))
    return model(data, stated, inner_products={teacher @ teacher: 0})


def classes(f: Callable[[Any], Any]) -> Any:
    """Return a model of two Gaussian classes with labels 1 and -1."""
    one, other = Token(mean=u, target=lambda X: 1), Token(mean=-1 * u, target=lambda X: -1)
    data = TokenSequence([({one: 1}, 0.5), ({other: 1}, 0.5)])
    return model(data, Predictor(lambda X: f(X @ w)))


def attention(f: Callable[[Any], Any], **options: Any) -> Any:
    """Return a model of attention with one informative token of several."""
    one = Token(mean=sqrt(d / 2) * k_star, cov=0.5, target=lambda X: X @ v_star)
    data = TokenSequence({one: 1, Token(**options): 9})
    predictor = Predictor(lambda X: f(lam * (X @ k)) * (X @ v))
    return model(data, predictor, inner_products={k_star @ v_star: 0})


def spiked(f: Callable[[Any], Any]) -> Any:
    """Return a model of tokens with a spiked covariance."""
    data = TokenSequence({Token(cov={1: 1, u: 3}, target=lambda X: X @ u): 1})
    return model(data, Predictor(lambda X: f(X @ w)))


def second_layer() -> Any:
    """Return a model whose second layer is trained, too."""
    a, b = Symbol("a", real=True), Symbol("b", real=True)
    data = TokenSequence({Token(target=lambda X: erf(X @ u)): 1})
    return model(data, Predictor(lambda X: a * erf(X @ w) + b * erf(X @ w_2)))


def relu(x: Any) -> Any:
    """Return the positive part."""
    return Max(x, 0)


def correlated() -> Any:
    """Return a model of two tokens whose noises are correlated."""
    one, other = Token(target=lambda X: X @ u, name="one"), Token(name="other")
    data = TokenSequence({one: 1, other: 1}, correlation={(one, other): 0.5})
    return model(data, Predictor(lambda X: erf(X @ w)))


def with_loss(loss: str) -> Any:
    """Return a model of two Gaussian classes with another loss than the square."""
    one, other = Token(mean=u, target=lambda X: 1), Token(mean=-1 * u, target=lambda X: -1)
    data = TokenSequence([({one: 1}, 0.5), ({other: 1}, 0.5)])
    return model(data, Predictor(lambda X: X @ w), loss=loss)


def noisy(loss: str, label: Callable[[Any], Any]) -> Any:
    """Return a model of a linear student and labels of a teacher with noise."""
    xi = Noise("xi")
    data = TokenSequence({Token(target=lambda X: label(X @ u + X @ xi / 2)): 1})
    return model(data, Predictor(lambda X: X @ w), loss=loss)


def many_classes(count: int) -> Any:
    """Return a model of Gaussian classes by their number, with cross-entropy."""
    tokens = [Token(mean=c * u, target=lambda X, c=c: c) for c in range(count)]
    data = TokenSequence([({token: 1}, sympify(1) / count) for token in tokens])
    outputs = [Direction(f"w_{c}") for c in range(count - 1)]
    predictor = Predictor(lambda X: [*(X @ x for x in outputs), 0])
    return model(data, predictor, loss="cross-entropy")


def exclusive_or() -> Any:
    """Return a model of four clusters with the labels of XOR, and two ReLU units."""
    a, b = Symbol("a", real=True), Symbol("b", real=True)
    cases = [(2 * u, 1), (-2 * u, 1), (2 * u_2, -1), (-2 * u_2, -1)]
    tokens = [Token(mean=mean, target=lambda X, y=y: y) for mean, y in cases]
    data = TokenSequence([({token: 1}, 0.25) for token in tokens])
    predictor = Predictor(lambda X: a * relu(X @ w) + b * relu(X @ w_2))
    return model(data, predictor, inner_products={u @ u_2: 0})


def two_outputs() -> Any:
    """Return a model with two outputs of erf units that share a direction."""
    data = TokenSequence({Token(target=lambda X: [erf(X @ u), X @ u_2]): 1})
    predictor = Predictor(lambda X: [erf(X @ w), erf(X @ w) + X @ w_2])
    return model(data, predictor, inner_products={u @ u_2: 0})


def autoencoder(f: Callable[[Any], Any]) -> Any:
    """Return a tied autoencoder of two units on tokens with a spike."""
    data = TokenSequence({Token(cov={1: 1, u: 3}, target=lambda X: X): 1})
    return model(data, Predictor(lambda X: f(X @ w) * w + f(X @ w_2) * w_2))


def linear_attention(is_tied: bool) -> Any:
    """Return a model of linear attention on a number of tokens that is a symbol."""
    key, value = Direction("k"), Direction("v")
    query = key if is_tied else Direction("q")
    data = TokenSequence({Token(mean=u, target=lambda X: X @ u): 1, Token(): L - 1})
    sums = [lambda X: X @ query, lambda X: (X @ key) * (X @ value)]
    return model(data, Predictor(sums=sums, readout=lambda s, t: s * t))


ROWS: list[tuple[str, Callable[[], Any]]] = [
    ("linear regression", lambda: pair(lambda x: x)),
    ("erf unit (soft committee, K = 1)", lambda: pair(erf)),
    ("probit unit", lambda: pair(normal_cdf)),
    ("ReLU unit", lambda: pair(relu)),
    ("tanh unit", lambda: pair(tanh)),
    ("phase retrieval, x^2", lambda: pair(lambda x: x**2)),
    ("sine unit, teacher of another kind", lambda: pair(sin, erf)),
    ("perceptron: sign student and teacher", lambda: pair(sign)),
    ("linear student of a sign teacher", lambda: pair(lambda x: x, sign)),
    ("GELU unit", lambda: pair(lambda x: x * normal_cdf(x))),
    ("soft committee of erf, K units", lambda: committee(erf, K)),
    ("committee of ReLU, 2 units", lambda: committee(relu, 2)),
    ("committee of tanh, 2 units", lambda: committee(tanh, 2)),
    ("second layer trained", second_layer),
    ("two Gaussian classes, squared loss, tanh", lambda: classes(tanh)),
    ("two Gaussian classes, linear", lambda: classes(lambda x: x)),
    ("spiked covariance, linear", lambda: spiked(lambda x: x)),
    ("spiked covariance, ReLU", lambda: spiked(relu)),
    ("attention with erf weights", lambda: attention(erf)),
    ("attention with tanh weights", lambda: attention(tanh)),
    ("attention with softmax", lambda: attention(softmax)),
    ("attention with step weights", lambda: attention(Heaviside)),
    ("tokens in two eigenspaces", lambda: attention(erf, cov=(1, 2))),
    ("correlated tokens", correlated),
    ("exponential unit", lambda: pair(lambda x: exp(x / 4))),
    ("hinge unit, sign teacher", lambda: pair(lambda x: Max(0, 1 - x), sign)),
    ("logistic regression, noisy labels", lambda: noisy("logistic", sign)),
    ("robust regression, Huber's loss", lambda: noisy("huber", lambda x: x)),
    ("two Gaussian classes, hinge loss", lambda: with_loss("hinge")),
    ("two Gaussian classes, logistic loss", lambda: with_loss("logistic")),
    ("three classes, cross-entropy", lambda: many_classes(3)),
    ("XOR of four clusters, two ReLU units", exclusive_or),
    ("two outputs, erf and linear", two_outputs),
    ("tied autoencoder of erf, 2 units", lambda: autoencoder(erf)),
    ("linear attention of L tokens", lambda: linear_attention(False)),
    ("linear attention, tied weights", lambda: linear_attention(True)),
    ("four classes, cross-entropy", lambda: many_classes(4)),
    ("unit with a jump in pieces", lambda: pair(lambda x: Piecewise((x, x > 1), (0, True)))),
    ("unit with a pole, 1/x", lambda: pair(lambda x: 1 / x)),
    ("token of another law than a Gaussian", lambda: model(
        TokenSequence({Token(cov="t"): 1}), Predictor(lambda X: X @ w))),
]  # fmt: skip
_COLUMNS = ("risk", "flow", "online")
_WIDTH = 80


def verdicts(make: Callable[[], Any]) -> tuple[list[str], str]:
    """Return what a model has, by columns, and the first refusal."""
    why = ""

    def tried(ask: Callable[[], str]) -> str:
        nonlocal why
        try:
            return ask()
        except (NotClosedError, ValueError, TypeError) as problem:
            why = why or " ".join(str(problem).split())
            return "-"

    stated: Any = None

    def state() -> str:
        nonlocal stated
        stated = make()
        return ""

    if tried(state) == "-":
        return ["-", "-", "-"], why

    def risk() -> str:
        if stated.uses_representatives:
            # That of units which are alike.
            _ = stated.equations("gradient-flow").risk
            return "closed"
        if stated.has_closed_form:
            return "closed"
        if stated.quadrature is None:
            _ = stated.risk
            raise ValueError("the risk has neither a closed form nor a quadrature")
        return f"quad. {stated.quadrature.dimension}"

    def equations(kind: str) -> str:
        found = stated.equations(kind, train=stated.scalars)
        moments = found.rates_in_moments()[1]
        sizes = {len(mean.orders) for e in moments.values() for mean in e.atoms(GaussianMean)}
        return f"quad. {max(sizes)}" if sizes else "closed"

    return [
        tried(risk),
        tried(lambda: equations("gradient-flow")),
        tried(lambda: equations("online-sgd")),
    ], why


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="rows with this word")
    only = parser.parse_args().only
    print(f"{'kind of model':<42}{'risk':>9}{'flow':>8}{'online':>8}")
    for name, make in ROWS:
        if only not in name:
            continue
        found, why = verdicts(make)
        print(f"{name:<42}{found[0]:>9}{found[1]:>8}{found[2]:>8}", flush=True)
        if why:
            said = why.partition(". ")[0].partition("; ")[0]
            print(textwrap.fill(said, _WIDTH, initial_indent="    ", subsequent_indent="    "))


if __name__ == "__main__":
    main()
