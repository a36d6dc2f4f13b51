"""The web pages of Debian packages as files: ``FOLDER/<release>/<package>/<path inside the package>``."""

import subprocess
import tarfile
from collections.abc import Iterator
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
    process = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE)
    with process, tarfile.open(fileobj=process.stdout, mode="r|") as members:
        for member in members:
            path = _inside(member.name)
            data = members.extractfile(member) if member.isreg() and path is not None else None
            if data is not None and path is not None:
                yield path, data.read()
    if process.returncode:
        raise SystemExit(f"{archive}: dpkg-deb cannot read it: delete it, and it is fetched again")


def _inside(name: str) -> PurePosixPath | None:
    """Where a page goes below its package's folder; None of what is no page, or would be elsewhere."""
    path = PurePosixPath(name.removeprefix("./"))
    if path.suffix.lower() not in SUFFIXES or path.is_absolute() or ".." in path.parts:
        return None
    return path.relative_to(COMMON) if path.is_relative_to(COMMON) else path
