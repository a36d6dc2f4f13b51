"""Damaged files: a fault is noticed or has no effect; never a wrong answer, never another exception."""

import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.index.corpus import prose
from tests.index.damage import NOTICED, cut, files_of, flipped
from whorl import Document, DocumentError, Scheme
from whorl.errors import StoreIOError
from whorl.stores import SWEEP_DATABASE
from whorl.sweep.sweep import Sweep

SCHEME = Scheme(symbols="words", k=3, select="full")
PAGES = [f"http://x/{page}" for page in range(8)]


def documents(number: int) -> list[Document]:
    draw = random.Random(number)
    return [
        Document(url, prose(page, 20) + (prose(1000 * number, 4) if draw.random() < 0.5 else ""), contact=f"{page}@x")
        for page, url in enumerate(PAGES)
        if draw.random() < 0.7
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("damage") / "sweeps"
    with Sweep.create(folder, SCHEME, modulus=1) as sweep:
        for number in range(4):
            sweep.add(documents(number), f"{2001 + number}-01-01")
    return folder


def answers(folder: Path) -> Any:
    """All that can be asked, also for a page that is none."""
    with Sweep.open(folder) as sweep:
        result = [(sweep.find(url), sweep.history(url), sweep.contacts(url), sweep.show(url)) for url in PAGES]
        looked_up = sweep.contacts(Document("q", prose(3, 20) + " and something else"))
        with pytest.raises(DocumentError, match="in no sweep of"):
            sweep.find("http://nowhere/")
        return result, looked_up, sweep.stats(), sweep.clusters()


@pytest.fixture(scope="module")
def right(folder):
    return answers(folder)


def outcome(folder: Path, right: Any) -> str:
    """What a store does: ``noticed``, ``harmless``, or what it did wrong."""
    try:
        if answers(folder) != right:
            return "a wrong answer"
        with Sweep.open(folder) as sweep:
            sweep.verify()
    except NOTICED:
        return "noticed"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "harmless"


def bits(folder: Path, count: int, seed: int) -> list[tuple[Path, int, int]]:
    """Bits to flip, half of them in the segments and in the first page, where all begins."""
    draw = random.Random(f"sweeps {seed}")
    database = folder / SWEEP_DATABASE
    small = [path for path in files_of(folder) if path != database]
    found = []
    for number in range(count):
        path = draw.choice(small) if number % 4 == 0 else database
        size = min(path.stat().st_size, 4096 if number % 4 == 1 else 1 << 40)
        found.append((path, draw.randrange(size), draw.randrange(8)))
    return found


def tried(folder: Path, right: Any, count: int, seed: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for path, at, bit in bits(folder, count, seed):
        with flipped(path, at, bit):
            result = outcome(folder, right)
        assert result in ("noticed", "harmless"), f"{path.name}, byte {at}, bit {bit}: {result}"
        found[result] += 1
    return found


def test_flipped_bits(folder, right):
    assert outcome(folder, right) == "harmless"
    assert tried(folder, right, 100, 1)["noticed"] > 25


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_many_flipped_bits(folder, right, seed):
    assert tried(folder, right, 600, seed)["noticed"] > 150


def added(folder: Path) -> Any:
    """What a store answers after another sweep."""
    with Sweep.open(folder) as sweep:
        sweep.add(documents(9), "2009-01-01")
    return answers(folder)


def test_adding_to_a_damaged_store(folder, tmp_path):
    """It is noticed, then or when the store is asked, or does no harm."""
    scratch = tmp_path / "sweeps"
    shutil.copytree(folder, scratch)
    right = added(scratch)
    found: Counter[str] = Counter()
    for path, at, bit in bits(folder, 40, 9):
        shutil.rmtree(scratch)
        with flipped(path, at, bit):
            shutil.copytree(folder, scratch)
        try:
            assert added(scratch) == right, f"{path.name}, byte {at}, bit {bit}: a wrong answer"
            found["harmless"] += 1
        except NOTICED:
            found["noticed"] += 1
    assert found["noticed"] > 6


def test_files_that_end_too_early(folder, right):
    for path in files_of(folder):
        step = 4096 if path.name == SWEEP_DATABASE else max(1, path.stat().st_size // 8)
        for size in range(4096 if path.name == SWEEP_DATABASE else 0, path.stat().st_size, step):
            with cut(path, size):
                wanted = "harmless" if (path.name, size) == (f"{SWEEP_DATABASE}-commits", 0) else "noticed"
                assert outcome(folder, right) == wanted, f"{path.name}, {size} bytes"


def test_a_folder_of_segments_that_is_gone(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "sweeps")
    shutil.rmtree(tmp_path / "sweeps" / "segments")
    with Sweep.open(tmp_path / "sweeps") as sweep, pytest.raises(StoreIOError, match=r"\.segment: cannot read"):
        sweep.add(documents(9), "2009-01-01")


def test_a_segment_that_is_gone(folder, right):
    for path in (folder / "segments").iterdir():
        data = path.read_bytes()
        path.unlink()
        result = outcome(folder, right)
        path.write_bytes(data)
        assert result.startswith("StoreIOError"), path
