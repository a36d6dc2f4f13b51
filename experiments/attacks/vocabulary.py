"""Words for attackers: names that a program has not yet, and words of comments."""

import random
from collections.abc import Iterator, Set

# Words that programmers use for anything.
WORDS = """
    alpha answer basis batch block buffer bundle carry cell chunk clue count crate datum delta depth draft
    drawer entry epoch event extra facet field final flags frame fresh front gather glyph group handle hint
    index inner item joint kernel label layer level limit link local marker matrix measure memo metric mode
    motif nested node notion number object offset option order outer packet panel parcel part phase piece pivot
    point pool portion probe quota range ratio record region remain report result ring round sample scale score
    scope section seed segment series share shift signal slice slot snippet source span stage state step stock
    store strand stripe study subject sum symbol table target temp term thing thread ticket token total track
    trial unit upper value vector view volume
""".split()  # noqa: SIM905  (a page of quotation marks would be harder to read)


def fresh_names(chance: random.Random, count: int, taken: Set[str]) -> list[str]:
    """So many different names that are not taken."""
    found: list[str] = []
    names = _names(chance)
    known = set(taken)
    while len(found) < count:
        name = next(names)
        if name not in known:
            known.add(name)
            found.append(name)
    return found


def _names(chance: random.Random) -> Iterator[str]:
    while True:
        yield chance.choice(WORDS) + chance.choice(("", *WORDS)).capitalize()


def sentence(chance: random.Random) -> str:
    """Return a few words."""
    return " ".join(chance.choices(WORDS, k=chance.randint(3, 8)))
