"""Extract the text of PDF (PDFium) and PostScript (Ghostscript) page by page, and rejoin hyphenated words."""

import ctypes
import os
import re
import subprocess
import time
from collections.abc import Iterator
from itertools import groupby
from math import inf
from typing import Any
from unicodedata import combining

from whorl.errors import DocumentError
from whorl.formats.documents.extraction import Extracted, in_parts, in_worker
from whorl.sandbox.jail import forbid_children

# PDFium writes one of the first two for a hyphen that ends a line, and joins the lines; others write both.
# Ghostscript reads some hyphens as minus signs.
_BREAK = re.compile("[\ufffe\x02](?:\r?\n)?|[-\u2010\u2212\xad]\r?\n[ \t]{0,200}")
_HYPHENATED = re.compile(r"\w{1,40}-\w{1,40}")
_LAST = re.compile(r"\w{1,40}\Z")
_FIRST = re.compile(r"\w{1,40}")
LONGEST_WORD = 40  # letters of a part of a word that are looked at


def rejoin(text: str) -> str:
    """Return the text with broken words joined."""
    if not _BREAK.search(text):
        return text
    spelled = {word.lower() for word in _HYPHENATED.findall(text)}
    return _BREAK.sub(lambda match: _between(text, match.start(), match.end(), spelled), text)


def _between(text: str, start: int, end: int, spelled: set[str]) -> str:
    """Return what joins the two sides of a break: nothing, or a hyphen."""
    before, after = text[max(start - 1, 0) : start], text[end : end + 1]
    if not before.isalpha() or not after.isalpha() or after.isupper():
        return "-"
    last, first = _LAST.search(text[max(start - LONGEST_WORD, 0) : start]), _FIRST.match(text[end : end + LONGEST_WORD])
    word = f"{last[0] if last else ''}-{first[0] if first else ''}"
    return "-" if word.lower() in spelled else ""


PDF_TARGET = f"{__name__}:some_pages"
TURN = 2.0  # seconds of processor time: within the sandbox's limit; opening the document again takes far less
PDF_SECONDS = 30.0  # of processor time, for all turns: 2,400 pages take eight
PASSWORD = 4  # what PDFium calls a document that needs one: FPDF_ERR_PASSWORD
MOST_DAMAGED = 1000  # pages; a small file may claim a million that are not there
NO_TEXT = "no text: scanned pages need OCR first"


def extract_pdf(data: bytes) -> Extracted:
    """Return the text of all pages. A damaged page is empty, with a note."""
    pages: list[str] = []
    damaged, count, spent = 0, 1, 0.0
    while len(pages) < count:
        if spent >= PDF_SECONDS:
            raise DocumentError(
                f"took longer than {PDF_SECONDS:g} s of processor time; {len(pages)} of {count} pages were read"
            )
        count, failed, texts, seconds = in_worker(PDF_TARGET, data, len(pages))
        spent += max(TURN, seconds)  # in this order: a worker that a document has taken over may say NaN
        damaged += failed
        pages += texts
        if damaged > MOST_DAMAGED:
            raise DocumentError(f"more than {MOST_DAMAGED} of its pages are damaged")
    return in_parts("page", pages, note=_note(pages, damaged))


def some_pages(data: bytes, first: int) -> tuple[int, int, list[str], float]:
    """In a worker: return the number of pages and, of those read from ``first`` on, the number damaged and the texts;
    and the processor seconds that it took.

    At least one page is read.
    """
    began = time.process_time()
    document = _opened(data)
    if not len(document):
        raise DocumentError("it has no pages")
    end = time.process_time() + TURN
    texts: list[str] = []
    failed = 0
    for text in _pdf_pages(document, first):
        failed += text is None
        texts.append(rejoin(text or "").replace("\r\n", "\n").strip("\n"))
        if time.process_time() > end or failed > MOST_DAMAGED:
            break
    return len(document), failed, texts, time.process_time() - began


def _opened(data: bytes) -> Any:
    import pypdfium2

    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code == PASSWORD:
            raise DocumentError("it is encrypted: save it without a password") from error
        raise DocumentError(f"not a PDF, or damaged: {error}") from error


def _pdf_pages(document: Any, first: int) -> Iterator[str | None]:
    """Yield the text of each page; None for one that is damaged."""
    import pypdfium2

    for number in range(first, len(document)):
        try:
            page = document[number]
            text = page.get_textpage()
        except pypdfium2.PdfiumError:
            yield None
            continue
        yield _in_reading_order(text.get_text_range(), text)
        text.close()
        page.close()


# Words in letters that are written from right to left, with their marks; not digits, which are written as in Latin.
_FROM_THE_RIGHT = re.compile(
    "[\u0590-\u05ff\u0610-\u061a\u0620-\u065f\u066e-\u06d3\u06d5-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]{2,}"
)
# Alef and lam with marks, in one place: a ligature. As two letters, each has a place of its own.
_TURNED = re.compile("[\u0622\u0623\u0625\u0627]\u0644[\u064b-\u0652]*+")


