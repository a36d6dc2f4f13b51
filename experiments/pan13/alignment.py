"""``whorl.compare`` on PAN 2013's text alignment: plagdet, precision, recall and granularity a class of disguise.

    .venv/bin/python -m experiments.pan13.alignment FOLDER [--deep] [--summaries] [--remainder 1 3] [--modulus 4]

FOLDER holds ``src``, ``susp`` and the classes' folders. Only pairs whose suspicious document has a number with one of
the remainders are read: 1 of 2 are the odd ones; 1 of 4 is the half of them that the deep pass was tuned on, 3 of 4
the half that it was not.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import whorl
from experiments.pan13.corpus import CLASSES, Pair, read
from experiments.pan13.measures import Passage, Quality, quality


def detections(pair: Pair, scheme: whorl.Scheme, deep: bool, summaries: bool) -> Iterator[Passage]:
    """Yield what Whorl finds in a pair."""
    for found in whorl.compare(*pair.texts(), scheme, deep=deep, summaries=summaries).passages:
        yield Passage(pair.name, found.left.start, found.left.end, found.right.start, found.right.end)


def measure(pairs: Sequence[Pair], scheme: whorl.Scheme, deep: bool, summaries: bool) -> dict[str, Quality]:
    """Return the measures of each class, and of all pairs together."""
    found = {pair.name: list(detections(pair, scheme, deep, summaries)) for pair in pairs}
    kinds = {kind: [pair for pair in pairs if pair.kind == kind] for kind in CLASSES}
    rows = {**kinds, "all": list(pairs)}
    return {
        name: quality(
            [case for pair in members for case in pair.cases], [each for pair in members for each in found[pair.name]]
        )
        for name, members in rows.items()
    }


def chosen(folder: Path, remainders: Iterable[int], modulus: int) -> list[Pair]:
    """Return the pairs of all classes whose suspicious document has a number with one of these remainders."""
    wanted = set(remainders)
    return [pair for kind in CLASSES for pair in read(folder, kind) if pair.number % modulus in wanted]


def main() -> None:
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--deep", action="store_true", help="with the deep pass")
    parser.add_argument("--summaries", action="store_true", help="with the deep pass, summaries too")
    parser.add_argument("--modulus", type=int, default=2)
    parser.add_argument("--remainder", type=int, nargs="+", default=[1])
    options = parser.parse_args()
    pairs = chosen(options.folder, options.remainder, options.modulus)
    print("| class | plagdet | precision | recall | granularity |")
    print("|---|---|---|---|---|")
    for name, found in measure(pairs, whorl.PRESETS["text"], options.deep, options.summaries).items():
        numbers = found.plagdet, found.precision, found.recall, found.granularity
        print(f"| {name} |", " | ".join(f"{number:.3f}" for number in numbers), "|")


if __name__ == "__main__":
    main()
