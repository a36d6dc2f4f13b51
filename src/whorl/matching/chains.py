"""Chain matches over gaps, merge reordered chains, and keep those that chance does not explain."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice
from math import log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whorl.engine.sampling import distinct
from whorl.formats.reading import CODE
from whorl.kernel import native_matching, native_passages
from whorl.matching.evidence import Evidence
from whorl.matching.matches import Matches, MatchFinder
from whorl.model import Hashes
from whorl.scheme import Scheme

# Bits above log2(m n) that a significant chain needs without a calibration. Between unrelated documents of m and n
# symbols a chain can begin at m n positions, so one pair in 2^15 should reach it (after Karlin and Altschul 1990).
MARGIN = 15.0

# Imaginary documents without any of these fingerprints, as for scores: a fingerprint in two of three documents is not
# common.
PRIOR_DOCUMENTS = 50


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """The ``hashes`` of common fingerprints, ascending, and the ``rarities`` of each: near 1 if few documents have it,
    near 0 if all have. Others have the rarity 1. ``margin`` is the number of bits that a significant chain needs above
    those of the documents' lengths."""

    hashes: Hashes
    rarities: NDArray[np.float64]
    margin: float = MARGIN

    def least(self, sizes: tuple[int, int]) -> float:
        """Return the minimum score, in bits, of a significant chain between documents of these sizes in symbols."""
        return log2(max(1, sizes[0])) + log2(max(1, sizes[1])) + self.margin


def count_background(documents: Sequence[Hashes]) -> Background:
    """Count how common the fingerprints of some documents are."""
    fingerprints = np.concatenate([*map(distinct, documents), np.zeros(0, np.uint64)])
    hashes, counts = np.unique(fingerprints, return_counts=True)
    common, most = counts > 2, len(documents) + PRIOR_DOCUMENTS
    return Background(hashes[common], np.log(most / counts[common]) / np.log(most / 2))


# Two documents alone tell nothing about common fingerprints.
NO_BACKGROUND = count_background([])


# Weight of a k-gram, in bits. A scheme chooses k so that chance matches are rare: two documents of a thousand symbols,
# with 2^20 pairs of positions, have about one.
BITS = 20.0

# Earlier matches, in the order of the left side, that each match is compared with. It bounds the cost of texts that
# repeat one shared piece everywhere.
LOOK = 32


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """Matches that a person reads as one piece each. Those of a chain are between two ``bounds``, in the order of the
    left side: their starts on both sides and their lengths, in symbols of the evidence. ``files`` has a row for each
    side with the numbers of the chains' files; ``scores`` are in bits."""

    lefts: NDArray[np.int32]
    rights: NDArray[np.int32]
    lengths: NDArray[np.int32]
    bounds: NDArray[np.int64]
    files: NDArray[np.int32]
    scores: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def firsts(self) -> NDArray[np.int64]:
        """Where the matches of each chain begin."""
        return self.bounds[:-1]

    def mirrored(self) -> "Chains":
        """Return the chains with their sides exchanged; their matches keep their order."""
        return Chains(self.rights, self.lefts, self.lengths, self.bounds, self.files[::-1], self.scores)

    def only(self, is_chosen: NDArray[np.bool_]) -> "Chains":
        """Return some of the chains."""
        count = np.count_nonzero(is_chosen)
        if count in (0, len(self)):
            return self if count else NO_CHAINS
        sizes = np.diff(self.bounds)
        links = is_chosen.repeat(sizes)
        return Chains(
            self.lefts[links], self.rights[links], self.lengths[links], _bounds(sizes[is_chosen]),
            self.files[:, is_chosen], self.scores[is_chosen],
        )  # fmt: skip

    def symbols(self) -> NDArray[np.int64]:
        """Return the number of symbols in the matches of each chain, each counted once, on the side with fewer."""
        if len(self) == len(self.lengths):
            return self.lengths.astype(np.int64)
        return np.minimum(*(united(starts, self.lengths, self.bounds) for starts in (self.lefts, self.rights)))


_START = np.zeros(1, np.int64)
_NONE = np.zeros(0, np.int32)
NO_CHAINS = Chains(_NONE, _NONE, _NONE, _START, np.zeros((2, 0), np.int32), np.zeros(0))


