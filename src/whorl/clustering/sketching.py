"""Phase 1: every document is read once, and becomes a sketch. Documents that are equal to one before are set aside.

Equal in three ways, each cheaper to tell than to cluster (section "Identical documents"): the same bytes; the same
words; the same shingles. One of them stays in the next phases, the others join its cluster at the end.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path

import numpy as np

from whorl.clustering.settings import ClusterSettings
from whorl.clustering.spool import Spool
from whorl.errors import DocumentError
from whorl.frontends.reading import choose
from whorl.frontends.source import held
from whorl.hashing.key import Key
from whorl.model import Document, Hashes, Skipped, Symbols
from whorl.scheme import Scheme
from whorl.sketches.permutation import permutation
from whorl.sketches.shingling import shingling

# How a document is equal to the one that stands for it.
IDENTICAL, LEXICAL, SHINGLE = "identical", "lexical", "shingle"


@dataclass(slots=True)
class Sketches:
    """All documents: their ids, and for each the number of the one that stands for it (its own, unless it is set
    aside), and how it is equal to that one. Of those that stand for themselves, by ``rows``: shingles, sketches,
    one in how many shingles a sketch keeps, and a number of the content that breaks ties in any order of documents."""

    shingles: Spool
    sketches: Spool
    ids: list[str] = field(default_factory=list)
    stands: list[int] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    moduli: list[int] = field(default_factory=list)
    ties: list[int] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


class Sketcher:
    """Reads documents into sketches."""

    def __init__(self, scheme: Scheme, key: Key, settings: ClusterSettings, folder: Path) -> None:
        self._scheme, self._key, self._settings = scheme, key, settings
        self.made = Sketches(Spool(folder), Spool(folder))
        # What was seen: which document stands for it, and how one that shows it again is equal to that.
        self._seen: dict[bytes, tuple[int, str]] = {}

    def add_all(self, documents: Iterable[Document]) -> Sketches:
        """Sketch all documents; those that cannot be read are skipped, with the reason."""
        for document in documents:
            try:
                self._add(document)
            except DocumentError as error:
                self.made.skipped.append(Skipped(document.name, str(error)))
        return self.made

    def _add(self, document: Document) -> None:
        number = len(self.made.ids)
        seen: list[tuple[bytes, str]] = []
        content = held(document.content)
        stands = self._known(seen, _digest(content), IDENTICAL)
        if stands is None:
            symbols = _symbols(replace(document, content=content), self._scheme)
            stands = self._known(seen, _digest(symbols.astype(np.uint64).tobytes()), LEXICAL)
        if stands is None:
            hashes = permutation(self._key)(shingling(symbols, self._scheme, self._key).hashes)
            hashes.sort()
            stands = self._known(seen, _digest(hashes.tobytes()), SHINGLE)
        if stands is None:
            self.made.rows.append(number)
            self.made.shingles.add(hashes)
            kept, modulus = sketch(hashes, self._settings)
            self.made.sketches.add(kept)
            self.made.moduli.append(modulus)
            self.made.ties.append(int.from_bytes(seen[-1][0][-8:], "little"))
            stands = number, ""
        for digest, kind in seen:
            self._seen.setdefault(digest, (stands[0], stands[1] or kind))
        self.made.ids.append(document.name)
        self.made.stands.append(stands[0])
        self.made.kinds.append(stands[1])

    def _known(self, seen: list[tuple[bytes, str]], digest: bytes, kind: str) -> tuple[int, str] | None:
        """Who stands for a document that shows this again."""
        seen.append((kind.encode() + digest, kind))
        return self._seen.get(seen[-1][0])


def _symbols(document: Document, scheme: Scheme) -> Symbols:
    front = choose(scheme, document).frontend
    runs = [front.read(piece).symbols for piece in front.pieces(document)]
    return np.ascontiguousarray(runs[0] if len(runs) == 1 else np.concatenate(runs))


def sketch(hashes: Hashes, settings: ClusterSettings) -> tuple[Hashes, int]:
    """The paper's V_i: one shingle in 2^i, for the largest i, up to the modulus, that leaves enough of them; and 2^i.
    Those of a larger i are among those of a smaller one, so long documents and short ones can be compared."""
    modulus = settings.modulus
    while modulus > 1:
        kept: Hashes = hashes[hashes & np.uint64(modulus - 1) == 0]
        if len(kept) >= settings.least:
            return kept, modulus
        modulus //= 2
    return hashes, 1


def _digest(data: str | bytes) -> bytes:
    return blake2b(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data, digest_size=16).digest()
