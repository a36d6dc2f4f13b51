"""Find hidden text, which is in a document and not seen on its pages: white, tiny, outside of the page, or hidden by a
style of HTML or a drawing mode of PDF."""

import ctypes
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from math import ceil, floor
from typing import Any

from whorl.errors import DocumentError
from whorl.formats.documents.extraction import in_worker
from whorl.formats.documents.package import Attributes, Package, attribute, local, main_part, parse
from whorl.formats.documents.rtf import runs as rtf_runs
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
_CLASS = re.compile(r"""\b(?:class|id)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""", re.IGNORECASE)
_BRACE = re.compile("[{}]")
_SELECTOR = re.compile(r"(?:[a-z][a-z0-9]*+)?+(?:[.#][\w-]++)?+|\*")
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())  # noqa: SIM905
_UNREAD = frozenset({"script", "style", "title", "head", "template"})


@dataclass(slots=True)
class _Element:
    name: str
    hides: bool
    unread: bool
    backed: bool


# The declarations of a style sheet by selector: of an element, a class or a number, alone or as ``p.name``.
_Sheet = Mapping[str, Mapping[str, str]]


def unseen_in_html(page: str, *, sheets: bool = False) -> tuple[str, ...]:
    """Return the pieces of text inside elements that inline styles hide. With ``sheets``, add what the style sheet in
    the page hides, which a script may show, and leave out what is not displayed, which is never extracted."""
    sheet = _sheet(page) if sheets else None
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
            open_elements.append(_element(name, tag[3], open_elements, sheet))
    return tuple(pieces)


def _hidden_piece(text: str, open_elements: list[_Element]) -> list[str]:
    last = open_elements[-1] if open_elements else None
    piece = " ".join(text.split()) if last is not None and last.hides and not last.unread else ""
    return [piece] if piece else []


def _element(name: str, attributes: str, open_elements: list[_Element], sheet: _Sheet | None) -> _Element:
    """Return the element of a start tag, with the properties it inherits."""
    outer = open_elements[-1] if open_elements else _Element("", False, False, False)
    own = _style(attributes)
    style = {**_by_sheet(name, attributes, sheet), **own} if sheet else own
    unread = name in _UNREAD or (sheet is not None and own.get("display") == "none")
    backed = outer.backed or _is_backed(style)
    is_white = bool(_WHITE.fullmatch(style.get("color", ""))) and not backed
    whole = ";".join(f"{key}:{value}" for key, value in style.items())
    hides = outer.hides or is_white or bool(_GONE.search(whole) or _AWAY.search(whole))
    return _Element(name, hides, outer.unread or unread, backed)


def _style(attributes: str) -> dict[str, str]:
    """Return the declarations of an element and its old colour attributes, in lower case and without blanks."""
    declarations = {
        {"color": "color", "bgcolor": "background"}[key.lower()]: value.lower()
        for key, value in _COLOUR.findall(attributes)
    }
    for quoted in _STYLE.findall(attributes):
        declarations |= _declarations(quoted[0] or quoted[1])
    return declarations


def _declarations(text: str) -> dict[str, str]:
    pairs = (declaration.partition(":") for declaration in "".join(text.split()).lower().split(";"))
    return {key: value.removesuffix("!important") for key, _, value in pairs}


def _by_sheet(name: str, attributes: str, sheet: _Sheet) -> dict[str, str]:
    """Return the declarations that the style sheet gives an element."""
    named = [mark for values in _CLASS.findall(attributes) for mark in "".join(values).split()]
    marks = [sign + mark for mark in named for sign in ".#"]
    selectors = ["*", name, *marks, *(name + mark for mark in marks)]
    return {key: value for selector in selectors for key, value in sheet.get(selector, {}).items()}


