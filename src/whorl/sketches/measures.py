"""``whorl.resemblance`` and ``whorl.containment``: exact, on the full shinglings of two documents."""

from whorl.hashing.key import Key
from whorl.scheme import Scheme
from whorl.sketches.shingles import Readable
from whorl.sketches.shingling import shingling


def resemblance(
    a: Readable, b: Readable, scheme: Scheme | str = "web", *, counted: bool = False, key: Key = Key.PUBLIC
) -> float:
    """How much of what either document says both say: shingles in both, divided by shingles in either.

    1 - resemblance is a metric. ``counted``: the k-th occurrence of a shingle is a shingle of its own, so that saying a
    thing twice differs from saying it once.
    """
    return shingling(a, scheme, key).resemblance(shingling(b, scheme, key), counted)


def containment(
    a: Readable, b: Readable, scheme: Scheme | str = "web", *, counted: bool = False, key: Key = Key.PUBLIC
) -> float:
    """How much of what the first document says the second says too."""
    return shingling(a, scheme, key).containment(shingling(b, scheme, key), counted)
