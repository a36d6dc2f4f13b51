"""The settings of a comparison with all defaults, and the choice of the scheme."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any

from whorl.catalog import FRONTENDS
from whorl.comparison.layouts import AUTO, LAYOUTS
from whorl.errors import DocumentError, FaultsError
from whorl.formats.archives.rules import SUBMISSIONS, Rules
from whorl.formats.archives.walk import walk
from whorl.formats.code.languages import LANGUAGES
from whorl.formats.detection import format_of
from whorl.formats.reading import CODE
from whorl.model import Document, Skipped
from whorl.scheme import Scheme, preset

# Measures that fingerprints alone estimate.
MEASURES = ("score", "similarity", "containment", "shared")
# Measures that need the passages of a verified pair.
LATE = ("coverage", "longest")
# Measures that are counts and not shares.
COUNTS = ("shared", "longest")

THRESHOLD = 0.07

# Length of a long passage, in guarantees of the scheme, that lists a pair whatever its score: 66 tokens of a program in
# a row, or 195 letters of prose, a paragraph. Of 14,622 pairs of independent programs in labelled sets, 6 share 66
# tokens in a row, and 128 share 44. A paragraph of 60 words has 221 letters or more (docs/quality.md).
LONG_IN_CODE, LONG_IN_PROSE = 6, 5


class SettingsError(FaultsError):
    """The settings are invalid."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to read submissions and which pairs to list. Validates itself and reports all faults at once."""

    # Ranks the pairs. Coverage and the longest passage are known for verified pairs only: the best by score.
    measure: str = "score"
    # Hide pairs below this value. Independent programs for one task mostly score below .06; two that share one function
    # may have .07. None: that, or 1 for counts.
    threshold: float | None = None
    # Length of a passage, in symbols, that lists a pair whatever its score; in programs without a gap. 0: never. None:
    # ``LONG_IN_CODE`` or ``LONG_IN_PROSE`` guarantees.
    long: int | None = None
    # Maximum number of pairs to verify and list: more than a person reads.
    limit: int = 500
    # Ignore code found in more than this many submissions: a number, or a share of all submissions. Beyond a thousand,
    # pairs that share nothing else would cost more than all others.
    max_share: int | float = 1000
    # Minimum score to group two submissions.
    cluster: float = 0.5
    # Also compare the normal form of programs, which undoes rewrites (docs/normal-form.md).
    normal_form: bool = True
    # Also find edited passages of prose; with that, summaries of a long text. Scores do not change.
    deep: bool = False
    summaries: bool = False
    # Replace the names of submissions, files and people.
    anonymise: bool = False
    # How the paths are laid out: recognised, as they are (``none``), or the export of a course system.
    layout: str = AUTO
    # The format of all files, instead of the detected one.
    format: str | None = None
    # Which files to read. Ignore files and hidden folders of a submission have no effect: its author must not decide.
    rules: Rules = SUBMISSIONS
    # Reading threads; parsers run in as many processes.
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
        """The threshold, after its default is set."""
        return self.threshold if self.threshold is not None else THRESHOLD

    def long_passage(self, scheme: Scheme) -> int:
        """Return the length of a passage, in symbols, that lists a pair whatever its score, or 0. A scheme without a
        guarantee has none."""
        if scheme.guarantee is None:
            return 0
        lengths = LONG_IN_CODE if scheme.frontend == CODE else LONG_IN_PROSE
        return lengths * scheme.guarantee if self.long is None else self.long

    @staticmethod
    def needs_run(scheme: Scheme) -> bool:
        """Return whether a long passage must have no gap: small matches of independent programs make long chains, those
        of prose do not."""
        return scheme.frontend == CODE

    def most(self, submissions: int) -> int:
        """Return the maximum number of submissions with a fingerprint that counts."""
        if isinstance(self.max_share, float):
            return max(1, int(self.max_share * submissions))
        return self.max_share


def _faults(settings: Settings) -> Iterator[str]:
    for name in ("threshold", "cluster"):
        value = getattr(settings, name)
        is_count = name == "threshold" and settings.measure in COUNTS
        if not _is_number(value) or value < 0 or not (is_count or value <= 1):
            yield f"{name}: {value!r} is out of range; give {'0 or more' if is_count else 'a number from 0 to 1'}"
    if settings.measure not in (*MEASURES, *LATE):
        yield f"measure: {settings.measure!r} is unknown; choose one of {', '.join((*MEASURES, *LATE))}"
    if settings.layout not in LAYOUTS:
        yield f"layout: {settings.layout!r} is unknown; choose one of {', '.join(LAYOUTS)}"
    for name in ("limit", "threads"):
        value = getattr(settings, name)
        if not isinstance(value, int) or value < 1:
            yield f"{name}: {value!r} is out of range; give 1 or more"
    if settings.long is not None and (not isinstance(settings.long, int) or settings.long < 0):
        yield f"long: {settings.long!r} is out of range; give 0 or more symbols"
    if settings.summaries and not settings.deep:
        yield "summaries: only the deep pass finds them; add deep"
    share = settings.max_share
    if not _is_number(share) or share <= 0 or (isinstance(share, float) and share > 1):
        yield f"max_share: {share!r} is out of range; give a number of submissions, or a share from 0.0 to 1.0"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


# Files to inspect. A class without a program among them has none.
INSPECTED = 500


def scheme_for(paths: Iterable[Path], settings: Settings) -> Scheme:
    """Return the preset ``code`` if there is a program or a notebook among the files, else ``text``."""
    if settings.format is not None:
        return preset("code" if _is_code(settings.format) else "text")
    items = islice((item for path in paths for item in walk(path, settings.rules)), INSPECTED)
    return preset("code" if any(_is_program(item) for item in items) else "text")


def _is_program(item: Document | Skipped) -> bool:
    if isinstance(item, Skipped):
        return False
    try:
        return _is_code(format_of(item))
    except DocumentError:
        return False  # binary: reported when the files are read


def _is_code(name: str) -> bool:
    """Return whether a format is a program or a notebook; web pages are prose."""
    return name == "notebook" or (name in LANGUAGES and name not in FRONTENDS.declared)
