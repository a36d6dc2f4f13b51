"""Every exception that Whorl raises on purpose. Library code raises; only the edges print.

WhorlError
├── InputError          an argument, a setting or a file cannot be used
│   ├── FaultsError     settings are wrong; ``faults`` lists everything that is wrong
│   │   └── SchemeError   a scheme is wrong
│   ├── KeyMismatchError  the key is not the one that the scheme names
│   ├── SketchError       a sketch cannot be made, or cannot answer the question
│   ├── SketchMismatchError  two sketches cannot be compared
│   ├── SketchFormatError  bytes are no sketch, a damaged one, or one of a newer Whorl
│   ├── DocumentError   a file is missing, unreadable or not a file
│   │   └── UnsuitedError   a file is sound, but not of the kind that is compared
│   └── UnknownNameError  a front-end, selector or preset that does not exist
├── KernelError         the compiled kernel is missing
├── StoreFormatError    a file of a store has a format that this version of Whorl does not read
├── DamageError         a file of a store differs from what was written: ``file`` and ``what``
├── ReplacedError       the database of a store is not the one that was opened
└── StoreIOError        the file system refused: ``file``, ``action``, ``reason``; the OSError is the cause

``whorl.sandbox.limits`` adds the errors of a sandbox under the same root. Other settings define their own
errors under FaultsError.
"""

from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class WhorlError(Exception):
    """The root: catch this to catch every error that Whorl raises on purpose."""


class InputError(WhorlError):
    """An argument, a setting or a file cannot be used."""


class FaultsError(InputError):
    """Settings are wrong. ``faults`` lists everything that is wrong, not only the first."""

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(self.faults))


class SchemeError(FaultsError):
    """A scheme is wrong."""


class KeyMismatchError(InputError):
    """The key is not the one that the scheme names."""


class DocumentError(InputError):
    """A document cannot be read: missing, unreadable, or not a file.

    The message begins with ``name``, if it is given. ``reason`` is the message without it, for a list of documents.
    """

    def __init__(self, reason: str, name: str | None = None) -> None:
        self.reason = reason
        super().__init__(reason if name is None else f"{name or 'the document'}: {reason}")


class UnsuitedError(DocumentError):
    """A document is sound, but the scheme does not read its kind, such as prose among programs."""


def checked_number(name: str, value: object, low: int, high: int | None = None) -> int:
    """Return a setting that is a whole number; raise InputError unless it is in its range."""
    if not isinstance(value, Integral) or int(value) < low or (high is not None and int(value) > high):
        limits = f"{low} or more" if high is None else f"{low} to {high:,}"
        raise InputError(f"{name}: {value!r} is out of range; give {limits}")
    return int(value)


def checked_share(name: str, value: object) -> float:
    """Return a setting that is a share; raise InputError unless it is above 0 and at most 1."""
    if not isinstance(value, Real) or not 0 < float(value) <= 1:
        raise InputError(f"{name}: {value!r} is out of range; give a number above 0, up to 1")
    return value if isinstance(value, int | float) else float(value)


def similar(name: str, known: Iterable[str]) -> list[str]:
    """Return the known name that is similar, if any: python (0.91) is similar to pyton, robust (0.6) not to best."""
    from difflib import get_close_matches  # only errors need it

    return get_close_matches(name[:100], list(known), 1, 0.7)


class UnknownNameError(InputError):
    """No implementation has this name."""

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(sorted(known))
        meant = "".join(f" did you mean {match!r}?" for match in similar(str(name), self.known))
        super().__init__(f"unknown {kind} {name!r}:{meant} choose one of {', '.join(self.known)}")


class KernelError(WhorlError):
    """The compiled kernel is missing."""


class SketchError(InputError):
    """A sketch cannot be made, or cannot answer the question."""


class SketchMismatchError(InputError):
    """Two sketches were made under different schemes, keys or rules, so they cannot be compared."""


class SketchFormatError(InputError):
    """Bytes are no sketch, a damaged one, or one of a newer Whorl."""


class StoreFormatError(WhorlError):
    """A file of a store has a format that this version of Whorl does not read."""


class DamageError(WhorlError):
    """A file of a store differs from what was written. ``what`` describes the damage."""

    def __init__(self, file: "Path", what: str) -> None:
        self.file, self.what = file, what
        super().__init__(f"{file}: damaged: {what}; restore it from a backup, or build the store again")

    def __reduce__(self) -> tuple[type["DamageError"], tuple["Path", str]]:
        return type(self), (self.file, self.what)


class ReplacedError(WhorlError):
    """The database of a store was removed or replaced since it was opened."""

    def __init__(self, file: "Path") -> None:
        self.file = file
        super().__init__(f"{file}: removed or replaced since it was opened; nothing was written: open it again")

    def __reduce__(self) -> tuple[type["ReplacedError"], tuple["Path"]]:
        return type(self), (self.file,)


class StoreIOError(WhorlError):
    """The file system refused an action on a file of the store. Earlier commits are untouched."""

    def __init__(self, file: "Path", action: str, reason: str) -> None:
        self.file, self.action, self.reason = file, action, reason
        super().__init__(f"{file}: cannot {action}: {reason}")

    def __reduce__(self) -> tuple[type["StoreIOError"], tuple["Path", str, str]]:
        return type(self), (self.file, self.action, self.reason)
