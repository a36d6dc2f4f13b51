"""Archives: the same documents in every format, and what is refused in them."""

import io
import struct
import tarfile
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.archives.packing import (
    PACKERS,
    central,
    deflated,
    ended,
    found,
    link,
    local,
    tarred,
    zipped,
)  # fmt: skip
from whorl.formats.archives.rules import Rules

FILES = {"a.py": "x = 1\n", "b/c.txt": "long " * 9999, "b/é.md": "é"}
EXPECTED = {name: content.encode() for name, content in FILES.items()}

# Names that no honest archive has, and a word of the reason.
HOSTILE = {
    "../out.py": '".."',
    "a/../../out.py": '".."',
    "/etc/passwd": "absolute",
    "C:/boot.ini": "drive",
    "c:boot.ini": "drive",
    "a\\..\\b.py": "backslash",
    "x/" * 300 + "deep": "folders deep",
    "n" * 300: "255 characters",
}


def put(tmp_path, data, name="a.zip"):
    path = tmp_path / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_zip(tmp_path, method):
    assert found(put(tmp_path, zipped(FILES, method))) == (EXPECTED, {})


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("ending", PACKERS)
def test_tar(tmp_path, form, ending):
    files = {**FILES, "long/" * 18 + "n" * 99: "long name"}
    expected = {name: content.encode() for name, content in files.items()}
    assert found(put(tmp_path, PACKERS[ending](tarred(files, form)), f"a.{ending}")) == (expected, {})
    assert found(put(tmp_path, PACKERS[ending](tarred(files, form)), "nameless")) == (expected, {})


@pytest.mark.parametrize("ending", ["tar.gz", "tar.bz2", "tar.xz", "tar.zst"])
def test_streams_in_several_parts(tmp_path, ending):
    data = tarred(FILES)
    parts = b"".join(PACKERS[ending](data[at : at + 7000]) for at in range(0, len(data), 7000))
    assert found(put(tmp_path, parts, f"a.{ending}")) == (EXPECTED, {})


def test_zip64_and_bytes_before_the_archive(tmp_path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in FILES.items():
            with archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as member:
                member.write(content.encode())
    assert found(put(tmp_path, buffer.getvalue())) == (EXPECTED, {})
    assert found(put(tmp_path, b"#!/bin/unzip\n\0" + zipped(FILES))) == (EXPECTED, {})


def test_zip_with_a_zip64_directory(tmp_path):
    data = b"text"
    body = local(b"a.py", data, 4, zlib.crc32(data), 0)
    wide = struct.pack("<2HQ", 1, 8, 0)
    record = bytearray(central(b"a.py", 4, 4, zlib.crc32(data), 0xFFFFFFFF, 0) + wide)
    record[30:32] = struct.pack("<H", len(wide))
    end64 = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, len(record), len(body))
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, len(body) + len(record), 1)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    assert found(put(tmp_path, body + bytes(record) + end64 + locator + end)) == ({"a.py": data}, {})


@pytest.mark.parametrize(("name", "reason"), HOSTILE.items())
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_hostile_names_are_refused_and_the_rest_goes_on(tmp_path, name, reason, pack):
    documents, skipped = found(put(tmp_path, pack({name: "evil", "good.py": "x"})))
    assert documents == {"good.py": b"x"}
    assert [reason in why for why in skipped.values()] == [True]


def test_a_nul_in_a_name(tmp_path):
    data = b"evil"
    body = local(b"a\0b.py", data, 4, zlib.crc32(data), 0)
    documents, skipped = found(put(tmp_path, ended(body, central(b"a\0b.py", 4, 4, zlib.crc32(data), 0, 0), 1)))
    assert documents == {}
    assert skipped == {"a\\x00b.py": "refused: a NUL in its name", "./": "empty"}


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_names_with_controls_are_cleaned(tmp_path, pack):
    documents, skipped = found(put(tmp_path, pack({"a\n\x1b[2J.py": "x", "../\r\n": "y"})))
    assert documents == {"a\\x0a\\x1b[2J.py": b"x"}
    assert skipped == {"../\\x0d\\x0a": 'refused: ".." in its name'}


