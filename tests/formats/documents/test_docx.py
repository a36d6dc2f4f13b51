"""DOCX: what a reader of the document sees, each text once."""

import pytest

from tests.conformance.document import DocumentConformance
from tests.formats.documents.writers import docx, w_paragraph
from whorl.formats.documents.frontend import DocxFrontend
from whorl.formats.documents.office import extract_docx


class TestDocx(DocumentConformance):
    frontend = DocxFrontend()
    refuses = binary = True

    def write(self, paragraphs):
        return docx("".join(map(w_paragraph, paragraphs)))

    def variants(self, paragraphs):
        plain = [w_paragraph(text) for text in paragraphs]
        yield docx("".join(f"<w:tbl><w:tr><w:tc>{text}</w:tc></w:tr></w:tbl>" for text in plain))
        yield docx("".join(plain).replace("ee", "e</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>e"))
        yield docx("".join(f"<w:ins>{text}</w:ins><w:del>{text}</w:del>" for text in plain))
        yield docx("".join(plain[:3]), footnotes="".join(plain[3:]))
        yield docx("".join(plain[:3]), endnotes=plain[4], footnotes=plain[3])
        yield docx("".join(plain[:4]), header1=plain[4], header2=plain[4], footer1=plain[4])
        hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>unseen</w:t></w:r>"
        yield docx("".join(plain).replace("<w:p>", f"<w:p>{hidden}"))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>", "a\tb\nc"),
        ("<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>a</w:t></w:r></w:p>", "a"),
        ("<w:p><w:r><w:instrText>PAGE</w:instrText><w:t>7</w:t><w:delText>x</w:delText></w:r></w:p>", "7"),
        ("<w:moveFrom><w:r><w:t>x</w:t></w:r></w:moveFrom><w:moveTo><w:r><w:t>a</w:t></w:r></w:moveTo>", "a"),
        ("<w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>a</w:t></w:r>", "a"),
        ("<w:r><w:rPr><w:vanish/></w:rPr><w:t>a</w:t></w:r><w:r><w:t>b</w:t></w:r>", "b"),
        ("<w:r><w:t>co</w:t><w:softHyphen/><w:t>op</w:t><w:noBreakHyphen/><w:t>x</w:t></w:r>", "co\xadop\u2011x"),
    ],
)
def test_what_elements_mean(body, text):
    assert extract_docx(docx(body)).text == text


def test_a_text_box_follows_its_paragraph_and_is_read_once():
    box = f"<w:txbxContent>{w_paragraph('box')}</w:txbxContent>"
    twice = f"<mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    body = f"<w:p><w:r><w:t>be</w:t>{twice}<w:t>fore</w:t></w:r></w:p>{w_paragraph('after')}"
    assert extract_docx(docx(body)).text.split() == ["before", "box", "after"]


def test_damaged_styles_cost_no_text():
    document = docx(w_paragraph("a word"), styles="<w:style><w:name")
    assert extract_docx(document).text == "a word"
    assert extract_docx(document).marks == ()


MHTML = (
    b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n\r\n--x\r\nContent-Type: text/html\r\n"
    b"Content-Transfer-Encoding: quoted-printable\r\n\r\n<p class=3Dx>cop=\r\nied</p>\r\n--x--\r\n"
)


@pytest.mark.parametrize(
    "inside",
    [
        b"<html><body><p>copied</p></body></html>", "\ufeff<p>copied</p>".encode(), MHTML, b"copied",
        b"{\\rtf1 copied}", docx(w_paragraph("copied"), aFChunk=b"<p>deeper</p>"),
    ],
)  # fmt: skip
def test_documents_inside_are_read_as_word_shows_them(inside):
    assert extract_docx(docx(w_paragraph("own"), aFChunk=inside)).text == "own\n\ncopied"


def test_a_document_inside_that_cannot_be_read_costs_no_text():
    found = extract_docx(docx(w_paragraph("own"), aFChunk=b"PK damaged"))
    assert (found.text, "its part word/aFChunk.xml was not read" in found.note) == ("own", True)
