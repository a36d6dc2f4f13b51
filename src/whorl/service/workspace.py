"""The folders of jobs: what was uploaded for each, and what came out."""

import os
import re
import shutil
from collections.abc import Iterator, Set
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from whorl.errors import InputError
from whorl.index.faults import IndexIOError
from whorl.index.files import fsync_folder
from whorl.index.lock import writing

# The name of the folder of all jobs, in the index's folder.
NAME = "jobs"

# Seconds to wait for a process of the same job that is dying.
DYING_SECONDS = 30.0

# Ids become paths: what is no id of ours must never become one.
_ID = re.compile(r"[A-Za-z0-9_-]{16}", re.ASCII)


class Workspace:
    """The folders of all jobs, below one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def folder(self, id_: str) -> Path:
        """The folder of a job."""
        if _ID.fullmatch(id_) is None:
            raise InputError(f"{id_!r} is no id of a job")
        return self._folder / id_

    def inputs(self, id_: str) -> Path:
        """What was uploaded for it."""
        return self.folder(id_) / "input"

    def results(self, id_: str) -> Path:
        """What came out."""
        return self.folder(id_) / "result"

    def scratch(self, id_: str) -> Path:
        """What its process needs while it runs."""
        return self.folder(id_) / "scratch"

    def make(self, id_: str) -> None:
        """The folder of a new job, for nobody else's eyes."""
        with _told(self.folder(id_), "make"):
            self.folder(id_).mkdir(mode=0o700)
            self.inputs(id_).mkdir()

    def sync(self, id_: str) -> None:
        """Until all uploads are on the disk."""
        for root, _folders, files in os.walk(self.folder(id_)):
            for path in (Path(root) / name for name in files):
                with _told(path, "write to the disk"), path.open("rb") as file:
                    os.fsync(file.fileno())
            fsync_folder(Path(root))
        fsync_folder(self._folder)

    def remove(self, id_: str) -> None:
        """Without a job's folder; it is no fault if it is gone already."""
        _remove(self.folder(id_))

    def remove_inputs(self, id_: str) -> None:
        """Without a job's uploads."""
        _remove(self.inputs(id_))

    def held(self, id_: str) -> AbstractContextManager[None]:
        """The folder of a job for one process alone; waits for another that is dying."""
        return writing(self.folder(id_) / "lock", DYING_SECONDS)

    def clear(self, id_: str, *, with_results: bool) -> None:
        """Without what a job's process needs while it runs, and its results, once no process writes there."""
        if not self.folder(id_).exists():
            return
        with self.held(id_):
            _remove(self.scratch(id_))
            if with_results:
                _remove(self.results(id_))

    def keep(self, ids: Set[str]) -> None:
        """Without the folders of other jobs than these."""
        for path in self._folder.iterdir():
            if path.name not in ids:
                _remove(path)

    def with_inputs(self) -> set[str]:
        """The ids of jobs whose uploads are still there."""
        return {path.name for path in self._folder.iterdir() if (path / "input").exists()}


def _remove(path: Path) -> None:
    """A file or a folder, whole, if it is there."""
    with _told(path, "remove"):
        if path.is_symlink() or path.is_file():
            path.unlink(missing_ok=True)
        elif path.exists():
            shutil.rmtree(path)


@contextmanager
def _told(path: Path, action: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise IndexIOError(path, action, error.strerror or str(error)) from error
