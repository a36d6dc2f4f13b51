"""Traits: what a submission has that two people seldom have by chance, and which submissions have it too."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from whorl.comparison.evidence.finding import Place

# The smallest class in which anything can be called rare.
LEAST = 5

# A trait is rare if no more than a fifth of the class has it, and never if more than four have it: then it comes from
# a lecture or a book rather than from a neighbour.
SHARE, MOST = 5, 4


class Trait(NamedTuple):
    """A trait: its kind, what is equal in all who have it, how it is shown, and where it stands in a file."""

    kind: str
    key: str
    shown: str
    start: int


class Holders:
    """Who has which trait: the first place of each in every submission, as long as few have it."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], dict[int, Place]] = defaultdict(dict)
        self._shown: dict[tuple[str, str], str] = {}
        self._common: set[tuple[str, str]] = set()

    def add(self, trait: Trait, place: Place) -> None:
        """A submission has a trait."""
        key = trait.kind, trait.key
        if key in self._common:
            return
        places = self._places[key]
        places.setdefault(place.submission, place)
        self._shown.setdefault(key, trait.shown)
        if len(places) > MOST:
            self._common.add(key)
            del self._places[key], self._shown[key]

    def rare(self, submissions: int) -> Iterable[tuple[Trait, Mapping[int, Place]]]:
        """The traits that few, and at least two, of so many submissions have."""
        most = most_of(submissions)
        for (kind, key), places in self._places.items():
            if 2 <= len(places) <= most:
                yield Trait(kind, key, self._shown[kind, key], 0), places


def most_of(submissions: int) -> int:
    """How many of a class may have what is rare; 0 if the class is too small to tell."""
    return 0 if submissions < LEAST else max(2, min(MOST, submissions // SHARE))
