"""``whorl.cluster``: documents in, clusters out. The steps are the paper's four."""

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.counting import Counter
from whorl.clustering.joining import components, stars
from whorl.clustering.measuring import COLUMNS, Measured, Measurer
from whorl.clustering.result import Clustering, Member
from whorl.clustering.settings import ClusterSettings
from whorl.clustering.sketching import Sketcher, Sketches
from whorl.clustering.sorting import sorted_postings
from whorl.hashing.key import Key
from whorl.model import Document
from whorl.scheme import Scheme, resolve

# Told what is being done, how much of it is done, and how much there is, if that is known.
Progress = Callable[[str, int, int | None], object]


def cluster(
    documents: Iterable[str | Path | Document],
    scheme: Scheme | str = "web",
    *,
    folder: Path | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Clustering:
    """Group documents into clusters of near-duplicates. A string is a text, a path a file.

    What does not fit into ``memory`` is kept in a folder of its own below ``folder``, which is removed at the end. The
    other settings are those of ``ClusterSettings``.
    """
    asked = ClusterSettings(**settings)
    recipe = resolve(scheme)
    with tempfile.TemporaryDirectory(prefix="whorl-", dir=folder) as home:
        sketched = Sketcher(recipe, Key.PUBLIC, asked, Path(home)).add_all(_observed(documents, progress))
        counter = Counter(Path(home), asked.memory, asked.common)
        for postings in sorted_postings(sketched.sketches, Path(home), asked.memory):
            counter.add(postings)
        measurer = Measurer(sketched, asked)
        pairs = _joined([measurer.alike(part) for part in counter.pairs()])
        rows = np.array(sketched.rows, np.int64)
        ties = np.array(sketched.ties, np.uint64)
        stands = components(len(rows), pairs) if asked.closure else stars(len(rows), pairs, ties)
        members = _members(sketched, rows, stands, pairs, asked)
        sketched.shingles.close()
        sketched.sketches.close()
    return Clustering(recipe, members, _numbered(pairs, rows), counter.common, tuple(sketched.skipped))


def _observed(documents: Iterable[str | Path | Document], progress: Progress | None) -> Iterable[Document]:
    for number, document in enumerate(documents):
        if progress is not None:
            progress("sketching", number, None)
        if isinstance(document, Document):
            yield document
        else:
            yield Document(str(document) if isinstance(document, Path) else str(number), document)


def _joined(parts: list[Measured]) -> Measured:
    return Measured(*(np.concatenate([getattr(part, column) for part in parts]) for column in COLUMNS))


def _numbered(pairs: Measured, rows: NDArray[np.int64]) -> Measured:
    """The pairs by the numbers of documents, and no longer of those that stand for others."""
    return replace(pairs, left=rows[pairs.left], right=rows[pairs.right])


def _members(
    sketched: Sketches, rows: NDArray[np.int64], stands: NDArray[np.int64], pairs: Measured, asked: ClusterSettings
) -> tuple[Member, ...]:
    """Every document with its cluster; those that were set aside rejoin the one that stood for them."""
    values = dict(
        zip(
            zip(pairs.left.tolist(), pairs.right.tolist(), strict=True),
            pairs.measure(asked.measure).tolist(),
            strict=True,
        )
    )
    row_of = {number: row for row, number in enumerate(rows.tolist())}
    near = "near" if asked.measure == "resemblance" else "contained"
    members = []
    for name, own, kind in zip(sketched.ids, sketched.stands, sketched.kinds, strict=True):
        row = row_of[own]
        head = int(stands[row])
        similarity = 1.0 if head == row else values.get((min(head, row), max(head, row)), 0.0)
        told = near if head != row else kind or "unique"
        members.append(Member(name, int(rows[head]), sketched.ids[int(rows[head])], similarity, told))
    return tuple(members)
