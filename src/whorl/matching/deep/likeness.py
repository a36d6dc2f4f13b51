"""The deep look at two documents: reads as its steps."""

from dataclasses import dataclass

import numpy as np

from whorl.errors import InputError
from whorl.frontends.tables import KINDS
from whorl.matching.deep.anchors import anchors
from whorl.matching.deep.boxes import boxes
from whorl.matching.deep.clusters import Boxes
from whorl.matching.deep.marks import covered, marks, passage
from whorl.matching.deep.rarity import find_seeds
from whorl.matching.deep.words import Words
from whorl.matching.likeness import Likeness
from whorl.matching.matches import find
from whorl.matching.passages import Readable
from whorl.scheme import Scheme


@dataclass(frozen=True, slots=True, eq=False)
class Prose:
    """A document that can be looked at deeply: what can be matched of it, and its words."""

    readable: Readable
    words: Words


def check_prose(scheme: Scheme) -> None:
    """Refuse a scheme that is not for text."""
    if scheme.symbols not in KINDS:
        raise InputError(
            f"deep: the deep pass reads prose, and this scheme makes {scheme.symbols}; "
            "leave deep out, or choose a scheme for text, such as 'text'"
        )


def deep_likeness(
    left: Prose,
    right: Prose,
    scheme: Scheme,
    similarity: float,
    containment: float,
    shared: int,
    *,
    summarised: bool = False,
) -> Likeness:
    """Look deeply at two documents whose fingerprints were compared. A coverage is the share of a side's symbols that
    are inside passages: of an edited copy it tells what was copied, not what was left as it was."""
    if left.readable.evidence.symbols.tobytes() > right.readable.evidence.symbols.tobytes():
        turned = deep_likeness(right, left, scheme, similarity, containment, shared, summarised=summarised)
        return turned.mirrored()
    sides = left.readable, right.readable
    words = left.words, right.words
    exact = find(sides[0].evidence, sides[1].evidence, scheme)
    anchored = anchors(exact, *words)
    found = find_seeds(anchored, *words)
    places = _symbols(boxes(found, anchored.seeds, *words, summarised), *words)
    marked = marks(exact, found, sides, words, scheme)
    passages = [passage(box, marked, *sides) for box in places]
    sizes = [max(1, len(side.evidence)) for side in sides]
    return Likeness(
        similarity,
        containment,
        shared,
        covered(places[:, 0], places[:, 1]) / sizes[0],
        covered(places[:, 2], places[:, 3]) / sizes[1],
        tuple(sorted(passages, key=lambda each: -each.symbols)),
    )


def _symbols(found: Boxes, left: Words, right: Words) -> Boxes:
    """Boxes of words as boxes of symbols."""
    columns = (
        left.firsts[found[:, 0]],
        left.lasts[found[:, 1] - 1],
        right.firsts[found[:, 2]],
        right.lasts[found[:, 3] - 1],
    )
    return np.stack(columns, axis=1)
