"""Search an index: look the query's fingerprints up, score and rank the documents that share them, find the passages.

This is Broder's on-the-fly resemblance, with the winnowing paper's spectrum (section 5.2): fewer look-ups, by a larger
window or by the smallest hashes alone, give coarser estimates. Passages are verified on the texts if the index stores
them; otherwise they are derived from the shared fingerprints.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.catalog import FRONTENDS
from whorl.engine.documents import WholeDocument, read_whole
from whorl.engine.hashing import Key
from whorl.engine.sampling import distinct
from whorl.errors import checked_number
from whorl.formats.code.languages import LANGUAGES
from whorl.formats.documents.extraction import SectionMark
from whorl.index.prepare import decompress
from whorl.index.store import Entry
from whorl.kernel import native_matching
from whorl.matching.evidence import evidence as evidence_of
from whorl.matching.evidence import sift
from whorl.matching.likeness import ComparedDocument, shared_passages
from whorl.matching.passage import EDITED, Lines, Match, Passage, Side, subtract, union
from whorl.model import Document, Span, Stream
from whorl.scheme import Scheme
from whorl.storage.postings import PostingHits

# Ignore fingerprints in documents of more owners than this.
COMMON_OWNERS = 1000

# Documents of one owner that rank first in a list of hits; further ones fill the rest of the list.
OF_ONE_OWNER = 3

# A document that shares less than another may still rank higher if it is shorter: score more than are wanted.
CLOSER = 20
BATCH = 256

# Returns whether a document is to be considered.
Wanted: TypeAlias = Callable[[Entry], bool]


class View(Protocol):
    """The part of an index that a search uses."""

    @property
    def documents(self) -> int:
        """The number of documents."""

    @property
    def sanctioned(self) -> NDArray[np.uint32]:
        """The numbers of sanctioned documents."""

    def look_up(self, hashes: NDArray[np.uint64]) -> PostingHits:
        """Return the postings of sorted hashes."""

    def numbered(self, number: int) -> Entry:
        """Return the document of a number."""

    def owners(self, numbers: Sequence[int]) -> dict[int, str | None]:
        """Return the owner of each document."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that shares fingerprints with the query.

    ``containment`` is the share of the query's fingerprints that the document has, ``contained`` the share of the
    document's that the query has; ``score`` is the mean of the resemblance and the larger of both. ``passages`` are
    verified on the texts if ``verified``; otherwise the index keeps no texts, and they are what the fingerprints
    cover. ``others`` counts further candidates of the same owner."""

    document: Entry
    score: float
    resemblance: float
    containment: float
    contained: float
    shared: int
    passages: tuple[Passage, ...] = ()
    verified: bool = False
    others: int = 0


@dataclass(frozen=True, slots=True)
class Cost:
    """The work of a search: fingerprints of the query, look-ups, postings read, fingerprints that were sanctioned or
    common, and documents that share any."""

    fingerprints: int
    look_ups: int
    postings: int
    sanctioned: int
    common: int
    candidates: int


@dataclass(frozen=True, slots=True)
class Hits:
    """The hits of a search, best first, and its cost. The left sides of passages are spans of ``text``, the query; the
    right sides are spans of ``Index.text`` of the hit. ``format`` is the query's; ``marks`` are its pages or other
    parts. ``Index.explain`` gives the ``stream`` of the query."""

    hits: tuple[Hit, ...]
    cost: Cost
    notes: tuple[str, ...] = ()
    text: str = ""
    format: str = ""
    marks: tuple[SectionMark, ...] = ()
    stream: Stream | None = field(default=None, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __getitem__(self, number: int) -> Hit:
        return self.hits[number]


@dataclass(frozen=True, slots=True, eq=False)
class SearchCandidates:
    """Documents that share fingerprints with the query, by number, and how many each shares.

    ``evidence`` counts the fingerprints that were looked up and are neither sanctioned nor common; ``postings`` are
    theirs, ``with_common`` also those of common ones.
    """

    numbers: NDArray[np.uint32]
    shared: NDArray[np.int64]
    evidence: int
    cost: Cost
    postings: PostingHits
    with_common: PostingHits

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, part: NDArray[np.bool_] | NDArray[np.intp]) -> "SearchCandidates":
        return replace(self, numbers=self.numbers[part], shared=self.shared[part])

    def and_common(self) -> "SearchCandidates":
        """Return these candidates, and the documents that share common fingerprints only."""
        numbers = np.unique(np.concatenate((self.numbers, self.with_common.documents)))
        shared = np.zeros(len(numbers), np.int64)
        shared[np.searchsorted(numbers, self.numbers)] = self.shared
        return replace(self, numbers=numbers, shared=shared)

    @property
    def fingerprints(self) -> int:
        """The query's fingerprints, without sanctioned and common ones."""
        return self.cost.fingerprints - self.cost.sanctioned - self.cost.common


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The measures of ``Hit``, one column each."""

    score: NDArray[np.float64]
    resemblance: NDArray[np.float64]
    containment: NDArray[np.float64]
    contained: NDArray[np.float64]


def score(candidates: SearchCandidates, sizes: NDArray[np.int64]) -> Scores:
    """Score candidates by the number of fingerprints that each document has."""
    containment = candidates.shared / max(1, candidates.evidence)
    # If only some hashes were looked up, estimate how many of all are shared.
    shared = containment * candidates.fingerprints
    contained = np.minimum(1.0, shared / np.maximum(1, sizes))
    resemblance = np.minimum(1.0, shared / np.maximum(1.0, candidates.fingerprints + sizes - shared))
    return Scores((resemblance + np.maximum(containment, contained)) / 2, resemblance, containment, contained)


def find_candidates(view: View, hashes: NDArray[np.uint64], look_ups: int | None) -> SearchCandidates:
    """Look the query's distinct hashes up, the smallest first, at most ``look_ups`` of them."""
    if look_ups is not None:
        checked_number("look_ups", look_ups, 1)
    hashes, count = hashes[:look_ups], len(hashes)
    postings = view.look_up(hashes)
    is_sanctioned = np.zeros(len(hashes), np.bool_)
    is_sanctioned[postings.which[np.isin(postings.documents, view.sanctioned)]] = True
    is_common = _common(view, postings, ~is_sanctioned)
    counted = ~(is_sanctioned | is_common)[postings.which]
    # A hash may occur in a document several times; it is one fingerprint.
    which, documents, places = postings.which[counted], postings.documents[counted], postings.places[counted]
    pairs = distinct(documents.astype(np.uint64) << np.uint64(32) | which.astype(np.uint64))
    numbers, shared = np.unique((pairs >> np.uint64(32)).astype(np.uint32), return_counts=True)
    cost = Cost(count, len(hashes), len(postings), int(is_sanctioned.sum()), int(is_common.sum()), len(numbers))
    evidence = PostingHits(which, documents, places, postings.counts)
    known = ~is_sanctioned[postings.which]
    everything = PostingHits(postings.which[known], postings.documents[known], postings.places[known], postings.counts)
    return SearchCandidates(numbers, shared, len(hashes) - cost.sanctioned - cost.common, cost, evidence, everything)


