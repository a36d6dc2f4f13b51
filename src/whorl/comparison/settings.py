"""The settings of a comparison with all defaults, and the choice of the scheme."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

from whorl.catalog import FRONTENDS
from whorl.comparison.layouts import AUTO, LAYOUTS, NONE, Layout, course_exports, find_layouts
from whorl.errors import DocumentError, FaultsError
from whorl.formats.archives.rules import SUBMISSIONS, Rules
from whorl.formats.archives.walk import Item, Walk, children
from whorl.formats.code.languages import LANGUAGES, is_program
from whorl.formats.detection import TEXT, extensions, format_of, head
from whorl.formats.encoding import Source, decode
from whorl.formats.reading import CODE, guessed
from whorl.model import Document
from whorl.scheme import Scheme, preset
from whorl.stores import is_index

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
        yield f"max_share: {share!r} is out of range; give a number of submissions, or a share above 0 and up to 1.0"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


# Submissions to inspect, evenly chosen by their names, and files of each: so many with names of programs, of documents
# and of neither, so that a folder of data does not hide the program beside it.
INSPECTED, EACH = 200, 5
# Maximum bytes of a file that count, a few pages: one long file does not decide the kind of a submission.
COUNTED = 8192
# Bytes of prose beside each byte of programs: with more, as in an essay with a script of three lines, it is prose.
PROSE = 10
# Files about a submission or a class, which are not its prose.
ABOUT = re.compile(r"(?:readme|licen[cs]e|copying|changelog)\b", re.I)


def scheme_for(paths: Iterable[Path], settings: Settings) -> Scheme:
    """Return the preset ``code`` if at least half of the inspected submissions are programs or notebooks, else
    ``text``. Those with neither programs nor prose do not count."""
    if settings.format is not None:
        return preset("code" if is_code(settings.format) else "text")
    if settings.layout != NONE:
        paths = [export for path in paths for export in course_exports(path, settings.rules)]
    kinds: Counter[bool] = Counter()
    for path in dict.fromkeys(paths):
        layout = find_layouts([path], [], settings.rules, settings.layout)[0].get(path)
        amounts: dict[str, _Amounts] = {}
        for child, item in _inspected(path, layout, settings.rules):
            if isinstance(item, Document):
                amounts.setdefault(child, _Amounts()).add(item)
        kinds.update(each.is_code for each in amounts.values() if each.is_code or each.has_prose)
    return preset("code" if 0 < kinds[True] >= kinds[False] else "text")


@dataclass(slots=True)
class _Amounts:
    """How many bytes of programs and of prose a submission has. Web pages are prose without weight: they stand beside
    scripts, too."""

    programs: int = 0
    prose: int = 0
    has_prose: bool = False

    @property
    def is_code(self) -> bool:
        return self.programs > 0 and self.programs * PROSE >= self.prose

    def add(self, document: Document) -> None:
        """Count a file that is a program or prose; data and binary files are neither."""
        with Source(document.content) as source:  # type: ignore[arg-type]  # the walk yields bytes and paths
            size = len(source.read(0, COUNTED))
        try:
            name = format_of(document)
            language = guessed(document) if name == TEXT else name
        except DocumentError:
            return  # binary: reported when the files are read
        if language is not None and is_code(language):
            self.programs += size
        elif name in LANGUAGES:
            self.has_prose = True
        elif not ABOUT.match(document.name.rpartition("/")[2]) and (name != TEXT or _is_prose(document)):
            self.has_prose, self.prose = True, self.prose + size


def _is_prose(document: Document) -> bool:
    """Return whether a text has words: data have fewer blanks or letters."""
    text = decode(head(document.content)).text[:COUNTED]  # type: ignore[arg-type]  # the walk yields bytes and paths
    foreign = sum(letter > "\x7f" for letter in text)  # such as Chinese, which has no blanks
    is_worded = text.count(" ") * 10 >= len(text) and sum(map(str.isalpha, text)) * 5 >= len(text) * 3
    return is_worded or foreign * 2 >= len(text)


def _inspected(path: Path, layout: Layout | None, rules: Rules) -> Iterator[tuple[str, Item]]:
    """Yield the items of a path to inspect, with their submissions. In a folder, only these files are opened."""
    if is_index(path):
        return
    part = _chosen(path, layout, rules) if path.is_dir() else None
    if layout is None:
        items = ((each.child, each.item) for each in children(path, rules, part))
    else:
        members = (layout.member(item)[0] for item in Walk(path, rules, part).items())
        items = ((each.child, each.item) for each in members)
    quota = _Quota()
    yield from ((child, item) for child, item in items if isinstance(item, Document) and quota.admits(child, item.name))


def _chosen(path: Path, layout: Layout | None, rules: Rules) -> frozenset[int]:
    """Return the positions in the walk of the files to open, by their names alone."""
    quota, places = _Quota(), dict[str, list[int]]()
    for place, name in enumerate(Walk(path, rules).names()):
        child = name.partition("/")[0] if layout is None else layout.child(name)
        if quota.admits(child, name):
            places.setdefault(child, []).append(place)
    names = sorted(places)
    count = min(len(names), INSPECTED)
    some = (names[number * len(names) // count] for number in range(count))
    return frozenset(place for child in some for place in places[child])


class _Quota:
    """Admits the first few files of each kind of name of each submission."""

    def __init__(self) -> None:
        self._admitted: Counter[tuple[str, str]] = Counter()

    def admits(self, child: str, name: str) -> bool:
        extension = name.rpartition("/")[2].rpartition(".")[2].lower()
        is_known = "." not in name.rpartition("/")[2] or extension in extensions()
        kind = "program" if is_program(name) else "document" if is_known else "other"
        self._admitted[child, kind] += 1
        return self._admitted[child, kind] <= EACH


def is_code(name: str) -> bool:
    """Return whether a format is a program or a notebook; web pages are prose."""
    return name == "notebook" or (name in LANGUAGES and name not in FRONTENDS.declared)
