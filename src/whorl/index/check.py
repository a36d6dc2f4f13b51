"""Check one manuscript against an index: which source explains which stretch, what share that is, what does not count.

Shares are counted in letters: letters and digits, in a program the characters of its tokens, since comments are not
compared. A letter belongs to one source at most, so shares add up to the overall similarity. Sources take letters
greedily: first the one that explains most, then the one that explains most of the rest, and so on.

In a large index, nearly all code of any program is found somewhere, in idioms of two or three lines. So a passage of a
program counts if it has a run of tokens that is longer than unrelated programs share.
"""

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import lru_cache
from heapq import heapify, heappop, heappush
from math import ceil, log2
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from whorl.catalog import FRONTENDS
from whorl.errors import DocumentError, InputError, UnsuitedError, checked_number
from whorl.formats.archives.names import printable
from whorl.formats.code.languages import LANGUAGES
from whorl.formats.documents.extraction import SectionMark
from whorl.formats.documents.hidden import FORMATS, hidden_text
from whorl.formats.documents.pages import NO_TEXT
from whorl.formats.encoding import load_content
from whorl.formats.reading import CODE
from whorl.index.base import BaseIndex
from whorl.index.memory import MemoryIndex
from whorl.index.places import Reason, find_places, letters_of, locate
from whorl.index.prepare import MOST_BYTES, refuse_larger
from whorl.index.search import Hit, Hits, Wanted, first_match
from whorl.index.store import Entry
from whorl.matching.chains import MARGIN
from whorl.matching.passage import EDITED, Match, Measure, Passage, Side, covered_once, stretches, subtract, union
from whorl.model import Document, Span, Stream, title_of
from whorl.scheme import Scheme

# Sources that are listed: more than an editor looks at. All count.
LIMIT = 100
# Ignore the rest of a source or of a passage below this many letters: a few words that happen to continue a match.
RESIDUE = 20
# Characters of hidden text that a note shows.
EXAMPLE = 40
# Letters of a source before and after a passage: a program's docstring, comments and imports, which are no tokens.
CONTEXT = 400
# Bits of a token that does not repeat the match before it, in unrelated programs: docs/decisions/0006-code-tokens.md.
TOKEN_BITS = 1.75
# Bytes of a manuscript that is text at most: 10,000 pages.
MOST_TEXT = 32 << 20


# A name, a word of a string, or a number of four digits or more: tables of small numbers have the same ones.
_WORD = re.compile(r"[^\W\d]\w*|\w{4,}")


@dataclass(frozen=True, kw_only=True)
class Exclusions:
    """The exclusions: parts that do not count.

    ``sources`` are patterns of names, titles or URLs, such as ``*/own/*``; ``labels`` and ``owners`` are patterns too.
    ``before`` and ``after`` leave out sources that are dated before or after a day, a month or a year, such as
    ``2024-05``. ``min_words`` leaves out passages with fewer words, after the other exclusions. ``min_tokens`` leaves
    out common code: passages without so many different tokens or words in a row. None chooses it by the number and
    size of the candidate sources; prose has no such limit.
    """

    quotations: bool = True
    bibliography: bool = True
    min_words: int = 0
    min_tokens: int | None = None
    sources: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    before: str | None = None
    after: str | None = None

    def __post_init__(self) -> None:
        numbers = {"min_words": self.min_words, "min_tokens": self.min_tokens or 0}
        faults = [f"{name}: {number} is out of range; give 0 or more" for name, number in numbers.items() if number < 0]
        for name in ("before", "after"):
            given = getattr(self, name)
            if given is not None and (not _DATE.fullmatch(given) or _days(given) is None):
                faults.append(f"{name}: {given!r} is no date; write it as 2024-05-31, 2024-05 or 2024")
        if faults:
            raise InputError("; ".join(faults))

    def applies(self, reason: Reason) -> bool:
        """Return whether places of this kind are left out."""
        return {Reason.QUOTATION: self.quotations, Reason.BIBLIOGRAPHY: self.bibliography}.get(reason, True)

    @property
    def counts(self) -> Wanted | None:
        """The rule that says whether a source counts; None if all do."""
        leaves_out = self.sources or self.labels or self.owners or self.before or self.after
        return (lambda entry: not self.reason(entry)) if leaves_out else None

    def reason(self, entry: Entry) -> str:
        """Return why a source does not count, or ""."""
        names = [name for name in (entry.name, title_of(entry.name, entry.labels), entry.url) if name]
        if pattern := first_match(self.sources, names):
            return f"its name matches {pattern}"
        if pattern := first_match(self.labels, entry.labels):
            return f"it has the label {pattern}"
        if pattern := first_match(self.owners, [entry.owner] if entry.owner else []):
            return f"its owner is {pattern}"
        days, before, after = (_days(text or "") for text in (entry.date, self.before, self.after))
        if days and before and days.last < before.first:
            return f"it is dated before {self.before}"
        if days and after and days.first > after.last:
            return f"it is dated after {self.after}"
        return ""

    def is_undatable(self, entry: Entry) -> bool:
        """Return whether dates matter, and the source has one that cannot be compared."""
        return bool(self.before or self.after) and bool(entry.date) and _days(entry.date or "") is None


