"""Where rarity is told: the seeds of two documents, in windows round what they share."""

from collections.abc import Sequence

from whorl.matching.deep.anchors import Anchors, repeats
from whorl.matching.deep.seeds import Grams, Seeds, distinct, ordered, seeds, unordered
from whorl.matching.deep.windows import Windows, widened, windows
from whorl.matching.deep.words import Words


def find_seeds(found: Anchors, left: Words, right: Words) -> Seeds:
    """The bigrams that are rare in windows, and what of the exact matches these have lost."""
    sizes = len(left), len(right)
    grams = [(kind(left), kind(right)) for kind in (ordered, unordered)]
    rare = distinct(_in_windows(grams, windows(found.boxes, sizes)))
    is_repeat = repeats(found, rare, sizes)
    rows = _in_windows(grams, widened(found.boxes, sizes, is_repeat))
    return distinct([rare, found.seeds[is_repeat[found.groups]], *rows])


def _in_windows(grams: Sequence[tuple[Grams, Grams]], found: Windows) -> list[Seeds]:
    return [
        seeds(left.between(a, b), right.between(c, d), number)
        for a, b, c, d, number in found.tolist()
        for left, right in grams
    ]
