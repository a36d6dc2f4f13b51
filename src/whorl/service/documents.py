"""Documents of a tenant: add, list, read, delete. What the API and the page both do."""

from dataclasses import dataclass

import numpy as np

from whorl.frontends.detection import names as formats
from whorl.index.entry import Entry
from whorl.index.writer import State
from whorl.model import Document
from whorl.service.desk import Desk
from whorl.service.naming import (
    DEFAULT_COLLECTION,
    Place,
    checked_fact,
    checked_name,
    checked_slug,
    place_of,
    prefix_of,
)
from whorl.service.principal import Principal
from whorl.service.problems import Problem, missing
from whorl.service.reader import Reader
from whorl.service.receipts import Receipt
from whorl.service.tokens import Scope

# Documents on a page of a list, at most: what a person scrolls through, and a small answer.
LARGEST_PAGE = 500

# Labels of a document.
MOST_LABELS = 100

# A larger number than any document has, and the largest that a database takes.
LARGEST_NUMBER = 2**32 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """A document to be added. ``tenant`` other than one's own, and ``sanctioned``, are for admins: what is sanctioned
    is no evidence for anybody."""

    name: str
    content: bytes | str
    collection: str = DEFAULT_COLLECTION
    url: str | None = None
    date: str | None = None
    contact: str | None = None
    labels: tuple[str, ...] = ()
    format: str | None = None
    sanctioned: bool = False
    tenant: str | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """A document as its owner sees it. ``collection`` None: it came by the command line."""

    id: int
    tenant: str | None
    collection: str | None
    name: str
    format: str
    symbols: int
    fingerprints: int
    sanctioned: bool
    url: str | None
    date: str | None
    contact: str | None
    labels: tuple[str, ...]
    added: str


@dataclass(frozen=True, slots=True)
class AddedDocument:
    """What became of a document that was added."""

    document: Stored
    state: State


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Some documents of a list; ``after`` is what to ask with for the next ones, None at the end."""

    documents: tuple[Stored, ...]
    after: str | None


def stored(entry: Entry) -> Stored:
    """An entry of the index as its owner sees it."""
    place = place_of(entry)
    return Stored(
        entry.id, place.tenant, place.collection, place.name, entry.format, entry.symbols, entry.fingerprints,
        entry.sanctioned, entry.url, entry.date, entry.contact, entry.labels, entry.added,
    )  # fmt: skip


def add(desk: Desk, principal: Principal, new: NewDocument) -> AddedDocument:
    """Add a document, or replace the one of its name; it is durable when this returns."""
    principal.require(Scope.ADD)
    document = _document(principal, new)
    with desk.searching() as index:
        entry, state = index.known(document, sanctioned=new.sanctioned), "unchanged"
        prepared = None if entry is not None else index.prepared(document, sanctioned=new.sanctioned)
    if prepared is not None:
        entry, state = desk.intake.put(prepared)
    if entry is None:
        raise Problem(409, "The document was removed in the same moment. Add it again if you want it.")
    desk.note(principal, "add", entry.id, state)
    return AddedDocument(stored(entry), state)  # type: ignore[arg-type]


def listed(
    desk: Desk, principal: Principal, *, collection: str | None = None, starts: str = "", after: str | None = None,
    limit: int = 50, tenant: str | None = None,
) -> DocumentPage:  # fmt: skip
    """Documents, some at a time: of a collection by name, those whose names begin with ``starts``; or, without one,
    all in the order in which they came. ``tenant`` is for admins, who otherwise see everybody's."""
    principal.require(Scope.SEARCH)
    limit = max(1, min(limit, LARGEST_PAGE))
    if tenant is not None:
        checked_slug(tenant, "tenant")
    if tenant not in (None, principal.tenant):
        principal.require(Scope.ADMIN)
    with desk.reading() as index, index.reading():
        whose = tenant if principal.is_admin and tenant is not None else principal.tenant
        if collection is not None:
            return _by_name(index, prefix_of(whose, checked_slug(collection, "collection")), starts, after, limit)
        return _by_number(index, whose, principal.is_admin and tenant is None, _number(after), limit)


