"""Screen documents against a store: each is new, a duplicate of a stored document, or new and overlaps some.

A document is a duplicate if it forms a pair, by the threshold of the store, with a document that was accepted before.
Only accepted documents are stored, so a later one is compared with them, whatever was refused meanwhile.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import groupby

import numpy as np

from whorl.clustering import ClusterSettings
from whorl.clustering.counting import Pairs
from whorl.model import Document, Hashes
from whorl.storage.postings import Postings
from whorl.sweep.contents import LEXICAL, NOTHING, SHINGLE, ContentReader, Read, Sketched
from whorl.sweep.pairs import (
    SAME,
    CandidateFinder,
    ContentSizes,
    Numbers,
    Verifier,
    expected_count,
    may_reach_threshold,
    measured,
)
from whorl.sweep.result import ContentLikeness, ScreenedDocument, ScreenMatch
from whorl.sweep.store import Refusal, SweepStore

# The share of either document that both must have for an overlap.
OVERLAP = 0.5

# Overlaps that are listed of one document, the largest first.
MOST_OVERLAPS = 3

# A pair that just overlaps shares so many sketched shingles; one with less than this part of them is not verified.
# Of 16 expected, fewer than half are shared by chance in one of 100 pairs.
PART_EXPECTED = 0.5

# Part of the memory for stored documents that are compared often; bytes of an entry beside its data.
CACHE_SHARE, ENTRY = 4, 200

NEW, DUPLICATE, OVERLAPS, UNREAD = STATES = ("new", "duplicate", "overlaps", "unread")
IDENTICAL, NEAR, CONTAINED, PARTLY = "identical", "near", "contained", "overlap"

# Receives the answer about each document, in order.
Answered = Callable[[ScreenedDocument], object]


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """A document that equals none by a digest, under a number behind those of the store."""

    number: int
    read: Read


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A document with its answer. ``is_accepted``: it is to be stored."""

    read: Read
    answer: ScreenedDocument
    is_accepted: bool


