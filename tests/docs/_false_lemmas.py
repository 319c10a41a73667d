"""False variants of lemmas, by values that share no code with the checks that are to refuse them.

A variant changes a constant, a sign, a bound or a hypothesis. It counts as false if it fails at a
point: means are integrated by Gauss and Legendre's rule, functions are examples that satisfy what
the lemma supposes of them, and sequences are made by the recursion that it supposes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

import numpy as np
import scipy.special
import sympy as sp

from slrsym.gaussian import Expectation
from slrsym.proof import Claim, ProofError


def nodes_and_weights(panels: int, order: int) -> tuple[Any, Any]:
    """Return Gauss and Legendre's rule on panels of the interval from -10 to 10."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    ends = np.linspace(-10, 10, panels + 1)
    half = (ends[1:] - ends[:-1]) / 2
    middle = (ends[1:] + ends[:-1]) / 2
    return (middle[:, None] + half[:, None] * nodes).ravel(), (half[:, None] * weights).ravel()


X, W = nodes_and_weights(10, 40)
# In one variable, for integrands that bend anywhere.
FINE, FINE_WEIGHTS = nodes_and_weights(2000, 8)
_NUMPY = [
    {
        "erf": scipy.special.erf, "normal_cdf": scipy.special.ndtr,
        "Heaviside": lambda u, *_: u > 0,
        "erf_prime": lambda u: 2 / np.sqrt(np.pi) * np.exp(-(u**2)), "Max": np.maximum,
    },
    "numpy",
]  # fmt: skip
u = sp.Symbol("u", real=True)


def mean(node: Expectation) -> float:
    """The mean of an integrand whose only letters are the variables of its law."""
    names = node.law.symbols
    f = sp.lambdify(names, node.integrand.doit(), _NUMPY)
    cov = np.array(node.law.cov.tolist(), dtype=float)
    centre = [float(m) for m in node.law.mean.values()]
    if len(names) == 1:
        values = f(centre[0] + math.sqrt(cov[0, 0]) * FINE)
        density = np.exp(-(FINE**2) / 2) / math.sqrt(2 * math.pi)
        return float(np.sum(FINE_WEIGHTS * density * values))
    # Along the axes, so that integrands bend where panels end.
    a, b = (math.sqrt(cov[i, i]) for i in range(2))
    r = cov[0, 1] / (a * b)
    density = np.exp(-(X[:, None] ** 2 - 2 * r * np.outer(X, X) + X**2) / (2 * (1 - r * r)))
    values = f(a * X[:, None], b * X) * np.ones((len(X), len(X)))
    return float(W @ (density * values) @ W / (2 * math.pi * math.sqrt(1 - r * r)))


def number(expr: sp.Expr, at: dict[sp.Symbol, Any]) -> float:
    """The value of an expression whose functions are known ones."""
    for slope in sorted(expr.atoms(sp.Derivative), key=str):
        if slope.has(Expectation):
            ((x, _),) = slope.variable_count
            ends = [number(slope.expr, {**at, x: at[x] + e}) for e in (1e-5, -1e-5)]
            expr = expr.xreplace({slope: sp.Float((ends[0] - ends[1]) / 2e-5)})
    # Not by `doit`, which evaluates means as the library does.
    means = {node: sp.Float(mean(node.subs(at))) for node in expr.atoms(Expectation)}
    return complex(expr.xreplace(means).doit().subs(at).evalf()).real


# What a variant's id has behind that of the lemma.
_VARIANT = re.compile(r"-(constant|sign|bound|hypothesis)-\d+$")


class Example(NamedTuple):
    """Functions, sequences and values that satisfy the hypotheses of a lemma."""

    functions: dict[str, Any]
    sequences: dict[str, list[Any]]
    values: dict[str, Any]


def _sequence(rng: Random, count: int, step: Any) -> list[Any]:
    values = [rng.uniform(0.2, 2)]
    for i in range(count):
        values.append(step(i, values[-1]) - rng.choice([0, 0, rng.uniform(0, 0.3)]))
    return values