def _sheet(page: str) -> dict[str, dict[str, str]]:
    """Return the simple rules of the style sheets in a page. Those of a medium, such as paper, are left out."""
    rules: dict[str, dict[str, str]] = {}
    lower, behind = page.lower(), 0
    for tag in _TAG.finditer(page):
        end = lower.find("</style", tag.end()) if tag[2].lower() == "style" and not tag[1] else -1
        if tag.start() >= behind and end >= 0:
            behind = end
            for selectors, declarations in _rules(page[tag.end() : end]):
                for selector in selectors.split(","):
                    if _SELECTOR.fullmatch(selector.strip()):
                        rules.setdefault(selector.strip(), {}).update(declarations)
    return rules


def _rules(sheet: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the selectors and the declarations of each rule outside of other rules."""
    first, *others = sheet.split("/*")
    text = first + "".join(comment.partition("*/")[2] for comment in others)
    depth = start = 0
    selectors = ""
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            selectors = selectors if depth else text[start : brace.start()]
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0 and not selectors.strip().startswith("@"):
                yield selectors, _declarations(text[start : brace.start()])
        start = brace.end()


def _is_backed(style: dict[str, str]) -> bool:
    """Return whether the background of the text is not white."""
    behind = style.get("background", "") + style.get("background-color", "")
    return bool(behind) and not _WHITE.fullmatch(behind) and behind not in ("none", "transparent", "inherit")


def _close(name: str, open_elements: list[_Element]) -> None:
    """Close the innermost open element of this name, and all inside it."""
    if any(element.name == name for element in reversed(open_elements[-DEPTH:])):
        while open_elements.pop().name != name:
            pass


# Processor time of a worker for the pages of a PDF, in seconds: enough for hundreds of pages, and within the sandbox's
# limit.
SECONDS = 2.0

# Maximum length of a text object, and maximum amount of hidden text, in code points.
LONGEST_RUN, MOST_CHARACTERS = 2000, 400_000

# PDFium's constants: text objects, and the invisible mode (FPDF_TEXTRENDERMODE_INVISIBLE).
TEXT, INVISIBLE = 1, 3

# Minimum of red, green and blue that is white on paper.
WHITE = 252

# Height of a font in points that nobody can read.
TINY = 1.5

# Share of the pixels around white text that are white if it is hidden; the letters alone are less.
BLANK = 0.8

# Maximum difference of two pixels of a picture in which there is nothing to see.
FLAT = 32


def unseen_runs(data: bytes) -> list[str]:
    """Return the hidden lines of a PDF's first pages, within the time limit. Runs in a worker."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise DocumentError(f"not a PDF, or damaged: {error}") from error
    end = time.process_time() + SECONDS
    pieces: list[str] = []
    for number in range(len(document)):
        try:
            pieces += _hidden_lines(document[number])
        except pypdfium2.PdfiumError:
            continue  # a damaged page is reported when the document is read
        if time.process_time() > end or sum(map(len, pieces)) >= MOST_CHARACTERS:
            break
    return pieces


@dataclass(slots=True)
class _Run:
    """A text object of a page. Some programs write one for each letter."""

    text: str
    mode: int
    bottom: float
    hides: bool


def _hidden_lines(page: Any) -> list[str]:
    runs = list(_runs(page))
    has_seen = any(run.mode != INVISIBLE and run.text.strip() for run in runs)  # else it is a scan and its text
    lines = []
    for _, group in groupby(_numbered(runs, has_seen), key=lambda pair: pair[0]):
        line = "".join(run.text for _, run in group if run.hides)
        lines += [" ".join(line.split())] if line.strip() else []
    return lines


def _numbered(runs: Iterable[_Run], has_seen: bool) -> Iterator[tuple[int, _Run]]:
    """Yield the runs, each with the number of its stretch: hidden or not, on one line. Blanks end no stretch."""
    number, before = 0, None
    for run in runs:
        run.hides = run.hides and (has_seen or run.mode != INVISIBLE)
        if run.text.strip():
            if before is not None and (run.hides, round(run.bottom)) != (before.hides, round(before.bottom)):
                number += 1
            before = run
        elif before is not None:
            run.hides = before.hides
        yield number, run


def _runs(page: Any) -> Iterator[_Run]:
    """Yield the text objects of a page, in order."""
    from pypdfium2 import raw

    layer, picture = page.get_textpage(), _Picture(page)
    for item in page.get_objects(filter=[TEXT]):
        size = raw.FPDFTextObj_GetText(item, layer, None, 0)
        buffer = ctypes.create_string_buffer(min(size, 2 * LONGEST_RUN))
        raw.FPDFTextObj_GetText(item, layer, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), len(buffer))
        text = buffer.raw.decode("utf-16-le", "ignore").rstrip("\0")
        mode, matrix, height = raw.FPDFTextObj_GetTextRenderMode(item), item.get_matrix(), ctypes.c_float()
        raw.FPDFTextObj_GetFontSize(item, height)
        is_tiny = abs(height.value) * max(abs(matrix.c), abs(matrix.d)) < TINY
        hides = bool(text.strip()) and (
            is_tiny
            or picture.is_outside(item)
            or (mode == INVISIBLE and picture.is_flat(item))
            or (_is_white(item) and picture.is_white(item))
        )
        yield _Run(text, mode, matrix.f, hides)


