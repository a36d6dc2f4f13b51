"""Names of files and archive members, reasons to refuse them, and opening regular files only."""

import lzma
import os
import re
import stat
import sys
import unicodedata
import zlib
from pathlib import Path
from typing import BinaryIO

from whorl.errors import DocumentError, FaultsError
from whorl.stores import refusal

# Linux takes no longer path and no longer name in it; a member beyond them could not have come from a folder.
LONGEST_PATH = 4096
LONGEST_NAME = 255
# Folders inside each other in an archive: far more than people make, and few enough that a name is cheap.
DEEPEST = 256

_DRIVE = re.compile(r"[A-Za-z]:")


def printable(text: str) -> str:
    r"""Return the text on one line; escape what cannot be printed (controls, escapes, bidirectional marks).

    A byte that was not UTF-8 is shown as that byte: ``caf\xe9.txt``.
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(character: str) -> str:
    if character.isprintable() or unicodedata.category(character) == "Zs":
        return character
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # surrogateescape's stand-in for a byte
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def shortened(name: str) -> str:
    """Cut a long name for display."""
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"


def decoded(raw: bytes, otherwise: str) -> str:
    """Decode a member's name. Most writers mean UTF-8 even if they do not say so; other bytes are read as
    ``otherwise``."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode(otherwise)


def matchable(name: str) -> bytes:
    """Return a name as bytes, for matching patterns as git does."""
    return name.encode("utf-8", "surrogateescape")


def parts(name: str) -> tuple[str, ...]:
    """Split a member's name into folders and file name; raise ValueError with the reason if the name is refused.

    "." and doubled slashes are dropped, as every unpacker does.
    """
    for fault in (_character_fault(name), _place_fault(name), _length_fault(name)):
        if fault:
            raise ValueError(fault)
    return tuple(part for part in name.split("/") if part not in ("", "."))


def _character_fault(name: str) -> str:
    if "\0" in name:
        return "refused: a NUL in its name"
    return "refused: a backslash in its name" if "\\" in name else ""


def _place_fault(name: str) -> str:
    if name.startswith("/"):
        return "refused: an absolute name"
    if _DRIVE.match(name):
        return "refused: a drive letter in its name"
    return 'refused: ".." in its name' if ".." in name.split("/") else ""


def _length_fault(name: str) -> str:
    if len(name) > LONGEST_PATH or any(len(part) > LONGEST_NAME for part in name.split("/")):
        return f"refused: a name of more than {LONGEST_NAME} characters, or {LONGEST_PATH:,} with its folders"
    return f"refused: more than {DEEPEST} folders deep" if name.count("/") > DEEPEST else ""


def damage() -> tuple[type[Exception], ...]:
    """Return the exceptions that decompressors raise on damaged data. bz2 and gzip raise OSError. zstandard is looked
    up only once it is imported: importing it takes as long as the rest of the package."""
    used = (sys.modules["zstandard"].ZstdError,) if "zstandard" in sys.modules else ()
    return OSError, EOFError, zlib.error, lzma.LZMAError, *used


class RulesError(FaultsError):
    """Invalid rules; ``faults`` lists every fault."""


class RefusedFileError(Exception):
    """One file is refused for this reason; the rest is read."""


class BrokenError(Exception):
    """A tar archive is cut short or malformed."""


def broken() -> tuple[type[Exception], ...]:
    """Return the exceptions that reading a compressed tar archive may raise."""
    return BrokenError, *damage()


def reason(error: Exception) -> str:
    """Return an error as one line for people, without the path."""
    if isinstance(error, OSError) and error.strerror:
        return printable(error.strerror[:1].lower() + error.strerror[1:])
    return printable(error.reason if isinstance(error, DocumentError) else str(error)) or type(error).__name__


_SPECIAL = {
    stat.S_IFIFO: "refused: a pipe",
    stat.S_IFSOCK: "refused: a socket",
    stat.S_IFCHR: "refused: a device",
    stat.S_IFBLK: "refused: a device",
    stat.S_IFLNK: "refused: a symbolic link",
}


def special(mode: int) -> str:
    """Return why a file of this mode is refused; "" for a regular file or a folder."""
    return _SPECIAL.get(stat.S_IFMT(mode), "")


def opened(path: Path, follow: bool = False) -> BinaryIO:
    """Open a regular file. It may have been replaced since it was listed, so its type is checked again, without
    blocking."""
    if why := refusal(path):
        raise RefusedFileError(f"refused: {why}")
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    number = os.open(path, flags)
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise RefusedFileError(special(os.fstat(number).st_mode) or "refused: not a file")
        return os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder; raise ``DocumentError`` if it is neither a folder nor a readable file."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            os.scandir(path).close()
            return True
        opened(path, follow=True).close()
    except (OSError, ValueError, RefusedFileError) as error:
        raise DocumentError(reason(error), printable(str(path))) from error
    return False
