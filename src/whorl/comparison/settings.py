"""What a comparison is asked for, apart from the scheme. All defaults are here."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from whorl.collection.rules import Rules
from whorl.comparison.scores import MEASURES
from whorl.errors import FaultsError

# What the passages of a pair tell; the other measures are ``scores.MEASURES``.
LATE = ("coverage", "longest")
# Measures that are numbers and not shares.
COUNTS = ("shared", "longest")

THRESHOLD = 0.07


class SettingsError(FaultsError):
    """Settings have faults."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How submissions are read, which pairs are reported. Checks itself, and reports all its faults at once."""

    # What ranks the pairs. Coverage and the longest passage are known only of pairs that were looked at closely: the
    # best by score are.
    measure: str = "score"
    # The least that a pair must have of it to be reported. Independent programs for one task score below .06 for the
    # most part; two with one function in common may have .07. None: that, or 1 of what is counted in whole numbers.
    threshold: float | None = None
    # Pairs that are looked at closely and reported: more than a person reads.
    limit: int = 500
    # Fingerprints in more submissions than this are common, not copied: a number, or a share of all submissions. Beyond
    # a thousand, pairs that have nothing else in common would cost more than all others.
    max_share: int | float = 1000
    # The least score that puts two submissions into one cluster.
    cluster: float = 0.5
    # Compare programs in their normal form too, which rewriting does not change (docs/normal-form.md).
    normal_form: bool = True
    # Find the passages of prose whose words were changed too; and, with that, those that were drawn together from a
    # long text. Scores stay as they are.
    deep: bool = False
    summaries: bool = False
    # Give every submission and file another name.
    anonymise: bool = False
    # What the files are, whatever their content and names tell.
    format: str | None = None
    rules: Rules = field(default_factory=Rules)
    # Threads that read; parsers run in as many processes.
    threads: int = field(
        default_factory=lambda: len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
    )

    def __post_init__(self) -> None:
        if self.threshold is None:
            object.__setattr__(self, "threshold", 1 if self.measure in COUNTS else THRESHOLD)
        faults = list(_faults(self))
        if faults:
            raise SettingsError(faults)

    @property
    def least(self) -> float:
        """The threshold, which is known by now."""
        return self.threshold if self.threshold is not None else THRESHOLD

    def most(self, submissions: int) -> int:
        """How many submissions may have a fingerprint that is evidence."""
        if isinstance(self.max_share, float):
            return max(1, int(self.max_share * submissions))
        return self.max_share


def _faults(settings: Settings) -> Iterator[str]:
    for name in ("threshold", "cluster"):
        value = getattr(settings, name)
        most = float("inf") if name == "threshold" and settings.measure in COUNTS else 1
        if not _is_number(value) or not 0 <= value <= most:
            yield f"{name}: {value!r} is out of range; give a number from 0 to 1"
    if settings.measure not in (*MEASURES, *LATE):
        yield f"measure: {settings.measure!r} is unknown: choose one of {', '.join((*MEASURES, *LATE))}"
    for name in ("limit", "threads"):
        value = getattr(settings, name)
        if not isinstance(value, int) or value < 1:
            yield f"{name}: {value!r} is out of range; give 1 or more"
    if settings.summaries and not settings.deep:
        yield "summaries: the deep pass finds them; give deep too"
    share = settings.max_share
    if not _is_number(share) or share <= 0 or (isinstance(share, float) and share > 1):
        yield f"max_share: {share!r} is out of range; give a number of submissions, or a share from 0.0 to 1.0"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
