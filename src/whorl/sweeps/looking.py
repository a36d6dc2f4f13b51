"""Contacts: a document that was seen has a cluster; any other is looked up by its shingles (section "On the fly
resemblance")."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from whorl.clustering.settings import ClusterSettings
from whorl.errors import DocumentError
from whorl.index.segment import Segment
from whorl.model import Document
from whorl.sweeps.asking import Asker
from whorl.sweeps.candidates import parts
from whorl.sweeps.content import NOTHING, Read, Reader
from whorl.sweeps.likeness import likeness
from whorl.sweeps.result import Contacts
from whorl.sweeps.rows import Content
from whorl.sweeps.segments import counts, look_up
from whorl.sweeps.store import SweepStore

# Postings that are looked up at a time: some dozen megabytes.
ROOM = 1 << 20


def contacts_of(asker: Asker, segments: Sequence[Segment], reader: Reader, asked: str | Path | Document) -> Contacts:
    """Everyone who holds a version of a page's document, of a file or of a document."""
    if isinstance(asked, str):
        if asker.store.page(asked) is None and _is_file(asked):
            return contacts_of(asker, segments, reader, Path(asked))
        return _stored(asker, asked, asker.store.content(asker.shown(asked).content))
    document = asked if isinstance(asked, Document) else Document(str(asked), asked)
    read = reader.read_one(document)
    if read.reason is not None:
        raise DocumentError(f"{document.name}: {read.reason}")
    content = _known(asker.store, read)
    if content is not None:
        return _stored(asker, document.name, content)
    rows = _near(asker.store, segments, reader.settings, read)
    contents = {number: row for row in rows for number in asker.store.contents_of_row(row)}
    return Contacts(document.name, False, read.digest.hex(), tuple(asker.holders(contents, read.hashes)))


def _known(store: SweepStore, read: Read) -> Content | None:
    """A content with the same bytes, symbols or shingles."""
    columns = (("digest", read.digest), ("lexical", read.lexical), ("shingles", read.shingles))
    found = (store.known(column, digest) for column, digest in columns if digest != NOTHING)
    return next((content for content in found if content is not None), None)


def _is_file(name: str) -> bool:
    """An address may be no name of a file at all: too long, or with a zero in it."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _stored(asker: Asker, name: str, content: Content) -> Contacts:
    contents = asker.contents(asker.store.head(content.row))
    holders = asker.holders(contents, asker.store.hashes(content.row))
    return Contacts(name, True, content.digest.hex(), tuple(holders))


def _near(store: SweepStore, segments: Sequence[Segment], settings: ClusterSettings, read: Read) -> list[int]:
    """The contents that would be a pair with one that has these shingles, were it added."""
    having = counts(segments, read.sketch)
    # As many contents have a value then as have it now, and this one.
    values, having = read.sketch[having < settings.common], having[having < settings.common]
    found = set[int]()
    for first, last in parts(having, ROOM):
        found.update(np.unique(look_up(segments, values[first:last])[1]).tolist())
    near = []
    for row in sorted(found):
        alike = likeness(read.hashes, store.hashes(row))
        told = alike.resemblance if settings.measure == "resemblance" else max(alike.has, alike.within)
        if told >= settings.threshold:
            near.append(row)
    return near
