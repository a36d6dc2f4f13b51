"""Status: sizes of sketches and of what the phases leave, for each document."""

from dataclasses import dataclass

import whorl
from experiments.clustering.crawled import clustered, documents
from experiments.reproduction.record import Finding, Section, Table
from experiments.reproduction.setting import Setting, paper

NUMBERS, CRAWL = paper("clustering")["sizes"], paper("clustering")["crawl"]

# Documents whose sketches are measured: enough for two digits of a mean.
SAMPLE = 2000

# The paper's sketch is one shingle in 25, so it has that share of them but for chance.
CLOSE = 0.1


@dataclass(frozen=True)
class Sketches:
    """Means of a document: bytes of text, different shingles, hashes in the paper's sketch, and its bytes on disk."""

    text: float
    shingles: float
    kept: float
    bytes: float


def measure(those: tuple[whorl.Document, ...]) -> Sketches:
    """Of the first documents."""
    some = those[:SAMPLE]
    full = [len(whorl.sketch(document, "mod", 1, "web")) for document in some]
    sketches = [whorl.sketch(document, "mod", CRAWL["one_in"], "web") for document in some]
    count = len(some)
    return Sketches(
        sum(len(str(document.content).encode()) for document in some) / count, sum(full) / count,
        sum(map(len, sketches)) / count, sum(len(sketch.to_bytes()) for sketch in sketches) / count,
    )  # fmt: skip


def section(setting: Setting) -> Section:
    """For each document, the paper's and ours."""
    found, phases = measure(documents(setting)), {phase.name: phase for phase in clustered(setting).phases}
    count = len(documents(setting))
    all_of = CRAWL["documents"]
    kept = NUMBERS["shingles"] / all_of
    rows = [
        ("text (the paper: HTML)", f"{CRAWL['bytes'] / all_of:,.0f}", f"{found.text:,.0f}"),
        ("different shingles (the paper: kept × 25)", f"{25 * kept:,.0f}", f"{found.shingles:,.0f}"),
        ("shingles kept, one in 25", f"{kept:.0f}", f"{found.kept:.1f}"),
        ("bytes of the sketch", f"{NUMBERS['sketches'] / all_of:.0f}", f"{found.bytes:.0f}"),
        ("bytes of <shingle, ID> pairs", f"{NUMBERS['postings'] / all_of:.0f}", f"{phases['sort'].bytes / count:.0f}"),
        ("bytes of <ID, ID, count> triples", f"{NUMBERS['pairs'] / all_of:.0f}",
         f"{phases['count pairs'].bytes / count:.0f}"),
    ]  # fmt: skip
    return Section(
        "Status: sizes",
        "10-word shingles of 40 bits, one in 25 kept: 600 million shingles in 3 GB, 5.5 GB with document IDs, 20 GB "
        "of <ID, ID, count> triples at the most and 6 GB at the end.",
        "Our hashes have 64 bits, IDs 32. The clustering keeps one shingle in 16, at least 32 a document, so its "
        f"lists are longer than the paper's; sketches of one in 25 are made beside it, of {min(count, SAMPLE):,} "
        "documents.",
        [Table("For each document", ("", "paper", "ours"), rows)],
        findings=[
            Finding("a sketch has one shingle in 25", f"{kept:.0f} of {25 * kept:.0f}",
                    f"{found.kept:.1f} of {found.shingles:.0f}",
                    abs(found.kept * CRAWL["one_in"] / found.shingles - 1) <= CLOSE),
            Finding("and takes a few hundred bytes, a small part of the document",
                    f"{NUMBERS['sketches'] / CRAWL['bytes']:.0%}",
                    f"{found.bytes:.0f} bytes, {found.bytes / found.text:.0%}",
                    found.bytes < 800 and found.bytes < 0.2 * found.text),
        ],
    )  # fmt: skip
