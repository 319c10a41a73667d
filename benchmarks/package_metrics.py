"""Metrics of the package: rooms and floors, import circles, files of a question, repeats, names.

Run ``python benchmarks/package_metrics.py`` for all, or name one: ``rooms``, ``subpackages``,
``circles``, ``entered``, ``repeats``, ``names``, ``picture FILE``. It needs import-linter, of the
extra ``test``.

A room is an entry at the top of the package with all that lies in it, or an entry of one of its
wings; or the folder of the derivations or of the benchmarks. A room stands one floor above the
highest room that it imports.
"""

from __future__ import annotations

import ast
import graphlib
import io
import itertools
import subprocess
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "slrsym"
# Folders that hold rooms, and no more.
WINGS = ("documents", "papers", "prover")
# Stretches of so many lines, alike but for names and values, are listed.
LENGTH = 12
# What is asked, and how, each in a fresh process; as by the commands, no other claims are loaded.
QUESTIONS = {
    "lemma-18-v to its verdict": (
        "from slrsym.proof import Ledger, check_claim\n"
        "ledger = Ledger.load()\n"
        "assert check_claim(ledger.find('lemma-18-v'), ledger.find).accepted"
    ),
    "lemma-18-v to its LaTeX": (
        "from slrsym.proof import Ledger\nLedger.load().find('lemma-18-v')._repr_latex_()"
    ),
    "README's model to its first trajectory": (
        "from pathlib import Path\n"
        "import doctest\n"
        "text = Path('README.md').read_text(encoding='utf-8')\n"
        "examples = doctest.DocTestParser().get_examples(text)\n"
        "names = {}\n"
        "for example in examples:\n"
        "    if not example.source.startswith('expectation('):\n"
        "        exec(example.source, names)\n"
        "    if 'm.simulate' in example.source:\n"
        "        break\n"
        "assert names['runs'].sizes"
    ),
    "the book of lemma-18-v by the command line": (
        "import sys, tempfile\n"
        "from slrsym.cli.program import main\n"
        "sys.argv = ['slrsym', 'export', 'latex', 'lemma-18-v', '-o', tempfile.mkdtemp()]\n"
        "main()"
    ),
}


def files() -> list[Path]:
    """Return the Python files of the package."""
    return sorted(PACKAGE.rglob("*.py"))


def subpackage_of(file: Path) -> str:
    """Return the subpackage of a file; of a file at the top of the package, "(top)"."""
    parts = file.relative_to(PACKAGE).parts
    return parts[0] + "/" if len(parts) > 1 else "(top)"


def subpackages() -> None:
    """Print the numbers of files and lines of each subpackage."""
    count: dict[str, list[int]] = defaultdict(list)
    for file in files():
        count[subpackage_of(file)].append(len(file.read_text(encoding="utf-8").splitlines()))
    everything = [length for lengths in count.values() for length in lengths]
    for name, lengths in [
        *sorted(count.items()),
        ("together", everything),
    ]:
        longest = max(lengths)
        print(f"{name:14} {len(lengths):4} files {sum(lengths):6} lines, longest {longest}")


