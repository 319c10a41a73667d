"""The benchmark of the noise floor: its table, and that it tells derived values from others."""

import re

from tests._benchmarks import benchmark
from tests._profile import nightly_only

floor = benchmark("committee_floor")
ROW = re.compile(r"(\d)\s+([\d.]+) \+- ([\d.]+)\s+([\d.]+)\s+([-+][\d.]+) s\.e\.\s+([\d.]+)")


@nightly_only
def test_sampled_floors_are_the_derived_ones(capsys):
    floor.main(["--d", "400", "--runs", "8", "--surplus", "0", "1"])
    rows = ROW.findall(capsys.readouterr().out)
    assert [int(L) for L, *_ in rows] == [0, 1]
    for _, sampled, error, derived, off, order in rows:
        assert abs(float(off)) < 4
        assert abs(float(sampled) - float(derived)) < 4.1 * float(error)
        # At this learning rate the first order alone is far off.
        assert float(sampled) - float(order) > 10 * float(error)
