"""What all runners do alike: read the texts, cut shingles, join answers to clusters, write them."""

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

# What the peers' documentation and examples use.
SHINGLE, HASHES = 5, 128


def texts(path: str) -> tuple[list[str], list[str]]:
    """Ids and texts."""
    ids, contents = [], []
    with Path(path).open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            ids.append(row["id"])
            contents.append(row["text"])
    return ids, contents


def shingles(text: str) -> set[str]:
    """Runs of five words in lower case; a text that has fewer words is one shingle."""
    words = text.lower().split()
    if len(words) < SHINGLE:
        return {" ".join(words)}
    return set(map(" ".join, zip(*(words[start:] for start in range(SHINGLE)), strict=False)))


def joined(count: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """For each of ``count`` documents the least of those that pairs join it with, directly or not."""
    parents = list(range(count))

    def root(number: int) -> int:
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    for left, right in pairs:
        one, two = root(left), root(right)
        parents[max(one, two)] = min(one, two)
    return [root(number) for number in range(count)]


def clusters(ids: Sequence[str], roots: Sequence[int]) -> list[list[str]]:
    """Return the ids of each cluster of two or more."""
    groups = defaultdict(list)
    for name, root in zip(ids, roots, strict=True):
        groups[root].append(name)
    return [group for group in groups.values() if len(group) > 1]


def run(found: Callable[[Sequence[str], float], Iterable[tuple[int, int]]]) -> None:
    """The whole of a runner: ``found`` gives pairs of the numbers of texts."""
    source, threshold, out = sys.argv[1:]
    ids, contents = texts(source)
    roots = joined(len(ids), found(contents, float(threshold)))
    Path(out).write_text(json.dumps(clusters(ids, roots)), "utf-8")
