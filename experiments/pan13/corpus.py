"""The training data as PAN 2013 gave it out: folders of suspicious documents and sources, and a folder a class of
disguise with an XML file a pair that tells what was reused."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from experiments.pan13.measures import Passage

CLASSES = (
    "01-no-plagiarism",
    "02-no-obfuscation",
    "03-random-obfuscation",
    "04-translation-obfuscation",
    "05-summary-obfuscation",
)

_NAME = re.compile(r"suspicious-document(\d+)-source-document\d+")


@dataclass(frozen=True)
class Pair:
    """A suspicious document and a source: the files, the class of disguise, and the passages that were reused."""

    name: str
    number: int
    kind: str
    suspicious: Path
    source: Path
    cases: tuple[Passage, ...]

    def texts(self) -> tuple[str, str]:
        """Both texts; a passage counts their code points."""
        return _text(self.suspicious), _text(self.source)


def read(folder: Path, kind: str) -> Iterator[Pair]:
    """Yield all pairs of a class, by name."""
    for path in sorted((folder / kind).glob("*.xml")):
        found = _NAME.fullmatch(path.stem)
        if found is None:
            raise ValueError(f"{path}: the name of a pair is suspicious-documentN-source-documentN.xml")
        suspicious, source = path.stem.split("-source-")
        cases = tuple(_cases(path))
        yield Pair(
            path.stem, int(found[1]), kind,
            folder / "susp" / f"{suspicious}.txt", folder / "src" / f"source-{source}.txt", cases,
        )  # fmt: skip


def _cases(path: Path) -> Iterator[Passage]:
    for feature in ElementTree.parse(path).iter("feature"):
        if feature.get("name") == "plagiarism":
            start, length, source, size = (
                int(feature.attrib[name]) for name in ("this_offset", "this_length", "source_offset", "source_length")
            )
            yield Passage(path.stem, start, start + length, source, source + size)


def _text(path: Path) -> str:
    """Return the text as it is: line ends are characters that passages count."""
    return path.read_bytes().decode("utf-8")
