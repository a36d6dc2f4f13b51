"""Files on the disk that can be read: regular ones, and whoever names a link or a pipe is told so."""

import os
import stat
from pathlib import Path
from typing import BinaryIO

from whorl.collection.faults import RefusedError, reason
from whorl.collection.names import printable
from whorl.errors import DocumentError

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


def is_folder(path: Path) -> bool:
    """Whether it is a folder; DocumentError if it is neither that nor a file that can be read."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            os.scandir(path).close()
            return True
        opened(path, follow=True).close()
    except (OSError, ValueError, RefusedError) as error:
        raise DocumentError(f"{printable(str(path))}: {reason(error)}") from error
    return False
