"""Verify candidate pairs: find the passages of both streams and compute the score."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.comparison.intake import ReadSubmission, SpillBuffer, evidence_of, unpack
from whorl.comparison.normal_form import SHORTEST, NormalFormEvidence, join_normal_forms
from whorl.comparison.result import Pair
from whorl.comparison.settings import Settings
from whorl.comparison.weights import ClassWeights
from whorl.engine.sampling import distinct
from whorl.formats.code.normal.form import names
from whorl.kernel import native_passages
from whorl.matching.chains import Background, Chains, calibrate, united
from whorl.matching.evidence import Evidence, gather, shared_hashes
from whorl.matching.likeness import (
    ComparedDocument,
    Likeness,
    common_inside,
    likeness_of,
    longest_run,
    plain_chains,
    plain_matches,
    symmetric_chains,
)
from whorl.matching.matches import MatchFinder, find_matches
from whorl.matching.passage import Lines, Passage, make_match, make_spans
from whorl.matching.score import ScorePart, make_score
from whorl.model import Hashes
from whorl.scheme import Scheme

if TYPE_CHECKING:
    from whorl.matching.deep.likeness import Prose

# Largest distance between neighbouring symbols of one piece, in characters: a few lines. An inlined function is mostly
# farther away.
JUMP = 200

# Starts and ends of spans: file number and offset as one number.
Places: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]

# The bits of the offset.
OFFSET = (1 << 32) - 1


def normal_matches(scheme: Scheme) -> MatchFinder:
    """Return the function that finds the matches of normal forms, by k-grams and whole statements."""
    return lambda left, right: find_matches(left, right, scheme, SHORTEST)


@dataclass(frozen=True, slots=True, eq=False)
class CommonFingerprints:
    """The fingerprints that both sides have inside passages, ascending: k-grams and statements of the normal form, and
    statements of the text."""

    grams: Hashes
    statements: Hashes
    standing: Hashes


def with_normal_form(
    plain_result: Likeness,
    plain_chains: Chains,
    plain: tuple[ComparedDocument, ComparedDocument],
    normal: tuple[NormalFormEvidence, NormalFormEvidence],
    scheme: Scheme,
    background: Background,
    weigh: Callable[[CommonFingerprints], Sequence[ScorePart]],
    places_of: Callable[[Evidence], Places],
) -> Likeness:
    """Add the passages of the normal form that the plain ones, of ``plain_chains``, do not cover, count them in the
    coverage, and add the parts that ``weigh`` returns to the score. ``places_of`` is ``symbol_places``, or remembers
    what it returned."""
    lefts, rights = normal[0].evidence, normal[1].evidence
    tokens, forms = ([places_of(side.evidence) for side in sides] for sides in (plain, normal))
    starts = plain_chains.lefts, plain_chains.rights
    spans = [
        (side[0][firsts], side[1][firsts + plain_chains.lengths - 1])
        for side, firsts in zip(tokens, starts, strict=True)
    ]
    marked, passages = [native_passages.joined(*side) for side in spans], plain_result.passages
    chains = symmetric_chains(lefts, rights, scheme, background, normal_matches(scheme))
    shortest = min(scheme.guarantee or scheme.k, len(lefts), len(rights))
    fresh = chains.only(_uncovered(chains, forms, marked) >= shortest)
    if len(fresh):
        pieces = _Pieces.of(fresh, forms, normal)
        added = _passages(fresh, pieces, plain, tokens)
        passages = (*passages, *sorted(added, key=lambda passage: -passage.symbols))
        marked = [
            native_passages.joined(*map(np.concatenate, zip(*side, strict=True)))
            for side in zip(marked, pieces.spans, strict=True)
        ]
    counts = [int(np.count_nonzero(_inside(*side))) for side in zip(tokens, marked, strict=True)]
    grams, statements = (common_inside(chains, lefts, rights, width)[0] for width in (scheme.k, SHORTEST))
    common = CommonFingerprints(
        grams,
        statements,
        shared_hashes(*(np.sort(_standing_inside(*side)) for side in zip(normal, marked, strict=True))),
    )
    return replace(
        plain_result,
        score_parts=make_score((*plain_result.score_parts.parts, *weigh(common)), min(counts), scheme),
        shared_fingerprints=max(plain_result.shared_fingerprints, len(common.grams)),
        left_coverage=counts[0] / max(1, len(plain[0].evidence)),
        right_coverage=counts[1] / max(1, len(plain[1].evidence)),
        passages=passages,
    )


def symbol_places(evidence: Evidence) -> Places:
    """Return the span of each symbol of the evidence."""
    if len(evidence.files) == 1:
        file = int(evidence.files[0]) << 32
        return evidence.starts + np.int64(file), evidence.ends + np.int64(file)
    files = np.repeat(evidence.files, np.diff(evidence.bounds)).astype(np.int64) << 32
    return files + evidence.starts, files + evidence.ends


def _inside(places: Places, covered: Places) -> NDArray[np.bool_]:
    """Return which spans lie inside covered spans."""
    return native_passages.within(*places, *covered)


def _standing_inside(side: NormalFormEvidence, marked: Places) -> Hashes:
    """Return the statements of a side's text that lie inside marked spans."""
    statements = side.standing
    return statements.hashes[_inside((statements.starts, statements.ends), marked)]


