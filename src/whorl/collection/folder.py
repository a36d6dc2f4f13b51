"""A folder on the disk. Links are never followed, and nothing but regular files is ever opened."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from whorl.collection import ignores
from whorl.collection.faults import RefusedError
from whorl.collection.sift import Entry

_SPECIAL = {
    stat.S_IFIFO: "refused: a pipe",
    stat.S_IFSOCK: "refused: a socket",
    stat.S_IFCHR: "refused: a device",
    stat.S_IFBLK: "refused: a device",
    stat.S_IFLNK: "refused: a symbolic link",
}


def special(mode: int) -> str:
    """Why a file of this mode is refused; "" for a regular file or a folder."""
    return _SPECIAL.get(stat.S_IFMT(mode), "")


def opened(path: Path, follow: bool = False) -> BinaryIO:
    """A regular file, open. It may have been replaced since it was listed, so it is asked again, without waiting."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    number = os.open(path, flags)
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise RefusedError(special(os.fstat(number).st_mode) or "refused: not a file")
        return os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise


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
