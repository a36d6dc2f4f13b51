"""Questions to a clustering that is on disk: the paper's "Query support".

URL → document → cluster → documents → URLs. The paper sorts fingerprints of URLs beside the clusters; here the tables
are read as they are, one or two columns of them, which costs a fraction of a second for a million documents.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from whorl.clustering.written import DOCUMENTS_FILE, PAIRS_FILE, Table
from whorl.corpus.parquet import DOCUMENTS, PAIRS
from whorl.errors import InputError

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
    """A cluster, and the names among those asked for that are in it, in their order."""

    cluster: int
    representative: str
    names: tuple[str, ...]
    members: tuple[ClusteredDocument, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of some names: the documents of each, the clusters in the order of the first name that is in each,
    and the names that nothing is known of."""

    found: dict[str, tuple[ClusteredDocument, ...]]
    clusters: tuple[ClusterOf, ...]
    unknown: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """For scripts: plain lists, dictionaries, texts and numbers."""
        return {
            "found": [{"name": name, "documents": list(map(asdict, each))} for name, each in self.found.items()],
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
    """The tables of a clustering. A name is the id of a document, or its URL, letter by letter."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._documents = Table(folder / DOCUMENTS_FILE, DOCUMENTS)

    @classmethod
    def open(cls, folder: Path | str) -> Self:
        """The clustering that ``whorl cluster -o FOLDER`` wrote."""
        return cls(Path(folder))

    def __len__(self) -> int:
        return len(self._documents)

    def find(self, name: str) -> tuple[ClusteredDocument, ...]:
        """The document of this id, and those of this URL in the order of the collection; none if there is none. One URL
        may have shown several."""
        return self._named([name]).get(name, ())

    def cluster(self, of: str) -> tuple[ClusteredDocument, ...]:
        """All documents in the clusters of this id or URL, that one among them, with their URLs and dates."""
        found = self.find(of)
        if not found:
            raise InputError(f"{of}: no document of {self.folder} has this id or URL")
        return tuple(self._rows("cluster", sorted({document.cluster for document in found})))

    def groups(self, names: Iterable[str]) -> tuple[list[list[str]], list[str]]:
        """Names, best first, in groups of those that are near-identical, in the order of the best of each; and those
        that are unknown. A URL that showed several documents counts as the newest of them."""
        asked = _once(names)
        found = self._named(asked)
        groups: dict[int, list[str]] = {}
        for name in asked:
            if name in found:
                groups.setdefault(_newest(found[name]).cluster, []).append(name)
        return list(groups.values()), [name for name in asked if name not in found]

    def ask(self, names: Iterable[str]) -> Answer:
        """All that is known of some names, in three passes over a table however many there are."""
        asked = _once(names)
        found = self._named(asked)
        named: dict[int, list[str]] = {}
        for name in asked:
            for number in _once(document.cluster for document in found.get(name, ())):
                named.setdefault(number, []).append(name)
        members: dict[int, list[ClusteredDocument]] = {number: [] for number in named}
        for document in self._rows("cluster", list(named)):
            members[document.cluster].append(document)
        clusters = tuple(
            ClusterOf(number, members[number][0].representative, tuple(of), tuple(members[number]))
            for number, of in named.items()
        )
        known = {name: found[name] for name in asked if name in found}
        return Answer(known, clusters, tuple(name for name in asked if name not in found))

    def pairs(self, name: str) -> tuple[ClusteredPair, ...]:
        """The pairs that the documents of this id or URL are in: with whom, and how alike. Documents that were set
        aside as equal to another are in none."""
        table = Table(self.folder / PAIRS_FILE, PAIRS)
        ids = _once(document.id for document in self.find(name))
        left = [ClusteredPair(**row) for row in table.rows("left", ids, tuple(PAIRS))]
        right = [ClusteredPair(**row) for row in table.rows("right", ids, tuple(PAIRS))]
        return (*left, *(pair for pair in right if pair.left not in ids))

    def _named(self, names: Sequence[str]) -> dict[str, tuple[ClusteredDocument, ...]]:
        """The documents of each name that is known."""
        storable = [name for name in names if _is_storable(name)]
        wanted = frozenset(storable)
        found: dict[str, dict[str, ClusteredDocument]] = {}
        for key in ("id", "url"):
            for document in self._rows(key, storable):
                for name in {document.id, document.url} & wanted:
                    found.setdefault(str(name), {})[document.id] = document
        return {name: tuple(documents.values()) for name, documents in found.items()}

    def _rows(self, key: str, values: Sequence[Any]) -> Iterable[ClusteredDocument]:
        return (ClusteredDocument(**row) for row in self._documents.rows(key, values, tuple(DOCUMENTS)))


def _member(document: ClusteredDocument) -> dict[str, Any]:
    """A member without what the cluster says already."""
    told = asdict(document)
    return {name: told[name] for name in ("id", "similarity", "kind", "url", "date")}


def _once(names: Iterable[T]) -> list[T]:
    """Each name once, where it comes first."""
    return list(dict.fromkeys(names))


def _newest(documents: Sequence[ClusteredDocument]) -> ClusteredDocument:
    """The one with the latest date; dates of one collection are written alike, so their letters have their order."""
    return max(documents, key=lambda document: document.date or "")


def _is_storable(name: str) -> bool:
    """Whether a table can hold this text: lone surrogates, which file names may have, it cannot."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