class Screen:
    """Judges batches of documents. ``segments`` returns the sketches of all stored documents."""

    def __init__(
        self,
        store: SweepStore,
        segments: Callable[[], Sequence[Sketched]],
        reader: ContentReader,
        memory: int,
        overlap: float = OVERLAP,
    ) -> None:
        self._store, self._segments, self._reader, self._memory = store, segments, reader, memory
        self._settings = reader.settings
        self._partly = ClusterSettings(measure="containment", threshold=overlap, modulus=self._settings.modulus)
        self._sizes = ContentSizes(np.zeros(0, np.int64), np.zeros(0, np.int64))
        self._hashes: dict[int, Hashes] = {}
        self._cache = _StoredDocuments(store, memory // CACHE_SHARE)

    def judge(self, reads: Sequence[Read], among: bool) -> list[Judged]:
        """Judge documents, in order. ``among``: compare them with those of the same batch, too, that were accepted."""
        stored = self._store.total("contents")
        equals: dict[int, _Equal] = {}
        candidates = list[_Candidate]()
        digests: dict[tuple[str, bytes], int] = {}
        for at, read in enumerate(reads):
            if fault_of(read) is None:
                equal = self._equal(read) or (_equal_before(read, reads, digests) if among else None)
                if equal is not None:
                    equals[at] = equal
                    continue
                candidates.append(_Candidate(stored + 1 + at, read))
                digests |= dict.fromkeys(_digests(read), at)
        pairs = self._pairs(candidates, stored, among)
        judged = list[Judged]()
        for at, read in enumerate(reads):
            standing = [pair for pair in pairs.get(stored + 1 + at, ()) if _is_standing(pair.left, stored, judged)]
            answer = _repeated(read, equals[at], judged) if at in equals else self._judged(reads, at, standing, stored)
            judged.append(Judged(read, answer, answer.state in (NEW, OVERLAPS)))
        return judged

    def _equal(self, read: Read) -> "_Equal | None":
        """Return a stored document with the same bytes, symbols or shingles, or the one that a document with the same
        bytes repeated before: more shingles may be common now, and propose it no more. Or None."""
        refusal = self._store.refused(read.digest)
        if refusal is not None:
            likeness = ContentLikeness(*json.loads(refusal.likeness))
            return _Equal(ScreenMatch(self._store.url(refusal.page), refusal.kind, likeness))
        for (column, digest), kind in zip(_digests(read), (IDENTICAL, LEXICAL, SHINGLE), strict=False):
            content = self._store.known(column, digest)
            if content is not None:
                return _Equal(ScreenMatch(self._cache.name(content.id), kind, SAME))
        return None

    def _pairs(self, batch: Sequence[_Candidate], stored: int, among: bool) -> dict[int, list["_Pair"]]:
        """Return the pairs of each candidate with stored documents and, if ``among``, with earlier candidates."""
        self._load(batch, stored)
        sketches = [(each.number, each.read.sketch) for each in batch]
        waiting = postings_of(sketches).in_order()
        last = max((each.number for each in batch), default=stored)
        finder = CandidateFinder([*self._segments(), waiting], self._settings.common, self._memory, last)
        verifier = Verifier(self._shingles, self._sizes, self._settings, self._memory)
        verified = list[_Pair]()
        for pairs in finder.pairs(sketches) if batch else ():
            for part, shared in verifier.counted(self._possible(pairs, finder.common, stored, among)):
                verified += self._reached(part, shared)
        verified.sort(key=lambda pair: pair.right)
        return {right: list(group) for right, group in groupby(verified, lambda pair: pair.right)}

    def _possible(self, pairs: Pairs, common: Numbers, stored: int, among: bool) -> Pairs:
        """Return the pairs that may reach the threshold, or overlap."""
        if not among:
            pairs = _chosen(pairs, pairs.left <= stored)
        self._load_stored(np.unique(pairs.left[pairs.left <= stored]).tolist())
        may_be_alike = may_reach_threshold(pairs, common[pairs.right], self._sizes, self._settings)
        expected = expected_count(pairs, self._sizes, self._partly)
        return _chosen(pairs, may_be_alike | (pairs.count >= np.maximum(1, PART_EXPECTED * expected)))

    def _reached(self, pairs: Pairs, shared: Numbers) -> Iterator["_Pair"]:
        measures = measured(pairs.left, pairs.right, shared, self._sizes.shingles)
        is_pair = measures.measure(self._settings.measure) >= self._settings.threshold
        is_listed = is_pair | (measures.measure(self._partly.measure) >= self._partly.threshold)
        columns = (
            pairs.left, pairs.right, is_pair, measures.resemblance, measures.right_in_left, measures.left_in_right,
        )  # fmt: skip
        for left, right, alike, *shares in zip(*(column[is_listed].tolist() for column in columns), strict=True):
            yield _Pair(left, right, alike, ContentLikeness(*shares))

    def _load(self, batch: Sequence[_Candidate], stored: int) -> None:
        """Note the sizes and shingles of a batch."""
        room = max((each.number for each in batch), default=stored) + 1 - len(self._sizes.shingles)
        more = np.zeros(max(0, room), np.int64)
        self._sizes = ContentSizes(*(np.append(old, more) for old in (self._sizes.shingles, self._sizes.moduli)))
        self._sizes.moduli[stored + 1 :] = 0
        self._hashes = {each.number: each.read.hashes for each in batch}
        for each in batch:
            self._sizes.shingles[each.number] = len(each.read.hashes)
            self._sizes.moduli[each.number] = each.read.modulus

    def _load_stored(self, numbers: Iterable[int]) -> None:
        """Read the sizes of stored documents that are not known yet; a modulus is never 0."""
        for number in numbers:
            if not self._sizes.moduli[number]:
                content = self._store.content(number)
                self._sizes.shingles[number], self._sizes.moduli[number] = content.size, content.modulus

    def _shingles(self, number: int) -> Hashes:
        waiting = self._hashes.get(number)
        return self._cache.hashes(number) if waiting is None else waiting

    def _judged(self, reads: Sequence[Read], at: int, pairs: Sequence["_Pair"], stored: int) -> ScreenedDocument:
        """Return the answer about a document that equals none."""
        name, reason = page_of(reads[at].document), fault_of(reads[at])
        if reason is not None:
            return ScreenedDocument(name, UNREAD, (), reason)
        is_whole = self._settings.measure == "resemblance"
        kind, state = (NEAR if is_whole else CONTAINED), DUPLICATE
        alike = [pair for pair in pairs if pair.is_alike]
        if not alike:
            kind, state = PARTLY, OVERLAPS if pairs else NEW
        best = sorted(alike or pairs, key=lambda pair: (-pair.measure(is_whole and bool(alike)), pair.left))
        matches = (
            ScreenMatch(self._name_of(pair.left, reads, stored), kind, pair.likeness)
            for pair in best[: 1 if alike else MOST_OVERLAPS]
        )
        return ScreenedDocument(name, state, tuple(matches))

    def _name_of(self, number: int, reads: Sequence[Read], stored: int) -> str:
        return page_of(reads[number - stored - 1].document) if number > stored else self._cache.name(number)


class _StoredDocuments:
    """Shingles and names of stored documents. Many documents are compared with the same ones: these stay in memory,
    within a budget."""

    def __init__(self, store: SweepStore, room: int) -> None:
        self._store, self._room, self._used = store, room, 0
        self._hashes: dict[int, Hashes] = {}
        self._names: dict[int, str] = {}

    def hashes(self, number: int) -> Hashes:
        """Return the shingles of a document."""
        hashes = self._hashes.get(number)
        if hashes is None:
            hashes = self._hashes[number] = self._store.hashes(number)
            self._note(hashes.nbytes)
        return hashes

    def name(self, number: int) -> str:
        """Return the page that first showed a document."""
        name = self._names.get(number)
        if name is None:
            name = self._names[number] = self._store.url(self._store.places_of_content(number)[0].page)
            self._note(len(name))
        return name

    def _note(self, size: int) -> None:
        self._used += size + ENTRY
        if self._used > self._room:
            self._hashes, self._names, self._used = {}, {}, 0


@dataclass(frozen=True, slots=True)
class _Pair:
    """A stored or accepted document and a candidate. ``is_alike``: they reach the threshold of the store."""

    left: int
    right: int
    is_alike: bool
    likeness: ContentLikeness

    def measure(self, is_whole: bool) -> float:
        """Return the resemblance, or the larger containment."""
        return self.likeness.resemblance if is_whole else max(self.likeness.has, self.likeness.within)


def page_of(document: Document) -> str:
    """Return the address of a document, or its name."""
    return document.url or document.name


def fault_of(read: Read) -> str | None:
    """Return why a document cannot be read or stored, or None."""
    page = page_of(read.document)
    if read.reason is not None or not page:
        return read.reason or "it has neither a URL nor a name"
    try:
        page.encode("utf-8")
    except UnicodeEncodeError:
        return f"its URL {page!r} is not Unicode"
    return None


def postings_of(sketches: Iterable[tuple[int, Hashes]]) -> Postings:
    """Return the sketches of documents, each under its number, as postings."""
    sketches = list(sketches)
    hashes = np.concatenate([np.zeros(0, np.uint64), *(sketch for _, sketch in sketches)])
    lengths = [len(sketch) for _, sketch in sketches]
    documents = np.repeat(np.array([number for number, _ in sketches], np.uint32), lengths)
    return Postings(hashes, documents, np.zeros(len(documents), np.uint32))


def _digests(read: Read) -> list[tuple[str, bytes]]:
    """Return the digests by which a document equals another, each with its column."""
    columns = (("digest", read.digest), ("lexical", read.lexical), ("shingles", read.shingles))
    return [(column, digest) for column, digest in columns if digest != NOTHING]


@dataclass(frozen=True, slots=True)
class _Equal:
    """A document that a screened one equals, and its place in the batch if it is there."""

    match: ScreenMatch
    place: int | None = None


def _repeated(read: Read, equal: _Equal, judged: Sequence[Judged]) -> ScreenedDocument:
    """Return the answer about a document that equals another, which may be a duplicate itself."""
    if equal.place is None or judged[equal.place].is_accepted:
        return ScreenedDocument(page_of(read.document), DUPLICATE, (equal.match,))
    return replace(judged[equal.place].answer, name=page_of(read.document))


def _equal_before(read: Read, reads: Sequence[Read], digests: dict[tuple[str, bytes], int]) -> _Equal | None:
    """Return an earlier document of the batch with the same bytes, symbols or shingles, or None."""
    for key, kind in zip(_digests(read), (IDENTICAL, LEXICAL, SHINGLE), strict=False):
        if key in digests:
            return _Equal(ScreenMatch(page_of(reads[digests[key]].document), kind, SAME), digests[key])
    return None


def _is_standing(number: int, stored: int, judged: Sequence[Judged]) -> bool:
    return number <= stored or judged[number - stored - 1].is_accepted


def refuse(store: SweepStore, judged: Judged) -> None:
    """Record a duplicate that its digests do not show."""
    match = judged.answer.matches[0]
    page = store.page(match.of)
    if match.kind in (NEAR, CONTAINED) and page is not None:
        likeness = json.dumps(astuple(match.likeness))
        store.put_refused(Refusal(judged.read.digest, page, match.kind, likeness))


def _chosen(pairs: Pairs, chosen: "np.typing.NDArray[np.bool_]") -> Pairs:
    return Pairs(pairs.left[chosen], pairs.right[chosen], pairs.count[chosen])
