"""A document read as a whole: for those who need its text and its stream beside its fingerprints."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from whorl.fingerprinting.ahead import Ahead
from whorl.fingerprinting.engine import select_streams
from whorl.fingerprinting.fingerprints import Fingerprints
from whorl.frontends.encoding import decode
from whorl.frontends.protocol import Extracting
from whorl.frontends.reading import choose
from whorl.frontends.source import Source
from whorl.hashing.key import Key
from whorl.model import Document, Stream
from whorl.scheme import Scheme


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """What a document is, the text that spans point into, its stream and its fingerprints."""

    format: str
    text: str
    stream: Stream
    fingerprints: Fingerprints


def read_whole(document: Document, scheme: Scheme, key: Key) -> Whole:
    """Read a document of any format under a scheme."""
    content = _held(document)
    document = replace(document, content=content)
    choice = choose(scheme, document)
    front = choice.frontend
    if isinstance(front, Extracting):
        extracted = front.extract(document)
        text, pieces = extracted.text, front.parts(extracted)
    else:
        text, pieces = content if isinstance(content, str) else decode(content).text, front.pieces(document)
    streams = [front.read(piece) for piece in pieces]
    with Ahead(1) as ahead:
        return Whole(choice.format, text, joined(streams), select_streams(streams, scheme, key, ahead))


def joined(streams: list[Stream]) -> Stream:
    """One stream of consecutive ones."""
    if len(streams) == 1:
        return streams[0]
    return Stream(
        np.concatenate([stream.symbols for stream in streams]),
        np.concatenate([stream.spans.starts for stream in streams]),
        np.concatenate([stream.spans.ends for stream in streams]),
    )


def _held(document: Document) -> str | bytes:
    if not isinstance(document.content, Path):
        return document.content
    with Source(document.content) as source:
        return b"".join(source.blocks())
