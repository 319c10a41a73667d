"""Compare the equations of motion of public codes with the derived ones, at random points.

``python benchmarks/public_codes.py docs/explanation/public-codes.md`` writes the page of the
documentation. The formulas of the codes are data, in ``public_codes.toml``. The derived equations
are claims of ``derivations/committee``: I2, I3 and J2 in the closed forms that are proved there, I4
from its definition, by quadrature.
"""

from __future__ import annotations

import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

import slrsym
from slrsym.gaussian import Expectation, GaussianLaw, erf_prime

HERE = Path(__file__).parent
ETA, SIGMA, KAPPA, DT = 0.3, 0.2, 0.05, 0.01
DATA = tomllib.loads((HERE / "public_codes.toml").read_text(encoding="utf-8"))
PROVED = {
    "I2": ("committee-two-outputs", "c_aa c_ab c_bb"),
    "I3": ("committee-slope-field-output", "c_aa c_ab c_ac c_bb c_bc c_cc"),
    "J2": ("committee-two-slopes", "c_aa c_ab c_bb"),
}


@cache
def proved(name: str) -> Any:
    """Return a mean as a function of the upper triangle of the covariances, as a claim has it."""
    id, letters = PROVED[name]
    statement = slrsym.ledger().find(id).statement
    known = {s.name: s for s in statement.free_symbols}
    return sp.lambdify([known.get(x, sp.Symbol(x)) for x in letters.split()], statement.rhs)


@cache
def fourth(*upper: float) -> float:
    """Return I4 from its definition, by quadrature."""
    names = sp.symbols("a b c d", real=True)
    covariance = sp.zeros(4, 4)
    for (i, j), value in zip(zip(*np.triu_indices(4), strict=True), upper, strict=True):
        covariance[i, j] = covariance[j, i] = sp.Rational(value)
    half = sp.sqrt(2)
    slopes = [erf_prime(x / half) / half for x in names[:2]]
    outputs = [sp.erf(x / half) for x in names[2:]]
    law = GaussianLaw(dict.fromkeys(names, 0), covariance)
    return float(Expectation(sp.Mul(*slopes, *outputs), law).evalf())


def written(formula: str, C: np.ndarray) -> float:
    """Return the value of a formula of a code."""
    n = len(C)
    values = {f"c{i}{j}": C[i, j] for i in range(n) for j in range(n)}
    for name, meaning in DATA["abbreviations"].items() if "L4" in formula else ():
        values[name] = float(sp.sympify(meaning).subs(values))
    return float(sp.sympify(formula).subs(values))


def velocities(
    C: np.ndarray, K: int, v: np.ndarray, u: np.ndarray, kappa: float, code: dict[str, Any] | None
) -> dict[str, np.ndarray]:
    """Return the velocities of R, Q and v: the derived ones, or those of a code."""
    s = np.r_[-v, u]
    every = range(len(C))

    def mean(name: str, *units: int) -> float:
        part = C[np.ix_(units, units)]
        if code is not None and name in code:
            return written(code[name], part)
        upper = part[np.triu_indices(len(units))]
        return fourth(*upper) if name == "I4" else proved(name)(*upper)

    decay = (kappa, 2 * kappa)
    if code is not None and kappa:
        values = {"kappa": kappa, "dt": DT}
        decay = tuple(float(sp.sympify(code[x]).subs(values)) for x in ("decay_R", "decay_Q"))
    R = np.array(
        [
            [ETA * v[i] * sum(s[a] * mean("I3", i, n, a) for a in every) - decay[0] * C[i, n]
             for n in range(K, len(C))]
            for i in range(K)
        ]
    )  # fmt: skip
    Q = np.zeros((K, K))
    for i in range(K):
        for k in range(i + 1):
            drift = sum(
                s[a] * (v[i] * mean("I3", i, k, a) + v[k] * mean("I3", k, i, a)) for a in every
            )
            spread = sum(
                (1 if a == b else 2) * s[a] * s[b] * mean("I4", i, k, a, b)
                for a in every
                for b in range(a + 1)
            )
            noise = spread + SIGMA**2 * mean("J2", i, k)
            velocity = ETA * drift + ETA**2 * v[i] * v[k] * noise
            Q[i, k] = Q[k, i] = velocity - decay[1] * C[i, k]
    second = np.array([ETA * sum(s[a] * mean("I2", k, a) for a in every) for k in range(K)])
    return {"R": R, "Q": Q, "v": second}


