"""Text of a PDF that its pages do not show: drawn in white, or in the mode that draws nothing.

A page on which all text is of the second kind is a scan with a layer of recognised text, which is honest.
"""

import ctypes
import time
from collections.abc import Iterator
from typing import Any

from whorl.errors import DocumentError
from whorl.frontends.documents.isolation import in_worker

TARGET = f"{__name__}:unseen_runs"

# Seconds that a worker looks: enough for hundreds of pages, and within the sandbox's limit.
TURN = 2.0

# Code points of a run that are kept, and the runs: a person reads an example.
KEPT, RUNS = 2000, 200

# PDFium's own numbers: text objects, and the mode of drawing nothing (FPDF_TEXTRENDERMODE_INVISIBLE).
TEXT, INVISIBLE = 1, 3

# The least of each of red, green and blue that is white on paper.
WHITE = 252


def unseen_in_pdf(data: bytes) -> tuple[str, ...]:
    """The runs of text that are not seen. A DocumentError says why a PDF could not be looked at."""
    found: list[str] = in_worker(TARGET, data)
    return tuple(found)


def unseen_runs(data: bytes) -> list[str]:
    """In a worker: the runs of the first pages, as many as time allows."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise DocumentError(f"it is no PDF, or damaged: {error}") from error
    end = time.monotonic() + TURN
    found: list[str] = []
    for number in range(len(document)):
        try:
            found += _of_page(document[number])
        except pypdfium2.PdfiumError:
            continue  # a damaged page is noted when the document is compared
        if time.monotonic() > end or len(found) >= RUNS:
            break
    return found[:RUNS]


def _of_page(page: Any) -> list[str]:
    runs = list(_runs(page))
    seen = [text for text, mode, _ in runs if mode != INVISIBLE and text]
    return [text for text, mode, white in runs if text and (white or (mode == INVISIBLE and seen))]


def _runs(page: Any) -> Iterator[tuple[str, int, bool]]:
    """The text objects of a page: text, mode, and whether it is white."""
    from pypdfium2 import raw

    layer = page.get_textpage()
    for item in page.get_objects(filter=[TEXT]):
        size = raw.FPDFTextObj_GetText(item, layer, None, 0)
        buffer = ctypes.create_string_buffer(min(size, 2 * KEPT))
        raw.FPDFTextObj_GetText(item, layer, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), len(buffer))
        text = buffer.raw.decode("utf-16-le", "ignore").rstrip("\0").strip()
        yield text, raw.FPDFTextObj_GetTextRenderMode(item), _is_white(item)


def _is_white(item: Any) -> bool:
    from pypdfium2 import raw

    colour = [ctypes.c_uint() for _ in range(4)]
    is_known = raw.FPDFPageObj_GetFillColor(item, *(ctypes.byref(part) for part in colour))
    return bool(is_known) and all(part.value >= WHITE for part in colour[:3])
