"""PDF: pages with their marks, words whole."""

import itertools
import random
import re
import threading
import time

import pytest

pytest.importorskip("pypdfium2", reason="reading PDF needs pypdfium2")

from tests.conformance.document import DocumentConformance
from tests.formats.documents.writers import glyphs_from_the_right, pdf
from whorl.errors import DocumentError
from whorl.formats.documents import pages as reader
from whorl.formats.documents.frontend import PdfFrontend
from whorl.model import Document


def extract(data):
    return PdfFrontend().extract(Document("paper.pdf", data))


class TestPdf(DocumentConformance):
    frontend = PdfFrontend()
    refuses = binary = True

    def write(self, paragraphs):
        return pdf([paragraphs])

    def variants(self, paragraphs):
        yield pdf([[text] for text in paragraphs])
        yield pdf([[word for text in paragraphs for word in text.split()]])
        yield pdf([paragraphs], extra=b"99 0 obj(unused)endobj\n")


def test_pages_are_marked():
    found = extract(pdf([["one", "two"], [], ["three"]]))
    assert found.text == "one\ntwo\n\n\n\nthree"
    assert [(mark.kind, mark.number, found.text[mark.start : mark.end]) for mark in found.marks] == [
        ("page", 1, "one\ntwo"),
        ("page", 2, ""),
        ("page", 3, "three"),
    ]


@pytest.mark.parametrize("line", ["المنارة بناء مرتفع على ساحل البحر", "مقالا الأولى ولا", "בראש המגדלור נמצא מקור"])
def test_words_from_the_right_are_read_in_order_whatever_letters_have_a_text_of_their_own(line):
    assert extract(pdf([[glyphs_from_the_right(line)]])).text == line


@pytest.mark.parametrize("matrix", ["1 0 0 1 40 700", "-1 0 0 -1 400 700", "-1 0 0 1 400 700"])
def test_words_from_the_right_stay_in_order_on_rotated_pages_and_in_mirrored_text(matrix):
    line = "המגדלור נמצא"
    shown = line if matrix == "-1 0 0 1 400 700" else line[::-1]
    operators = f"{matrix} Tm <{shown.encode('utf-16-be').hex()}> Tj".encode()
    assert extract(pdf([[operators]])).text == line


@pytest.mark.parametrize(
    ("found", "places", "word"),
    [
        ("رتما", [517.5, 524.25, 528.0, 514.5], "مترا"),  # PDFium turns the parts of a word round one by one
        ("أَعلى", [40.0, 42.0, 35.0, 30.0, 25.0], "أَعلى"),  # a mark that stands to the right of its letter
        ("مقاال", [50.0, 40.0, 30.0, 20.0, 20.0], "مقالا"),  # two letters of one glyph
        ("اليوم", [50.0] * 5, "اليوم"),  # letters without a width
    ],
)
def test_parts_of_a_word_are_turned_round_by_their_places(monkeypatch, found, places, word):
    monkeypatch.setattr(reader, "_along_the_line", lambda *_: places)
    (match,) = re.finditer(".+", found)
    assert reader._read_from_the_right(match, None) == word


def test_a_long_document_is_read_in_turns(monkeypatch):
    data = pdf([["one"], [], ["three"], ["four"]])
    whole, turns = extract(data), []

    def here(_target, content, first):
        turns.append(first)
        return reader.some_pages(content, first)

    monkeypatch.setattr(reader, "TURN", -1)  # each turn is over after its first page
    monkeypatch.setattr(reader, "in_worker", here)
    assert extract(data) == whole
    assert turns == [0, 1, 2, 3]


@pytest.mark.parametrize(("said", "read"), [(0.0, 15), (float("nan"), 15), (7.5, 4)])
def test_turns_end_whatever_a_worker_says(monkeypatch, said, read):
    """One that a document has taken over may say that it took no time, and that pages are left for ever."""
    monkeypatch.setattr(reader, "in_worker", lambda _target, _content, first: (10**9, 0, ["page"], said))
    with pytest.raises(DocumentError, match=rf"took longer than 30 s of processor time; {read} of 1000000000 pages"):
        extract(b"%PDF-1.7")


def test_waiting_for_a_worker_takes_no_time_from_a_document(monkeypatch):
    hours, here, clock = itertools.count(0, 3600), threading.get_ident(), time.monotonic
    monkeypatch.setattr(reader, "TURN", -1)
    monkeypatch.setattr(reader, "in_worker", lambda _target, content, first: reader.some_pages(content, first))
    # Servers of other tests live in this process and wait by the same clock: for them it goes on as before.
    monkeypatch.setattr("time.monotonic", lambda: next(hours) if threading.get_ident() == here else clock())
    assert extract(pdf([["one"], ["two"]])).text == "one\n\ntwo"


def test_a_broken_word_is_made_whole():
    assert extract(pdf([["The lamp of the light-", "house is lit."]])).text == "The lamp of the lighthouse is lit."


def test_a_scan_is_noted_and_the_note_reaches_the_stream():
    frontend = PdfFrontend()
    streams = [frontend.read(piece) for piece in frontend.pieces(Document("scan.pdf", pdf([[], []])))]
    assert [stream.note for stream in streams] == ["no text: scanned pages need OCR first"]


def test_an_encrypted_document_is_refused_by_name():
    with pytest.raises(DocumentError, match=r"paper.pdf: cannot be read as PDF: it is encrypted"):
        extract(pdf([["x"]], encrypt=True))


def test_the_library_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(DocumentError, match=r'paper.pdf: cannot be read as PDF: pip install "whorl\[documents\]"'):
        extract(pdf([["x"]]))


def test_truncated_documents():
    whole = pdf([["The keeper climbed ninety steps"]] * 3)
    for length in range(0, len(whole), 61):
        read_or_refused(whole[:length])


def test_200_flipped_bits():
    generator = random.Random(2)
    whole = pdf([["The keeper climbed ninety steps", "and lit the lamp"]] * 2)
    for _ in range(200):
        damaged = bytearray(whole)
        damaged[generator.randrange(len(damaged))] ^= 1 << generator.randrange(8)
        read_or_refused(bytes(damaged))


def test_a_tree_of_pages_that_is_a_loop():
    read_or_refused(pdf([["x"]], kids="2 0 R"))
    read_or_refused(pdf([["x"]] * 3, kids="2 0 R 6 0 R 2 0 R"))


def test_more_pages_than_there_are():
    many = pdf([["x"]]).replace(b"/Count 1>>", b"/Count 900000>>")
    assert read_or_refused(many) == "paper.pdf: cannot be read as PDF: more than 1000 of its pages are damaged"


def read_or_refused(data):
    """Either text or a reason; never another exception, never the end of this process."""
    try:
        found = extract(data).text
    except DocumentError as error:
        found = str(error)
        expected = "paper.pdf: cannot be read as PDF: "
    else:
        expected = ""
    assert found.startswith(expected)
    return found
