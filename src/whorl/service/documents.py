"""Operations on documents and collections of a tenant, for the API and the page: add, list, read, delete."""

from collections.abc import Iterable, Set
from dataclasses import dataclass

import numpy as np

from whorl.errors import DocumentError
from whorl.formats.detection import names as formats
from whorl.index.prepare import Prepared
from whorl.index.store import Entry
from whorl.index.writer import State
from whorl.model import Document
from whorl.service.authentication import Principal, TokenScope
from whorl.service.context import Context
from whorl.service.naming import (
    DEFAULT_COLLECTION,
    HOUSE,
    QualifiedName,
    checked_fact,
    checked_name,
    checked_slug,
    prefix_of,
    qualified_name_of,
)
from whorl.service.problems import Problem, missing, nowhere
from whorl.service.retention import LONGEST_DAYS, Receipt
from whorl.service.tenant_index import TenantIndex, stored_bytes

# Documents on a page of a list, at most: what a person scrolls through, and a small answer.
LARGEST_PAGE = 500

# Bytes or letters of a document that the server's process reads itself: some 10 ms. More is read in another process.
LARGE = 1 << 17

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
class StoredDocument:
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
    """The outcome of adding a document."""

    document: StoredDocument
    state: State


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Some documents of a list; ``after`` is what to ask with for the next ones, None at the end."""

    documents: tuple[StoredDocument, ...]
    after: str | None


def stored_document(entry: Entry) -> StoredDocument:
    """Convert an entry of the index."""
    place = qualified_name_of(entry)
    return StoredDocument(
        entry.id, place.tenant, place.collection, place.name, entry.format, entry.symbols, entry.fingerprints,
        entry.sanctioned, entry.url, entry.date, entry.contact, entry.labels, entry.added,
    )  # fmt: skip


def add_document(context: Context, principal: Principal, new: NewDocument) -> AddedDocument:
    """Add or replace a document durably."""
    principal.require(TokenScope.ADD)
    context.check_room()
    document = _document(principal, new)
    entry, prepared = _prepared(context, principal, document, new.sanctioned)
    state = "unchanged"
    if prepared is not None:
        with context.quota.reserved(document.owner, stored_bytes(prepared)):
            entry, state = context.writer.put(prepared)
        if state != "added":
            context.quota.freed()
    if entry is None:
        raise Problem(409, "The document was removed at the same moment. Add it again if you need it.")
    context.note(principal, "add", entry.id, state)
    return AddedDocument(stored_document(entry), state)  # type: ignore[arg-type]


def _prepared(
    context: Context, principal: Principal, document: Document, sanctioned: bool
) -> tuple[Entry | None, Prepared | None]:
    """Read a document beside small searches, or in a process with a low priority if it is large."""
    is_small = len(document.content) <= LARGE  # type: ignore[arg-type] # a request has no path
    with context.searching(principal) if is_small else context.in_process(principal) as searcher:
        entry, prepared = searcher.call(f"{__name__}:{prepare_document.__name__}", document, sanctioned)
        return entry, prepared


def prepare_document(index: TenantIndex, document: Document, sanctioned: bool) -> tuple[Entry | None, Prepared | None]:
    """Return the entry of a document if the same is stored, or the document as it will be stored. An error does not
    name the document: its sender does not know the name that it has in the index."""
    try:
        entry = index.known(document, sanctioned=sanctioned)
        return entry, None if entry is not None else index.prepared(document, sanctioned=sanctioned)
    except DocumentError as error:
        raise DocumentError(error.reason) from error


def list_documents(
    context: Context, principal: Principal, *, collection: str | None = None, starts: str = "",
    after: str | None = None, limit: int = 50, tenant: str | None = None,
) -> DocumentPage:  # fmt: skip
    """Documents, some at a time: of a collection by name, those whose names begin with ``starts``; or all in the order
    in which they came. ``starts`` without a collection is for names in all of them and in none; a page may then have
    fewer documents than the ``limit`` and not be the last. ``tenant`` is for admins, who otherwise see everybody's."""
    principal.require(TokenScope.SEARCH)
    limit = max(1, min(limit, LARGEST_PAGE))
    if tenant is not None:
        checked_slug(tenant, "tenant")
    if tenant not in (None, principal.tenant):
        principal.require(TokenScope.ADMIN)
    everyone = principal.is_admin and tenant is None
    whose = tenant if principal.is_admin and tenant is not None else principal.tenant
    with context.reading(principal) as index, index.reading():
        if collection is not None:
            checked_slug(collection, "collection")
            return _by_name(index, _owners(index, whose, everyone), collection, starts, after, limit)
        if starts:
            return _beginning(index, _owners(index, whose, everyone), starts, after, limit)
        return _by_number(index, whose, everyone, _number(after), limit)