_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
# A date in an index: as above, without hyphens, or with a time.
_DATED = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?|(\d\d)(\d\d))?(?:[T ].*)?")


class _Days(NamedTuple):
    """The first and the last day that a date may mean."""

    first: date
    last: date


@lru_cache(1024)
def _days(text: str) -> _Days | None:
    """Return the days of a date: a day, a month or a year. None if the text is no such date."""
    found = _DATED.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day = int(found[1]), found[2] or found[4], found[3] or found[5]
    try:
        first = date(year, int(month or 1), int(day or 1))
    except ValueError:
        return None
    if day:
        return _Days(first, first)
    return _Days(first, date(year, first.month, monthrange(year, first.month)[1]) if month else date(year, 12, 31))


@dataclass(frozen=True, slots=True)
class SourcePassage:
    """A passage of a source: the ``spans`` of the manuscript that match, and the text of the source around it.

    ``text`` is None if the index keeps no texts. An edited passage has one span: words that were changed count as well.
    ``tokens`` is the number of different tokens or words in the longest run of a program's; None for a text.
    """

    spans: tuple[Span, ...]
    passage: Passage
    text: str | None = None
    before: str = ""
    after: str = ""
    tokens: int | None = None

    def is_common(self, rules: Exclusions) -> bool:
        """Return whether the passage is common code."""
        return self.tokens is not None and self.tokens < (rules.min_tokens or 0)

    @property
    def is_edited(self) -> bool:
        """Whether a deep check found the passage, with changed words in it."""
        return self.passage.stream == EDITED


@dataclass(frozen=True, slots=True)
class ManuscriptSource:
    """A document that shares passages with the manuscript. ``excluded`` says why it does not count, or is empty."""

    document: Entry
    passages: tuple[SourcePassage, ...]
    excluded: str = ""

    @property
    def title(self) -> str:
        """The title in its label ``title=…``, or else its name; for a record of a crawl, its URL."""
        return title_of(self.document.name, self.document.labels, self.document.url)


@dataclass(frozen=True, slots=True)
class SourceShare:
    """The part that a source explains, as shares of the manuscript's letters.

    ``share`` counts the ``spans`` that no better source took, ``total`` all that it matches, ``alone`` what no other
    source matches. ``source`` is its place in ``ManuscriptCheck.sources``.
    """

    source: int
    share: float
    total: float
    alone: float
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Attribution:
    """The overall ``similarity``, and the sources that explain it, best first."""

    similarity: float
    shares: tuple[SourceShare, ...]


