"""Synthetic technical reports of one school, and versions derived from some: a collection like Heintze's."""

from experiments.technical.collection import Entry, collection
from experiments.technical.reports import School

__all__ = ["Entry", "School", "collection"]
