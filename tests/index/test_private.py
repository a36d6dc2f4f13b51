"""What is stored is for its owner alone, whatever the umask says: other people's texts, postings and keys."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import whorl
from whorl.service.context import Context
from whorl.service.settings import ServiceSettings


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> list[str]:
    """The folder, if others may enter it, and every file in it that others may read."""
    paths = [folder, *(path for path in folder.rglob("*") if path.is_file())]
    return sorted(path.name for path in paths if path.stat().st_mode & 0o077)


def test_an_index_is_private(tmp_path: Path) -> None:
    (tmp_path / "made before").mkdir(mode=0o755)
    for name in ("new", "made before"):
        with whorl.Index.create(tmp_path / name) as index:
            index.add(whorl.Document("a", "whose woods these are i think i know " * 20))
            index.compact()
            assert open_to_others(tmp_path / name) == []


def test_a_registry_and_a_store_of_sweeps_are_private(tmp_path: Path) -> None:
    whorl.Registry.create(tmp_path / "registry").close()
    whorl.Sweep.create(tmp_path / "sweep").close()
    assert open_to_others(tmp_path / "registry") == open_to_others(tmp_path / "sweep") == []


def test_a_service_closes_an_index_that_was_open_to_others(tmp_path: Path) -> None:
    whorl.Index.create(tmp_path / "index").close()
    (tmp_path / "index").chmod(0o755)
    context = Context(ServiceSettings(index=tmp_path / "index"))
    try:
        context.start()
        assert open_to_others(tmp_path / "index") == []
    finally:
        context.close()
