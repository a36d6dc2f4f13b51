"""The registry's database: the pages of the log, and how often documents were searched for."""

from collections.abc import Container, Iterable, Iterator, Mapping

from whorl.index.database import DOCUMENTS, LAST_DOCUMENT, Database
from whorl.index.faults import DamageError
from whorl.index.points import point
from whorl.index.seals import seal
from whorl.registry.activity import Activity
from whorl.registry.entry import Entry
from whorl.registry.pages import pack, page_of, unpack

# Raised when a table changes. A newer one is refused.
VERSION = 1

_TABLES = """
CREATE TABLE pages (id INTEGER PRIMARY KEY, data BLOB NOT NULL, seal INTEGER NOT NULL);
CREATE TABLE activity (
    id INTEGER PRIMARY KEY, searches INTEGER NOT NULL, pieces INTEGER NOT NULL, seal INTEGER NOT NULL
);
"""
# The last place in the order of registration that was given.
LAST_SERIAL = "last serial"


class RegistryStore(Database):
    """What a registry keeps beside its segments."""

    kind, version_of_format, tables = "registry", VERSION, _TABLES
    counted = (DOCUMENTS, "pages", "activity", LAST_SERIAL)

    def page(self, number: int, wanted: Container[int] | None = None) -> list[Entry]:
        """The documents on a page, or those of them that are wanted; none if there is no such page."""
        row = self._first("SELECT id, data, seal FROM pages WHERE id = ?", (number,))
        if row is None:
            return []
        self._sound(seal(*row[:-1]) == row[-1] or None, f"page {number} of the log is not as it was written")
        return unpack(row[1], wanted)

    def entries(self) -> Iterator[Entry]:
        """All documents by number: that no page is missing is checked first."""
        with self.reading():
            rows = list(self._execute("SELECT id, data, seal FROM pages ORDER BY id"))
            self._add_up("pages", rows)
        for row in rows:
            self._sound(seal(*row[:-1]) == row[-1] or None, f"page {row[0]} of the log is not as it was written")
            yield from unpack(row[1])

    def numbered(self, numbers: Iterable[int]) -> dict[int, Entry]:
        """The documents of these numbers; those that are gone are left out."""
        wanted = set(numbers)
        pages = sorted({page_of(number) for number in wanted})
        return {entry.number: entry for page in pages for entry in self.page(page, wanted)}

    def known(self, numbers: Iterable[int]) -> dict[int, Entry]:
        """The documents of numbers that postings name: each of them has an entry."""
        wanted = set(numbers)
        found = self.numbered(wanted)
        for number in sorted(wanted - set(found)):
            raise DamageError(self.path, f"document {number} has postings but no entry in the log")
        return found

    def activity(self) -> dict[int, Activity]:
        """How often documents were searched for: those that were."""
        with self.reading():
            rows = list(self._execute("SELECT id, searches, pieces, seal FROM activity ORDER BY id"))
            self._add_up("activity", rows)
        for row in rows:
            self._sound(seal("activity", *row[:-1]) == row[-1] or None, f"what is counted of document {row[0]}")
        return {row[0]: Activity(row[1], row[2]) for row in rows}

    # What follows is called inside a transaction.

    def given(self) -> tuple[int, int]:
        """The last number that any document ever had, and the last place in the order of registration."""
        return self.total(LAST_DOCUMENT), self.total(LAST_SERIAL)

    def give(self, numbers: int, serials: int) -> None:
        """So many more of both were given."""
        self._count(LAST_DOCUMENT, numbers, 0)
        self._count(LAST_SERIAL, serials, 0)

    def change(self, gone: Iterable[int], entries: Iterable[Entry]) -> None:
        """Without the documents of some numbers, and with others, or other facts about them; each page is written
        once."""
        pages: dict[int, dict[int, Entry]] = {}
        count = 0
        for number in gone:
            count -= self._on_page(pages, number).pop(number, None) is not None
        for entry in entries:
            page = self._on_page(pages, entry.number)
            count += entry.number not in page
            page[entry.number] = entry
        for number, page in pages.items():
            self._write_page(number, [page[key] for key in sorted(page)])
        self._count(DOCUMENTS, count, 0)

    def note(self, seen: Mapping[int, Activity]) -> None:
        """Count searches of documents."""
        for number, more in seen.items():
            before = self._noted(number)
            now = (before or Activity()) + more
            values = number, now.searches, now.pieces
            self.forget(number)
            sealed = seal("activity", *values)
            self._execute("INSERT INTO activity VALUES (?, ?, ?, ?)", (*values, sealed))
            self._count("activity", 1, sealed)

    def forget(self, number: int) -> None:
        """Count from 0 again."""
        self._delete("activity", [number])

    def check(self) -> None:
        """The pages and the counts too."""
        super().check()
        found = list(self.entries())
        numbers = [entry.number for entry in found]
        names = {entry.name for entry in found}
        is_right = numbers == sorted(set(numbers)) and len(found) == len(names) == self.total(DOCUMENTS)
        self._sound(is_right or None, "the log: documents are missing or too many")
        self._sound(set(self.activity()) <= set(numbers) or None, "documents that are not there are counted")

    def _on_page(self, pages: dict[int, dict[int, Entry]], number: int) -> dict[int, Entry]:
        """The page of a document, read when it is first asked for."""
        at = page_of(number)
        if at not in pages:
            pages[at] = {entry.number: entry for entry in self.page(at)}
        return pages[at]

    def _write_page(self, number: int, entries: list[Entry]) -> None:
        old = self._first("DELETE FROM pages WHERE id = ? RETURNING seal", (number,))
        if old is not None:
            self._count("pages", -1, int(old[0]))
        point("add.text")
        if entries:
            data = pack(entries)
            sealed = seal(number, data)
            self._execute("INSERT INTO pages VALUES (?, ?, ?)", (number, data, sealed))
            self._count("pages", 1, sealed)
        point("add.document")

    def _noted(self, number: int) -> Activity | None:
        row = self._first("SELECT id, searches, pieces, seal FROM activity WHERE id = ?", (number,))
        if row is None:
            return None
        self._sound(seal("activity", *row[:-1]) == row[-1] or None, f"what is counted of document {number}")
        return Activity(row[1], row[2])