def _is_white(item: Any) -> bool:
    from pypdfium2 import raw

    colour = [ctypes.c_uint() for _ in range(4)]
    is_known = raw.FPDFPageObj_GetFillColor(item, *(ctypes.byref(part) for part in colour))
    return bool(is_known) and all(part.value >= WHITE for part in colour[:3])


class _Picture:
    """A page as it is seen, a pixel for each point. It is drawn when it is first asked for. The places of objects
    inside of forms are unknown: nothing is around them."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._pixels: Any = None
        self._width, self._height = (max(1, round(side)) for side in page.get_size())

    def is_outside(self, item: Any) -> bool:
        """Return whether an object lies outside of the page."""
        if item.level:
            return False
        left, top, right, bottom = self._box(item)
        return right <= 0 or bottom <= 0 or left >= self._width or top >= self._height

    def is_white(self, item: Any) -> bool:
        """Return whether the page is white around an object."""
        pixels = self._around(item)
        return pixels is None or (pixels.min(axis=2) >= WHITE).mean() >= BLANK

    def is_flat(self, item: Any) -> bool:
        """Return whether nothing is seen around an object."""
        pixels = self._around(item)
        return pixels is None or int(pixels.max()) - int(pixels.min()) < FLAT

    def _around(self, item: Any) -> Any:
        """Return the pixels of an object and of its edge; None if there are none."""
        if item.level:
            return None
        left, top, right, bottom = self._box(item)
        if self._pixels is None:
            self._pixels = self._page.render(scale=1).to_numpy()[:, :, :3]
        pixels = self._pixels[max(0, floor(top) - 1) : ceil(bottom) + 1, max(0, floor(left) - 1) : ceil(right) + 1]
        return pixels if pixels.size else None

    def _box(self, item: Any) -> tuple[float, float, float, float]:
        """Return the box of an object in pixels: left, top, right, bottom."""
        from pypdfium2 import raw

        left, bottom, right, top = item.get_bounds()
        corners = []
        for x, y in ((left, bottom), (right, top)):
            across, down = ctypes.c_int(), ctypes.c_int()
            raw.FPDF_PageToDevice(self._page, 0, 0, self._width, self._height, 0, x, y, across, down)
            corners.append((across.value, down.value))
        (x1, y1), (x2, y2) = corners
        return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)


# Elements of Word's: those whose shading is behind their text, what is not read, and boxes of any colour.
_SHADED, _DROPPED, _BOXES = ("tbl", "tc", "p", "r"), ("del", "moveFrom", "Fallback", "rt"), ("txbxContent",)


class _WordRuns:
    """The runs of a Word document, each with whether it is white on white or tiny."""

    def __init__(self) -> None:
        self.runs: list[tuple[str, bool]] = []
        self._backed: list[bool] = [False]  # for each open element that can have a background, outermost first
        self._is_white = self._is_tiny = self._is_text = False
        self._dropped = 0

    def start(self, element: str, attributes: Attributes) -> None:
        name = local(element)
        if self._dropped or name in _DROPPED:
            self._dropped += 1
        elif name in _SHADED or name in _BOXES:
            self._backed.append(name in _BOXES)
            self._is_white = self._is_tiny = False
        elif name == "color":
            self._is_white = _is_light(attribute(attributes, "val"))
        elif name == "sz":
            self._is_tiny = attribute(attributes, "val") in ("0", "1", "2", "3")
        elif name in ("shd", "highlight", "background", "tblStyle"):
            fill = next((value for key in ("fill", "val", "color") if (value := attribute(attributes, key))), "")
            # A style of tables may shade their cells.
            is_none = fill in ("", "auto", "clear", "nil", "none")
            self._backed[-1] |= name == "tblStyle" or not (is_none or _is_light(fill))
        elif name == "t":
            self._is_text = True

    def end(self, element: str) -> None:
        name = local(element)
        if self._dropped:
            self._dropped -= 1
        elif name in _SHADED or name in _BOXES:
            self._backed.pop()
        elif name == "t":
            self._is_text = False

    def data(self, text: str) -> None:
        if self._is_text and not self._dropped:
            self.runs.append((text, self._is_tiny or (self._is_white and not any(self._backed))))


def _is_light(colour: str) -> bool:
    """Return whether a colour in hexadecimal digits is white on paper."""
    return len(colour) == 6 and re.fullmatch("(?:f[c-f]){3}", colour.lower()) is not None


def unseen_in_docx(data: bytes) -> list[str]:
    """Return the hidden pieces of a Word document's main text. Runs in a worker."""
    package, words = Package(data), _WordRuns()
    parse(package.blocks(main_part(package, "word/document.xml")), words.start, words.end, words.data)
    return _joined(words.runs)


