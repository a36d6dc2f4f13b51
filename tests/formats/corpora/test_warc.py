"""WARC: pages with their addresses and dates, and the way past damage."""

import gzip
import io
import zlib

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.formats.corpora.making import http, packed, page, planted, reasons, revisit, split, warc
from whorl.formats.archives.decompression import GzipMembers
from whorl.formats.archives.rules import Rules
from whorl.formats.corpora.streams import Chunks, Plain
from whorl.formats.corpora.warc import FORMATS, Frames
from whorl.formats.detection import names

INFO = warc(b"software: test\r\n", 0, "warcinfo", "application/warc-fields")
PAGES = [warc(http(page(number)), number) for number in range(1, 9)]


def numbers(path, **options):
    return [int(record.id[-8:]) for record in split(path, **options)[0]]


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "a.warc.zst", "crawl"])
def test_pages_with_their_addresses_and_dates(tmp_path, name):
    data = b"".join(packed(part, name) for part in [INFO, *PAGES])
    records, faults = split(planted(tmp_path, name, data))
    assert not faults
    assert [record.row for record in records] == list(range(2, 10))
    document = records[0].document
    assert (document.name, document.url, document.date) == ("urn:uuid:00000001", "http://x/1", "2024-05-06T07:08:09Z")
    assert (document.content, document.format) == (page(1), "html")
    assert records[-1].offset == len(data)


def test_one_gzip_member_for_all(tmp_path):
    assert numbers(planted(tmp_path, "a.warc.gz", gzip.compress(b"".join(PAGES)))) == list(range(1, 9))


def test_zstd_with_a_dictionary(tmp_path):
    dictionary = zstandard.train_dictionary(2048, [page(number) * 3 for number in range(200)])
    packer = zstandard.ZstdCompressor(dict_data=dictionary)
    for content in (dictionary.as_bytes(), zstandard.ZstdCompressor().compress(dictionary.as_bytes())):
        first = b"\x5d\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content
        path = planted(tmp_path, "a.warc.zst", first + b"".join(map(packer.compress, PAGES)))
        assert numbers(path) == list(range(1, 9))


def test_every_format_has_a_front_end():
    assert set(FORMATS.values()) <= set(names())


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        (http(b"x", "image/png"), "no document: image/png"),
        (http(b"x", ""), "no document: of no type"),
        (http(b"x", status="404 Not Found"), "the server answered 404"),
        (http(b"x", Content_Encoding="br"), "encoded by 'br', which is not read"),
    ],
)
def test_what_is_left_out(tmp_path, block, reason):
    (fault,) = split(planted(tmp_path, "a.warc", warc(block)))[1]
    assert (fault.row, fault.reason, fault.left_out) == (1, reason, True)


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        (http(b""), "empty"),
        (b"no response", "not an HTTP response"),
        (http(b"\x1f\x8b\x08\x00 broken", Content_Encoding="gzip"), "damaged: the compressed body of the response"),
        (http(b"x", Content_Encoding="gzip, gzip, gzip"), "refused: its body is encoded too many times"),
        (http(b"5\r\nhello\r\nzz", Transfer_Encoding="chunked"), "damaged: the chunks of the response"),
    ],
)
def test_what_is_wrong(tmp_path, block, reason):
    path = planted(tmp_path, "a.warc", warc(block) + PAGES[1])
    (fault,) = split(path)[1]
    assert fault.reason.startswith(reason)
    assert (fault.row, fault.left_out, numbers(path)) == (1, False, [2])


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (b"<p>one two</p>", {}),
        (b"5\r\n<p>on\r\n9;x=y\r\ne two</p>\r\n0\r\n\r\n", {"Transfer_Encoding": "chunked"}),
        (b"5\r\n<p>on\r\n9\r\ne two</p>", {"Transfer_Encoding": "chunked"}),
        (b"<p>one two</p>", {"Transfer_Encoding": "chunked", "Content_Encoding": "gzip"}),
        (gzip.compress(b"<p>one two</p>", mtime=0), {"Content_Encoding": "gzip"}),
        (gzip.compress(b"<p>one two</p>", mtime=0)[:-4], {"Content_Encoding": "gzip"}),
        (zlib.compress(b"<p>one two</p>"), {"Content_Encoding": "deflate"}),
        (zlib.compress(b"<p>one two</p>")[2:-4], {"Content_Encoding": "deflate"}),
        (zstandard.compress(b"<p>one two</p>"), {"Content_Encoding": "zstd"}),
    ],
)
def test_bodies_are_unpacked(tmp_path, body, fields):
    (record,) = split(planted(tmp_path, "a.warc", warc(http(body, **fields))))[0]
    assert record.document.content == b"<p>one two</p>"


