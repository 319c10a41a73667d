"""The rules of proofs: what each accepts, and what the proof kernel is given of it as evidence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from inspect import getdoc
from typing import Any

_CERTIFICATE = "a certificate: a combination of known facts, which the kernel multiplies out"
_NORMAL = "both sides, which the kernel brings to its own normal form; denominators are asked for"
_LAW = "the law, the affine map, the factors and covariances, from which the kernel checks it"
_LOGIC = "the parts; the kernel puts values in and combines them by logic"
_NONE = "none: a step by it is counted as unchecked by the kernel"
_MEAN_VALUE = "the derivative and its bound; the kernel differentiates by its own table"

# The name in `slrsym.proof`, what its steps are called, and the evidence.
_TABLE = (
    ("algebra", "algebra", _NORMAL),
    ("signs", "sign", _CERTIFICATE),
    ("differentiate", "differentiation", "nothing: the kernel differentiates by its own table"),
    ("lemma", "claim .*", "the instance: values for the symbols of the claim and its hypotheses"),
    ("substitution", "substitution", _LAW),
    ("monotone", "monotonicity.*", _MEAN_VALUE),
    ("lipschitz", "Lipschitz continuity", _MEAN_VALUE),
    ("taylor", "Taylor's formula", _MEAN_VALUE),
    ("definition", "definition", "the definition, put in as an equation"),
    ("solution_set", "every case is closed, .*|injectivity", _LOGIC),
    ("stein", "Stein's lemma in .*", _LAW),
    ("linearity", "linearity", _LAW),
    ("independence", "independence", _LAW),
    ("conditioning", "conditioning", _LAW),
    ("noise_moments", "moments of noise and of sums of copies", _LAW),
    ("peel_copy", "one copy more", _LAW),
    ("symmetry", "symmetry", _LAW),
    ("density", "density", _LAW),
    ("complete_the_square", "completing the square", _LAW),
    ("gaussian_calculus", "Gaussian calculus", _LAW),
    ("price", "Price's theorem", _LAW),
    ("differentiate_under_expectation", "differentiation under the expectation", _LAW),
    ("inside", "inside the expectation, .*", "that of the rule inside"),
    ("termwise", "term by term", "that of the terms"),
    ("single_out", "the term .*", "the index, and that it lies in the range"),
    ("fundamental_theorem", "fundamental theorem of calculus", _MEAN_VALUE),
    ("integral_algebra", "additivity of the integral", "the intervals, in order"),
    ("jensen", "Jensen's inequality", "the sign of the second derivative"),
    ("tangent", "tangent", "the sign of the second derivative"),
    ("increasing", "increasing function", "the sign of the derivative"),
    ("cauchy_schwarz", "Cauchy-Schwarz inequality", _LAW),
    ("poincare", "Gaussian Poincare inequality", _LAW),
    ("ball_arithmetic", "ball arithmetic", _NONE),
    ("limits", "limits", _NONE),
    ("cases", "the cases? .*", _LOGIC),
    ("induction", "induction .*", _LOGIC),
    ("equal_by_derivative", "equal at .*", _LOGIC),
    ("by_citation", "cited", "none: what is cited is said to be cited"),
)
_SECTIONS = re.compile(
    r"^(Parameters|Returns|Raises|Examples|Notes|See Also|References)\n-+\n", re.MULTILINE
)
_ROLE = re.compile(r":\w+:`([^`]*)`|``([^`]*)``|`([^`]*)`")


@dataclass(frozen=True)
class RuleEntry:
    """A rule, as its page shows it."""

    id: str
    name: str
    accepts: str
    checks: tuple[str, ...]
    evidence: str


def rule_of(name: str) -> str:
    """The id of the rule that a step names; empty for what only says how steps fit together."""
    if name.startswith("theorem "):
        return re.sub(r"[^a-z0-9]+", "-", name)
    return next((id for id, pattern, _ in _TABLE if re.fullmatch(pattern, name)), "")


def rule_entry(id: str, name: str) -> RuleEntry:
    """What is said of a rule; for a theorem on orbits, what it states."""
    if id.startswith("theorem-"):
        from slrsym.search.theorems import text_of_theorem

        said, *argument = text_of_theorem(name.removeprefix("theorem "))
        known = (*argument, "The hypotheses are steps of their own.")
        given = "the hypotheses as further theorems, which the kernel matches"
        title = name.removeprefix("theorem ").replace("-", " ")
        return RuleEntry(id, title, said, known, given)
    import slrsym.proof as proof

    entry: Any = getattr(proof, id)
    text = getdoc(entry if callable(entry) and hasattr(entry, "__name__") else type(entry)) or ""
    body = _ROLE.sub(lambda m: m[1] or m[2] or m[3], _SECTIONS.split(text)[0])
    first, *more = (" ".join(piece.split()) for piece in body.strip().split("\n\n"))
    named = next(pattern for key, pattern, _ in _TABLE if key == id)
    shown = named if re.fullmatch(r"[\w' -]+", named) else id.replace("_", " ")
    return RuleEntry(id, shown, first, tuple(more), next(e for key, _, e in _TABLE if key == id))
