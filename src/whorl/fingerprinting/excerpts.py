"""The text behind spans, read from the document again."""

from collections.abc import Iterable, Iterator

from whorl.fingerprinting.fingerprints import Fingerprints
from whorl.frontends.encoding import TextReader
from whorl.frontends.protocol import Extracting
from whorl.frontends.reading import choose
from whorl.model import Document, Spans


def excerpts(document: Document, found: Fingerprints) -> Iterator[str]:
    """The text of each fingerprint of a file, in order."""
    if isinstance(document.content, str):
        return _texts([document.content], found.spans)
    front = choose(found.scheme, document).frontend
    if isinstance(front, Extracting):
        return _texts([front.extract(document).text], found.spans)
    return _texts(TextReader(document.content), found.spans)


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
