"""The symbol of each code point: the frozen tables of ``unicode.bin``, equal on every machine and Python.

``tools/make_unicode_tables.py`` makes the file. It is read when a text is first canonicalised, never at import. Its
layout: a magic line, a line of JSON (versions, and the name, type and length of each array), then the arrays,
compressed by zlib. A table is stored as runs of code points: within a run, entries are equal (step 0) or grow by one
(step 1), so 90,000 ideographs that map to themselves take a dozen runs.
"""

import json
import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from whorl.errors import InputError
from whorl.kernel.constants import BINDS, Shapes

MAGIC = b"whorl unicode tables 1\n"
KINDS = ("characters", "words", "consonants")
CODE_POINTS = 0x110000
DENSE = 0x32000  # beyond it lies the end of the ideographs, then a handful of runs of equal entries, a million in all


@dataclass(frozen=True, slots=True, eq=False)
class CodePointTable:
    """The entries of one kind of symbol, for every code point and, in eight bits, for ASCII."""

    entries: NDArray[np.uint32]
    ascii: NDArray[np.uint8]


@cache
def table(kind: str) -> CodePointTable:
    """Return the table of a kind of symbol."""
    if kind not in KINDS:
        raise InputError(f"unknown kind of symbol {kind!r}: choose one of {', '.join(KINDS)}")
    starts, bases, steps = (_arrays()[f"{kind}.{column}"] for column in ("starts", "bases", "steps"))
    entries = np.zeros(CODE_POINTS, np.uint32)
    dense = int(np.searchsorted(starts, DENSE))
    end_of_dense = int(starts[dense])
    lengths = np.diff(starts[: dense + 1])
    bases_of, starts_of, steps_of = (np.repeat(column[:dense], lengths) for column in (bases, starts, steps))
    entries[:end_of_dense] = bases_of + (np.arange(end_of_dense, dtype=np.uint32) - starts_of) * steps_of
    for start, end, base in zip(starts[dense:], [*starts[dense + 1 :], CODE_POINTS], bases[dense:], strict=True):
        entries[start:end] = base
    return CodePointTable(entries, (entries[:256] & 0xFF).astype(np.uint8))


@cache
def spelling() -> NDArray[np.uint32]:
    """Return the entries of words without regard to position. Characters that map to nothing, such as a zero-width
    space, then belong to no segment."""
    arrays, entries = _arrays(), table("words").entries.copy()
    lengths = np.diff(arrays["offsets"])
    entries[arrays["expansion.codes"][lengths[arrays["expansion.numbers"]] == 0]] &= np.uint32(BINDS)
    return entries


@cache
def shapes() -> Shapes:
    """Return how code points decompose and compose."""
    arrays = _arrays()
    expansion = np.zeros(CODE_POINTS, np.uint16)
    expansion[arrays["expansion.codes"]] = arrays["expansion.numbers"]
    return Shapes(expansion, arrays["offsets"], arrays["pool"], arrays["pairs"], arrays["composites"])


@cache
def versions() -> dict[str, str]:
    """Return the versions of the Unicode data files that the tables were made from."""
    return dict(json.loads(_file().split(b"\n", 2)[1])["versions"])


@cache
def _arrays() -> dict[str, NDArray[np.unsignedinteger]]:
    _, header, body = _file().split(b"\n", 2)
    data, at, arrays = zlib.decompress(body), 0, {}
    for name, dtype, length in json.loads(header)["arrays"]:
        arrays[name] = np.frombuffer(data, dtype, length, at)
        at += arrays[name].nbytes
    return arrays


def _file() -> bytes:
    content = Path(__file__).with_name("unicode.bin").read_bytes()
    if not content.startswith(MAGIC):
        raise InputError("unicode.bin is not a table that this version of Whorl reads")
    return content
