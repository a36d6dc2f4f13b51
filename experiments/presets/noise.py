"""How often do documents that are no copies of each other share a fingerprint, by k?

The noise threshold must be where this falls off (winnowing paper, section 2.1). Run it on a folder of texts of your
own kind, or without one on the chapters of the Python language reference: one author's, on one subject, so a harder
case than unrelated prose.

    python -m experiments.presets.noise [FOLDER]
"""

import sys
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from pydoc_data.topics import topics

import whorl

# Shorter documents have too little to share.
SHORTEST = 3000

CHARACTERS = (10, 12, 15, 20, 25, 30, 40, 50)
WORDS = (3, 4, 5, 6, 8, 10, 12)


def documents(folder: Path | None) -> list[str]:
    """Return the texts to compare."""
    texts: Iterable[str] = topics.values()
    if folder is not None:
        texts = (path.read_text("utf-8", "replace") for path in sorted(folder.rglob("*.txt")))
    return [text for text in texts if len(text) >= SHORTEST]


def sharing(texts: list[str], scheme: whorl.Scheme) -> float:
    """Return the share of pairs with at least one fingerprint in common."""
    sets = [set(whorl.fingerprint(text, scheme).hashes.tolist()) for text in texts]
    pairs = list(combinations(sets, 2))
    return sum(bool(left & right) for left, right in pairs) / len(pairs)


def main() -> None:
    """One line a k."""
    texts = documents(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    if len(texts) < 2:
        sys.exit(f"at least two texts of {SHORTEST} characters are wanted")
    print(f"{len(texts)} documents: share of pairs with a fingerprint in common\n")
    print("symbols         k    every k-gram    robust, w = k")
    for kind, lengths in (("characters", CHARACTERS), ("words", WORDS)):
        for k in lengths:
            full = sharing(texts, whorl.Scheme(symbols=kind, k=k, select="full"))
            some = sharing(texts, whorl.Scheme(symbols=kind, k=k, w=k))
            print(f"{kind:12} {k:4} {full:15.3f} {some:16.3f}")


if __name__ == "__main__":
    main()
