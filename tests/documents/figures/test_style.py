"""How figures are written, and that nothing in them overlaps."""

import subprocess
import sys
from itertools import combinations

import matplotlib as mpl
import pytest
from matplotlib.colors import to_rgb
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.text import Text

from slrsym.documents import figures
from slrsym.documents.figures import draw, recipe
from slrsym.documents.figures.style import figure_style_context, save_figure
from slrsym.papers.committee.figure_entries import FIGURES as COMMITTEE
from slrsym.papers.single_location import Task, simulate
from slrsym.papers.single_location.figures.square import trajectories_figure
from slrsym.papers.single_location.probing import Projections
from tests._profile import THOROUGH, more, thorough_only

STARTS = {"pdf": b"%PDF", "png": b"\x89PNG", "svg": b"<?xml"}


@pytest.fixture(scope="module")
def drawn(request):
    """Figures by name; dev has lines, a picture and a portrait, whose data take no training."""
    path = simulate(Task(400, 10, 0.5**0.5), [[0.2, -0.5]], 0.1, 4e-3, 50)
    makers = {
        "1": lambda: get("probes"),
        "2": lambda: Projections().compute(),
        "3": lambda: get("risks"),
        "4a": lambda: get("runs"),
        "4b": lambda: get("on_manifold"),
        "5": lambda: get("sampled"),
        "6": lambda: get("square"),
        "7a": lambda: get("runs"),
        "7b": lambda: get("runs"),
        "8": lambda: get("layers")["8"],
        "9": lambda: get("heads"),
        "10": lambda: get("layers")["10"],
        "basins": lambda: get("basins"),
        **{name: lambda name=name: get("committee")[name][1] for name in COMMITTEE},
    }
    get = request.getfixturevalue
    assert tuple(makers) == figures.figure_names()
    chosen = makers if THOROUGH else ("3", "6")
    return {name: draw(name, makers[name]()) for name in chosen} | {
        "planar": trajectories_figure(path, get("square"))
    }


def words(figure):
    """All texts that are seen but those of ticks, with the rectangles that they take."""
    with figure_style_context():
        figure.draw_without_rendering()
        ticks = {
            label
            for axes in figure.axes
            for axis in (axes.xaxis, axes.yaxis)
            for label in axis.get_ticklabels(which="both")
        }
        return [
            (text.get_text(), text.get_window_extent())
            for text in figure.findobj(Text)
            if text.get_visible() and text.get_text().strip() and text not in ticks
        ]


@pytest.fixture(scope="module")
def texts(drawn):
    return {name: words(figure) for name, figure in drawn.items()}


@more
def test_no_words_overlap(texts):
    for name, found in texts.items():
        assert len(found) >= 4
        for (one, here), (other, there) in combinations(found, 2):
            assert not here.overlaps(there), (name, one, other)


@more
def test_all_words_are_on_the_page(drawn, texts):
    for name, figure in drawn.items():
        for text, box in texts[name]:
            inside = figure.bbox.x0 <= box.x0 <= box.x1 <= figure.bbox.x1
            assert inside, (name, text)
            assert figure.bbox.y0 <= box.y0 <= box.y1 <= figure.bbox.y1, (name, text)


@more
def test_figures_fit_a_page_and_are_readable_in_print(drawn):
    for figure in drawn.values():
        assert 4 <= figure.get_figwidth() <= 6.5
        sizes = [t.get_fontsize() for t in figure.findobj(Text) if t.get_text().strip()]
        assert min(sizes) >= 8.9


def looks(handle):
    """What is seen in grey of a line of a legend, where colours but white are alike."""
    line = handle[0] if isinstance(handle, tuple) else handle
    if not isinstance(line, Line2D):
        return handle
    is_white = min(to_rgb(line.get_markerfacecolor())) > 0.9
    return (str(line._unscaled_dash_pattern), line.get_linestyle(), line.get_marker(), is_white)


@more
def test_lines_of_a_legend_are_told_apart_in_grey(drawn):
    # The colours of 7b say where a run ends, which its height says, too.
    for name, figure in ((n, f) for n, f in drawn.items() if n != "7b"):
        for owner in (*figure.axes, figure):
            given = [x for x in owner.get_children() if isinstance(x, Legend)]
            for legend in given:
                seen = [looks(handle) for handle in legend.legend_handles]
                assert len(set(seen)) == len(seen), (name, [t.get_text() for t in legend.texts])


@thorough_only
@pytest.mark.parametrize("form", figures.FORMATS)
def test_files(tmp_path, risks, form):
    file = tmp_path / f"figure.{form}"
    save_figure(draw("3", risks), file)
    first = file.read_bytes()
    assert first.startswith(STARTS[form])
    # No dates, no random names: the same data are the same file.
    save_figure(draw("3", risks), file, form)
    assert file.read_bytes() == first
    assert [f.name for f in tmp_path.iterdir()] == [file.name]


@thorough_only
def test_a_failed_write_leaves_the_old_file(tmp_path, drawn, monkeypatch):
    file = tmp_path / "figure.pdf"
    file.write_text("old")

    def fail(self, content):
        self.write_text("half")
        raise OSError("disk full")

    monkeypatch.setattr("pathlib.Path.write_bytes", fail)
    with pytest.raises(OSError, match="disk full"):
        save_figure(drawn["3"], file)
    assert file.read_text() == "old"
    assert [f.name for f in tmp_path.iterdir()] == ["figure.pdf"]


def test_other_formats_are_refused(tmp_path, drawn):
    with pytest.raises(ValueError, match="format must be one of pdf, png, svg; got 'gif'"):
        save_figure(drawn["3"], tmp_path / "figure.gif")
    assert not list(tmp_path.iterdir())


@thorough_only
def test_settings_of_matplotlib_stay_as_they_are(risks, tmp_path):
    before = dict(mpl.rcParams)
    save_figure(draw("3", risks), tmp_path / "figure.pdf")
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("name", ["11", "7", ""])
def test_unknown_figures(name, risks):
    for act in (recipe, lambda name: draw(name, risks)):
        with pytest.raises(
            ValueError, match=r"a figure must be one of 1, 2, 3, 4a, .* 10, basins, .*; got"
        ):
            act(name)


@thorough_only
def test_no_window_and_no_state_of_pyplot(tmp_path, square):
    square.to_netcdf(tmp_path / "square.nc", engine="scipy")
    code = (
        "import sys, slrsym.documents.figures as f\n"
        "'matplotlib' in sys.modules and sys.exit('heavy')\n"
        "import xarray\n"
        "f.draw('6', xarray.load_dataset(sys.argv[1], engine='scipy'))\n"
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "square.nc")]
    assert subprocess.run(command, check=False).returncode == 0
