"""What a clustering is asked for, apart from the scheme. All defaults are here."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from whorl.errors import FaultsError

MEASURES = ("resemblance", "containment")

# By measure. Documents that resemble each other at 0.4 share 57% of their shingles: of four words each, one word in
# eight may differ. Half of a document, whose resemblance to it is a half less the cut, is found as well.
THRESHOLDS = {"resemblance": 0.4, "containment": 0.5}

# By measure. A part must show in the sketch of a whole that is many times as long.
MODULI = {"resemblance": 16, "containment": 4}


class ClusterSettingsError(FaultsError):
    """Settings have faults."""


@dataclass(frozen=True, kw_only=True)
class ClusterSettings:
    """How alike documents of one cluster are, and what finding them may cost. Checks itself."""

    # Resemblance: alike as wholes. Containment: the smaller is a part of the larger.
    measure: str = "resemblance"
    # The least of the measure that makes two documents a pair; 0 is what THRESHOLDS has for it.
    threshold: float = 0
    # One shingle in so many is in a sketch; documents with few shingles keep more of them. The paper's 25 is no power
    # of two, and only those nest. 0 is what MODULI has for the measure.
    modulus: int = 0
    # Shingles that a sketch keeps at the least, if the document has them: fewer would miss half of the copies.
    least: int = 32
    # Shingles in more documents than this are common: forms, licences, navigation. The paper's 1,000.
    common: int = 1000
    # Candidates are documents that share a super shingle: fewer to look at, and those that are much alike.
    super_shingles: bool = False
    # Take the sketches' estimate for the measure, and verify nothing.
    estimate: bool = False
    # The paper's plain components, without the guard against chains.
    closure: bool = False
    # Bytes of postings and pairs that are held before they go to the disk.
    memory: int = 1 << 30
    # Threads that read and verify; 0 is one for each core that this process may use.
    workers: int = 0

    def __post_init__(self) -> None:
        for name, defaults in (("threshold", THRESHOLDS), ("modulus", MODULI)):
            if getattr(self, name) == 0 and self.measure in defaults:
                object.__setattr__(self, name, defaults[self.measure])
        faults = list(_faults(self))
        if faults:
            raise ClusterSettingsError(faults)

    @property
    def threads(self) -> int:
        """The number of workers in fact."""
        if self.workers:
            return self.workers
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _faults(settings: ClusterSettings) -> Iterator[str]:
    if not 0 < settings.threshold <= 1:
        yield f"threshold: {settings.threshold!r} is out of range; give a number above 0, up to 1"
    if settings.measure not in MEASURES:
        yield f"measure: {settings.measure!r} is unknown: choose one of {', '.join(MEASURES)}"
    if isinstance(settings.modulus, int) and settings.modulus > 0 and settings.modulus.bit_count() != 1:
        yield f"modulus: {settings.modulus} is no power of two"
    if settings.super_shingles and settings.measure == "containment":
        yield (
            "super shingles: they find documents that are alike as wholes, not a part in a larger one; "
            "leave them out for containment"
        )
    for name, low in (("modulus", 1), ("least", 1), ("common", 2), ("memory", 1 << 20), ("workers", 0)):
        value = getattr(settings, name)
        if not isinstance(value, int) or value < low:
            yield f"{name}: {value!r} is out of range; give {low} or more"
