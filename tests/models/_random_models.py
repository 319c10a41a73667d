"""Models drawn at random, from everything that the how-to's table and paragraphs allow."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from sympy import Heaviside, Max, Rational, Symbol, cos, erf, exp, log, sin, sqrt, tanh

from slrsym.gaussian import normal_cdf
from slrsym.models import Direction, Predictor, Token, TokenSequence, model, softmax
from slrsym.models.stated_model import Model

# By the rows of the table "What closes": the activation, and whether two heads of it are allowed.
ACTIVATIONS: dict[str, tuple[Callable[[Any], Any], bool]] = {
    "identity": (lambda x: x, True),
    "exp": (exp, True),
    "sin": (sin, True),
    "cos": (cos, True),
    "erf": (erf, True),
    "probit": (normal_cdf, True),
    "step": (Heaviside, False),
    "relu": (lambda x: Max(x, 0), False),
    "tanh": (tanh, True),
    "logistic": (lambda x: 1 / (1 + exp(-x)), True),
    "softplus": (lambda x: log(1 + exp(x)), True),
    "rational": (lambda x: x / (1 + x**2), True),
    "softmax": (softmax, False),
    "softmax-1": (lambda x: softmax(x, 1), False),
}

d, L = Symbol("d", positive=True), Symbol("L", integer=True, positive=True)
NUMBERS = {
    "d": 8, "L": 3, "lambda": 0.3, "gamma": 0.7, "epsilon": 0.2, "c": 0.3, "mu": 0.8, "h": 0.5,
    "b_1": 0.2, "b_2": -0.1, "b_3": 0.3, "p_1": 0.5, "p_2": 0.2, "p_3": 0.3, "w": 0.6,
}  # fmt: skip


@dataclass
class Drawn:
    """A model, the words for how it was drawn, and numbers for its parameters."""

    model: Model
    words: dict[str, Any] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, float]:
        """Numbers for the parameters, and d."""
        known = {p.name for p in self.model.parameters} | {"d"}
        return {name: value for name, value in NUMBERS.items() if name in known}

    @property
    def options(self) -> dict[str, Any]:
        """Options of a run: eigenspaces need their dimensions."""
        return {"dimensions": (4, 4)} if self.model.spaces > 1 else {}


def _symbol(name: str) -> Symbol:
    return Symbol(name, **({"real": True} if name[0] in "cb" else {"positive": True}))


def drawn(seed: int, activation: str | None = None) -> Drawn:
    """Draw a model; every seed has one of its own."""
    rng = Random(seed)
    name = activation or rng.choice(list(ACTIVATIONS))
    f, pairs = ACTIVATIONS[name]
    attends = name.startswith("softmax")
    words: dict[str, Any] = {"seed": seed, "activation": name}

    def choose(what: str, **options: Any) -> Any:
        words[what] = key = rng.choice(list(options))
        return options[key]

    k_star, v_star = Direction("k^*", unit=True), Direction("v^*", unit=True)
    heads = choose("heads", one=1, two=2) if pairs else 1
    keys = [Direction(f"k_{h + 1}", sphere=True) for h in range(heads)]
    sphere = choose("values", sphere=True, free=False)
    values = [Direction(f"v_{h + 1}", sphere=sphere) for h in range(heads)]
    scale = choose(
        "inverse temperature", none=None, number=Rational(2, 5), symbol=_symbol("lambda")
    )
    mean = choose(
        "mean",
        zero=None,
        number=Rational(3, 2) * k_star,
        dimension=sqrt(d / 8) * k_star,
        symbol=_symbol("mu") * k_star,
        both=_symbol("mu") * (k_star + v_star) / 2,
    )
    cov = choose(
        "cov",
        number=Rational(1, 2),
        symbol=_symbol("gamma") ** 2,
        eigenspaces=(Rational(1, 2), _symbol("gamma")),
        spike={1: 1, k_star: _symbol("h")},
    )
    noise = choose("noise", none=0, number=Rational(1, 5), symbol=_symbol("epsilon"))
    angle = choose("angle", zero=0, number=Rational(1, 3), symbol=_symbol("c"), free=None)
    others = choose("others", none=0, one=1, many=L - 1)
    biased = choose("bias", none=False, position=True) if others == 1 and not attends else False
    one = Token(mean if mean is not None else 0, cov, lambda X: X @ v_star, "informative")
    other = Token(cov=choose("other cov", one=1, number=Rational(3, 4)), name="other")

    def share(X: Any, b: Any = 0) -> Any:
        scores = [(X @ k if scale is None else scale * (X @ k)) + b for k in keys]
        return sum(f(s) * (X @ v) for s, v in zip(scores, values, strict=True))

    if attends:
        scale = scale or Rational(1, 2)
    bias = (_symbol("b_1"), Rational(1, 4)) if biased else None
    counts = {one: 1, other: others} if others != 0 else {one: 1}
    between = k_star @ v_star if words["cov"] == "spike" or words["mean"] != "zero" else None
    given = None
    if between is not None and angle is not None and words["cov"] != "eigenspaces":
        given = {between: angle}
    stated = model(
        TokenSequence(counts, noise=noise), Predictor(share, bias=bias), inner_products=given
    )
    return Drawn(stated, words)