def reduced(code: dict[str, Any], r: float, q: float, T: float) -> tuple[float, float]:
    """Return the velocities of a code for one student and one teacher."""
    names = sp.symbols("c11 c12 c13 c23 c33")

    def third(*values: Any) -> Any:
        return sp.sympify(code["I3"]).subs(dict(zip(names, values, strict=True)))

    def same(*values: Any) -> Any:
        known = dict(zip(sp.symbols("c11 c13 c14 c33 c34 c44"), values, strict=True))
        parts = {x: sp.sympify(code[x]).subs(known) for x in ("L0", "L1", "L2")}
        return sp.sympify(code["I4"]).subs(parts).subs(known)

    known = {"I3": third, "I4": same, "r": r, "q": q, "T": T, "eta": ETA}
    values = (sp.sympify(code[f"velocity_{x}"], locals=known) for x in "rq")
    return tuple(float(sp.N(value)) for value in values)


HEAD = f"""# Five codes, one derivation

Equations of motion of committee machines have been typed in many times. Here the right-hand sides
of public codes are evaluated at a random point and compared with the derived ones, which are the
claims `committee-overlap-flow`, `committee-norm-flow`, `committee-norm-spread` and
`committee-second-layer-flow`.

`python benchmarks/public_codes.py docs/explanation/public-codes.md` writes this page. The formulas
of the codes are data in `benchmarks/public_codes.toml`; none of their code is run. There are two
students and a teacher; the learning rate is {ETA}, $\\sigma = {SIGMA}$, the weight decay
$\\kappa = {KAPPA}$, and a step of the integration is {DT}.

| code | language | velocity of R | velocity of Q | of the second layer |"""


def place(code: dict[str, Any]) -> str:
    """Return where a code is, in words."""
    name, commit = code["repository"], code["commit"]
    return f"[{name}](https://github.com/{name}/blob/{commit}/{code['file']})"


def shown(a: Any, b: Any) -> str:
    """Say by how much two arrays differ."""
    gap = float(np.abs(np.asarray(a) - np.asarray(b)).max())
    return "agree" if gap < 1e-12 else f"differ by {gap:.3g}"


def page() -> str:
    """Return the page, as Markdown."""
    rng = np.random.default_rng(0)
    root = rng.integers(-8, 9, (3, 3)) / 8
    C = root @ root.T + np.eye(3) / 4
    rows, remarks = [], []
    for code in DATA["code"]:
        weighted = code["student"] == "v"
        v, u = (np.array([0.5, 0.75]), np.array([1.25])) if weighted else (np.ones(2), np.ones(1))
        kappa = KAPPA if "decay_R" in code else 0
        ours, theirs = (velocities(C, 2, v, u, kappa, x) for x in (None, code))
        cells = [shown(ours[x], theirs[x]) for x in ("R", "Q")]
        cells.append(shown(ours["v"], theirs["v"]) if "I2" in code else "not there")
        rows.append(f"| {place(code)} | {code['language']} | {' | '.join(cells)} |")
        said = code["said"].strip()
        if kappa:
            plain = [velocities(C, 2, v, u, 0, x)["Q"] for x in (None, code)]
            said += f" Without weight decay the velocities of Q {shown(*plain)}."
        remarks.append((code, said))
    for code in DATA["reduced"]:
        r, q, T = 0.25, 0.5, 1.0
        ours = velocities(np.array([[q, r], [r, T]]), 1, np.ones(1), np.ones(1), 0, None)
        # These equations have no noise of labels.
        extra = ETA**2 * SIGMA**2 * proved("J2")(q, q, q)
        derived = (ours["R"][0, 0], ours["Q"][0, 0] - extra)
        theirs = reduced(code, r, q, T)
        cells = [shown(a, b) for a, b in zip(derived, theirs, strict=True)]
        rows.append(f"| {place(code)} | {code['language']} | {' | '.join(cells)} | not there |")
        at = reduced(code, 1.0, 1.0, 1.0)
        drift, spread = (f"{x:.3f}" for x in (at[0] / ETA, at[1] / ETA))
        still = (
            "they stay"
            if max(map(abs, at)) < 1e-12
            else (
                f"$\\dot r = {drift}\\,\\eta$ and $\\dot q = {spread}\\,\\eta$ at $\\eta = {ETA}$"
            )
        )
        said = f"{code['said'].strip()} At $r = q = T = 1$: {still}."
        remarks.append((code, said))
    lines = [HEAD, "|---|---|---|---|---|", *rows, ""]
    for code, said in remarks:
        lines.append(
            f"- **{code['repository']}** at {code['commit'][:8]}, `{code['file']}`: {said}"
        )
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    text = page()
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text, encoding="utf-8")
    else:
        print(text)
