"""What an attacker gains who knows the code but not the key: ``python -m experiments.koala.attacks [FILE…]``.

Three attempts on the stored fingerprint of a document (section 3.3), each with a hundred edits or so of one letter:

- *guess*: he runs the public algorithm with a key of his own, and edits where its 100 stored substrings are;
- *greed*: which substrings are rare is public, so he edits the 100 places that destroy most rare ones;
- *chop*: he searches for every piece of the document, learns which hold stored substrings, and edits those.

After the last the document is rotated.
"""

import argparse
import random
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from whorl.engine.fingerprints import fingerprint
from whorl.formats.text import TextFrontend
from whorl.model import Document
from whorl.registry.registry import Registry
from whorl.scheme import PRESETS, Scheme

EDITS = 100
CONSONANTS = "bcdfghklmnprst"
FRONTEND = TextFrontend("consonants")


@dataclass(frozen=True)
class Attempt:
    """An attack: its name, how many letters were edited, and the match ratio of the edited copy."""

    name: str
    edits: int
    ratio: float


def edited(text: str, places: list[int], seed: int = 1) -> str:
    """Return a text with the consonants of some numbers replaced by others."""
    draw = random.Random(seed)
    starts = FRONTEND.stream(text).spans.starts
    letters = list(text)
    for place in places:
        at = int(starts[place])
        letters[at] = draw.choice([one for one in CONSONANTS if one != letters[at].lower()])
    return "".join(letters)


def guess(text: str, scheme: Scheme) -> list[int]:
    """Return the consonants in the middle of 100 substrings that the algorithm selects under the public key."""
    public = scheme.with_key("public")
    found = fingerprint(text, public)
    draw = random.Random("guess")
    chosen = draw.sample(found.positions.tolist(), min(EDITS, len(found)))
    return sorted(at + scheme.k // 2 for at in chosen)


def greed(text: str, scheme: Scheme) -> list[int]:
    """Return the 100 consonants that stand in most substrings whose first letters are rare, one after the other."""
    symbols = FRONTEND.stream(text).symbols.tolist()
    k, letters = scheme.k, scheme.letters or 5
    starts = range(len(symbols) - k + 1)
    counts = Counter(tuple(symbols[at : at + letters]) for at in starts)
    rarity = sorted(starts, key=lambda at: counts[tuple(symbols[at : at + letters])])
    rare = np.zeros(len(symbols) + k, np.int64)
    rare[rarity[: scheme.n]] = 1
    places = []
    for _ in range(EDITS):
        sums = np.convolve(rare, np.ones(k, np.int64))[: len(symbols)]
        place = int(sums.argmax())
        places.append(place)
        rare[max(0, place - k + 1) : place + 1] = 0
    return sorted(places)


def chop(text: str, registry: Registry, name: str) -> tuple[list[int], int | None]:
    """The consonants in the middle of all pieces that hold a stored substring, and how many pieces it took until the
    document was suspicious. A piece of 2k - 1 consonants has k substrings, all of which contain its middle."""
    k = registry.scheme.k
    spans = FRONTEND.stream(text).spans
    places, noticed = [], None
    for number, start in enumerate(range(0, len(spans) - k + 1, k), 1):
        end = min(start + 2 * k - 1, len(spans))
        piece = text[int(spans.starts[start]) : int(spans.ends[end - 1])]
        # Half of a short text is left out as its prolog, so something is put before it.
        hits = registry.search("x" * len(piece) + piece, threshold=0.01)
        if any(hit.document.name == name for hit in hits):
            places.append(start + k - 1)
        if noticed is None and number % 10 == 0 and registry.stats().suspicious:
            noticed = number
    return places, noticed


def ratio(registry: Registry, name: str, text: str) -> float:
    """Return the match ratio that a document has with a text."""
    hits = registry.search(text, threshold=0.01, count=False)
    return next((hit.ratio for hit in hits if hit.document.name == name), 0.0)


def attacked(registry: Registry, name: str, text: str) -> tuple[list[Attempt], int | None]:
    """Return all attempts on one document, and after how many pieces it was suspicious."""
    registry.add(Document(name, text))
    attempts = []
    for attack in (guess, greed):
        places = attack(text, registry.scheme)
        attempts.append(Attempt(attack.__name__, len(places), ratio(registry, name, edited(text, places))))
    places, noticed = chop(text, registry, name)
    copy = edited(text, places)
    attempts.append(Attempt("chop", len(places), ratio(registry, name, copy)))
    list(registry.rotate([Document(name, text)]))
    attempts.append(Attempt("chop, rotated", len(places), ratio(registry, name, copy)))
    return attempts, noticed


def main() -> None:
    """Attack every file, and print the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    asked = parser.parse_args()
    results: dict[str, list[Attempt]] = {}
    noticed: list[int] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Registry.create(Path(folder) / "registry", PRESETS["koala"]) as registry,
    ):
        for path in asked.files:
            attempts, after = attacked(registry, path.name, path.read_text("utf-8", "replace"))
            noticed += [] if after is None else [after]
            for attempt in attempts:
                results.setdefault(attempt.name, []).append(attempt)
    for name, those in results.items():
        edits, left = sum(a.edits for a in those) / len(those), sum(a.ratio for a in those) / len(those)
        print(f"{name:14} {edits:5.0f} edits, match ratio {left:6.1%} (least {min(a.ratio for a in those):.0%})")
    mean = sum(noticed) / max(1, len(noticed))
    print(f"suspicious in {len(noticed)} of {len(asked.files)} cases, after {mean:.0f} pieces")


if __name__ == "__main__":
    main()
