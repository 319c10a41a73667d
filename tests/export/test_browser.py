"""The static site in a real browser, on a desk and on a phone.

One headless Chromium shows every page in frames of both widths, measures it, and writes down what
it found; whatever a page says on the console comes out beside it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from slrsym.book.site import site_files
from slrsym.files import write_folder
from tests.export.site_check import linked

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")

WIDTHS = (1280, 768, 390)
SPOILED = "spoiled.html"

HARNESS = """<!DOCTYPE html><meta charset="utf-8"><title>measuring</title><body><script>
const found = [];
async function measure(name, width) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width:${width}px;height:900px;border:0`;
  document.body.append(frame);
  await new Promise((done) => { frame.onload = done; frame.src = name; });
  const page = frame.contentDocument, view = frame.contentWindow;
  const shown = [...page.querySelectorAll("math")].filter((m) => m.checkVisibility());
  const root = page.documentElement;
  const right = root.clientWidth;
  const loose = (node) => {
    for (let p = node; p && p !== root; p = p.parentElement)
      if (["auto", "scroll", "hidden"].includes(view.getComputedStyle(p).overflowX)) return false;
    return true;
  };
  found.push({
    name, width, overflow: root.scrollWidth - right,
    outside: [...page.querySelectorAll("main *")].filter(
      (n) => n.checkVisibility() && n.getBoundingClientRect().right > right + 1 && loose(n)).length,
    math: shown.length,
    flat: shown.filter((m) => m.getBoundingClientRect().height < 4).length,
    drawn: shown.filter((m) => view.getComputedStyle(m).display.includes("math")).length,
    font: parseFloat(view.getComputedStyle(page.body).fontSize),
    desk: [...page.querySelectorAll(".desk")].filter((n) => n.checkVisibility()).length,
    phone: [...page.querySelectorAll(".phone")].filter((n) => n.checkVisibility()).length,
    styled: view.getComputedStyle(page.querySelector("main")).maxWidth,
    ...act(page, view),
  });
  frame.remove();
}
function act(page, view) {
  const steps = "#proof ~ details[open], #proof ~ * details[open]";
  const open = () => page.querySelectorAll(steps).length;
  const buttons = page.querySelectorAll(".folds button");
  const result = {open: open()};
  if (buttons.length) {
    buttons[1].click(); result.folded = open();
    buttons[0].click(); result.unfolded = open();
  }
  // What rests on most is lit with the way down to it; a second click puts that out.
  const nodes = [...page.querySelectorAll(".graph .node")];
  if (nodes.length) {
    const click = (n) => n.dispatchEvent(new view.MouseEvent("click", {bubbles: true}));
    const on = () => page.querySelectorAll(".edges .on").length;
    result.marked = Math.max(...nodes.map((n) => {
      click(n);
      const count = on();
      click(n);
      return count;
    }));
    result.left = on();
    const many = page.querySelector(".map .count")?.parentElement;
    if (many) {
      many.dispatchEvent(new view.MouseEvent("dblclick", {bubbles: true}));
      result.opened = page.querySelectorAll(".graph .node").length - nodes.length;
    }
  }
  const search = page.querySelector(".search input");
  const ask = (query) => {
    search.value = query;
    search.dispatchEvent(new view.Event("input"));
    const found = [...page.querySelectorAll(".results a")].map((a) => a.getAttribute("href"));
    return found;
  };
  result.found = [ask("L18-ii")[0], ask("fubini").length, ask("no such thing").length];
  ask("");
  const status = page.querySelector(".filters select");
  if (status) {
    const every = [...page.querySelectorAll("tr[data-status]")];
    const rows = () => [...page.querySelectorAll("tr[data-status]")].filter((r) => !r.hidden);
    const first = () => rows().map((r) => r.cells[3].textContent);
    page.querySelectorAll(".sort")[3].click();
    result.sorted = first();
    page.querySelectorAll(".sort")[3].click();
    page.querySelectorAll(".sort")[3].click();
    every[0].dataset.status = "open";
    status.value = "proved"; status.dispatchEvent(new view.Event("change"));
    result.all = rows().length;
  }
  return result;
}
(async () => {
  for (const [name, width] of WANTED) await measure(name, width);
  const out = document.createElement("pre");
  out.id = "found"; out.textContent = JSON.stringify(found);
  document.body.append(out);
})();
</script></body>"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def seen(document, tmp_path_factory):
    """What the browser measured of each page at each width, and what was said on the console."""
    folder = tmp_path_factory.mktemp("site") / "out"
    files = site_files(linked(document))
    claim = files[f"claims/{document.claims[0].id}.html"].replace("../", "")
    wide = '<div style="width:2000px">wide</div><script>console.error("on purpose")</script>'
    write_folder(folder, files | {SPOILED: claim.replace("</main>", f"{wide}</main>")})
    names = [name for name in files if name.endswith(".html")]
    wanted = [(name, width) for name in [*names, SPOILED] for width in WIDTHS]
    (folder / "harness.html").write_text(HARNESS.replace("WANTED", json.dumps(wanted)))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        # Chromium refuses to run as root with a sandbox, as containers do.
        done = subprocess.run(
            [
                CHROMIUM,
                "--headless",
                *(["--no-sandbox"] if os.geteuid() == 0 else []),
                "--disable-gpu",
                "--disable-extensions",
                "--no-first-run",
                f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
                "--enable-logging=stderr",
                "--virtual-time-budget=60000",
                "--dump-dom",
                f"http://127.0.0.1:{server.server_port}/harness.html",
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    result = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    assert result, f"the browser measured nothing:\n{done.stderr[-2000:]}"
    measured = {(m["name"], m["width"]): m for m in json.loads(unescape(result[1]))}
    assert len(measured) == len(wanted)
    return measured, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


@pytest.fixture
def pages(seen):
    return {key: page for key, page in seen[0].items() if key[0] != SPOILED}


def test_nothing_is_wider_than_the_page(pages):
    assert {key: m["overflow"] for key, m in pages.items() if m["overflow"] > 0} == {}
    assert {key: m["outside"] for key, m in pages.items() if m["outside"]} == {}


def test_nothing_is_said_on_the_console(seen):
    said = [line for line in seen[1] if "on purpose" not in line]
    assert said == []


def test_what_is_wrong_is_noticed(seen):
    measured, said = seen
    assert all(measured[SPOILED, width]["overflow"] > 0 for width in WIDTHS)
    assert any("on purpose" in line for line in said)


def test_formulas_are_drawn(document, pages):
    for claim in document.claims:
        for width in WIDTHS:
            page = pages[f"claims/{claim.id}.html", width]
            assert page["drawn"] == page["math"]
            assert page["flat"] == 0


def test_the_style_sheet_is_found(pages):
    assert {m["styled"] for m in pages.values()} == {"896px"}
    assert all(m["font"] >= 16 for m in pages.values())


def test_long_formulas_are_broken_for_the_width(pages):
    for (_, width), page in pages.items():
        assert page["phone" if width == 1280 else "desk"] == 0  # 768 is a phone lying down
    assert sum(m["desk"] for m in pages.values()) > 0
    assert sum(m["phone"] for m in pages.values()) > 0


def test_steps_are_folded_and_unfolded(pages):
    folding = [m for m in pages.values() if "folded" in m]
    assert len(folding) >= 20
    for page in folding:
        assert page["folded"] == 0
        assert page["unfolded"] == page["open"]
    # Some proofs are a sentence, with nothing to fold.
    assert sum(page["open"] > 0 for page in folding) > 0.9 * len(folding)


def test_the_map_lights_what_a_statement_rests_on(pages):
    for width in WIDTHS:
        assert pages["index.html", width]["marked"] > 0
        assert pages["index.html", width]["left"] == 0
        assert pages["index.html", width]["opened"] > 0


def test_search_finds_claims_axioms_and_nothing(pages):
    for (name, _), page in pages.items():
        root = "../" if "/" in name else ""
        claim, axioms, nothing = page["found"]
        assert claim == f"{root}claims/lemma-18-ii.html"
        assert axioms > 0
        assert nothing == 0


def test_the_ledger_is_sorted_and_filtered(document, pages):
    for width in WIDTHS:
        page = pages["ledger.html", width]
        steps = [int(count) for count in page["sorted"]]
        assert steps == sorted(steps)
        assert len(steps) == len(document.claims) == page["all"] + 1
