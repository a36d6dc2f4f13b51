"""The clustering of this machine, over the rows of a table: what the other backends are held to."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from whorl.backends.rows import opened
from whorl.clustering.cluster import cluster as cluster_documents
from whorl.clustering.records import Item
from whorl.clustering.result import Clustering
from whorl.corpus.records import Columns, Fault, Place
from whorl.scheme import Scheme


def cluster(
    rows: Iterable[Mapping[str, Any]],
    scheme: Scheme | str = "pages",
    *,
    columns: Columns | None = None,
    **settings: Any,
) -> tuple[Clustering, list[Fault]]:
    """Group the documents of rows into clusters, and tell the rows that give none."""
    faults: list[Fault] = []
    return cluster_documents(_documents(rows, columns or Columns(), faults), scheme, **settings), faults


def _documents(rows: Iterable[Mapping[str, Any]], columns: Columns, faults: list[Fault]) -> Iterator[Item]:
    for number, values in enumerate(rows, 1):
        found = opened(values, columns, Place("rows", number))
        if isinstance(found, Fault):
            faults.append(found)
        else:
            yield found
