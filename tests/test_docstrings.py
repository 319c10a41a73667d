"""What is public has a complete docstring: what it takes, returns and raises, and where it is from.

`_public` says which names are walked, and what is asked of each; `_raises` finds what is raised.
"""

import doctest
import importlib
import inspect
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from slrsym.prover.rules.axioms import AXIOMS
from tests._profile import thorough_cases

from ._public import MODULES, reference, things_of, undescribed_properties_of

ROOT = Path(__file__).resolve().parents[1]


@thorough_cases("slrsym.proof")
@pytest.mark.parametrize("name", reference().PACKAGES)
def test_docstrings_are_complete(name):
    module = importlib.import_module(name)
    faults = [fault for thing in things_of(module) for fault in thing.faults]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("name", reference().PACKAGES)
def test_help_says_something_of_everything(name):
    """Of a package, of each property of its classes, and of each value such as a rule."""
    package = importlib.import_module(name)
    assert inspect.getdoc(package)
    things = {name: getattr(package, name) for name in reference().public(package)}
    classes = [thing for thing in things.values() if inspect.isclass(thing)]
    assert [fault for cls in classes for fault in undescribed_properties_of(cls)] == []
    assert [name for name, thing in things.items() if not inspect.getdoc(thing)] == []


# The folders of tests of the same names try what the examples show.
@thorough_cases(
    "slrsym.papers.single_location.certify.attraction",
    "slrsym.papers.single_location.certify.global_minimum",
    "slrsym.papers.single_location.certify.manifold_fixed_points",
    "slrsym.papers.single_location.certify.step_size",
    "slrsym.papers.single_location.certify.sublevel",
    "slrsym.papers.single_location.landscape.enumeration",
    "slrsym.papers.single_location.sampled_risk",
    "slrsym.papers.single_location.testing.strategies",
)
@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


# A statement or figure of the paper, or a book or article with its year or edition.
SOURCE = re.compile(
    r"(Theorem|Lemma|Proposition|Corollary|Definition|Assumption|Section|Appendix|[Ff]igure)s? \d"
    r"|\b[Ee]quations? \(\d+\)|\((?:[^()]*, )?(18|19|20)\d\d\)|\d(st|nd|rd|th) ed\."
)

