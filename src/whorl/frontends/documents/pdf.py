"""PDF to text, by PDFium: page by page, a mark for each.

PDFium is a large C++ library, so it runs in a worker alone. A manual of thousands of pages takes longer than a worker
may: it is read in turns, each of which reads on for a while and says how far it came.
"""

import time
from collections.abc import Iterator
from typing import Any

from whorl.errors import DocumentError
from whorl.frontends.documents.extracted import Extracted, in_parts
from whorl.frontends.documents.hyphens import rejoin
from whorl.frontends.documents.isolation import in_worker

TARGET = f"{__name__}:some_pages"
TURN = 2.0  # seconds: well within the sandbox's limit, and long enough that opening the document again does not count
LONGEST = 120.0  # seconds for all turns. 2,400 pages take eight on a busy machine
PASSWORD = 4  # what PDFium calls a document that needs one: FPDF_ERR_PASSWORD
MOST_DAMAGED = 1000  # pages; a small file may claim a million that are not there
NO_TEXT = "no text: scanned pages need OCR first"


def extract(data: bytes) -> Extracted:
    """The text of all pages. A page that cannot be read is empty, and noted."""
    late = time.monotonic() + LONGEST
    pages: list[str] = []
    damaged, count = 0, 1
    while len(pages) < count:
        if time.monotonic() > late:
            raise DocumentError(f"took longer than {LONGEST:g} s; {len(pages)} of {count} pages were read")
        count, failed, texts = in_worker(TARGET, data, len(pages))
        damaged += failed
        pages += texts
        if damaged > MOST_DAMAGED:
            raise DocumentError(f"more than {MOST_DAMAGED} of its pages are damaged")
    return in_parts("page", pages, note=_note(pages, damaged))


def some_pages(data: bytes, first: int) -> tuple[int, int, list[str]]:
    """In a worker: how many pages there are, and of those read from ``first`` on, how many are damaged and the texts.

    At least one page is read.
    """
    document = _opened(data)
    if not len(document):
        raise DocumentError("it has no pages")
    end = time.monotonic() + TURN
    texts: list[str] = []
    failed = 0
    for text in _pages(document, first):
        failed += text is None
        texts.append(rejoin(text or "").replace("\r\n", "\n").strip("\n"))
        if time.monotonic() > end or failed > MOST_DAMAGED:
            break
    return len(document), failed, texts


def _opened(data: bytes) -> Any:
    import pypdfium2

    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code == PASSWORD:
            raise DocumentError("it is encrypted: save it without a password") from error
        raise DocumentError(f"it is no PDF, or damaged: {error}") from error


def _pages(document: Any, first: int) -> Iterator[str | None]:
    """The text of each page; None for one that is damaged."""
    import pypdfium2

    for number in range(first, len(document)):
        try:
            page = document[number]
            text = page.get_textpage()
        except pypdfium2.PdfiumError:
            yield None
            continue
        yield text.get_text_range()
        text.close()
        page.close()


def _note(pages: list[str], damaged: int) -> str:
    if damaged:
        return f"{damaged} of {len(pages)} pages are damaged and were not read"
    return NO_TEXT if not any(page.strip() for page in pages) else ""