def _symbols(chains: Chains) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of the symbols of all matches on both sides."""
    offsets = np.arange(chains.lengths.sum()) - _begins(chains).repeat(chains.lengths)
    return chains.lefts.repeat(chains.lengths) + offsets, chains.rights.repeat(chains.lengths) + offsets


def _begins(chains: Chains) -> NDArray[np.int64]:
    """Return where the symbols of each match begin among those of all."""
    ends: NDArray[np.int64] = chains.lengths.cumsum(dtype=np.int64)
    return ends - chains.lengths


def _uncovered(chains: Chains, forms: Sequence[Places], covered: Sequence[Places]) -> NDArray[np.int64]:
    """Return for each chain the number of its symbols that no passage covers yet, on the side with more."""
    counts = [
        native_passages.uncovered(*places, begins, chains.lengths, chains.bounds, *spans)
        for places, begins, spans in zip(forms, (chains.lefts, chains.rights), covered, strict=True)
    ]
    return np.maximum(counts[0], counts[1])


class _Pieces(NamedTuple):
    """The matches of chains, split where the text jumps on either side: the spans on both sides, the bounds of each
    chain among them, and the rewrites that touched one side of a chain only, as bits."""

    spans: list[Places]
    bounds: NDArray[np.int64]
    rewrites: list[int]

    @classmethod
    def of(
        cls, chains: Chains, forms: Sequence[Places], normal: tuple[NormalFormEvidence, NormalFormEvidence]
    ) -> "_Pieces":
        lefts, rights = _symbols(chains)
        columns = [(side[0][symbols], side[1][symbols]) for side, symbols in zip(forms, (lefts, rights), strict=True)]
        begins = _begins(chains)
        of_chains = begins[chains.firsts]
        is_cut = np.zeros(len(columns[0][0]), np.bool_)
        for starts, _ in columns:
            is_cut[1:] |= np.abs(starts[1:] - starts[:-1]) > JUMP
        is_cut[begins] = True
        cuts = is_cut.nonzero()[0]
        spans = [(np.minimum.reduceat(starts, cuts), np.maximum.reduceat(ends, cuts)) for starts, ends in columns]
        bounds = np.concatenate((cuts.searchsorted(of_chains), (len(cuts),)))
        rewrites = np.bitwise_or.reduceat(normal[0].marks[lefts] ^ normal[1].marks[rights], of_chains)
        return cls(spans, bounds, rewrites.tolist())


def _passages(
    chains: Chains,
    pieces: _Pieces,
    plain: tuple[ComparedDocument, ComparedDocument],
    tokens: Sequence[Places],
) -> list[Passage]:
    """Return chains of the normal form as passages. They count plain tokens, as a person does: those that begin inside
    a span."""
    sides, spans, sizes, totals = [], [], [], []
    for document, files, (starts, ends), (places, _) in zip(plain, chains.files, pieces.spans, tokens, strict=True):
        firsts = places.searchsorted(starts).astype(np.int32)
        sizes.append(places.searchsorted(ends).astype(np.int32) - firsts)
        totals.append(united(firsts, sizes[-1], pieces.bounds))
        starts, ends = starts & OFFSET, ends & OFFSET
        spans.append(make_spans(starts, ends))
        begins = pieces.bounds[:-1]
        sides.append(document.sides(files, np.minimum.reduceat(starts, begins), np.maximum.reduceat(ends, begins)))
    matches = list(map(make_match, zip(*spans, np.minimum(*sizes).tolist(), strict=True)))
    bounds = pieces.bounds.tolist()
    columns = *sides, np.minimum(*totals).tolist(), pieces.rewrites, bounds[:-1], bounds[1:]
    return [
        Passage(left, right, size, tuple(matches[first:last]), "normal", names(bits))
        for left, right, size, bits, first, last in zip(*columns, strict=True)
    ]


# The fewest and the most submissions in the cache: the pairs of one are often neighbours in the ranking. Between the
# two, their number depends on their symbols, each of which takes less than a hundred bytes.
CACHED, MOST_CACHED, CACHED_SYMBOLS = 64, 256, 1 << 20


def _cached(entries: Collection[ReadSubmission]) -> int:
    """Return the number of submissions to cache."""
    symbols = sum(entry.symbols for entry in entries)
    return max(CACHED, min(MOST_CACHED, CACHED_SYMBOLS * len(entries) // max(1, symbols)))


@dataclass(frozen=True, slots=True)
class Backgrounds:
    """The backgrounds of a class: of the plain stream and of the normal form."""

    plain: Background
    normal: Background


def backgrounds(entries: Iterable[ReadSubmission], buffer: SpillBuffer, scheme: Scheme) -> Backgrounds:
    """Calibrate the backgrounds of a class on a sample of its submissions."""
    plain, normal = [], []
    for entry in entries:
        plain.append(gather([evidence_of(buffer.get(row)) for row in entry.rows]))
        if entry.normal.forms:
            normal.append(join_normal_forms([buffer.get(row) for row in entry.normal.rows]).evidence)
    return Backgrounds(
        calibrate(plain, scheme, plain_matches(scheme)), calibrate(normal, scheme, normal_matches(scheme))
    )


class PairVerifier:
    """Verify pairs: read both sides from the spill buffer, find their passages and compute the score."""

    def __init__(
        self,
        entries: Sequence[ReadSubmission] | Mapping[int, ReadSubmission],
        buffer: SpillBuffer,
        scheme: Scheme,
        settings: Settings,
        backgrounds: Backgrounds,
        weights: ClassWeights,
    ) -> None:
        self._entries, self._buffer, self._scheme, self._settings = entries, buffer, scheme, settings
        self._backgrounds, self._weights = backgrounds, weights
        cached = _cached(entries.values() if isinstance(entries, Mapping) else entries)
        self._document = lru_cache(cached)(self._read)
        self._normal = lru_cache(cached)(self._read_normal)
        self._prose = lru_cache(cached)(self._read_prose)
        self._places = lru_cache(2 * cached)(symbol_places)  # of both streams

    def text(self, submission: int, file: int) -> str:
        """Return the text of a submission's file, by the numbers of both."""
        return unpack(self._buffer.get(self._entries[submission].rows[file]))[1]

    def pair(self, left: int, right: int, *, if_long: bool = False) -> Pair | None:
        """Verify two submissions; with ``if_long``, programs only if they share a run that is long enough to list
        them."""
        if if_long and self._settings.needs_run(self._scheme):
            sides = self._document(left).evidence, self._document(right).evidence
            if longest_run(*sides, self._scheme) < self._settings.long_passage(self._scheme):
                return None
        result = self._likeness(left, right)
        return Pair(
            left, right, result.score_parts, result.shared_fingerprints, result.left_coverage, result.right_coverage,
            result.longest, result.passages,
        )  # fmt: skip

    def _likeness(self, left: int, right: int) -> Likeness:
        name = self._scheme.symbols or "symbols"
        plain: list[Hashes] = []

        def weigh(common: Hashes) -> ScorePart:
            plain.append(common)
            return self._weights.symbols(name, common, left, right)

        if self._settings.deep:
            from whorl.matching.deep.likeness import deep_likeness  # programs are compared without these

            prose, summarised = (self._prose(left), self._prose(right)), self._settings.summaries
            return deep_likeness(*prose, self._scheme, weigh, self._backgrounds.plain, summarised=summarised)
        sides = self._document(left), self._document(right)
        chains = plain_chains(sides[0].evidence, sides[1].evidence, self._scheme, self._backgrounds.plain)
        result = likeness_of(chains, *sides, self._scheme, weigh)
        weights = self._weights.normal
        if weights is None or not (self._entries[left].normal.forms and self._entries[right].normal.forms):
            return result

        def weigh_normal(common: CommonFingerprints) -> list[ScorePart]:
            # A file without a normal form contributes its plain fingerprints.
            grams = distinct(np.concatenate((common.grams, plain[0])))
            return weights.parts(grams, common.statements, common.standing, left, right)

        normal = self._normal(left), self._normal(right)
        background = self._backgrounds.normal
        return with_normal_form(result, chains, sides, normal, self._scheme, background, weigh_normal, self._places)

    def _read(self, submission: int) -> ComparedDocument:
        entry = self._entries[submission]
        rows = [unpack(self._buffer.get(row)) for row in entry.rows]
        evidence = gather([file for file, _ in rows])
        return ComparedDocument(evidence, [file.name for file in entry.files], [Lines(text) for _, text in rows])

    def _read_prose(self, submission: int) -> "Prose":
        from whorl.matching.deep.likeness import Prose
        from whorl.matching.deep.words import words

        rows = [unpack(self._buffer.get(row)) for row in self._entries[submission].rows]
        return Prose(self._document(submission), words([text for _, text in rows], [evidence for evidence, _ in rows]))

    def _read_normal(self, submission: int) -> NormalFormEvidence:
        return join_normal_forms([self._buffer.get(row) for row in self._entries[submission].normal.rows])
