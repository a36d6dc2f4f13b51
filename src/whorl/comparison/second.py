"""The normal form of submissions: a second stream beside the plain one, with fingerprints of its own.

A file that has no normal form stands in with its plain fingerprints: they are no others' normal form, so such files
count in both streams alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.comparison.statements import Statements, statements
from whorl.fingerprinting.whole import Second
from whorl.matching.evidence import Evidence, evidence, gather, sift
from whorl.matching.sanction import Sanction
from whorl.model import Hashes, Span, Stream


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    """The evidence of a normal form, with whole statements among its fingerprints, and the rewrites that touched each
    symbol, as bits."""

    evidence: Evidence
    marks: NDArray[np.uint32]

    def row(self) -> list[NDArray[Any]]:
        """As a row of the shelf."""
        own = self.evidence
        return [own.symbols, own.starts, own.ends, own.bounds, own.files, own.hashes, own.places, self.marks]


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """What is taken of a file's normal form: what passages are found in; and what scores are made of, fingerprints of
    k-grams, of whole statements, and of statements as they stand."""

    marked: Marked
    grams: Hashes
    statements: Hashes
    standing: Hashes


@dataclass(slots=True)
class Normalised:
    """The normal forms of a submission's files while they are read: the rows on the shelf, by file, the fingerprints,
    those of whole statements, and those of statements as they stand. ``forms`` counts the files that have one,
    ``seconds`` is what they cost."""

    rows: list[int]
    hashes: list[Hashes]
    statements: list[Hashes]
    standing: list[Hashes]
    forms: int = 0
    seconds: float = 0.0

    def distinct(self) -> Hashes:
        """The fingerprints, each once, ascending."""
        return _distinct(self.hashes)

    def distinct_statements(self) -> Hashes:
        """The statements, each once, ascending."""
        return _distinct(self.statements)

    def distinct_standing(self) -> Hashes:
        """The statements as they stand, each once, ascending."""
        return _distinct(self.standing)


def taken(second: Second, sanction: Sanction | None, sanctioned: Sequence[Span]) -> Taken:
    """What of a file's normal form is evidence: not what is sanctioned in this form, nor what comes from the spans of
    the text that are, wherever it was put."""
    part = sift(second.stream, second.fingerprints, sanction)
    is_given = None
    if sanctioned:
        inside, is_given = _inside(second.stream, sanctioned), _inside(second.standing, sanctioned)
        grams = np.zeros(second.fingerprints.grams, np.bool_) if part.grams is None else part.grams
        covered = inside if part.covered is None else part.covered | inside
        part = replace(part, grams=grams, covered=covered)
    found = statements(second.stream.symbols, second.marks, part.covered)
    own, marks = evidence(part), second.marks
    if part.covered is not None:
        before = np.cumsum(~part.covered) - 1
        found = Statements(found.hashes, before[found.places].astype(np.int32))
        marks = marks[~part.covered]
    standing = statements(second.standing.symbols, second.standing_marks, is_given)
    return Taken(Marked(_seeded(own, found), marks), own.hashes, found.hashes, standing.hashes)


def _seeded(own: Evidence, found: Statements) -> Evidence:
    hashes, places = np.concatenate([own.hashes, found.hashes]), np.concatenate([own.places, found.places])
    order = np.lexsort((places, hashes))
    return replace(own, hashes=hashes[order], places=places[order])


def _distinct(hashes: Sequence[Hashes]) -> Hashes:
    return np.unique(np.concatenate([*hashes, np.zeros(0, np.uint64)]))


def _inside(stream: Stream, spans: Sequence[Span]) -> NDArray[np.bool_]:
    """Which symbols come from these spans, which are in order and apart."""
    starts, ends = (np.array(column, np.int64) for column in zip(*spans, strict=True))
    at = np.searchsorted(starts, stream.starts, "right") - 1
    is_inside: NDArray[np.bool_] = (at >= 0) & (stream.ends <= ends[at])
    return is_inside


def nothing() -> Taken:
    """The normal form of a file that has none."""
    none, places = np.zeros(0, np.int32), np.zeros(1, np.int32)
    own = Evidence(np.zeros(0, np.uint32), none, none, places, none, np.zeros(0, np.uint64), none)
    return Taken(Marked(own, np.zeros(0, np.uint32)), own.hashes, own.hashes, own.hashes)


def joined(rows: Sequence[Sequence[NDArray[Any]]]) -> Marked:
    """The normal form of a submission, of the rows of its files."""
    own = gather([Evidence(*row[:-1]) for row in rows])
    return Marked(own, np.concatenate([row[-1] for row in rows]))
