"""Verify candidate pairs: find the passages of both streams and compute the score."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from whorl.matching.chains import Background, Chain, calibrate, significant_chains
from whorl.matching.evidence import Evidence, gather, shared_hashes
from whorl.matching.likeness import (
    ComparedDocument,
    Likeness,
    common_inside,
    is_mirrored,
    likeness,
    longest_run,
    plain_matches,
)
from whorl.matching.matches import MatchFinder, find_matches
from whorl.matching.passage import Lines, Match, Passage, Side
from whorl.matching.score import ScorePart, make_score
from whorl.model import Hashes, Span
from whorl.scheme import Scheme

if TYPE_CHECKING:
    from whorl.matching.deep.likeness import Prose

# Largest distance between neighbouring symbols of one piece, in characters: a few lines. An inlined function is mostly
# farther away.
JUMP = 200

# Starts and ends of spans: file number and offset as one number.
Places: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]


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
    plain: tuple[ComparedDocument, ComparedDocument],
    normal: tuple[NormalFormEvidence, NormalFormEvidence],
    scheme: Scheme,
    background: Background,
    weigh: Callable[[CommonFingerprints], Sequence[ScorePart]],
    places_of: Callable[[Evidence], Places],
) -> Likeness:
    """Add the passages of the normal form that the plain ones do not cover, count them in the coverage, and add the
    parts that ``weigh`` returns to the score. ``places_of`` is ``symbol_places``, or remembers what it returned."""
    if is_mirrored(normal[0].evidence, normal[1].evidence):
        sides = plain[::-1], normal[::-1]
        return with_normal_form(plain_result.mirrored(), *sides, scheme, background, weigh, places_of).mirrored()
    lefts, rights = normal[0].evidence, normal[1].evidence
    shortest = min(scheme.guarantee or scheme.k, len(lefts), len(rights))
    covered = _covered(plain_result.passages, plain)
    chains = significant_chains(normal_matches(scheme)(lefts, rights), lefts, rights, scheme, background)
    uncovered = _uncovered(chains, (places_of(lefts), places_of(rights)), covered)
    fresh = [chain for chain, count in zip(chains, uncovered, strict=True) if count >= shortest]
    tokens = [places_of(side.evidence) for side in plain]
    starts = [side for side, _ in tokens]
    added = sorted(_passages(fresh, plain, normal, starts), key=lambda passage: -passage.symbols)
    passages = (*plain_result.passages, *added)
    marked = _covered(passages, plain) if added else covered
    counts = [int(np.count_nonzero(_inside(*side))) for side in zip(tokens, marked, strict=True)]
    grams, statements = common_inside(chains, lefts, rights, (scheme.k, SHORTEST))
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


def _standing_inside(side: NormalFormEvidence, marked: Places) -> Hashes:
    """Return the statements of a side's text that lie inside marked spans."""
    statements = side.standing
    return statements.hashes[_inside((statements.starts, statements.ends), marked)]


def _passages(
    chains: Sequence[Chain],
    plain: tuple[ComparedDocument, ComparedDocument],
    normal: tuple[NormalFormEvidence, NormalFormEvidence],
    starts: Sequence[NDArray[np.int64]],
) -> Iterator[Passage]:
    """Yield chains of the normal form as passages."""
    if not chains:
        return
    links = _Links.of(chains)
    lefts, rights = links.symbols(0), links.symbols(1)
    matches, bounds = _pieces(links, (normal[0].evidence, lefts), (normal[1].evidence, rights))
    touched = np.bitwise_or.reduceat(normal[0].marks[lefts] ^ normal[1].marks[rights], links.begins).tolist()
    for chain, first, last, bits in zip(chains, bounds, bounds[1:], touched, strict=False):
        yield _passage(chain, matches[first:last], bits, plain, starts)


class _Links(NamedTuple):
    """The matches of some chains together, because most are short. ``table`` has the start of each on both sides, and
    its length. Among the symbols of all, ``firsts`` is where those of each match begin, ``begins`` those of each
    chain."""

    table: NDArray[np.int64]
    firsts: NDArray[np.int64]
    begins: NDArray[np.int64]

    @classmethod
    def of(cls, chains: Sequence[Chain]) -> "_Links":
        table = np.array([link[:3] for chain in chains for link in chain.links], np.int64)
        counts = np.array([len(chain.links) for chain in chains], np.int64)
        firsts = table[:, 2].cumsum() - table[:, 2]
        return cls(table, firsts, firsts[counts.cumsum() - counts])

    def symbols(self, side: int) -> NDArray[np.int64]:
        """Return the numbers of the symbols of all matches on a side."""
        lengths = self.table[:, 2]
        places: NDArray[np.int64] = (self.table[:, side] - self.firsts).repeat(lengths) + np.arange(lengths.sum())
        return places


def _passage(
    chain: Chain,
    matches: tuple[Match, ...],
    touched: int,
    plain: tuple[ComparedDocument, ComparedDocument],
    starts: Sequence[NDArray[np.int64]],
) -> Passage:
    files = chain.links[0].files
    spans = [[_span(match, number) for match in matches] for number in range(2)]
    sides = [_side(*side) for side in zip(plain, files, spans, strict=True)]
    pieces = np.minimum(*(_begun(*side) for side in zip(starts, files, spans, strict=True))).tolist()
    counted = tuple(match._replace(symbols=size) for match, size in zip(matches, pieces, strict=True))
    totals = (_begun(side, file, _unions(each)).sum() for side, file, each in zip(starts, files, spans, strict=True))
    return Passage(sides[0], sides[1], int(min(totals)), counted, "normal", names(touched))


