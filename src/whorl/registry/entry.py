"""What a registry knows of a document."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

# Days are counted from here.
FIRST_DAY = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Entry:
    """A document in a registry.

    ``number`` is whose postings are its: a new one with every draw. ``serial`` is its place in the order of
    registration, which stays. ``symbols`` is its length, ``stored`` and ``searched`` the sizes of its two fingerprints,
    ``digest`` that of the second; ``draws`` counts how often the first was drawn again, ``drawn`` is the day, counted
    from 1970, of the last time.
    """

    number: int
    serial: int
    name: str
    url: str | None
    date: str | None
    contact: str | None
    symbols: int
    stored: int
    searched: int
    digest: bytes
    draws: int
    drawn: int

    def as_dict(self) -> dict[str, Any]:
        """For people and scripts: what is known."""
        facts = {"id": self.name, "date": self.date, "url": self.url, "contact": self.contact}
        told = {name: value for name, value in facts.items() if value is not None}
        sizes = {"symbols": self.symbols, "stored": self.stored, "searched": self.searched}
        return {**told, **sizes, "rotations": self.draws, "drawn": day_of(self.drawn)}


def today() -> int:
    """The day, counted from 1970."""
    return (datetime.now(UTC).date() - FIRST_DAY).days


def day_of(number: int) -> str:
    """A day as people write it."""
    return (FIRST_DAY + timedelta(days=number)).isoformat()
