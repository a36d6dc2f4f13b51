"""Repeated passages of a corpus: ``whorl dedup --unit passage`` against a suffix array of the same text.

    python -m benchmarks.cleaning TEXTS.jsonl [--tokens 50]

The texts are JSONL with ``text``. The suffix array is sorted by prefix doubling (Manber and Myers, 1993) up to the
length of a passage, on the words themselves instead of hashes: two windows have the same rank if and only if they are
equal. Recall is the share of its repeated words that Whorl cuts; precision the share of Whorl's cuts that are repeated.
Whorl runs with one worker and with two, which must write the same bytes.

    python -m benchmarks.cleaning TEXTS.jsonl --peer [--rounds 3]

marks the passages with Whorl and with Dolma's Bloom filter in turn, each in one process, on the same compressed file.

    python -m benchmarks.cleaning TEXTS.jsonl --grow 10000 [--memory 1G]

makes a corpus of so many MB of the same texts and cleans it with one worker: CPU and peak memory. Every copy of the
texts but the first has a mark in one word of nine, so that its passages are new; one document in four is verbatim.
"""

import argparse
import gzip
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.environments import ROOT, Environment
from benchmarks.processes import Cost, cost
from whorl.formats.text import TextFrontend

Numbers = NDArray[np.int64]


def ranked(left: Numbers, right: Numbers) -> Numbers:
    """Return the rank of each pair among all pairs."""
    order = np.lexsort((right, left))
    is_new = np.append(False, (np.diff(left[order]) != 0) | (np.diff(right[order]) != 0))
    ranks = np.empty(len(left), np.int64)
    ranks[order] = np.cumsum(is_new)
    return ranks


def ranks(tokens: Numbers, length: int) -> Numbers:
    """Return the rank of the window of so many tokens at each position, as far as windows go."""
    depth, rank = 1, tokens
    while 2 * depth <= length:
        rank = ranked(rank[:-depth], rank[depth:])
        depth *= 2
    rest = length - depth
    return ranked(rank[: len(rank) - rest], rank[rest:]) if rest else rank


def repeated(texts: Sequence[str], length: int) -> list[NDArray[np.bool_]]:
    """Return which words of each text are in a window that occurred before, by the suffix array."""
    front = TextFrontend("words")
    words = [front.stream(text).symbols for text in texts]
    _, numbers = np.unique(np.concatenate(words), return_inverse=True)
    bounds = np.cumsum([0, *map(len, words)])
    # Between two texts stands a number of its own, so that no window across it is equal to another.
    separated = np.insert(numbers + len(words), bounds[1:], np.arange(len(words)))
    rank = ranks(separated, length)
    order = np.argsort(rank, kind="stable")
    is_repeat = np.zeros(len(separated), np.int64)
    is_repeat[order[1:]] = rank[order][1:] == rank[order][:-1]
    reach = np.cumsum(np.append(0, is_repeat))
    inside = reach[1:] - reach[np.maximum(np.arange(len(separated)) - length + 1, 0)] > 0
    starts = bounds[:-1] + np.arange(len(words))
    return [inside[start : start + len(text)] for start, text in zip(starts.tolist(), words, strict=True)]


def cut(texts: Sequence[str], folder: Path) -> list[NDArray[np.bool_]]:
    """Return which words Whorl cut."""
    front = TextFrontend("words")
    streams = [front.stream(text) for text in texts]
    words = [np.zeros(len(stream.symbols), np.bool_) for stream in streams]
    for row in pq.read_table(folder / "_whorl" / "passages.parquet").to_pylist():
        stream = streams[row["row"] - 1]
        first, last = np.searchsorted(stream.starts, row["start"]), np.searchsorted(stream.ends, row["end"], "right")
        words[row["row"] - 1][first:last] = True
    return words


