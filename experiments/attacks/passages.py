"""Passages of public-domain books with synthetic edits: how much of them is found, and whether unrelated text has any.

    .venv/bin/python -m experiments.attacks.passages book.txt other.txt ... [--pairs 1000] [--seed 1]

A passage of 150 words of one book is edited and put between 1,000 words of another; it is compared with the pages of
the first book round it. F1 is by characters of both sides. Unrelated are excerpts of 800 words of two books.
"""

import argparse
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import whorl
from whorl.matching.passage import Passage

# Words of a passage, of what stands before it and behind it, and of an excerpt.
PASSAGE, AROUND, EXCERPT = 150, 500, 800

# The share of words that are edited, and the passages that are drawn for each.
SHARES, DRAWN = (0.0, 0.1, 0.3), 40

# Words at the ends of a book that are its publisher's.
EDGE = 3000


@dataclass(frozen=True, slots=True)
class Case:
    """Two texts, and the span of the passage in each."""

    texts: tuple[str, str]
    spans: tuple[tuple[int, int], tuple[int, int]]


def words_of(path: Path) -> list[str]:
    """Return the words of a book with their punctuation, without its first and last pages."""
    return re.findall(r"\S+", path.read_text("utf-8", "replace"))[EDGE:-EDGE]


def excerpt(book: Sequence[str], size: int, chance: random.Random) -> list[str]:
    """So many consecutive words of a book."""
    at = chance.randrange(len(book) - size)
    return list(book[at : at + size])


def edited(passage: Sequence[str], share: float, book: Sequence[str], chance: random.Random) -> list[str]:
    """Return a share of the words replaced by others of the book, dropped, or with another put behind them."""
    found: list[str] = []
    for word in passage:
        kind = chance.choice(("replaced", "replaced", "dropped", "added")) if chance.random() < share else ""
        found += {"": [word], "replaced": [chance.choice(book)], "dropped": []}.get(kind, [word, chance.choice(book)])
    return found


def case(books: Sequence[Sequence[str]], share: float, chance: random.Random) -> Case:
    """Return a passage of one book in another."""
    one, two = chance.sample(books, 2)
    left = excerpt(one, PASSAGE + 2 * AROUND, chance)
    passage = left[AROUND : AROUND + PASSAGE]
    right = excerpt(two, 2 * AROUND, chance)
    sides = [
        _placed(left[:AROUND], passage, left[AROUND + PASSAGE :]),
        _placed(right[:AROUND], edited(passage, share, one, chance), right[AROUND:]),
    ]
    return Case((sides[0][0], sides[1][0]), (sides[0][1], sides[1][1]))


def _placed(before: Sequence[str], passage: Sequence[str], after: Sequence[str]) -> tuple[str, tuple[int, int]]:
    start = len(" ".join(before)) + 1
    return " ".join((*before, *passage, *after)), (start, start + len(" ".join(passage)))


def f1(cases: Sequence[Case], *, deep: bool) -> float:
    """Return the harmonic mean of precision and recall, by characters."""
    both = found = wanted = 0
    for each in cases:
        passages = whorl.compare(*each.texts, deep=deep).passages
        for number, (start, end) in enumerate(each.spans):
            marked = {place for passage in passages for place in range(*_span(passage, number))}
            both += sum(start <= place < end for place in marked)
            found += len(marked)
            wanted += end - start
    return 2 * both / (found + wanted)


def _span(passage: Passage, number: int) -> tuple[int, int]:
    side = passage.right if number else passage.left
    return side.start, side.end


def unrelated(books: Sequence[Sequence[str]], pairs: int, chance: random.Random, *, deep: bool) -> int:
    """Return how many of so many pairs of excerpts of two books have a passage."""
    count = 0
    for _ in range(pairs):
        one, two = (" ".join(excerpt(book, EXCERPT, chance)) for book in chance.sample(books, 2))
        count += bool(whorl.compare(one, two, deep=deep).passages)
    return count


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("books", type=Path, nargs="+", help="plain text, two books at least")
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    books = [words_of(path) for path in options.books]
    print("words changed   plain    deep")
    for share in SHARES:
        chance = random.Random(f"{options.seed} {share}")
        cases = [case(books, share, chance) for _ in range(DRAWN)]
        print(f"{share:13.0%} {f1(cases, deep=False):7.3f} {f1(cases, deep=True):7.3f}", flush=True)
    for deep in (False, True):
        count = unrelated(books, options.pairs, random.Random(options.seed), deep=deep)
        print(f"unrelated pairs with a passage{', deep' if deep else ''}: {count} of {options.pairs:,}", flush=True)


if __name__ == "__main__":
    main()
