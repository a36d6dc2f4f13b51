"""The text behind spans, read from the document again piece by piece."""

from collections.abc import Iterator
from pathlib import Path

from whorl.frontends.encoding import TextReader
from whorl.model import Spans


def texts(path: Path, spans: Spans) -> Iterator[str]:
    """The text of each span of a file, in order; starts must not decrease. Holds little more than a chunk at a time."""
    chunks = iter(TextReader(path))
    base, held = 0, ""
    for span in spans:
        while base + len(held) < span.end:
            if span.start > base:
                drop = min(span.start - base, len(held))
                base, held = base + drop, held[drop:]
            held += next(chunks)
        yield held[span.start - base : span.end - base]
