"""ODT: the body as it reads."""

from html import escape

import pytest

from tests.conformance.document import DocumentConformance
from tests.formats.documents.writers import odt
from whorl.errors import DocumentError
from whorl.formats.documents.frontend import OdtFrontend
from whorl.formats.documents.office import extract_odt


class TestOdt(DocumentConformance):
    frontend = OdtFrontend()
    refuses = binary = True

    def write(self, paragraphs):
        return odt("".join(f"<text:p>{escape(text)}</text:p>" for text in paragraphs))

    def variants(self, paragraphs):
        plain = "".join(f"<text:p>{escape(text)}</text:p>" for text in paragraphs)
        deleted = f"<text:tracked-changes><text:deletion>{plain}</text:deletion></text:tracked-changes>"
        yield odt(deleted + plain)
        yield odt(plain.replace("text:p", "text:h"))
        yield odt(plain.replace("ee", "e<text:span>e</text:span>"))
        yield odt(plain.replace("<text:p>", "<text:p><office:annotation><text:p>x</text:p></office:annotation>"))
        yield odt(
            plain.replace("<text:p>", "<table:table-cell>\n  <text:p>").replace(
                "</text:p>", "</text:p></table:table-cell>"
            )
        )


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<text:p>a<text:tab/>b<text:line-break/>c<text:s text:c='999999999'/>d</text:p>", "a\tb\nc d"),
        ("<text:p>a<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>n</text:p></text:note-body>"
         "</text:note>b</text:p><text:p>c</text:p>", "ab\nn\n\nc"),
        ("<text:p>a<draw:text-box><text:p>x</text:p></draw:text-box>b</text:p>", "ab\nx"),
    ],
)  # fmt: skip
def test_what_elements_mean(body, text):
    assert extract_odt(odt(body)).text == text


def test_an_encrypted_document_is_refused():
    manifest = '<m:manifest xmlns:m="m"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>'
    with pytest.raises(DocumentError, match="encrypted"):
        extract_odt(odt("x", **{"META-INF/manifest.xml": manifest}))
