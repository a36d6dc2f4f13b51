"""A writer and readers of an index, each a process of its own.

The writer numbers its commits: after commit n the documents are those of ``state(n)``, and no two states are alike.
A reader asks all the time, and checks that each answer is that of one state, and that states never go back.
"""

import multiprocessing
from collections.abc import Callable, Iterable
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


def write(folder: Path, commits: int) -> None:
    """Commit after commit, each in one transaction; flushes and merges of their own accord, and some by order."""
    store.FLUSH_DOCUMENTS, store.FAN = 3, 3
    with Index.open(folder) as index:
        for commit in range(2, commits + 2):
            _commit(index, commit)
            if commit % 7 == 0:
                index.compact()


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


def read(folder: Path, is_over: Callable[[], bool], began: Callable[[], None]) -> int:
    """Ask and check, until it is over. How many answers."""
    last = answers = 0
    index = Index.open(folder)
    while not is_over():
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
        if answers == 1:
            began()
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


def crowd(folder: Path, commits: int, readers: int) -> list[int]:
    """Write while others read; how many answers each of them had. It has imported Whorl, and forks the others."""
    system = multiprocessing.get_context("fork")
    over, reading, answers = system.Event(), system.Semaphore(0), system.SimpleQueue()

    def work() -> None:
        answers.put(read(folder, over.is_set, reading.release))

    processes = [system.Process(target=work, daemon=True) for _ in range(readers)]
    for process in processes:
        process.start()
    for _ in processes:
        while not reading.acquire(timeout=1):
            assert not any(process.exitcode for process in processes), "a reader failed: see above"
    write(folder, commits)
    over.set()
    for process in processes:
        process.join()
        assert process.exitcode == 0, "a reader failed: see above"
    return [answers.get() for _ in processes]
