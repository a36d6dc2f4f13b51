"""Every index, through the suite that all inherit."""

import pytest

from tests.conformance.index import IndexConformance
from tests.index.corpus import prose
from whorl import Document
from whorl.index.index import Index
from whorl.index.memory import MemoryIndex
from whorl.storage import store


class TestMemoryIndex(IndexConformance):
    def made(self, folder, scheme="text", *, text=True):
        return MemoryIndex.create(scheme, text=text)


class TestIndex(IndexConformance):
    def made(self, folder, scheme="text", *, text=True):
        return Index.create(folder, scheme, text=text)


class TestIndexOfManySegments(IndexConformance):
    """Every commit becomes a segment, and three are merged."""

    @pytest.fixture(autouse=True)
    def small(self, monkeypatch):
        monkeypatch.setattr(store, "FLUSH_DOCUMENTS", 1)
        monkeypatch.setattr(store, "FAN", 3)

    def made(self, folder, scheme="text", *, text=True):
        return Index.create(folder, scheme, text=text)

    def test_segments_come_and_are_merged(self, index):
        counts = []
        for number in range(6):
            index.add(Document(str(number), prose(number)))
            assert index.stats().fresh == 0
            counts.append(index.stats().segments)
        assert counts == [1, 2, 1, 2, 1, 2]
