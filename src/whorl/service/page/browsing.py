"""The list of documents as somebody asks for it: whose, of which collection, with which names."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from whorl.service import shelves
from whorl.service.documents import DocumentPage, Stored, listed
from whorl.service.page.visits import Visit
from whorl.service.principal import Principal

# Documents on a page: some screens.
ROWS = 50


@dataclass(frozen=True, slots=True)
class Asked:
    """What the list is asked for; "" is all. ``after`` is where the page before ended."""

    tenant: str = ""
    collection: str = ""
    begins: str = ""
    after: str = ""

    def link(self, after: str) -> str:
        """The address of the same list, further on."""
        given = replace(self, after=after)
        parts = {name: getattr(given, name) for name in ("tenant", "collection", "begins", "after")}
        return f"/documents?{urlencode({name: value for name, value in parts.items() if value})}"


def acting(visit: Visit, tenant: str) -> Principal:
    """An admin who looks at one tenant's collections asks in its name; everybody else in their own."""
    principal = visit.principal
    return replace(principal, tenant=tenant) if tenant and principal.is_admin else principal


def collections_of(visit: Visit, tenant: str = "") -> list[str]:
    """The names of the collections that can be chosen."""
    return [shelf.name for shelf in shelves.listed(visit.desk, acting(visit, tenant))]


def tenants_of(visit: Visit) -> list[str]:
    """The owners that tokens name."""
    return sorted({token.tenant for token in visit.desk.tokens.listed() if token.tenant})


def documents_of(visit: Visit, asked: Asked) -> DocumentPage:
    """A page of the list."""
    if asked.begins and not asked.collection:
        return _everywhere(visit, asked)
    return listed(
        visit.desk, visit.principal, collection=asked.collection or None, starts=asked.begins,
        after=asked.after or None, limit=ROWS, tenant=asked.tenant or None,
    )  # fmt: skip


def _everywhere(visit: Visit, asked: Asked) -> DocumentPage:
    """Names are in order within a collection, so one collection is looked through after the other. The place where a
    page ends is a collection and a name in it."""
    first, _, after = asked.after.partition("/")
    found: list[Stored] = []
    for collection in collections_of(visit, asked.tenant):
        if collection < first:
            continue
        page = listed(
            visit.desk, visit.principal, collection=collection, starts=asked.begins, limit=ROWS + 1 - len(found),
            after=after if collection == first and after else None, tenant=asked.tenant or None,
        )  # fmt: skip
        found += page.documents
        if len(found) > ROWS:
            last = found[ROWS - 1]
            return DocumentPage(tuple(found[:ROWS]), f"{last.collection}/{last.name}")
    return DocumentPage(tuple(found), None)