def run(source: Path, tokens: int) -> None:
    """Print the figures of both."""
    texts = [json.loads(line)["text"] for line in source.open(encoding="utf-8")]
    size = sum(len(text.encode()) for text in texts)
    program = Path(sys.executable).with_name("whorl")
    with tempfile.TemporaryDirectory() as home:
        folders = [Path(home) / "1", Path(home) / "2"]
        costs = [
            cost(
                [
                    program,
                    "dedup",
                    source,
                    "-o",
                    out,
                    "--unit",
                    "passage",
                    "--tokens",
                    str(tokens),
                    "--workers",
                    out.name,
                ]
            )
            for out in folders
        ]
        written = [(out / source.name).read_bytes() for out in folders]
        by_whorl = np.concatenate(cut(texts, folders[0]))
    started = time.process_time()
    by_array = np.concatenate(repeated(texts, tokens))
    seconds, both = time.process_time() - started, int((by_whorl & by_array).sum())
    print(f"{size / 1e6:.0f} MB of text, {len(texts):,} documents, {len(by_array):,} words")
    print(f"repeated words: {int(by_array.sum()):,} by the suffix array, {int(by_whorl.sum()):,} cut by Whorl")
    print(f"recall {both / max(1, by_array.sum()):.6f}, precision {both / max(1, by_whorl.sum()):.6f}")
    print(f"the same bytes by one and two workers: {written[0] == written[1]}")
    for workers, each in enumerate(costs, 1):
        print(f"whorl, {workers} worker{'s' * (workers > 1)}: {each.cpu:.1f} CPU s, {each.memory / 1e6:.0f} MB")
    print(f"suffix array in NumPy: {seconds:.1f} CPU s")


def run_peer(source: Path, tokens: int, rounds: int) -> None:
    """Print the cost of marking repeats by Whorl and by Dolma's Bloom filter, in turn."""
    peer, program = Environment("dolma", "--no-deps dolma"), Path(sys.executable).with_name("whorl")
    if missing := peer.missing():
        raise SystemExit(missing)
    spent: dict[str, list[Cost]] = {"whorl": [], f"dolma {peer.version()}": []}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as home:
            packed = Path(home, "documents", "texts.jsonl.gz")
            packed.parent.mkdir()
            with source.open(encoding="utf-8") as rows, gzip.open(packed, "wt", 1, encoding="utf-8") as sink:
                for number, row in enumerate(rows):
                    sink.write(json.dumps({"id": str(number), "source": "", "text": json.loads(row)["text"]}) + "\n")
            marking: list[str | Path] = [
                program,
                "dedup",
                packed,
                "-o",
                Path(home, "marks"),
                "--unit",
                "passage",
                "--mark",
            ]
            commands: list[list[str | Path]] = [
                [*marking, "--tokens", str(tokens), "--workers", "1"],
                [peer.python, ROOT / "benchmarks" / "with_dolma.py", Path(home), str(tokens)],
            ]
            for costs, command in zip(spent.values(), commands, strict=True):
                costs.append(cost(command))
    for name, costs in spent.items():
        seconds = sorted(each.cpu for each in costs)
        print(f"{name}: {median(seconds):.1f} CPU s ({seconds[0]:.1f} to {seconds[-1]:.1f}), "
              f"{max(each.memory for each in costs) / 1e6:.0f} MB")  # fmt: skip


def grown(source: Path, target: Path, size: int) -> None:
    """Write so many bytes of copies of the texts."""
    written = copy = 0
    with target.open("w", encoding="utf-8") as sink:
        while written < size:
            with source.open(encoding="utf-8") as lines:
                for number, line in enumerate(lines):
                    text = json.loads(line)["text"]
                    if copy and number % 4:
                        words = text.split(" ")
                        words[::9] = [f"{word}q{copy}" for word in words[::9]]
                        text = " ".join(words)
                    row = json.dumps({"text": text}, ensure_ascii=False) + "\n"
                    sink.write(row)
                    written += len(row.encode())
                    if written >= size:
                        break
            copy += 1


def run_grown(source: Path, tokens: int, megabytes: int, memory: str) -> None:
    """Print what a large corpus costs."""
    program = Path(sys.executable).with_name("whorl")
    with tempfile.TemporaryDirectory() as home:
        corpus, out = Path(home) / "corpus.jsonl", Path(home) / "out"
        grown(source, corpus, megabytes * 10**6)
        command: list[str | Path] = [program, "dedup", corpus, "-o", out, "--unit", "passage", "--tokens", str(tokens)]
        spent = cost([*command, "--memory", memory, "--workers", "1"])
        report = json.loads((out / "_whorl" / "report.json").read_text())
    print(f"{megabytes:,} MB, {report['documents']:,} documents, {report['kinds']['passage']:,} passages cut")
    print(f"{spent.cpu:.0f} CPU s, {spent.memory / 1e6:.0f} MB of memory")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--tokens", type=int, default=50)
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--grow", type=int, metavar="MB")
    parser.add_argument("--memory", default="1G")
    options = parser.parse_args()
    if options.peer:
        run_peer(options.texts, options.tokens, options.rounds)
    elif options.grow:
        run_grown(options.texts, options.tokens, options.grow, options.memory)
    else:
        run(options.texts, options.tokens)
