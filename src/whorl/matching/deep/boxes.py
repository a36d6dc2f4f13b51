"""From seeds to the boxes of passages, in words: clustered, sieved, extended, joined, snapped to sentences."""

import numpy as np
from numpy.typing import NDArray

from whorl.matching.deep.clusters import Boxes, around, clusters, points, split
from whorl.matching.deep.extension import extended
from whorl.matching.deep.seeds import NEAR, Seeds, word_pairs
from whorl.matching.deep.sentences import snap
from whorl.matching.deep.summaries import pieced, summaries, without
from whorl.matching.deep.words import Places, Words

# Words from one seed of a passage to the next, on either side: a long sentence, or two that were rewritten.
GAP = 25

# The fewest words of a side that seeds cover, and the least share of it: one in five words stands where it stood. Texts
# that have nothing in common but their language have neither.
WORDS, DENSITY = 10, 0.2

# The same of a passage in which no fingerprint is shared. With 10, one pair of unrelated texts in two thousand had a
# passage, made of set phrases; with 12, none of five thousand.
UNANCHORED = 12

# Words round a passage: a paragraph. Passages that are no further apart on both sides are one, and a word that occurs
# once in a passage with this round it extends it.
AROUND = 50

# Passages that are drawn together as one summary, if summaries are not asked for: one may be a copy, two that follow
# each other on the short side and on the long side do not are no chance.
PIECES = 2


def boxes(found: Seeds, exact: Seeds, left: Words, right: Words, summarised: bool) -> Boxes:
    """The boxes of passages. ``exact`` are the words in matches through shared fingerprints, as seeds. ``summarised``:
    summaries too that have no piece which is a passage itself."""
    apart = _numbered(_file_pairs(points(found), left, right), found[:, 4])
    kept = _sieved(found, split(points(found), GAP, apart), exact, (len(left), len(right)))
    kept = extended(kept, left, right, AROUND, NEAR)
    drawn = pieced(summaries(found, apart, GAP), kept, 0 if summarised else PIECES)
    kept = np.concatenate((without(kept, drawn), drawn))
    kept = around(kept, split(kept, AROUND, _file_pairs(kept, left, right)))
    rows = [(*snap(a, b, left.opens, NEAR), *snap(c, d, right.opens, NEAR)) for a, b, c, d in kept.tolist()]
    return np.array(rows, np.int64).reshape(-1, 4)


def _sieved(found: Seeds, labels: Places, exact: Seeds, sizes: tuple[int, int]) -> Boxes:
    """The boxes of the clusters that are evidence. Of documents that are shorter than any passage, all is asked."""
    grouped = clusters(found, labels)
    fewest = np.where(_anchored(found, labels, exact, sizes[1]), WORDS, UNANCHORED)
    return grouped.boxes[grouped.dense(np.minimum(fewest, min(sizes)), DENSITY)]


def _anchored(found: Seeds, labels: Places, exact: Seeds, size: int) -> NDArray[np.bool_]:
    """Which labels have a seed in an exact match."""
    inside = np.isin(word_pairs(found, size), word_pairs(exact, size)[:, 0]).any(axis=1)
    return np.bincount(labels[inside], minlength=int(labels.max(initial=-1)) + 1) > 0


def _numbered(one: Places, two: Places) -> Places:
    """A number for each pair of numbers, from 0."""
    labels: Places = np.unique(one * (int(two.max(initial=0)) + 1) + two, return_inverse=True)[1]
    return labels


def _file_pairs(places: Boxes, left: Words, right: Words) -> Places:
    """The pairs of files that boxes are in, by number."""
    count = int(right.files.max(initial=0)) + 1
    return left.files[places[:, 0]] * count + right.files[places[:, 2]]
