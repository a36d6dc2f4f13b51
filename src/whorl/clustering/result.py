"""What a clustering finds."""

from dataclasses import dataclass

from whorl.clustering.measuring import Measured
from whorl.model import Skipped
from whorl.scheme import Scheme


@dataclass(frozen=True, slots=True)
class Member:
    """A document and its cluster. ``representative`` is the document that stands for the cluster, ``similarity`` the
    measure between both, ``kind`` how they are alike: identical, lexical, shingle, near, contained; of a representative
    itself, and of a document that is alone, it is ``unique``. A cluster has the number of its representative."""

    id: str
    cluster: int
    representative: str
    similarity: float
    kind: str


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    """A collection in clusters: every document, the pairs that reached the threshold (by the numbers of the documents),
    how many shingles were too common, and what was left out."""

    scheme: Scheme
    members: tuple[Member, ...]
    pairs: Measured
    common: int
    skipped: tuple[Skipped, ...]

    def clusters(self) -> list[list[str]]:
        """The clusters of more than one document, the largest first."""
        found: dict[int, list[str]] = {}
        for member in self.members:
            found.setdefault(member.cluster, []).append(member.id)
        return sorted((ids for ids in found.values() if len(ids) > 1), key=lambda ids: (-len(ids), ids))
