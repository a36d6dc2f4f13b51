"""Adding to an index and asking it: a durable add, a search in a warm process, and the whole command.

    python -m benchmarks.search [--documents 1000000] [--each 20]

The index is filled with documents that have synthetic postings, ``--each`` of them a document; texts are kept for the
ones that are found. What is asked for is 20 kB of English, of which some passages were registered.
"""

import argparse
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import whorl
from benchmarks.corpus import english
from benchmarks.processes import cost
from whorl.index.prepare import TEXT, prepare
from whorl.index.store import COLUMNS, Entry
from whorl.model import Document
from whorl.storage.checksums import seal
from whorl.storage.database import LAST_DOCUMENT, LAST_SEGMENT
from whorl.storage.postings import Postings
from whorl.storage.segment_writer import write_segment

QUERY = 20_000
ROUNDS = 20


def fill(index: whorl.Index, documents: int, each: int) -> None:
    """Documents with random postings, written as a flush would have written them, in one commit."""
    chance = np.random.default_rng(1)
    numbers = np.repeat(np.arange(1, documents + 1, dtype=np.uint32), each)
    hashes = chance.integers(0, 2**64, len(numbers), np.uint64)
    places = chance.integers(0, 2**17, len(numbers), np.uint32)
    row = Postings(hashes, numbers, places).in_order()
    folder, store = index.folder / "segments", index._store
    write_segment(
        folder / "00000001.segment", [row], expected=len(row), documents=(1, documents), scheme=index.scheme.id,
        key=index.scheme.key,
    )  # fmt: skip
    total = 0
    marks = ", ".join("?" * (len(COLUMNS) + 1))
    with store.transaction():
        store.swap_segments([], "00000001.segment", len(row))
        for number in range(1, documents + 1):
            values = _entry(number, each).row()
            total ^= values[-1]
            store._connection.sqlite.execute(f"INSERT INTO documents VALUES ({marks})", values)
        for name, count, summed in (
            ("documents", documents, total),
            (LAST_DOCUMENT, documents, 0),
            (LAST_SEGMENT, 1, 0),
        ):
            store._connection.sqlite.execute(
                "UPDATE totals SET count = ?, sum = ?, seal = ? WHERE name = ?",
                (count, summed, seal(name, count, summed), name),
            )


def _entry(number: int, each: int) -> Entry:
    return Entry(
        number, f"document-{number}", b"", "text", 10 * each, each, False, None, None, None, f"owner-{number}", (), ""
    )


def durable_add(index: whorl.Index) -> None:
    """A document of 2,000 fingerprints, beyond reading it."""
    cpu, written = [], []
    for number in range(ROUNDS):
        document = Document(f"added-{number}", english(39_000, seed=100 + number))
        ready = prepare(document, index.scheme, index._key, sanctioned=False, kind=TEXT)
        before, start = resource.getrusage(resource.RUSAGE_SELF).ru_oublock, time.process_time()
        index._put([ready])
        cpu.append(1000 * (time.process_time() - start))
        written.append((resource.getrusage(resource.RUSAGE_SELF).ru_oublock - before) * 512)
    print(
        f"durable add of {ready.fingerprints:,} fingerprints: {statistics.median(cpu):.2f} ms CPU "
        f"({min(cpu):.2f}–{max(cpu):.2f}), {statistics.median(written) / 1000:.0f} kB written"
    )


def warm(name: str, ask: Callable[[], object]) -> None:
    """A search in a process that has searched before."""
    ask()
    wall = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        ask()
        wall.append(1000 * (time.perf_counter() - start))
    print(f"{name}: {statistics.median(wall):.1f} ms ({min(wall):.1f}–{max(wall):.1f})")


def main() -> None:
    """Fill, add, ask."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--each", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "index"
        query = english(QUERY, seed=7)
        (Path(home) / "query.txt").write_text(query)
        with whorl.Index.create(folder, "text") as index:
            fill(index, options.documents, options.each)
            index.add(Document("source", english(60_000, seed=8) + query[5000:9000] + english(60_000, seed=9)))
            durable_add(index)
            index.flush()
            print(index.stats())
            warm("warm search with passages", lambda: index.search(query))
            warm("warm search, ranking only", lambda: index.search(query, passages=False))
        program = Path(sys.executable).with_name("whorl")
        command: list[str | Path] = [program, "search", folder, Path(home) / "query.txt", "--format", "json"]
        runs = [cost(command) for _ in range(5)]
        walls = sorted(1000 * run.wall for run in runs)
        print(f"whorl search, start included: {walls[2]:.0f} ms wall ({walls[0]:.0f}–{walls[-1]:.0f})")


if __name__ == "__main__":
    main()
