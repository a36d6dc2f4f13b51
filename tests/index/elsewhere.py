"""What other processes do to an index while the tests of its locks have it open."""

import os
import signal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import apsw

from tests.killing import lived
from whorl import Document
from whorl.index.index import Index


def names(folder: Path) -> list[str]:
    """Return the names of an index's documents."""
    with Index.open(folder) as index:
        return [entry.name for entry in index.entries()]


def stay(pipe: Connection, folder: Path) -> None:
    """Have an index open until this process is killed."""
    index = Index.open(folder)
    pipe.send(len(index))
    pipe.recv()


class DyingFile(apsw.VFSFile):
    """Kills the process as soon as a commit is on the disk, before the index of the log has it: so other processes do
    not see it."""

    def __init__(self, system: "System", name: Any, flags: list[int]) -> None:
        super().__init__("unix", name, flags)
        self._system = system
        self._is_log = str(getattr(name, "filename", lambda: name)()).endswith("-wal")

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        if self._is_log and self._system.is_armed and self.xFileSize() > 32:  # more than its header
            os.kill(os.getpid(), signal.SIGKILL)


class System(apsw.VFS):
    """Opens files that kill the process, once it is armed."""

    def __init__(self) -> None:
        self.is_armed = False
        super().__init__("dying", "unix", makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> DyingFile:
        return DyingFile(self, name, flags)


def die_at_sync(folder: Path, change: str) -> bool:
    """Flush or compact an index in a process that dies as soon as the commit is on the disk. Return whether it died."""

    def work(_: int) -> None:
        system = System()
        index = Index.open(folder)
        system.is_armed = True
        getattr(index, change)()

    return lived(work)[0]


def die_sweeping(folder: Path) -> bool:
    """Sweep, as every writer does first, in a process that is killed then and writes nothing. Return whether it was."""

    def work(_: int) -> None:
        with Index.open(folder)._writer._writing():
            os.kill(os.getpid(), signal.SIGKILL)

    return lived(work)[0]


def leave_open(folder: Path) -> None:
    """Make an index of five documents, in a process that ends without closing it."""

    def work(_: int) -> None:
        index = Index.create(folder, "text")
        for number in range(5):
            index.add(Document(str(number), f"some words of document {number} " * 9))
        os._exit(0)

    lived(work)