def _in_reading_order(text: str, page: Any) -> str:
    """Return the text of a page with the letters of words from right to left in reading order. PDFium turns most such
    words round, but not those of whose letters the PDF gives the text (/ActualText), as browsers write them."""
    return _FROM_THE_RIGHT.sub(lambda word: _read_from_the_right(word, page.raw), text)


def _read_from_the_right(word: re.Match[str], page: Any) -> str:
    """Turn round each part of a word whose letters follow each other to the right. A mark belongs to the letter before
    it, on whichever side it is drawn."""
    runs: list[list[str]] = []
    last = inf
    for place, glyph in groupby(zip(_along_the_line(page, *word.span()), word[0], strict=True), _place):
        letters = _ligature([letter for _, letter in glyph])
        if runs and combining(letters[0]):
            runs[-1][-1] += letters
        elif place > last:
            runs[-1].append(letters)
        else:
            runs.append([letters])
        last = last if combining(letters[0]) else place
    return "".join("".join(reversed(run)) for run in runs)


def _place(letter: tuple[float, str]) -> float:
    return letter[0]


def _ligature(glyph: list[str]) -> str:
    """Return the letters of one glyph in reading order: PDFium turns those of lam and alef round."""
    is_turned = _TURNED.fullmatch(text := "".join(glyph))
    return text[1] + text[0] + text[2:] if is_turned else text


def _along_the_line(page: Any, start: int, end: int) -> list[float]:
    """Return where each letter of a word begins, from left to right as it is read: the page may be rotated. A text
    layer of scanned pages may be mirrored, but its letters are upright."""
    from pypdfium2 import raw

    x, y, matrix, places = ctypes.c_double(), ctypes.c_double(), raw.FS_MATRIX(), list[float]()
    raw.FPDFText_GetMatrix(page, raw.FPDFText_GetCharIndexFromTextIndex(page, start), matrix)
    for at in range(start, end):
        raw.FPDFText_GetCharOrigin(page, raw.FPDFText_GetCharIndexFromTextIndex(page, at), x, y)
        places.append(round(x.value * matrix.d - y.value * matrix.c, 2))
    return places


def _note(pages: list[str], damaged: int) -> str:
    if damaged:
        return f"{damaged} of {len(pages)} pages are damaged and were not read"
    return NO_TEXT if not any(page.strip() for page in pages) else ""


# Run before the document: writes a form feed before each page's text (2 is the end of the job, which is no page).
PAGES = r"<< /EndPage { exch pop 2 lt dup { (\014) print flush } if } >> setpagedevice"
OPTIONS = ("-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-sDEVICE=txtwrite", "-sOutputFile=-", "-c", PAGES, "-f", "-")

# Where Ghostscript is told to keep temporary files. It lets documents read what is in that folder, safe or not.
NOWHERE = "/nonexistent"

# The worker's own standard error, which is the null device: it cannot open that again to write to it.
NULL = 2

_BLANKS = re.compile(r"(?m)^ ++| ++$| +(?= )")  # all but one within a line
# Ghostscript reports an error in the midst of the text: the fault's name, then the state of its stacks to the end.
_ERROR = re.compile(r"^Error: /(.{1,100})(?s:.*)", re.MULTILINE)


def extract_postscript(data: bytes, ghostscript: str) -> Extracted:
    """Return the text of all pages. ``ghostscript`` is the path of the program."""
    if not data.startswith((b"%!", b"\x04%!", b"\x1b%")):  # the last two: what printers' drivers write before it
        raise DocumentError("not PostScript: it does not begin with %!")
    done = _run_ghostscript(ghostscript, data)
    text = done.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
    error = _ERROR.search(text) if done.returncode else None
    pages = _postscript_pages(text[: error.start()] if error else text)
    reason = error[1] if error else f"status {done.returncode}"
    if done.returncode and not any(pages):
        raise DocumentError(f"Ghostscript cannot read it: {reason}")
    return in_parts("page", pages, note=f"Ghostscript stopped early: {reason}" if done.returncode else "")


def _run_ghostscript(ghostscript: str, data: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [ghostscript, *OPTIONS],
        input=data,
        stdout=subprocess.PIPE,
        stderr=NULL,
        preexec_fn=forbid_children,
        env={**os.environ, "TMPDIR": NOWHERE, "TEMP": NOWHERE},
        check=False,
    )


def _postscript_pages(text: str) -> list[str]:
    """Return the pages without the blanks that position lines. The text before the first form feed is empty, unless the
    document replaced the end-of-page procedure."""
    first, *others = text.split("\f")
    pages = others if others and not first.strip() else [first, *others]
    return [rejoin(_BLANKS.sub("", page)).strip("\n") for page in pages]
