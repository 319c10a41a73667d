"""What is loaded late, from room to room, and names of classes: one name, one thing."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from fnmatch import fnmatch
from pathlib import Path

import grimp
import pytest

from tests._profile import thorough_only

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "explanation" / "architecture.md"


# Folders that hold rooms, and no more.
WINGS = ("documents", "papers", "prover")


def room(module):
    """The part of a module's name that says in which room it is."""
    parts = module.split(".")
    return ".".join(parts[: 3 if parts[1:2] and parts[1] in WINGS else 2])


def late(source, own):
    """The rooms that functions in a source import, without their own."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    for function in filter(lambda n: isinstance(n, functions), ast.walk(ast.parse(source))):
        for node in ast.walk(function):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (room(n) for n in names if n.startswith("slrsym.") and room(n) != own)


# Of the text alone; what is late, and what a name stands for, is told on examples.
@thorough_only
def test_every_late_import_is_listed_with_its_reason():
    (section,) = re.findall(r"## Deferred imports\n(.*?)\n## ", PAGE.read_text(), re.DOTALL)
    rows = [row.split("|")[1:3] for row in section.splitlines() if row.startswith("| `")]
    listed = [name for files, _ in rows for name in re.findall(r"`(.*?)`", files)]
    assert all(len(reason.split()) > 4 for _, reason in rows)
    found = set()
    for path in (ROOT / "slrsym").rglob("*.py"):
        name = path.relative_to(ROOT).as_posix()
        own = room(name.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
        if any(late(path.read_text(encoding="utf-8"), own)):
            found.add(name)
    assert {name for name in found if not any(fnmatch(name, p) for p in listed)} == set()
    assert [p for p in listed if not any(fnmatch(name, p) for name in found)] == []


@pytest.mark.parametrize(
    ("source", "rooms"),
    [
        ("def f():\n    from slrsym.crosscheck import Bench", ["slrsym.crosscheck"]),
        ("def f():\n    import slrsym.prover.claims.check as c, os", ["slrsym.prover.claims"]),
        ("def f():\n    from slrsym import jobs", ["slrsym.jobs"]),
        (
            "from slrsym.crosscheck import Bench\n"
            "def f():\n    from slrsym.prover.rules import step",
            [],
        ),
    ],
)
def test_what_is_late(source, rooms):
    assert list(late(source, "slrsym.prover.rules")) == rooms


@pytest.mark.parametrize("name", ["checker", "prover/rules", "prover/tactics"])
def test_no_proof_takes_digits_from_the_cross_check(name):
    """SymPy's evalf of an expectation is the quadrature by which the cross-check judges steps."""
    paths = list((ROOT / "slrsym" / name).rglob("*.py"))
    assert len(paths) > 10
    for path in paths:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        assert not used & {"N", "evalf"}, path


def places_of_classes(sources):
    """Where a class of a name is defined, for each name."""
    places = defaultdict(list)
    for name, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(name)
    return places


@thorough_only
def test_a_name_of_a_class_stands_for_one_thing():
    files = (ROOT / "slrsym").rglob("*.py")
    places = places_of_classes({f.relative_to(ROOT): f.read_text(encoding="utf-8") for f in files})
    assert len(places) > 400
    # The directions k, v of the paper's task, and those of exchangeable units of a model.
    places.pop("Directions")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


OF_THE_FIRST_PAPER = re.compile(r"k_star|v_star|k\^\*|v\^\*|single.location|Marion", re.IGNORECASE)


def words_of_the_first_paper(source):
    """Lines that speak of the first paper, but for examples in docstrings."""
    for node in ast.walk(ast.parse(source)):
        holder = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        text = ast.get_docstring(node, clean=False) if isinstance(node, holder) else None
        if text is not None:
            # Examples end at an empty line, or with the docstring.
            shown = re.sub(r"^ *>>> .*\n(?:.*\S.*\n)*", "", f"{text}\n", flags=re.MULTILINE)
            source = source.replace(text, shown.removesuffix("\n"), 1)
    return [line.strip() for line in source.splitlines() if OF_THE_FIRST_PAPER.search(line)]


def test_what_is_no_example_is_found():
    source = (
        'r"""About <k, k^*>."""\ndef f():\n    r"""Add.\n\n    >>> k_star, v_star = 1, 2\n    v^*\n'
        '    """\n    from slrsym.papers import single_location\n'
    )
    assert words_of_the_first_paper(source) == [
        'r"""About <k, k^*>."""',
        "from slrsym.papers import single_location",
    ]


def test_no_general_room_speaks_of_the_first_paper():
    """The checker's extensions may: that on vectors has the manifold of its pairs."""
    package = ROOT / "slrsym"
    found = {}
    for path in package.rglob("*.*"):
        place = path.relative_to(package).as_posix()
        if path.suffix in (".py", ".js", ".css", ".tex", ".html", ".v", ".bib") and not (
            place.startswith(("papers/", "checker/extensions/", "derivations/"))
        ):
            text = path.read_text(encoding="utf-8")
            is_code = path.suffix == ".py"
            found[place] = (words_of_the_first_paper if is_code else OF_THE_FIRST_PAPER.findall)(
                text
            )
    assert len(found) > 200
    assert {place: lines for place, lines in found.items() if lines} == {}


def test_two_things_of_a_name_are_found():
    places = places_of_classes(
        {"a": "class A:\n    class B: ...", "b": "def f():\n    class B: ..."}
    )
    assert places == {"A": ["a"], "B": ["a", "b"]}


def test_no_files_import_each_other():
    script = Path(__file__).parents[1] / "benchmarks" / "package_metrics.py"
    done = subprocess.run(
        [sys.executable, str(script), "circles"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "0 imports within circles\n"


def circles(graph):
    """The sets of modules each of which imports all others, through others."""
    reached = {m: graph.find_upstream_modules(m) for m in graph.modules}
    sets = {frozenset({m, *(n for n in reached[m] if m in reached[n])}) for m in graph.modules}
    return [set(found) for found in sets if len(found) > 1]


def test_modules_import_one_another_in_no_circle():
    """Within a room too, where imports in functions and those for types count."""
    # A cache may be of another state of the files.
    graph = grimp.build_graph("slrsym", exclude_type_checking_imports=False, cache_dir=None)
    assert circles(graph) == []


def test_a_circle_is_noticed():
    graph = grimp.ImportGraph()
    for importer, imported in ("ab", "bc", "ca", "ad"):
        graph.add_import(importer=importer, imported=imported)
    assert circles(graph) == [{"a", "b", "c"}]
