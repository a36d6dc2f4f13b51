"""How the cost of clustering grows: synthetic crawls of 10,000, 100,000 and 1,000,000 documents within one budget.

    python -m benchmarks.scale [--sizes 10000 100000 1000000] [--memory 1G] [--runs FILE] [--write docs/scale.md]

``whorl cluster`` runs as a command of its own: start, reading, clustering and writing are all in it. Measured are CPU
and wall time, and the peak of the memory of all its processes together; the phases are what its summary tells. The
crawls are those of ``experiments.crawl``. Options that this command does not know go to ``whorl cluster``.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import exp, log, log2
from pathlib import Path

from experiments.crawl.pages import Crawl
from experiments.crawl.writing import write

from benchmarks.processes import cost

SIZES = (10_000, 100_000, 1_000_000)

# Clustering these costs nothing but the start of the command.
START = 20

# What is between these in a document is written by this benchmark.
BEGIN, END = "<!-- figures: python -m benchmarks.scale -->", "<!-- end of figures -->"

# The paper's collection, its shingles (600 million kept, one in 25), and its table, in CPU-days, with the beginnings of
# the names of our phases that do the same.
PAPER_DOCUMENTS, PAPER_SHINGLES = 30_000_000, 25 * 600_000_000
PAPER_DAYS = {
    ("sketch", "read"): ("Sketching and Duplicate Elimination", 4.6 + 0.3),
    ("sort",): ("Shingle Merging", 1.7),
    ("count", "pair"): ("ID-ID Pair Formation and Merging", 0.7 + 2.6),
    ("measur", "verif"): ("(the paper takes the estimate)", 0.0),
    ("join", "cluster"): ("Cluster Formation", 0.5),
}
PAPER_TOTAL = 10.5

DAY = 86_400


@dataclass(frozen=True)
class Phase:
    """What the summary tells of a phase. ``bytes`` went to the disk."""

    name: str
    seconds: float
    cpu_seconds: float
    items: int
    bytes: int


@dataclass(frozen=True)
class Run:
    """One size. ``start`` is the CPU time of the command without documents."""

    pages: int
    shingles: int
    size: int
    start: float
    cpu: float
    wall: float
    memory: int
    clusters: int
    in_clusters: int
    pairs: int
    phases: tuple[Phase, ...] = ()

    @property
    def work(self) -> float:
        """CPU seconds beyond the start."""
        return self.cpu - self.start

    @property
    def order(self) -> float:
        """n log n, of documents."""
        return self.pages * log2(self.pages)


def measured(pages: int, memory: str, folder: Path | None, passed: Sequence[str] = ()) -> Run:
    """Write a crawl, cluster it, and tell what that cost; and what the start of the command costs."""
    with tempfile.TemporaryDirectory(dir=folder) as home:
        runs = []
        for count in (START, pages):
            corpus, out = Path(home, f"{count}.jsonl"), Path(home, f"{count}")
            made = write(Crawl(count), corpus)
            whorl = Path(sys.executable).with_name("whorl")
            spent = cost([whorl, "cluster", corpus, "-o", out, "--memory", memory, *passed])
            data = json.loads((out / "summary.json").read_text("utf-8"))
            runs.append((made, spent, data))
    (_, start, _), (made, spent, data) = runs
    return Run(
        pages, data.get("shingles", made.shingles), made.bytes, start.cpu, spent.cpu, spent.wall, spent.memory,
        data["clusters"], data["in_clusters"], data["pairs"], tuple(_phase(each) for each in data.get("phases", ())),
    )  # fmt: skip


def _phase(facts: dict[str, object]) -> Phase:
    """Return a phase of the summary; keys that this benchmark does not know are left out."""
    return Phase(**{name: facts[name] for name in Phase.__dataclass_fields__})  # type: ignore[arg-type]


def table(runs: Sequence[Run]) -> str:
    """A row a size. The fit is one constant for all sizes; a size that is off by +10% took that much longer than it."""
    constant = exp(sum(log(run.work / run.order) for run in runs) / len(runs))
    head = ("documents", "shingles", "text", "CPU", "wall", "peak memory", "CPU a document", "CPU a shingle",
            "off c · n log n", "clusters", "in clusters", "pairs")  # fmt: skip
    rows = [
        (f"{run.pages:,}", f"{run.shingles / 1e6:,.1f} million", f"{run.size / 1e6:,.0f} MB", f"{run.cpu:,.1f} s",
         f"{run.wall:,.1f} s", f"{run.memory / 1e6:,.0f} MB", f"{1e6 * run.work / run.pages:,.0f} µs",
         f"{1e9 * run.work / run.shingles:,.0f} ns", _off(run.work / run.order / constant),
         f"{run.clusters:,}", f"{run.in_clusters / run.pages:.1%}", f"{run.pairs:,}")
        for run in runs
    ]  # fmt: skip
    fit = f"c = {1e9 * constant:,.1f} ns; the start of the command, {runs[-1].start:.2f} s, is taken off."
    return "\n\n".join([_markdown(head, rows), fit, *(_phases(run) for run in runs if run.phases)])


def _off(ratio: float) -> str:
    return f"{round(ratio - 1, 2) + 0.0:+.0%}"  # + 0.0: there is no minus nothing


def _phases(run: Run) -> str:
    head = (f"{run.pages:,} documents", "wall", "CPU", "CPU a document", "items", "to disk")
    rows = [
        (phase.name, f"{phase.seconds:,.1f} s", f"{phase.cpu_seconds:,.1f} s",
         f"{1e6 * phase.cpu_seconds / run.pages:,.1f} µs", f"{phase.items:,}", f"{phase.bytes / 1e6:,.0f} MB")
        for phase in run.phases
    ]  # fmt: skip
    return _markdown(head, rows)


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def derivation(runs: Sequence[Run]) -> str:
    """From the largest size to the paper's collection: each document costs as much more as log n is larger."""
    run = runs[-1]
    growth = log2(PAPER_DOCUMENTS) / log2(run.pages)
    scale = PAPER_DOCUMENTS / run.pages
    hours, wall = (seconds * scale * growth / 3600 for seconds in (run.work, run.wall))
    by_shingle = run.work / run.shingles * PAPER_SHINGLES * growth / 3600
    lines = [
        f"- Time: {1e6 * run.work / run.pages:,.0f} µs a document at {run.pages:,}, times {growth:.2f} for the larger"
        f" logarithm, times {PAPER_DOCUMENTS:,}: **{hours:,.1f} CPU hours, {hours / 24:.2f} CPU-days**,"
        f" {wall:,.1f} hours of this machine. By shingles ({PAPER_SHINGLES / 1e9:.0f} thousand million):"
        f" {by_shingle:,.1f} CPU hours.",
        f"- Beside the paper's {PAPER_TOTAL} CPU-days of 1997: {PAPER_TOTAL * 24 / hours:,.1f} times less.",
        f"- Memory: {_memory(runs)}",
        f"- Disk: {_disk(run)}",
    ]
    return "\n".join(lines) + ("\n\n" + _beside(run, scale * growth) if run.phases else "")