def _owners(index: TenantIndex, tenant: str | None, everyone: bool) -> list[str | None]:
    """Return whose documents are listed."""
    return [None, *index.ownership.learn(index).codes] if everyone else [tenant]


def get_document(context: Context, principal: Principal, number: int) -> StoredDocument:
    """Return a document. Raise 404 if it does not exist or belongs to someone else."""
    principal.require(TokenScope.SEARCH)
    with context.reading(principal) as index:
        return stored_document(visible_entry(index, principal, number))


def read_text(context: Context, principal: Principal, number: int) -> str:
    """Return the text of a document; passages refer to positions in it."""
    principal.require(TokenScope.SEARCH)
    with context.reading(principal) as index, index.reading():
        entry = visible_entry(index, principal, number)
        stored = index.text_of(entry)
    if stored is None:
        raise Problem(404, f"Document {number}: this index keeps no texts.")
    context.note(principal, "read text", number)
    return stored


def delete_document(context: Context, principal: Principal, number: int) -> Receipt:
    """Delete a document. Return the receipt with the deadline for erasing it from the disk."""
    principal.require(TokenScope.ADD)
    with context.reading(principal) as index:
        entry = visible_entry(index, principal, number)
    context.make_room()
    context.writer.remove(entry)
    context.quota.freed()
    context.note(principal, "delete", number)
    return get_receipt(context, principal, number)


def get_receipt(context: Context, principal: Principal, number: int) -> Receipt:
    """Return the receipt of a deletion."""
    principal.require(TokenScope.ADD)
    stored = context.receipts.get(number) if 0 < number <= LARGEST_NUMBER else None
    if stored is None or not principal.sees(stored.tenant):
        raise missing(f"A receipt for document {number}")
    return stored


def visible_entry(index: TenantIndex, principal: Principal, number: int) -> Entry:
    """Return the entry of a document that the principal may see; raise 404 otherwise."""
    entry = index.find(number) if 0 < number <= LARGEST_NUMBER else None
    if entry is None or not principal.owns(entry):
        raise missing(f"Document {number}")
    return entry


def _document(principal: Principal, new: NewDocument) -> Document:
    if new.sanctioned or new.tenant not in (None, principal.tenant):
        principal.require(TokenScope.ADMIN)
    if new.format is not None and new.format not in formats():
        raise Problem(422, f"format: {new.format[:80]!r} is unknown. 'whorl formats' lists them.")
    if len(new.labels) > MOST_LABELS:
        raise Problem(422, f"labels: {len(new.labels)} are too many. Give {MOST_LABELS} at the most.")
    tenant = principal.tenant if new.tenant is None else checked_slug(new.tenant, "tenant")
    place = QualifiedName(tenant, checked_slug(new.collection, "collection"), checked_name(new.name))
    labels = tuple(label for label in new.labels if checked_fact(label, "labels"))
    return Document(
        place.index_name, new.content, checked_fact(new.url, "url"), checked_fact(new.date, "date"),
        checked_fact(new.contact, "contact"), tenant, labels, new.format,
    )  # fmt: skip


