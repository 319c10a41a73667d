"""What the tests share: small files of claims, and how thorough Hypothesis is.

The profile is chosen by ``SLRSYM_HYPOTHESIS_PROFILE`` or ``--hypothesis-profile``. After a run in
dev, ``--beyond-dev`` leaves out of another profile what is the same in both.
"""

import gc
import os
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["pytester"]

# SymPy keeps results, by default a thousand of each of its functions: too few for many tests.
os.environ.setdefault("SYMPY_CACHE_SIZE", "20000")

# Expressions, and trees of source code, are made by the million, and few of them in circles.
gc.set_threshold(50_000, 20, 20)

if os.environ.get("SLRSYM_OWENS_T") == "stub":
    import sympy

    from ._owens_t import owens_t

    if not hasattr(sympy, "owens_t"):
        sympy.owens_t = owens_t

# What is tested is tested, and not shown from an earlier run.
os.environ["SLRSYM_FRESH"] = "1"

# How many examples a cheap test has; a costly one takes a fraction of it (tests/properties).
for _name, _examples, _same in (("dev", 25, True), ("ci", 100, True), ("nightly", 20_000, False)):
    settings.register_profile(
        _name,
        max_examples=_examples,
        # The same examples every time; each night others, which a failure says how to get again.
        derandomize=_same,
        print_blob=not _same,
        # How long an example takes says nothing on a machine that does other things as well.
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile(os.environ.get("SLRSYM_HYPOTHESIS_PROFILE", "dev"))


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Beside the tests, dev tries one step of each claim of the derivations, at one point.

    ``pytest derivations`` alone, ``slrsym verify`` and the other profiles try all steps at all
    points.
    """
    # Not before Hypothesis has read its own option.
    from ._derivations import OneTestForEachClaim
    from ._profile import THOROUGH
    from ._times import ProcessorTime, TestTimes

    if os.environ.get("SLRSYM_TEST_TIMES"):
        config.pluginmanager.register(ProcessorTime())
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(TestTimes())

    if not THOROUGH and getattr(config.option, "slrsym_points", 1) is None:
        config.option.slrsym_points = 1
        config.pluginmanager.register(OneTestForEachClaim())


def pytest_addoption(parser: pytest.Parser) -> None:
    """One option, for a second run."""
    parser.addoption(
        "--beyond-dev",
        action="store_true",
        help="only tests that do more here than in profile dev; by day, of many cases one in three",
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is slow in dev, and after a run in dev what that has shown, and many cases."""
    from ._profile import COLLECTED, beyond_dev, by_day, left_out

    config.stash[COLLECTED] = [item.nodeid for item in items]
    again = config.getoption("--beyond-dev")
    kept = [item for item in items if not left_out(item) and (beyond_dev(item) or not again)]
    if again:
        kept = by_day(kept)
    config.hook.pytest_deselected(items=list(set(items).difference(kept)))
    items[:] = kept


def pytest_report_header() -> str:
    """Say why tests are deselected."""
    profile = os.environ.get("SLRSYM_HYPOTHESIS_PROFILE", "dev")
    return f"profile {profile}: CONTRIBUTING.md lists the others, which have more tests"


def pytest_collection_finish() -> None:
    """What collection has made stays: the collector of garbage need not look at it again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log):
    """Give a file to one process, as its tests share what is costly to make.

    So do the files of a folder with fixtures of a session. Notebooks share nothing, and take half a
    minute each. Files go in the order of collection, in which the short ones of ``derivations`` are
    last.
    """
    from xdist.scheduler import LoadFileScheduling

    here = Path(__file__).parent
    folders = {
        file.parent.relative_to(here.parent).as_posix()
        for file in here.rglob("conftest.py")
        if 'scope="session"' in file.read_text(encoding="utf-8")
    }

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            if file.endswith("test_notebooks.py"):
                return nodeid
            folder = file.rpartition("/")[0]
            return folder if folder in folders else file

    if config.getvalue("dist") != "load":
        return None
    config.option.loadscopereorder = False
    return Scheduling(config, log)


HEADER = """\
from sympy import Eq, Symbol, erf, sin
from slrsym.proof import Claim, algebra, chain, lemma
x = Symbol("x", real=True)
"""


def claim_text(
    id: str, lhs: str = "(x + 1)**2", rhs: str = "x**2 + 2*x + 1", by: str = "algebra"
) -> str:
    """The text of a claim with a proof of one step."""
    name = id.replace("-", "_")
    return dedent(f'''
        {name} = Claim(id="{id}", statement=Eq({lhs}, {rhs}, evaluate=False), source="test")
        @{name}.proof
        def _(goal):
            """In one step."""
            return chain(goal.lhs).then(goal.rhs, by={by})
    ''')


@pytest.fixture(scope="session")
def ledger():
    """The claims that come with the package."""
    from slrsym import ledger

    return ledger()


@pytest.fixture
def derivation(tmp_path):
    """Writes a file of claims below a fresh folder, and returns its path."""

    def write(name: str, *claims: str, header: str = HEADER) -> Path:
        file = tmp_path / "derivations" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(header + "".join(claims), encoding="utf-8")
        return file

    return write
