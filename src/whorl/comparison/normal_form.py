"""The normal form of submissions: its statements, its evidence and its fingerprints."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.engine.documents import NormalFormStream
from whorl.engine.sampling import distinct
from whorl.kernel import native_passages
from whorl.matching.evidence import Evidence, evidence, gather, inside, sift
from whorl.model import Hashes, Span, Stream, Symbols

# Minimum length of a statement, in symbols. With 6 unrelated programs score no higher than by tokens alone; with 4 they
# score .01 more. From 4 to 7 disguised copies are separated from independent programs equally well.
SHORTEST = 6

# Prior number of unknown statements: the measures of n statements weigh n / (n + PRIOR_STATEMENTS), because one common
# statement says little. With 1, independent programs of three statements rank above copies of a hundred lines; from 2
# to 8 labelled copies rank alike.
PRIOR_STATEMENTS = 4

# After the last symbol: a place where a stretch may end.
_END = np.zeros(1, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Statements:
    """Statements of a stream: the hash of each, the number of its first symbol, and its length in symbols. A collision
    of hashes changes a score slightly."""

    hashes: Hashes
    places: NDArray[np.int32]
    sizes: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Statements of a text: the hash of each, its start and its end, in characters, with the number of its file in the
    bits above 32."""

    hashes: Hashes
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


NO_STANDING = Standing(np.zeros(0, np.uint64), np.zeros(0, np.int64), np.zeros(0, np.int64))


def standing(stream: Stream, marks: NDArray[np.uint32], covered: NDArray[np.bool_] | None = None) -> Standing:
    """Return the statements of a stream with their spans in the text, without those with a ``covered`` symbol."""
    whole = statements(stream.symbols, marks, covered)
    if not len(whole.hashes):
        return NO_STANDING
    bounds = np.empty(2 * len(whole.places), np.intp)
    bounds[::2], bounds[1::2] = whole.places, whole.places + whole.sizes
    starts = np.minimum.reduceat(np.concatenate((stream.starts, _END)), bounds)[::2]
    ends = np.maximum.reduceat(np.concatenate((stream.ends, _END)), bounds)[::2]
    return Standing(whole.hashes, starts.astype(np.int64), ends.astype(np.int64))


def statements(symbols: Symbols, marks: NDArray[np.uint32], covered: NDArray[np.bool_] | None = None) -> Statements:
    """Return the statements of a stream, which begin at its marks, without those with a ``covered`` symbol."""
    hashes, places, sizes = native_passages.statements(symbols, marks, SHORTEST)
    if covered is not None and len(places):
        before = np.concatenate((_END, np.cumsum(covered)))
        is_own = before[places + sizes] == before[places]
        hashes, places, sizes = hashes[is_own], places[is_own], sizes[is_own]
    return Statements(hashes, places, sizes)


def trust(fewer: int) -> float:
    """Return the weight of the measures of statements, from 0 to 1, by the number of distinct statements of the side
    with fewer."""
    return fewer / (fewer + PRIOR_STATEMENTS)


@dataclass(frozen=True, slots=True, eq=False)
class NormalFormEvidence:
    """The evidence of a normal form, with whole statements among its fingerprints; the rewrites of each symbol, as
    bits; and the statements of the text."""

    evidence: Evidence
    marks: NDArray[np.uint32]
    standing: Standing

    def row(self) -> list[NDArray[Any]]:
        """Return a row of the spill buffer."""
        standing = self.standing
        return [*self.evidence.columns(), self.marks, standing.hashes, standing.starts, standing.ends]


@dataclass(frozen=True, slots=True, eq=False)
class FileNormalForm:
    """The normal form of a file: the evidence for passages, and the fingerprints for scores: k-grams, statements of the
    normal form, and statements of the text."""

    evidence: NormalFormEvidence
    grams: Hashes
    statements: Hashes
    standing: Hashes


@dataclass(slots=True)
class SubmissionNormalForms:
    """The normal forms of a submission's files while they are read: rows of the spill buffer, by file, k-grams,
    statements of the normal form, and statements of the text. ``forms`` counts the files with a normal form,
    ``seconds`` is their CPU time."""

    rows: list[int]
    hashes: list[Hashes]
    statements: list[Hashes]
    standing: list[Hashes]
    forms: int = 0
    seconds: float = 0.0

    def distinct(self) -> Hashes:
        """Return the k-grams, ascending and distinct."""
        return _distinct(self.hashes)

    def distinct_statements(self) -> Hashes:
        """Return the statements of the normal form, ascending and distinct."""
        return _distinct(self.statements)

    def distinct_standing(self) -> Hashes:
        """Return the statements of the text, ascending and distinct."""
        return _distinct(self.standing)


def normal_form_of(normal_form: NormalFormStream, sanctioned: Sequence[Span] | None) -> FileNormalForm:
    """Return a file's normal form without symbols from spans of starter code, wherever rewrites moved them. The spans
    include the blanks around them."""
    sifted = sift(normal_form.stream, normal_form.fingerprints, sanctioned)
    whole = statements(normal_form.stream.symbols, normal_form.marks, sifted.covered)
    grams, marks = evidence(sifted), normal_form.marks
    is_starter_code = None
    if sanctioned is not None and sifted.covered is not None:
        before = np.cumsum(~sifted.covered) - 1
        whole = replace(whole, places=before[whole.places].astype(np.int32))
        marks = marks[~sifted.covered]
        is_starter_code = inside(normal_form.standing, sanctioned)
    in_text = standing(normal_form.standing, normal_form.standing_marks, is_starter_code)
    form = NormalFormEvidence(_with_statements(grams, whole), marks, in_text)
    return FileNormalForm(form, grams.hashes, whole.hashes, in_text.hashes)


def _with_statements(grams: Evidence, whole: Statements) -> Evidence:
    hashes, places = np.concatenate([grams.hashes, whole.hashes]), np.concatenate([grams.places, whole.places])
    order = np.lexsort((places, hashes))
    return Evidence(grams.symbols, grams.starts, grams.ends, grams.bounds, grams.files, hashes[order], places[order])


def _distinct(hashes: Sequence[Hashes]) -> Hashes:
    return distinct(np.concatenate([*hashes, np.zeros(0, np.uint64)]))


def _no_normal_form() -> FileNormalForm:
    none, bounds = np.zeros(0, np.int32), np.zeros(1, np.int32)
    empty = Evidence(np.zeros(0, np.uint32), none, none, bounds, none, np.zeros(0, np.uint64), none)
    return FileNormalForm(
        NormalFormEvidence(empty, np.zeros(0, np.uint32), NO_STANDING), empty.hashes, empty.hashes, empty.hashes
    )


NO_NORMAL_FORM = _no_normal_form()


def join_normal_forms(rows: Sequence[Sequence[NDArray[Any]]]) -> NormalFormEvidence:
    """Return the normal form of a submission from the rows of its files."""
    evidence = gather([Evidence(*row[:7]) for row in rows])
    numbered = [(row[8], row[9] + (file << 32), row[10] + (file << 32)) for file, row in enumerate(rows)]
    in_text = Standing(*(np.concatenate(column) for column in zip(*numbered, strict=True)))
    return NormalFormEvidence(evidence, np.concatenate([row[7] for row in rows]), in_text)