def _modules() -> dict[str, Path]:
    """Return the files of the package, the derivations and the benchmarks by dotted name."""
    found = {}
    for folder in (PACKAGE, ROOT / "derivations", ROOT / "benchmarks"):
        for file in sorted(folder.rglob("*.py")):
            parts = file.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def _imported(tree: ast.AST, modules: dict[str, Path]) -> Iterator[str]:
    """Yield the modules that a file imports, inside of functions and for types as well."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                name = inner if inner in modules else node.module
                if name in modules:
                    yield name


def _room(module: str) -> str:
    top, *inner = module.split(".")
    if top != PACKAGE.name or not inner or inner == ["__main__"] or inner in ([w] for w in WINGS):
        return top
    return "/".join([top, *inner[: 2 if inner[0] in WINGS else 1]])


def _imports_between_rooms() -> tuple[set[str], Counter[tuple[str, str]]]:
    """Return the rooms, and how many imports lead from one room to another."""
    modules = _modules()
    arrows: Counter[tuple[str, str]] = Counter()
    for name, file in modules.items():
        for other in _imported(ast.parse(file.read_text(encoding="utf-8")), modules):
            if _room(name) != _room(other):
                arrows[_room(name), _room(other)] += 1
    return {_room(name) for name in modules}, arrows


def _without_circles(
    rooms_: set[str], arrows: Counter[tuple[str, str]]
) -> tuple[dict[str, set[str]], list[tuple[str, str]]]:
    """Return the imports of each room without those that run up, and these.

    Of each circle of rooms the arrow of fewest imports is the one that runs up.
    """
    below = {room: {end for start, end in arrows if start == room} for room in sorted(rooms_)}
    upward = []
    while True:
        try:
            graphlib.TopologicalSorter(below).prepare()
        except graphlib.CycleError as error:
            # The sorter names each node of a circle after the one that depends on it.
            circle = error.args[1]
            pairs = [pair for pair in itertools.pairwise(circle) if pair[0] in below[pair[1]]]
            end, start = min(pairs, key=lambda pair: (arrows[pair[1], pair[0]], pair))
            below[start].remove(end)
            upward.append((start, end))
        else:
            return below, upward


def rooms() -> None:
    """Print the rooms by floor, the imports between rooms, and those that run up."""
    everything, arrows = _imports_between_rooms()
    below, upward = _without_circles(everything, arrows)
    floor: dict[str, int] = {}
    for room in graphlib.TopologicalSorter(below).static_order():
        floor[room] = 1 + max((floor[other] for other in below[room]), default=0)
    entries = [
        entry
        for entry in PACKAGE.iterdir()
        if entry.name not in ("__init__.py", "__main__.py", "__pycache__", "py.typed")
    ]
    print(
        f"{len(entries)} entries at the top of the package; {len(everything)} rooms on "
        f"{max(floor.values())} floors, {len(arrows)} arrows between them "
        f"({sum(arrows.values())} imports), {len(upward)} of which run up"
    )
    for start, end in upward:
        print(f"  up: {start} -> {end}")
    for level, group in itertools.groupby(sorted(floor, key=lambda r: (-floor[r], r)), floor.get):
        print(f"  floor {level:2}: {', '.join(group)}")


def circles() -> None:
    """Files that import each other, directly or not."""
    import grimp

    graph = grimp.build_graph("slrsym", exclude_type_checking_imports=True)
    found = [
        (one, other)
        for one in sorted(graph.modules)
        for other in graph.find_modules_directly_imported_by(one)
        if not one.startswith(f"{other}.") and graph.chain_exists(importer=other, imported=one)
    ]
    print(f"{len(found)} imports within circles")
    for one, other in found:
        print(f"  {one} -> {other}")


TRACE = """
import inspect
import sys
entered = set()
def note(frame, event, arg):
    code = frame.f_code
    # Bodies of modules and classes, which run when they are imported, are no functions.
    if code.co_flags & inspect.CO_OPTIMIZED:
        entered.add(code.co_filename)
sys.setprofile(note)
try:
    exec(compile(sys.argv[1], "question", "exec"), {"__name__": "question"})
except SystemExit:
    pass
