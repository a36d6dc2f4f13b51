"""How many examples a property is tried on: as many as it asks for in ``make test-slow``, and fewer in other runs."""

import os
from collections.abc import Sequence
from typing import Any, TypeVar

from hypothesis import settings

T = TypeVar("T")

# A fault that a change brings shows on the first few examples nearly always; the rare ones are for the long run.
SHARES = {"all": 1, "some": 10, "few": 50}
SHARE = SHARES[os.environ.get("WHORL_EXAMPLES", "some")]
FEWEST = 10


def count(number: int) -> int:
    """Return how many of a number of examples are tried in this run."""
    return min(number, max(FEWEST, number // SHARE))


def some(items: Sequence[T]) -> Sequence[T]:
    """Return all items in the long run, and evenly spread ones in other runs."""
    return items[:: min(SHARE, max(1, len(items) // 2))]


def examples(number: int, **others: Any) -> settings:
    """Return the settings of a property that the long run tries on so many examples."""
    return settings(max_examples=count(number), **others)
