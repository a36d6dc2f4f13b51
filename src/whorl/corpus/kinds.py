"""What a file of a corpus is: a table of documents, or something that ``whorl.collection`` knows."""

from pathlib import Path
from typing import Literal

from whorl.collection.faults import damage
from whorl.collection.files import opened
from whorl.corpus.chunks import chunks

Table = Literal["jsonl", "parquet", "warc"]

_PACKED = ("", ".gz", ".zst")
_JSONL = tuple(name + packed for name in (".jsonl", ".ndjson") for packed in _PACKED)
_WARC = tuple(".warc" + packed for packed in _PACKED)
# Names that say little: datasets of JSONL are often called so, and so are other things.
_PERHAPS = tuple(".json" + packed for packed in _PACKED)

_PARQUET_MARK, _WARC_MARK = b"PAR1", b"WARC/"


def named(name: str) -> Table | None:
    """The kind of table that a name promises."""
    lower = name.lower()
    if lower.endswith(_JSONL):
        return "jsonl"
    if lower.endswith(_WARC):
        return "warc"
    return "parquet" if lower.endswith((".parquet", ".pq")) else None


def kind(path: Path, name: str, *, any_name: bool = False) -> Table | None:
    """The kind of a file by its name, and by its content if the name leaves it open or ``any_name`` is asked about."""
    if found := named(name):
        return found
    return _by_content(path) if any_name or name.lower().endswith(_PERHAPS) else None


def _by_content(path: Path) -> Table | None:
    with opened(path, follow=True) as file:
        if file.read(len(_PARQUET_MARK)) == _PARQUET_MARK:
            return "parquet"
        try:
            head = chunks(file).chunk()
        except damage():
            return None  # whoever reads it reports it
    if head.startswith(_WARC_MARK):
        return "warc"
    return "jsonl" if _objects(head) else None


def _objects(head: bytes) -> bool:
    """Whether two lines are an object each: an object in several lines, as people write JSON, has no two such lines."""
    lines = [line.strip() for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 2)[:2]]
    return len(lines) == 2 and all(line.startswith(b'{"') for line in lines) and lines[0].endswith(b"}")
