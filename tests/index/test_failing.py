"""The file system fails at every call in turn: a clean error, the old state stays readable, the next write works."""

import gc
import os
import shutil

import pytest

from tests.index.corpus import prose
from tests.index.failing import EIO, ENOSPC, SHORT, FailingFiles, Plan, System
from whorl import Document, Scheme
from whorl.errors import StoreIOError
from whorl.index.index import Index
from whorl.storage import files, segment_writer
from whorl.stores import refusal

SCHEME = Scheme(k=8, w=4)

# Of several exceptions in one call of SQLite's, apsw raises one and tells the others as not raisable.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

# What a writer does, and the texts that are there after each.
STEPS = (
    (lambda index: index.add(Document("d", prose(4, 40))), {"a": 1, "b": 2, "c": 3, "d": 4}),
    (lambda index: index.add(Document("a", prose(5, 40))), {"a": 5, "b": 2, "c": 3, "d": 4}),
    (lambda index: index.flush(), {"a": 5, "b": 2, "c": 3, "d": 4}),
    (lambda index: index.remove("b"), {"a": 5, "c": 3, "d": 4}),
    (lambda index: index.compact(), {"a": 5, "c": 3, "d": 4}),
)
BEGINNING = {"a": 1, "b": 2, "c": 3}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prepared") / "index"
    with Index.create(folder, SCHEME) as index:
        for name, seed in list(BEGINNING.items())[:2]:
            index.add(Document(name, prose(seed, 40)))
        index.flush()
        index.add(Document("c", prose(3, 40)))
    return folder


@pytest.fixture
def plan(request, monkeypatch):
    """One plan for the calls of the segments, or for those of SQLite."""
    plan = Plan()
    monkeypatch.setattr(segment_writer, "BUFFERED", 400)
    if request.param == "segments":
        monkeypatch.setattr(files, "os", System(plan))
        yield plan
    else:
        vfs = FailingFiles(plan)
        yield plan
        vfs.unregister()


def holds(index: Index, state: dict[str, int]) -> bool:
    """Return whether an index has these texts, is sound, and finds each."""
    texts = {name: prose(seed, 40) for name, seed in state.items()}
    if {entry.name: index.text(entry.name) for entry in index.entries()} != texts:
        return False
    index.verify()
    hits = {name: index.search(text, passages=False)[0] for name, text in texts.items()}
    return all((hit.document.name, hit.resemblance) == (name, 1) for name, hit in hits.items())


def interrupted(index: Index, plan: Plan, number: int, how: str, is_gone: bool) -> int | None:
    """The step at which a call failed; None if nobody noticed."""
    plan.calls, plan.fails_at, plan.how, plan.is_gone = 0, number, how, is_gone
    try:
        for step, (change, _) in enumerate(STEPS):
            try:
                change(index)
            except StoreIOError:
                return step
        return None
    finally:
        plan.fails_at = 0


@pytest.mark.parametrize("is_gone", [False, True])
@pytest.mark.parametrize("plan", ["segments", "database"], indirect=True)
def test_every_call_may_fail(tmp_path, prepared, plan, is_gone):
    shutil.copytree(prepared, tmp_path / "0")
    with Index.open(tmp_path / "0") as index:
        assert interrupted(index, plan, 0, EIO, False) is None
    calls = plan.calls
    assert calls > 25
    noticed = 0
    for number in range(1, calls + 1):
        folder = tmp_path / str(number)
        shutil.copytree(prepared, folder)
        with Index.open(folder) as index:
            step = interrupted(index, plan, number, (EIO, ENOSPC, SHORT)[number % 3], is_gone)
            noticed += step is not None
            states = [BEGINNING, *(state for _, state in STEPS)]
            with Index.open(folder) as reader:
                assert any(holds(reader, states[at]) for at in ((5,) if step is None else (step, step + 1)))
            for change, state in STEPS[len(STEPS) if step is None else step :]:
                change(index)
                assert holds(index, state)
        shutil.rmtree(folder)
    assert noticed > calls // 2


def test_a_failing_disk_makes_no_index(tmp_path, monkeypatch):
    """Whatever fails while an index is made is told as such, and nothing is in use later."""
    plan = Plan()
    monkeypatch.setattr(files, "os", System(plan))
    vfs = FailingFiles(plan)
    try:
        Index.create(tmp_path / "0", SCHEME).close()
        calls = plan.calls
        for number in range(1, calls):
            plan.calls, plan.fails_at, plan.is_gone = 0, number, True
            with pytest.raises(StoreIOError, match=str(tmp_path)):
                Index.create(tmp_path / f"{number}", SCHEME).close()
    finally:
        plan.fails_at = 0  # connections that could not be closed are closed when they are collected
        vfs.unregister()
    gc.collect()
    left = list(tmp_path.glob("*/index.db"))
    for number, database in enumerate(left):
        os.link(database, tmp_path / f"{number}.txt")
    assert left
    assert [refusal(tmp_path / f"{number}.txt") for number in range(len(left))] == [""] * len(left)
