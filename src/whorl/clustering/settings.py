"""What a clustering is asked for, apart from the scheme. All defaults are here."""

from collections.abc import Iterator
from dataclasses import dataclass

from whorl.errors import FaultsError

MEASURES = ("resemblance", "containment")


class ClusterSettingsError(FaultsError):
    """Settings have faults."""


@dataclass(frozen=True, kw_only=True)
class ClusterSettings:
    """How alike documents of one cluster are, and what finding them may cost. Checks itself."""

    # The least of the measure that makes two documents a pair. The paper's 50%.
    threshold: float = 0.5
    # Resemblance: alike as wholes. Containment: the smaller is a part of the larger.
    measure: str = "resemblance"
    # One shingle in so many is in a sketch; documents with few shingles keep more of them. The paper's 25 is no power
    # of two, and only those nest.
    modulus: int = 16
    # Shingles that a sketch keeps at the least, if the document has them: fewer would miss half of the copies.
    least: int = 32
    # Shingles in more documents than this are common: forms, licences, navigation. The paper's 1,000.
    common: int = 1000
    # Take the sketches' estimate for the measure, and verify nothing.
    estimate: bool = False
    # The paper's plain components, without the guard against chains.
    closure: bool = False
    # Bytes of postings and pairs that are held before they go to the disk.
    memory: int = 1 << 30

    def __post_init__(self) -> None:
        faults = list(_faults(self))
        if faults:
            raise ClusterSettingsError(faults)


def _faults(settings: ClusterSettings) -> Iterator[str]:
    if not 0 < settings.threshold <= 1:
        yield f"threshold: {settings.threshold!r} is out of range; give a number above 0, up to 1"
    if settings.measure not in MEASURES:
        yield f"measure: {settings.measure!r} is unknown: choose one of {', '.join(MEASURES)}"
    if isinstance(settings.modulus, int) and settings.modulus > 0 and settings.modulus.bit_count() != 1:
        yield f"modulus: {settings.modulus} is no power of two"
    for name, low in (("modulus", 1), ("least", 1), ("common", 2), ("memory", 1 << 20)):
        value = getattr(settings, name)
        if not isinstance(value, int) or value < low:
            yield f"{name}: {value!r} is out of range; give {low} or more"
