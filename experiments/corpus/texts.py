"""The text of web pages as JSONL: ``id``, ``text`` and ``url`` of each page.

A smaller file is a part of a larger one. Which pages are in it is drawn by their names without numbers and without the
release: the versions of a page come together, and near-duplicates are as frequent in a small file as in a large one.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from experiments.corpus.pages import SUFFIXES
from whorl.formats.documents.frontend import HtmlFrontend
from whorl.model import Document

# Shorter texts are redirections and lists of frames.
SHORTEST = 200

# Pages that a worker is given at a time: some megabytes. Pages that are read before the next are asked for.
CHUNK, AHEAD = 64, 4096


@dataclass(frozen=True)
class Written:
    """How many texts are in a file, and how many bytes of text in UTF-8."""

    path: Path
    pages: int
    size: int


def drawn(folder: Path) -> list[str]:
    """Return all pages below a folder, by their names, in the order of the draw."""
    found = (path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())
    return sorted((path.relative_to(folder).as_posix() for path in found), key=lambda name: (lot(name), name))


def lot(name: str) -> bytes:
    """Equal for all versions of a page, and else at random."""
    release_apart = PurePosixPath(*PurePosixPath(name).parts[1:]).as_posix()
    return blake2b(re.sub(r"\d+(\.\d+)*", "", release_apart).encode("utf-8", "surrogateescape"), digest_size=8).digest()


def text(path: Path) -> str:
    """Return the text of a page, by Whorl's own front-end."""
    extracted = HtmlFrontend().extract(Document(path.name, path.read_bytes())).text
    # JSON in UTF-8 has no place for halves of characters.
    return extracted.encode("utf-8", "replace").decode("utf-8")


def write(folder: Path, target: Path, size: int, workers: int = 2) -> Written:
    """Return the texts of pages in the order of the draw, until there are ``size`` bytes of text."""
    return write_rows(_rows(folder, drawn(folder), workers), target, size)


def write_rows(rows: Iterable[dict[str, str]], target: Path, size: int) -> Written:
    """Rows until there are ``size`` bytes of text."""
    pages = written = 0
    with target.open("w", encoding="utf-8") as out:
        for row in rows:
            if written >= size:
                break
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
            pages, written = pages + 1, written + len(row["text"].encode())
    return Written(target, pages, written)


def read(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a file."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _rows(folder: Path, names: Sequence[str], workers: int) -> Iterator[dict[str, str]]:
    with ProcessPoolExecutor(workers) as pool:
        # Not all at once: those that ask stop when they have enough.
        for start in range(0, len(names), AHEAD):
            part = names[start : start + AHEAD]
            texts = pool.map(text, map(folder.joinpath, part), chunksize=CHUNK)
            for name, content in zip(part, texts, strict=True):
                if len(content) >= SHORTEST:
                    yield _row(name, content)


def _row(name: str, content: str) -> dict[str, str]:
    # Names of files are bytes; the few that are no UTF-8 are shown as such.
    shown = name.encode("utf-8", "backslashreplace").decode()
    return {"id": shown, "text": content, "url": f"file:///{shown}"}
