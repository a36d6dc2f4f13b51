"""The record of what was selected from a document."""

from dataclasses import dataclass

from whorl.model import Hashes, Offsets, Spans
from whorl.scheme import Scheme


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprints:
    """The fingerprints of one document under one scheme, in the order of their positions.

    ``hashes[i]`` is the identity of the k-gram that starts at symbol ``positions[i]`` and covers ``spans[i]`` of the
    text. ``symbols`` is the length of the stream. ``notes`` is what was not as usual in reading the document.
    """

    scheme: Scheme
    hashes: Hashes
    positions: Offsets
    spans: Spans
    symbols: int
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def grams(self) -> int:
        """How many k-grams the document has."""
        return max(0, self.symbols - self.scheme.k + 1)

    @property
    def density(self) -> float:
        """The share of its k-grams that were selected."""
        return len(self) / self.grams if self.grams else 0.0
