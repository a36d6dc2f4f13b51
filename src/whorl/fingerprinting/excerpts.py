"""The text behind spans, read from the document again."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from whorl.fingerprinting.fingerprint import frontend
from whorl.fingerprinting.fingerprints import Fingerprints
from whorl.frontends.encoding import TextReader
from whorl.frontends.protocol import Extracting
from whorl.model import Document, Spans


def excerpts(path: Path, found: Fingerprints) -> Iterator[str]:
    """The text of each fingerprint of a file, in order."""
    reader = frontend(found.scheme)
    if isinstance(reader, Extracting):
        return _texts([reader.extract(Document(str(path), path)).text], found.spans)
    return _texts(TextReader(path), found.spans)


def _texts(chunks: Iterable[str], spans: Spans) -> Iterator[str]:
    """The text of spans whose starts do not decrease. Holds little more than a chunk at a time."""
    coming = iter(chunks)
    base, held = 0, ""
    for span in spans:
        while base + len(held) < span.end:
            if span.start > base:
                drop = min(span.start - base, len(held))
                base, held = base + drop, held[drop:]
            held += next(coming)
        yield held[span.start - base : span.end - base]