def test_a_bomb_is_refused(tmp_path):
    for name, pack in (("gzip", gzip.compress), ("zstd", zstandard.compress)):
        path = planted(tmp_path, "a.warc", warc(http(pack(bytes(3 << 20)), Content_Encoding=name)))
        assert reasons(path, rules=Rules(member=1 << 20)) == {
            1: "too large: its body unpacks to more than 1,048,576 bytes"
        }


def test_a_large_record_is_passed(tmp_path):
    path = planted(tmp_path, "a.warc", PAGES[0] + warc(http(b"x" * 9999)) + PAGES[2])
    assert numbers(path, rules=Rules(member=5000)) == [1, 3]
    assert reasons(path, rules=Rules(member=5000))[2].startswith("too large: ")


def test_the_charset_of_the_server_is_taken(tmp_path):
    blocks = [http("жук".encode("koi8-r"), "text/html; charset=KOI8-R"), http("é".encode(), "text/plain;charset=UTF-8")]
    first, second = split(planted(tmp_path, "a.warc", warc(blocks[0], 1) + warc(blocks[1], 2)))[0]
    assert (first.document.content, second.document.content) == ("жук", "é".encode())


def test_other_records_of_content(tmp_path):
    records = warc(b"some text", 1, "conversion", "text/plain") + warc(b"<p>x</p>", 2, "resource", "text/html")
    dns = warc(b"20240101 example.org", 3, "response", "text/dns")
    found, faults = split(planted(tmp_path, "a.warc", records + dns))
    assert [record.document.format for record in found] == ["text", "html"]
    assert [(fault.row, fault.reason) for fault in faults] == [(3, "no document: text/dns")]


