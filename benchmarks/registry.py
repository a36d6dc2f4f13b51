"""A registry of a million documents: bytes a document, all files together; searching and adding, in CPU time.

``python -m benchmarks.registry --documents 1000000``. The fingerprints are random, as keyed hashes are; ids, dates,
addresses and contacts are made up to look like those of an archive of papers, about 130 bytes a document. What is added
while the clock runs is real text of 30 kB.
"""

import argparse
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import numpy as np

from whorl.model import Document
from whorl.registry.reading import Reading, read
from whorl.registry.registry import BATCH, Registry

# Substrings of a made-up search fingerprint: a few more than are stored, so that there is something to draw from. As
# many as 1,000 would only make the benchmark slower.
SUBSTRINGS = 110

# Searches, and documents of 30 kB, that are timed.
ROUNDS = 200

SYLLABLES = (
    *("ba", "co", "da", "el", "fi", "gu", "ha", "in", "jo", "ka", "le", "mi", "no", "or", "pa", "qui", "ro", "sa"),
    *("te", "ul", "va", "wi", "xe", "yo", "za"),
)
FIELDS = ("astro-ph", "cond-mat", "cs.CL", "cs.DC", "cs.IR", "econ", "hep-th", "math.CO", "physics", "q-bio", "stat.ML")
HOSTS = ["papers.example.org", "eprints.university.example.edu", "reports.cs.institute.example.edu", "www.example.com"]


def word(draw: random.Random, syllables: int) -> str:
    """Return a made-up word."""
    return "".join(draw.choices(SYLLABLES, k=syllables))


def facts(number: int) -> tuple[str, str, str, str]:
    """Return an id, an address, a date and a contact."""
    draw = random.Random(number)
    year, month = 1995 + number % 30, 1 + draw.randrange(12)
    key = f"{year % 100:02}{month:02}.{draw.randrange(100_000):05}v{1 + draw.randrange(3)}"
    title = "-".join(word(draw, draw.randint(1, 4)) for _ in range(4))
    author = random.Random(draw.randrange(200_000))
    contact = f"{word(author, 2)}.{word(author, 3)}@{word(author, 2)}.example.edu"
    field = draw.choice(FIELDS)
    url = f"https://{draw.choice(HOSTS)}/{field}/{year}/{title}-{key}.pdf"
    return f"{field}/{key}-{number}", url, f"{year}-{month:02}-{1 + draw.randrange(28):02}", contact


def readings(count: int, bits: int) -> Iterator[Reading]:
    """Documents with random fingerprints."""
    draw = np.random.default_rng(1996)
    for number in range(count):
        name, url, date, contact = facts(number)
        hashes = np.unique(draw.integers(0, 1 << bits, SUBSTRINGS, dtype=np.uint64))
        yield Reading(Document(name, "", url, date, contact), hashes, int(draw.integers(5_000, 100_000)), ())


def prose(seed: int, length: int = 30_000) -> str:
    """Made-up prose of words that are common in proportion to their rank, as words are."""
    draw = np.random.default_rng(seed)
    words = [word(random.Random(rank), 1 + rank % 4) for rank in range(20_000)]
    ranks = np.minimum(draw.zipf(1.3, length // 4) - 1, len(words) - 1)
    return " ".join(words[rank] for rank in ranks.tolist())[:length]


def filled(registry: Registry, count: int) -> None:
    """Put the documents in, as ``add_all`` does once they are read."""
    batch = list[Reading]()
    for reading in readings(count, registry.scheme.bits or 64):
        batch.append(reading)
        if len(batch) == BATCH:
            registry._writer.add(batch)
            batch.clear()
    if batch:
        registry._writer.add(batch)


def milliseconds(registry: Registry, texts: list[str]) -> str:
    """CPU time of searches, each for the first time and again: the median and the range. The first time checks the
    blocks of the segments that it touches."""
    result = []
    for turn in ("first", "again"):
        taken = []
        for text in texts:
            start = time.process_time()
            registry.search(text, count=False)
            taken.append(1e3 * (time.process_time() - start))
        result.append(f"{turn} {median(taken):.2f} ms ({min(taken):.2f}–{max(taken):.2f})")
    return ", ".join(result)


def main() -> None:
    """Fill a registry, and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    texts = [prose(seed) for seed in range(ROUNDS)]
    raw = sum(len("".join(facts(number)).encode()) for number in range(1000)) / 1000
    print(f"metadata: {raw:.0f} bytes a document, as it is written")
    with (
        tempfile.TemporaryDirectory(dir=asked.folder) as folder,
        Registry.create(Path(folder) / "registry") as registry,
    ):
        start = time.process_time()
        filled(registry, asked.documents)
        print(f"{asked.documents:,} documents, {time.process_time() - start:.0f} CPU s")
        start = time.process_time()
        added = list(registry.add_all(Document(f"new {seed}", text) for seed, text in enumerate(texts)))
        print(f"add: {len(added) / (time.process_time() - start):.0f} documents of 30 kB a CPU second")
        print(f"search: {milliseconds(registry, texts)} with {registry.stats().segments} segments")
        noise = [registry.search(prose(seed), threshold=0.01, count=False).cost for seed in range(1000, 1020)]
        found = sum(cost.candidates for cost in noise) / len(noise)
        share = found / asked.documents
        print(f"accidental one-substring hits: {found:.0f} a search for {noise[0].look_ups}, {share:.6f} × N")
        print(f"bytes a document: {registry.stats().bytes_per_document:.1f} as it stands")
        registry.compact()
        print(f"bytes a document: {registry.stats().bytes_per_document:.1f} compacted")
        print(f"search: {milliseconds(registry, texts)} compacted")
        reading = read(Document("", texts[0]), registry.scheme, registry._key)
        start = time.process_time()
        for _ in range(ROUNDS):
            registry._snapshot.look_up(reading.hashes)
        print(f"of which look-ups: {1e3 * (time.process_time() - start) / ROUNDS:.2f} ms")
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                print(f"  {path.name:20} {path.stat().st_size / asked.documents:8.1f} bytes a document")


if __name__ == "__main__":
    main()