def _bounds(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate((_START, sizes.cumsum()))


def united(starts: NDArray[np.int32], lengths: NDArray[np.int32], bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many places the runs of each group cover. The runs between two bounds are a group."""
    counts = native_passages.united(starts, lengths, bounds)
    if counts is not None:
        return counts
    order = np.lexsort((starts, np.arange(len(bounds) - 1).repeat(np.diff(bounds))))
    return united(starts[order], lengths[order], bounds)


@dataclass(frozen=True, slots=True)
class Gaps:
    """The costs of gaps: one bit per ``k`` symbols on the longer side, up to ``reach`` symbols. Neighbouring matches
    may overlap by fewer than ``k`` symbols; these count once."""

    k: int
    reach: int


class Limits(NamedTuple):
    """A chain counts if it has a match of ``sure`` symbols, or a score of ``enough`` bits and ``sure`` symbols."""

    sure: int
    enough: float


NO_LIMITS = Limits(0, 0.0)


def chain_matches(
    matches: Matches,
    files: tuple[NDArray[np.int32], NDArray[np.int32]],
    weights: NDArray[np.float64],
    gaps: Gaps,
    limits: Limits = NO_LIMITS,
) -> Chains:
    """Chain all matches: repeatedly take the best chain of unused matches. ``files`` are those of each match on both
    sides, and ``weights`` are in bits. Leave out chains that have neither the match nor the score of the limits."""
    columns = matches.lefts, matches.rights, matches.lengths
    return Chains(*native_passages.chain(*columns, *files, weights, gaps.k, gaps.reach, BITS, LOOK, *limits))


# Minimum share of its bits that a match keeps, however common it is, so that it does not split a chain.
MIN_RARITY = 0.1


# Each doubling of the possible pairs of positions of a fingerprint costs one bit. From this number of pairs on, a match
# keeps the minimum, however rare its fingerprint is.
PAIRS_OF_POSITIONS = 1 << 18


@cache
def _position_costs() -> NDArray[np.float64]:
    """Return the share of its bits that a match loses, by the number of pairs of positions of its fingerprint."""
    return np.concatenate((_END, np.log2(np.arange(1, PAIRS_OF_POSITIONS)) / BITS))


_END = np.zeros(1)


def match_weights(
    matches: Matches, left: Evidence, right: Evidence, k: int, background: Background
) -> NDArray[np.float64]:
    """Return the weight of each match. Matches that are common in the collection, or repeated in the pair, weigh less.
    A match without a fingerprint comes from a k-gram that occurs once on each side, and keeps its full weight."""
    fingerprints = left.hashes, left.places, right.hashes
    common = background.hashes, background.rarities, _position_costs()
    columns = matches.lefts, matches.lengths
    return native_matching.match_weights(
        *fingerprints, *common, *columns, len(left), matches.shortest, BITS / k, MIN_RARITY
    )


# Cost of a reordering, in bits, besides the gap: any order allows a match more positions. Text alignment is equally
# good from 0 to 10, and worse with 20.
REORDER = 5.0

# Longest moved piece, in k-grams, that joins its neighbours. A longer one is a passage of its own: several sentences.
SMALL = 5

# Start and end on the left side, then on the right side.
Box = tuple[int, int, int, int]


def merge_reordered(chains: Chains, gaps: Gaps) -> Chains:
    """Merge chains that are near each other on both sides, if both score more than the cost and one is small. This also
    merges the repeats of a phrase on one side."""
    if len(chains) < 2:
        return chains
    order = np.lexsort((chains.rights[chains.firsts], chains.lefts[chains.firsts]))
    boxes, sizes = _boxes(chains, order), chains.symbols()[order].tolist()
    files, own_scores = chains.files[:, order].T.tolist(), chains.scores[order].tolist()
    groups = [[number] for number in range(len(chains))]
    owners, scores = list(range(len(chains))), list(own_scores)
    for at in range(len(chains)):
        for other in range(max(0, at - LOOK), at):
            one, two = owners[other], owners[at]
            if one == two or min(sizes[other], sizes[at]) > SMALL * gaps.k:
                continue
            cost = _reorder_cost(boxes[other], boxes[at], gaps)
            same = files[other] == files[at]
            if same and cost is not None and min(own_scores[other], own_scores[at]) > cost:
                _unite(groups, owners, *sorted((one, two), key=lambda owner: -len(groups[owner])))
                scores[owners[at]] = scores[one] + scores[two] - cost
    merged = [group for group in groups if group]
    numbers = np.empty(len(chains), np.int64)
    for number, group in enumerate(merged):
        numbers[order[group]] = number
    return _merged(chains, numbers, np.array([scores[owners[group[0]]] for group in merged], np.float64))


def _unite(groups: list[list[int]], owners: list[int], larger: int, smaller: int) -> None:
    """Move the smaller group, so that no chain moves often."""
    for number in groups[smaller]:
        owners[number] = larger
    groups[larger] += groups[smaller]
    groups[smaller] = []


def _reorder_cost(one: Box, two: Box, gaps: Gaps) -> float | None:
    gap = max(
        max(one[0], two[0]) - min(one[1], two[1]),
        max(one[2], two[2]) - min(one[3], two[3]),
    )  # fmt: skip
    return REORDER + max(0, gap) / gaps.k if gap <= gaps.reach else None


def _boxes(chains: Chains, order: NDArray[np.intp]) -> list[Box]:
    """Return the boxes of chains in this order: from the start of the first match to the end of the last one."""
    firsts, lasts = chains.bounds[:-1][order], chains.bounds[1:][order] - 1
    lengths = chains.lengths[lasts]
    sides = ((side[firsts], side[lasts] + lengths) for side in (chains.lefts, chains.rights))
    return list(zip(*(column.tolist() for side in sides for column in side), strict=True))


def _merged(chains: Chains, numbers: NDArray[np.int64], scores: NDArray[np.float64]) -> Chains:
    """Return merged chains: the number of the new chain of each old one, and the scores of the new ones."""
    owners = numbers.repeat(np.diff(chains.bounds))
    order = np.lexsort((chains.rights, chains.lefts, owners))
    files = np.empty((2, len(scores)), np.int32)
    files[:, numbers] = chains.files
    bounds = _bounds(np.bincount(owners, minlength=len(scores)))
    return Chains(chains.lefts[order], chains.rights[order], chains.lengths[order], bounds, files, scores)


# Longest gap in a chain, in k-grams, about a dozen lines: a rewritten paragraph of prose, or an inserted block of code.
REACH, CODE_REACH = 40, 12


def significant_chains(
    matches: Matches, left: Evidence, right: Evidence, scheme: Scheme, background: Background
) -> Chains:
    """Return the chains with a match of the guaranteed length, and those that chance does not explain.

    For documents shorter than the guarantee, use their length instead. No chain has fewer distinct symbols than that: a
    phrase that one side repeats counts once.
    """
    if not len(matches):
        return NO_CHAINS
    sizes = len(left), len(right)
    limits = Limits(min(scheme.guarantee or scheme.k, *sizes), background.least(sizes))
    if int(matches.lengths.max()) < limits.sure:
        starts = matches.lefts if sizes[0] > sizes[1] else matches.rights
        one, (sure, least) = np.zeros(len(matches), np.intp), (np.array([limit]) for limit in limits)
        if not can_be_significant(starts, matches.lengths, one, sure, least, scheme).any():
            return NO_CHAINS
    return _within_limits(all_chains(matches, left, right, scheme, background, limits), limits)


def _within_limits(chains: Chains, limits: Limits) -> Chains:
    """Return the chains that count."""
    if not len(chains):
        return chains
    is_sure = np.maximum.reduceat(chains.lengths, chains.firsts) >= limits.sure
    if is_sure.all():
        return chains
    return chains.only(is_sure | ((chains.scores >= limits.enough) & (chains.symbols() >= limits.sure)))


def can_be_significant(
    starts: NDArray[np.int32],
    lengths: NDArray[np.int32],
    owners: NDArray[np.intp],
    sures: NDArray[np.int64],
    leasts: NDArray[np.float64],
    scheme: Scheme,
) -> NDArray[np.bool_]:
    """Return whether the matches of each of several documents with another can make a significant chain: those that
    begin at these places of the other, and the number of the document of each.

    No chain crosses a gap longer than the reach. It scores at most the full weight of all matches between two such
    gaps; one bit is left for rounding. ``sures`` and ``leasts`` are the limits of ``significant_chains``.
    """
    possible = np.zeros(len(sures), np.bool_)
    if not len(starts):
        return possible
    reach = _reach(scheme)
    # Move the matches of each document beyond the reach of those before.
    apart = starts + owners * (int(starts.max()) + int(lengths.max()) + reach + 1)
    order = apart.argsort()
    apart, lengths = apart[order], lengths[order]
    ends = np.maximum.accumulate(apart + lengths)
    firsts = np.concatenate((_START, (apart[1:] - ends[:-1] > reach).nonzero()[0] + 1))
    of = owners[order[firsts]]
    scores = np.add.reduceat(lengths, firsts) * (BITS / scheme.k)
    is_enough = (np.maximum.reduceat(lengths, firsts) >= sures[of]) | (scores >= leasts[of] - 1)
    possible[of[is_enough]] = True
    return possible


def _reach(scheme: Scheme) -> int:
    return scheme.k * (CODE_REACH if scheme.frontend == CODE else REACH)


def all_chains(
    matches: Matches,
    left: Evidence,
    right: Evidence,
    scheme: Scheme,
    background: Background,
    limits: Limits = NO_LIMITS,
) -> Chains:
    """Chain all matches. Merge reordered sentences; a moved function stays a chain of its own, so that chains of
    programs without the match and the score of the limits are left out at once."""
    weights = match_weights(matches, left, right, scheme.k, background)
    gaps = Gaps(scheme.k, _reach(scheme))
    files = _files(left, matches.lefts), _files(right, matches.rights)
    if scheme.frontend == CODE:
        return chain_matches(matches, files, weights, gaps, limits)
    return merge_reordered(chain_matches(matches, files, weights, gaps), gaps)


def _files(side: Evidence, starts: NDArray[np.int32]) -> NDArray[np.int32]:
    if len(side.files) == 1:
        return side.files.repeat(len(starts))
    return side.files[side.bounds.searchsorted(starts, "right") - 1]


# Sampled documents: enough to see a fingerprint of one in twenty documents several times.
DOCUMENTS = 64

# Sampled pairs, and the fewest that allow a calibration.
PAIRS, MIN_PAIRS = 32, 16

# Accepted false positives: one unrelated pair in so many.
PAIRS_A_FALSE_POSITIVE = 1000


def sample(documents: int) -> list[int]:
    """Return the numbers of the documents to sample, evenly spread."""
    count = min(documents, DOCUMENTS)
    return [documents * number // count for number in range(count)]


def calibrate(documents: Sequence[Evidence], scheme: Scheme, find: MatchFinder) -> Background:
    """Return the background of a sample of documents. ``find`` returns the matches of two."""
    background = count_background([evidence.hashes for evidence in documents])
    bests = [_best_score(documents[i], documents[j], scheme, find, background) for i, j in _pairs(len(documents))]
    return replace(background, margin=margin(bests)) if len(bests) >= MIN_PAIRS else background


def margin(bests: Sequence[float]) -> float:
    """Return the margin that one in ``PAIRS_A_FALSE_POSITIVE`` unrelated pairs reaches, at least ``MARGIN``. Each
    halving costs at least one bit, as it would for independent matches."""
    quarter, eighth = sorted(bests)[-(len(bests) // 4)], sorted(bests)[-(len(bests) // 8)]
    return max(MARGIN, quarter + max(1.0, eighth - quarter) * log2(PAIRS_A_FALSE_POSITIVE / 4))


def _pairs(count: int) -> list[tuple[int, int]]:
    """Return pairs of numbers below ``count``, distant ones first: neighbours often have one author."""
    steps = sorted(range(1, count), key=lambda step: abs(step - count // 2))
    return list(islice(chain.from_iterable(((i, i + step) for i in range(count - step)) for step in steps), PAIRS))


def _best_score(left: Evidence, right: Evidence, scheme: Scheme, find: MatchFinder, background: Background) -> float:
    """Return the best score of a pair's chains, minus the bits of the documents' lengths."""
    best = float(all_chains(find(left, right), left, right, scheme, background).scores.max(initial=0.0))
    return best - background.least((len(left), len(right))) + background.margin
