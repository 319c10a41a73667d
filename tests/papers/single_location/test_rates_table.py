"""The benchmark of the rates: bounds of claims hold in random tasks, and lie where they should."""

from tests._benchmarks import benchmark
from tests._profile import nightly_only

rates = benchmark("rates")


@nightly_only
def test_the_bounds_hold_and_are_not_far(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["rates.py", "--settings", "3", "--seed", "7"])
    rates.main()
    _, *rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 3
    for row in rows:
        *_, below, oracle, above, ratio, _, found, excess = map(float, row.split())
        assert below < oracle < above
        assert 1 < ratio < 20
        # The exchanged pair is not always better, but a search that begins there finds no more.
        assert found <= 1.001 * oracle
        assert 1 <= excess < 1.2
