"""Query a clustering on disk, and group near-identical search results: the paper's "Query support"."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.output import DOCUMENTS_FILE, PAIRS_FILE, ParquetTable, check
from whorl.engine.hashing import Key
from whorl.engine.shingles import Readable, Shingling, shingling
from whorl.errors import DocumentError, InputError
from whorl.formats.corpora.parquet import DOCUMENTS, PAIRS
from whorl.index.base import BaseIndex
from whorl.index.search import Hit
from whorl.model import Hashes
from whorl.scheme import Scheme, resolve

# Two documents are roughly the same from here on: the paper's 50%.
THRESHOLD = 0.5

# Postings looked up at once: 32 MB of numbers, however many documents share a shingle.
AT_ONCE = 1 << 22


@dataclass(frozen=True, slots=True)
class DocumentGroup:
    """Documents by their places in the list, the best first, and the resemblance of each to the first."""

    members: tuple[int, ...]
    resemblances: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class HitGroup:
    """Near-identical hits, the best first, and the resemblance of each to the first."""

    hits: tuple[Hit, ...]
    resemblances: tuple[float, ...]


def group(
    documents: Iterable[Readable],
    scheme: Scheme | str = "pages",
    threshold: float = THRESHOLD,
    *,
    key: Key = Key.PUBLIC,
) -> list[DocumentGroup]:
    """Group near-identical documents; groups come in the order of their best documents. A string is a text, a path a
    file.

    The resemblance is exact, on all shingles.
    """
    if not 0 < threshold <= 1:
        raise InputError(f"threshold: {threshold!r} is out of range; give a number above 0, up to 1")
    scheme = resolve(scheme)
    shinglings = _Shinglings([shingling(document, scheme, key) for document in documents])
    free = np.ones(len(shinglings), np.bool_)
    groups = []
    for best in range(len(shinglings)):
        if free[best]:
            resemblances = shinglings.resemblances(best)
            alike = free & (resemblances >= threshold)
            alike[best] = True
            members = np.flatnonzero(alike)
            free[members] = False
            groups.append(DocumentGroup(tuple(members.tolist()), tuple(resemblances[members].tolist())))
    return groups


def group_hits(index: BaseIndex, hits: Iterable[Hit], threshold: float = THRESHOLD) -> list[HitGroup]:
    """Group the hits of a search. Programs are compared by tokens, other documents by words."""
    ranked = list(hits)
    scheme = "code" if index.scheme.frontend == "code" else "web"
    try:
        documents = [index.document(hit.document.name) for hit in ranked]
    except DocumentError as error:
        raise InputError(
            f"{error}: grouping needs the texts of the documents; search without grouping, or make an index that "
            "stores texts"
        ) from error
    return [
        HitGroup(tuple(ranked[place] for place in members_of.members), members_of.resemblances)
        for members_of in group(documents, scheme, threshold)
    ]


class _Shinglings:
    """The shingles of all documents in one sorted list, to compare one document with all others at once."""

    def __init__(self, shinglings: list[Shingling]) -> None:
        self._each = [shingling.hashes for shingling in shinglings]
        self._sizes = np.array([len(hashes) for hashes in self._each], np.int64)
        hashes: Hashes = np.concatenate([np.empty(0, np.uint64), *self._each])
        order = np.argsort(hashes, kind="stable")
        self._hashes = hashes[order]
        self._documents = np.repeat(np.arange(len(self._each)), self._sizes)[order]

    def __len__(self) -> int:
        return len(self._each)

    def resemblances(self, number: int) -> NDArray[np.float64]:
        """Return the resemblance of a document to each; 1 between two without shingles."""
        hashes, step = self._each[number], max(1, AT_ONCE // len(self))
        shared = np.zeros(len(self), np.int64)
        for start in range(0, len(hashes), step):
            shared += np.bincount(self._holders(hashes[start : start + step]), minlength=len(self))
        union = self._sizes + self._sizes[number] - shared
        return np.where(union, shared / np.maximum(1, union), 1.0)

    def _holders(self, hashes: Hashes) -> NDArray[np.int64]:
        """Return the documents that have these shingles, each once per shingle."""
        first, last = (np.searchsorted(self._hashes, hashes, side) for side in ("left", "right"))
        counts = last - first
        # Concatenate the ranges first:last.
        places = np.arange(counts.sum()) + np.repeat(first - np.cumsum(counts) + counts, counts)
        holders: NDArray[np.int64] = self._documents[places]
        return holders


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ClusteredDocument:
    """A row of ``documents.parquet``."""

    id: str
    cluster: int
    representative: str
    similarity: float
    kind: str
    url: str | None
    date: str | None


@dataclass(frozen=True, slots=True)
class ClusteredPair:
    """A row of ``pairs.parquet``."""

    left: str
    right: str
    resemblance: float
    left_in_right: float
    right_in_left: float
    shared: int


@dataclass(frozen=True, slots=True)
class ClusterOf:
    """A cluster, and the queried names that are in it, in their order."""

    cluster: int
    representative: str
    names: tuple[str, ...]
    members: tuple[ClusteredDocument, ...]


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The documents of each queried name, their clusters in the order of the first name in each, and the unknown
    names."""

    documents: dict[str, tuple[ClusteredDocument, ...]]
    clusters: tuple[ClusterOf, ...]
    unknown: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain lists, dictionaries, texts and numbers, for JSON."""
        return {
            "found": [{"name": name, "documents": list(map(asdict, each))} for name, each in self.documents.items()],
            "clusters": [
                {
                    "cluster": each.cluster,
                    "representative": each.representative,
                    "size": len(each.members),
                    "names": list(each.names),
                    "members": [_member(member) for member in each.members],
                }
                for each in self.clusters
            ],
            "unknown": list(self.unknown),
        }


class Clusters:
    """The tables of a clustering. A name is the exact id or URL of a document."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        check(folder, DOCUMENTS_FILE, PAIRS_FILE)
        self._documents = ParquetTable(folder / DOCUMENTS_FILE, DOCUMENTS)

    @classmethod
    def open(cls, folder: Path | str) -> Self:
        """Open the clustering that ``whorl cluster -o FOLDER`` wrote."""
        return cls(Path(folder))

    def __len__(self) -> int:
        return len(self._documents)

    def find(self, name: str) -> tuple[ClusteredDocument, ...]:
        """Return the document of this id and those of this URL, in the order of the collection. One URL may have
        several."""
        return self._named([name]).get(name, ())

    def cluster(self, of: str) -> tuple[ClusteredDocument, ...]:
        """Return all documents in the clusters of this id or URL, itself included, with URLs and dates."""
        documents = self.find(of)
        if not documents:
            raise InputError(f"{of}: no document of {self.folder} has this id or URL")
        return tuple(self._rows("cluster", sorted({document.cluster for document in documents})))

    def groups(self, names: Iterable[str]) -> tuple[list[list[str]], list[str]]:
        """Group names, best first, by near-identical documents, in the order of the best of each; also return the
        unknown names. A URL with several documents counts as the newest of them."""
        unique = _once(names)
        documents = self._named(unique)
        groups: dict[int, list[str]] = {}
        for name in unique:
            if name in documents:
                groups.setdefault(_newest(documents[name]).cluster, []).append(name)
        return list(groups.values()), [name for name in unique if name not in documents]

    def ask(self, names: Iterable[str]) -> QueryAnswer:
        """Look up all names in three passes over a table, however many there are."""
        unique = _once(names)
        documents = self._named(unique)
        named: dict[int, list[str]] = {}
        for name in unique:
            for number in _once(document.cluster for document in documents.get(name, ())):
                named.setdefault(number, []).append(name)
        members: dict[int, list[ClusteredDocument]] = {number: [] for number in named}
        for document in self._rows("cluster", list(named)):
            members[document.cluster].append(document)
        clusters = tuple(
            ClusterOf(number, members[number][0].representative, tuple(of), tuple(members[number]))
            for number, of in named.items()
        )
        known = {name: documents[name] for name in unique if name in documents}
        return QueryAnswer(known, clusters, tuple(name for name in unique if name not in documents))

    def pairs(self, name: str) -> tuple[ClusteredPair, ...]:
        """Return the pairs of the documents of this id or URL. Documents set aside as equal to another are in none."""
        table = ParquetTable(self.folder / PAIRS_FILE, PAIRS)
        ids = _once(document.id for document in self.find(name))
        left = [ClusteredPair(**row) for row in table.rows("left", ids, tuple(PAIRS))]
        right = [ClusteredPair(**row) for row in table.rows("right", ids, tuple(PAIRS))]
        return (*left, *(pair for pair in right if pair.left not in ids))

    def _named(self, names: Sequence[str]) -> dict[str, tuple[ClusteredDocument, ...]]:
        """Return the documents of each known name."""
        storable = [name for name in names if _is_storable(name)]
        wanted = frozenset(storable)
        documents: dict[str, dict[str, ClusteredDocument]] = {}
        for key in ("id", "url"):
            for document in self._rows(key, storable):
                for name in {document.id, document.url} & wanted:
                    documents.setdefault(str(name), {})[document.id] = document
        return {name: tuple(by_id.values()) for name, by_id in documents.items()}

    def _rows(self, key: str, values: Sequence[Any]) -> Iterable[ClusteredDocument]:
        return (ClusteredDocument(**row) for row in self._documents.rows(key, values, tuple(DOCUMENTS)))


def _member(document: ClusteredDocument) -> dict[str, Any]:
    """Return a member without the fields that the cluster has."""
    fields = asdict(document)
    return {name: fields[name] for name in ("id", "similarity", "kind", "url", "date")}


def _once(names: Iterable[T]) -> list[T]:
    """Return each name once, in order."""
    return list(dict.fromkeys(names))


def _newest(documents: Sequence[ClusteredDocument]) -> ClusteredDocument:
    """Return the document with the latest date. Dates of one collection have one form, so they sort as texts."""
    return max(documents, key=lambda document: document.date or "")


def _is_storable(name: str) -> bool:
    """Return whether a table can hold this text; lone surrogates, which file names may have, it cannot."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
