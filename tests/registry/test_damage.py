"""Damaged files: a fault is noticed or has no effect; never a wrong answer, never another exception."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from tests.index.damage import NOTICED, PAGE, cut, files_of, flipped
from tests.registry.corpus import prose
from whorl import Document
from whorl.registry.registry import Registry
from whorl.scheme import PRESETS

SCHEME = replace(PRESETS["koala"], n=60, stored=20)
TEXTS = {f"{number}": prose(number, 150) for number in range(14)}


def make(folder):
    """A registry with all that there can be: two segments, fresh postings, tombstones, counts, a rotated document."""
    with Registry.create(folder, SCHEME) as registry:
        for name, text in TEXTS.items():
            registry.add(Document(name, text, url=f"https://example.org/{name}", contact="a@example.org"))
            if name in ("5", "9"):
                registry.flush()
        registry.remove("2", "7")
        list(registry.rotate([Document("3", TEXTS["3"])]))
        for name in ("1", "4", "11"):
            registry.search(TEXTS[name])


def answers(registry):
    """All that can be asked: the documents, by number and by name, searches, counts."""
    searched = [registry.search(text, count=False, threshold=0.05) for text in [*TEXTS.values(), prose(99, 300)]]
    entries = list(registry.entries())
    return searched, entries, [registry.entry(name) for name in TEXTS], registry.activity(), len(registry)


def outcome(folder, right) -> str:
    try:
        with Registry.open(folder) as registry:
            if answers(registry) != right:
                return "a wrong answer"
            registry.verify()
    except NOTICED:
        return "noticed"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "harmless"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("damage") / "registry"
    make(folder)
    return folder


@pytest.fixture(scope="module")
def right(folder):
    with Registry.open(folder) as registry:
        return answers(registry)


def tried(folder, right, count, seed) -> Counter[str]:
    """Bits flip: a third in the segments and the key, a third in the database's first page, where all begins."""
    draw = random.Random(f"flips {seed}")
    database = folder / "registry.db"
    small = [path for path in files_of(folder) if path != database]
    found: Counter[str] = Counter()
    for number in range(count):
        path = draw.choice(small) if number % 3 == 0 else database
        at = draw.randrange(min(path.stat().st_size, PAGE if number % 3 == 1 else 1 << 40))
        bit = draw.randrange(8)
        with flipped(path, at, bit):
            result = outcome(folder, right)
        assert result in ("noticed", "harmless"), f"{path.name}, byte {at}, bit {bit}: {result}"
        found[result] += 1
    return found


def test_the_registry_is_as_it_was_made(folder, right):
    names = {path.name for path in files_of(folder)}
    assert names == {"registry.db", "registry.db-commits", "secret.key", "00000001.segment", "00000002.segment"}
    assert outcome(folder, right) == "harmless"


def test_flipped_bits(folder, right):
    assert tried(folder, right, 150, 1)["noticed"] > 40


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_many_flipped_bits(folder, right, seed):
    assert tried(folder, right, 500, seed)["noticed"] > 125


def test_files_that_end_too_early(folder, right):
    for path in files_of(folder):
        step = PAGE if path.name == "registry.db" else max(1, path.stat().st_size // 6)
        for size in range(0, path.stat().st_size, step):
            with cut(path, size):
                # The line's end after the key is nothing that is needed, and of commits none may have been noted yet.
                is_enough = (path.name, size) in (("secret.key", 32), ("registry.db-commits", 0))
                result = outcome(folder, right)
                assert result == ("harmless" if is_enough else "noticed"), f"{path.name}, {size} bytes"


def test_files_that_are_gone(folder, right):
    for path in files_of(folder):
        data = path.read_bytes()
        path.unlink()
        result = outcome(folder, right)
        path.write_bytes(data)
        if path.name.startswith("registry.db"):
            assert result == ("harmless" if path.name == "registry.db-commits" else "noticed")
        else:
            assert result.startswith("StoreIOError"), path
