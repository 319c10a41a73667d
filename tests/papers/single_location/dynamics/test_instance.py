"""The engines take the instance: what knows the paper's overlaps by name is the paper's model."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from sympy import Symbol

import slrsym
from slrsym.models.training.descent import risk_slope_symbol
from slrsym.papers.committee.models import committee
from slrsym.papers.single_location.models import attention, multi_head
from slrsym.papers.single_location.notation import ORDER_PARAMETERS, gram_matrix
from slrsym.papers.single_location.task import PLACES
from tests._profile import nightly_cases, thorough_only
from tests.models._vectors import unit

NAMES = re.compile(rf"(?<![A-Za-z])({'|'.join(p.name for p in ORDER_PARAMETERS)})(?![A-Za-z])")
PAPER = "papers/single_location"
ROOMS = (
    *(f"{PAPER}/{room}" for room in ("dynamics", "recovery", "landscape", "certify")),
    "balls",
    "prover/certificates",
)
# Public attributes of results since version 0.1.
PUBLIC = {("manifold_fixed_points.py", "kappa_rate"), ("manifold_fixed_points.py", "nu_rate")}


def words_of(tree):
    """Names and texts, but for docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    said = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.arg(arg=word):
                yield word
            case ast.alias(name=word) | ast.Constant(value=str(word)) if id(node) not in said:
                yield word


@pytest.mark.parametrize("room", ROOMS)
def test_no_engine_names_the_overlaps(room):
    files = sorted((Path(slrsym.__file__).parent / room).glob("*.py"))
    assert files
    found = [
        (file.name, word)
        for file in files
        for word in words_of(ast.parse(file.read_text(encoding="utf-8")))
        if NAMES.search(word.replace("_", " ")) and (file.name, word) not in PUBLIC
    ]
    assert not found


def test_a_name_would_be_seen():
    (word,) = [w for w in words_of(ast.parse('"""kappa"""\nx = "nu and so on"')) if w != "x"]
    assert NAMES.search(word)


c = Symbol("c", real=True)


# A head with an angle, and one on one token.
@nightly_cases("stated2")
@thorough_only
@pytest.mark.parametrize(
    "stated", [attention(), attention(angle=c), multi_head(2, 1), multi_head(1, 1)]
)
def test_the_map_of_a_flow_is_its_step(stated):
    """The map of order parameters, for any slopes, is the step of vectors."""
    model, rng = stated.model, np.random.default_rng(5)
    alpha, flow = Symbol("alpha", positive=True), model.flow
    new, meanings = flow.step_map(alpha)
    names, p = list(flow.places), len(model.directions)
    for _ in range(5):
        vectors = unit(rng.normal(size=(p, p + 2)))
        for i, x in enumerate(model.fixed_directions, len(model.trained_directions)):
            for j, y in enumerate(
                model.fixed_directions[: i - len(model.trained_directions)],
                len(model.trained_directions),
            ):
                if model.fixed_inner_product(x, y) == 0:
                    vectors[i] = unit(vectors[i] - vectors[i] @ vectors[j] * vectors[j])
        gram, slopes = vectors @ vectors.T, rng.normal(size=len(names))
        values = {q: gram[i, j] for q, (i, j, _) in flow.places.items()}
        values |= {risk_slope_symbol(q): s for q, s in zip(names, slopes, strict=True)}
        values |= {alpha: 0.3, c: gram[2, 3]}
        for symbol, meaning in meanings.items():
            values[symbol] = float(meaning.subs(values))
        ordered = [slopes[names.index(q)] for q in model.order_parameters]
        moved = flow.gram_factor_after_step(vectors[None], np.array(ordered), 0.3)[0]
        for q, (i, j, _) in flow.places.items():
            assert abs(float(new[q].subs(values)) - moved[i] @ moved[j]) < 1e-13


def test_places_are_those_of_the_gram_matrix():
    assert [gram_matrix()[place] for place in PLACES] == list(ORDER_PARAMETERS)


def test_directions_without_a_sphere_have_no_such_map():
    with pytest.raises(ValueError, match="on spheres and one eigenspace"):
        committee(1, 1).model.flow.step_map(Symbol("alpha", positive=True))
