"""Errors of a store on disk.

WhorlError
├── StoreFormatError    a file has a format that this version of Whorl does not read
├── DamageError         a file differs from what was written: ``file`` and ``what``
├── ReplacedError       the database is not the one that was opened
└── StoreIOError        the file system refused: ``file``, ``action``, ``reason``; the OSError is the cause
"""

from pathlib import Path

from whorl.errors import WhorlError


class StoreFormatError(WhorlError):
    """A file has a format that this version of Whorl does not read."""


class DamageError(WhorlError):
    """A file differs from what was written. ``what`` describes the damage."""

    def __init__(self, file: Path, what: str) -> None:
        self.file, self.what = file, what
        super().__init__(f"{file}: damaged: {what}; restore it from a backup, or build the store again")

    def __reduce__(self) -> tuple[type["DamageError"], tuple[Path, str]]:
        return type(self), (self.file, self.what)


class ReplacedError(WhorlError):
    """The database was removed or replaced since it was opened."""

    def __init__(self, file: Path) -> None:
        self.file = file
        super().__init__(f"{file}: removed or replaced since it was opened; nothing was written: open it again")

    def __reduce__(self) -> tuple[type["ReplacedError"], tuple[Path]]:
        return type(self), (self.file,)


class StoreIOError(WhorlError):
    """The file system refused an action on a file of the store. Earlier commits are untouched."""

    def __init__(self, file: Path, action: str, reason: str) -> None:
        self.file, self.action, self.reason = file, action, reason
        super().__init__(f"{file}: cannot {action}: {reason}")

    def __reduce__(self) -> tuple[type["StoreIOError"], tuple[Path, str, str]]:
        return type(self), (self.file, self.action, self.reason)
