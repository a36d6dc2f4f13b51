"""PPTX: slides in the order in which they are shown."""

from tests.conformance.document import DocumentConformance
from tests.formats.documents.writers import pptx, relations, slide
from whorl.formats.documents.frontend import PptxFrontend
from whorl.formats.documents.office import extract_pptx


class TestPptx(DocumentConformance):
    frontend = PptxFrontend()
    refuses = binary = True

    def write(self, paragraphs):
        return pptx([paragraphs[i : i + 2] for i in range(0, len(paragraphs), 2)])

    def variants(self, paragraphs):
        yield pptx([[text] for text in paragraphs])
        yield pptx([paragraphs])
        yield pptx([[text] for text in reversed(paragraphs)], order=range(len(paragraphs) - 1, -1, -1))


def test_slides_are_marked_and_carry_their_notes():
    notes = {
        "ppt/slides/_rels/slide0.xml.rels": relations(("n", "notesSlide", "../notesSlides/n.xml")),
        "ppt/notesSlides/n.xml": slide(["said"]).replace("</a:p>", "<a:fld><a:r><a:t>12</a:t></a:r></a:fld></a:p>"),
    }
    found = extract_pptx(pptx([["first"], [], ["third"]], order=[2, 1, 0], **notes))
    assert [(mark.kind, mark.number, found.text[mark.start : mark.end]) for mark in found.marks] == [
        ("slide", 1, "third"),
        ("slide", 2, ""),
        ("slide", 3, "first\nsaid"),
    ]
