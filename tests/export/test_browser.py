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
from pathlib import Path

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
let AXE = "";
async function measure(name, width, scripts) {
  const frame = document.createElement("iframe");
  if (!scripts) frame.sandbox = "allow-same-origin";
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
    clipped: shown.filter((m) => clips(m, view)).length,
    unseen: scripts ? [] : unseen(page),
    background: view.getComputedStyle(page.body).backgroundColor,
    faults: AXE && scripts && width === 390 ? await faults(page, view) : [],
    flat: shown.filter((m) => m.getBoundingClientRect().height < 4).length,
    drawn: shown.filter((m) => view.getComputedStyle(m).display.includes("math")).length,
    font: parseFloat(view.getComputedStyle(page.body).fontSize),
    desk: [...page.querySelectorAll(".desk")].filter((n) => n.checkVisibility()).length,
    phone: [...page.querySelectorAll(".phone")].filter((n) => n.checkVisibility()).length,
    styled: view.getComputedStyle(page.querySelector("main")).maxWidth,
    scripts, ...(scripts ? act(page, view) : {}),
  });
  frame.remove();
}
// A formula reaches beyond something that neither scrolls nor shows it.
function clips(math, view) {
  const right = math.getBoundingClientRect().right;
  for (let p = math.parentElement; p; p = p.parentElement) {
    const over = view.getComputedStyle(p).overflowX;
    if (over === "auto" || over === "scroll") return false;
    if (over !== "visible" && right > p.getBoundingClientRect().right + 1) return true;
  }
  return false;
}
// What has text and is not shown, though nothing that one can open holds it.
function unseen(page) {
  const mine = "script, details:not([open]) *, annotation, .desk, .desk *, .phone, .phone *, " +
    ".folds, .folds *, .skip";
  return [...page.querySelectorAll("body *")]
    .filter((n) => n.textContent.trim() && !n.matches(mine) && !n.checkVisibility())
    .map((n) => `${n.tagName}.${n.className}: ${n.textContent.trim().slice(0, 40)}`);
}
async function faults(page, view) {
  const script = page.createElement("script");
  script.textContent = AXE;
  page.head.append(script);
  const found = await view.axe.run(page, {resultTypes: ["violations"], elementRef: false});
  return found.violations.filter((v) => ["serious", "critical"].includes(v.impact))
    .map((v) => `${v.id}: ${v.nodes.length} times, as ${v.nodes[0].html.slice(0, 120)}`);
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
  AXE = WITH_AXE ? await (await fetch("axe.min.js")).text() : "";
  for (const [name, width, scripts] of WANTED) await measure(name, width, scripts);
  const out = document.createElement("pre");
  out.id = "found"; out.textContent = JSON.stringify(found);
  document.body.append(out);
})();
</script></body>"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


def axe():
    """The script of axe-core, where npm has installed it; None elsewhere."""
    places = [os.environ.get("AXE_CORE", "")]
    if npm := shutil.which("npm"):
        root = subprocess.run([npm, "root", "-g"], capture_output=True, text=True, check=False)
        places.append(f"{root.stdout.strip()}/axe-core/axe.min.js")
    return next((file for file in map(Path, places) if file.is_file()), None)


AXE = axe()


@pytest.fixture(scope="module")
def site(document, tmp_path_factory):
    """A site on a server, with the page that measures all others."""
    folder = tmp_path_factory.mktemp("site") / "out"
    files = site_files(linked(document))
    claim = files[f"claims/{document.claims[0].id}.html"].replace("../", "")
    wrong = '<div style="width:2000px">wide</div><img src="data:,"><p hidden>unseen</p>'
    wrong += '<div style="width:9px;overflow:hidden"><math><mi>clipped</mi></math></div>'
    wrong += '<script>console.error("on purpose")</script>'
    write_folder(folder, files | {SPOILED: claim.replace("</main>", f"{wrong}</main>")})
    names = [name for name in files if name.endswith(".html")]
    wanted = [(name, width, True) for name in [*names, SPOILED] for width in WIDTHS]
    wanted += [(name, 1280, False) for name in [*names, SPOILED]]
    harness = HARNESS.replace("WANTED", json.dumps(wanted))
    (folder / "harness.html").write_text(harness.replace("WITH_AXE", json.dumps(bool(AXE))))
    if AXE:
        shutil.copy(AXE, folder / "axe.min.js")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", len(wanted)
    server.shutdown()
    server.server_close()
    thread.join()


# What Chromium calls them.
SCHEMES = {"dark": 0, "light": 1}


@pytest.fixture(scope="module", params=SCHEMES)
def seen(request, site, tmp_path_factory):
    """What the browser measured of each page at each width, and what was said on the console."""
    address, count = site
    # Chromium refuses to run as root with a sandbox, as containers do.
    done = subprocess.run(
        [
            CHROMIUM,
            "--headless",
            *(["--no-sandbox"] if os.geteuid() == 0 else []),
            "--disable-gpu",
            "--disable-extensions",
            "--no-first-run",
            f"--blink-settings=preferredColorScheme={SCHEMES[request.param]}",
            f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
            "--enable-logging=stderr",
            "--virtual-time-budget=120000",
            "--dump-dom",
            f"{address}/harness.html",
        ],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    result = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    assert result, f"the browser measured nothing:\n{done.stderr[-2000:]}"
    every = json.loads(unescape(result[1]))
    assert len(every) == count
    measured = {(m["name"], m["width"]): m for m in every if m["scripts"]}
    bare = {m["name"]: m for m in every if not m["scripts"]}
    blocked = "Blocked script execution"
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line and blocked not in line]
    return measured, said, bare, request.param


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
    measured, said, bare, _ = seen
    assert all(measured[SPOILED, width]["overflow"] > 0 for width in WIDTHS)
    assert all(measured[SPOILED, width]["clipped"] == 1 for width in WIDTHS)
    assert bare[SPOILED]["unseen"] == ["P.: unseen"]
    if AXE:
        assert any(fault.startswith("image-alt") for fault in measured[SPOILED, 390]["faults"])
    assert any("on purpose" in line for line in said)


def test_formulas_are_drawn(document, pages):
    for claim in document.claims:
        for width in WIDTHS:
            page = pages[f"claims/{claim.id}.html", width]
            assert page["drawn"] == page["math"]
            assert page["flat"] == 0


def test_no_formula_is_clipped(pages):
    assert {key: m["clipped"] for key, m in pages.items() if m["clipped"]} == {}


def test_pages_are_dark_where_one_wants_them_so(seen, pages):
    light = {"dark": "rgb(22, 24, 26)", "light": "rgb(253, 253, 252)"}[seen[3]]
    assert {m["background"] for m in pages.values()} == {light}


def test_without_scripts_all_can_be_read(seen):
    for name, page in seen[2].items():
        if name != SPOILED:
            assert page["unseen"] == [], name
            assert page["overflow"] <= 0, name


@pytest.mark.skipif(AXE is None, reason="no axe-core: npm install -g axe-core, or AXE_CORE=FILE")
def test_axe_finds_nothing_serious(pages):
    assert {key: m["faults"] for key, m in pages.items() if m["faults"]} == {}


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
