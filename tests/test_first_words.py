"""Docstrings of functions begin with a verb of a list: ruff's D401 misses "Whether" and "Of".

A new verb is added to the list if none of it says the same. Properties may be noun phrases. The
docstring of a proof is its printed idea, that of a schema of the checker the printed theorem.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "slrsym"
FILES = sorted(PACKAGE.rglob("*.py"))

_VERBS = """
Abbreviate Absorb Accept Add Advance Answer Append Apply Arrange Ask Assign Assume Average Begin
Bind Bound Break Bring Build Call Certify Chain Change Check Choose Cite Claim Classify Close
Collect Combine Compare Compile Complete Compute Conclude Continue Convert Count Cover Cut Decide
Declare Decorate Define Delete Derive Describe Determine Differentiate Discharge Distinguish Divide
Draw Drop Elide Enclose Encode End Enlarge Enter Escape Estimate Evaluate Execute Expand Explain
Express Extend Extrapolate Factor Fill Find Fit Fix Flag Follow Forget Format Gather Generate Go
Group Halve Handle Hold Import Infer Instantiate Integrate Isolate Iterate Join Judge Keep Label
Lead Learn Let Lift List Load Locate Log Look Make Map Mark Match Measure Merge Minimise Move
Multiply Name Nest Note Open Order Pair Parse Pass Perform Print Project Propagate Prove Put
Quantify Raise Rank Read Rebuild Recompute Record Reduce Refer Refine Reflect Refuse Register
Reinterpret Remember Remove Rename Replace Replay Report Require Reset Reshape Return Rewrite Rotate
Round Route Run Sample Save Say Search Select Set Shorten Show Simplify Simulate Skip Solve Sort
Split State Store Subdivide Substitute Sum Summarise Tabulate Take Tell Transform Translate Turn
Typeset Update Use Validate Verify Warn Write Yield
"""
VERBS = frozenset(_VERBS.split())

# Decorators of functions whose docstrings are something else.
NOUN_PHRASES = {"property", "cached_property"}
PRINTED = {"proof", "register_theorem"}


def name_of(decorator: ast.expr) -> str:
    """Return the last name of a decorator, such as ``proof`` of ``@claim.proof``."""
    while isinstance(decorator, ast.Call):
        decorator = decorator.func
    return decorator.attr if isinstance(decorator, ast.Attribute) else ast.unparse(decorator)


def other_first_words(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and summary of each function whose docstring begins with another word."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        summary = (ast.get_docstring(node) or "").partition("\n")[0]
        named = set(map(name_of, node.decorator_list))
        is_exempt = named & (NOUN_PHRASES | PRINTED)
        if summary and not is_exempt and summary.split()[0].rstrip(".,;:") not in VERBS:
            yield node.lineno, summary


@pytest.mark.parametrize("part", sorted({f.relative_to(PACKAGE).parts[0] for f in FILES}))
def test_docstrings_of_functions_begin_with_a_verb(part):
    wrong = [
        f"{file.relative_to(PACKAGE)}:{line}: {summary}"
        for file in FILES
        if file.relative_to(PACKAGE).parts[0] == part
        for line, summary in other_first_words(file.read_text(encoding="utf-8"))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("summary", "decorator", "is_wrong"),
    [
        ("Return the exponent.", "", False),
        ("Differentiate; the derivatives are elementary.", "", False),
        ("Of a product of exponentials.", "", True),
        ("Whether it converges.", "", True),
        ("Returns the exponent.", "", True),
        ("The exponent.", "", True),
        ("The exponent.", "@property", False),
        ("The exponent.", "@functools.cached_property", False),
        ("The exponent.", "@cache", True),
        ("Both sides are even.", "@claim.proof", False),
        ("Orbits converge.", "@register_theorem('limits', 0)", False),
    ],
)
def test_other_first_words_are_noticed(summary, decorator, is_wrong):
    source = f'{decorator}\ndef exponent():\n    """{summary}"""\n'
    assert bool([*other_first_words(source)]) is is_wrong


def test_nothing_is_asked_of_functions_without_a_docstring():
    assert not [*other_first_words("def exponent(): ...")]
