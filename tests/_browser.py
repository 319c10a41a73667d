"""Pages in a real browser: what it measures of each at several widths, and what axe-core says.

One headless Chromium shows every page in a frame, which takes each width and each scheme of
colours, and sends what it measured, page by page (`measure.js`); whatever a page says on the
console comes out beside it.
"""

import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")

# A desk, a tablet and a phone.
WIDTHS = (1200, 768, 375)
# For how many seconds nothing may come from the browser.
PATIENCE = 300


def _axe() -> Path | None:
    """The script of axe-core, where npm has installed it; None elsewhere."""
    places = [os.environ.get("AXE_CORE", "")]
    if npm := shutil.which("npm"):
        root = subprocess.run([npm, "root", "-g"], capture_output=True, text=True, check=False)
        places.append(f"{root.stdout.strip()}/axe-core/axe.min.js")
    return next((file for file in map(Path, places) if file.is_file()), None)


AXE = _axe()
needs_axe = pytest.mark.skipif(
    AXE is None, reason="no axe-core: npm install -g axe-core, or AXE_CORE=FILE"
)

# The name of a page, the widths of its frame, and what is done there.
Visit = tuple[str, Sequence[int], str]


def look(
    folder: Path, wanted: Sequence[Visit], profile: Path
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return what the browser measured of pages of a folder, and what was said on the console.

    Two scripts and a page are written to the folder. The browser keeps its own files in `profile`.
    """
    given = {"WANTED": wanted, "AXE": AXE.read_text(encoding="utf-8") if AXE else ""}
    told = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in given.items())
    (folder / "wanted.js").write_text(told, encoding="utf-8")
    shutil.copy(Path(__file__).parent / "measure.js", folder)
    scripts = '<script src="wanted.js"></script><script src="measure.js"></script>'
    (folder / "harness.html").write_text(f'<meta charset="utf-8"><body>{scripts}</body>')
    server = Server(folder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    log = profile / "stderr"
    with log.open("w") as stderr:
        browser = subprocess.Popen(
            [
                CHROMIUM,
                "--headless",
                # As root, which containers are, Chromium refuses to run with a sandbox; and what
                # they have of shared memory is too little for large pages.
                *(["--no-sandbox"] if os.geteuid() == 0 else []),
                "--disable-dev-shm-usage",
                "--disable-gpu",
                "--disable-extensions",
                "--no-first-run",
                f"--user-data-dir={profile}",
                "--enable-logging=stderr",
                f"http://127.0.0.1:{server.server_port}/harness.html",
            ],
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            start_new_session=True,
        )
        every = []
        try:
            for visited, (name, *_) in enumerate([*wanted, ("the end",)]):
                sent = _next(server.found, browser)
                if visited < len(wanted) and isinstance(sent, list):
                    every += sent
                elif visited < len(wanted) or sent != "end":
                    tail = log.read_text(errors="replace")[-2000:]
                    done = f"{visited} of {len(wanted)} pages were measured"
                    pytest.fail(f"{sent} at {name}; {done}. Chromium said:\n{tail}")
        finally:
            if browser.poll() is None:
                os.killpg(browser.pid, signal.SIGKILL)
            browser.wait()
            server.shutdown()
            server.server_close()
    lines = log.read_text(errors="replace").splitlines()
    blocked = "Blocked script execution"
    return every, [line for line in lines if "CONSOLE" in line and blocked not in line]


class Server(ThreadingHTTPServer):
    """Serves a folder, and keeps what the page that measures the others sends."""

    def __init__(self, folder: Path) -> None:
        self.found: Queue[Any] = Queue()
        super().__init__(("127.0.0.1", 0), partial(Handler, directory=str(folder)))


class Handler(SimpleHTTPRequestHandler):
    """Answers without a word."""

    def log_message(self, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        # Before the answer: the page sends nothing else until it has it.
        self.server.found.put(sent)
        self.send_response(204)
        self.end_headers()


def _next(found: Queue[Any], browser: subprocess.Popen[bytes]) -> Any:
    """What comes next, or why nothing does: a page may take long, where others work as well."""
    for _ in range(PATIENCE):
        try:
            return found.get(timeout=1)
        except Empty:
            if browser.poll() is not None:
                return f"the browser ended with {browser.returncode}"
    return f"nothing came for {PATIENCE} s"
