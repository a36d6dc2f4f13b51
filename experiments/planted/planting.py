"""Where copies are planted: pages that have no relative in the corpus yet, so that what is found is the copy."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from experiments.planted.edits import copies
from experiments.planted.shinglings import Relatives, hashes

Row = dict[str, str]

# A page has as many words at least: a fifth of it is then 30, some sentences.
SHORTEST = 150

# A page of whose shingles of so many words another one holds such a part has a relative.
WORDS, RELATED = 5, 0.2


@dataclass(frozen=True)
class Copy:
    """A planted copy: its id, that of the page it is made of, and how."""

    id: str
    original: str
    kind: str


@dataclass(frozen=True)
class Planted:
    """A corpus with copies in it. ``hosts`` are the pages that have a fifth of another in them now."""

    rows: list[Row]
    copies: list[Copy]
    hosts: frozenset[str]


def plant(rows: Sequence[Row], count: int, seed: int) -> Planted:
    """Copies of each kind of ``count`` pages. The page that a fifth is embedded in is itself taken out of the corpus,
    so that such a copy has one relative."""
    chance = Random(seed)
    alone = list(lonely(rows, 2 * count, chance))
    if len(alone) < 2 * count:
        raise SystemExit(f"only {len(alone)} pages have no relative, and {2 * count} are needed: give a larger corpus")
    planted: list[Row] = []
    made: list[Copy] = []
    for page, host in zip(alone[:count], alone[count:], strict=True):
        words = copies(rows[page]["text"].split(), rows[host]["text"].split(), chance)
        for number, (kind, text) in enumerate(words.items()):
            copy = Copy(f"planted/{len(made):05}-{number}", rows[page]["id"], kind)
            made.append(copy)
            planted.append({"id": copy.id, "text": " ".join(text), "url": f"file:///{copy.id}"})
    hosts = frozenset(rows[host]["id"] for host in alone[count:])
    out = [row for row in rows if row["id"] not in hosts] + planted
    chance.shuffle(out)
    return Planted(out, made, hosts)


def lonely(rows: Sequence[Row], count: int, chance: Random) -> Iterator[int]:
    """Numbers of pages without a relative, drawn at random, ``count`` at the most."""
    relatives = Relatives.of(hashes((row["text"] for row in rows), WORDS))
    numbers = list(range(len(rows)))
    chance.shuffle(numbers)
    for number in numbers:
        if count == 0:
            return
        if len(rows[number]["text"].split()) >= SHORTEST and relatives.nearest(number) < RELATED:
            count -= 1
            yield number
