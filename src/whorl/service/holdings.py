"""Who holds which document of the index, as arrays: so that a search can tell own documents from others' before it
ranks them, however many share something with the query.

A document's number, owner and fingerprints stand in its row for ever, but for the owner, whom only the command line
can change. So the arrays grow by what is new, and are made again when a row is found to say something else.
"""

from threading import Lock

import numpy as np
from numpy.typing import NDArray

from whorl.index.entry import Entry
from whorl.index.index import Index

# Rows that are read at a time: a few megabytes of them.
BATCH = 2000

# Owners in the array: nobody has this number yet; and the house.
UNKNOWN, HOUSE = -1, 0


class Holdings:
    """Owners and sizes of all documents, by number. Several threads may ask; one at a time adds."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._clear()

    def learn(self, index: Index) -> None:
        """Take in what was added since. Called inside ``index.reading()``, so that nothing in it is unknown."""
        with self._turn:
            while entries := index.page_by_number(self._last, BATCH):
                self._take(entries)

    def forget(self) -> None:
        """Read everything again at the next look: an owner changed."""
        with self._turn:
            self._clear()

    def are_of(self, tenant: str | None, numbers: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Which of some documents are a tenant's."""
        owners = self._owners
        wanted = HOUSE if tenant is None else self._codes.get(tenant)
        if wanted is None:
            return np.zeros(len(numbers), np.bool_)
        held: NDArray[np.bool_] = owners[numbers] == wanted
        return held

    def numbers_of(self, tenant: str | None) -> NDArray[np.int64]:
        """All numbers that a tenant's documents have or had."""
        return np.flatnonzero(self.are_of(tenant, np.arange(len(self._owners), dtype=np.uint32)))

    def owners(self, numbers: NDArray[np.uint32]) -> dict[int, str | None]:
        """Whose some documents are."""
        names: list[str | None] = [None, *self._codes]
        return {
            number: names[code] for number, code in zip(numbers.tolist(), self._owners[numbers].tolist(), strict=True)
        }

    def fingerprints(self, numbers: NDArray[np.uint32]) -> NDArray[np.int64]:
        """How many fingerprints some documents have."""
        found: NDArray[np.int64] = self._sizes[numbers]
        return found

    def agrees(self, entry: Entry) -> bool:
        """Whether a row says what was learned of it."""
        return bool(self.are_of(entry.owner, np.array([entry.id], np.uint32))[0])

    def _clear(self) -> None:
        self._last = 0
        self._codes: dict[str, int] = {}
        self._owners = np.full(1, UNKNOWN, np.int32)
        self._sizes = np.zeros(1, np.int64)

    def _take(self, entries: list[Entry]) -> None:
        last = entries[-1].id
        if last >= len(self._owners):
            self._grow(max(last + 1, 2 * len(self._owners)))
        for entry in entries:
            code = HOUSE if entry.owner is None else self._codes.setdefault(entry.owner, len(self._codes) + 1)
            self._owners[entry.id], self._sizes[entry.id] = code, entry.fingerprints
        self._last = last

    def _grow(self, size: int) -> None:
        """New arrays: whoever looks at the old ones meanwhile knows of no larger number."""
        owners, sizes = np.full(size, UNKNOWN, np.int32), np.zeros(size, np.int64)
        owners[: len(self._owners)], sizes[: len(self._sizes)] = self._owners, self._sizes
        self._owners, self._sizes = owners, sizes
