"""An index through any row of changes answers as one in memory does, which holds nothing but a dictionary."""

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.examples import examples
from tests.index.corpus import mixed, prose
from whorl import Document, Scheme
from whorl.engine.hashing import Key
from whorl.index.index import Index
from whorl.index.memory import MemoryIndex
from whorl.index.prepare import TEXT
from whorl.storage import store

SCHEME = Scheme(k=8, w=4)
TEXTS = [prose(1, 20), prose(2, 20), mixed((1, 10), (2, 10)), mixed((3, 8), (1, 12)), "short", prose(3, 5)]
NAMES = st.sampled_from("abcdef")
DOCUMENTS = st.builds(
    Document, NAMES, st.sampled_from(TEXTS), owner=st.sampled_from([None, "x"]), date=st.sampled_from([None, "2020"])
)


def undated(hit):
    """A hit without the moment at which its document was added."""
    return replace(hit, document=replace(hit.document, added=""))


class IndexMachine(RuleBasedStateMachine):
    """Small segments, so that a few documents make several, and merges of merges."""

    def __init__(self):
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(store, "FLUSH_POSTINGS", 60)
        self.patch.setattr(store, "FLUSH_DOCUMENTS", 3)
        self.patch.setattr(store, "FAN", 2)
        self.folder = Path(tempfile.mkdtemp(prefix="whorl-machine-"))
        self.copies = 0
        self.opened: list[Index] = []

    @property
    def index(self) -> Index:
        return self.opened[0]

    @property
    def reader(self) -> Index:
        return self.opened[1]

    @initialize()
    def begin(self):
        key = Key(b"key of a machine")
        self.patch.setattr(Key, "random", classmethod(lambda cls: key))
        self.opened = [Index.create(self.folder / "0", SCHEME), Index.open(self.folder / "0")]
        self.model = MemoryIndex(SCHEME.with_key(key.id), key, TEXT)

    def teardown(self):
        for index in self.opened:
            index.verify()
            index.close()
        shutil.rmtree(self.folder)
        self.patch.undo()

    @rule(document=DOCUMENTS, sanctioned=st.sampled_from([False, False, False, True]))
    def add(self, document, sanctioned):
        result = self.index.add(document, sanctioned=sanctioned)
        assert result == self.model.add(document, sanctioned=sanctioned)

    @rule(documents=st.lists(DOCUMENTS, max_size=5))
    def add_all(self, documents):
        assert list(self.index.add_all(documents)) == list(self.model.add_all(documents))

    @rule(names=st.lists(NAMES, max_size=3))
    def remove(self, names):
        assert self.index.remove(*names) == self.model.remove(*names)

    @rule()
    def flush(self):
        self.index.flush()
        assert self.index.stats().fresh == 0

    @rule()
    def compact(self):
        self.index.compact()
        stats = self.index.stats()
        assert (stats.fresh, stats.removed) == (0, 0)
        assert stats.segments <= 1

    @rule()
    def reopen(self):
        self.index.close()
        self.opened[0] = Index.open(self.index.folder)

    @rule()
    def another_reader(self):
        self.reader.close()
        self.opened[1] = Index.open(self.index.folder)

    @rule()
    def crash(self):
        """What is on the disk is all there is: files are taken as they are while both have them open."""
        self.copies += 1
        copy = self.folder / str(self.copies)
        shutil.copytree(self.index.folder, copy)
        self.index.close()
        self.reader.close()
        self.opened = [Index.open(copy), Index.open(copy)]

    @rule(text=st.sampled_from(TEXTS), limit=st.sampled_from([1, 2, 10]), window=st.sampled_from([None, 6]))
    def search(self, text, limit, window):
        expected = self.model.search(text, limit=limit, window=window)
        for index in self.opened:
            hits = index.search(text, limit=limit, window=window)
            assert list(map(undated, hits)) == list(map(undated, expected))
            assert hits.cost == expected.cost

    @precondition(lambda self: self.opened)
    @invariant()
    def documents_are_the_same(self):
        expected = [replace(entry, added="") for entry in self.model.entries()]
        for index in self.opened:
            assert [replace(entry, added="") for entry in index.entries()] == expected
            assert len(index) == len(expected)
        for entry in expected:
            assert self.index.text(entry.name) == self.model.text(entry.name)

    @precondition(lambda self: self.opened)
    @invariant()
    def postings_are_the_same(self):
        whole = " ".join(TEXTS)
        expected = list(map(undated, self.model.search(whole, passages=False)))
        for index in self.opened:
            assert list(map(undated, index.search(whole, passages=False))) == expected


TestMachine = IndexMachine.TestCase
TestMachine.settings = examples(25, stateful_step_count=25)


class LongIndexMachine(IndexMachine):
    """The same, for longer."""


TestLongMachine = pytest.mark.slow(LongIndexMachine.TestCase)
TestLongMachine.settings = examples(300, stateful_step_count=40)