def get(desk: Desk, principal: Principal, number: int) -> Stored:
    """A document; a problem if it is not there or somebody else's."""
    principal.require(Scope.SEARCH)
    with desk.reading() as index:
        return stored(found(index, principal, number))


def text(desk: Desk, principal: Principal, number: int) -> str:
    """The text of a document, into which passages point."""
    principal.require(Scope.SEARCH)
    with desk.reading() as index, index.reading():
        entry = found(index, principal, number)
        kept = index.text_of(entry)
    if kept is None:
        raise Problem(404, f"Document {number}: this index keeps no texts.")
    desk.note(principal, "read text", number)
    return kept


def delete(desk: Desk, principal: Principal, number: int) -> Receipt:
    """Delete a document. It is not found from now on; the receipt says until when nothing of it will be left."""
    principal.require(Scope.ADD)
    with desk.reading() as index:
        entry = found(index, principal, number)
    desk.intake.remove(entry)
    desk.note(principal, "delete", number)
    return receipt(desk, principal, number)


def receipt(desk: Desk, principal: Principal, number: int) -> Receipt:
    """What proves that a document was deleted."""
    principal.require(Scope.ADD)
    kept = desk.receipts.get(number) if 0 < number <= LARGEST_NUMBER else None
    if kept is None or not principal.sees(kept.tenant):
        raise missing(f"A receipt for document {number}")
    return kept


def found(index: Reader, principal: Principal, number: int) -> Entry:
    """The row of a document that is this principal's to see."""
    entry = index.find(number) if 0 < number <= LARGEST_NUMBER else None
    if entry is None or not principal.owns(entry):
        raise missing(f"Document {number}")
    return entry


def _document(principal: Principal, new: NewDocument) -> Document:
    if new.sanctioned or new.tenant not in (None, principal.tenant):
        principal.require(Scope.ADMIN)
    if new.format is not None and new.format not in formats():
        raise Problem(422, f"format: {new.format[:80]!r} is unknown. 'whorl formats' lists them.")
    if len(new.labels) > MOST_LABELS:
        raise Problem(422, f"labels: {len(new.labels)} are too many. Give {MOST_LABELS} at the most.")
    tenant = principal.tenant if new.tenant is None else checked_slug(new.tenant, "tenant")
    place = Place(tenant, checked_slug(new.collection, "collection"), checked_name(new.name))
    for label in new.labels:
        checked_fact(label, "labels")
    return Document(
        place.index_name, new.content, checked_fact(new.url, "url"), checked_fact(new.date, "date"),
        checked_fact(new.contact, "contact"), tenant, new.labels, new.format,
    )  # fmt: skip


def _by_name(index: Reader, prefix: str, starts: str, after: str | None, limit: int) -> DocumentPage:
    entries = index.page(prefix + starts, "" if after is None else prefix + after, limit + 1)
    documents = tuple(stored(entry) for entry in entries[:limit])
    return DocumentPage(documents, documents[-1].name if len(entries) > limit else None)


def _by_number(index: Reader, tenant: str | None, everyone: bool, after: int, limit: int) -> DocumentPage:
    entries = index.page_by_number(after, limit + 1) if everyone else _own(index, tenant, after, limit + 1)
    documents = tuple(stored(entry) for entry in entries[:limit])
    return DocumentPage(documents, str(documents[-1].id) if len(entries) > limit else None)


def _own(index: Reader, tenant: str | None, after: int, limit: int) -> list[Entry]:
    """The next documents of a tenant. Numbers of those that were removed are passed over."""
    index.holdings.learn(index)
    numbers = index.holdings.numbers_of(tenant)
    entries: list[Entry] = []
    for number in numbers[np.searchsorted(numbers, after, side="right") :].tolist():
        entry = index.find(number)
        if entry is not None and entry.owner == tenant:
            entries.append(entry)
        if len(entries) == limit:
            break
    return entries


def _number(after: str | None) -> int:
    if after is None:
        return 0
    if not (after.isascii() and after.isdigit() and len(after) <= 10):
        raise Problem(404, "after: there is no such place in the list. Give what the answer before had in 'after'.")
    return int(after)
