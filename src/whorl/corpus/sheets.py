"""Rows of a table that are read together: the texts stay as they lie in the file until somebody wants them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress, pairwise

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.corpus.columns import Column
from whorl.frontends.detection import TEXT
from whorl.model import Document


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Documents that follow each other in a file, by column. The texts are strings of JSON, from ``starts`` to ``ends``
    in ``data``. ``path`` and ``rows`` are where they are, and ``offset`` is how much of the corpus is behind, as in a
    ``Record``."""

    path: str
    rows: Sequence[int]
    ids: Column
    urls: Column
    dates: Column
    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    offset: int

    def __len__(self) -> int:
        return len(self.ids)

    def texts(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """All texts in UTF-8, one after the other, and their bounds. Takes no lock: other threads go on."""
        text, bounds = kernel.jsonl().unescaped(self.data, self.starts, self.ends)
        return text, bounds

    def documents(self) -> Iterator[Document]:
        """The same, one at a time."""
        text, bounds = self.texts()
        columns = zip(pairwise(bounds.tolist()), self.ids, self.urls, self.dates, strict=True)
        for (start, end), identity, url, date in columns:
            yield Document(identity or "", text[start:end].tobytes().decode(), url, date, format=TEXT)

    def chosen(self, those: NDArray[np.bool_]) -> "Sheet":
        """Some of the rows."""
        return replace(
            self,
            rows=list(compress(self.rows, those.tolist())),
            ids=self.ids.chosen(those),
            urls=self.urls.chosen(those),
            dates=self.dates.chosen(those),
            starts=self.starts[those],
            ends=self.ends[those],
        )