def _begun(starts: NDArray[np.int64], file: int, spans: Sequence[Span]) -> NDArray[np.int64]:
    """Return the number of plain tokens of a file that begin inside each span, as a person counts them. ``starts`` are
    the positions of all tokens."""
    bounds = np.array(spans, np.int64).reshape(-1, 2) + (file << 32)
    return starts.searchsorted(bounds[:, 1]) - starts.searchsorted(bounds[:, 0])


def _unions(spans: Sequence[Span]) -> list[Span]:
    """Return the union of spans."""
    return list(map(Span, *(side.tolist() for side in _merged([(span.start, span.end) for span in spans]))))


def _side(document: ComparedDocument, file: int, spans: Sequence[Span]) -> Side:
    """Return the bounding side of all pieces of a passage."""
    start, end = min(span.start for span in spans), max(span.end for span in spans)
    lines = document.lines[file]
    return Side(document.names[file], start, end, lines.line(start), lines.line(max(start, end - 1)))


def _pieces(links: _Links, *sides: tuple[Evidence, NDArray[np.int64]]) -> tuple[tuple[Match, ...], list[int]]:
    """Split matches where the text jumps on either side. Return the pieces, and the number of the first one of each
    chain, followed by their count."""
    columns = [(side.starts[places], side.ends[places]) for side, places in sides]
    size = len(columns[0][0])
    is_cut = np.zeros(size, np.bool_)
    for starts, _ in columns:
        is_cut[1:] |= np.abs(starts[1:] - starts[:-1]) > JUMP
    is_cut[links.firsts] = True
    cuts = is_cut.nonzero()[0]
    spans = [
        map(Span, np.minimum.reduceat(starts, cuts).tolist(), np.maximum.reduceat(ends, cuts).tolist())
        for starts, ends in columns
    ]
    lengths = np.concatenate((cuts[1:], (size,))) - cuts
    return tuple(map(Match, *spans, lengths.tolist())), [*cuts.searchsorted(links.begins).tolist(), len(cuts)]


def symbol_places(evidence: Evidence) -> Places:
    """Return the span of each symbol of the evidence."""
    files = np.repeat(evidence.files, np.diff(evidence.bounds)).astype(np.int64) << 32
    return files + evidence.starts, files + evidence.ends


def _covered(passages: Sequence[Passage], plain: tuple[ComparedDocument, ComparedDocument]) -> tuple[Places, Places]:
    """Return the union of the spans of all matches of passages, on both sides, sorted."""
    sides: list[Places] = []
    for number, document in enumerate(plain):
        numbers = {name: file for file, name in enumerate(document.names)}
        spans = [
            (numbers[(passage.left, passage.right)[number].file] << 32, _span(match, number))
            for passage in passages
            for match in passage.matches
        ]
        sides.append(_merged([(file + span.start, file + span.end) for file, span in spans]))
    return sides[0], sides[1]


def _merged(intervals: list[tuple[int, int]]) -> Places:
    merged: list[list[int]] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    table = np.array(merged, np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _inside(places: Places, covered: Places) -> NDArray[np.bool_]:
    """Return which spans lie inside covered spans."""
    if not len(covered[0]):
        return np.zeros(len(places[0]), np.bool_)
    at = covered[0].searchsorted(places[0], "right") - 1
    is_inside: NDArray[np.bool_] = (at >= 0) & (places[1] <= covered[1][at])
    return is_inside


def _uncovered(chains: Sequence[Chain], sides: tuple[Places, Places], covered: tuple[Places, Places]) -> list[int]:
    """Return for each chain the number of its symbols that no passage covers yet, on the side with more."""
    if not chains:
        return []
    links = _Links.of(chains)
    counts = []
    for number, side in enumerate(sides):
        places = links.symbols(number)
        is_uncovered = ~_inside((side[0][places], side[1][places]), covered[number])
        counts.append(np.add.reduceat(is_uncovered, links.begins, dtype=np.int64))
    most: list[int] = np.maximum(*counts).tolist()
    return most


def _span(match: Match, side: int) -> Span:
    return match.right if side else match.left


# Submissions in the cache: the pairs of one are often neighbours in the ranking.
CACHED = 64


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
        self._document = lru_cache(CACHED)(self._read)
        self._normal = lru_cache(CACHED)(self._read_normal)
        self._prose = lru_cache(CACHED)(self._read_prose)
        self._places = lru_cache(2 * CACHED)(symbol_places)  # of both streams

    def text(self, submission: int, file: int) -> str:
        """Return the text of a submission's file, by the numbers of both."""
        return unpack(self._buffer.get(self._entries[submission].rows[file]))[1]

    def pair(self, left: int, right: int, *, if_long: bool = False) -> Pair | None:
        """Verify two submissions; with ``if_long``, only if they share a run that is long enough to list them."""
        if if_long:
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
        result = likeness(*sides, self._scheme, weigh, self._backgrounds.plain)
        weights = self._weights.normal
        if weights is None or not (self._entries[left].normal.forms and self._entries[right].normal.forms):
            return result

        def weigh_normal(common: CommonFingerprints) -> list[ScorePart]:
            # A file without a normal form contributes its plain fingerprints.
            grams = distinct(np.concatenate((common.grams, plain[0])))
            return weights.parts(grams, common.statements, common.standing, left, right)

        normal = self._normal(left), self._normal(right)
        background = self._backgrounds.normal
        return with_normal_form(result, sides, normal, self._scheme, background, weigh_normal, self._places)

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
