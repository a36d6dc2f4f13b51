"""Whose a document is and what it is called: a tenant, a collection and a name are one name in the index.

So tenants never collide, and no second table says who owns what.
"""

import re
from dataclasses import dataclass

from whorl.index.entry import Entry
from whorl.service.problems import Problem

# Tenants and collections: what is safe in a path, an address and a table.
SLUG = r"[a-z0-9][a-z0-9._-]{0,63}"
DEFAULT_COLLECTION = "main"

# Stands for the house where a tenant would stand: no slug begins so.
HOUSE = "-"

# Letters of a document's name: what the longest path may have is less, in bytes.
LONGEST_NAME = 500

_SLUG = re.compile(SLUG)
# What a name may not have: control characters, which forge lines in logs and headers, and halves of characters.
_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document stands. ``tenant`` None is the house; ``collection`` None: it came by the command line."""

    tenant: str | None
    collection: str | None
    name: str

    @property
    def index_name(self) -> str:
        """Its name in the index."""
        if self.collection is None:
            return self.name
        return f"{prefix_of(self.tenant, self.collection)}{self.name}"


def prefix_of(tenant: str | None, collection: str) -> str:
    """What the index names of a collection's documents begin with."""
    return f"{tenant or HOUSE}/{collection}/"


def place_of(entry: Entry) -> Place:
    """Where a document of the index stands."""
    owner, _, rest = entry.name.partition("/")
    collection, _, name = rest.partition("/")
    if owner == (entry.owner or HOUSE) and name and _SLUG.fullmatch(collection):
        return Place(entry.owner, collection, name)
    return Place(entry.owner, None, entry.name)


def checked_slug(text: str, what: str) -> str:
    """A tenant's or a collection's name; a problem if it is none."""
    if not _SLUG.fullmatch(text):
        raise Problem(
            422, f"{what}: {text[:80]!r} is no name for one. Use small letters, digits, '.', '_' and '-', "
            "a letter or digit first, 64 at the most."
        )  # fmt: skip
    return text


def checked_name(text: str) -> str:
    """A document's name; a problem if it cannot be one."""
    if not text or len(text) > LONGEST_NAME or _FORBIDDEN.search(text):
        raise Problem(
            422, f"name: {text[:80]!r} is no name for a document. Give 1 to {LONGEST_NAME} letters without control "
            "characters."
        )  # fmt: skip
    return text


def checked_fact(text: str | None, what: str) -> str | None:
    """A URL, a date, a contact or a label; a problem if it cannot be stored or shown on one line."""
    if text is not None and (len(text) > 2000 or _FORBIDDEN.search(text)):
        raise Problem(422, f"{what}: it has control characters or more than 2,000 letters. Give one line of text.")
    return text
