"""The notebooks are what their cells make, and make it again in this environment."""

import re
from copy import deepcopy
from pathlib import Path

import pytest

from ._profile import thorough_only

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
CALCULUS = "6_gaussian_calculus"
NAMES = (
    "1_risk",
    "2_planar_dynamics",
    "3_figures",
    "4_own_claim",
    "5_off_the_manifold",
    "6_gaussian_calculus",
    "7_models",
    "8_equations_of_motion",
)

# What a notebook may say of where it ran: nothing but the language.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# Figure 6 has orbits and a separatrix.
_MOST_BYTES = 500_000
_SECONDS = 240
_PATH = re.compile(r"(?:[A-Za-z]:\\|/(?:home|root|Users|tmp|work|var|opt|usr)/)")
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")
# Numbers that are shown may differ in the last place from one machine to another.
_NUMBER = re.compile(r"\d+\.\d+(?:e[+-]?\d+)?")

nbformat = pytest.importorskip("nbformat", reason="nbmake is not installed")


def shown(output):
    """What an output shows, as text by the kind of it; of pictures, only that there is one."""
    if output.output_type == "stream":
        return {output.name: output.text}
    return {
        kind: "" if kind.startswith("image/") else content
        for kind, content in output.get("data", {}).items()
    }


def faults(notebook):
    """What is wrong with a notebook that was executed from top to bottom in a fresh kernel."""
    found = []
    if notebook.metadata != METADATA:
        found.append(f"metadata: {dict(notebook.metadata)}")
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    counts = [cell.execution_count for cell in code]
    if counts != list(range(1, len(code) + 1)):
        found.append(f"executed in another order: {counts}")
    found += [f"metadata of {cell.id}: {cell.metadata}" for cell in notebook.cells if cell.metadata]
    for cell in code:
        for output in cell.outputs:
            if output.output_type == "error":
                found.append(f"{cell.id} ends in {output.ename}: {output.evalue}")
            if output.get("name") == "stderr":
                found.append(f"{cell.id} warns: {output.text}")
            if any(sorted(sizes) != ["height", "width"] for sizes in _metadata(output)):
                found.append(f"metadata of an output of {cell.id}: {output.metadata}")
            if output.output_type == "execute_result" and (
                output.execution_count != cell.execution_count
            ):
                found.append(f"an output of {cell.id} is of another execution")
            for text in shown(output).values():
                for pattern in (_PATH, _ADDRESS):
                    if place := pattern.search(text):
                        found.append(f"{cell.id} shows {place[0]!r} of some machine")
    return found


def _all_shown(cell):
    """What a cell shows; into how many pieces a kernel cuts printed text is a matter of timing."""
    result = []
    for output in map(shown, cell.get("outputs", [])):
        if result and list(output) == list(result[-1]) and set(output) <= {"stdout", "stderr"}:
            result[-1] = {name: result[-1][name] + text for name, text in output.items()}
        else:
            result.append(output)
    return result


def _metadata(output):
    """Of an output, by its kinds; pictures for fine screens have the size at which to show them."""
    return output.get("metadata", {}).values()


def differences(committed, executed):
    """Where two executions of the same cells show different things."""
    found = []
    for old, new in zip(committed.cells, executed.cells, strict=True):
        before, after = map(_all_shown, (old, new))
        if [sorted(o) for o in before] != [sorted(o) for o in after]:
            found.append(f"{old.id}: other kinds of output")
            continue
        for first, second in zip(before, after, strict=True):
            found += [
                f"{old.id}: {first[kind][:200]!r} has become {second[kind][:200]!r}"
                for kind in first
                if not _alike(first[kind], second[kind])
            ]
    return found


def _alike(first, second):
    if _NUMBER.sub("#", first) != _NUMBER.sub("#", second):
        return False
    pairs = zip(_NUMBER.findall(first), _NUMBER.findall(second), strict=True)
    return all(
        abs(float(a) - float(b)) <= 1.5 * 10.0 ** -len(a.split("e")[0].split(".")[1])
        if "e" not in a + b
        else float(a) == pytest.approx(float(b), rel=0.05)
        for a, b in pairs
    )


def read(name):
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def test_all_notebooks_are_tested():
    assert tuple(path.stem for path in NOTEBOOKS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_what_is_committed_was_executed_in_order(name):
    notebook = read(name)
    nbformat.validate(notebook)
    assert not faults(notebook)
    assert (FOLDER / f"{name}.ipynb").stat().st_size < _MOST_BYTES
    kinds = {kind for c in notebook.cells for o in c.get("outputs", []) for kind in shown(o)}
    assert "image/png" in kinds


def _swap(notebook):
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    code[0].execution_count, code[1].execution_count = 2, 1


def _stamp(notebook):
    notebook.metadata["language_info"]["version"] = "3.11.7"


def _time(notebook):
    notebook.cells[0].metadata["execution"] = {"iopub.execute_input": "2026-01-01T00:00:00Z"}


def _printing(name, text):
    def spoil(notebook):
        output = nbformat.v4.new_output("stream", name=name, text=text)
        next(c for c in notebook.cells if c.cell_type == "code").outputs.append(output)

    return spoil


def _raise(notebook):
    output = nbformat.v4.new_output("error", ename="ValueError", evalue="no", traceback=[])
    next(c for c in notebook.cells if c.cell_type == "code").outputs.append(output)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (_swap, "executed in another order"),
        (_stamp, "metadata"),
        (_time, "metadata of"),
        (_printing("stderr", "UserWarning"), "warns"),
        (_printing("stdout", "/home/someone/file"), "of some machine"),
        (_printing("stdout", "<object at 0x7f00>"), "of some machine"),
        (_raise, "ends in ValueError"),
    ],
)
def test_faults_are_seen(spoil, told):
    notebook = read(CALCULUS)
    spoil(notebook)
    assert told in "; ".join(faults(notebook))


def test_differences_are_seen():
    notebook = read(CALCULUS)
    assert not differences(notebook, notebook)
    streams = [c for c in notebook.cells if any("name" in o for o in c.get("outputs", []))]
    for old, new in (("0.25", "0.27"), ("proved", "failed"), ("1.0e-10", "1.0e-09")):
        first, second = deepcopy(notebook), deepcopy(notebook)
        _printing("stdout", f"a {old} b")(first)
        _printing("stdout", f"a {new} b")(second)
        assert len(differences(first, second)) == 1
    assert _alike("0.25 proved", "0.26 proved")
    whole, cut = deepcopy(notebook), deepcopy(notebook)
    _printing("stdout", "one two")(whole)
    _printing("stdout", "one ")(cut)
    _printing("stdout", "two")(cut)
    assert not differences(whole, cut)
    other = deepcopy(notebook)
    next(c for c in other.cells if c.id == streams[0].id).outputs.clear()
    assert differences(notebook, other)


@thorough_only
@pytest.mark.parametrize("name", NAMES)
def test_cells_make_again_what_is_committed(name):
    pytest.importorskip("nbmake", reason="nbmake is not installed")
    from nbmake.nb_run import NotebookRun

    result = NotebookRun(FOLDER / f"{name}.ipynb", _SECONDS).execute()
    assert result.error is None, result.error
    for cell in result.nb.cells:
        assert not any(o.get("name") == "stderr" for o in cell.get("outputs", [])), cell.id
    assert not differences(read(name), result.nb)
