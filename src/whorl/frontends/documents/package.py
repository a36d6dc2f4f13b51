"""The zip file that an office document or a book is: its parts by name, read within the limits of expansion.

Nothing is written to disk, so a part's name can lead nowhere; it is looked up as it stands.
"""

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from itertools import pairwise
from urllib.parse import unquote

from whorl.errors import DocumentError
from whorl.frontends.documents.expansion import Expansion

BLOCK = 1 << 16  # bytes read at once: what a limit may be exceeded by
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # all that the formats allow, and what cannot expand a millionfold
LOCAL_HEADER = 30  # bytes before the name in a part's own header
ENCRYPTED = 0x1  # the bit of a part's flags
END = b"PK\x05\x06"  # how the last record of a zip file begins
COMPOUND = b"\xd0\xcf\x11\xe0"  # how Office's older container begins, which also holds what has a password


class Package:
    """The parts of one document."""

    def __init__(self, data: bytes, expansion: Expansion | None = None) -> None:
        self._expansion = expansion or Expansion()
        self._total = 0
        if data.startswith(COMPOUND):
            raise DocumentError("it is encrypted, or in Office's format before 2007: save it anew without a password")
        self._expansion.check_entries(_claimed(data))
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OverflowError) as error:
            raise DocumentError(f"it is no zip file, or damaged: {error}") from error
        infos = self._zip.infolist()
        self._expansion.check_entries(len(infos))
        _check_overlap(infos)
        self._infos = {info.filename: info for info in infos}

    def __contains__(self, name: str) -> bool:
        return name in self._infos

    def blocks(self, name: str) -> Iterator[bytes]:
        """The bytes of a part, as they are unpacked."""
        info = self._infos.get(name)
        if info is None:
            raise DocumentError(f"its part {name} is missing")
        if info.compress_type not in METHODS or info.flag_bits & ENCRYPTED:
            raise DocumentError(f"its part {name} is encrypted or packed in a way that the format does not allow")
        out = 0
        try:
            with self._zip.open(info) as part:
                while block := part.read(BLOCK):
                    out += len(block)
                    self._total += len(block)
                    self._expansion.check_size(name, info.compress_size, out, self._total)
                    yield block
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
            raise DocumentError(f"its part {name} is damaged: {error}") from error

    def read(self, name: str) -> bytes:
        """A whole part."""
        return b"".join(self.blocks(name))


def _claimed(data: bytes) -> int:
    """How many parts the end of the file says that there are; looked at first, since listing many takes long."""
    end = data.rfind(END)
    return int.from_bytes(data[end + 10 : end + 12], "little") if end >= 0 else 0


def _check_overlap(infos: list[zipfile.ZipInfo]) -> None:
    """Parts that share their packed bytes: no program writes them, but for a bomb."""
    ordered = sorted(infos, key=lambda info: info.header_offset)
    for info, following in pairwise(ordered):
        if info.header_offset + LOCAL_HEADER + info.compress_size > following.header_offset:
            raise DocumentError(f"its parts {info.filename} and {following.filename} overlap")


def resolve(base: str, target: str) -> str:
    """The part that a part refers to: ``target``, as ``base`` writes it. What leads out of the package is no part."""
    path = unquote(target.partition("#")[0])
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(base), path)).lstrip("/")
