"""The log: what is known of documents, some on a page, a page compressed as a whole.

Names, addresses and dates of neighbours are much alike, so a page takes a third of what its rows would take.
"""

import json
from collections.abc import Container, Sequence

import numpy as np

from whorl.registry.entry import Entry
from whorl.registry.reading import DIGEST

# Documents on a page: twice as many save 3 of 72 bytes a document, and cost a search twice the time to read a hit.
PAGE = 64

# The text columns, and the numbers, each of 32 bits.
TEXTS = ("name", "url", "date", "contact")
NUMBERS = ("number", "serial", "symbols", "stored", "searched", "draws", "drawn")

# zstd's level: 3 takes 3 bytes a document more, 9 a third of a byte less and half the time more, 12 thrice the time.
LEVEL = 6


def page_of(number: int) -> int:
    """The page that a document is on."""
    return number // PAGE


def pack(entries: Sequence[Entry]) -> bytes:
    """A page. Columns follow each other, numbers as differences and byte by byte: so they compress best."""
    import zstandard

    texts = json.dumps([[getattr(entry, name) for entry in entries] for name in TEXTS], ensure_ascii=False)
    numbers = np.array([[getattr(entry, name) for entry in entries] for name in NUMBERS], np.uint32)
    steps = np.diff(numbers, axis=1, prepend=np.uint32(0)).astype("<u4")
    columns = np.frombuffer(steps.tobytes(), np.uint8).reshape(len(NUMBERS), len(entries), 4).transpose(0, 2, 1)
    digests = b"".join(entry.digest for entry in entries)
    data = b"".join((len(entries).to_bytes(4, "little"), columns.tobytes(), digests, texts.encode()))
    return zstandard.ZstdCompressor(level=LEVEL, write_content_size=True).compress(data)


def unpack(data: bytes, wanted: Container[int] | None = None) -> list[Entry]:
    """The inverse, of data whose seal was found right: all entries, or those with the numbers that are wanted. To make
    an entry costs more than to read its bytes."""
    import zstandard

    raw = zstandard.ZstdDecompressor().decompress(data)
    count = int.from_bytes(raw[:4], "little")
    middle = 4 + 4 * len(NUMBERS) * count
    columns = np.frombuffer(raw[4:middle], np.uint8).reshape(len(NUMBERS), 4, count).transpose(0, 2, 1)
    steps = np.frombuffer(columns.tobytes(), "<u4").reshape(len(NUMBERS), count)
    numbers = np.cumsum(steps, axis=1, dtype=np.uint32).T.tolist()
    texts = list(zip(*json.loads(raw[middle + DIGEST * count :]), strict=True))
    chosen = [at for at, row in enumerate(numbers) if wanted is None or row[0] in wanted]
    return [_entry(numbers[at], texts[at], raw[middle + DIGEST * at :][:DIGEST]) for at in chosen]


def _entry(numbers: list[int], texts: tuple[str | None, ...], digest: bytes) -> Entry:
    number, serial, symbols, stored, searched, draws, drawn = numbers
    name, url, date, contact = texts
    return Entry(number, serial, name or "", url, date, contact, symbols, stored, searched, digest, draws, drawn)
