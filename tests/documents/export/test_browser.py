"""The static site in a real browser, on a desk and on a phone."""

import zlib
from collections import Counter

import pytest

from slrsym.documents.export.site import site_files
from slrsym.files import write_export_folder
from tests._browser import AXE, WIDTHS, look, needs_axe, needs_browser
from tests._profile import NIGHTLY, THOROUGH, thorough_only
from tests.documents.export.site_check import linked

# All pages are visited before the first test.
pytestmark = [needs_browser, thorough_only, pytest.mark.timeout(1800)]

# The colour of a page in each scheme.
LIGHT = {"light": "rgb(253, 253, 252)", "dark": "rgb(22, 24, 26)"}
SPOILED = "spoiled.html"


# On a page of more characters axe-core works for minutes, which it has at night.
MOST_FOR_AXE = 100_000
# One in how many pages is visited for each task; at night all are.
SHARES = {"measure": 1, "bare": 1, "axe": 4}
if THOROUGH:
    SHARES = {"measure": 16, "bare": 60, "axe": 60}
if NIGHTLY:
    SHARES = dict.fromkeys(SHARES, 1)


def chosen(files, task):
    """The pages that are visited for a task: those at the top, the largest, a share of the rest."""
    names = [name for name in files if name.endswith(".html")]
    if task == "axe" and not NIGHTLY:
        names = [name for name in names if len(files[name]) < MOST_FOR_AXE]
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
    wanted += [(name, [WIDTHS[0]], "bare") for name in [*chosen(files, "bare"), SPOILED]]
    if AXE:
        looked = [*chosen(files, "axe"), SPOILED]
        wanted += [(name, [width], "axe") for name in looked for width in (WIDTHS[0], WIDTHS[-1])]
    return folder, wanted


@pytest.fixture(scope="module")
def seen(site, tmp_path_factory):
    """What the browser measured of each page, and what was said on the console."""
    return look(*site, tmp_path_factory.mktemp("profile"))


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


@needs_axe
def test_axe_finds_nothing(seen):
    looked = [m for m in seen[0] if of(m, "axe")]
    large = {"index.html", "ledger.html"} if NIGHTLY else set()
    assert {m["name"] for m in looked} >= {"notation.html", *large}
    faults = {(m["name"], m["width"], m["scheme"]): m["faults"] for m in looked}
    assert {key: found for key, found in faults.items() if found} == {}


def test_the_style_sheet_is_found(pages):
    assert {m["styled"] for m in pages.values()} == {"896px"}
    assert all(m["font"] >= 16 for m in pages.values())


def test_long_formulas_are_broken_for_the_width(pages):
    for (_, width, _), page in pages.items():
        assert page["phone" if width == WIDTHS[0] else "desk"] == 0  # 768 is a phone lying down
    assert sum(m["desk"] for m in pages.values()) > 0
    assert sum(m["phone"] for m in pages.values()) > 0


def test_the_front_page_fits_into_three_screens(pages):
    """Of 1200 by 800, as of the whole ledger."""
    assert pages["index.html", WIDTHS[0], "light"]["tall"] <= 3 * 800


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
