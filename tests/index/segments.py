"""Segments for tests: made of rows of (hash, document, place), and read back as such."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from tests.killing import lived
from whorl.storage import segment_writer
from whorl.storage.postings import Postings
from whorl.storage.segment_writer import write_segment
from whorl.storage.segments import Segment

LAST = 2**64 - 1

hashes = st.integers(0, 5) | st.integers(LAST - 5, LAST) | st.integers(0, LAST)
numbers = st.integers(0, 3) | st.integers(0, 2**32 - 1)
runs = st.lists(st.tuples(hashes, numbers, numbers), max_size=60)


def postings(rows) -> Postings:
    shaped = np.array(sorted(rows), np.uint64).reshape(-1, 3)
    return Postings(shaped[:, 0].copy(), shaped[:, 1].astype(np.uint32), shaped[:, 2].astype(np.uint32))


def rows_of(parts) -> list[tuple[int, int, int]]:
    return [
        row
        for part in parts
        for row in zip(part.hashes.tolist(), part.documents.tolist(), part.places.tolist(), strict=True)
    ]


def write(path: Path, rows, *, expected: int | None = None, parts=None) -> Path:
    documents = [row[1] for row in rows] or [0]
    write_segment(
        path,
        [postings(rows)] if parts is None else parts,
        expected=len(rows) if expected is None else expected,
        documents=(min(documents), max(documents)),
        scheme="0123456789ab",
        key="public",
    )
    return path


def content(folder: Path, rows, expected: int | None = None) -> bytes:
    return write(folder / "made.seg", rows, expected=expected).read_bytes()


def random_rows(count: int, seed: int = 1) -> list[tuple[int, int, int]]:
    """Uniform hashes, of which about a fifth occur twice."""
    draw = np.random.default_rng(seed)
    values = draw.integers(0, 2**64, count, dtype=np.uint64)
    values[: count // 6] = values[-(count // 6) or count :]
    return sorted(
        zip(values.tolist(), draw.integers(0, 999, count).tolist(), draw.integers(0, 9999, count).tolist(), strict=True)
    )


def answers(segment: Segment, rows) -> list[tuple[int, int, int]]:
    """What a look-up of all hashes of the rows gives."""
    asked = np.unique(np.array([row[0] for row in rows], np.uint64))
    found = segment.look_up(asked)
    return list(zip(asked[found.which].tolist(), found.documents.tolist(), found.places.tolist(), strict=True))


def kill_writers(folder: Path, points: Sequence[str]) -> None:
    """Write a segment beside another one in a process for each point, which kills it there. Each point's files are in
    a folder of its name."""
    segment_writer.BUFFERED = 9000
    rows = random_rows(9000)
    write(folder / "old.seg", rows)
    for name in points:
        (folder / name).mkdir()
        shutil.copy(folder / "old.seg", folder / name)

        def work(_: int, path: Path = folder / name / "new.seg") -> None:
            write(path, rows)

        was_killed, _ = lived(work, name)
        assert was_killed, name
