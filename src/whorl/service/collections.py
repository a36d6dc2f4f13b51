"""Collections: how long the documents of each are kept. Which documents it has, their names in the index say."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from whorl.errors import InputError
from whorl.service.database import ServiceDatabase
from whorl.service.moments import Clock, now, read, stored

# Days that a collection can be kept for at the most: a century, beyond which a date would not be one.
LONGEST_DAYS = 36_525

# What stands for the house in a key, where a missing value would be unequal to itself. No tenant has this name.
_HOUSE = ""

_COLUMNS = "tenant, name, retention_days, created"


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection of a tenant. Without ``retention_days``, its documents stay until they are deleted."""

    tenant: str | None
    name: str
    retention_days: int | None
    created: datetime


class Collections:
    """The collections that somebody set up. Others exist by having documents."""

    def __init__(self, database: ServiceDatabase, clock: Clock = now) -> None:
        self._database, self._clock = database, clock

    def put(self, tenant: str | None, name: str, retention_days: int | None) -> Collection:
        """Set a collection up, or change how long its documents are kept."""
        if retention_days is not None and not 1 <= retention_days <= LONGEST_DAYS:
            raise InputError(f"retention_days: {retention_days} is out of range; give 1 to {LONGEST_DAYS}, or nothing")
        ask = (
            "INSERT INTO collections VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE"
            f" SET retention_days = excluded.retention_days RETURNING {_COLUMNS}"
        )
        values = tenant or _HOUSE, name, retention_days, stored(self._clock())
        return _collection(self._database.write(ask, *values)[0])

    def get(self, tenant: str | None, name: str) -> Collection | None:
        """The collection of a name, if it was set up."""
        ask = f"SELECT {_COLUMNS} FROM collections WHERE tenant = ? AND name = ?"
        row = self._database.first(ask, tenant or _HOUSE, name)
        return None if row is None else _collection(row)

    def listed(self, tenant: str | None, *, everyone: bool = False) -> list[Collection]:
        """The collections of a tenant, or of ``everyone``, by name."""
        ask = f"SELECT {_COLUMNS} FROM collections WHERE ? OR tenant = ? ORDER BY tenant, name"
        return [_collection(row) for row in self._database.read(ask, everyone, tenant or _HOUSE)]

    def limited(self) -> list[Collection]:
        """The collections whose documents are not kept for ever."""
        return [each for each in self.listed(None, everyone=True) if each.retention_days is not None]

    def delete(self, tenant: str | None, name: str) -> bool:
        """Forget a collection's settings; its documents stay. False if it was not set up."""
        ask = "DELETE FROM collections WHERE tenant = ? AND name = ? RETURNING name"
        return bool(self._database.write(ask, tenant or _HOUSE, name))


def _collection(row: tuple[Any, ...]) -> Collection:
    return Collection(row[0] or None, row[1], row[2], read(row[3]))
