"""Cluster the near-duplicates of a collection, in the four phases of Broder, Glassman, Manasse and Zweig (1997).

Sketch every document; sort ⟨shingle, document⟩; expand to ⟨document, document, count⟩; join the pairs that reach the
threshold.

This module has the settings of a clustering, and their defaults.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from whorl.errors import FaultsError, InputError, UnknownNameError, checked_number, checked_share

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
        measure = self.measure if self.measure in MEASURES else MEASURES[0]  # an unknown one is the only fault then
        for name, defaults in (("threshold", THRESHOLDS), ("modulus", MODULI)):
            if getattr(self, name) == 0:
                object.__setattr__(self, name, defaults[measure])
        faults = []
        for name, checked in _CHECKED.items():
            try:
                object.__setattr__(self, name, checked(name, getattr(self, name)))
            except InputError as error:
                faults.append(str(error))
        faults += _faults(self)
        if faults:
            raise ClusterSettingsError(faults)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Return the settings of a call, checked. Raise UnknownNameError for an option that is none of them."""
        names = [field.name for field in fields(cls)]
        for name in options:
            if name not in names:
                raise UnknownNameError("setting", name, names)
        return cls(**options)

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
    if settings.measure not in MEASURES:
        yield f"measure: {settings.measure!r} is unknown; choose one of {', '.join(MEASURES)}"
    if isinstance(settings.modulus, int) and settings.modulus > 0 and settings.modulus.bit_count() != 1:
        yield f"modulus: {settings.modulus} is not a power of two"
    if settings.super_shingles and settings.measure == "containment":
        yield ("super shingles: they do not find a part in a larger document; leave them out for containment")


def _at_least(low: int) -> Callable[[str, object], int]:
    return lambda name, value: checked_number(name, value, low)


# The settings that are numbers, and what returns each of them checked.
_CHECKED: dict[str, Callable[[str, object], object]] = {
    "threshold": checked_share,
    "modulus": _at_least(1),
    "least": _at_least(1),
    "common": _at_least(2),
    "boilerplate": lambda name, value: None if value is None else checked_number(name, value, 0),
    "memory": _at_least(1 << 20),
    "workers": _at_least(0),
}
