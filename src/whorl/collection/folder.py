"""A folder on the disk. Links are never followed, and nothing but regular files is ever opened."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from whorl.collection import ignores
from whorl.collection.files import opened, special
from whorl.collection.sift import Entry


@dataclass(frozen=True, slots=True)
class DiskFolder:
    """A folder, listed when it is asked."""

    path: Path

    def entries(self) -> list[Entry[Path]]:
        """Its entries in the order of their names' bytes, whatever the file system's is."""
        with os.scandir(self.path) as found:
            return [self._entry(entry) for entry in sorted(found, key=lambda entry: os.fsencode(entry.name))]

    def has(self, name: str) -> bool:
        """Whether a regular file of this name is in it."""
        try:
            return stat.S_ISREG((self.path / name).lstat().st_mode)
        except OSError:
            return False  # what cannot be asked is not there; listing the folder reports why

    def ignore_file(self) -> bytes:
        """Its .gitignore, and no more of it than could be applied."""
        with opened(self.path / ignores.NAME) as file:
            return file.read(ignores.MOST + 1)

    def count(self) -> None:
        """Not known without looking."""

    def _entry(self, entry: os.DirEntry[str]) -> Entry[Path]:
        path = self.path / entry.name
        if entry.is_dir(follow_symlinks=False):
            return Entry(entry.name, folder=DiskFolder(path))
        if entry.is_file(follow_symlinks=False):
            return Entry(entry.name, file=path)
        return Entry(entry.name, refused=_why(entry))


def _why(entry: os.DirEntry[str]) -> str:
    try:
        return special(entry.stat(follow_symlinks=False).st_mode) or "refused: not a file"
    except OSError as error:
        return error.strerror or "cannot be read"
