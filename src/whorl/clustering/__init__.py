"""Cluster the near-duplicates of a collection, in the four phases of Broder, Glassman, Manasse and Zweig (1997).

Sketch every document; sort ⟨shingle, document⟩; expand to ⟨document, document, count⟩; join the pairs that reach the
threshold.

This module has the settings of a clustering, and their defaults.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from whorl.errors import FaultsError

MEASURES = ("resemblance", "containment")

# By measure. Documents with a resemblance of 0.4 share 57% of their shingles: with four words each, one word in eight
# may differ. A document cut to slightly more than half is found too.
THRESHOLDS = {"resemblance": 0.4, "containment": 0.5}

# A shingle in more documents is boilerplate: one document in so many, within these limits.
BOILERPLATE_PART, LEAST_BOILERPLATE, MOST_BOILERPLATE = 10, 100, 1000

# By measure. A part must show in the sketch of a document many times as long.
MODULI = {"resemblance": 16, "containment": 4}


class ClusterSettingsError(FaultsError):
    """Invalid settings, all of them listed."""


@dataclass(frozen=True, kw_only=True)
class ClusterSettings:
    """How alike the documents of one cluster are, and what finding them may cost. Checks itself."""

    # Resemblance compares whole documents; containment finds the smaller in the larger.
    measure: str = "resemblance"
    # Minimum measure of a pair; 0 is the default of THRESHOLDS.
    threshold: float = 0
    # One shingle in so many is in a sketch; short documents keep more. The paper's 25 is not a power of two, and only
    # those nest. 0 is the default of MODULI.
    modulus: int = 0
    # Minimum number of shingles in a sketch, if the document has them; fewer would miss half of the copies.
    least: int = 32
    # Shingles in more documents than this are common and propose no candidates (the paper's 1,000).
    common: int = 1000
    # Shingles in more documents than this are boilerplate, such as licences and menus, and do not count; 0 counts all
    # shingles. The default depends on the number of documents: see ``most_documents``.
    boilerplate: int | None = None
    # Compare only documents that share a super shingle: fewer candidates, only close copies.
    super_shingles: bool = False
    # Use the estimates of the sketches; verify nothing.
    estimate: bool = False
    # Use plain connected components, without the guard against chains.
    closure: bool = False
    # Bytes of postings and pairs in memory before they go to disk.
    memory: int = 1 << 30
    # Threads that read and verify; 0 is one per core available to this process.
    workers: int = 0

    def __post_init__(self) -> None:
        for name, defaults in (("threshold", THRESHOLDS), ("modulus", MODULI)):
            if getattr(self, name) == 0 and self.measure in defaults:
                object.__setattr__(self, name, defaults[self.measure])
        faults = list(_faults(self))
        if faults:
            raise ClusterSettingsError(faults)

    def most_documents(self, documents: int) -> int:
        """Return the number of documents, of so many, that may have a shingle before it is boilerplate."""
        if self.boilerplate is None:
            return min(MOST_BOILERPLATE, max(LEAST_BOILERPLATE, documents // BOILERPLATE_PART))
        return self.boilerplate or documents

    @property
    def threads(self) -> int:
        """The number of threads to use."""
        if self.workers:
            return self.workers
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _faults(settings: ClusterSettings) -> Iterator[str]:
    if not 0 < settings.threshold <= 1:
        yield f"threshold: {settings.threshold!r} is out of range; give a number above 0, up to 1"
    if settings.measure not in MEASURES:
        yield f"measure: {settings.measure!r} is unknown; choose one of {', '.join(MEASURES)}"
    if isinstance(settings.modulus, int) and settings.modulus > 0 and settings.modulus.bit_count() != 1:
        yield f"modulus: {settings.modulus} is not a power of two"
    if settings.super_shingles and settings.measure == "containment":
        yield ("super shingles: they do not find a part in a larger document; leave them out for containment")
    if settings.boilerplate is not None and not _is_number(settings.boilerplate, 0):
        yield f"boilerplate: {settings.boilerplate!r} is out of range; give 0 or more"
    for name, low in (("modulus", 1), ("least", 1), ("common", 2), ("memory", 1 << 20), ("workers", 0)):
        value = getattr(settings, name)
        if not _is_number(value, low):
            yield f"{name}: {value!r} is out of range; give {low} or more"


def _is_number(value: object, low: int) -> bool:
    return isinstance(value, int) and value >= low
