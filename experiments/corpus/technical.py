"""The technical documents of Debian packages as files: ``FOLDER/pdf/<release>/<package>/…``, and ``FOLDER/man/…``.

Pages of the manual are written as the text between their requests: the requests that programs put at the head of every
page would else be what most pages have in common.
"""

import gzip
import re
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from experiments.corpus.apt import Package
from experiments.corpus.pages import members

# Pages of the manual in English: ``man1`` to ``man9``, with no folder of a language before.
MANUAL = PurePosixPath("usr/share/man")

PDF, MAN = "pdf", "man"

# Changes of font and size, spaces of no width, and comments.
ESCAPE = re.compile(rb"\\f(\(..|\[[^]]*\]|.)|\\s[-+]?\d+|\\[&|^/]|\\\".*")


@dataclass(frozen=True)
class Documents:
    """What came out of a package: books and articles, pages of the manual, and the bytes of each."""

    package: Package
    pdfs: int
    pdf_size: int
    manuals: int
    manual_size: int


def unpack_technical(archive: Path, package: Package, folder: Path) -> Documents:
    """Write the technical documents of a package. Links, and all that is neither, stay behind."""
    counts, sizes = {PDF: 0, MAN: 0}, {PDF: 0, MAN: 0}
    for name, packed in members(archive, lambda name: kind_of(name) is not None):
        kind, data = kind_of(name), unzipped(packed)
        if kind is None or data is None:
            continue
        title = PurePosixPath(name).name.removesuffix(".gz")
        if kind == MAN:
            title, data = f"{title}.txt", prose(data)
        target = folder / kind / package.release / package.name / title
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        counts[kind], sizes[kind] = counts[kind] + 1, sizes[kind] + len(data)
    return Documents(package, counts[PDF], sizes[PDF], counts[MAN], sizes[MAN])


def kind_of(name: str) -> str | None:
    """Return whether a file of a package is a PDF, a page of the manual, or neither."""
    path = PurePosixPath(name.removeprefix("./"))
    if ".." in path.parts or path.is_absolute():
        return None
    if path.is_relative_to(MANUAL) and len(path.parts) == len(MANUAL.parts) + 2 and path.parts[3].startswith("man"):
        return MAN
    return PDF if path.name.removesuffix(".gz").lower().endswith(".pdf") else None


def prose(troff: bytes) -> bytes:
    """Return the text of a page of the manual: lines that are no requests, without escapes."""
    lines = [line for line in troff.splitlines() if not line.startswith((b".", b"'"))]
    return b"".join(ESCAPE.sub(b"", line).replace(b"\\-", b"-") + b"\n" for line in lines)


def unzipped(data: bytes) -> bytes | None:
    """Return what a file holds; None of one that is damaged, which is left out."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        return None
