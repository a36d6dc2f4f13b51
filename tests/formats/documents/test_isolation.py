"""Where documents are read, and what becomes of one that cannot be."""

import json

import pytest

from whorl.errors import DocumentError
from whorl.formats.documents import extraction
from whorl.formats.documents.extraction import Extracted, SectionMark, from_plain, to_plain
from whorl.formats.documents.frontend import HtmlFrontend, LatexFrontend, MarkdownFrontend, NotebookFrontend
from whorl.model import Document
from whorl.sandbox import Limits, Sandbox


@pytest.mark.parametrize(
    "found",
    [
        Extracted("a\ud800b\x00"),
        Extracted("ab", (SectionMark("page", 1, 0, 1), SectionMark("page", 2, 1, 2)), "a note"),
        Extracted("ab", (SectionMark("cell", 1, 0, 1, "python"), SectionMark("cell", 2, 1, 2, ""))),
    ],
)
def test_what_a_worker_sends_is_what_it_read(found):
    assert from_plain(to_plain(found)) == found


@pytest.mark.parametrize(
    ("frontend", "content"),
    [
        (HtmlFrontend(), "<p>a\ud800b</p><nav>c</nav>"),
        (HtmlFrontend(main_only=True), "<p>a</p><nav>c</nav>"),
        (MarkdownFrontend(), "*a* `b`"),
        (LatexFrontend(), "a\\input{b}"),
        (NotebookFrontend(), json.dumps({"cells": [{"cell_type": "code", "source": "a = 1"}]})),
    ],
)
def test_a_worker_reads_what_this_process_reads(frontend, content, monkeypatch):
    document = Document("document", content)
    here = frontend.extract(document)
    monkeypatch.setattr(extraction, "IN_PROCESS", 0)
    assert frontend.extract(document) == here
    assert here.text


def test_markup_that_a_worker_could_not_read_is_plain_text(monkeypatch):
    monkeypatch.setattr(extraction, "IN_PROCESS", 0)
    with Sandbox(workers=1, limits=Limits(result=1000)) as sandbox:
        monkeypatch.setattr(extraction, "default_sandbox", lambda run: sandbox)
        frontend = HtmlFrontend()
        pieces = list(frontend.pieces(Document("page.html", "<p>" + "word " * 1000)))
    streams = [frontend.read(piece) for piece in pieces]
    assert sum(map(len, streams)) == 4001
    assert {stream.note for stream in streams} == {"read as plain text: gave more than 1000 bytes, or too many items"}


def test_the_reason_of_a_fault_is_kept():
    with pytest.raises(DocumentError, match="zip file has no directory"):
        extraction.isolated("docx", b"nothing")
