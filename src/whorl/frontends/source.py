"""Where the bytes of a document are: in memory or in a file, read block by block and more than once."""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from whorl.errors import DocumentError

BLOCK = 1 << 20  # large enough that a block's overhead does not count, small enough for the cache


class Source:
    """Bytes that can be read from anywhere. What is no regular file, such as a pipe, is read once and held."""

    def __init__(self, content: bytes | Path) -> None:
        if not isinstance(content, bytes | Path):
            raise DocumentError(f"a document is a string, bytes or a path, not a {type(content).__name__}")
        self._path = content if isinstance(content, Path) else None
        self._file: BinaryIO | None = None
        self._data = b"" if isinstance(content, Path) else content
        if self._path is not None:
            self._open(self._path)

    def _open(self, path: Path) -> None:
        try:
            file = path.open("rb")
            if path.is_file():
                self._file = file
                return
            with file:
                self._data = file.read()
        except OSError as error:
            raise _unreadable(path, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def read(self, at: int, size: int) -> bytes:
        """Up to ``size`` bytes from ``at`` on; fewer only at the end."""
        if self._file is None:
            return self._data[at : at + size]
        try:
            self._file.seek(at)
            return self._file.read(size)
        except OSError as error:
            raise _unreadable(self._path, error) from error

    def blocks(self, start: int = 0, size: int = BLOCK) -> Iterator[bytes]:
        """All from ``start`` on."""
        while block := self.read(start, size):
            yield block
            start += len(block)


def held(content: str | bytes | Path) -> str | bytes:
    """All of a document's content; a file is read."""
    if not isinstance(content, Path):
        return content
    with Source(content) as source:
        return b"".join(source.blocks())


def _unreadable(path: Path | None, error: OSError) -> DocumentError:
    return DocumentError(f"cannot read {path}: {error.strerror or error}")
