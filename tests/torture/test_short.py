"""A minute of torture: ``make torture`` goes on for hours. See docs/reliability.md."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.torture import shim
from tests.torture.power import Call, Disk

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(shim.compiler() is None, reason="the shim needs Linux and a C compiler")


@pytest.fixture(scope="module")
def tortured() -> subprocess.CompletedProcess[str]:
    """All campaigns in one process: it takes longer to be ready than to do one of them. They take turns, not seconds:
    a slow machine must do as many."""
    command = [sys.executable, "-m", "tests.torture", "--turns", "7"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=900)


@pytest.mark.parametrize("campaign", ["kills", "power cuts", "failing calls", "flips", "interrupts"])
def test_a_little_of_each_campaign(tortured, campaign):
    assert tortured.returncode == 0, tortured.stdout[-6000:] + tortured.stderr[-2000:]
    lines = [json.loads(line) for line in tortured.stdout.splitlines() if line.startswith("{")]
    reports = [report for report in lines if report["campaign"] == campaign]
    assert {report["store"] for report in reports} >= {"index", "registry", "sweep", "service"}
    assert all(report["faults"] == 0 for report in reports)


def test_what_is_not_synced_may_be_lost():
    """Or power cuts without a fault would prove nothing."""
    disk = Disk("/r")
    for call in (Call("o", "/r/a", "", 0, b""), Call("w", "/r/a", "", 0, b"x" * 2000), Call("s", "/r", "", 0, b"")):
        disk.apply(call)
    states = {len(disk.cut(random.Random(seed))["/r/a"] or b"") for seed in range(60)}
    assert {0, 2000} <= states
    disk.apply(Call("s", "/r/a", "", 0, b""))
    assert {len(disk.cut(random.Random(seed))["/r/a"] or b"") for seed in range(60)} == {2000}
