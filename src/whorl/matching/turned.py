"""Pieces that were put in another order: chains go forward on both sides, and an editor does not."""

from collections.abc import Sequence

from whorl.matching.chain import LOOK, Chain, Gaps, Link, symbols

# Bits that it costs to turn back, beside the gap: a match has so many places to be, if any order will do. From 0 to 10
# texts are aligned equally well, with 20 worse.
TURN = 5.0

# A piece that has more than this many k-grams, and was moved, is a passage of its own: several sentences.
SMALL = 5

# Start and end on the left side, then on the right side.
Box = tuple[int, int, int, int]


def joined(found: Sequence[Chain], gaps: Gaps) -> list[Chain]:
    """Chains that are near each other on both sides as one, if it pays for both and one of them is small. A phrase that
    one side repeats is then one piece with its repeats round it."""
    ordered = sorted(found, key=lambda chain: chain.links[0])
    boxes, sizes = [_box(chain) for chain in ordered], [symbols(chain) for chain in ordered]
    groups = [[number] for number in range(len(ordered))]
    owners, scores = list(range(len(ordered))), [chain.score for chain in ordered]
    for at in range(len(ordered)):
        for other in range(max(0, at - LOOK), at):
            one, two = owners[other], owners[at]
            if one == two or min(sizes[other], sizes[at]) > SMALL * gaps.k:
                continue
            cost = _cost(boxes[other], boxes[at], gaps)
            same = ordered[other].links[0].files == ordered[at].links[0].files
            if same and cost is not None and min(ordered[other].score, ordered[at].score) > cost:
                _unite(groups, owners, *sorted((one, two), key=lambda owner: -len(groups[owner])))
                scores[owners[at]] = scores[one] + scores[two] - cost
    return [_chain([ordered[number] for number in group], scores[owners[group[0]]]) for group in groups if group]


def _unite(groups: list[list[int]], owners: list[int], larger: int, smaller: int) -> None:
    """The smaller group moves, so that no chain moves often."""
    for number in groups[smaller]:
        owners[number] = larger
    groups[larger] += groups[smaller]
    groups[smaller] = []


def _cost(one: Box, two: Box, gaps: Gaps) -> float | None:
    gap = max(
        max(one[0], two[0]) - min(one[1], two[1]),
        max(one[2], two[2]) - min(one[3], two[3]),
    )  # fmt: skip
    return TURN + max(0, gap) / gaps.k if gap <= gaps.reach else None


def _box(chain: Chain) -> Box:
    first, last = chain.links[0], chain.links[-1]
    return first.left, last.left + last.length, first.right, last.right + last.length


def _chain(parts: Sequence[Chain], score: float) -> Chain:
    if len(parts) == 1:
        return parts[0]
    links: list[Link] = sorted(link for part in parts for link in part.links)
    return Chain(tuple(links), score)
