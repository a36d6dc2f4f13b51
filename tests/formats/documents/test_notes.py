"""What people are told of a document is one short line that can be printed, whatever of the document it quotes."""

import json

import pytest

from tests.formats.documents.writers import epub
from whorl.formats.documents.frontend import CellsFrontend, EpubFrontend, LatexFrontend
from whorl.model import Document

ESCAPE = "\x1b[31m"


def notes(frontend, content):
    return [frontend.read(piece).note for piece in frontend.pieces(Document("document", content))]


@pytest.mark.parametrize(
    ("frontend", "content"),
    [
        (LatexFrontend(), b"\\input{a\nb}"),
        (LatexFrontend(), b"\\input{\0" + ESCAPE.encode() + b"}"),
        (LatexFrontend(), "\\input{\ud800}"),
        (LatexFrontend(), "\\input{" + "long" * 500 + "}"),
        (EpubFrontend(), epub(["<p>a</p>", "<p>b</p>"], hrefs=["c0.xhtml", "no\u202esuch.xhtml"])),
    ],
)
def test_notes_that_quote_the_document(frontend, content):
    (note,) = notes(frontend, content)
    assert note.isprintable()
    assert 0 < len(note) <= 200


def test_the_name_of_an_unknown_language():
    cells = [{"cell_type": "code", "source": "a = 1"}]
    language = {"language_info": {"name": "x" * 9000 + ESCAPE}}
    (note,) = notes(CellsFrontend(), json.dumps({"cells": cells, "metadata": language}))
    assert note.startswith("cells left out: unknown language 'xxx")
    assert note.isprintable()
    assert len(note) <= 200
