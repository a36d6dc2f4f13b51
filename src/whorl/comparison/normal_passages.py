"""Passages of the normal form: what two submissions share beyond the passages of their plain tokens.

The symbols of a normal form stand in another order than the text: what was inlined or moved stands where it is done. So
a match is told as the pieces of text that it is made of.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.comparison.second import Marked
from whorl.comparison.statements import SHORTEST
from whorl.frontends.code.normal.table import names
from whorl.matching.background import Background
from whorl.matching.chain import Chain, Link, symbols
from whorl.matching.evidence import Evidence
from whorl.matching.likeness import Likeness
from whorl.matching.matches import Finding, find
from whorl.matching.passage import Match, Passage, Side
from whorl.matching.passages import Readable
from whorl.matching.unlikely import unlikely
from whorl.model import Span
from whorl.scheme import Scheme

# Characters from one symbol to the next, forth or back, within one piece: a few lines. A function that was put in the
# place of its call is farther away than that, for the most part.
JUMP = 200

# Starts and ends of places: a file's number and an offset in it, as one number.
Places: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]


def find_normal(scheme: Scheme) -> Finding:
    """How matches of normal forms are found: some fingerprints are those of whole statements."""
    return lambda left, right: find(left, right, scheme, SHORTEST)


def with_normal(
    found: Likeness,
    plain: tuple[Readable, Readable],
    normal: tuple[Marked, Marked],
    scheme: Scheme,
    background: Background,
) -> Likeness:
    """The same, with the passages of the normal form that the plain ones do not cover; coverage counts them too."""
    if normal[0].evidence.symbols.tobytes() > normal[1].evidence.symbols.tobytes():
        return with_normal(found.mirrored(), plain[::-1], normal[::-1], scheme, background).mirrored()
    lefts, rights = normal[0].evidence, normal[1].evidence
    shortest = min(scheme.guarantee or scheme.k, len(lefts), len(rights))
    covered, places = _shown(found.passages, plain), (_places(lefts), _places(rights))
    kept = [
        chain
        for chain in unlikely(find_normal(scheme)(lefts, rights), lefts, rights, scheme, background)
        if _fresh(chain, places, covered) >= shortest
    ]
    if not kept:
        return found
    added = sorted((_passage(chain, plain, normal) for chain in kept), key=lambda passage: -passage.symbols)
    shares = [
        min(1.0, share + _gained(readable.evidence, before, after))
        for share, readable, before, after in zip(
            (found.left_coverage, found.right_coverage), plain, covered, _shown(added, plain), strict=True
        )
    ]
    return replace(found, left_coverage=shares[0], right_coverage=shares[1], passages=(*found.passages, *added))


def _passage(chain: Chain, plain: tuple[Readable, Readable], normal: tuple[Marked, Marked]) -> Passage:
    matches = tuple(match for link in chain.links for match in _pieces(link, normal[0].evidence, normal[1].evidence))
    touched = 0
    for link in chain.links:
        left = normal[0].marks[link.left : link.left + link.length]
        right = normal[1].marks[link.right : link.right + link.length]
        touched |= int(np.bitwise_or.reduce(left ^ right))
    sides = [
        _side(readable, chain.links[0].files[number], [_span(match, number) for match in matches])
        for number, readable in enumerate(plain)
    ]
    return Passage(sides[0], sides[1], symbols(chain), matches, "normal", names(touched))


def _side(readable: Readable, file: int, spans: Sequence[Span]) -> Side:
    """What is around all pieces of a passage."""
    start, end = min(span.start for span in spans), max(span.end for span in spans)
    lines = readable.lines[file]
    return Side(readable.names[file], start, end, lines.line(start), lines.line(max(start, end - 1)))


def _pieces(link: Link, left: Evidence, right: Evidence) -> Iterable[Match]:
    """A match, cut where the text jumps on either side."""
    sides = [(left, link.left), (right, link.right)]
    columns = [(own.starts[at : at + link.length], own.ends[at : at + link.length]) for own, at in sides]
    jumps = np.zeros(link.length - 1, np.bool_)
    for starts, _ in columns:
        jumps |= np.abs(np.diff(starts)) > JUMP
    cuts = np.concatenate([[0], np.flatnonzero(jumps) + 1])
    spans = [
        map(Span, np.minimum.reduceat(starts, cuts).tolist(), np.maximum.reduceat(ends, cuts).tolist())
        for starts, ends in columns
    ]
    return map(Match, *spans, np.diff(np.append(cuts, link.length)).tolist())


def _places(own: Evidence) -> Places:
    """Where each symbol of the evidence stands."""
    files = np.repeat(own.files, np.diff(own.bounds)).astype(np.int64) << 32
    return files + own.starts, files + own.ends


def _shown(passages: Sequence[Passage], plain: tuple[Readable, Readable]) -> tuple[Places, Places]:
    """The places that the matches of passages cover on both sides, in order, none touching another."""
    found: list[Places] = []
    for number, readable in enumerate(plain):
        numbers = {name: file for file, name in enumerate(readable.names)}
        spans = [
            (numbers[(passage.left, passage.right)[number].file] << 32, _span(match, number))
            for passage in passages
            for match in passage.matches
        ]
        found.append(_merged([(file + span.start, file + span.end) for file, span in spans]))
    return found[0], found[1]


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
    """Which places are inside what is covered."""
    if not len(covered[0]):
        return np.zeros(len(places[0]), np.bool_)
    at = np.searchsorted(covered[0], places[0], "right") - 1
    is_inside: NDArray[np.bool_] = (at >= 0) & (places[1] <= covered[1][at])
    return is_inside


def _fresh(chain: Chain, sides: tuple[Places, Places], covered: tuple[Places, Places]) -> int:
    """How many symbols of a chain no passage shows yet, on the side that has more of them."""
    counts = []
    for number, (starts, ends) in enumerate(sides):
        at = np.concatenate([np.arange(link.length) + (link.right if number else link.left) for link in chain.links])
        counts.append(int(np.count_nonzero(~_inside((starts[at], ends[at]), covered[number]))))
    return max(counts)


def _span(match: Match, side: int) -> Span:
    return match.right if side else match.left


def _gained(own: Evidence, before: Places, after: Places) -> float:
    """The share of the plain symbols that only the new passages cover."""
    places = _places(own)
    return float(np.count_nonzero(_inside(places, after) & ~_inside(places, before))) / max(1, len(own))