def test_damage_to_one_member_costs_one_record(tmp_path):
    parts = [gzip.compress(part, mtime=0) for part in PAGES]
    for hurt in (0, 3, 7):
        for at in (12, len(parts[hurt]) // 2, len(parts[hurt]) - 6):
            member = bytearray(parts[hurt])
            member[at] ^= 0xFF
            path = planted(tmp_path, "a.warc.gz", b"".join([*parts[:hurt], bytes(member), *parts[hurt + 1 :]]))
            assert numbers(path) == [number for number in range(1, 9) if number != hurt + 1]
            assert [(fault.row, fault.reason[:8]) for fault in split(path)[1]] == [(hurt + 1, "damaged:")]


def test_a_wrong_length_costs_one_record(tmp_path):
    for wrong in (b"1", b"99999", b"x", b"300"):
        hurt = PAGES[3].replace(b"Content-Length: ", b"Content-Length: " + wrong + b"\r\nX: ")
        path = planted(tmp_path, "a.warc", b"".join([*PAGES[:3], hurt, *PAGES[4:]]))
        assert numbers(path) == [1, 2, 3, 5, 6, 7, 8]
        assert [fault.row for fault in split(path)[1]] == [4]


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "a.warc.zst"])
def test_a_file_that_breaks_off_anywhere(tmp_path, name):
    parts = [packed(part, name) for part in PAGES[:3]]
    data = b"".join(parts)
    for cut in range(5, len(data), 11):
        found, faults = split(planted(tmp_path, name, data[:cut]))
        assert all(record.document.content == page(int(record.id[-8:])) for record in found)
        assert len(found) + len(faults) >= 1 + (cut > len(parts[0])) + (cut > len(parts[0]) + len(parts[1]))


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "a.warc.zst"])
def test_bits_that_flip_anywhere(tmp_path, name):
    data = b"".join(packed(part, name) for part in PAGES)
    for at in range(0, len(data), len(data) // 90):
        damaged = bytearray(data)
        damaged[at] ^= 1 << at % 8
        assert len(split(planted(tmp_path, name, bytes(damaged)))[0]) >= 6


@examples(150)
@given(st.lists(st.sampled_from([b"WARC/1.0\r\n", b"Content-Length: 9\r\n", b"\r\n", b"\r\n\r\n", b"\0x", *PAGES[:2]])))
def test_any_bytes_give_frames_and_nothing_else(parts):
    data = b"".join(parts)
    for source in (Plain(io.BytesIO(data)), GzipMembers(io.BytesIO(gzip.compress(data, mtime=0) + data))):
        rows = [frame.row for frame in Frames(source, 1000)]
        assert rows == list(range(1, len(rows) + 1))


@pytest.mark.parametrize(
    "data",
    [
        b"\x1f\x8b\x08" * 300_000,
        b"WARC/1.0\r\n" * 100_000,
        b"WARC/1.0\r\nContent-Length: 99999\r\n\r\n" * 20_000,
        b"WARC/1.0\r\n" + b"a: b\r\n" * 100_000,
        b"\r\n" * 500_000,
    ],
    ids=["marks", "headers", "lengths", "fields", "blank"],
)
def test_hostile_files_end(data):
    source: Chunks = GzipMembers(io.BytesIO(data)) if data.startswith(b"\x1f") else Plain(io.BytesIO(data))
    assert sum(isinstance(frame.content, bytes) for frame in Frames(source, 1 << 20)) == 0


@pytest.mark.parametrize(
    "fields",
    [
        {"WARC_Refers_To": "<urn:uuid:00000002>"},
        {"WARC_Refers_To_Target_URI": "http://x/2", "WARC_Refers_To_Date": "2024-05-06T07:08:09Z"},
        {"WARC_Profile": "http://netpreserve.org/warc/1.1/revisit/server-not-modified"},
        {"WARC_Payload_Digest": "sha1:TWO"},
    ],
)
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_revisit_has_the_content_that_it_repeats(tmp_path, fields, ending):
    original = warc(http(page(2)), 2).replace(
        b"\r\nContent-Type", b"\r\nWARC-Payload-Digest: sha1:TWO\r\nContent-Type", 1
    )
    parts = [revisit(2, **fields), warc(http(page(1)), 1), original]
    data = b"".join(gzip.compress(part) if ending else part for part in parts)
    records, faults = split(planted(tmp_path, f"a.warc{ending}", data))
    assert faults == []
    assert [(record.row, record.id) for record in records] == [
        (2, "urn:uuid:00000001"),
        (3, "urn:uuid:00000002"),
        (1, "urn:uuid:again-2"),
    ]
    again = records[2].document
    assert (again.content, again.url, again.date) == (page(2), "http://x/2", "2025-01-01T00:00:00Z")


def test_a_revisit_of_a_record_elsewhere_is_a_fault(tmp_path):
    data = warc(http(page(1)), 1) + revisit(7, WARC_Payload_Digest="sha1:ELSEWHERE")
    records, (fault,) = split(planted(tmp_path, "a.warc", data))
    assert len(records) == 1
    assert (fault.row, fault.left_out) == (2, False)
    assert "in another file: 'http://x/7'" in fault.reason


def test_a_file_of_metadata_alone_is_said(tmp_path):
    data = INFO + warc(b"{}", 1, "metadata", "application/json")
    records, (fault,) = split(planted(tmp_path, "CC-MAIN.warc.wat", data))
    assert records == []
    assert (fault.row, fault.left_out) == (0, True)
    assert fault.reason.startswith("no document")
