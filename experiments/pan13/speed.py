"""What the deep pass costs: pairs of 30 kB a second, on one core.

    .venv/bin/python -m experiments.pan13.speed FOLDER [--pairs 40]

The documents of a class are short, so several suspicious ones are joined into one text, and their sources into another,
until both have 30,000 characters. Each pair is compared without and with the deep pass, in turn; CPU time is counted.
"""

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import process_time

import whorl
from experiments.pan13.corpus import CLASSES, Pair, read

SIZE = 30_000


def joined(pairs: Iterable[Pair], size: int = SIZE) -> Iterator[tuple[str, str]]:
    """Pairs of texts of this size."""
    left = right = ""
    for pair in pairs:
        suspicious, source = pair.texts()
        left, right = f"{left}\n\n{suspicious}", f"{right}\n\n{source}"
        if min(len(left), len(right)) >= size:
            yield left[:size], right[:size]
            left = right = ""


def main() -> None:
    """Print a row a class."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=40)
    options = parser.parse_args()
    whorl.compare("The first call", "loads tables", deep=True)
    print("| class | pairs | plain, ms a pair | deep, ms a pair | deep, pairs a second |")
    print("|---|---|---|---|---|")
    for kind in CLASSES:
        odd = (pair for pair in read(options.folder, kind) if pair.number % 2)
        texts = [pair for pair, _ in zip(joined(odd), range(options.pairs), strict=False)]
        costs = {False: 0.0, True: 0.0}
        for left, right in texts:
            for deep in costs:
                began = process_time()
                whorl.compare(left, right, deep=deep)
                costs[deep] += process_time() - began
        plain, deep_cost = (1000 * cost / len(texts) for cost in costs.values())
        print(f"| {kind} | {len(texts)} | {plain:.1f} | {deep_cost:.1f} | {1000 / deep_cost:.0f} |")


if __name__ == "__main__":
    main()
