"""The phase portrait in a real browser: its numbers are those of `simulate`."""

import json
import os
import re
import subprocess
from html import unescape

import numpy as np
import pytest
import xarray as xr
from scipy.special import erf

from slrsym.papers import single_location
from slrsym.papers.single_location.documents.phase_portrait import (
    SETTING,
    portrait_page_html,
    portrait_script,
    sweep_starts_and_verdicts,
    theorem_5_certified_parameters,
)
from slrsym.papers.single_location.planar import C, K
from slrsym.prover.claims.ledger import builtin_ledger
from tests._browser import CHROMIUM
from tests._cli import PAPER, exits, refused, run
from tests._profile import thorough_only

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")

PROBE = """<script>
const asked = ASKED, out = [];
for (const {setting, start, steps} of asked) {
  Object.assign(PORTRAIT.setting, setting);
  const names = ["lambda", "alpha", "d", "gamma"];
  out.push({
    orbit: PORTRAIT.orbit(...start, steps, 0),
    bounds: PORTRAIT.bounds(...names.map((name) => setting[name])),
    separatrix: PORTRAIT.separatrix(),
  });
}
const drawn = document.querySelectorAll("canvas").length;
const found = {out, erf: ARGUMENTS.map(PORTRAIT.erf), drawn};
const shown = document.createElement("pre");
shown.id = "found"; shown.textContent = JSON.stringify(found);
document.body.append(shown);
</script></body>"""


def settings(seed, count=6):
    rng = np.random.default_rng(seed)
    return [
        {
            "setting": {
                "lambda": float(10 ** rng.uniform(-1.5, 0)),
                "alpha": float(10 ** rng.uniform(-2.5, -1)),
                "d": int(rng.integers(3, 500)),
                "gamma": float(rng.uniform(0.3, 1.5)),
            },
            "start": rng.uniform(-1, 1, 2).tolist(),
            "steps": 300,
        }
        for _ in range(count)
    ]


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    asked, arguments = settings(11), np.linspace(-7, 7, 141).tolist()
    probe = PROBE.replace("ASKED", json.dumps(asked)).replace("ARGUMENTS", json.dumps(arguments))
    folder = tmp_path_factory.mktemp("portrait")
    (folder / "page.html").write_text(
        portrait_page_html(SETTING).replace("</body>", probe), encoding="utf-8"
    )
    done = subprocess.run(
        [
            CHROMIUM, "--headless", *(["--no-sandbox"] if os.geteuid() == 0 else []),
            "--disable-gpu", "--disable-extensions", "--no-first-run", "--enable-logging=stderr",
            f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=20000", "--dump-dom",
            f"file://{folder / 'page.html'}",
        ],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []
    result = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    assert result, done.stderr[-2000:]
    return asked, arguments, json.loads(unescape(result[1]))


# The separatrix of the same picture.
@thorough_only
@needs_browser
def test_orbits_are_those_of_simulate(seen):
    asked, _, found = seen
    assert found["drawn"] == 1
    for one, told in zip(asked, found["out"], strict=True):
        given = one["setting"]
        task = single_location.Task(d=given["d"], L=10, gamma=given["gamma"], epsilon=0.1)
        start = np.array([one["start"]])
        runs = single_location.simulate(task, start, given["lambda"], given["alpha"], one["steps"])
        ours = np.stack([runs.kappa.values[0], runs.nu.values[0]], axis=-1)
        assert np.abs(np.array(told["orbit"]) - ours).max() < 1e-9


@needs_browser
def test_the_error_function(seen):
    _, arguments, found = seen
    assert np.abs(np.array(found["erf"]) - erf(arguments)).max() < 1e-14


@needs_browser
def test_the_bounds_are_those_of_the_theorem(seen):
    asked, _, found = seen
    for one, told in zip(asked, found["out"], strict=True):
        given = one["setting"]
        values = {x: given[x.name] for x in K.free_symbols}
        ours = [float(1 / constant.subs(values)) for constant in (K, C)]
        assert told["bounds"] == pytest.approx(ours, rel=1e-12)


@needs_browser
def test_the_separatrix_leads_to_the_saddle(seen):
    asked, _, found = seen
    for one, told in zip(asked, found["out"], strict=True):
        given = one["setting"]
        task = single_location.Task(d=given["d"], L=10, gamma=given["gamma"], epsilon=0.1)
        points = np.array(told["separatrix"])
        # Each point comes from the next, all the way to the first one, which is near the saddle.
        assert np.hypot(*points[1]) == pytest.approx(1e-3)
        runs = single_location.simulate(task, points[2:], given["lambda"], given["alpha"], 1)
        moved = np.stack([runs.kappa.values[:, 1], runs.nu.values[:, 1]], axis=-1)
        assert np.abs(moved - points[1:-1]).max() < 1e-9


def test_the_command(tmp_path):
    out = tmp_path / "one.html"
    exits(run(*PAPER, "portrait", "-o", out, "--lam", "0.3"), 0)
    text = out.read_text()
    assert '"lambda":0.3' in text
    assert not re.search(r"(src|href)=\"(?!data:)", text)
    assert '<div class="recovery">' not in text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["-o", "one.pdf"], "a .html file; got one.pdf"),
        (["-o", "one.html", "--lam", "0"], "0.0 is not positive and finite"),
        (["-o", "one.html", "--sweep", "no.nc"], "there is no file no.nc"),
    ],
)
def test_what_is_refused(arguments, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(run(*PAPER, "portrait", *arguments), told)
    assert list(tmp_path.iterdir()) == []


def test_a_saved_sweep_is_shown(tmp_path):
    file = tmp_path / "sweep.nc"
    options = ["--runs", "20", "--d", "10", "--lam", "1", "--alpha", "0.02", "--steps", "200"]
    assert run(*PAPER, "recovery", *options, "-o", file).exit_code == 0
    out = tmp_path / "one.html"
    asked = [*PAPER, "portrait", "-o", str(out), "--sweep", str(file)]
    assert run(*asked).exit_code == 0
    with xr.open_dataset(file) as data:
        told = sweep_starts_and_verdicts(data)
        assert np.allclose(told["starts"], data.start.values, rtol=1e-5)
        assert told["verdicts"] == data.verdict.values.tolist()
    assert '<div class="recovery">' in out.read_text()
    with pytest.raises(ValueError, match="missing: start, verdict"):
        sweep_starts_and_verdicts(xr.Dataset())


def test_the_certified_step_sizes_are_those_of_the_claim():
    found = theorem_5_certified_parameters()
    claim = builtin_ledger().find("theorem-5-certified")
    assert f"${found['alpha']}$" in claim.title
    assert found == {"lambda": 0.1, "d": 400, "gamma": 0.5**0.5, "alpha": 0.3059}
    assert '"certified":{' in portrait_script(SETTING)
