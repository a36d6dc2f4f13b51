"""What each row group of a Parquet file would take in memory: how many rows of it are read at a time, or why none are.

``plan`` runs in the sandbox: pyarrow ends the process where the figures of a damaged column are asked for. What it
has passed can be read in the process that needs it.

The file's own figures leave out that a dictionary has a value once and the rows have it again and again: a megabyte
in a dictionary becomes four gigabytes in four thousand rows. So the size of the dictionary is looked up in its page.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from whorl.corpus.parquet import arrow

# Bytes of text that a batch should have, and rows that it has at most. Some batches are held by the reader.
_BATCH_BYTES = 4 << 20
_BATCH_ROWS = 4096
# Bytes that a batch has if every row has all of the dictionary. Writers stop a dictionary at one megabyte.
_WORST_BYTES = 64 << 20

# The header of a page, in Thrift's compact form: three 32-bit fields come first (the kind and two sizes).
_FIELD = 0x15
_HEADER = 32
_IS_DICTIONARY = 2


def plan(path: bytes, needed: Sequence[str], free: int, ratio: int) -> list[tuple[int, int, str]]:
    """For each row group: its rows, how many of them are read at a time, and why it is refused, if it is."""
    _, pq = arrow()
    with Path(os.fsdecode(path)).open("rb") as file, pq.ParquetFile(file) as table:
        data = table.metadata
        leaves = [index for index in range(data.num_columns) if _is_needed(data.schema.column(index).path, needed)]
        groups = []
        for number in range(data.num_row_groups):
            group = data.row_group(number)
            columns = [group.column(index) for index in leaves]
            groups.append((group.num_rows, _batch_rows(file, group, columns), _refusal(columns, free, ratio)))
    return groups


def _is_needed(path: str, needed: Sequence[str]) -> bool:
    """Whether a column is read; a list has its values in a column below its own."""
    return path in needed or path.partition(".")[0] in needed


def _refusal(columns: Sequence[Any], free: int, ratio: int) -> str:
    for column in columns:
        if column.total_uncompressed_size > max(free, ratio * column.total_compressed_size):
            return f"perhaps a bomb: {column.path_in_schema!r} would grow more than {ratio} times"
    return ""


def _batch_rows(file: BinaryIO, group: Any, columns: Sequence[Any]) -> int:
    fitting: int = _BATCH_BYTES * group.num_rows // max(1, group.total_byte_size)
    for column in columns:
        if dictionary := _dictionary(file, column):
            fitting = min(fitting, _WORST_BYTES // dictionary)
    return max(1, min(_BATCH_ROWS, fitting))


def _dictionary(file: BinaryIO, column: Any) -> int:
    """Bytes of a column's dictionary; 0 without one. What cannot be made out counts as the worst."""
    places = [at for at in (column.dictionary_page_offset, column.data_page_offset) if at]
    if not places or min(places) < 0:
        return _WORST_BYTES
    file.seek(min(places))
    fields = _fields(file.read(_HEADER))
    if len(fields) < 2:
        return _WORST_BYTES
    return max(0, fields[1]) if fields[0] == _IS_DICTIONARY else 0


def _fields(header: bytes) -> list[int]:
    """The kind of a page and its unpacked size, or fewer if the header is not as it should be."""
    found, at = list[int](), 0
    while len(found) < 2 and at < len(header) and header[at] == _FIELD:
        number, shift, at = 0, 0, at + 1
        while at < len(header) and header[at] & 0x80:
            number |= (header[at] & 0x7F) << shift
            shift, at = shift + 7, at + 1
        if at == len(header):
            break
        number |= header[at] << shift
        found.append((number >> 1) ^ -(number & 1))  # zigzag
        at += 1
    return found
