"""RTF: what a reader sees, in any code page and at any depth."""

import pytest

from tests.conformance.document import DocumentConformance
from tests.formats.documents.writers import rtf
from whorl.formats.documents.frontend import RtfFrontend
from whorl.formats.documents.rtf import extract
from whorl.model import Document


class TestRtf(DocumentConformance):
    frontend = RtfFrontend()

    @property
    def content(self):
        return self.write(self.prose * 3)

    def write(self, paragraphs):
        return rtf(paragraphs)

    def variants(self, paragraphs):
        text = self.write(paragraphs).decode()
        yield text.replace("ee", "e{\\b e}").replace("\\par\n", "\\par\r\n\\pard\\plain\\f0 ")
        yield text.replace("\\uc1 ", "\\uc1{\\fonttbl{\\f0 Arial;}}{\\info{\\title x}}{\\*\\generator y;}{\\pict 00ff}")
        yield text.replace("\\par", "{\\v unseen}{\\deleted gone}\\par")
        yield text.replace("\\u233?", "\\'e9").replace("\\uc1 ", "\\ansicpg1252 ")
        yield text.replace("?", "??").replace("\\uc1 ", "\\uc2 ")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"\'cf\'f0\'e8", "Ïðè"),
        (r"{\fonttbl{\f1\fcharset204 A;}}{\f1\'cf\'f0\'e8} \'e9", "При é"),
        (r"{\fonttbl{\f3\fcharset128 A;}}\f3\'8a\'bf\'8e\'9a", "漢字"),
        (r"\u-10179?\u-8704?x", "😀x"),
        (r"\u-10179?x", "\ufffdx"),
        (r"\u99999999999?x", "\ufffd?x"),
        (r"a\~b\-c\_d\{\}\\", "a\xa0b\xadc\u2011d{}\\"),
        (r"a{\super 1{\footnote The note.}} b\par c", "a1 b\nThe note.\nc"),
        (r"{\field{\*\fldinst HYPERLINK x}{\fldrslt link}}", "link"),
        (r"a\bin5 {{{{{b", "ab"),
        (r"a\cell b\row c\tab d", "a\tb\nc\td"),
        (r"\'zz\ansicpg99999 \'e9", "zzé"),
        ("a\x00b", "a\x00b"),
    ],
)
def test_what_control_words_mean(body, text):
    assert extract(("{\\rtf1\\ansi " + body + "}").encode("latin-1")).text == text


def test_what_is_no_rtf_is_plain_text_and_noted():
    found = RtfFrontend().extract(Document("essay.rtf", b"The keeper\x92s lamp"))
    assert found.text == "The keeper’s lamp"
    assert found.note == "read as plain text: it is no RTF: it does not begin with {\\rtf"


@pytest.mark.parametrize(
    "piece", ["{", "{\\footnote ", "\\'", "\\'e9", "\\u9", "\\bin1 {", "{\\*\\x", "\\uc9999999999 ", "{\\f1 "]
)
def test_what_is_never_closed_is_read_in_one_pass(piece):
    """Quadratic reading of this much would take hours."""
    found = RtfFrontend().extract(Document("deep.rtf", b"{\\rtf1 begin " + piece.encode() * 200_000 + b" end"))
    assert found.text.startswith("begin" if found.note == "" else "{\\rtf1")


def test_groups_of_any_depth_are_left_again():
    assert extract(b"{\\rtf1 a" + b"{" * 200_000 + b"b" + b"}" * 200_000 + b"c}").text == "abc"
