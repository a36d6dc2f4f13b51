"""What an index knows of a document."""

import json
from dataclasses import dataclass
from typing import Any

from whorl.index.seals import seal

# The columns of the table, in the order of the fields.
COLUMNS = (
    "id",
    "name",
    "digest",
    "format",
    "symbols",
    "fingerprints",
    "sanctioned",
    "url",
    "date",
    "contact",
    "owner",
    "labels",
    "added",
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A document in an index. ``fingerprints`` counts distinct ones; ``digest`` is of the content and of what was asked
    for it, so that the same document need not be read again."""

    id: int
    name: str
    digest: bytes
    format: str
    symbols: int
    fingerprints: int
    sanctioned: bool
    url: str | None
    date: str | None
    contact: str | None
    owner: str | None
    labels: tuple[str, ...]
    added: str

    def row(self) -> tuple[Any, ...]:
        """Its row in the table, the seal last."""
        values = tuple(_stored(getattr(self, column)) for column in COLUMNS)
        return (*values, seal(*values))

    def as_dict(self) -> dict[str, Any]:
        """For people and scripts: what is known, without the digest."""
        told = {column: getattr(self, column) for column in COLUMNS if column != "digest"}
        return {**{name: value for name, value in told.items() if value is not None}, "labels": list(self.labels)}


def from_row(row: tuple[Any, ...]) -> Entry | None:
    """The entry of a row; None if the row is not as it was written."""
    *values, sealed = row
    if seal(*values) != sealed:
        return None
    number, name, digest, form, symbols, fingerprints, sanctioned, url, date, contact, owner, labels, added = values
    return Entry(
        number, name, digest, form, symbols, fingerprints, bool(sanctioned), url, date, contact, owner,
        tuple(json.loads(labels)), added,
    )  # fmt: skip


def _stored(value: Any) -> Any:
    if isinstance(value, tuple):
        return json.dumps(value)
    return int(value) if isinstance(value, bool) else value
