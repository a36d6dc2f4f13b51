"""The exact follow-up: passages that a text shares with the documents that a registry found, if texts are at hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from whorl.errors import DocumentError
from whorl.fingerprinting.whole import read_whole
from whorl.hashing.key import Key
from whorl.index.witness import readable, verified
from whorl.matching.passage import Passage
from whorl.model import Document
from whorl.registry.search import Hits
from whorl.registry.texts import texts
from whorl.scheme import preset


@dataclass(frozen=True, slots=True)
class Witness:
    """The passages that both have, verified on both texts, the longest first. The left side of a passage is a span of
    ``left``, the text that was asked for, the right one of ``right``, the document's. ``fault`` says why there are none
    if the document cannot be read."""

    passages: tuple[Passage, ...]
    left: str
    right: str
    fault: str = ""


def witnesses(hits: Hits, document: Document, sources: Sequence[Path]) -> dict[str, Witness]:
    """What is shared with each hit whose text is in the sources: indexes, folders, archives, tables or files."""
    scheme = preset("text")
    whole = read_whole(document, scheme, Key.PUBLIC)
    query = readable(document.name, whole)
    found: dict[str, Witness] = {}
    for other in texts(sources, [hit.document.name for hit in hits]):
        try:
            read = read_whole(other, scheme, Key.PUBLIC)
        except DocumentError as error:
            found[other.name] = Witness((), whole.text, "", str(error))
            continue
        passages = verified(query, readable(other.name, read), scheme)
        found[other.name] = Witness(passages, whole.text, read.text)
    return found