def test_names_in_old_encodings(tmp_path):
    data = zipped({"caf_.py": "x"}).replace(b"caf_", b"caf\x82")
    assert found(put(tmp_path, data))[0] == {"café.py": b"x"}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT, encoding="latin-1") as archive:
        info = tarfile.TarInfo("café.py")
        info.size = 1
        archive.addfile(info, io.BytesIO(b"x"))
    assert found(put(tmp_path, buffer.getvalue(), "a.tar"))[0] == {"café.py": b"x"}


def test_links_and_devices_in_tar(tmp_path):
    files: dict[str, str | tarfile.TarInfo] = {
        "link": link("link", "/etc/passwd"),
        "hard": link("hard", "good.py", tarfile.LNKTYPE),
        "pipe": link("pipe", "", tarfile.FIFOTYPE),
        "device": link("device", "", tarfile.CHRTYPE),
        "good.py": "x",
    }
    documents, skipped = found(put(tmp_path, tarred(files)))
    assert documents == {"good.py": b"x"}
    assert skipped == {
        "link": "refused: a symbolic link", "hard": "refused: a hard link", "pipe": "refused: a pipe",
        "device": "refused: a device",
    }  # fmt: skip


def test_links_in_zip(tmp_path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("link")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
        archive.writestr("good.py", "x")
    assert found(put(tmp_path, buffer.getvalue())) == ({"good.py": b"x"}, {"link": "refused: a symbolic link"})


def test_encrypted_and_unknown_methods(tmp_path):
    body = local(b"a", b"1234", 4, 0, 0) + local(b"b", b"1234", 4, 0, 97)
    second = len(local(b"a", b"1234", 4, 0, 0))
    directory = central(b"a", 4, 4, 0, 0, 0, flags=1) + central(b"b", 4, 4, 0, second, 97)
    _, skipped = found(put(tmp_path, ended(body, directory, 2)))
    assert skipped == {"a": "encrypted", "b": "unknown compression method (97)"}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("form", ["zip", "tar"])
def test_the_last_of_two_members_of_one_name_holds(tmp_path, form):
    buffer = io.BytesIO()
    if form == "zip":
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("a.py", "first")
            archive.writestr("a.py", "second")
    else:
        buffer.write(tarred({"a.py": "first"})[:1024] + tarred({"a.py": "second"}))
    documents, skipped = found(put(tmp_path, buffer.getvalue()))
    assert documents == {"a.py": b"second"}
    assert skipped == {"a.py": "replaced by a later member of the same name in the archive"}


def test_a_damaged_member_does_not_harm_the_others(tmp_path):
    data = zipped({"a.py": "aaaa", "b.py": "bbbb"}, zipfile.ZIP_STORED).replace(b"aaaa", b"aaax")
    assert found(put(tmp_path, data)) == ({"b.py": b"bbbb"}, {"a.py": "damaged: its checksum is wrong"})


def test_members_that_say_too_little_or_too_much(tmp_path):
    packed = deflated(b"x" * 100)
    crc = zlib.crc32(b"x" * 100)
    for size, reason in ((50, "longer"), (150, "shorter")):
        body = local(b"a", packed, size, crc)
        _, skipped = found(put(tmp_path, ended(body, central(b"a", len(packed), size, crc, 0), 1)))
        assert reason in skipped["a"]


def test_gitignore_and_generated_inside_archives(tmp_path):
    files = {
        "p/x.log": "x",
        "p/.gitignore": "*.log\n",
        "p/node_modules/a/i.js": "x",
        "p/node_modules/j.js": "x",
        "p/a.py": "x",
    }
    for pack in (zipped, tarred):
        documents, skipped = found(put(tmp_path, pack(files)))
        assert list(documents) == ["p/a.py"]
        assert skipped == {
            "p/.gitignore": "hidden", "p/x.log": "ignored by a .gitignore", "p/node_modules/": "dependencies: 2 files",
        }  # fmt: skip


def test_archives_are_opened_two_deep(tmp_path):
    third = zipped({"c.py": "3"})
    second = PACKERS["tar.gz"](tarred({"b.py": "2", "third.zip": third}))
    data = zipped({"a.py": "1", "second.tgz": second, "essay.docx": third})
    documents, skipped = found(put(tmp_path, data))
    assert documents == {"a.py": b"1", "second.tgz/b.py": b"2", "essay.docx": third}
    assert skipped == {"second.tgz/third.zip": "an archive inside 2 others; unpack the outer one"}
    assert "second.tgz/third.zip/c.py" in found(tmp_path / "a.zip", Rules(nesting=2))[0]
    assert found(tmp_path / "a.zip", Rules(nesting=0))[0].keys() == {"a.py", "essay.docx"}


def test_an_archive_without_members(tmp_path):
    assert found(put(tmp_path, zipped({}))) == ({}, {"./": "empty"})
    assert found(put(tmp_path, tarred({}), "a.tar")) == ({}, {"./": "empty"})


@given(st.dictionaries(st.text("abc./é ", min_size=1, max_size=12), st.binary(max_size=50), max_size=6))
def test_zip_and_tar_of_the_same_files_agree(tmp_path_factory, files):
    path = tmp_path_factory.mktemp("pair")
    files = {name: content for name, content in files.items() if not name.endswith("/")}
    assert found(put(path, zipped(files), "a.zip")) == found(put(path, tarred(files), "a.tar"))


def test_a_zip_file_whose_end_is_wrong(tmp_path):
    data = zipped({"a.py": "x"})
    end = len(data) - 22
    split = data[: end + 4] + b"\1" + data[end + 5 :]
    assert "split" in found(put(tmp_path, split))[1]["a.zip"]
    astray = data[: end + 16] + b"\xff\xff\0\0" + data[end + 20 :]
    assert "not where its end says" in found(put(tmp_path, astray))[1]["a.zip"]


def test_a_directory_that_breaks_off_gives_what_it_has(tmp_path):
    data = zipped({"a.py": "x", "b.py": "y"})
    second = data.rindex(b"PK\1\2")
    documents, skipped = found(put(tmp_path, data[:second] + b"XX" + data[second + 2 :]))
    assert documents == {"a.py": b"x"}
    assert "breaks off" in skipped["a.zip"]


def test_a_member_that_is_elsewhere_or_has_two_names(tmp_path):
    data = zipped({"a.py": "x", "b.py": "y"})
    documents, skipped = found(put(tmp_path, data.replace(b"a.py", b"c.py", 1)))
    assert (documents, skipped) == ({"b.py": b"y"}, {"a.py": "damaged: the zip file has two names for it"})
    documents, skipped = found(put(tmp_path, b"PK\3\5" + data[4:]))
    assert (documents, skipped) == ({"b.py": b"y"}, {"a.py": "damaged: it is not where the zip file says"})


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_gitignore_that_is_too_large(tmp_path, pack):
    files = {".gitignore": "*.log\n" * 9999, "a.log": "x"}
    documents, skipped = found(put(tmp_path, pack(files)), Rules(hidden=True))
    assert "a.log" in documents
    assert skipped[".gitignore"].startswith("not applied: more than 32,768 bytes")


def test_sizes_of_tar_members_in_other_forms(tmp_path):
    data = bytearray(tarred({"a.py": "x"}, tarfile.GNU_FORMAT))
    for field, expected in ((b"\x80" + bytes(10) + b"\1", ""), (b"\xff" * 12, "impossible"), (b"9" * 12, "no number")):
        data[124:136] = field
        data[148:156] = b"%06o\0 " % (sum(data[:148]) + sum(data[156:512]) + 256)
        documents, skipped = found(put(tmp_path, bytes(data), "a.tar"))
        assert expected in skipped.get("a.tar", "")
        assert documents == ({} if expected else {"a.py": b"x"})