@dataclass(frozen=True, slots=True)
class ManuscriptCheck:
    """The result of a check. ``raw`` counts everything, ``counted`` leaves out the exclusions. ``places`` has the
    stretches of the manuscript for each reason, whether they are left out or not. All ``sources`` count; the output
    lists the best ``limit`` of them."""

    name: str
    text: str
    format: str
    notes: tuple[str, ...]
    marks: tuple[SectionMark, ...]
    measure: Measure
    sources: tuple[ManuscriptSource, ...]
    places: Mapping[Reason, tuple[Span, ...]]
    exclusions: Exclusions
    raw: Attribution
    counted: Attribution
    limit: int = LIMIT

    @property
    def letters(self) -> int:
        """The letters that were compared: all of a text, those of a program's tokens."""
        return self.measure.total

    @property
    def is_program(self) -> bool:
        """Whether the manuscript is source code."""
        return _is_program(self.format)

    @property
    def has_tokens(self) -> bool:
        """Whether passages were compared by their tokens: those of programs and of the code in notebooks."""
        return any(passage.tokens is not None for source in self.sources for passage in source.passages)

    def counted_passages(
        self, *, with_common: bool = False
    ) -> Iterator[tuple[ManuscriptSource, SourcePassage, list[Span]]]:
        """Yield the passages of sources that count, and the spans of each outside of exclusions; ``with_common``, also
        those of common code."""
        rules = replace(self.exclusions, min_tokens=0) if with_common else self.exclusions
        excluded = _excluded(self.places, rules)
        for source in self.sources:
            for passage, rest in _counted_passages(source, excluded, rules, self.measure):
                yield source, passage, rest

    def page(self, place: int) -> int | None:
        """Return the number of the page at a place of the text; None if the format has no pages."""
        pages = [mark for mark in self.marks if mark.kind == "page"]
        return max((mark.number for mark in pages if mark.start <= place), default=1) if pages else None

    def as_dict(self) -> dict[str, Any]:
        """Return the result for output."""
        return {
            "name": self.name, "format": self.format, "letters": self.letters, "notes": list(self.notes),
            "similarity": {"raw": self.raw.similarity, "counted": self.counted.similarity},
            "exclusions": asdict(self.exclusions),
            "excluded": {reason.value: [list(span) for span in spans] for reason, spans in self.places.items()},
            "sources": [self._source(number, self.sources[number]) for number in self.ranked()[: self.limit]],
            "further": self.further(),
        }  # fmt: skip

    def ranked(self) -> list[int]:
        """Return the places of the sources, by what they explain: after exclusions first, then the others."""
        order = [share.source for share in (*self.counted.shares, *self.raw.shares)]
        return list(dict.fromkeys((*order, *range(len(self.sources)))))

    def further(self) -> dict[str, float]:
        """Return how many sources are not listed, and what they explain together."""
        others = set(self.ranked()[self.limit :])
        raw, counted = (
            sum(share.share for share in attribution.shares if share.source in others)
            for attribution in (self.raw, self.counted)
        )
        return {"sources": len(others), "raw": raw, "counted": counted}

    def _source(self, number: int, source: ManuscriptSource) -> dict[str, Any]:
        shares = {"raw": _figures(self.raw, number), "counted": _figures(self.counted, number)}
        passages = [self._passage(passage) for passage in source.passages]
        reason = {"excluded": source.excluded} if source.excluded else {}
        return {"document": source.document.as_dict(), "title": source.title, **shares, **reason, "passages": passages}

    def _passage(self, found: SourcePassage) -> dict[str, Any]:
        left, right = found.passage.left, found.passage.right
        page = {} if (number := self.page(left.start)) is None else {"page": number}
        text = {} if found.text is None else {"text": found.text}
        tokens = {} if found.tokens is None else {"tokens": found.tokens}
        spans = [list(span) for span in found.spans]
        return {
            "left": {**_place(left), **page, "text": self.text[left.start : left.end]},
            "right": {**_place(right), **text}, "spans": spans, "symbols": found.passage.symbols,
            **tokens, "edited": found.is_edited,
        }  # fmt: skip


def _is_program(name: str) -> bool:
    return name in LANGUAGES and name not in FRONTENDS.declared


def _figures(attribution: Attribution, number: int) -> dict[str, float]:
    share = next((share for share in attribution.shares if share.source == number), None)
    return {name: getattr(share, name, 0.0) for name in ("share", "total", "alone")}


def _place(side: Side) -> dict[str, Any]:
    return {name: value for name, value in side._asdict().items() if name != "file"}


