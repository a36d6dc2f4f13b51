"""Damaged files: a fault is noticed or has no effect; never a wrong answer, never another exception."""

import shutil
from collections import Counter

import pytest

from tests.index.damage import NOTICED, PAGE, answers, cut, files_of, flipped, flips, make, outcome, used_bytes, written
from whorl.index.index import Index


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("damage") / "index"
    make(folder)
    return folder


@pytest.fixture(scope="module")
def right(folder):
    with Index.open(folder) as index:
        return answers(index)


def tried(folder, right, count, seed) -> Counter[str]:
    return tried_all(folder, right, flips(folder, count, seed))


def tried_all(folder, right, bits) -> Counter[str]:
    found: Counter[str] = Counter()
    for path, at, bit in bits:
        with flipped(path, at, bit):
            result = outcome(folder, right)
        assert result in ("noticed", "harmless"), f"{path.name}, byte {at}, bit {bit}: {result}"
        found[result] += 1
    return found


def test_the_index_is_as_it_was_made(folder, right):
    assert {path.name for path in files_of(folder)} == {
        "index.db",
        "index.db-commits",
        "secret.key",
        "00000001.segment",
        "00000002.segment",
    }
    assert outcome(folder, right) == "harmless"


def test_flipped_bits(folder, right):
    assert tried(folder, right, 200, 1)["noticed"] > 50


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_many_flipped_bits(folder, right, seed):
    assert tried(folder, right, 500, seed)["noticed"] > 125


def test_every_bit_that_says_what_is_sanctioned(folder, right):
    """One row among many: without it answers would be others, and nothing else would be missing."""
    bits = [(folder / "index.db", at, bit) for at in used_bytes(folder, "sanctioned") for bit in range(8)]
    assert tried_all(folder, right, bits)["noticed"] > 20


@pytest.mark.parametrize("table", ["tombstones", "segments"])
def test_a_bit_of_every_byte_of_a_small_table(folder, right, table):
    bits = [(folder / "index.db", at, at % 8) for at in used_bytes(folder, table)]
    assert tried_all(folder, right, bits)["noticed"] > 20


@pytest.mark.slow
@pytest.mark.parametrize("table", ["tombstones", "segments", "meta", "totals", "sqlite_autoindex_documents_1"])
def test_every_bit_of_a_small_table(folder, right, table):
    bits = [(folder / "index.db", at, bit) for at in used_bytes(folder, table) for bit in range(8)]
    assert tried_all(folder, right, bits)["noticed"] > 200


def write_to_damaged(folder, scratch, count, seed) -> Counter[str]:
    """What becomes of an index that is written to without anybody having noticed."""
    shutil.copytree(folder, scratch)
    right = written(scratch)
    found: Counter[str] = Counter()
    for path, at, bit in flips(folder, count, seed):
        shutil.rmtree(scratch)
        with flipped(path, at, bit):
            shutil.copytree(folder, scratch)
        try:
            assert written(scratch) == right, f"{path.name}, byte {at}, bit {bit}: a wrong answer"
            found["harmless"] += 1
        except NOTICED:
            found["noticed"] += 1
    return found


def test_writing_to_a_damaged_index(folder, tmp_path):
    assert write_to_damaged(folder, tmp_path / "index", 40, 11)["noticed"] > 10


@pytest.mark.slow
def test_much_writing_to_damaged_indexes(folder, tmp_path):
    assert write_to_damaged(folder, tmp_path / "index", 500, 12)["noticed"] > 125


def test_files_that_end_too_early(folder, right):
    for path in files_of(folder):
        step = PAGE if path.name == "index.db" else max(1, path.stat().st_size // 12)
        for size in range(0, path.stat().st_size, step):
            with cut(path, size):
                # The line's end after the key is nothing that is needed, and of commits none may have been noted yet.
                is_enough = (path.name, size) in (("secret.key", 32), ("index.db-commits", 0))
                result = outcome(folder, right)
                assert result == ("harmless" if is_enough else "noticed"), f"{path.name}, {size} bytes"


def test_files_that_are_gone(folder, right):
    for path in files_of(folder)[1:]:
        data = path.read_bytes()
        path.unlink()
        result = outcome(folder, right)
        path.write_bytes(data)
        assert result == "harmless" if path.name == "index.db-commits" else result.startswith("StoreIOError"), path