def _common(view: View, postings: PostingHits, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which hashes documents of too many owners have. Count owners, not documents: otherwise adding a text many
    times would make it common."""
    is_common = np.zeros(len(wanted), np.bool_)
    frequent = np.flatnonzero((postings.counts > COMMON_OWNERS) & wanted)
    if not len(frequent):
        return is_common
    concerned = np.isin(postings.which, frequent)
    numbers, places = np.unique(postings.documents[concerned], return_inverse=True)
    owners = view.owners(numbers.tolist())
    # A document without an owner counts as its own.
    names = dict[str | int, int]()
    owner = np.array([names.setdefault(owners[number] or number, len(names)) for number in numbers.tolist()], np.uint64)
    pairs = distinct(postings.which[concerned].astype(np.uint64) << np.uint64(32) | owner[places])
    hashed, counts = np.unique(pairs >> np.uint64(32), return_counts=True)
    is_common[hashed[counts > COMMON_OWNERS].astype(np.int64)] = True
    return is_common


def rank(view: View, candidates: SearchCandidates, limit: int, wanted: Wanted | None = None) -> list[Hit]:
    """Return the best documents, of all or of those that are ``wanted``. A few of each owner come first, others fill
    the list: an owner who added a text a thousand times hides nobody else's."""
    entries, shortlist, seen = _shortlist(view, candidates, limit, wanted)
    hits = sorted(scored(entries, shortlist), key=_order)
    quota: Counter[str] = Counter()
    first: list[Hit] = []
    others: list[Hit] = []
    for hit in hits:
        owner = hit.document.owner
        quota[owner or ""] += 1
        (first if owner is None or quota[owner] <= OF_ONE_OWNER else others).append(hit)
    shown = sorted([*first, *others][:limit], key=_order)
    listed = Counter(hit.document.owner for hit in shown)
    return [replace(hit, others=_more(hit.document.owner, seen, listed)) for hit in shown]


def first_match(patterns: Iterable[str], texts: Sequence[str]) -> str:
    """Return the first pattern, such as ``licence=*``, that one of the texts matches, or ""."""
    return next((each for each in patterns if each in texts or any(fnmatchcase(text, each) for text in texts)), "")


def with_labels(labels: Sequence[str], excluded: Sequence[str] = ()) -> Wanted | None:
    """Return the rule that chooses documents by patterns of labels; None if all are chosen.

    Patterns with the same key are alternatives, such as ``licence=MIT`` and ``licence=BSD-*``; patterns with different
    keys must all match. A document with an excluded label is never chosen.
    """
    keys = dict[str, list[str]]()
    for label in labels:
        keys.setdefault(label.partition("=")[0], []).append(label)
    if not keys and not excluded:
        return None
    return lambda entry: (
        all(first_match(patterns, entry.labels) for patterns in keys.values())
        and not first_match(excluded, entry.labels)
    )


def only(view: View, candidates: SearchCandidates, wanted: Wanted | None) -> SearchCandidates:
    """Return the candidates that are wanted; without a rule, all of them."""
    if wanted is None:
        return candidates
    return candidates[np.array([wanted(view.numbered(number)) for number in candidates.numbers.tolist()], np.bool_)]


def _order(hit: Hit) -> tuple[float, float, int]:
    return -hit.score, -hit.containment, hit.document.id


def _more(owner: str | None, seen: Counter[str], listed: Counter[str | None]) -> int:
    return 0 if owner is None else seen[owner] - listed[owner]


def _shortlist(
    view: View, candidates: SearchCandidates, limit: int, wanted: Wanted | None
) -> tuple[list[Entry], SearchCandidates, Counter[str]]:
    """Return the documents that share most, at most ``limit`` of one owner; and how many of each owner were read."""
    order = np.lexsort((candidates.numbers, -candidates.shared))
    entries: list[Entry] = []
    rows: list[int] = []
    seen: Counter[str] = Counter()
    for start in range(0, len(order), BATCH):
        for row in order[start : start + BATCH].tolist():
            entry = view.numbered(int(candidates.numbers[row]))
            if wanted is not None and not wanted(entry):
                continue
            if entry.owner is not None:
                seen[entry.owner] += 1
            if entry.owner is None or seen[entry.owner] <= limit:
                entries.append(entry)
                rows.append(row)
        if len(entries) >= CLOSER * limit + BATCH:
            break
    return entries, candidates[np.array(rows, np.intp)], seen


def scored(entries: list[Entry], candidates: SearchCandidates) -> Iterator[Hit]:
    """Yield candidates as hits, without passages."""
    scores = score(candidates, np.array([entry.fingerprints for entry in entries], np.int64))
    columns = (scores.score, scores.resemblance, scores.containment, scores.contained, candidates.shared)
    for entry, *figures in zip(entries, *(column.tolist() for column in columns), strict=True):
        yield Hit(entry, *figures)


# Added to a diagonal to make it positive: see ``whorl.kernel.native_matching``.
ORIGIN = 1 << 31


def readable(name: str, whole: WholeDocument) -> ComparedDocument:
    """Prepare a document that was read for matching."""
    return ComparedDocument(evidence_of(sift(whole.stream, whole.fingerprints, None)), [name], [Lines(whole.text)])


def notes_of(whole: WholeDocument) -> tuple[str, ...]:
    """Return the notes on a query that was read, and one if nothing of it can be found."""
    read = whole.fingerprints
    if read.symbols >= read.scheme.k or (read.notes and not read.symbols):
        return read.notes
    if not whole.text.strip():
        return (*read.notes, "no text to search for")
    unit = read.scheme.symbols
    return (*read.notes, f"too short: only {read.symbols} {unit}; nothing shorter than {read.scheme.k} can be found")


def text_of(data: bytes) -> str:
    """Return a stored text."""
    return decompress(data).decode("utf-8", "surrogatepass")


def revived(entry: Entry, data: bytes, scheme: Scheme) -> Document:
    """Return a stored document for reading it again: a program in its language, text from other formats as plain
    text."""
    is_program = entry.format in LANGUAGES and entry.format not in FRONTENDS.declared
    kind = entry.format if is_program or scheme.frontend == "code" else "text"
    return Document(
        entry.name, text_of(data), entry.url, entry.date, entry.contact, entry.owner, entry.labels, format=kind
    )


def stored(entry: Entry, data: bytes, scheme: Scheme, key: Key) -> tuple[ComparedDocument, str]:
    """Read a stored document again under the index's scheme. Return it and its text."""
    whole = read_whole(revived(entry, data, scheme), scheme, key)
    return readable(entry.name, whole), whole.text


def verified(query: ComparedDocument, other: ComparedDocument, scheme: Scheme) -> tuple[Passage, ...]:
    """Return the passages that a query and a stored document share, verified on both texts."""
    return shared_passages(query, other, scheme)


# Share of an edited passage that plain passages may have marked before it replaces them: below, it says something new.
SAME = 0.9

# How many times as long as in the source an edited passage may be. A longer one holds several copies, and the text
# between them.
LONGER = 2


def joined(plain: Sequence[Passage], edited: Iterable[Passage]) -> tuple[Passage, ...]:
    """Return plain passages of a document, and edited ones in the place of those that they contain. An edited passage
    that is nearly all in plain ones, or much longer than in the document, is left out."""
    exact = union(match.left for passage in plain for match in passage.matches)
    fitting = (each for each in edited if _length(each.left) <= LONGER * _length(each.right))
    new = [each for each in fitting if _marked(each, exact) < SAME * _length(each.left)]
    kept = [each for each in plain if not any(_contains(other, each) for other in new)]
    return (*(replace(each, stream=EDITED) for each in new), *kept)


def _marked(passage: Passage, exact: Sequence[Span]) -> int:
    whole = Span(passage.left.start, passage.left.end)
    return whole.end - whole.start - sum(end - start for start, end in subtract([whole], exact))


def _length(side: Side) -> int:
    return side.end - side.start


def _contains(outer: Passage, inner: Passage) -> bool:
    return all(
        one.start <= other.start and other.end <= one.end
        for one, other in ((outer.left, inner.left), (outer.right, inner.right))
    )


def unverified(
    query: ComparedDocument, name: str, data: bytes, hashes: NDArray[np.uint64], places: NDArray[np.uint32], k: int
) -> tuple[Passage, ...]:
    """Return the passages that a query shares with a document of which only the spans of fingerprints are stored.

    ``hashes`` and ``places`` are the document's postings of shared hashes. Adjacent fingerprints on one diagonal make
    one passage. Lines are unknown, and 0."""
    order = np.lexsort((places, hashes))
    evidence = query.evidence
    keys = native_matching.seeds(evidence.hashes, evidence.places, hashes[order], places[order].astype(np.int32))
    lefts = (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
    rights = lefts - ((keys >> np.uint64(32)).astype(np.int64) - ORIGIN)
    begins = (np.diff(lefts - rights, prepend=ORIGIN * 4) != 0) | (np.diff(lefts, prepend=0) > k)
    firsts = np.flatnonzero(begins)
    lasts = np.append(firsts[1:], len(keys)) - 1
    positions, starts, ends = np.frombuffer(decompress(data), "<u4").reshape(3, -1)
    passages = []
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        left = query.side(int(evidence.files[0]), int(lefts[first]), int(lefts[last]) + k)
        places_of = np.searchsorted(positions, [rights[first], rights[last]])
        right = Span(int(starts[places_of[0]]), int(ends[places_of[1]]))
        count = int(lefts[last] - lefts[first]) + k
        match = Match(Span(left.start, left.end), right, count)
        passages.append(Passage(left, Side(name, *right, 0, 0), count, (match,)))
    return tuple(sorted(passages, key=lambda passage: -passage.symbols))
