"""Find hidden text: hidden by inline styles in HTML, by its colour or drawing mode in PDF."""

import ctypes
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from whorl.errors import DocumentError
from whorl.formats.documents.extraction import in_worker
from whorl.formats.encoding import decode

# Maximum length of a tag, in characters.
LONGEST_TAG = 4000

# Innermost open elements among which an end tag looks for its start: pages nest less, and it bounds the cost.
DEPTH = 64

_TAG = re.compile(rf"<(/?)([A-Za-z][A-Za-z0-9]*+)([^<>]{{0,{LONGEST_TAG}}}+)>")
_STYLE = re.compile(r"""\bstyle\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')""", re.IGNORECASE)
_COLOUR = re.compile(r"""\b(color|bgcolor)\s*+=\s*+["']?([#\w]+)""", re.IGNORECASE)
_WHITE = re.compile(r"white|#fff|#ffffff|#f[c-f]f[c-f]f[c-f]|rgba?\(25[2-5],25[2-5],25[2-5](?:,[\d.]+)?\)")
_GONE = re.compile(
    r"(?:^|;)(?:display:none|visibility:hidden|opacity:0(?:\.0*)?|font-size:[01](?:px|pt|em|%)?)(?=;|!|$)"
)
_AWAY = re.compile(r"(?:^|;)(?:text-indent|left|top):-\d{3,}")
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())  # noqa: SIM905
_UNREAD = frozenset({"script", "style", "title", "head", "template"})


@dataclass(slots=True)
class _Element:
    name: str
    hides: bool
    unread: bool
    backed: bool


def unseen_in_html(page: str) -> tuple[str, ...]:
    """Return the pieces of text inside elements that inline styles hide."""
    open_elements: list[_Element] = []
    pieces: list[str] = []
    at = 0
    for tag in _TAG.finditer(page):
        pieces += _hidden_piece(page[at : tag.start()], open_elements)
        at = tag.end()
        name = tag[2].lower()
        if tag[1]:
            _close(name, open_elements)
        elif name not in _VOID and not tag[3].endswith("/"):
            open_elements.append(_element(name, tag[3], open_elements))
    return tuple(pieces)


def _hidden_piece(text: str, open_elements: list[_Element]) -> list[str]:
    last = open_elements[-1] if open_elements else None
    piece = " ".join(text.split()) if last is not None and last.hides and not last.unread else ""
    return [piece] if piece else []


def _element(name: str, attributes: str, open_elements: list[_Element]) -> _Element:
    """Return the element of a start tag, with the properties it inherits."""
    outer = open_elements[-1] if open_elements else _Element("", False, False, False)
    style = _style(attributes)
    backed = outer.backed or _is_backed(style)
    is_white = bool(_WHITE.fullmatch(style.get("color", ""))) and not backed
    whole = ";".join(f"{key}:{value}" for key, value in style.items())
    hides = outer.hides or is_white or bool(_GONE.search(whole) or _AWAY.search(whole))
    return _Element(name, hides, outer.unread or name in _UNREAD, backed)


def _style(attributes: str) -> dict[str, str]:
    """Return the declarations of an element and its old colour attributes, in lower case and without blanks."""
    declarations = {
        {"color": "color", "bgcolor": "background"}[key.lower()]: value.lower()
        for key, value in _COLOUR.findall(attributes)
    }
    for quoted in _STYLE.findall(attributes):
        for declaration in "".join((quoted[0] or quoted[1]).split()).lower().split(";"):
            key, _, value = declaration.partition(":")
            declarations[key] = value.removesuffix("!important")
    return declarations


def _is_backed(style: dict[str, str]) -> bool:
    """Return whether the background of the text is not white."""
    behind = style.get("background", "") + style.get("background-color", "")
    return bool(behind) and not _WHITE.fullmatch(behind) and behind not in ("none", "transparent", "inherit")


def _close(name: str, open_elements: list[_Element]) -> None:
    """Close the innermost open element of this name, and all inside it."""
    if any(element.name == name for element in reversed(open_elements[-DEPTH:])):
        while open_elements.pop().name != name:
            pass


TARGET = f"{__name__}:unseen_runs"

# Processor time of a worker, in seconds: enough for hundreds of pages, and within the sandbox's limit.
SECONDS = 2.0

# Maximum length of a run, in code points, and maximum number of runs: a person reads an example.
LONGEST_RUN, MOST_RUNS = 2000, 200

# PDFium's constants: text objects, and the invisible mode (FPDF_TEXTRENDERMODE_INVISIBLE).
TEXT, INVISIBLE = 1, 3

# Minimum of red, green and blue that is white on paper.
WHITE = 252


def unseen_in_pdf(data: bytes) -> tuple[str, ...]:
    """Return the hidden runs of text. Raise DocumentError if the PDF cannot be read."""
    runs: list[str] = in_worker(TARGET, data)
    return tuple(runs)


def unseen_runs(data: bytes) -> list[str]:
    """Return the hidden runs of the first pages, within the time limit. Runs in a worker."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise DocumentError(f"not a PDF, or damaged: {error}") from error
    end = time.process_time() + SECONDS
    runs: list[str] = []
    for number in range(len(document)):
        try:
            runs += _hidden_runs(document[number])
        except pypdfium2.PdfiumError:
            continue  # a damaged page is reported when the document is read
        if time.process_time() > end or len(runs) >= MOST_RUNS:
            break
    return runs[:MOST_RUNS]


def _hidden_runs(page: Any) -> list[str]:
    runs = list(_runs(page))
    seen = [text for text, mode, _ in runs if mode != INVISIBLE and text]
    return [text for text, mode, white in runs if text and (white or (mode == INVISIBLE and seen))]


def _runs(page: Any) -> Iterator[tuple[str, int, bool]]:
    """Yield the text objects of a page: text, mode, and whether it is white."""
    from pypdfium2 import raw

    layer = page.get_textpage()
    for item in page.get_objects(filter=[TEXT]):
        size = raw.FPDFTextObj_GetText(item, layer, None, 0)
        buffer = ctypes.create_string_buffer(min(size, 2 * LONGEST_RUN))
        raw.FPDFTextObj_GetText(item, layer, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), len(buffer))
        text = buffer.raw.decode("utf-16-le", "ignore").rstrip("\0").strip()
        yield text, raw.FPDFTextObj_GetTextRenderMode(item), _is_white(item)


def _is_white(item: Any) -> bool:
    from pypdfium2 import raw

    colour = [ctypes.c_uint() for _ in range(4)]
    is_known = raw.FPDFPageObj_GetFillColor(item, *(ctypes.byref(part) for part in colour))
    return bool(is_known) and all(part.value >= WHITE for part in colour[:3])


def hidden_text(data: bytes | str, format_name: str) -> tuple[str, ...]:
    """Return the hidden pieces of a document's text; none for a format without pages.

    Raise DocumentError if the document cannot be read.
    """
    if format_name == "html":
        return unseen_in_html(data if isinstance(data, str) else decode(data).text)
    if format_name == "pdf" and isinstance(data, bytes):
        return unseen_in_pdf(data)
    return ()
