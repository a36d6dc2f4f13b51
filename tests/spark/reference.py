"""The clustering of this machine over the rows of a table: every backend must give the same."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import whorl
from whorl.clustering.records import Item, item_of_row
from whorl.clustering.result import Clustering
from whorl.formats.corpora.records import Columns, Fault, RowPlace
from whorl.scheme import Scheme


def cluster(
    rows: Iterable[Mapping[str, Any]], scheme: Scheme | str = "pages", *, columns: Columns | None = None, **settings
) -> tuple[Clustering, list[Fault]]:
    """Group the documents of rows into clusters, and list the rows that give none."""
    faults: list[Fault] = []
    return whorl.cluster(_documents(rows, columns or Columns(), faults), scheme, **settings), faults


def _documents(rows: Iterable[Mapping[str, Any]], columns: Columns, faults: list[Fault]) -> Iterator[Item]:
    for number, values in enumerate(rows, 1):
        item = item_of_row(values, columns, RowPlace("rows", number))
        if isinstance(item, Fault):
            faults.append(item)
        else:
            yield item
