"""The web pages of Debian packages as files: ``FOLDER/<release>/<package>/<path inside the package>``."""

import subprocess
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from experiments.corpus.apt import Package

SUFFIXES = frozenset((".html", ".htm", ".xhtml"))

# All of these pages are below it, which tells nothing.
COMMON = PurePosixPath("usr/share/doc")


@dataclass(frozen=True)
class Unpacked:
    """What came out of a package: pages, and bytes of HTML."""

    package: Package
    pages: int
    size: int


def unpack(archive: Path, package: Package, folder: Path) -> Unpacked:
    """Write the pages of a package. Links, and all that is no page, stay behind."""
    home = folder / package.release / package.name
    pages = size = 0
    for path, data in _pages(archive):
        target = home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        pages, size = pages + 1, size + len(data)
    return Unpacked(package, pages, size)


def _pages(archive: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    for name, data in members(archive, lambda name: _inside(name) is not None):
        if (path := _inside(name)) is not None:
            yield path, data


def members(archive: Path, is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a package whose names are wanted, with what is in them."""
    process = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE)
    with process, tarfile.open(fileobj=process.stdout, mode="r|") as entries:
        for entry in entries:
            data = entries.extractfile(entry) if entry.isreg() and is_wanted(entry.name) else None
            if data is not None:
                yield entry.name, data.read()
    if process.returncode:
        raise SystemExit(f"{archive}: dpkg-deb cannot read it: delete it, and it is fetched again")


def _inside(name: str) -> PurePosixPath | None:
    """Return where a page goes below its package's folder; None of what is no page, or would be elsewhere."""
    path = PurePosixPath(name.removeprefix("./"))
    if path.suffix.lower() not in SUFFIXES or path.is_absolute() or ".." in path.parts:
        return None
    return path.relative_to(COMMON) if path.is_relative_to(COMMON) else path
