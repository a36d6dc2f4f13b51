"""``whorl.fingerprint``: a document and a scheme in, its fingerprints out."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from whorl.catalog import FRONTENDS
from whorl.errors import KeyMismatchError
from whorl.fingerprinting.ahead import Ahead
from whorl.fingerprinting.engine import RUN, select_streams, select_symbols
from whorl.fingerprinting.fingerprints import Fingerprints
from whorl.fingerprinting.pieces import Frontend, pieces, shifted
from whorl.hashing.key import Key
from whorl.model import Document, Stream, Symbols
from whorl.scheme import Scheme, resolve

# Code points in a piece of text: about a run of symbols.
PIECE = RUN


def fingerprint(
    document: str | Path | bytes | Document | Symbols,
    scheme: Scheme | str = "text",
    *,
    key: Key = Key.PUBLIC,
    threads: int = 1,
) -> Fingerprints:
    """Fingerprint a document.

    A string is a text, a path a file, bytes are decoded, and an array of unsigned integers is a stream at hand. The
    result does not depend on ``threads``.
    """
    scheme = resolve(scheme)
    if key.id != scheme.key:
        raise KeyMismatchError(
            f"key: the scheme names the key {scheme.key!r}, but {key.id!r} was given; "
            f"use scheme.with_key(key.id) or the key that it names"
        )
    content = document.content if isinstance(document, Document) else document
    with Ahead(threads) as ahead:
        if isinstance(content, np.ndarray):
            return select_symbols(np.ascontiguousarray(content), scheme, key, ahead)
        return select_streams(_streams(content, _frontend(scheme), ahead), scheme, key, ahead)


def _frontend(scheme: Scheme) -> Frontend:
    row = FRONTENDS.row(scheme.frontend)
    made: Frontend = row.load()(**{name: getattr(scheme, name) for name in row.takes})
    return made


def _streams(content: str | Path | bytes, frontend: Frontend, ahead: Ahead) -> Iterator[Stream]:
    def stream(piece: tuple[int, str]) -> Stream:
        offset, text = piece
        return shifted(frontend.stream(text), offset)

    return ahead.map(stream, pieces(_chunks(content), frontend, PIECE))


def _chunks(content: str | Path | bytes) -> Iterator[str]:
    from whorl.frontends import encoding

    if isinstance(content, str):
        yield content
    elif isinstance(content, bytes):
        yield encoding.decode(content).text
    else:
        yield from encoding.TextReader(content)