def example(claim: Claim, rng: Random) -> Example:
    """Draw functions, sequences and values that satisfy what a lemma supposes for all values."""
    symbols = sorted(claim.symbols, key=str)
    at = {s.name: _value(s, rng) for s in symbols if isinstance(s, sp.Symbol)}
    functions: dict[str, Any] = {"f": rng.choice([sp.sin(u), u**2, sp.exp(-(u**2)), u**3 - u])}
    functions["g"] = rng.choice([sp.cos(u), u, u**2 - 1])
    sequences: dict[str, list[Any]] = {}
    name, count = _VARIANT.sub("", claim.id), 12
    get = at.get
    if name == "lipschitz-variance":
        functions["f"] = at["L"] * rng.choice([u, sp.sin(u), sp.tanh(u)])
    elif name in ("descent-lemma", "descent-of-a-step"):
        functions["f"] = at["L"] * rng.choice([u**2 / 2, sp.sin(u), -(u**2) / 2])
    elif name == "polyak-lojasiewicz-rate":
        at["mu"] = rng.choice([1, 0.5]) * at["L"]
        functions["f"] = at["B"] + rng.choice([at["mu"], at["L"]]) * u**2 / 2
    elif name in ("convex-gradients-are-monotone", "strong-convexity-gives-polyak-lojasiewicz"):
        functions["f"] = get("mu", 0) * u**2 / 2 + rng.choice([u, u**2, sp.exp(u), u**4])
    elif name == "oja-flow":
        grown = rng.uniform(0.2, 2) * sp.exp(2 * at["p"] * u)
        functions["f"] = sp.sqrt(grown / (1 + grown))
    elif name == "linear-network-mode":
        functions["g"] = at["s"] / (1 + rng.uniform(0.2, 2) * sp.exp(-2 * at["s"] * u))
    elif name == "discrete-gronwall":
        sequences["e"] = _sequence(rng, count, lambda i, e: (1 + at["h"]) * e)
    elif name == "contraction-with-noise":
        at["q"] = rng.uniform(0.1, 0.9)
        sequences["e"] = _sequence(rng, count, lambda i, e: at["q"] * e + at["b"])
    elif name == "sgd-noise-floor":
        # The values of a variant without the hypothesis on q satisfy it, too.
        at["q"] = rng.uniform(0.1, 0.9)
        at["mu"] = (1 - at["q"]) / at["h"]
        sequences["e"] = _sequence(rng, count, lambda i, e: at["q"] * e + at["h"] ** 2 * at["B"])
    elif name == "robbins-siegmund-sums":
        d = sequences["d"] = [rng.uniform(-1, 1) for _ in range(count)]
        at["q"] = rng.uniform(0.3, 1.2)
        step = lambda i, e: e - d[i] + at["B"] * at["q"] ** i  # noqa: E731
        sequences["e"] = _sequence(rng, count, step)
    elif name == "subgradient-regret":
        d = sequences["d"] = [rng.uniform(-1, 1) for _ in range(count)]
        step = lambda i, e: e - 2 * at["h"] * d[i] + at["h"] ** 2 * at["B"]  # noqa: E731
        sequences["e"] = _sequence(rng, count, step)
    if get("n") is not None:
        at["n"] = rng.randint(0, 5)
    return Example(functions, sequences, at)


def _value(s: sp.Symbol, rng: Random) -> Any:
    if s.is_integer:
        return rng.randint(0, 5)
    if s.name in ("r", "c"):
        return rng.uniform(-0.9, 0.9)
    if s.is_nonnegative:
        return rng.uniform(0.05, 2)
    return rng.uniform(-2, 2)


def _concrete(expr: Any, given: Example) -> Any:
    for name, body in given.functions.items():
        expr = expr.replace(
            lambda e, name=name: getattr(e.func, "__name__", "") == name and len(e.args) == 1,
            lambda e, body=body: body.subs(u, e.args[0]),
        )
    return expr


def _numbers(expr: Any, given: Example) -> float:
    at = {s: given.values[s.name] for s in expr.free_symbols if s.name in given.values}
    expr = _concrete(expr, given)
    if given.sequences:
        expr = expr.subs({s: v for s, v in at.items() if s.name == "n"}).doit()
        terms = {e: given.sequences[str(e.base)][int(e.indices[0])] for e in expr.atoms(sp.Indexed)}
        expr = expr.xreplace({e: sp.Float(v) for e, v in terms.items()})
    return number(expr, at)