# What is taken from nowhere, and why.
OWN = {
    # Definitions of probability and of calculus, which the docstring makes in full.
    "definitions": {
        "BoxMap", "D", "Expectation", "Flow", "IIDSum", "NoiseLaw", "ProductLaw", "at", "box_map",
        "erf_prime", "erf_second", "flow", "lambda_of_coordinates", "unevaluated_jacobian_at",
        "normal_cdf", "normal_pdf", "point_set", "standard_normal",
        "Bounded", "Convex", "Increasing", "Lipschitz", "PolyakLojasiewicz", "Smooth",
    },
    # What statements about orbits mean. The theorems that they follow from are axioms of proofs.
    "statements": {
        "AccumulationPointsSolve", "AlmostEveryPairConvergesTo", "AlmostEveryStartConvergesTo",
        "ArrivesAt", "ConstantAlong", "DecaysAlong",
        "DecreasesAlong", "EndsBy", "FlowLimitsSolve", "FlowStatement", "FlowsConvergeTo",
        "Injective", "InvertibleJacobian", "LastsForEver", "LocalDiffeomorphism",
        "NullFlowStarts", "NullPairs",
        "NullStarts", "OrbitStatement", "OrbitsConvergeTo", "RegionKept", "SolvedBy",
        "SphereDescent", "StepsVanish",
        "VanishesAlong", "by_theorem", "names_of_theorems",
    },
    # How proofs are put together; nothing is used but what the parts show.
    "proofs": {
        "Axiom", "Chain", "ForAll", "Link", "Proof", "Rule", "Step", "algebra", "all_of",
        "axioms_added_by_rule", "by_citation", "by_claim", "cases", "chain", "definite",
        "having", "in_words", "instance", "isserlis", "join_labels", "lemma", "never", "only_at",
        "piecewise", "positive", "relation", "sign", "signs", "single_out", "solution",
        "solution_set",
        "split_product", "tactic", "trace_algebra",
    },
    # The words in which statements on matrices are made.
    "matrices": {
        "ForAllMatrices", "Letter", "Loewner", "MatrixMean", "Size", "SmoothFunction", "along",
        "covariance", "gradient", "matrix", "mean", "smooth_function", "symmetric",
    },
    # The words in which a model is stated.
    "statements of models": {
        "Direction", "Directions", "Model", "Noise", "Predictor", "Token", "TokenSequence",
        "logistic", "model", "softmax",
    },
    # The words in which a model of matrices is stated, and what it has.
    "models of matrices": {
        "EigenvalueEquations",
        "LinearAttention", "LinearNetwork", "MatrixFixedPoint", "MatrixFlow", "MatrixMinimum",
        "MatrixModel", "Prompt", "PromptWords", "ReducedFlow", "Regression",
    },
    # What a check, a search or an estimator reports.
    "reports": {
        "FixedPoint", "Linearisation", "NotSolvedError", "Runs",
        "Certificate", "CheckResult", "Document", "Estimate", "ExpectationTrace", "Ledger",
        "ClaimVerdict", "Explanation", "MonteCarloCheck", "InequalitiesOnBox", "ClaimSummary",
        "Branch", "BranchEvent", "CriticalPoint", "CriticalPoints", "StepReport", "Trace", "Trials",
        "CertificateOutcome",
        "build",
        "builtin_ledger", "check", "check_claim", "ledger", "sample_risk",
    },
    # How figures are registered and asked for.
    "figures": {
        "FigureEntry", "conclusion", "draw", "figure_names", "reason_without_model", "recipe",
        "title_and_caption", "Recipe", "ResumableRecipe", "load_or_compute", "parameter_names",
        "with_parameters",
    },
    "errors": {
        "CertificateError", "DerivationError", "IntegrabilityError", "NotClosedError", "ProofError",
        "Refused",
    },
    "files": {"load", "resume", "save"},
    "expressions of one's own": {"compile_expressions"},
    "random cases for tests": {
        "corner_overlaps", "inverse_temperatures", "log_uniform", "manifold_overlaps", "overlaps",
        "schedules", "step_sizes", "tasks",
    },
}  # fmt: skip


@cache
def known() -> frozenset[str]:
    """The names of axioms, which have references, and of claims."""
    files = (ROOT / "derivations").rglob("*.py")
    texts = (file.read_text(encoding="utf-8") for file in files)
    return frozenset(AXIOMS).union(*(re.findall(r'"([a-z0-9]+(?:-[a-z0-9]+)+)"', t) for t in texts))


def names_a_source(doc: str) -> bool:
    """Whether a docstring says where its subject is from."""
    quoted = re.findall(r"``([a-z0-9-]+)``", doc)
    return bool(SOURCE.search(doc)) or any(name in known() for name in quoted)


def described(name: str, package: Any) -> Any:
    """What the docstring of a public name belongs to; None for a value and for a module."""
    thing = getattr(package, name)
    if inspect.ismodule(thing):
        return None
    if not inspect.isclass(thing) and not inspect.isfunction(inspect.unwrap(thing)):
        thing = type(thing)  # a rule without parameters
    return thing if thing.__module__.startswith("slrsym") else None


def without_source(package: Any) -> set[str]:
    """The public names of a package that say of no source, nor does the module they are from."""
    found = set()
    for name in reference().public(package):
        thing = described(name, package)
        if thing is None:
            continue
        home = sys.modules[thing.__module__]
        if not any(names_a_source(inspect.getdoc(x) or "") for x in (thing, home)):
            found.add(name)
    return found


@pytest.mark.parametrize("name", reference().PACKAGES)
def test_sources_are_named(name):
    package = importlib.import_module(name)
    assert without_source(package) <= set().union(*OWN.values())


def test_what_has_no_source_is_still_public_and_has_none():
    packages = [importlib.import_module(name) for name in reference().PACKAGES]
    assert set().union(*map(without_source, packages)) == set().union(*OWN.values())
    assert sum(map(len, OWN.values())) == len(set().union(*OWN.values()))
