"""Real pages that share only a licence, and edited copies of them: which does ``whorl.cluster`` take for duplicates?

    python -m benchmarks.boilerplate TEXTS.jsonl [--pages 1000] [--licence LICENSE]

The texts are JSONL with ``text``. Each page is the first words of a text, behind as many words of the licence as make
it a given share of the page. No two texts are near-duplicates without the licence. A page that is dropped is an error;
so is a copy, with one word in 20 replaced, that stays. The same pages are clustered with all text counted, with the
defaults, and with the licence as base.
"""

import argparse
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import whorl

# Words of a page's own text, and shares of the licence in a page. Below 0.57 it alone makes no near-duplicate.
OWN, SHARES = 120, (0.5, 0.6, 0.7)

EDITED = 0.05


def own_texts(path: Path, count: int) -> list[list[str]]:
    """Return the first words of texts no two of which are near-duplicates."""
    beginnings = [json.loads(line)["text"].split()[:OWN] for line in path.open(encoding="utf-8")]
    full = [" ".join(words) for words in beginnings if len(words) == OWN]
    members = whorl.cluster(full, boilerplate=0, threshold=0.1).members
    return [full[number].split() for number, member in enumerate(members) if member.kind == "unique"][:count]


def edited(chance: random.Random, words: Sequence[str]) -> list[str]:
    """Return the words with some replaced."""
    return [f"edit{chance.randrange(10**6)}" if chance.random() < EDITED else word for word in words]


def errors(texts: Sequence[Sequence[str]], licence: Sequence[str], **settings: Any) -> tuple[int, int, float]:
    """Return how many pages are dropped, how many copies stay, and the CPU seconds."""
    chance, used = random.Random(1), time.process_time()
    pages = [" ".join([*licence, *words]) for words in texts]
    copies = [" ".join([*licence, *edited(chance, words)]) for words in texts]
    alone = whorl.cluster(pages, **settings)
    dropped = len(pages) - len({member.cluster for member in alone.members})
    both = [member.cluster for member in whorl.cluster(pages + copies, **settings).members]
    stays = sum(one != two for one, two in zip(both[: len(pages)], both[len(pages) :], strict=True))
    return dropped, stays, time.process_time() - used


def run(source: Path, licence: Path, count: int) -> None:
    """Print a table."""
    texts, words = own_texts(source, count), licence.read_text(encoding="utf-8").split()
    print(f"{len(texts):,} pages of {OWN} words and a licence, and as many copies with one word in 20 replaced")
    print("| licence | counting | pages dropped | copies left | CPU s |\n|---|---|---|---|---|")
    for share in SHARES:
        part = words[: round(OWN * share / (1 - share))]
        ways: dict[str, dict[str, Any]] = {
            "everything": {"boilerplate": 0},
            "the default": {},
            "base": {"base": [" ".join(part)]},
        }
        for name, settings in ways.items():
            dropped, stays, seconds = errors(texts, part, **settings)
            print(f"| {share:.0%} | {name} | {dropped} | {stays} | {seconds:.2f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--licence", type=Path, default=Path(__file__).parent.parent / "LICENSE")
    options = parser.parse_args()
    run(options.texts, options.licence, options.pages)


if __name__ == "__main__":
    main()