def _memory(runs: Sequence[Run]) -> str:
    """Return what grows with the documents, from the two largest sizes."""
    if len(runs) < 2:
        return f"{runs[-1].memory / 1e6:,.0f} MB at {runs[-1].pages:,} documents."
    small, large = runs[-2:]
    each = max(0.0, (large.memory - small.memory) / (large.pages - small.pages))
    most = (large.memory + each * (PAPER_DOCUMENTS - large.pages)) / 1e9
    return (
        f"{each:,.0f} bytes more for each document between {small.pages:,} and {large.pages:,}; at that,"
        f" {most:,.1f} GB for all, at the most: what first fills the budget and then spills is counted as if it grew."
    )


def _disk(run: Run) -> str:
    written = sum(phase.bytes for phase in run.phases)
    if not written:
        return f"all shingles, 8 bytes each, are {8 * PAPER_SHINGLES / 1e9:,.0f} GB; the run did not tell the rest."
    each = written / run.pages
    return f"{each:,.0f} bytes a document over all phases, {each * PAPER_DOCUMENTS / 1e9:,.0f} GB for all."


def _beside(run: Run, scale: float) -> str:
    """Return the paper's table of phases, and ours scaled."""
    rows, left = [], list(run.phases)
    for names, (title, days) in PAPER_DAYS.items():
        ours = [phase for phase in left if phase.name.lower().startswith(names)]
        left = [phase for phase in left if phase not in ours]
        if ours:
            rows.append(
                (", ".join(phase.name for phase in ours), title, f"{days:.1f}" if days else "", _days(ours, scale))
            )
    rows += [(phase.name, "", "", _days([phase], scale)) for phase in left]
    rows.append(("all, with start and output", "Total", f"{PAPER_TOTAL}", f"{run.work * scale / DAY:.2f}"))
    return _markdown(("phase", "paper's phases", "paper's CPU-days", "CPU-days here"), rows)


def _days(phases: Sequence[Phase], scale: float) -> str:
    return f"{sum(phase.cpu_seconds for phase in phases) * scale / DAY:.2f}"


def put(path: Path, text: str) -> None:
    """Put the figures in their place in a document."""
    before, begin, rest = path.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{path}: the marks {BEGIN} and {END} are wanted, with nothing but figures between them")
    path.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", "utf-8")


def load(path: Path | None) -> dict[int, Run]:
    """Runs that were kept, by size."""
    if path is None or not path.exists():
        return {}
    result = json.loads(path.read_text("utf-8"))
    return {run["pages"]: Run(**{**run, "phases": tuple(map(_phase, run["phases"]))}) for run in result}


def main() -> None:
    """Every size, then the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--memory", default="1G", help="the budget of the command")
    parser.add_argument("--folder", type=Path, help="where crawls and clusters are while they are needed")
    parser.add_argument("--runs", type=Path, help="JSON: sizes that it has are not measured again, others are added")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the figures into this document")
    options, passed = parser.parse_known_args()
    runs = load(options.runs)
    for pages in options.sizes:
        if pages not in runs:
            runs[pages] = measured(pages, options.memory, options.folder, passed)
            if options.runs is not None:
                options.runs.write_text(json.dumps([asdict(run) for run in runs.values()], indent=1) + "\n", "utf-8")
            print(f"{pages:,} documents: {runs[pages].cpu:,.1f} CPU s", file=sys.stderr)
    chosen = [runs[pages] for pages in sorted(options.sizes)]
    text = f"{table(chosen)}\n\n{derivation(chosen)}"
    print(text)
    if options.write is not None:
        put(options.write, text)


if __name__ == "__main__":
    main()
