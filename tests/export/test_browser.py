"""The static site in a real browser, on a desk and on a phone.

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
import zlib
from collections import Counter
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Queue

import pytest

from slrsym.documents.export.site import site_files
from slrsym.files import write_export_folder
from tests._profile import NIGHTLY, THOROUGH, thorough_only
from tests.export.site_check import linked

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
    thorough_only,
]

WIDTHS = (1280, 768, 390)
# The colour of a page in each scheme.
LIGHT = {"light": "rgb(253, 253, 252)", "dark": "rgb(22, 24, 26)"}
# For how many seconds nothing may come from the browser.
PATIENCE = 120
SPOILED = "spoiled.html"


class Server(ThreadingHTTPServer):
    """Serves a folder, and keeps what the page that measures the others sends."""

    def __init__(self, folder: Path) -> None:
        self.found = Queue()
        super().__init__(("127.0.0.1", 0), partial(Handler, directory=str(folder)))


class Handler(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_POST(self):
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        # Before the answer: the page sends nothing else until it has it.
        self.server.found.put(sent)
        self.send_response(204)
        self.end_headers()


def axe():
    """The script of axe-core, where npm has installed it; None elsewhere."""
    places = [os.environ.get("AXE_CORE", "")]
    if npm := shutil.which("npm"):
        root = subprocess.run([npm, "root", "-g"], capture_output=True, text=True, check=False)
        places.append(f"{root.stdout.strip()}/axe-core/axe.min.js")
    return next((file for file in map(Path, places) if file.is_file()), None)


AXE = axe()


# One in how many pages is visited for each task; at night all are.
SHARES = {"measure": 1, "bare": 1, "axe": 4}
if THOROUGH:
    SHARES = {"measure": 3, "bare": 12, "axe": 12}
if NIGHTLY:
    SHARES = dict.fromkeys(SHARES, 1)


def chosen(files, task):
    """The pages that are visited for a task: those at the top, the largest, a share of the rest."""
    names = [name for name in files if name.endswith(".html")]
    largest = sorted(names, key=lambda name: len(files[name]))[-4:]
    return [
        name
        for name in names
        if "/" not in name or name in largest or not zlib.crc32(name.encode()) % SHARES[task]
    ]


@pytest.fixture(scope="module")
def site(document, tmp_path_factory):
    """A folder with a site and the page that measures all others, and what that has to visit."""
    folder = tmp_path_factory.mktemp("site") / "out"
    files = site_files(linked(document))
    claim = files[f"claims/{document.claims[0].id}.html"].replace("../", "")
    wrong = '<div style="width:2000px">wide</div><img src="data:,"><p hidden>unseen</p>'
    wrong += '<div style="width:9px;overflow:hidden"><math><mi>clipped</mi></math></div>'
    wrong += '<script>console.error("on purpose")</script>'
    write_export_folder(folder, files | {SPOILED: claim.replace("</main>", f"{wrong}</main>")})
    # What is clicked on stays so: the pages where most can be done are opened anew for each width.
    wanted = [
        (name, widths, "measure")
        for name in [*chosen(files, "measure"), SPOILED]
        for widths in ([[w] for w in WIDTHS] if name in ("map.html", "ledger.html") else [WIDTHS])
    ]
    wanted += [(name, [1280], "bare") for name in [*chosen(files, "bare"), SPOILED]]
    if AXE:
        looked = [*chosen(files, "axe"), SPOILED]
        wanted += [(name, [width], "axe") for name in looked for width in (1280, 390)]
    given = {"WANTED": wanted, "AXE": AXE.read_text(encoding="utf-8") if AXE else ""}
    told = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in given.items())
    (folder / "wanted.js").write_text(told, encoding="utf-8")
    shutil.copy(Path(__file__).parent / "measure.js", folder)
    scripts = '<script src="wanted.js"></script><script src="measure.js"></script>'
    (folder / "harness.html").write_text(f'<meta charset="utf-8"><body>{scripts}</body>')
    return folder, wanted


@pytest.fixture(scope="module")
def seen(site, tmp_path_factory):
    """What the browser measured of each page, and what was said on the console."""
    folder, wanted = site
    server = Server(folder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    profile = tmp_path_factory.mktemp("profile")
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


def _next(found, browser):
    """What comes next, or why nothing does: a page may take long, where others work as well."""
    for _ in range(PATIENCE):
        try:
            return found.get(timeout=1)
        except Empty:
            if browser.poll() is not None:
                return f"the browser ended with {browser.returncode}"
    return f"nothing came for {PATIENCE} s"


@pytest.fixture
def pages(seen):
    return {(m["name"], m["width"], m["scheme"]): m for m in seen[0] if of(m, "measure")}


def of(measured, task):
    return measured["task"] == task and measured["name"] != SPOILED


def test_nothing_is_wider_than_the_page(pages):
    assert {key: m["overflow"] for key, m in pages.items() if m["overflow"] > 0} == {}
    assert {key: m["outside"] for key, m in pages.items() if m["outside"]} == {}


def test_nothing_is_said_on_the_console(seen):
    said = [line for line in seen[1] if "on purpose" not in line]
    assert said == []


def test_what_is_wrong_is_noticed(seen):
    spoiled = [m for m in seen[0] if m["name"] == SPOILED]
    tasks = Counter(m["task"] for m in spoiled)
    assert tasks == {"measure": 6, "bare": 2} | ({"axe": 4} if AXE else {})
    for measured in spoiled:
        if measured["task"] != "axe":
            assert measured["overflow"] > 0
            assert measured["clipped"] == 1
        elif measured["scheme"] == "light":
            assert any(fault.startswith("image-alt") for fault in measured["faults"])
        if measured["task"] == "bare":
            assert measured["unseen"] == ["P.: unseen"]
    assert any("on purpose" in line for line in seen[1])


def test_formulas_are_drawn(pages):
    assert {key: m["flat"] for key, m in pages.items() if m["flat"]} == {}
    assert {key for key, m in pages.items() if m["drawn"] != m["math"]} == set()
    assert sum(m["drawn"] for m in pages.values()) > 1000


def test_no_formula_is_clipped(pages):
    assert {key: m["clipped"] for key, m in pages.items() if m["clipped"]} == {}


def test_pages_are_dark_where_one_wants_them_so(pages):
    shown = {(scheme, m["background"]) for (*_, scheme), m in pages.items()}
    assert shown == set(LIGHT.items())


def test_without_scripts_all_can_be_read(seen):
    bare = [m for m in seen[0] if of(m, "bare")]
    assert {m["name"] for m in bare} >= {"index.html", "ledger.html", "notation.html"}
    assert {m["name"]: m["unseen"] for m in bare if m["unseen"]} == {}
    assert {m["name"]: m["overflow"] for m in bare if m["overflow"] > 0} == {}


@pytest.mark.skipif(AXE is None, reason="no axe-core: npm install -g axe-core, or AXE_CORE=FILE")
def test_axe_finds_nothing_serious(seen):
    looked = [m for m in seen[0] if of(m, "axe")]
    assert {m["name"] for m in looked} >= {"index.html", "ledger.html", "notation.html"}
    faults = {(m["name"], m["width"], m["scheme"]): m["faults"] for m in looked}
    assert {key: found for key, found in faults.items() if found} == {}


def test_the_style_sheet_is_found(pages):
    assert {m["styled"] for m in pages.values()} == {"896px"}
    assert all(m["font"] >= 16 for m in pages.values())


def test_long_formulas_are_broken_for_the_width(pages):
    for (_, width, _), page in pages.items():
        assert page["phone" if width == 1280 else "desk"] == 0  # 768 is a phone lying down
    assert sum(m["desk"] for m in pages.values()) > 0
    assert sum(m["phone"] for m in pages.values()) > 0


def test_the_front_page_fits_into_three_screens(pages):
    """Of 1280 by 800, as of the whole ledger."""
    assert pages["index.html", 1280, "light"]["tall"] <= 3 * 800


def test_steps_are_folded_and_unfolded(document, pages):
    folding = [m for m in pages.values() if "folded" in m]
    proved = {f"claims/{claim.id}.html" for claim in document.claims if claim.proof}
    assert len(folding) > 0.9 * len(proved & {name for name, *_ in pages})
    for page in folding:
        assert page["folded"] == 0
        assert page["unfolded"] == page["open"]
    # Some proofs are a sentence, with nothing to fold.
    assert sum(page["open"] > 0 for page in folding) > 0.9 * len(folding)


def test_the_map_lights_what_a_statement_rests_on(pages):
    for width in WIDTHS:
        page = pages["map.html", width, "light"]
        assert page["marked"] > 0
        assert page["left"] == 0
        assert page["opened"] > 0


def test_search_finds_claims_axioms_and_nothing(pages):
    searched = {name: m for (name, *_), m in pages.items() if "found" in m}
    assert searched.keys() == {name for name, *_ in pages}
    for name, page in searched.items():
        root = "../" if "/" in name else ""
        claim, axioms, nothing = page["found"]
        assert claim == f"{root}claims/lemma-18-ii.html"
        assert axioms > 0
        assert nothing == 0


def test_the_ledger_is_sorted_and_filtered(document, pages):
    for width in WIDTHS:
        page = pages["ledger.html", width, "light"]
        steps = [int(count) for count in page["sorted"]]
        assert steps == sorted(steps)
        assert len(steps) == len(document.claims) == page["all"] + 1
