"""Whorl beside its peers, all in one run, and the page that tells of it.

    python -m benchmarks.peers pages-100.jsonl [--rounds 3] [--page docs/benchmarks.md]

A class of 500 programs beside compare50 and copydetect (and Dolos, if npm is there), a corpus of texts beside gaoya,
rensa and datasketch. Each tool is a command of its own, in a virtual environment of its own; all run in turns. What
cannot be installed is left out, and the page says why. The texts are JSONL with ``id`` and ``text``: ``make corpus``
makes them of real pages.

The tables take the place of what stands between the two marks in the page.
"""

import argparse
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks import clusters, compare
from benchmarks.clusters import spread
from benchmarks.clusters_peers.rows import texts
from benchmarks.processes import Cost
from benchmarks.submissions import sources

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
BEGIN, END = "<!-- peers: written by python -m benchmarks.peers -->\n", "<!-- end of peers -->\n"

OURS = "whorl"


def table(costs: Mapping[str, Sequence[Cost]]) -> list[str]:
    """Return a row a tool, the middle of the rounds and their range."""
    lines = ["| tool | CPU s | wall s | peak memory | times Whorl's CPU |", "|---|---|---|---|---|"]
    for name, those in costs.items():
        ratios = [theirs.cpu / own.cpu for theirs, own in zip(those, costs[OURS], strict=True)]
        times = "" if name == OURS else spread(ratios)
        peak = max(each.memory for each in those) / 1e6
        cpu, wall = ([getattr(each, what) for each in those] for what in ("cpu", "wall"))
        lines.append(f"| {name} | {spread(cpu)} | {statistics.median(wall):.2f} | {peak:.0f} MB | {times} |")
    return lines


def programs(rounds: int) -> list[str]:
    """Return the class of programs."""
    with tempfile.TemporaryDirectory() as home:
        size, work, reasons = compare.commands(Path(home), sources(None), "py")
        costs = compare.measured(work, rounds)
    result = f"{compare.CLASS} programs of Python's standard library, {size / 1e6:.1f} MB, all pairs, {rounds} rounds:"
    return [result, "", *table(costs), "", *reasons]


def pages(source: Path, rounds: int) -> list[str]:
    """Return the corpus."""
    work, reasons = clusters.commands([OURS, "gaoya", "rensa", "datasketch"])
    contents = texts(str(source))[1]
    size = sum(len(content.encode()) for content in contents)
    costs = clusters.measure(source, work, rounds)
    result = f"{len(contents):,} texts, {size / 1e6:.0f} MB, from JSONL to clusters, {rounds} rounds:"
    workers = clusters.in_words(clusters.speedups(source, rounds))
    timed = "Timed without a look at their memory, which would take time from them: "
    return [result, "", *table(costs), "", f"{timed}{workers}.", "", *reasons]


def written(page: str, lines: Sequence[str], begin: str = BEGIN, end: str = END) -> str:
    """Return the page with these lines between its marks."""
    before, mark, rest = page.partition(begin)
    _, closing, after = rest.partition(end)
    if not mark or not closing:
        raise SystemExit(f"the page has no marks {begin.strip()} and {end.strip()}")
    return before + begin + "\n".join(["", *lines]).rstrip() + "\n\n" + end + after


def main() -> None:
    """Both measurements, then the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path, help="JSONL with id and text")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    lines = [*programs(options.rounds), *pages(options.texts, options.rounds)]
    print("\n".join(lines))
    options.page.write_text(written(options.page.read_text("utf-8"), lines), "utf-8")


if __name__ == "__main__":
    main()
