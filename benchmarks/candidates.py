"""Clustering with very many candidate pairs, in little memory and in much: does CPU depend on it?

    python -m benchmarks.candidates [--documents 60000] [--memory 1G 6G]

No two documents are alike, but each passage of thirty words is in 96 of them: just below what counts as boilerplate, so
each passage proposes thousands of pairs, and all of them are counted and ruled out. The default makes 1.3 GB of text
and 180 million candidates.
"""

import argparse
import json
import random
import sys
import tempfile
from itertools import product
from pathlib import Path

from benchmarks.processes import cost

# Documents that have a passage, the words of it, those behind it, which no other document has there, and passages for
# each document.
SHARED_BY, LENGTH, OWN, PASSAGES = 96, 30, 6, 5 / 6

_SYLLABLES = (
    ("ka", "lo", "mi", "re", "tu", "sen", "par", "dol"),
    ("na", "vi", "so", "ter", "qua", "mel", "bor", "ix"),
    ("", "s", "ed", "ing", "ly", "er", "um", "at", "o", "ia", "ent", "al"),
)


def write(path: Path, documents: int) -> None:
    """Write the corpus."""
    chance, words = random.Random(5), ["".join(parts) for parts in product(*_SYLLABLES)]
    passages = [" ".join(chance.choices(words, k=LENGTH)) for _ in range(round(PASSAGES * documents))]
    held: list[list[int]] = [[] for _ in range(documents)]
    for passage in range(len(passages)):
        for document in chance.sample(range(documents), SHARED_BY):
            held[document].append(passage)
    with path.open("w", encoding="utf-8") as sink:
        for number, mine in enumerate(held):
            chance.shuffle(mine)
            parts = (f"{passages[each]} {' '.join(chance.choices(words, k=OWN))}" for each in mine)
            sink.write(json.dumps({"id": number, "text": ". ".join(parts)}) + "\n")


def main() -> None:
    """Cluster the same corpus with each memory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=60_000)
    parser.add_argument("--memory", nargs="+", default=["1G", "6G"])
    options = parser.parse_args()
    program = Path(sys.executable).with_name("whorl")
    with tempfile.TemporaryDirectory() as home:
        corpus = Path(home, "corpus.jsonl")
        write(corpus, options.documents)
        print(f"{options.documents:,} documents, {corpus.stat().st_size / 1e6:,.0f} MB")
        for memory in options.memory:
            out = Path(home, memory)
            spent = cost([program, "cluster", corpus, "-o", out, "--memory", memory])
            phases = json.loads((out / "summary.json").read_text())["phases"]
            candidates = next(phase["items"] for phase in phases if phase["name"] == "join")
            print(f"{memory}: {spent.cpu:.1f} CPU s, {spent.memory / 1e6:.0f} MB; {candidates:,} candidate pairs")


if __name__ == "__main__":
    main()