sys.setprofile(None)
print("\\n".join(sorted(entered)))
"""


def entered() -> None:
    """Print the files in which a function runs on the way from a question to its answer."""
    for question, code in QUESTIONS.items():
        done = subprocess.run(
            [sys.executable, "-c", TRACE, code],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
        names = {Path(line) for line in done.stdout.splitlines() if line.startswith(str(PACKAGE))}
        lines = sum(len(name.read_text(encoding="utf-8").splitlines()) for name in names)
        print(f"{question}: {len(names)} files, {lines} lines")


def _shapes(file: Path) -> Iterator[tuple[int, str]]:
    """Each line of code by its shape: names, numbers and strings are not told apart."""
    text = file.read_text(encoding="utf-8")
    said = {
        number
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    rows: dict[int, list[str]] = defaultdict(list)
    kinds = {tokenize.NAME: "a", tokenize.NUMBER: "1", tokenize.STRING: "s"}
    words = {"def", "return", "if", "for", "in", "not", "and", "or", "raise", "with", "class"}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.string.strip() and token.type != tokenize.COMMENT and token.start[0] not in said:
            word = token.string if token.string in words else kinds.get(token.type, token.string)
            rows[token.start[0]].append(word)
    for number, parts in sorted(rows.items()):
        line = " ".join(parts)
        if not text.splitlines()[number - 1].startswith(("from ", "import ")) and len(line) > 3:
            yield number, line


def repeats() -> None:
    """Stretches of more than twelve lines that stand twice, up to names and values."""
    seen: dict[tuple[str, ...], list[tuple[Path, int]]] = defaultdict(list)
    for file in files():
        lines = list(_shapes(file))
        for i in range(len(lines) - LENGTH):
            part = lines[i : i + LENGTH + 1]
            # Tables of data look alike, and are none.
            if sum("a (" in shape or "=" in shape for _, shape in part) > LENGTH // 3:
                seen[tuple(shape for _, shape in part)].append((file, part[0][0]))
    pairs: Counter[tuple[str, str]] = Counter()
    for places in seen.values():
        for (one, _), (other, _) in itertools.pairwise(places):
            pairs[one.relative_to(ROOT).as_posix(), other.relative_to(ROOT).as_posix()] += 1
    print(f"{len(pairs)} pairs of files with equal stretches of more than {LENGTH} lines")
    for (one, other), count in pairs.most_common():
        print(f"  {one} ~ {other} ({count + LENGTH} lines)")


def names() -> None:
    """Names that classes of two files have."""
    seen: dict[str, list[str]] = defaultdict(list)
    for file in files():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                seen[node.name].append(file.relative_to(PACKAGE).as_posix())
    shared = {name: places for name, places in sorted(seen.items()) if len(places) > 1}
    print(f"{len(shared)} names of classes that stand for several things")
    for name, places in shared.items():
        print(f"  {name}: {', '.join(places)}")


def _reached(room: str, below: dict[str, set[str]]) -> set[str]:
    """Return the rooms that a room imports, directly or through others."""
    return {r for other in below[room] for r in (other, *_reached(other, below))}


# Half the height of a room in the picture, and half its width, in rows and columns.
_TALL, _WIDE = 0.24, 0.3


def picture(target: str) -> None:
    """Draw the rooms of the package, each above those that it imports, with numbers of lines.

    Imports that run up are left out.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyArrowPatch

    from slrsym.documents.export.claim_graph_layout import arrange_graph, route_arrows

    below, _ = _without_circles(*_imports_between_rooms())
    sizes: Counter[str] = Counter()
    for name, file in _modules().items():
        sizes[_room(name)] += len(file.read_text(encoding="utf-8").splitlines())
    # Single files are corridors: what is behind them counts as reached.
    shown = sorted(room for room in sizes if room.startswith("slrsym/") and (ROOT / room).is_dir())
    graph = arrange_graph(
        {room: [r for r in shown if r in _reached(room, below)] for room in shown}, 4
    )
    places = {node.id: (node.column, float(node.row)) for node in graph.nodes}
    ways = route_arrows(graph, places, _WIDE, (0.0, float(graph.columns)), 0.1)
    figure = Figure(figsize=(7.6, 0.75 * graph.rows), layout="constrained")
    axes = figure.subplots()
    axes.set_axis_off()
    for under, over in graph.edges:
        points = [places[over], *reversed(ways[under, over]), places[under]]
        axes.add_patch(
            FancyArrowPatch(
                path=_curve(points), arrowstyle="-|>", color="#7d8ea3", lw=0.9, mutation_scale=9,
                shrinkA=0, shrinkB=0, fc="#7d8ea3",
            )
        )  # fmt: skip
    for name, (x, y) in places.items():
        text = f"{name.removeprefix('slrsym/')}\n{sizes[name]:,}"
        axes.text(
            x, y, text, ha="center", va="center", fontsize=8.5, zorder=3,
            bbox={"boxstyle": "round,pad=0.3", "fc": "#eef2f7", "ec": "#5a6b80", "lw": 0.7},
        )  # fmt: skip
    axes.set_xlim(0, graph.columns)
    axes.set_ylim(-0.5, graph.rows - 0.5)
    figure.savefig(target, dpi=160)


def _curve(points: list[tuple[float, float]]) -> Any:
    """From below the first point, straight past those between, to above the last."""
    from matplotlib.path import Path as Curve

    x, y = points[0][0], points[0][1] - _TALL
    drawn, codes = [(x, y)], [Curve.MOVETO]
    for u, v in points[1:]:
        bend = (y + v + _TALL) / 2
        drawn += [(x, bend), (u, bend), (u, v + _TALL)]
        codes += [Curve.CURVE4] * 3
        if (u, v) != points[-1]:
            drawn.append((u, v - _TALL))
            codes.append(Curve.LINETO)
        x, y = u, v - _TALL
    return Curve(drawn, codes)


def main() -> None:
    """Print what is asked for."""
    counts = {
        "rooms": rooms, "subpackages": subpackages, "circles": circles, "entered": entered,
        "repeats": repeats, "names": names,
    }  # fmt: skip
    match sys.argv[1:]:
        case ["picture", file]:
            picture(file)
        case [name] if name in counts:
            counts[name]()
        case []:
            for count in counts.values():
                count()
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
