"""Collections as their owners see them: which there are, and how long the documents of each are kept."""

from dataclasses import dataclass

from whorl.service.desk import Desk
from whorl.service.naming import HOUSE, checked_slug, place_of, prefix_of
from whorl.service.principal import Principal
from whorl.service.problems import Problem, missing
from whorl.service.reader import Reader
from whorl.service.tokens import Scope

# Collections of one tenant that are told: each costs a look into the index.
MOST = 1000

# Days that documents may be kept at the most: ``collections`` says the same.
LONGEST_DAYS = 36_525


@dataclass(frozen=True, slots=True)
class Shelf:
    """A collection. ``retention_days`` None: its documents stay until they are deleted. ``is_empty``: it was set up,
    and has no documents."""

    tenant: str | None
    name: str
    retention_days: int | None
    is_empty: bool


def listed(desk: Desk, principal: Principal) -> list[Shelf]:
    """The tenant's collections by name: those that have documents, and those that were set up."""
    principal.require(Scope.SEARCH)
    kept = {each.name: each.retention_days for each in desk.collections.listed(principal.tenant)}
    with desk.reading() as index, index.reading():
        full = _with_documents(index, principal.tenant)
    names = sorted({*kept, *full})
    return [Shelf(principal.tenant, name, kept.get(name), name not in full) for name in names]


def get(desk: Desk, principal: Principal, name: str) -> Shelf:
    """A collection that has documents or was set up."""
    principal.require(Scope.SEARCH)
    checked_slug(name, "collection")
    kept = desk.collections.get(principal.tenant, name)
    with desk.reading() as index:
        is_empty = not index.page(prefix_of(principal.tenant, name), "", 1)
    if kept is None and is_empty:
        raise missing(f"The collection {name}")
    return Shelf(principal.tenant, name, None if kept is None else kept.retention_days, is_empty)


def put(desk: Desk, principal: Principal, name: str, retention_days: int | None) -> Shelf:
    """Set a collection up, or change how long its documents are kept."""
    principal.require(Scope.ADD)
    checked_slug(name, "collection")
    if retention_days is not None and not 1 <= retention_days <= LONGEST_DAYS:
        raise Problem(422, f"retention_days: give 1 to {LONGEST_DAYS} days, or null to keep documents for ever.")
    desk.collections.put(principal.tenant, name, retention_days)
    desk.note(principal, "set retention", name, f"{retention_days} days")
    with desk.reading() as index:
        is_empty = not index.page(prefix_of(principal.tenant, name), "", 1)
    return Shelf(principal.tenant, name, retention_days, is_empty)


def delete(desk: Desk, principal: Principal, name: str) -> None:
    """Forget what was set up for a collection. Its documents stay, for ever if nobody deletes them."""
    principal.require(Scope.ADD)
    if not desk.collections.delete(principal.tenant, checked_slug(name, "collection")):
        raise missing(f"Settings of the collection {name}")
    desk.note(principal, "forget retention", name)


def _with_documents(index: Reader, tenant: str | None) -> list[str]:
    """The collections that have documents, each found by the first name after all of the one before."""
    prefix, after, names = f"{tenant or HOUSE}/", "", list[str]()
    while len(names) < MOST and (page := index.page(prefix, after, 1)):
        collection = place_of(page[0]).collection
        if collection is None:  # a name of the command line's that happens to begin so
            after = page[0].name
            continue
        names.append(collection)
        after = f"{prefix}{collection}/\U0010ffff"
    return names
