"""How often a pair shares a super shingle, measured, beside what the formulas tell.

    python -m experiments.supers.detection [--pairs 200] [--seed 1] [--plot docs/super-shingles.svg]

Pairs have a planted resemblance, and their exact one is measured. Half of them are edited all over, the other half are
a document and the same with more after its end. Prints Markdown.
"""

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from experiments.supers.pairs import Pair, planted
from experiments.supers.plot import rate_plot
from experiments.supers.ways import (
    PAPER,
    SIZE,
    Way,
    divided,
    level,
    of_level,
    of_modulus,
    some_of,
    super_shingles_of,
    ways,
)
from whorl.engine.super_shingles import binned_probability, detection_probability
from whorl.model import Hashes

LENGTHS = (50, 100, 200, 400, 800, 1600, 5000)
RESEMBLANCES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SIZES = (2, 3, 4, 6, 8, 10)

# Below what is wanted: what is found there is verified in vain.
FAR = (0.05, 0.1, 0.2, 0.3, 0.4)

# How much of the larger document the smaller is, all of which is in it.
PARTS = (0.5, 0.33, 0.2, 0.1, 0.05)

# The least super shingles that are posted, in the tables of meta-sketches.
KEPT = (1, 2, 4, 8, 16)


def rate(way: Way, pairs: Sequence[Pair]) -> float:
    """Return the share of pairs that are posted under a common number."""
    return float(np.mean([bool(np.isin(way(pair.left), way(pair.right)).any()) for pair in pairs]))


def drawn(
    words: int, resemblance: float, count: int, seed: int, kinds: Sequence[str] = ("edited", "grown")
) -> list[Pair]:
    """Pairs of one length and resemblance; both kinds in turn."""
    rng = np.random.default_rng([seed, words, round(1000 * resemblance)])
    return [planted(kinds[number % len(kinds)], words, resemblance, rng) for number in range(count)]


def predicted(pairs: Sequence[Pair], size: int, sample: float) -> float:
    """Return what the formula of runs tells, at the exact resemblance of each pair."""
    return float(np.mean([detection_probability(pair.resemblance, size, round(sample)) for pair in pairs]))


def sampled(pairs: Sequence[Pair], modulus: int | None) -> float:
    """Return how many hashes the sketches of these pairs have; without a modulus, those of V_i."""
    return float(np.mean([len(divided(side, modulus or level(side))) for side in _sides(pairs)]))


def _sides(pairs: Sequence[Pair]) -> Iterator[Hashes]:
    for pair in pairs:
        yield pair.left
        yield pair.right


def by_size(count: int, seed: int) -> str:
    """V_i as the clustering makes it, the paper's sketch, and the bins: every size of a super shingle."""
    rows = []
    for words, resemblance in product(LENGTHS, (0.5, 0.7, 0.9)):
        pairs = drawn(words, resemblance, count, seed, ("edited",))
        exact = f"{np.mean([pair.resemblance for pair in pairs]):.3f}"
        for name, modulus in (("V_i", None), ("MOD_25", PAPER)):
            sample = sampled(pairs, modulus)
            way = partial(of_modulus, modulus=modulus) if modulus else of_level
            cells = [_both(rate(partial(way, size=size), pairs), predicted(pairs, size, sample)) for size in SIZES]
            rows.append([str(words), exact, f"{name}, {sample:.0f}", *cells])
        cells = [_both(rate(partial(super_shingles_of, size=size), pairs), _expected(pairs, size)) for size in SIZES]
        rows.append([str(words), exact, "bins, 32", *cells])
    return markdown(["words", "resemblance", "sketch, its size", *map(str, SIZES)], rows)


def _expected(pairs: Sequence[Pair], size: int) -> float:
    return float(np.mean([binned_probability(pair.resemblance, size) for pair in pairs]))


def _both(measured: float, formula: float) -> str:
    return f"{measured:.2f} ({formula:.2f})"


def by_way(count: int, seed: int, resemblances: Sequence[float]) -> str:
    """Return every way at the default size: edited and grown pairs, whose levels may differ."""
    rows = []
    for words, resemblance in product(LENGTHS, resemblances):
        pairs = drawn(words, resemblance, count, seed)
        exact = np.mean([pair.resemblance for pair in pairs])
        rows.append([str(words), f"{exact:.3f}", *(f"{rate(way, pairs):.2f}" for way in ways().values())])
    return markdown(["words", "resemblance", *ways()], rows)


def posted(count: int, seed: int) -> str:
    """Numbers a document is posted under."""
    rows = []
    for words in LENGTHS:
        sides = list(_sides(drawn(words, 0.9, count, seed)))
        rows.append([str(words), *(f"{np.mean([len(way(side)) for side in sides]):.0f}" for way in ways().values())])
    return markdown(["words", *ways()], rows)


def meta_sketches(count: int, seed: int) -> str:
    """Only the least few of the super shingles of V_i are posted: the paper's meta-sketch."""
    rows = []
    for size, resemblance in product((2, 3, 4, 6), (0.5, 0.7, 0.9)):
        pairs = drawn(800, resemblance, count, seed)
        kept = [rate(partial(some_of, partial(of_level, size=size), number), pairs) for number in KEPT]
        rows.append(
            [
                str(size),
                f"{resemblance}",
                *(f"{each:.2f}" for each in kept),
                f"{rate(partial(of_level, size=size), pairs):.2f}",
            ]
        )
    return markdown(["size", "resemblance", *map(str, KEPT), "all"], rows)


def contained(count: int, seed: int) -> str:
    """Return the table of pairs of which the smaller document is a part of the larger."""
    rows = []
    for part in PARTS:
        pairs = drawn(400, part, count, seed, ("grown",))
        rows.append([f"{part}", *(f"{rate(way, pairs):.2f}" for way in ways().values())])
    return markdown(["part of the larger", *ways()], rows)


def curves(words: int, count: int, seed: int) -> str:
    """Return the plot: every way, by resemblance, at one length."""
    at = {resemblance: drawn(words, resemblance, count, seed) for resemblance in (*FAR, *RESEMBLANCES)}
    exact = {resemblance: float(np.mean([pair.resemblance for pair in pairs])) for resemblance, pairs in at.items()}
    lines = {name: [(exact[each], rate(way, pairs)) for each, pairs in at.items()] for name, way in ways().items()}
    lines["bins, predicted"] = [(each, binned_probability(each, SIZE)) for each in np.linspace(0, 1, 51).tolist()]
    title = f"Pairs that share a super shingle of {SIZE}, documents of {words} words and more"
    return rate_plot(title, "resemblance", "share of pairs", lines)


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))


def main() -> None:
    """All tables, and the plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=200, help="of each length and resemblance")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path, help="where the SVG goes")
    options = parser.parse_args()
    count, seed = options.pairs, options.seed
    tables = {
        "By size of a super shingle, edited pairs: measured (predicted)": partial(by_size, count, seed),
        f"By method, super shingles of {SIZE}": partial(by_way, count, seed, RESEMBLANCES),
        "Dissimilar pairs that are posted": partial(by_way, count, seed, FAR),
        "Numbers posted for a document": partial(posted, min(count, 50), seed),
        "Meta-sketches of V_i, 800 words and more: the smallest values are posted": partial(meta_sketches, count, seed),
        "Containment: a document of 400 words in a larger one": partial(contained, count, seed),
    }
    for title, made in tables.items():
        print(f"\n{title}\n\n{made()}", flush=True)
    if options.plot is not None:
        options.plot.write_text(curves(200, count, seed), "utf-8")


if __name__ == "__main__":
    main()