def check_manuscript(
    index: BaseIndex, document: Document | Path, *, exclusions: Exclusions | None = None,
    base: "Sequence[Document] | BaseTexts" = (), limit: int = LIMIT, wanted: Wanted | None = None,
    deep_seconds: float | None = None,
) -> ManuscriptCheck:  # fmt: skip
    """Check a manuscript against an index. All sources count; ``limit`` of them are listed. ``wanted`` returns whether
    a document may be a source. Text that is also in a ``base`` document does not count; ``BaseTexts`` are read once for
    many manuscripts.

    With ``deep_seconds``, look for passages with changed words too, in the likeliest sources and for that many seconds;
    a note says in how many. Such a passage counts as a whole.

    Raises DocumentError if the manuscript cannot be read, is too large or has no text, and InputError if a document of
    ``base`` cannot be read.
    """
    checked_number("limit", limit, 1)
    document = document if isinstance(document, Document) else Document(str(document), document)
    refuse_large(document, index.scheme)
    rules = exclusions or Exclusions()
    with index.reading():
        hits = index.explain(document, wanted=wanted, counted=rules.counts, deep_seconds=deep_seconds)
        return check_hits(index, document, hits, rules, base=base, limit=limit)


def check_hits(
    index: BaseIndex, document: Document, hits: Hits, rules: Exclusions, *,
    base: "Sequence[Document] | BaseTexts" = (), limit: int = LIMIT,
) -> ManuscriptCheck:  # fmt: skip
    """Check a manuscript against the documents that explain it, as ``Index.explain`` returns them. Call it inside
    ``index.reading()``."""
    if not hits.text.strip():
        raise DocumentError(NO_TEXT if NO_TEXT in hits.notes else "no text to check", document.name)
    stream = hits.stream if index.scheme.frontend == CODE else None
    runs = None if stream is None else _TokenRuns(stream, hits.text, index.scheme.k)
    if stream is not None and rules.min_tokens is None:
        rules = replace(rules, min_tokens=_longest_by_chance(hits, len(stream)))
    found = (_source(index, hit, hits.text, rules, runs) for hit in hits)
    sources = tuple(sorted((source for source in found if source.passages), key=_order))
    places = _places(document, hits, index.scheme)
    texts = base if isinstance(base, BaseTexts) else BaseTexts(index.scheme, base)
    if texts:
        places[Reason.BASE] = tuple(union(texts.spans(document, hits.text)))
    everything = [[span for passage in source.passages for span in passage.spans] for source in sources]
    excluded = _excluded(places, rules)
    unseen, about_unseen = _unseen(document, hits, union(span for spans in everything for span in spans))
    measure = Measure(hits.text, None if stream is None or not _is_program(hits.format) else stream.spans, unseen)
    notes = (*hits.notes, *about_unseen, *_reversed(hits.text), *_undatable(hits, rules))
    return ManuscriptCheck(
        document.name, hits.text, hits.format, notes, hits.marks, measure, sources, places, rules,
        attribute(everything, measure),
        attribute([_counted(source, excluded, rules, measure) for source in sources], measure), limit,
    )  # fmt: skip


def refuse_large(document: Document, scheme: Scheme) -> None:
    """Refuse a manuscript before it is read if it would take minutes and gigabytes."""
    refuse_larger(document, scheme, MOST_TEXT, MOST_BYTES)


def _places(document: Document, hits: Hits, scheme: Scheme) -> dict[Reason, tuple[Span, ...]]:
    """Return the places of a manuscript that may not count. A program has none."""
    if scheme.frontend == CODE or _is_program(hits.format):
        return {}
    return find_places(document, hits.text, hits.format, hits.marks, scheme)


# Letters that are not seen and make no difference: a label for screen readers, a printer's mark.
LITTLE = 60


