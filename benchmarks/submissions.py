"""A class made of real code: source files cut at their top-level definitions into programs of a few kilobytes."""

import sysconfig
from collections.abc import Iterable, Iterator
from itertools import count, islice
from pathlib import Path

# Cut at the next definition after so many characters, the pieces of the standard library have 4 kB on average.
SIZE = 1800


def sources(folder: Path | None, extension: str = "py") -> list[Path]:
    """Return the files of a folder, or of the standard library; packages that are installed beside it are not in it."""
    root = folder or Path(sysconfig.get_path("stdlib"))
    return sorted(path for path in root.rglob(f"*.{extension}") if "site-packages" not in path.parts)


def programs(files: Iterable[Path], size: int = SIZE) -> Iterator[str]:
    """Pieces of the files, each of at least ``size`` characters and cut where a line begins with a letter."""
    for file in files:
        text = file.read_text("utf-8", "replace")
        piece = ""
        for line in text.splitlines(keepends=True):
            if len(piece) >= size and line[:1].isalpha():
                yield piece
                piece = ""
            piece += line


def write_class(folder: Path, number: int, files: list[Path], extension: str = "py") -> int:
    """Write ``number`` submissions, one file each; their size in bytes. When the files are used up they come again,
    cut elsewhere."""
    folder.mkdir(parents=True)
    rounds = (programs(files, SIZE + 10 * turn) for turn in count())
    written = 0
    for name, piece in enumerate(islice((piece for turn in rounds for piece in turn), number)):
        written += (folder / f"{name:06}.{extension}").write_text(piece, "utf-8")
    return written