def _by_name(
    index: TenantIndex, owners: list[str | None], collection: str, starts: str, after: str | None, limit: int
) -> DocumentPage:
    """List a collection of one owner, or those of this name of several. ``after`` is the name in the index if there are
    several owners, and otherwise without the prefix."""
    cut = len(prefix_of(owners[0], collection)) if len(owners) == 1 else 0
    place = "" if after is None else prefix_of(owners[0], collection)[:cut] + after
    entries = _in_collections(index, [(owner, collection) for owner in owners], starts, place, limit + 1)
    documents = tuple(stored_document(entry) for entry in entries[:limit])
    return DocumentPage(documents, entries[limit - 1].name[cut:] if len(entries) > limit else None)


def _in_collections(
    index: TenantIndex, collections: Iterable[tuple[str | None, str]], starts: str, after: str, limit: int
) -> list[Entry]:
    """Return the next documents of some collections, by their names in the index, whose own names begin so."""
    entries: list[Entry] = []
    for prefix, owner in sorted((prefix_of(*each), each[0] or "") for each in collections):
        if len(entries) < limit and (after < prefix or after.startswith(prefix)):
            place = after if after.startswith(prefix) else ""
            entries += index.page_of(owner or None, prefix + starts, place, limit - len(entries))
    return entries


# Rows that one request reads for names outside collections. The next page goes on from there.
MOST_READ = 5000

# How the place begins where a list of names goes on: with a name in a collection, or in none.
_INSIDE, _OUTSIDE = "1", "2"


def _beginning(
    index: TenantIndex, owners: list[str | None], starts: str, after: str | None, limit: int
) -> DocumentPage:
    """List the documents whose names begin so: first those of collections, then those of the command line."""
    if after is not None and after[:1] not in (_INSIDE, _OUTSIDE):
        raise nowhere()
    phase, place = (_INSIDE, "") if after is None else (after[0], after[1:])
    entries: list[Entry] = []
    if phase == _INSIDE:
        collections = [(owner, name) for owner in owners for name in _with_documents(index, owner)]
        entries = _in_collections(index, collections, starts, place, limit + 1)
        place = ""
    documents = tuple(stored_document(entry) for entry in entries[:limit])
    if len(entries) > limit:
        return DocumentPage(documents, _INSIDE + entries[limit - 1].name)
    if len(entries) == limit:
        return DocumentPage(documents, _OUTSIDE)
    others, further = _outside(index, set(owners), starts, place, limit - len(entries))
    more = None if further is None else _OUTSIDE + further
    return DocumentPage((*documents, *(stored_document(entry) for entry in others)), more)


def _outside(
    index: TenantIndex, owners: Set[str | None], starts: str, after: str, limit: int
) -> tuple[list[Entry], str | None]:
    """Return the next documents without a collection whose names begin so, and where to go on, or None at the end.
    Collections are skipped, with any document that the command line named as if it were in another owner's."""
    entries: list[Entry] = []
    read, size = 0, 1
    while read < MOST_READ and (page := index.page(starts, after, size)):
        read, size = read + len(page), min(2 * size, LARGEST_PAGE)
        for entry in page:
            after, place = entry.name, qualified_name_of(entry)
            if place.collection is not None:
                after, size = _past(place.tenant, place.collection), 1  # another collection may follow
                break
            entries += [entry] if entry.owner in owners else []
            if len(entries) == limit:
                return entries, after
    return entries, after if read >= MOST_READ else None


def _by_number(index: TenantIndex, tenant: str | None, everyone: bool, after: int, limit: int) -> DocumentPage:
    entries = index.page_by_number(after, limit + 1) if everyone else _own(index, tenant, after, limit + 1)
    documents = tuple(stored_document(entry) for entry in entries[:limit])
    return DocumentPage(documents, str(documents[-1].id) if len(entries) > limit else None)


def _own(index: TenantIndex, tenant: str | None, after: int, limit: int) -> list[Entry]:
    """Return the next documents of a tenant. Numbers of removed ones are skipped."""
    numbers = index.ownership.learn(index).numbers_of(tenant)
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
        raise nowhere()
    return int(after)


# Collections of one tenant that are told: each costs a look into the index.
MOST = 1000