def _unseen(document: Document, hits: Hits, matched: Sequence[Span]) -> tuple[list[Span], tuple[str, ...]]:
    """Return the spans that are not seen on the pages and that no source has, and a note. What a source has counts in
    any case: white letters may stand on a dark ground that was not recognised."""
    if hits.format not in FORMATS:
        return [], ()
    try:
        pieces = hidden_text(load_content(document.content), hits.format, sheets=True)
    except DocumentError as error:
        return [], (f"hidden text was not searched: {error.reason}",)
    amount = sum(len(letters_of(piece)) for piece in pieces)
    if amount <= LITTLE:
        return [], ()
    spans, missed = locate(pieces, hits.text)
    if not missed:
        counting = "they do not count, unless a source has them"
    elif spans:
        counting = f"{missed:,} of them count, since their places are not known"
    else:
        counting = "they count, so the similarity may be too low"
    example = printable(" ".join(pieces)[:EXAMPLE])
    note = f"{amount:,} letters of this file are not shown on its pages (“{example}…”): {counting}"
    return subtract(spans, matched), (note,)


# Letters that a right-to-left override turns round, up to its end or that of the line.
_OVERRIDDEN = re.compile("\u202e([^\u202c\n]*+)")


def _reversed(text: str) -> Iterator[str]:
    """Yield a note if letters are shown in reverse order: a copy whose letters are stored backwards looks like one."""
    amount = sum(len(letters_of(piece)) for piece in _OVERRIDDEN.findall(text))
    if amount > LITTLE:
        yield (
            f"{amount:,} letters of this file are shown in reverse order (U+202E): they are compared as they are"
            " stored, so the similarity may be too low"
        )


def _order(source: ManuscriptSource) -> tuple[int, int, str]:
    """Order sources by the letters that they have. Of equals, the shorter document comes first, whatever the key."""
    spans = union(span for passage in source.passages for span in passage.spans)
    return -sum(span.end - span.start for span in spans), source.document.symbols, source.document.name


def _longest_by_chance(hits: Hits, tokens: int) -> int:
    """Return how many tokens in a row a program shares with unrelated ones at most, as ``chains.MARGIN`` says for two.
    A run may begin at each token of the program and of each candidate."""
    length = sum(hit.document.symbols for hit in hits) / max(1, len(hits))
    places = max(1, tokens) * max(1, hits.cost.candidates) * max(1.0, length)
    return ceil((log2(places) + MARGIN) / TOKEN_BITS)


class _TokenRuns:
    """Counts the different tokens or words of a program's matches.

    A table of numbers matches every other one, however long. So tokens count that do not repeat a k-gram of the match.
    A copy of a table has the same words.
    """

    def __init__(self, stream: Stream, text: str, k: int) -> None:
        self._k, self._starts = k, stream.spans.starts
        grams = np.lib.stride_tricks.sliding_window_view(stream.symbols, k) if len(stream) >= k else np.zeros((0, k))
        self._grams: list[int] = np.unique(grams, axis=0, return_inverse=True)[1].ravel().tolist()
        self._words = [_WORD.findall(text[start:end]) for start, end in stream.spans]

    def longest(self, passage: Passage, other: str | None) -> int:
        """Return the different tokens or words of the match that has most of them. ``other`` is the text of the source,
        if it is known."""
        return max((self._different(match, other or "") for match in passage.matches), default=0)

    def _different(self, match: Match, other: str) -> int:
        first = int(self._starts.searchsorted(match.left.start))
        tokens = len(set(self._grams[first : first + match.symbols - self._k + 1])) + self._k - 1
        words = {word for each in self._words[first : first + match.symbols] for word in each}
        if len(words) <= tokens:
            return tokens
        return max(tokens, len(words.intersection(_WORD.findall(other[slice(*match.right)]))))


def _source(index: BaseIndex, hit: Hit, text: str, rules: Exclusions, runs: _TokenRuns | None) -> ManuscriptSource:
    other = index.text_of(hit.document) if hit.verified else None
    passages = tuple(passage for each in hit.passages if (passage := _source_passage(each, text, other, runs)).spans)
    return ManuscriptSource(hit.document, passages, rules.reason(hit.document))


def _source_passage(passage: Passage, text: str, other: str | None, runs: _TokenRuns | None) -> SourcePassage:
    whole = Span(passage.left.start, passage.left.end)
    spans = (whole,) if passage.stream == EDITED else tuple(stretches(passage, text))
    tokens = runs.longest(passage, other) if runs is not None else None
    if other is None:
        return SourcePassage(spans, passage, tokens=tokens)
    start, end = passage.right.start, passage.right.end
    before, after = other[max(0, start - CONTEXT) : start], other[end : end + CONTEXT]
    return SourcePassage(spans, passage, other[start:end], before, after, tokens)


