"""What a file is, by its first bytes: a document, an archive, or something without text."""

from dataclasses import dataclass
from typing import Literal

from whorl.frontends.binary import MAGIC, binary

# Bytes that decide. Git looks at 8,000 for a NUL; a tar header needs 512.
HEAD = 8192

What = Literal["document", "zip", "tar", "gzip", "bzip2", "xz", "zstd", "binary"]


@dataclass(frozen=True, slots=True)
class Kind:
    """What a file is; ``reason`` says why it has no text, if it has none."""

    what: What
    reason: str = ""

    @property
    def is_archive(self) -> bool:
        """Whether it is to be opened."""
        return self.what not in ("document", "binary")

    @property
    def is_packed(self) -> bool:
        """Whether it is one compressed stream, which may hold a tar archive or not."""
        return self.what in PACKERS.values()


DOCUMENT = Kind("document")

_DOCUMENTS = (
    b"%PDF-",
    b"%!",  # PostScript
    b"\x04%!",  # PostScript behind a printer's end of transmission
    b"\xc5\xd0\xd3\xc6",  # EPS with a preview
    b"{\\rtf",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",  # Word, Excel and PowerPoint before 2007
)
_PDF_WITHIN = 1024  # readers of PDF allow this much before the first mark

# Office files and EPUB are zip files that are read as a whole.
OFFICE = (
    ".docx", ".docm", ".dotx", ".dotm", ".xlsx", ".xlsm", ".xltx", ".pptx", ".pptm", ".ppsx", ".potx",
    ".odt", ".ott", ".ods", ".odp", ".odg", ".odf", ".epub", ".pages", ".numbers", ".key",
)  # fmt: skip

PACKERS: dict[bytes, What] = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_PACKER_MAGIC = tuple(PACKERS)
_ARCHIVE_ENDINGS: dict[str, What] = {
    ".zip": "zip", ".jar": "zip", ".tar": "tar", ".tar.gz": "gzip", ".tgz": "gzip", ".tar.bz2": "bzip2",
    ".tbz2": "bzip2", ".tbz": "bzip2", ".tar.xz": "xz", ".txz": "xz", ".tar.zst": "zstd", ".tzst": "zstd",
}  # fmt: skip


def kind(name: str, head: bytes) -> Kind:
    """What a file is. Its first bytes decide; its name does where they leave it open."""
    if head.startswith(_DOCUMENTS) or b"%PDF-" in head[:_PDF_WITHIN]:
        return DOCUMENT
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return DOCUMENT if name.lower().endswith(OFFICE) else Kind("zip")
    if is_tar_header(head):
        return Kind("tar")
    if head.startswith(_PACKER_MAGIC) and not head.isascii():
        return Kind(next(packer for magic, packer in PACKERS.items() if head.startswith(magic)))
    return _by_content(name, head)


def named_archive(name: str) -> What | None:
    """The kind of archive that a name promises."""
    lower = name.lower()
    return next((what for ending, what in _ARCHIVE_ENDINGS.items() if lower.endswith(ending)), None)


def is_tar_header(block: bytes) -> bool:
    """Whether a block begins with the header of a tar member: its checksum says so."""
    return len(block) >= 512 and block[0] != 0 and header_sum(block[:512])


def header_sum(block: bytes) -> bool:
    """Whether a tar header's checksum is right: the sum of its bytes, its own field taken as blanks.

    Some old writers took bytes as signed numbers, so that a high one counts 256 less.
    """
    stated = block[148:156].strip(b" \x00")
    if not stated or not all(0x30 <= byte <= 0x37 for byte in stated):
        return False
    summed = block[:148] + b" " * 8 + block[156:]
    total = sum(summed)
    return int(stated, 8) == total or int(stated, 8) == total - 256 * sum(byte >= 0x80 for byte in summed)


def _by_content(name: str, head: bytes) -> Kind:
    said = binary(head)
    if not said:
        return DOCUMENT
    promised = named_archive(name)
    return (
        Kind(promised)
        if promised is not None and not head.startswith(tuple(MAGIC))
        else Kind("binary", f"binary: {said}")
    )
