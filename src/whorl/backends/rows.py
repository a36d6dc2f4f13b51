"""A row of a table as something to cluster, by the rules of every corpus: what all backends read the same way."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from whorl.clustering.features import Features
from whorl.clustering.records import Item
from whorl.corpus.records import BadRowError, Columns, Fault, Place, Record
from whorl.corpus.rows import record


def opened(values: Mapping[str, Any], columns: Columns, place: Place) -> Item | Fault:
    """The document of a row, or why there is none."""
    try:
        return item(record(values, columns, place, 0))
    except BadRowError as error:
        return Fault(place.file, place.row, str(error))


def item(found: Record) -> Item:
    """What is clustered of a record."""
    document = found.document
    if found.features is not None:
        return Features(found.id, found.features, document.url, document.date)
    return document if document.name == found.id else replace(document, name=found.id)
