"""Items of an evaluation set planted in real text: what ``whorl decontaminate`` finds, and what it flags wrongly.

    python -m benchmarks.decontamination TEXTS.jsonl ITEMS.jsonl OTHERS.jsonl [--item question] [--seed 1]

TEXTS are the documents. Half of ITEMS is planted in them: alone (verbatim), between two words of a document (embedded),
embedded with one word in twenty or in ten replaced, and sentences of eight words as items of their own (short). The
other half stays out. OTHERS are similar but independent questions, each embedded in a document: hard negatives, such as
the training half of the same set. A pair of document and item that was not planted is a false positive.
"""

import argparse
import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.processes import cost

WORDS = re.compile(r"[\w'’]+")
SHORT = 8
CLASSES = ("verbatim", "embedded", "one word in 20 edited", "one word in 10 edited", "short")


def texts(path: Path, column: str) -> list[str]:
    return [json.loads(line)[column] for line in path.open(encoding="utf-8")]


def edited(text: str, every: int, words: Sequence[str], random: random.Random) -> str:
    """Return the text with one word in so many replaced."""
    return re.sub(WORDS, lambda word: random.choice(words) if random.randrange(every) == 0 else word[0], text)


def embedded(item: str, document: str, random: random.Random) -> str:
    """Return the item between two words of a document."""
    places = [match.end() for match in WORDS.finditer(document)]
    at = random.choice(places) if places else 0
    return f"{document[:at]} {item} {document[at:]}"


def short_sentences(items: Sequence[str]) -> list[str]:
    """Sentences of eight words that only one item has."""
    sentences = Counter(
        sentence.strip() for item in items for sentence in re.split(r"(?<=[.?!])\s", item)
        if len(WORDS.findall(sentence)) == SHORT
    )  # fmt: skip
    return [sentence for sentence, count in sentences.items() if count == 1]


class Planting:
    """Documents with planted items, and which item is where."""

    def __init__(self, documents: Sequence[str], seed: int) -> None:
        self._random = random.Random(seed)
        self.documents = [{"text": text} for text in documents]
        self._free = list(range(len(documents)))
        self._random.shuffle(self._free)
        self._words = WORDS.findall(" ".join(documents[:200]))
        self.planted: dict[tuple[int, str], str] = {}

    def plant(self, kind: str, identity: str, item: str) -> None:
        """Plant an item in a document of its own."""
        if kind == "verbatim":
            self.documents.append({"text": item})
            self.planted[len(self.documents), identity] = kind
            return
        every = {"one word in 20 edited": 20, "one word in 10 edited": 10}.get(kind)
        if every is not None:
            item = edited(item, every, self._words, self._random)
        self.planted[self._embed(item), identity] = kind

    def distract(self, text: str) -> None:
        """Embed a text that is no item."""
        self._embed(text)

    def _embed(self, text: str) -> int:
        at = self._free.pop()
        self.documents[at]["text"] = embedded(text, self.documents[at]["text"], self._random)
        return at + 1


def run(documents: Path, items: Path, others: Path, column: str, seed: int) -> None:
    """Plant, run the command, and print the figures."""
    questions = texts(items, column)
    planting = Planting(texts(documents, "text"), seed)
    rows = [{"id": f"item-{number}", column: text} for number, text in enumerate(questions)]
    for number, text in enumerate(questions[: len(questions) // 2]):
        planting.plant(CLASSES[number % 4], f"item-{number}", text)
    distractors = texts(others, column)
    for number, sentence in enumerate(short_sentences(distractors)[:400]):
        rows.append({"id": f"short-{number}", column: sentence})
        if number % 2 == 0:
            planting.plant("short", f"short-{number}", sentence)
    known = {row[column] for row in rows if row["id"].startswith("short")}
    independent = [text for text in distractors if not any(sentence in text for sentence in known)]
    for text in independent[: len(planting.documents) // 3]:
        planting.distract(text)
    measure(planting, rows, column, len(independent[: len(planting.documents) // 3]))


def measure(planting: Planting, rows: list[dict[str, str]], column: str, distractors: int) -> None:
    """Run the command and print what it found."""
    with tempfile.TemporaryDirectory() as home:
        corpus, evals, out = Path(home) / "corpus.jsonl", Path(home) / "items.jsonl", Path(home) / "out"
        corpus.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in planting.documents), "utf-8")
        evals.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        program = Path(sys.executable).with_name("whorl")
        command: list[str | Path] = [program, "decontaminate", corpus, "--against", evals, "--item", column, "-o", out]
        spent = cost([*command, "--workers", "1"])
        leaks = pq.read_table(out / "_whorl" / "leaks.parquet").to_pylist()
        size = corpus.stat().st_size / 1e6
    planted, flagged = planting.planted, {(leak["row"], leak["item"]) for leak in leaks}
    counts, hits = Counter(planted.values()), Counter(planted[pair] for pair in flagged & planted.keys())
    right, wrong = sum(hits.values()), [leak for leak in leaks if (leak["row"], leak["item"]) not in planted]
    print(f"{size:.0f} MB, {len(planting.documents):,} documents, {len(rows):,} items, {distractors:,} hard negatives")
    for kind in CLASSES:
        print(f"{kind}: {hits[kind] / max(1, counts[kind]):.3f} of {counts[kind]:,}")
    print(f"precision {right / max(1, len(flagged)):.4f}: {len(flagged) - right:,} of {len(flagged):,} not planted")
    print(f"{spent.cpu:.1f} CPU s, {size / spent.cpu:.1f} MB/s a core, {spent.memory / 1e6:.0f} MB of memory")
    show(wrong, planting, {row["id"]: row[column] for row in rows})


def show(wrong: list[dict[str, Any]], planting: Planting, items: dict[str, str], most: int = 8) -> None:
    """Print some pairs that were not planted."""
    for leak in wrong[:most]:
        span = planting.documents[leak["row"] - 1]["text"][leak["start"] : leak["end"]]
        print(f"  not planted, {leak['score']:.2f}: {span[:140]!r} for {items[leak['item']][:140]!r}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path)
    parser.add_argument("items", type=Path)
    parser.add_argument("others", type=Path)
    parser.add_argument("--item", default="question")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    run(options.texts, options.items, options.others, options.item, options.seed)
