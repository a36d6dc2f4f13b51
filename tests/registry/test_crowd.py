"""Searches go on while others rotate, add and compact: each sees one committed state, in which all is found."""

from threading import Event, Thread

from tests.registry.corpus import prose
from whorl import Document
from whorl.registry.registry import Registry

TEXTS = {f"{seed}": prose(seed, 500) for seed in range(6)}


def rotated(folder, faults, done):
    """Rotate, add and compact, again and again."""
    try:
        with Registry.open(folder) as registry:
            for turn in range(6):
                list(registry.rotate(Document(name, text) for name, text in TEXTS.items()))
                registry.add(Document(f"more {turn}", prose(f"more {turn}", 300)))
                registry.flush() if turn % 2 else registry.compact()
    except Exception as error:
        faults.append(error)
    finally:
        done.set()


def searched(folder, faults, done, counts):
    """Search for every document until the writer is done, and once after."""
    try:
        with Registry.open(folder) as registry:
            last = False
            while not last:
                last = done.is_set()
                for name, text in TEXTS.items():
                    hits = registry.search(text)
                    assert [(hit.document.name, hit.ratio) for hit in hits] == [(name, 1.0)], hits
                    counts.append(hits[0].document.draws)
    except Exception as error:
        faults.append(error)


def test_searches_see_one_state_while_documents_are_rotated(tmp_path):
    folder = tmp_path / "registry"
    with Registry.create(folder) as registry:
        list(registry.add_all(Document(name, text) for name, text in TEXTS.items()))
    faults: list[Exception] = []
    counts: list[int] = []
    done = Event()
    threads = [Thread(target=searched, args=(folder, faults, done, counts)) for _ in range(2)]
    threads.append(Thread(target=rotated, args=(folder, faults, done)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults, faults
    assert max(counts) == 6
    with Registry.open(folder) as registry:
        registry.verify()
        assert len(registry) == len(TEXTS) + 6
