"""The folders of jobs: private, removed whole, and never touched while a process works in them."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from whorl.errors import StoreIOError
from whorl.service.workspace import Workspace

ID, OTHER = "a" * 16, "b" * 16


@pytest.fixture
def workspace(tmp_path):
    made = Workspace(tmp_path / "jobs")
    made.make(ID)
    return made


def test_folders_are_private(workspace):
    assert workspace.folder(ID).stat().st_mode & 0o777 == 0o700
    assert workspace.folder(ID).parent.stat().st_mode & 0o777 == 0o700


def test_what_is_left_is_cleared_when_nobody_works_there(workspace):
    for folder in (workspace.results(ID), workspace.scratch(ID)):
        folder.mkdir()
    with workspace.locked(ID):
        thread = threading.Thread(target=lambda: workspace.clear(ID, with_results=False))
        thread.start()
        thread.join(0.2)
        assert thread.is_alive()
        assert workspace.scratch(ID).exists()
    thread.join()
    assert not workspace.scratch(ID).exists()
    assert workspace.results(ID).exists()
    workspace.clear(OTHER, with_results=True)  # which is not there


def test_other_folders_are_removed(workspace, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    workspace.make(OTHER)
    (workspace.inputs(OTHER) / "link").symlink_to(outside)
    (tmp_path / "jobs" / "link").symlink_to(outside)
    (tmp_path / "jobs" / "file").touch()
    workspace.keep({ID})
    assert [path.name for path in (tmp_path / "jobs").iterdir()] == [ID]
    assert outside.exists()
    workspace.remove(ID)
    workspace.remove(ID)
    assert workspace.with_inputs() == set()


def fill(folder, number):
    for place in range(number):
        inner = folder / f"{place % 7}"
        inner.mkdir(parents=True, exist_ok=True)
        (inner / f"{place}").write_bytes(b"12345")


def test_a_folder_that_several_remove_at_once_is_removed(workspace):
    with ThreadPoolExecutor(4) as threads:
        for _ in range(20):
            fill(workspace.inputs(ID), 100)
            for removed in [threads.submit(workspace.remove_inputs, ID) for _ in range(4)]:
                removed.result()
            assert not workspace.inputs(ID).exists()


def test_the_size_is_told_while_files_go(workspace):
    fill(workspace.inputs(ID), 4)
    with ThreadPoolExecutor(1) as thread:
        for _ in range(20):
            fill(workspace.results(ID), 100)
            removed = thread.submit(workspace.clear, ID, with_results=True)
            while not removed.done():
                assert 20 <= workspace.size(ID) <= 520
            assert workspace.size(ID) == 20


def test_errors_name_the_folder(workspace):
    with pytest.raises(StoreIOError, match=f"{ID}: cannot make"):
        workspace.make(ID)


def test_uploads_are_brought_to_the_disk(workspace):
    (workspace.inputs(ID) / "base").mkdir()
    (workspace.inputs(ID) / "base" / "file").write_text("text")
    workspace.sync(ID)
    (workspace.inputs(ID) / "base" / "nowhere").symlink_to("missing")
    with pytest.raises(StoreIOError, match="nowhere"):
        workspace.sync(ID)