def _holds(relation: Any, given: Example, margin: float) -> bool | None:
    """Tell whether a relation holds; None if that is too close to tell, or a side is no number."""
    try:
        a, b = (_numbers(side, given) for side in (relation.lhs, relation.rhs))
    except (TypeError, ValueError, ZeroDivisionError, OverflowError, IndexError, KeyError):
        return None
    gap, size = a - b, margin * (1 + abs(a) + abs(b))
    if not math.isfinite(gap):
        return None
    if isinstance(relation, sp.Eq):
        return False if abs(gap) > size else abs(gap) < size / 1e3 or None
    if isinstance(relation, sp.Ge | sp.Gt):
        gap = -gap
    return None if abs(gap) < size and gap else gap <= 0


def is_false(variant: Claim, tries: int = 12) -> bool:
    """Tell whether a variant fails at a point that satisfies its hypotheses."""
    rng = Random(variant.id + str(variant.statement))
    for _ in range(tries):
        given = example(variant, rng)
        scalar = [h for h in variant.hypotheses if isinstance(h, sp.core.relational.Relational)]
        supposed = all(_holds(h, given, 1e-9) for h in scalar)
        if supposed and _holds(variant.statement, given, 1e-5) is False:
            return True
    return False


def _changed_constant(side: sp.Expr, rng: Random) -> sp.Expr:
    atoms = sorted((n for n in side.atoms(sp.Rational) if n not in (0, -1)), key=str)
    if not atoms:
        return side + rng.choice([-2, -1, 1, 2])
    old = rng.choice(atoms)
    return side.xreplace({old: rng.choice([old + 1, old / 2, old - 1, 2 * old])})


def _changed_sign(side: sp.Expr, rng: Random) -> sp.Expr:
    sums = sorted((e for e in side.atoms(sp.Add) if not e.has(Expectation)), key=str)
    if not sums:
        return -side
    old = rng.choice(sums)
    terms = list(old.args)
    place = rng.randrange(len(terms))
    terms[place] = -terms[place]
    return side.xreplace({old: sp.Add(*terms)})


def variants(claim: Claim, rng: Random) -> Iterator[Claim]:
    """Yield variants of a claim with the proof of the claim, without end; some may be true."""
    number = 0
    while True:
        number += 1
        statement, given = claim.statement, list(claim.hypotheses)
        kinds = ["constant", "sign", "bound"]
        scalar = [h for h in given if isinstance(h, sp.core.relational.Relational)]
        kind = rng.choice([*kinds, "hypothesis"] if scalar else kinds)
        a, b = statement.lhs, statement.rhs
        try:
            if kind == "constant":
                b = _changed_constant(b, rng)
            elif kind == "sign":
                b = _changed_sign(b, rng)
            elif kind == "bound":
                b *= rng.choice([sp.Rational(9, 10), sp.Rational(11, 10), 2, sp.Rational(1, 2)])
            else:
                given.remove(rng.choice(scalar))
            made = statement.func(a, b, evaluate=False)
            if made == statement and len(given) == len(claim.hypotheses):
                continue
            variant = Claim(
                id=f"{claim.id}-{kind}-{number}", statement=made, hypotheses=given, source="false"
            )
        except (TypeError, ValueError, ZeroDivisionError, ProofError):
            continue
        variant.proof(claim.evidence_function)
        yield variant


def false_variants(claim: Claim, count: int, seed: int = 0, tries: int = 60) -> list[Claim]:
    """Draw so many variants of a claim that fail somewhere; fewer if too few of them do."""
    rng, found = Random(f"{claim.id} {seed}"), list[Claim]()
    for _, variant in zip(range(tries), variants(claim, rng), strict=False):
        if len(found) == count:
            break
        said = {(str(v.statement), v.hypotheses) for v in found}
        if (str(variant.statement), variant.hypotheses) not in said and is_false(variant):
            found.append(variant)
    return found
