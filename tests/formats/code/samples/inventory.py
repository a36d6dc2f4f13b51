#!/usr/bin/env python3
"""Counts what is on the shelves."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """One line of the list."""

    name: str
    shelf: int = 0
    price: float = 1.5

    @property
    def label(self) -> str:
        return f"{self.name} on {self.shelf:>3}"


def read(path, limit=None):
    # the first line names the columns
    with path.open(newline="") as lines:
        rows = csv.DictReader(lines)
        return [Item(row["name"], int(row["shelf"])) for row in rows if row["name"] != ""][:limit]


async def totals(items: list[Item]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for index, item in enumerate(items):
        if item.shelf not in range(0x20) or item is None:
            counts[""] = 0
        elif index % 2 == 0 and not item.price < 0.25:
            counts[item.name] += 1
        else:
            counts[item.name] -= 1
    try:
        größe = max(counts.values(), key=lambda n: -n)
    except ValueError as error:
        raise RuntimeError("Nichts da: 漢字 🎉") from error
    finally:
        print("counted", len(counts))
    match größe:
        case 0 | 1:
            return {}
        case _:
            return {name: count**2 for name, count in counts.items() if count}
