"""What can go wrong with an index on disk.

WhorlError
├── IndexFormatError    a file has a format that this version of Whorl does not read
├── DamageError         a file is not as it was written: ``file`` and ``what``
└── IndexIOError        the file system refused: ``file``, ``action``, and the OSError as the cause
"""

from pathlib import Path

from whorl.errors import WhorlError


class IndexFormatError(WhorlError):
    """A file has a format that this version of Whorl does not read."""


class DamageError(WhorlError):
    """A file is not as it was written. ``what`` says what was found."""

    def __init__(self, file: Path, what: str) -> None:
        self.file, self.what = file, what
        super().__init__(f"{file}: damaged: {what}; restore it from a copy, or build the index again")

    def __reduce__(self) -> tuple[type["DamageError"], tuple[Path, str]]:
        return type(self), (self.file, self.what)


class IndexIOError(WhorlError):
    """The file system refused an action on a file of the index. What was committed before is untouched."""

    def __init__(self, file: Path, action: str, reason: str) -> None:
        self.file, self.action, self.reason = file, action, reason
        super().__init__(f"{file}: cannot {action}: {reason}")

    def __reduce__(self) -> tuple[type["IndexIOError"], tuple[Path, str, str]]:
        return type(self), (self.file, self.action, self.reason)
