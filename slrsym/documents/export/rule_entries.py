"""Descriptions of the rules of proofs, and of the evidence for each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from inspect import getdoc
from typing import Any

# What the proof checker is given of a step, by a short name.
_EVIDENCE = {
    "normal form": "nothing: the checker brings both sides to its own normal form, and asks for "
    "denominators to be nonzero",
    "certificate": "a combination of known facts, which the checker multiplies out",
    "table": "nothing: the checker differentiates by its own table",
    "instance": "values for the symbols of the claim, and its hypotheses",
    "law": "the law, the affine map, the factors and covariances, which the checker verifies",
    "derivative": "the derivative with its bound or sign; the checker differentiates by its own "
    "table",
    "equation": "the definition as an equation",
    "parts": "the parts; the checker substitutes values and combines the parts by logic",
    "inner rule": "the evidence of the rule that is used inside",
    "index": "the index, and that it lies in the range",
    "value": "the value, and that the variable may have it",
    "intervals": "the intervals, in order",
    "numbers": "nothing: the checker compares the numbers in ball arithmetic; a mean without a "
    "closed form rests on the axiom that the rule is sound",
    "none": "none: the step is cited, or rests on the axiom that the rule is sound",
    "traces": "the value, or products in which matrices are equal; the checker expands both sides",
    "products": "the products, and why their factors are semidefinite",
    "hypotheses": "the hypotheses as further theorems, which the checker matches",
}

# The name in `slrsym.proof`, what its steps are called, and the kind of evidence.
_TABLE = (
    ("algebra", "algebra", "normal form"),
    ("signs", "sign", "certificate"),
    ("differentiate", "differentiation", "table"),
    ("lemma", "claim .*", "instance"),
    ("substitution", "substitution", "law"),
    ("monotone", "monotonicity.*", "derivative"),
    ("lipschitz", "Lipschitz continuity", "derivative"),
    ("taylor", "Taylor's formula", "derivative"),
    ("definition", "definition", "equation"),
    ("solution_set", "every case is closed, .*|injectivity", "parts"),
    ("stein", "Stein's lemma (in|of) .*", "law"),
    ("linearity", "linearity", "law"),
    ("independence", "independence", "law"),
    ("conditioning", "conditioning", "law"),
    ("noise_moments", "moments of noise and of sums of copies", "law"),
    ("peel_copy", "one copy more", "law"),
    ("symmetry", "symmetry", "law"),
    ("density", "density", "law"),
    ("complete_the_square", "completing the square", "law"),
    ("gaussian_calculus", "Gaussian calculus", "law"),
    ("price", "Price's theorem", "law"),
    ("differentiate_under_expectation", "differentiation under the expectation", "law"),
    ("inside", "inside the expectation, .*", "inner rule"),
    ("termwise", "term by term", "inner rule"),
    ("single_out", "the term .*", "index"),
    ("fundamental_theorem", "fundamental theorem of calculus", "derivative"),
    ("integral_algebra", "additivity of the integral", "intervals"),
    ("jensen", "Jensen's inequality", "derivative"),
    ("tangent", "tangent", "derivative"),
    ("increasing", "increasing function", "derivative"),
    ("cauchy_schwarz", "Cauchy-Schwarz inequality", "law"),
    ("poincare", "Gaussian Poincare inequality|Poincare inequality of matrices", "law"),
    ("isserlis", "Isserlis' theorem", "traces"),
    ("trace_algebra", "trace algebra", "traces"),
    ("positive", "positive traces", "products"),
    ("definite", "definite trace", "products"),
    ("averaged", "averaged bound", "law"),
    ("tangent_plane", "tangent plane", "derivative"),
    ("lipschitz_bound", "Lipschitz bound", "derivative"),
    ("ball_arithmetic", "ball arithmetic", "numbers"),
    ("limits", "limits", "none"),
    ("cases", "the cases? .*", "parts"),
    ("induction", "induction .*", "parts"),
    ("instance", "instance of a hypothesis", "value"),
    ("equal_by_derivative", "equal at .*", "parts"),
    ("by_citation", "cited", "none"),
)
_SECTIONS = re.compile(
    r"^(Parameters|Returns|Raises|Examples|Notes|See Also|References)\n-+\n", re.MULTILINE
)
_ROLE = re.compile(r":\w+:`([^`]*)`|``([^`]*)``|`([^`]*)`")


@dataclass(frozen=True)
class RuleEntry:
    """The entry of a proof rule in the documentation: name, accepted steps, checks, evidence."""

    id: str
    name: str
    accepts: str
    checks: tuple[str, ...]
    kind: str

    @property
    def evidence(self) -> str:
        """The form of the evidence for a step by this rule."""
        return _EVIDENCE[self.kind]


def rule_id_from_name(name: str) -> str:
    """Return the id of a rule from its name in a step; empty for a structural step's rule."""
    if name.startswith("theorem "):
        return re.sub(r"[^a-z0-9]+", "-", name)
    return next((id for id, pattern, _ in _TABLE if re.fullmatch(pattern, name)), "")


def rule_entry(id: str, name: str) -> RuleEntry:
    """Return the documentation entry of a proof rule, or of a theorem on orbits."""
    if id.startswith("theorem-"):
        from slrsym.prover.rules.theorems import paragraphs_of_theorem

        said, *argument = paragraphs_of_theorem(name.removeprefix("theorem "))
        known = (*argument, "The hypotheses are steps of their own.")
        title = name.removeprefix("theorem ").replace("-", " ")
        return RuleEntry(id, title, said, known, "hypotheses")
    import slrsym.proof as proof

    entry: Any = getattr(proof, id)
    text = getdoc(entry if callable(entry) and hasattr(entry, "__name__") else type(entry)) or ""
    body = _ROLE.sub(lambda m: m[1] or m[2] or m[3], _SECTIONS.split(text)[0])
    first, *more = (" ".join(piece.split()) for piece in body.strip().split("\n\n"))
    named, kind = next((pattern, kind) for key, pattern, kind in _TABLE if key == id)
    shown = named if re.fullmatch(r"[\w' -]+", named) else id.replace("_", " ")
    return RuleEntry(id, shown, first, tuple(more), kind)
