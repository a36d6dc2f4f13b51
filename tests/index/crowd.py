"""A writer or a reader as a process of its own: ``python -m tests.index.crowd FOLDER writer SECONDS`` and the like.

The writer numbers its commits: after commit n the documents are those of ``state(n)``, and no two states are alike.
A reader asks all the time, and checks that each answer is that of one state, and that states never go back.
"""

import sys
import time
from collections.abc import Iterable
from pathlib import Path

from tests.index.corpus import prose
from whorl import Document
from whorl.index.index import Index
from whorl.storage import store

# Documents that are there at a time: commit n adds document n and removes or replaces older ones.
WIDTH = 5
SHARED = prose(0, 12)


def state(commit: int) -> dict[str, int]:
    """Name and number of each document after a commit: a window that moves on, and one that is replaced each time."""
    return {f"{number}": number for number in range(max(1, commit - WIDTH + 1), commit + 1)} | {"latest": commit}


def text_of(number: int) -> str:
    return SHARED + prose(10_000 + number, 12)


def write(folder: Path, seconds: float) -> int:
    """Commit after commit, each in one transaction; flushes and merges of their own accord, and some by order."""
    store.FLUSH_DOCUMENTS, store.FAN = 3, 3
    until = time.monotonic() + seconds
    commit = 1
    with Index.open(folder) as index:
        while time.monotonic() < until:
            commit += 1
            _commit(index, commit)
            if commit % 7 == 0:
                index.compact()
    return commit


def _commit(index: Index, commit: int) -> None:
    """Through the writer's own parts, because the public verbs add or remove, and a state must come at once."""
    documents = [Document(f"{commit}", text_of(commit)), Document("latest", text_of(commit))]
    prepared = [index._prepared(document, sanctioned=False) for document in documents]
    inner = index._writer
    with inner._writing():
        with index._store.transaction():
            for one in prepared:
                inner._put(one)
            old = index._store.named(f"{commit - WIDTH}")
            if old is not None:
                index._store.delete_document(old)
        inner._tidy(sum(one.size for one in prepared))


def read(folder: Path, seconds: float) -> int:
    """Ask and check. How many answers."""
    until = time.monotonic() + seconds
    last = answers = 0
    index = Index.open(folder)
    while time.monotonic() < until:
        hits = index.search(SHARED, limit=50, passages=answers % 3 == 0)
        names = [hit.document.name for hit in hits]
        commit = newest(names)
        assert sorted(names) == sorted(state(commit)), f"{sorted(names)} is no state"
        assert commit >= last, "the index went back"
        last = commit
        if answers % 10 == 0:
            check_texts(index)
        if answers % 40 == 0:
            index.close()
            index = Index.open(folder)
        answers += 1
    index.verify()
    index.close()
    return answers


def newest(names: Iterable[str]) -> int:
    return max(int(name) for name in names if name != "latest")


def check_texts(index: Index) -> None:
    """In one state, every document and its text."""
    with index.reading():
        entries = list(index.entries())
        texts = {entry.name: index.text(entry.name) for entry in entries}
    assert texts == {name: text_of(number) for name, number in state(newest(texts)).items()}


if __name__ == "__main__":
    role = {"writer": write, "reader": read}[sys.argv[2]]
    print(role(Path(sys.argv[1]), float(sys.argv[3])))
