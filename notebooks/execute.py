"""Execute notebooks again, and write down what they show: ``python notebooks/execute.py 4*``.

Nothing is kept of the machine and of the time. A cell that shows what it showed before keeps its
pictures, which may differ in a byte from one machine to another.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbmake.nb_run import NotebookRun

FOLDER = Path(__file__).parent
SECONDS = 600


def texts(cell):
    """Return the output of a cell without its pictures."""
    return [
        {kind: None if kind.startswith("image/") else text for kind, text in output["data"].items()}
        if "data" in output
        else output.get("text")
        for output in cell.outputs
    ]


def joined(outputs):
    """Join consecutive printed outputs; how many there are is a matter of timing."""
    result = []
    for output in outputs:
        if result and output.get("name") and output.get("name") == result[-1].get("name"):
            result[-1].text += output.text
        else:
            result.append(output)
    return result


def execute(path):
    """Execute a notebook, and write it if a cell shows something else than before."""
    before = nbformat.read(path, as_version=4)
    result = NotebookRun(path, SECONDS).execute()
    if result.error is not None:
        raise SystemExit(f"{path.name}: {result.error}")
    changed = []
    for old, new in zip(before.cells, result.nb.cells, strict=True):
        if old.cell_type != "code":
            continue
        old.execution_count = new.execution_count
        new.outputs = joined(new.outputs)
        for output in new.outputs:
            for kind, about in output.get("metadata", {}).items():
                output.metadata[kind] = {k: about[k] for k in ("width", "height") if k in about}
        if texts(old) != texts(new):
            old.outputs = new.outputs
            changed.append(old.id)
    path.write_text(nbformat.writes(before) + "\n", encoding="utf-8")
    print(f"{path.name}: {', '.join(changed) or 'nothing'} changed")


if __name__ == "__main__":
    for pattern in sys.argv[1:] or ["*"]:
        for found in sorted(FOLDER.glob(f"{pattern.removesuffix('.ipynb')}.ipynb")):
            execute(found)