@dataclass(frozen=True, slots=True)
class CollectionInfo:
    """A collection. ``retention_days`` None: its documents stay until they are deleted. ``is_empty``: it was set up,
    and has no documents."""

    tenant: str | None
    name: str
    retention_days: int | None
    is_empty: bool


def list_collections(context: Context, principal: Principal) -> list[CollectionInfo]:
    """Return the collections of a tenant by name: those with documents or settings."""
    principal.require(TokenScope.SEARCH)
    rules = {each.name: each.retention_days for each in context.collections.listed(principal.tenant)}
    with context.reading(principal) as index, index.reading():
        full = _with_documents(index, principal.tenant)
    names = sorted({*rules, *full})
    return [CollectionInfo(principal.tenant, name, rules.get(name), name not in full) for name in names]


def collection_names(context: Context, principal: Principal) -> list[str]:
    """Return the names of the collections that the principal can see: those of everybody for admins."""
    principal.require(TokenScope.SEARCH)
    settings = context.collections.listed(principal.tenant, everyone=principal.is_admin)
    with context.reading(principal) as index, index.reading():
        owners = _owners(index, principal.tenant, principal.is_admin)
        full = {name for owner in owners for name in _with_documents(index, owner)}
    return sorted({*(each.name for each in settings), *full})


def get_collection(context: Context, principal: Principal, name: str) -> CollectionInfo:
    """Return a collection with documents or settings; raise 404 otherwise."""
    principal.require(TokenScope.SEARCH)
    checked_slug(name, "collection")
    rules = context.collections.get(principal.tenant, name)
    with context.reading(principal) as index:
        is_empty = not index.page_of(principal.tenant, prefix_of(principal.tenant, name), "", 1)
    if rules is None and is_empty:
        raise missing(f"The collection {name}")
    return CollectionInfo(principal.tenant, name, None if rules is None else rules.retention_days, is_empty)


def put_collection(context: Context, principal: Principal, name: str, retention_days: int | None) -> CollectionInfo:
    """Set the retention period of a collection."""
    principal.require(TokenScope.ADD)
    checked_slug(name, "collection")
    if retention_days is not None and not 1 <= retention_days <= LONGEST_DAYS:
        raise Problem(422, f"retention_days: give 1 to {LONGEST_DAYS} days, or null to keep documents for ever.")
    context.check_room()
    context.collections.put(principal.tenant, name, retention_days)
    context.note(principal, "set retention", name, f"{retention_days} days")
    with context.reading(principal) as index:
        is_empty = not index.page_of(principal.tenant, prefix_of(principal.tenant, name), "", 1)
    return CollectionInfo(principal.tenant, name, retention_days, is_empty)


def delete_collection(context: Context, principal: Principal, name: str) -> None:
    """Delete the settings of a collection. Its documents stay until they are deleted."""
    principal.require(TokenScope.ADD)
    context.make_room()
    if not context.collections.delete(principal.tenant, checked_slug(name, "collection")):
        raise Problem(404, f"The collection {name} has no settings to delete.")
    context.note(principal, "forget retention", name)


def _with_documents(index: TenantIndex, tenant: str | None) -> list[str]:
    """Return the collections with documents, skipping from one collection to the next."""
    after, names = "", list[str]()
    while len(names) < MOST and (collection := _collection_after(index, tenant, after)) is not None:
        names.append(collection)
        after = _past(tenant, collection)
    return names


def _collection_after(index: TenantIndex, tenant: str | None, after: str) -> str | None:
    """Return the collection of the next document of a tenant that is in one. The command line gives other documents
    names that begin like a tenant's: where one is in the way, there may be many."""
    limit = 1
    while page := index.page(f"{tenant or HOUSE}/", after, limit):
        for entry in page:
            place = qualified_name_of(entry)
            if place.collection is not None and place.tenant == tenant:
                return place.collection
        after, limit = page[-1].name, LARGEST_PAGE
    return None


def _past(tenant: str | None, collection: str) -> str:
    """Return a name that sorts after all of a collection, and before those of the next: "0" follows "/"."""
    return f"{prefix_of(tenant, collection)[:-1]}0"
