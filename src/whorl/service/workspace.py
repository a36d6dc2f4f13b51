"""The folders of jobs: uploads, results and temporary files."""

import json
import os
import re
import shutil
from collections.abc import Set
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any

from whorl.errors import DamageError, InputError
from whorl.storage import checksums
from whorl.storage.files import TEMPORARY, fsync_folder, translate_os_errors
from whorl.storage.folder import size_of, writing

# The name of the folder of all jobs, in the index's folder.
JOBS_FOLDER = "jobs"

# The checksums of a job's results, in its folder.
SUMS = "checksums.txt"

# The result of a clustering, which has names and URLs of documents; and the keys that go with a deleted document.
CLUSTERS = "clusters.json"
_FACTS = ("name", "collection", "url")

# Seconds to wait for a process of the same job that is dying.
DYING_SECONDS = 30.0

# Ids become paths: what is no id of ours must never become one.
_ID = re.compile(r"[A-Za-z0-9_-]{16}", re.ASCII)


class Workspace:
    """The folders of all jobs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def folder(self, id_: str) -> Path:
        """Return the folder of a job."""
        if _ID.fullmatch(id_) is None:
            raise InputError(f"{id_!r} is no id of a job")
        return self._folder / id_

    def inputs(self, id_: str) -> Path:
        """Return the folder of the uploads."""
        return self.folder(id_) / "input"

    def results(self, id_: str) -> Path:
        """Return the folder of the results."""
        return self.folder(id_) / "result"

    def scratch(self, id_: str) -> Path:
        """Return the folder of temporary files."""
        return self.folder(id_) / "scratch"

    def size(self, id_: str) -> int:
        """Return the bytes of the uploads and the results of a job, whose process may just be ended."""
        with translate_os_errors(self.folder(id_), "read"):
            return size_of(self.inputs(id_)) + size_of(self.results(id_))

    def make(self, id_: str) -> None:
        """Create the private folder of a new job."""
        with translate_os_errors(self.folder(id_), "make"):
            self.folder(id_).mkdir(mode=0o700)
            self.inputs(id_).mkdir()

    def sync(self, id_: str) -> None:
        """Sync all uploads to the disk."""
        _sync_all(self.folder(id_))
        fsync_folder(self._folder)

    def sync_results(self, id_: str) -> None:
        """Write the checksums of the results, and sync all to the disk."""
        results = self.results(id_)
        if not results.exists():
            return
        with translate_os_errors(results, "write"):
            paths = sorted(path for path in results.rglob("*") if path.is_file())
            (self.folder(id_) / SUMS).write_text(checksums.listed(results, paths), "utf-8")
        _sync_all(self.folder(id_))

    def check_results(self, id_: str) -> None:
        """Raise DamageError if a result is not as it was when its job was done. Older jobs have no checksums, and
        results that were deleted have nothing to check."""
        path, results = self.folder(id_) / SUMS, self.results(id_)
        with translate_os_errors(path, "read"):
            if not path.exists() or not results.exists():
                return
            for name, digest in _sums(path).items():
                _check(results / name, digest)

    def check_result(self, id_: str, file: Path) -> None:
        """Raise DamageError if one file of the results is not as it was when its job was done."""
        path = self.folder(id_) / SUMS
        with translate_os_errors(path, "read"):
            if path.exists():
                _check(file, _sums(path).get(file.relative_to(self.results(id_).resolve()).as_posix()))

    def forget_documents(self, id_: str, numbers: Set[int]) -> bool:
        """Remove the names, collections and URLs of documents from the result of a clustering; return whether there
        were any. Raise DamageError if the result is not as it was when its job was done."""
        path = self.results(id_) / CLUSTERS
        with translate_os_errors(path, "write"):
            if not path.is_file():
                return False
            self.check_results(id_)
            result = _parsed(path)
            members = [each for cluster in result["clusters"] for each in cluster["members"] if each["id"] in numbers]
            named = [each for each in members if any(each[fact] is not None for fact in _FACTS)]
            for member in named:
                member.update(dict.fromkeys(_FACTS))
            if named:
                self._replace(id_, path, json.dumps(result))
            return bool(named)

    def remove(self, id_: str) -> None:
        """Remove the folder of a job, if it exists."""
        _remove(self.folder(id_))

    def remove_inputs(self, id_: str) -> None:
        """Remove the uploads of a job."""
        _remove(self.inputs(id_))

    def locked(self, id_: str) -> AbstractContextManager[None]:
        """Lock the folder of a job for one process; wait for another that is ending."""
        return writing(self.folder(id_) / "lock", DYING_SECONDS)

    def clear(self, id_: str, *, with_results: bool) -> None:
        """Remove temporary files, and results if asked, once no process writes there."""
        if not self.folder(id_).exists():
            return
        with self.locked(id_):
            _remove(self.scratch(id_))
            if with_results:
                _remove(self.results(id_))

    def keep(self, ids: Set[str]) -> None:
        """Remove the folders of all other jobs."""
        for path in self._folder.iterdir():
            if path.name not in ids:
                _remove(path)

    def _replace(self, id_: str, path: Path, text: str) -> None:
        """Replace a file of the results and its checksum. If the process dies between the two, the result counts as
        damaged: the next purge deletes it."""
        new = path.with_name(path.name + TEMPORARY)
        new.write_text(text, "utf-8")
        new.replace(path)
        self.sync_results(id_)

    def with_inputs(self) -> set[str]:
        """Return the ids of jobs that still have uploads."""
        return {path.name for path in self._folder.iterdir() if (path / "input").exists()}


def _sums(path: Path) -> dict[str, str]:
    sums = checksums.read(path.read_text("utf-8", "replace"))
    if sums is None:
        raise DamageError(path, "it is not as it was written")
    return sums


def _check(file: Path, digest: str | None) -> None:
    if not file.is_file() or checksums.digest(file) != digest:
        raise DamageError(file, "it is not as it was when its job was done")


def _parsed(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except ValueError as error:
        raise DamageError(path, "it is no JSON") from error


def _sync_all(folder: Path) -> None:
    for root, _folders, files in os.walk(folder):
        for path in (Path(root) / name for name in files):
            with translate_os_errors(path, "write to the disk"), path.open("rb") as file:
                os.fsync(file.fileno())
        fsync_folder(Path(root))


def _remove(path: Path) -> None:
    """Remove a file or folder, if it exists. Another process or thread may do so at the same time."""
    with translate_os_errors(path, "remove"):
        if path.is_symlink() or path.is_file():
            path.unlink(missing_ok=True)
        while path.exists():
            with suppress(FileNotFoundError):
                shutil.rmtree(path)