_COLOUR_TABLE = re.compile(r"\{\\colortbl([^{}]*+)\}")
_BACKGROUND = re.compile(r"\\(?:cb|chcbpat|cbpat|clcbpat|highlight)[1-9]")


def unseen_in_rtf(data: bytes | str) -> list[str]:
    """Return the hidden pieces of rich text. Runs in a worker."""
    source = data if isinstance(data, str) else data.decode("latin-1")
    table = _COLOUR_TABLE.search(source)
    colours = table[1].split(";") if table and not _BACKGROUND.search(source) else []
    levels = [[int(level) for level in re.findall(r"\\(?:red|green|blue)(\d{1,3})", colour)] for colour in colours]
    white = {number for number, parts in enumerate(levels) if len(parts) == 3 and min(parts) >= WHITE}
    return _joined((text, colour in white or size < 2 * TINY) for text, colour, size in rtf_runs(data))


def _joined(runs: Iterable[tuple[str, bool]]) -> list[str]:
    """Return the hidden pieces among runs that are hidden or not. Blanks end no piece."""
    pieces: list[list[str]] = []
    was_hidden = False
    for text, is_hidden in runs:
        is_blank = not text.strip()
        if is_hidden and not was_hidden and not is_blank:
            pieces.append([])
        was_hidden = was_hidden if is_blank else is_hidden
        if was_hidden:
            pieces[-1].append(text)
    return [" ".join("".join(piece).split()) for piece in pieces]


# Formats whose text can be hidden, and what finds it in a worker.
FORMATS = {"docx": "unseen_in_docx", "html": "", "pdf": "unseen_runs", "rtf": "unseen_in_rtf"}


def hidden_text(data: bytes | str, format_name: str, *, sheets: bool = False) -> tuple[str, ...]:
    """Return the hidden pieces of a document's text; none for a format without pages. ``sheets`` is as for
    ``unseen_in_html``.

    Raise DocumentError if the document cannot be read.
    """
    if format_name == "html":
        return unseen_in_html(data if isinstance(data, str) else decode(data).text, sheets=sheets)
    if format_name in FORMATS and (isinstance(data, bytes) or format_name == "rtf"):
        pieces: list[str] = in_worker(f"{__name__}:{FORMATS[format_name]}", data)
        return tuple(pieces)
    return ()
