"""Names: what a file or a member of an archive is called, as one printable line, and names that are refused."""

import re
import unicodedata

# Linux takes no longer path and no longer name in it; a member beyond them could not have come from a folder.
LONGEST_PATH = 4096
LONGEST_NAME = 255
# Folders inside each other in an archive: far more than people make, and few enough that a name is cheap.
DEEPEST = 256

_DRIVE = re.compile(r"[A-Za-z]:")


def printable(text: str) -> str:
    r"""The text on one line: what cannot be printed (controls, escapes, marks that turn the writing) is escaped.

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
    """A refused name can have any length; what people read of it does not."""
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"


def decoded(raw: bytes, otherwise: str) -> str:
    """A member's name. Most writers mean UTF-8 whether or not they say it; what is not valid UTF-8 is ``otherwise``."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode(otherwise)


def matchable(name: str) -> bytes:
    """A name as the bytes that patterns are matched with, as git does."""
    return name.encode("utf-8", "surrogateescape")


def parts(name: str) -> tuple[str, ...]:
    """The folders and the last name of a member; ValueError says why the name is refused.

    "." and doubled slashes are left out, as every unpacker does.
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
