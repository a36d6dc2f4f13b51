"""Archives that were made to do harm, and archives that came to harm. Nothing but items ever comes out."""

import gzip
import io
import tarfile
import tracemalloc
import zlib
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.formats.archives.packing import PACKERS, central, deflated, ended, found, local, tarred, zipped
from whorl.formats.archives.rules import Rules

MEGABYTE = 1 << 20
TEXT = "".join(f"line {number} of a text that does not repeat itself\n" for number in range(300))


def put(folder: Path, data: bytes, name: str) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@cache
def zeros(size: int) -> tuple[bytes, int]:
    """So many zeros as a deflated stream, with their checksum; made without holding them."""
    packer, crc = zlib.compressobj(9, zlib.DEFLATED, -15), 0
    part = packer.compress(bytes(MEGABYTE)) + packer.flush(zlib.Z_FULL_FLUSH)  # stands on its own, so it can repeat
    for _ in range(size // MEGABYTE):
        crc = zlib.crc32(bytes(MEGABYTE), crc)
    return part * (size // MEGABYTE) + packer.flush(), crc


def one_member(packed: bytes, size: int, crc: int) -> bytes:
    good = local(b"good.py", deflated(b"x"), 1, zlib.crc32(b"x"))
    directory = central(b"good.py", len(deflated(b"x")), 1, zlib.crc32(b"x"), 0)
    directory += central(b"zeros", len(packed), size, crc, len(good))
    return ended(good + local(b"zeros", packed, size, crc), directory, 2)


@pytest.mark.parametrize("claimed", [1024 * MEGABYTE, 240 * MEGABYTE, 5 * MEGABYTE])
def test_a_gigabyte_of_zeros(tmp_path, claimed):
    """Whatever size the directory claims, no more than that is ever unpacked."""
    packed, crc = zeros(1024 * MEGABYTE)
    path = put(tmp_path, one_member(packed, claimed, crc), "bomb.zip")
    tracemalloc.start()
    documents, skipped = found(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert documents == {"good.py": b"x"}
    assert skipped["zeros"].startswith(("too large", "perhaps a bomb", "damaged: longer"))
    assert peak < 30 * MEGABYTE


def quoted_overlap(count: int) -> bytes:
    """Each member's data begin with a stored deflate block that quotes the headers of the next, and end in one kernel
    that all of them share."""
    kernel, _ = zeros(4 * MEGABYTE)
    headers: list[bytes] = []
    rest = kernel
    for number in reversed(range(count)):
        name = b"%04d" % number
        if headers:
            quoted = len(headers[-1])
            quote = b"\0" + quoted.to_bytes(2, "little") + (quoted ^ 0xFFFF).to_bytes(2, "little")
            rest = quote + headers[-1] + rest
        headers.append(local(name, b"", 0, 0)[:18] + len(rest).to_bytes(4, "little") + bytes(4) + b"\4\0\0\0" + name)
    headers.reverse()
    body, directory, at = b"", b"", 0
    size = len(headers[0]) + len(rest)
    for number, header in enumerate(headers):
        packed = size - at - len(header)
        directory += central(b"%04d" % number, packed, 4 * MEGABYTE, 0, at)
        at += len(header) + 5
    body = headers[0] + rest
    return ended(body, directory, count)


def test_members_that_quote_each_other(tmp_path):
    documents, skipped = found(put(tmp_path, quoted_overlap(200), "bomb.zip"))
    assert documents == {}
    overlapping = [reason for reason in skipped.values() if "overlaps" in reason]
    assert len(overlapping) == 199
    assert len(skipped) == 200


def test_members_that_share_their_data(tmp_path):
    packed, crc = deflated(TEXT.encode()), zlib.crc32(TEXT.encode())
    body = local(b"a", packed, len(TEXT), crc)
    directory = central(b"a", len(packed), len(TEXT), crc, 0) * 50
    documents, skipped = found(put(tmp_path, ended(body, directory, 50), "shared.zip"))
    assert list(documents) == ["a"]
    assert "replaced" in skipped["a"]


def test_many_small_bombs_use_up_one_budget(tmp_path):
    blank = b" " * (4 * MEGABYTE)
    packed, crc = deflated(blank), zlib.crc32(blank)
    body = directory = b""
    for number in range(40):
        directory += central(b"%03d" % number, len(packed), len(blank), crc, len(body))
        body += local(b"%03d" % number, packed, len(blank), crc)
    path = put(tmp_path, ended(body, directory, 40), "bomb.zip")
    documents, skipped = found(path, Rules(free=10 * MEGABYTE, ratio=20))
    assert sum(map(len, documents.values())) <= 10 * MEGABYTE
    assert len(documents) + len(skipped) == 40
    assert all("perhaps a bomb" in reason for reason in skipped.values())


def test_nested_archives_share_the_budget(tmp_path):
    inner = zipped({"text": TEXT * 50})
    path = put(tmp_path, zipped({f"{number:03}.zip": inner for number in range(40)}), "nested.zip")
    documents, skipped = found(path, Rules(total=3 * MEGABYTE))
    assert 0 < sum(map(len, documents.values())) <= 3 * MEGABYTE
    assert len(documents) + len(skipped) == 40
    assert all("too large: one archive may unpack to 3 MB" in reason for reason in skipped.values())


@pytest.mark.parametrize("ending", ["tar.gz", "tar.bz2", "tar.xz", "tar.zst"])
def test_compressed_streams_that_grow(tmp_path, ending):
    data = tarred({"zeros": bytes(64 * MEGABYTE), "good.py": "x"})
    documents, skipped = found(put(tmp_path, PACKERS[ending](data), f"bomb.{ending}"))
    assert documents == {}
    assert "perhaps a bomb" in skipped[f"bomb.{ending}"]


def test_large_extended_header(tmp_path):
    info = tarfile.TarInfo("a.py")
    info.pax_headers = {"comment": "x" * (5 * MEGABYTE)}
    documents, skipped = found(put(tmp_path, tarred({"first.py": "x", "a.py": info}), "a.tar"))
    assert documents == {"first.py": b"x"}
    assert "an extended header of 5," in skipped["a.tar"]


@pytest.mark.parametrize("kind", [b"x", b"g", b"L", b"K"])
def test_a_chain_of_extended_headers(tmp_path, kind):
    info = tarfile.TarInfo("long")
    info.type = kind
    chain = info.tobuf() * 20_000
    documents, skipped = found(put(tmp_path, chain + tarred({"a.py": "x"}), "a.tar"))
    assert documents == {"a.py": b"x"}
    assert not skipped


def test_a_header_that_claims_more_than_there_is(tmp_path):
    info = tarfile.TarInfo("a.py")
    info.size = 1 << 60
    documents, skipped = found(put(tmp_path, info.tobuf(tarfile.GNU_FORMAT) + bytes(2048), "a.tar"))
    assert documents == {}
    assert "it breaks off" in skipped["a.tar"]


def test_a_hundred_thousand_entries(tmp_path):
    body, directory = io.BytesIO(), io.BytesIO()
    for number in range(100_000):
        name = b"%02d/%06d" % (number % 97, number)
        directory.write(central(name, 1, 1, zlib.crc32(b"x"), body.tell(), 0))
        body.write(local(name, b"x", 1, zlib.crc32(b"x"), 0))
    path = put(tmp_path, ended(body.getvalue(), directory.getvalue(), 0xFFFF), "many.zip")
    documents, skipped = found(path)
    assert len(documents) == 100_000
    assert not skipped
    assert found(path, Rules(entries=50_000)) == ({}, {"many.zip": "too many entries: one archive may have 50,000"})


def test_many_folders_count_as_entries(tmp_path):
    files = {f"{number}/" + "d/" * 200 + "x": "x" for number in range(50)}
    _, skipped = found(put(tmp_path, tarred(files), "deep.tar"), Rules(entries=5000))
    assert skipped == {"deep.tar": "too many entries: one archive may have 5,000"}


def test_names_of_any_length(tmp_path):
    info = tarfile.TarInfo("x" * 500_000)
    documents, skipped = found(put(tmp_path, tarred({"a.py": "x", "long": info}), "a.tar"))
    assert documents == {"a.py": b"x"}
    assert [len(name) for name in skipped] == [256]


def test_long_names_together_are_too_many(tmp_path):
    name, crc = b"/".join([b"n" * 250] * 16), zlib.crc32(b"")
    directory = central(name, 0, 0, crc, 0, 0) * 17_000
    _, skipped = found(put(tmp_path, ended(b"PK\3\4", directory, 0), "a.zip"))
    assert "too many long names" in skipped["a.zip"]


def test_gitignore_files_in_great_number(tmp_path):
    files = {f"{number}/{name}": "*.log\n" * 999 for number in range(100) for name in (".gitignore", "a.py")}
    documents, skipped = found(put(tmp_path, tarred(files), "a.tar"), Rules(hidden=True))
    assert len(documents) == 200
    assert len(skipped) == 80
    assert set(skipped.values()) == {"not applied: more than 20,000 lines in all .gitignore files"}


FILES = {"alice/a.py": TEXT, "bob/b.py": TEXT[:99], "inner.zip": zipped({"c.py": TEXT}), ".gitignore": "*.log\n"}
ARCHIVES = {"a.zip": zipped(FILES)} | {f"a.{ending}": pack(tarred(FILES)) for ending, pack in PACKERS.items()}
HONEST = {"alice/a.py": TEXT.encode(), "bob/b.py": TEXT[:99].encode(), "inner.zip/c.py": TEXT.encode()}


@pytest.mark.parametrize("name", ARCHIVES)
def test_cut_short_anywhere(tmp_path, name):
    data = ARCHIVES[name]
    assert found(put(tmp_path, data, name))[0] == HONEST
    for length in {*range(0, len(data), max(1, len(data) // 60)), *range(len(data) - 30, len(data))}:
        documents, skipped = found(put(tmp_path, data[:length], name))
        assert documents.items() <= HONEST.items()
        assert documents == HONEST or skipped


@examples(150)
@given(
    name=st.sampled_from(sorted(ARCHIVES)),
    changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), min_size=1, max_size=8),
)
def test_flipped_bits_give_items_and_nothing_else(tmp_path_factory, name, changes):
    data = bytearray(ARCHIVES[name])
    for place, change in changes:
        data[int(place * len(data))] ^= change
    found(put(tmp_path_factory.mktemp("flipped"), bytes(data), name))


@examples(100)
@given(at=st.floats(0, 1, exclude_max=True), change=st.integers(1, 255))
def test_flipped_bits_in_a_zip_never_give_a_wrong_text(tmp_path_factory, at, change):
    """A zip file has checksums: what comes out under any name is what went in."""
    data = bytearray(zipped({"a.py": TEXT, "b.py": TEXT[:99]}))
    data[int(at * len(data))] ^= change
    documents, _ = found(put(tmp_path_factory.mktemp("flipped"), bytes(data), "a.zip"))
    assert set(documents.values()) <= {TEXT.encode(), TEXT[:99].encode(), bytes(data)}


@examples(80)
@given(junk=st.binary(max_size=300), name=st.sampled_from(sorted(ARCHIVES)), gzipped=st.booleans())
def test_junk_under_the_name_of_an_archive(tmp_path_factory, junk, name, gzipped):
    data = gzip.compress(junk) if gzipped else junk
    found(put(tmp_path_factory.mktemp("junk"), data, name))
