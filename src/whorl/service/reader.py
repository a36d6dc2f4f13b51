"""An index as one tenant sees it: a search that ranks the tenant's own documents alone, and says of the others what
the policy allows.

Others' documents must not show by what they push aside: own documents are told apart before anything is ranked.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from whorl.fingerprinting.whole import read_whole
from whorl.index.entry import Entry
from whorl.index.index import Index
from whorl.index.prepare import TEXT, Prepared
from whorl.index.search import Candidates, Hits, candidates, rank
from whorl.index.segment import Found
from whorl.index.witness import readable, revived
from whorl.index.writer import Added
from whorl.model import Document
from whorl.service.holdings import Holdings
from whorl.service.policy import Overlap

# Documents that are ranked for each one that is shown: an owner who has a text a thousand times leaves room for others.
CLOSER = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked. ``tenant`` is whose documents are ranked, unless ``everyone``'s are. ``alike`` asks for those that
    resemble the document most, not for those that share most with it; ``only`` for one document."""

    document: Document
    tenant: str | None = None
    everyone: bool = False
    limit: int = 10
    window: int | None = None
    look_ups: int | None = None
    passages: bool = True
    alike: bool = False
    only: int | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """The tenant's own hits, and what others' documents share."""

    hits: Hits
    others: Overlap


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Postings that were looked up once, as a search of one side sees them: own documents or others', and whatever is
    sanctioned."""

    index: "Reader"
    found: Found
    kept: NDArray[np.bool_]

    @property
    def documents(self) -> int:
        """As many as in the whole index."""
        return self.index.documents

    @property
    def sanctioned(self) -> NDArray[np.uint32]:
        """Those of the whole index: whoever runs it says what is no evidence."""
        return self.index.sanctioned

    def look_up(self, hashes: NDArray[np.uint64]) -> Found:
        """What was found, of this side."""
        kept = self.kept | np.isin(self.found.documents, self.sanctioned)
        which = self.found.which[kept]
        counts = np.bincount(which, minlength=len(hashes)).astype(np.int64)
        return Found(which, self.found.documents[kept], self.found.places[kept], counts)

    def numbered(self, number: int) -> Entry:
        """The document of a number."""
        return self.index.numbered(number)

    def owners(self, numbers: Sequence[int]) -> dict[int, str | None]:
        """Whose documents these are, without reading their rows: there may be a hundred thousand."""
        return self.index.holdings.owners(np.array(numbers, np.uint32))


class Reader(Index):
    """An index that is asked in somebody's name. One thread at a time uses it."""

    holdings: Holdings

    @classmethod
    def of(cls, index: Path, holdings: Holdings) -> Self:
        """Open an index with what all readers know together."""
        reader = cls.open(index)
        reader.holdings = holdings
        return reader

    def ask(self, asked: Asked) -> Told:
        """Search in somebody's name."""
        whole = read_whole(asked.document, self._wider(asked.window), self._key)
        hashes = np.unique(whole.fingerprints.hashes)
        with self.reading():
            self.holdings.learn(self)
            found = self.look_up(hashes[: asked.look_ups])
            mine = self._mine(asked, found.documents)
            own = candidates(_Side(self, found, mine), hashes, asked.look_ups)
            theirs = candidates(_Side(self, found, ~mine), hashes, asked.look_ups)
            hits = rank(self, self._best(own, asked), asked.limit)
            if asked.passages and hits:
                full = read_whole(asked.document, self.scheme, self._key) if asked.window else whole
                query = readable(asked.document.name, full)
                hits = [self._witnessed(hit, query) for hit in hits]
        overlap = Overlap(theirs.numbers, theirs.shared, self.holdings.fingerprints(theirs.numbers), theirs.evidence)
        return Told(Hits(tuple(hits), own.cost, whole.fingerprints.notes, whole.text), overlap)

    def prepared(self, document: Document, *, sanctioned: bool) -> Prepared:
        """A document that was read, ready to be put into the index. Any reader can do it, while another one writes."""
        return self._prepared(document, sanctioned)

    def known(self, document: Document, *, sanctioned: bool) -> Entry | None:
        """The same document with the same facts, if it is there: then nothing need be read."""
        return self.entry(document.name) if self._is_known(document, sanctioned) else None

    def put(self, prepared: list[Prepared]) -> list[Added]:
        """Keep documents that were read, all in one commit."""
        return self._put(prepared) if prepared else []

    def text_of(self, entry: Entry) -> str | None:
        """The text of a document, as its passages' spans count it; None if the index keeps no texts. Programs and what
        was taken out of other formats are stored as the text itself, so nothing is read anew but notebooks."""
        kind, data = self._stored(entry)
        if kind != TEXT:
            return None
        document = revived(entry, data, self.scheme)
        if document.format == "notebook":
            return read_whole(document, self.scheme, self._key).text
        return str(document.content)

    def _mine(self, asked: Asked, numbers: NDArray[np.uint32]) -> NDArray[np.bool_]:
        return np.ones(len(numbers), np.bool_) if asked.everyone else self.holdings.are_of(asked.tenant, numbers)

    def _best(self, found: Candidates, asked: Asked) -> Candidates:
        """Those that can come first, by the score that ``rank`` gives them: a tenant may have a hundred thousand that
        share a fingerprint, and a row is read for each one that is ranked."""
        if asked.only is not None:
            kept = found.numbers == asked.only
            found = replace(found, numbers=found.numbers[kept], shared=found.shared[kept])
        containment = found.shared / max(1, found.evidence)
        whole = containment * (found.cost.fingerprints - found.cost.sanctioned - found.cost.common)
        sizes = self.holdings.fingerprints(found.numbers)
        contained = np.minimum(1.0, whole / np.maximum(1, sizes))
        union = found.cost.fingerprints - found.cost.sanctioned - found.cost.common + sizes - whole
        resemblance = np.minimum(1.0, whole / np.maximum(1.0, union))
        score = (resemblance + np.maximum(containment, contained)) / 2
        places = np.lexsort((found.numbers, -containment, -resemblance if asked.alike else -score))
        places = np.sort(places[: asked.limit * (CLOSER if asked.everyone and not asked.alike else 1)])
        return replace(found, numbers=found.numbers[places], shared=found.shared[places])
