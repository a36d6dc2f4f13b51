"""HTML to the text that a reader sees: tags and what is hidden dropped, entities resolved.

Block elements part words and inline ones do not: ``<b>w</b>ord`` is one word. What a tag is, is the matter of the
kernel; what an element means, that of ``tags``; what a word is, that of the text front-end. What style sheets and
scripts hide is not known here.
"""

from codecs import BOM_UTF8

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.frontends.documents.extracted import Extracted
from whorl.frontends.documents.tags import closings, elements
from whorl.frontends.encoding import decode
from whorl.kernel.twin_html import BESIDE, BREAKS, END, ENDS, HIDES, MAIN, PLACE, ROLE, START

_REPLACEMENT = "\ufffd".encode()  # what the standard's tokenizer reads for NUL


def extract(data: bytes | str, main_only: bool = False) -> Extracted:
    """The visible text of a page; with ``main_only``, without what stands beside the main content."""
    page = _utf8(data).replace(b"\0", _REPLACEMENT)
    text, tags = kernel.html().visible(np.frombuffer(page, np.uint8), *elements())
    text = kernel.entities().resolve(_shown(page, text, tags, main_only))
    return Extracted(text.tobytes().decode("utf-8", "surrogatepass").strip())


def _utf8(data: bytes | str) -> bytes:
    """The page in UTF-8, as most pages are."""
    if isinstance(data, bytes):
        decoded = decode(data)
        if decoded.encoding == "utf-8" and decoded.replaced == 0:
            return data.removeprefix(BOM_UTF8)
        data = decoded.text
    return data.encode("utf-8", "surrogatepass")


def _shown(page: bytes, text: NDArray[np.uint8], tags: NDArray[np.int64], main_only: bool) -> NDArray[np.uint8]:
    """The text without what is hidden; with ``main_only``, without what is outside the main elements or, if there are
    none, without the elements that are beside the content by their name."""
    starts, ends = _elements(page, tags, HIDES | BESIDE | MAIN if main_only else HIDES)
    if not len(starts):
        return text
    roles = starts[:, ROLE]
    held = starts[:, PLACE] + (starts[:, ROLE] & BREAKS), ends[:, PLACE]  # without the line ends that the tags became
    hidden, main, beside = (roles & role != 0 for role in (HIDES, MAIN, BESIDE))
    if not main_only:
        return text[~_covered(len(text), *held, hidden)]
    if not main.any():
        return text[~_covered(len(text), *held, hidden | beside)]
    whole = starts[:, PLACE], ends[:, PLACE] + (ends[:, ROLE] & BREAKS)
    return text[_covered(len(text), *whole, main) & ~_covered(len(text), *held, hidden)]


def _elements(page: bytes, tags: NDArray[np.int64], roles: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The start tags and the end tags of all closed elements that have one of the roles."""
    numbers = _namesakes(page, tags, roles)
    if not numbers:
        return tags[:0], tags[:0]
    rows = zip(numbers, tags[numbers, :PLACE].tolist(), strict=True)
    closed = closings((number, page[start:end].lower(), bool(role & ENDS)) for number, (start, end, role) in rows)
    starts, ends = tags[[*closed.keys()]], tags[[*closed.values()]]
    wanted = starts[:, ROLE] & roles != 0
    return starts[wanted], ends[wanted]


def _namesakes(page: bytes, tags: NDArray[np.int64], roles: int) -> list[int]:
    """The numbers of the tags that may have the name of one with these roles: the first letter and the length."""
    wanted = tags[:, ROLE] & roles != 0
    if not wanted.any():
        return []
    shapes = (np.frombuffer(page, np.uint8)[tags[:, START]] & 31) + 32 * (tags[:, END] - tags[:, START])
    numbers: list[int] = np.flatnonzero(np.isin(shapes, np.unique(shapes[wanted]))).tolist()
    return numbers


def _covered(
    length: int, starts: NDArray[np.int64], ends: NDArray[np.int64], wanted: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which places of a text are in one of the wanted ranges, or in several."""
    depth = np.zeros(length + 1, np.int32)
    np.add.at(depth, starts[wanted], 1)
    np.subtract.at(depth, ends[wanted], 1)
    return np.cumsum(depth[:length], dtype=np.int32) > 0
