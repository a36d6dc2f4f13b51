"""The pages of a crawl, one after the other, each made from its number alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from experiments.crawl.chance import Uniforms, uniforms
from experiments.crawl.layout import EDITED, KINDS, MIRROR, MOST, ORIGINAL, REARRANGED, REFORMATTED, Layout, layout
from experiments.crawl.words import PASSAGES, Words, passages, shingles, vocabulary, zipf
from whorl.model import Document

# The paper kept 600 million shingles of 30 million documents, one in 25: a document has 500, of ten words each. That is
# the mean of 509 words that is reached if documents without a crowd have some more.
SHINGLE = 10
MEAN_WORDS = 544

# Lengths are log-normal, as those of files and pages are. Shorter ones than these would lose half of their shingles to
# one edited word, longer ones are books.
SPREAD, SHORTEST, LONGEST = 0.9, 60, 20_000

# Families with more pages than this are of shorter pages, the more the shorter: notices, forms, error pages. With long
# ones, a family of hundreds would be a plateau of frequencies as wide as the one that the winnowing paper leaves out.
CROWD = 10

# The share of its shingles that an edited version changes, at the most: any two then have a third in common.
MOST_CHANGED = 0.25

# The month of the paper's crawl.
FIRST_DAY, DAYS = date(1996, 4, 1), 30

# What random numbers are for, within a page's own.
_FACTS, _WORDS, _EDITS = range(3)


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A page, and what is true of it. ``family`` is shared by the pages that have a common original."""

    number: int
    family: int
    member: int
    kind: str
    words: Words

    @property
    def id(self) -> str:
        """A short name."""
        return f"page-{self.number}"

    @property
    def url(self) -> str:
        """A mirror has the path of its original on another host; what moved has another path."""
        host = self.member if self.kind == KINDS[MIRROR] else 0
        path = self.family if self.kind in (KINDS[MIRROR], KINDS[ORIGINAL]) else f"{self.family}/{self.member}"
        return f"http://host{self.family % 1009}-{host}.example/{path}"

    @property
    def date(self) -> str:
        """Copies come later."""
        return (FIRST_DAY + timedelta(days=min(self.member, DAYS - 1))).isoformat()

    @property
    def text(self) -> str:
        """As a browser would show it. A reformatted page has other capitals and line breaks."""
        words: list[str] = vocabulary()[self.words].tolist()
        if self.kind == KINDS[REFORMATTED]:
            return "\n".join(word.capitalize() for word in words)
        return " ".join(words)

    def features(self, one_in: int = 1) -> NDArray[np.uint64]:
        """Its shingles as numbers, sorted, each once; those that are 0 modulo ``one_in``, as the paper sketches."""
        found = np.unique(shingles(self.words, SHINGLE))
        kept: NDArray[np.uint64] = found[found % np.uint64(one_in) == 0]
        return kept

    def document(self) -> Document:
        """For the clustering."""
        return Document(self.id, self.text, self.url, self.date, labels=(f"family-{self.family}", self.kind))


@dataclass(frozen=True)
class Crawl:
    """So many pages. The same seed and size give the same pages; what is held does not grow with the size."""

    pages: int
    seed: int = 1

    @cached_property
    def _stretches(self) -> int:
        """How often the layout is used, each time with families of its own."""
        return max(1, -(-self.pages // MOST))

    @cached_property
    def _layout(self) -> Layout:
        return layout(-(-self.pages // self._stretches), self.seed)

    def __len__(self) -> int:
        return self.pages

    def __iter__(self) -> Iterator[Page]:
        return map(self.page, range(self.pages))

    def documents(self) -> Iterator[Document]:
        """Return the pages as documents."""
        return (page.document() for page in self)

    def page(self, number: int) -> Page:
        """Return a page by its number. The stretches take turns, so that families are spread over the whole crawl."""
        place, stretch = divmod(number, self._stretches)
        family = int(self._layout.family[place]) * self._stretches + stretch
        member, kind = int(self._layout.member[place]), int(self._layout.kind[place])
        words = self.original(family)
        if kind == EDITED:
            words = _edited(words, uniforms(2 * len(words), self.seed, family, _EDITS, member))
        elif kind == REARRANGED:
            half = len(words) // 2
            words = np.concatenate([words[half:], words[:half]])
        return Page(number, family, member, KINDS[kind], words)

    def original(self, family: int) -> Words:
        """Return what the family's first page says: a passage, words of its own, more passages."""
        facts = uniforms(2 + PASSAGES, self.seed, family, _FACTS)
        shared = passages(facts[2:], self.pages, self.seed)
        crowd = max(1.0, int(self._layout.sizes[family // self._stretches]) / CROWD)
        length = max(SHORTEST, int(_length(facts) / crowd)) - sum(map(len, shared))
        own = zipf(uniforms(max(SHORTEST // 2, length), self.seed, family, _WORDS))
        return np.concatenate([shared[0], own, *shared[1:]])


def _length(facts: Uniforms) -> int:
    """Log-normal, from two uniform numbers (Box and Muller)."""
    normal = np.sqrt(-2 * np.log(1 - facts[0])) * np.cos(2 * np.pi * facts[1])
    return int(min(LONGEST, MEAN_WORDS * np.exp(SPREAD * normal - SPREAD**2 / 2)))


def _edited(words: Words, chances: Uniforms) -> Words:
    """Single words are replaced, all over the page."""
    edits = max(1, int(chances[0] * MOST_CHANGED * (len(words) - SHINGLE + 1) / SHINGLE))
    edited = words.copy()
    places = (chances[1 : 1 + edits] * len(words)).astype(np.int64)
    edited[places] = zipf(chances[1 + edits : 1 + 2 * edits])
    return edited
