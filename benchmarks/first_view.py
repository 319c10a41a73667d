"""How long pages of the site take until they are seen: ``first_view.py FOLDER [PAGE ...]``.

Each page is opened by a headless Chromium of its own, as a file, as often as `RUNS` says. The time
is from the start of the navigation until the page has been loaded and laid out. Without pages,
those at the top and the three largest are opened.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

RUNS = 5
SCRIPT = """<script>addEventListener("load", () => {
  document.body.getBoundingClientRect();
  document.title = `seen after ${performance.now()} ms`;
});</script>"""


def seconds(browser: str, page: Path) -> float:
    """How long one opening takes."""
    with tempfile.TemporaryDirectory() as profile:
        options = ["--headless", "--disable-gpu", "--disable-dev-shm-usage", "--timeout=20000"]
        options += [f"--user-data-dir={profile}", "--window-size=1280,900", "--dump-dom"]
        # As root, which containers are, Chromium refuses to run with a sandbox.
        options += ["--no-sandbox"] if os.geteuid() == 0 else []
        done = subprocess.run(
            [browser, *options, page.as_uri()], capture_output=True, text=True, check=True
        )
    found = re.search(r"seen after ([\d.]+) ms", done.stdout)
    if found is None:
        raise SystemExit(f"{page.name} was not seen: {done.stderr[-400:]}")
    return float(found[1]) / 1000


def main(folder: Path, names: list[str]) -> None:
    """Print the median and the largest time for each page."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("no Chromium is installed")
    pages = sorted(folder.rglob("*.html"), key=lambda page: page.stat().st_size)
    names = names or [p.name for p in sorted(folder.glob("*.html"))] + [
        p.relative_to(folder).as_posix() for p in pages[-3:] if p.parent != folder
    ]
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "site"
        shutil.copytree(folder, copy)
        print(f"{'page':40} {'kB':>6} {'median s':>9} {'largest s':>9}")
        for name in names:
            page = copy / name
            page.write_text(page.read_text(encoding="utf-8").replace("</head>", f"{SCRIPT}</head>"))
            times = [seconds(browser, page) for _ in range(RUNS)]
            size = (folder / name).stat().st_size / 1000
            print(f"{name:40} {size:6.0f} {median(times):9.2f} {max(times):9.2f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
