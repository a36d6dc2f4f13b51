"""A file system that fails at one call: under the segments by a stand-in for ``os``, under SQLite by a VFS.

``Plan`` counts the calls that could fail. The one with its number fails; if the disk is gone, so do all that follow.
"""

import errno
import os
from dataclasses import dataclass

import apsw

# How a call fails. A short write takes half of the bytes; the rest of them finds no space.
EIO, ENOSPC, SHORT = "EIO", "ENOSPC", "short write"


@dataclass
class Plan:
    """Which call fails, and how."""

    fails_at: int = 0
    how: str = EIO
    is_gone: bool = False
    calls: int = 0

    def fails(self) -> bool:
        """Count a call; whether it is to fail."""
        self.calls += 1
        is_now = self.calls == self.fails_at or (self.is_gone and self.calls > self.fails_at > 0)
        return is_now or (self.how == SHORT and self.calls == self.fails_at + 1 and self.fails_at > 0)


class System:
    """The calls of ``os``."""

    CALLS = ("open", "write", "pwrite", "fsync", "close", "replace", "unlink", "stat")

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def __getattr__(self, name):
        real = getattr(os, name)
        if name not in self.CALLS:
            return real

        def call(*args, **options):
            if not self._plan.fails():
                return real(*args, **options)
            if name == "close":
                real(*args)
            if name == "write" and self._plan.how == SHORT and self._plan.calls == self._plan.fails_at:
                return real(args[0], args[1][: len(args[1]) // 2])
            number = errno.EIO if self._plan.how == EIO else errno.ENOSPC
            raise OSError(number, os.strerror(number))

        return call


class FailingFiles(apsw.VFS):
    """The system's own VFS, whose files fail by the plan. It is the default until it is unregistered."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        super().__init__("failing", "unix", makedefault=True)

    def xOpen(self, name, flags):
        return _File(self.plan, name, flags)


class _File(apsw.VFSFile):
    def __init__(self, plan: Plan, name, flags) -> None:
        self._plan = plan
        super().__init__("unix", name, flags)

    def xWrite(self, data, offset):
        if self._plan.fails():
            if self._plan.how == SHORT:
                super().xWrite(data[: len(data) // 2], offset)
            raise self._error()
        super().xWrite(data, offset)

    def xSync(self, flags):
        if self._plan.fails():
            raise self._error()
        super().xSync(flags)

    def xTruncate(self, size):
        if self._plan.fails():
            raise self._error()
        super().xTruncate(size)

    def _error(self) -> apsw.Error:
        return apsw.IOError("disk I/O error") if self._plan.how == EIO else apsw.FullError("disk is full")
