"""Every document of a collection searched against all: how many matches are in each range of match ratios."""

import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from math import ceil
from pathlib import Path
from unittest.mock import patch

import whorl
from experiments.koala.documents import documents
from experiments.reproduction.setting import Setting

# The least and the greatest percentage of each column of the paper's tables.
RANGES = ((1, 1), (2, 2), (3, 5), (6, 10), (11, 20), (21, 50), (51, 100))
HEAD = ("1%", "2%", "3%-5%", "6%-10%", "11-20%", "21-50%", "more than 50%")

# Below any match ratio that there is.
ANY = 1e-6

# A ratio is rounded up, as the paper's must be: with 200 stored it has matches at 1% that are one substring.
EXACT = 1e-9

BASELINE = whorl.PRESETS["koala"]


@dataclass(frozen=True)
class Match:
    """A search: which document was asked for, which was found, and the match ratio."""

    asked: int
    found: int
    ratio: float

    @property
    def percent(self) -> int:
        """Rounded up."""
        return ceil(100 * self.ratio - EXACT)


@dataclass(frozen=True)
class Distribution:
    """All matches of a collection, those of documents with themselves included."""

    documents: int
    matches: tuple[Match, ...]

    @property
    def counts(self) -> tuple[int, ...]:
        """By range."""
        return tuple(sum(low <= match.percent <= high for match in self.matches) for low, high in RANGES)

    @property
    def others(self) -> int:
        """Matches in the last range that are not of a document with itself."""
        least = RANGES[-1][0]
        return sum(match.percent >= least and match.asked != match.found for match in self.matches)

    @property
    def low(self) -> int:
        """Matches at 1% and 2%, which are accidents for the most part."""
        return sum(match.percent <= RANGES[1][1] for match in self.matches)

    @property
    def themselves(self) -> int:
        """Documents that match themselves as a whole."""
        return sum(match.asked == match.found and match.ratio > 1 - EXACT for match in self.matches)

    def ratio(self, asked: int, found: int) -> float:
        """Return the match ratio of one document when another is asked for; 0 if it is no match."""
        return next((one.ratio for one in self.matches if (one.asked, one.found) == (asked, found)), 0.0)


@lru_cache(maxsize=32)
def distribution(setting: Setting, scheme: whorl.Scheme = BASELINE) -> Distribution:
    """Register all documents of the collection, and search each."""
    texts = [entry.text for entry in documents(setting)]
    with (
        tempfile.TemporaryDirectory() as folder,
        seeded(setting.seed),
        whorl.Registry.create(Path(folder) / "registry", scheme) as registry,
    ):
        list(registry.add_all(whorl.Document(str(number), text) for number, text in enumerate(texts)))
        return Distribution(len(texts), tuple(_searched(registry, texts)))


def _searched(registry: whorl.Registry, texts: Sequence[str]) -> list[Match]:
    return [
        Match(asked, int(hit.document.name), hit.ratio)
        for asked, text in enumerate(texts)
        for hit in registry.search(text, threshold=ANY, limit=len(texts), count=False)
    ]


def seeded(seed: int) -> AbstractContextManager[object]:
    """Registries that are made meanwhile have a key drawn from a seed: one draws its key from the system, and an
    experiment must repeat."""
    key = whorl.Key(blake2b(str(seed).encode(), digest_size=16, person=b"whorl seed").digest())
    return patch.object(whorl.Key, "random", return_value=key)
