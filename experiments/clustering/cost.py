"""Status: processing time of the phases, in the form of the paper's table."""

from experiments.clustering.crawled import clustered, documents
from experiments.reproduction.record import Section, Table
from experiments.reproduction.setting import Setting, paper

NUMBERS: dict[str, float] = paper("clustering")["cost"]
DOCUMENTS: int = paper("clustering")["crawl"]["documents"]

# The paper's operations, and the phase of ours that does them.
OPERATIONS = {
    "Sketching": ("sketch", "YES"),
    "Duplicate Elimination": ("", ""),
    "Shingle Merging": ("sort", "YES"),
    "ID-ID Pair Formation": ("count pairs", ""),
    "ID-ID Merging": ("", "YES"),
    "Cluster Formation": ("join", ""),
}

MICROSECONDS = 1e6
DAY = 86_400


def section(setting: Setting) -> Section:
    """CPU time for each document."""
    phases = {phase.name: phase.cpu_seconds for phase in clustered(setting).phases}
    count, total, theirs = len(documents(setting)), sum(phases.values()), sum(NUMBERS.values())
    rows = []
    for name, days in NUMBERS.items():
        phase, parallel = OPERATIONS[name]
        ours = phases.get(phase)
        rows.append((
            name, f"{days}", f"{days / theirs:.0%}", f"{days * DAY / DOCUMENTS * MICROSECONDS:,.0f}", parallel,
            f"{ours / count * MICROSECONDS:,.0f}" if ours is not None else "in the one above",
            f"{ours / total:.0%}" if ours is not None else "",
        ))  # fmt: skip
    rows.append((
        "Total", f"{theirs:.1f}", "", f"{theirs * DAY / DOCUMENTS * MICROSECONDS:,.0f}", "",
        f"{total / count * MICROSECONDS:,.0f}", "",
    ))  # fmt: skip
    head = ("Phase", "paper: CPU-days", "share", "µs a document", "Parallelizable", "ours: µs a document", "share")
    note = "This table contains times, which differ between runs and machines. No claim depends on it."
    return Section(
        "Status: time per phase",
        "The clustering of 30 million documents took about 10.5 CPU-days, of which sketching was 4.6.",
        f"{count:,} documents on one machine of today. Finding duplicates is part of our first phase, and pairs are "
        "counted as they are formed.",
        [Table("Processing time", head, rows, note, is_cost=True)],
    )
