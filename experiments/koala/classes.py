"""How surely related documents are found: ``python -m experiments.koala.classes PATH…``.

Every document of the paths (folders, archives, tables) that is long enough is registered; of each a version of every
class of section 2 is made, and one with every kind of noise, and searched for. It is found if the document that it was
made of is among the hits, of which there are ten at the most.
"""

import argparse
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from experiments.koala.derived import CLASSES, NOISE
from whorl.catalog import FRONTENDS
from whorl.engine.documents import read_whole
from whorl.engine.hashing import Key
from whorl.errors import DocumentError
from whorl.formats.corpora.read import read
from whorl.formats.corpora.records import Fault
from whorl.model import Document
from whorl.registry.registry import Registry
from whorl.scheme import preset

# Characters of the shortest document: the paper's have several thousand words.
SHORTEST = 8_000

# Prose is four fifths letters; plain text with tables and programs in it is still half.
LETTERS = 0.5


def texts(paths: list[Path]) -> Iterator[str]:
    """Yield the texts of the documents, each once."""
    seen = set[str]()
    for path in paths:
        for record in read(path):
            if isinstance(record, Fault):
                continue
            try:
                whole = read_whole(record.document, preset("text"), Key.PUBLIC)
            except DocumentError:
                continue
            text = whole.text
            if whole.format in FRONTENDS.declared and len(text) >= SHORTEST and is_prose(text) and text not in seen:
                seen.add(text)
                yield text


def is_prose(text: str) -> bool:
    """Return whether most of it is letters: folders of documents hold drawings and tables of numbers too."""
    return sum(map(str.isalpha, text)) >= LETTERS * len(text)


def found(registry: Registry, name: str, text: str) -> tuple[bool, float]:
    """Return whether a document is a hit for a text, and its match ratio."""
    ratios = {hit.document.name: hit.ratio for hit in registry.search(text, count=False)}
    return name in ratios, ratios.get(name, 0.0)


def measured(
    registry: Registry, originals: list[str], derive: Callable[[str, random.Random], str]
) -> tuple[float, float]:
    """Return the share of documents that is found by a version of them, and their mean match ratio."""
    draw = random.Random("koala")
    results = [found(registry, f"{number}", derive(text, draw)) for number, text in enumerate(originals)]
    return sum(is_found for is_found, _ in results) / len(results), sum(ratio for _, ratio in results) / len(results)


def main() -> None:
    """Register, derive, search, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=1000, help="documents at the most")
    asked = parser.parse_args()
    everything = list(texts(asked.paths))
    random.Random("others").shuffle(everything)
    originals, others = everything[: asked.most], everything
    with tempfile.TemporaryDirectory() as folder, Registry.create(Path(folder) / "registry") as registry:
        list(registry.add_all(Document(f"{number}", text) for number, text in enumerate(originals)))
        size = sum(map(len, originals))
        print(f"{len(registry):,} documents, {size / len(registry) / 1000:.0f} kB each on average")
        for name, derive in CLASSES.items():
            result = measured(registry, originals, lambda text, draw, derive=derive: derive(text, others, draw))  # type: ignore[misc]
            print(f"{name:20} found {result[0]:7.2%}, match ratio {result[1]:6.1%} on average")
        for name, spoil in NOISE.items():
            result = measured(registry, originals, spoil)
            print(f"{name:20} found {result[0]:7.2%}, match ratio {result[1]:6.1%} on average")


if __name__ == "__main__":
    main()