class BaseTexts:
    """Texts that do not count where a manuscript has them: templates, standard phrases. They are read once."""

    def __init__(self, scheme: Scheme, documents: Iterable[Document] = ()) -> None:
        self._index = MemoryIndex.create(scheme)
        for document in documents:
            try:
                self.add(document)
            except DocumentError as error:
                raise InputError(f"base: {document.name}: {error.reason}") from error

    def __len__(self) -> int:
        return self._index.documents

    def add(self, document: Document) -> None:
        """Add a text. Raises DocumentError if it cannot be read, has no text, or is of a kind that the scheme does not
        read."""
        # All have one owner, since what many owners have is ignored as common.
        self._index.add(replace(document, owner=Reason.BASE.value))
        entry = self._index.entry(document.name)
        if entry is not None and entry.symbols == 0:
            self._index.remove(document.name)
            raise DocumentError(NO_TEXT) if entry.format == "pdf" else UnsuitedError("no text to compare")

    def spans(self, document: Document, text: str) -> Iterator[Span]:
        """Yield what a manuscript shares with these texts."""
        for hit in self._index.search(document, limit=len(self)):
            yield from (span for passage in hit.passages for span in stretches(passage, text))


def _undatable(hits: Hits, rules: Exclusions) -> Iterator[str]:
    """Yield a note if sources count because their date cannot be compared."""
    dates = [str(hit.document.date) for hit in hits if rules.is_undatable(hit.document)]
    if dates:
        sources = "1 source has a date" if len(dates) == 1 else f"{len(dates):,} sources have dates"
        yield f"{sources} that cannot be compared, such as {printable(dates[0])!r}, and counts whatever its date"


def _excluded(places: Mapping[Reason, tuple[Span, ...]], rules: Exclusions) -> list[Span]:
    return union(span for reason, spans in places.items() if rules.applies(reason) for span in spans)


def _counted(source: ManuscriptSource, excluded: Sequence[Span], rules: Exclusions, measure: Measure) -> list[Span]:
    """Return the spans of a source that count."""
    return [span for _, rest in _counted_passages(source, excluded, rules, measure) for span in rest]


def _counted_passages(
    source: ManuscriptSource, excluded: Sequence[Span], rules: Exclusions, measure: Measure
) -> Iterator[tuple[SourcePassage, list[Span]]]:
    """Yield the passages that count, and the spans of each outside of exclusions. A quotation may continue for a word
    or two as in the source: fewer than ``RESIDUE`` letters beside exclusions are chance."""
    for passage in () if source.excluded else source.passages:
        rest = subtract(passage.spans, excluded)
        letters = measure.letters(rest)
        is_residue = letters < RESIDUE and letters < measure.letters(passage.spans)
        if measure.words(rest) >= rules.min_words and not is_residue and not passage.is_common(rules):
            yield passage, rest


def attribute(coverages: Sequence[Sequence[Span]], measure: Measure) -> Attribution:
    """Give every letter to one source; return the sources that get any, best first. Of equal ones the earlier wins.

    Fewer than ``RESIDUE`` letters that better sources left over are chance and are not counted.
    """
    full, total = [union(spans) for spans in coverages], max(1, measure.total)
    queue = [(-measure.letters(spans), number) for number, spans in enumerate(full)]
    heapify(queue)
    taken, shares, once = list[Span](), list[SourceShare](), covered_once(full)
    while queue:
        bound, number = heappop(queue)
        rest = subtract(full[number], taken)
        letters = measure.letters(rest)
        if letters and letters < -bound:  # a better source took some of it meanwhile
            heappush(queue, (-letters, number))
        elif letters and (letters >= RESIDUE or letters == measure.letters(full[number])):
            taken = union((*taken, *rest))
            alone = subtract(full[number], subtract(full[number], once))
            everything = measure.letters(full[number]) / total
            shares.append(SourceShare(number, letters / total, everything, measure.letters(alone) / total, tuple(rest)))
    return Attribution(measure.letters(taken) / total, tuple(shares))
