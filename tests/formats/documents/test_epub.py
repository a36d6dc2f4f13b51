"""EPUB: the pages of the spine, from within the book and from nowhere else."""

from html import escape

import pytest

from tests.conformance.document import DocumentConformance
from tests.formats.documents.writers import epub
from whorl.errors import DocumentError
from whorl.formats.documents.frontend import EpubFrontend
from whorl.formats.documents.office import extract


def page(*paragraphs):
    return "<html><body>" + "".join(f"<p>{escape(text)}</p>" for text in paragraphs) + "</body></html>"


class TestEpub(DocumentConformance):
    frontend = EpubFrontend()
    refuses = binary = True

    def write(self, paragraphs):
        return epub([page(*paragraphs[i : i + 2]) for i in range(0, len(paragraphs), 2)])

    def variants(self, paragraphs):
        yield epub([page(*paragraphs)])
        yield epub([page(text).replace("<p>", "<h2 class='x'>") for text in paragraphs])


def test_chapters_are_marked():
    found = extract(epub([page("one"), page("two")]))
    assert [(mark.kind, found.text[mark.start : mark.end]) for mark in found.marks] == [
        ("chapter", "one"),
        ("chapter", "two"),
    ]


def test_a_spine_cannot_lead_out_of_the_book():
    found = extract(epub([page("one")], hrefs=["c0.xhtml", "../../../etc/passwd", "/etc/hostname", "%2e%2e/%2e%2e/x"]))
    assert found.text.strip() == "one"
    assert found.note == "3 of 4 chapters are missing, the first is etc/passwd"


def test_a_protected_book_is_refused():
    locked = '<encryption><EncryptedData><CipherReference URI="OEBPS/c0.xhtml"/></EncryptedData></encryption>'
    with pytest.raises(DocumentError, match=r"c0\.xhtml is encrypted"):
        extract(epub([page("one")], **{"META-INF/encryption.xml": locked}))
    fonts = locked.replace("c0.xhtml", "font.otf")
    assert extract(epub([page("one")], **{"META-INF/encryption.xml": fonts})).text == "one"
