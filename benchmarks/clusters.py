"""From raw text to clusters of near-duplicates, beside datasketch, rensa, gaoya, text-dedup and datatrove.

    python -m benchmarks.clusters pages-100.jsonl pages-300.jsonl [--rounds 3] [--tools whorl gaoya datasketch]

The texts are JSONL with ``id`` and ``text``; ``python -m experiments.corpus FOLDER`` makes them of real pages. Each
tool is a command of its own: start, reading, sketching, clustering and writing of the clusters are all in it. They run
in turns.

``whorl`` is the command ``whorl cluster`` with its defaults on the file, by one worker and by two; ``whorl library`` is
``whorl.cluster`` on the texts in memory, by one. The peers have 128 hashes, shingles of five words, one thread, and the
threshold 0.5 (datatrove, which has no such setting, its own). They are installed into benchmarks/.peers, or into the
folder that the variable WHORL_PEERS names. A ratio above 1 is how many times more CPU seconds the peer takes.
"""

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.clusters_peers.peers import PEERS, ROOT, Peer
from benchmarks.clusters_peers.rows import texts
from benchmarks.processes import Cost, cost, seconds

THRESHOLD = 0.5

# Whorl by two workers, among what is measured.
TWO = "whorl, 2 workers"

# Given a file of texts and a place for what comes out: the command.
Command = Callable[[Path, Path], Sequence[str | Path]]


def whorl(*options: str) -> Command:
    """Return the command, with options."""
    program = Path(sys.executable).with_name("whorl")
    return lambda source, out: [program, "cluster", source.absolute(), "-o", out / "clusters", *options]


def library(source: Path, out: Path) -> Sequence[str | Path]:
    """Return the same by Whorl's library."""
    module = "benchmarks.clusters_peers.with_whorl"
    return [sys.executable, "-m", module, source.absolute(), str(THRESHOLD), out / "clusters.json"]


def commands(names: Sequence[str]) -> tuple[dict[str, Command], list[str]]:
    """Return what is measured, by name, and why a peer is left out that cannot be installed."""
    found: dict[str, Command] = {}
    if "whorl" in names:
        found = {"whorl": whorl("--workers", "1"), TWO: whorl("--workers", "2"), "whorl library": library}
    peers = [PEERS[name] for name in names if name in PEERS]
    reasons = {peer: peer.missing() for peer in peers}
    found |= {f"{peer.name} {peer.version()}": _of(peer) for peer in peers if not reasons[peer]}
    return found, [reason for reason in reasons.values() if reason]


def _of(peer: Peer) -> Command:
    threshold = peer.usual if peer.fixed else THRESHOLD
    return lambda source, out: peer.command(source, threshold, out / "clusters.json")


def measure(source: Path, work: dict[str, Command], rounds: int) -> dict[str, list[Cost]]:
    """Measure all in turns, several times."""
    costs: dict[str, list[Cost]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, command in work.items():
            with tempfile.TemporaryDirectory() as home:
                costs[name].append(cost(command(source, Path(home)), folder=ROOT))
    return costs


@dataclass(frozen=True)
class Speedup:
    """How many times as fast two workers are as one, and how many times as much two runs by one worker do at the same
    time as one after the other: what a second core of this machine is worth to programs that share nothing."""

    workers: float
    runs: float


def speedups(source: Path, rounds: int) -> list[Speedup]:
    """Measure all in turns, without looking at their memory."""
    return [_speedup(source) for _ in range(rounds)]


def _speedup(source: Path) -> Speedup:
    one, two = _took(source, "1"), _took(source, "2")
    return Speedup(one / two, 2 * one / _took(source, "1", "1"))


def _took(source: Path, *workers: str) -> float:
    """Seconds that one run for each of these takes, all at the same time."""
    with tempfile.TemporaryDirectory() as home:
        places = [Path(home, str(number)) for number in range(len(workers))]
        runs = [whorl("--workers", each)(source, place) for each, place in zip(workers, places, strict=True)]
        for place in places:
            place.mkdir()
        return seconds(*runs, folder=ROOT)


def in_words(found: Sequence[Speedup]) -> str:
    """Return the same in words."""
    workers, runs = spread([each.workers for each in found]), spread([each.runs for each in found])
    return (
        f"two workers are {workers} times as fast as one; two runs by one worker each, at the same time, do {runs} "
        "times as much as one"
    )


def spread(values: Sequence[float]) -> str:
    """Return the middle, and the range."""
    return f"{statistics.median(values):.2f} ({min(values):.2f}–{max(values):.2f})"


def row(name: str, costs: Sequence[Cost], ours: Sequence[Cost], size: int) -> str:
    """One tool's figures."""
    cpu, wall = [each.cpu for each in costs], [each.wall for each in costs]
    ratios = [theirs.cpu / own.cpu for theirs, own in zip(costs, ours, strict=True)]
    return (
        f"  {name:20} {statistics.median(cpu):7.2f} CPU s ({min(cpu):.2f}–{max(cpu):.2f}), "
        f"{size / statistics.median(cpu) / 1e6:5.1f} MB a CPU s, {statistics.median(wall):7.2f} s "
        f"({min(wall):.2f}–{max(wall):.2f}), peak {max(each.memory for each in costs) / 1e6:5.0f} MB, "
        f"{statistics.median(ratios):.2f}× ({min(ratios):.2f}–{max(ratios):.2f})"
    )


def main() -> None:
    """One table a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path, nargs="+", help="JSONL with id and text")
    parser.add_argument("--rounds", type=int, default=3)
    known = ["whorl", *PEERS]
    parser.add_argument("--tools", nargs="+", default=["whorl", "gaoya", "rensa", "datasketch"], choices=known)
    parser.add_argument("--json", type=Path, help="write all costs")
    options = parser.parse_args()
    work, reasons = commands(options.tools)
    print(*reasons, sep="\n", end="\n" if reasons else "")
    every = {}
    for source in options.texts:
        contents = texts(str(source))[1]
        size = sum(len(content.encode()) for content in contents)
        print(f"{source.name}: {len(contents):,} texts, {size / 1e6:.1f} MB")
        costs = measure(source, work, options.rounds)
        for name, those in costs.items():
            print(row(name, those, costs.get("whorl", those), size), flush=True)
        if TWO in costs:
            print(f"  {in_words(speedups(source, options.rounds))}")
        every[source.name] = {name: [asdict(each) for each in those] for name, those in costs.items()}
    if options.json is not None:
        options.json.write_text(json.dumps(every, indent=1) + "\n")


if __name__ == "__main__":
    main()
