"""Extract the visible text of HTML by the roles of its elements."""

from codecs import BOM_UTF8
from collections.abc import Iterable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from whorl.formats.documents.extraction import Extracted
from whorl.formats.encoding import decode
from whorl.kernel import native_entities, native_html
from whorl.kernel.constants import BESIDE, BREAKS, END, ENDS, HIDES, MAIN, PLACE, RAW, ROLE, START, UNSEEN, VOID

LONGEST = 10  # letters of a name that has a key: six bits each, in 64
_DIGITS = 27  # the first code of a digit, after those of the letters

# Elements that stand on lines of their own, or in cells: by the standard's style sheet (section 15.3), and ``br``.
_BLOCKS = """
    address article aside blockquote body br caption center col colgroup dd details dialog dir div dl dt fieldset
    figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li link listing
    main menu meta nav ol optgroup option p plaintext pre search section select summary table tbody td template
    textarea tfoot th thead title tr ul xmp
"""
_ROLES = (
    (BREAKS, _BLOCKS),
    (RAW, "title textarea xmp"),
    # Not shown if scripts run.
    (RAW | UNSEEN, "script style noscript iframe noembed noframes"),
    (HIDES, "template"),
    (VOID, "area base br col embed hr img input link meta param source track wbr"),
    (BESIDE, "aside dialog footer form header menu nav search"),
    (MAIN, "main"),
)


def key(name: bytes) -> int:
    """Return a number for a name in any case; 0 if it is too long or has more than letters and digits of ASCII."""
    if len(name) > LONGEST or not name.isalnum():
        return 0
    packed = 0
    for letter in name:
        packed = packed << 6 | (letter & 31 if letter >= ord("A") else letter - ord("0") + _DIGITS)
    return packed


@cache
def elements() -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    """Return the keys of all elements that have a role, and their roles."""
    roles: dict[int, int] = {}
    for role, names in _ROLES:
        for name in names.encode().split():
            roles[key(name)] = roles.get(key(name), 0) | role
    return np.array([*roles], np.uint64), np.array([*roles.values()], np.uint8)


def closings(tags: Iterable[tuple[int, bytes, bool]]) -> dict[int, int]:
    """Return where elements end: the number of each start tag mapped to that of its end tag. A tag is its number, its
    name in lower case, and whether it is an end tag. An end tag closes the last open start tag of its name. Elements
    that are never closed are left out."""
    places: dict[int, int] = {}
    opened: dict[bytes, list[int]] = {}
    for number, name, ends in tags:
        if not ends:
            opened.setdefault(name, []).append(number)
        elif starts := opened.get(name):
            places[starts.pop()] = number
    return places


_REPLACEMENT = "\ufffd".encode()  # what the standard's tokenizer reads for NUL


def extract(data: bytes | str, main_only: bool = False) -> Extracted:
    """Return the visible text of a page; with ``main_only``, only its main content."""
    page = _utf8(data).replace(b"\0", _REPLACEMENT)
    text, tags = native_html.visible(np.frombuffer(page, np.uint8), *elements())
    text = native_entities.resolve(_shown(page, text, tags, main_only))
    return Extracted(text.tobytes().decode("utf-8", "surrogatepass").strip())


def _utf8(data: bytes | str) -> bytes:
    """Return the page in UTF-8, as most pages are."""
    if isinstance(data, bytes):
        decoded = decode(data)
        if decoded.encoding == "utf-8" and decoded.replaced == 0:
            return data.removeprefix(BOM_UTF8)
        data = decoded.text
    return data.encode("utf-8", "surrogatepass")


def _shown(page: bytes, text: NDArray[np.uint8], tags: NDArray[np.int64], main_only: bool) -> NDArray[np.uint8]:
    """Return the text without hidden parts; with ``main_only``, only that of the main elements or, if there are none,
    without the elements whose names place them beside the content."""
    starts, ends = _elements(page, tags, HIDES | BESIDE | MAIN if main_only else HIDES)
    if not len(starts):
        return text
    roles = starts[:, ROLE]
    spans = starts[:, PLACE] + (starts[:, ROLE] & BREAKS), ends[:, PLACE]  # without the line ends that the tags became
    hidden, main, beside = (roles & role != 0 for role in (HIDES, MAIN, BESIDE))
    if not main_only:
        return text[~_covered(len(text), *spans, hidden)]
    if not main.any():
        return text[~_covered(len(text), *spans, hidden | beside)]
    whole = starts[:, PLACE], ends[:, PLACE] + (ends[:, ROLE] & BREAKS)
    return text[_covered(len(text), *whole, main) & ~_covered(len(text), *spans, hidden)]


def _elements(page: bytes, tags: NDArray[np.int64], roles: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the start tags and the end tags of all closed elements that have one of the roles."""
    numbers = _namesakes(page, tags, roles)
    if not numbers:
        return tags[:0], tags[:0]
    rows = zip(numbers, tags[numbers, :PLACE].tolist(), strict=True)
    closed = closings((number, page[start:end].lower(), bool(role & ENDS)) for number, (start, end, role) in rows)
    starts, ends = tags[[*closed.keys()]], tags[[*closed.values()]]
    wanted = starts[:, ROLE] & roles != 0
    return starts[wanted], ends[wanted]


def _namesakes(page: bytes, tags: NDArray[np.int64], roles: int) -> list[int]:
    """Return the numbers of the tags that may have the name of one with these roles: the first letter and the
    length."""
    wanted = tags[:, ROLE] & roles != 0
    if not wanted.any():
        return []
    shapes = (np.frombuffer(page, np.uint8)[tags[:, START]] & 31) + 32 * (tags[:, END] - tags[:, START])
    numbers: list[int] = np.flatnonzero(np.isin(shapes, np.unique(shapes[wanted]))).tolist()
    return numbers


def _covered(
    length: int, starts: NDArray[np.int64], ends: NDArray[np.int64], wanted: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return which positions of a text are in at least one of the wanted ranges."""
    depth = np.zeros(length + 1, np.int32)
    np.add.at(depth, starts[wanted], 1)
    np.subtract.at(depth, ends[wanted], 1)
    return np.cumsum(depth[:length], dtype=np.int32) > 0
