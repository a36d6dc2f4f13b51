"""``whorl.fingerprint``: a document and a scheme in, its fingerprints out."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from whorl.errors import InputError, KeyMismatchError
from whorl.fingerprinting.ahead import Ahead
from whorl.fingerprinting.engine import select_streams, select_symbols
from whorl.fingerprinting.fingerprints import Fingerprints
from whorl.frontends.reading import choose
from whorl.hashing.key import Key
from whorl.model import Document, Stream, Symbols
from whorl.scheme import Scheme, resolve


def fingerprint(
    document: str | Path | bytes | Document | Symbols,
    scheme: Scheme | str = "text",
    *,
    key: Key = Key.PUBLIC,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Fingerprints:
    """Fingerprint a document.

    A string is a text, a path a file, bytes are decoded, and an array of unsigned integers is a stream at hand. What
    format a file or bytes are in is found out; a ``Document`` can say it. The result does not depend on ``threads``.
    ``progress`` is told, now and then, how many code points are done.
    """
    scheme = resolve(scheme)
    check_key(scheme, key)
    with Ahead(threads) as ahead:
        if isinstance(document, np.ndarray):
            return select_symbols(checked(document), scheme, key, ahead)
        if not isinstance(document, Document):
            document = Document(str(document) if isinstance(document, Path) else "", document)
        front = choose(scheme, document).frontend
        streams = ahead.map(front.read, front.pieces(document))
        if progress is not None:
            streams = _observed(streams, progress)
        return select_streams(streams, scheme, key, ahead)


def _observed(streams: Iterator[Stream], progress: Callable[[int], object]) -> Iterator[Stream]:
    for stream in streams:
        yield stream
        progress(stream.offset + (int(stream.ends[-1]) if len(stream) else 0))


def check_key(scheme: Scheme, key: Key) -> None:
    """Refuse a key that is not the one that the scheme names."""
    if key.id != scheme.key:
        raise KeyMismatchError(
            f"key: the scheme names the key {scheme.key!r}, but {key.id!r} was given; "
            f"use scheme.with_key(key.id) or the key that it names"
        )


def checked(symbols: Symbols) -> Symbols:
    """An array of symbols in a form that the kernel takes. Raises ``InputError`` if it is none."""
    if symbols.ndim != 1 or symbols.dtype.kind != "u":
        raise InputError(
            f"symbols: an array of {symbols.dtype} in {symbols.ndim} dimensions was given; "
            "give unsigned integers of 8, 16, 32 or 64 bits in one"
        )
    return np.ascontiguousarray(symbols, symbols.dtype.newbyteorder("="))
