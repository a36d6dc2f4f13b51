"""Packed documents that want to become more than they are, and XML that wants the same."""

import io
import struct
import zipfile
import zlib

import pytest

from tests.formats.documents.writers import W, docx, odt, w_paragraph, zipped
from whorl.errors import DocumentError
from whorl.formats.documents.frontend import DocxFrontend, OdtFrontend
from whorl.formats.documents.package import Expansion, Package, resolve
from whorl.model import Document


def refused(data, reason, frontend=None):
    with pytest.raises(DocumentError, match=reason) as caught:
        (frontend or DocxFrontend()).extract(Document("essay.docx", data))
    assert str(caught.value).startswith("essay.docx: cannot be read as ")


def bomb(start, letter):
    """A Word document whose main part is ``start`` and then a gigabyte of one letter, packed in a megabyte."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(start) + packer.flush(zlib.Z_FULL_FLUSH)
    million = packer.compress(letter * (1 << 24)) + packer.flush(zlib.Z_FULL_FLUSH)
    data = bytearray(zipped({"word/document.xml": block + 64 * million + packer.flush()}, zipfile.ZIP_STORED))
    central = data.rindex(b"PK\x01\x02")
    for method, size in ((8, 22), (central + 10, central + 24)):
        struct.pack_into("<H", data, method, zipfile.ZIP_DEFLATED)
        struct.pack_into("<I", data, size, len(start) + (1 << 30))
    return bytes(data)


def test_a_gigabyte_of_zeros():
    data = bomb(b"", b"\0")
    assert len(data) < 1_100_000
    with pytest.raises(DocumentError, match="expand to more than 128 MB"):
        Package(data).read("word/document.xml")
    refused(data, "XML is damaged")
    refused(bomb(b"<x>", b" "), "expand to more than 128 MB|took longer than")


def test_a_part_that_expands_too_much_for_its_size():
    package = Package(zipped({"a": bytes(100_000), "b": bytes(50_000)}), Expansion(floor=60_000))
    assert len(package.read("b")) == 50_000
    with pytest.raises(DocumentError, match="its part a expands more than 200 times"):
        package.read("a")


def test_many_parts_that_are_large_together():
    package = Package(zipped({f"{i}": bytes(1000) for i in range(20)}), Expansion(total=10_000))
    assert sum(len(package.read(f"{i}")) for i in range(10)) == 10_000
    with pytest.raises(DocumentError, match="expand to more than"):
        package.read("10")


def crowded(count, claimed):
    """A zip file that lists one part many times, and claims a number of parts."""
    data = zipped({"word/document.xml": b"x"})
    listed, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    last = bytearray(data[end:])
    struct.pack_into("<HHI", last, 8, claimed, claimed, count * (end - listed))
    return data[:listed] + data[listed:end] * count + bytes(last)


def test_a_hundred_thousand_parts():
    refused(crowded(100_000, 0xFFFF), "too many entries: one archive may have 10,000")
    with pytest.raises(DocumentError, match="too many entries: one archive may have 10,000"):
        Package(crowded(100_000, 1))


def test_parts_that_overlap():
    data = bytearray(zipped({"a": b"x" * 99, "b": b"y" * 99}, zipfile.ZIP_STORED))
    second = data.rindex(b"PK\x01\x02")
    struct.pack_into("<I", data, second + 42, 0)  # the second entry's header is the first's
    refused(bytes(data), "overlap")


def test_a_billion_laughs():
    lines = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    bomb = f'<!DOCTYPE x [<!ENTITY l0 "ha">{lines}]><w:document xmlns:w="{W}"><w:t>&l9;</w:t></w:document>'
    refused(zipped({"word/document.xml": bomb}), "declares entities")
    refused(zipped({"content.xml": bomb}), "declares entities", OdtFrontend())


@pytest.mark.parametrize("element", ["w:x", "w:txbxContent", "w:del", "w:t"])
def test_200_000_levels_of_elements(element):
    deep = f"<w:p>{f'<{element}>' * 200_000}<w:t>a</w:t>{f'</{element}>' * 200_000}</w:p>"
    found = DocxFrontend().extract(Document("essay.docx", docx(deep + w_paragraph("end"))))
    assert found.text.split() == (["end"] if element == "w:del" else ["a", "end"])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "it is empty"),
        (b"PK\x03\x04 and nothing else", "zip file has no directory"),
        (b"\xd0\xcf\x11\xe0 old", "encrypted, or in Office's format before 2007"),
        (zipped({"x": "y"}), "main part word/document.xml is missing"),
        (zipped({"word/document.xml": "<a><b></a>"}), "XML is damaged"),
        (zipped({"word/document.xml": "a\x00b"}), "XML is damaged"),
        (zipped({"word/document.xml": '<?xml version="1.0" encoding="no-such"?><a/>'}), "XML"),
        (zipped({"word/document.xml": b"<a>" + b"x" * 500}, zipfile.ZIP_LZMA), "does not allow"),
        (docx("x").replace(b"word/document.xml", b"word/document\x00xml"), "missing|damaged|overlap"),
    ],
)
def test_what_is_refused(data, reason):
    refused(data, reason)


def test_a_document_type_without_declarations_is_passed_over():
    content = zipfile.ZipFile(io.BytesIO(odt("<text:p>a</text:p>"))).read("content.xml")
    named = b'<!DOCTYPE x PUBLIC "-//x" "http://example.org/x.dtd">' + content
    assert OdtFrontend().extract(Document("a.odt", zipped({"content.xml": named}))).text == "a"


def test_references_stay_within_the_package():
    assert resolve("word/document.xml", "../../../../etc/passwd") == "etc/passwd"
    assert resolve("word/document.xml", "/word/x.xml#y") == "word/x.xml"
    assert resolve("a/b.opf", "c%20d.xhtml") == "a/c d.xhtml"
