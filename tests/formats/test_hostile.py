"""Hostile files through the public way: bounded time and memory, a clear report, and the next honest file reads.

Every item of the list is here, as a person would meet it: a file on the disk. What each front-end does with it in
detail, and with its relatives, is tested where the front-end is:

| item                                                  | in detail                                                    |
|-------------------------------------------------------|--------------------------------------------------------------|
| ``s<`` as Java, ``a?`` as Python, nested parentheses  | ``code/test_hostile.py``: ``test_repeated``                  |
| 200,000 nested ``<div>``                              | ``documents/test_html.py``: ``test_hostile_pages``           |
| an unclosed ``/*`` of 5 MB                            | ``code/test_hostile.py``: ``test_what_is_never_closed``      |
| a zip bomb, 100,000 entries, overlapping entries      | ``archives/test_hostile.py``                                 |
| ``../`` and links                                     | ``archives/test_archives.py``                                |
| the same in office files                              | ``documents/test_package.py``                                |
| a truncated and a bit-flipped PDF                     | ``documents/test_pdf.py``                                    |
| a billion laughs in a DOCX                            | ``documents/test_package.py``: ``test_a_billion_laughs``     |
| a line of 100 MB                                      | as text here; as code in ``code/test_hostile.py``            |
| NUL bytes, lone surrogates                            | ``code/test_hostile.py``, ``tests/conformance/frontend.py``  |
"""

import resource
import stat
import time
import zipfile

import pytest

import whorl
from tests.formats.archives.packing import central, ended, local
from tests.formats.documents.writers import W, pdf, zipped
from tests.sandbox.impatience import impatient
from whorl.formats.archives.walk import walk

MEGABYTE = 1 << 20

# Far more than any of these takes on a busy machine; a reader that is worse than linear takes hours.
SECONDS = 120
# Growth of this process, in megabytes: a line of 100 MB may be held once or twice, a bomb of a gigabyte may not.
GROWTH = 600

HONEST = b"class A { int b = 1; int twice() { return b + b; } }\n" * 40
STOPPED = "read by the plain lexer, not as "
IN_PIECES = "read in pieces, not as a whole: "


@pytest.fixture(scope="class")
def _impatient():
    """Parsers are stopped after less than by default, so that the tests stay fast."""
    with impatient(workers=1):
        yield


@pytest.fixture
def bounded(tmp_path):
    """Checks after the test that it took bounded time and memory, and that an honest file reads as ever."""
    honest = tmp_path / "Honest.java"
    honest.write_bytes(HONEST)
    expected = whorl.fingerprint(honest, "code").hashes.tolist()
    assert len(expected) > 3
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    yield
    assert time.monotonic() - started < SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < GROWTH * 1024
    assert whorl.fingerprint(honest, "code").hashes.tolist() == expected


def put(folder, name, data):
    path = folder / name
    path.write_bytes(data)
    return path


def text_or_reason(path, expected):
    """Whether a file is read, with symbols or a note, or refused with a message that has what is expected."""
    try:
        found = whorl.fingerprint(path)
    except whorl.DocumentError as error:
        return expected in str(error)
    return bool(found.symbols or found.notes)


@pytest.mark.usefixtures("_impatient", "bounded")
class TestPrograms:
    @pytest.mark.parametrize(
        ("name", "data"),
        [
            pytest.param("A.java", b"s<" * 10_000, id="20 kB of s<"),
            pytest.param("a.py", b"a?" * 10_000, id="20 kB of a?"),
            pytest.param("a.js", b"(" * 100_000 + b"a + b" + b")" * 100_000, id="200 kB of nested parentheses"),
            pytest.param(
                "a.c", b"int a;\n/*" + b" it goes on" * (5 * MEGABYTE // 11), id="an unclosed comment of 5 MB"
            ),
            pytest.param("a.go", b"package a\n" + bytes(100) + b"func f() {}\n" * 1000, id="NUL bytes"),
            pytest.param("a.rb", b"a = '\xed\xa0\x80'\n" * 500, id="surrogates in UTF-8"),
        ],
    )
    def test_it_is_read_or_the_fallback_is_said(self, tmp_path, name, data):
        found = whorl.fingerprint(put(tmp_path, name, data), "code")
        assert all(note.startswith((STOPPED, IN_PIECES)) for note in found.notes)
        assert all("the parser was stopped: " in note or "the parser failed on most" in note for note in found.notes)
        assert found.symbols

    def test_what_stops_a_parser_is_reported_in_a_comparison(self, tmp_path):
        folder = tmp_path / "class"
        folder.mkdir()
        put(folder, "Evil.java", b"s<" * 10_000)
        put(folder, "One.java", HONEST)
        put(folder, "Two.java", HONEST.replace(b"twice", b"double"))
        found = whorl.compare_all(folder, "code")
        assert [(found.submissions[pair.left].name, found.submissions[pair.right].name) for pair in found.pairs] == [
            ("One.java", "Two.java")
        ]
        evil = next(it for it in found.submissions if it.name == "Evil.java")
        assert evil.files[0].notes[0].startswith(STOPPED + "java: the parser was stopped: ")


@pytest.mark.usefixtures("bounded")
class TestTexts:
    def test_200_000_nested_divisions(self, tmp_path):
        page = b"<html>" + b"<div>" * 200_000 + b"the keeper climbed ninety steps" + b"</div>" * 200_000
        assert whorl.fingerprint(put(tmp_path, "a.html", page)).symbols == 27

    @pytest.mark.parametrize("size", [20, pytest.param(100, marks=pytest.mark.slow)])
    def test_a_line_of_many_megabytes(self, tmp_path, size):
        path = tmp_path / "line.txt"
        with path.open("wb") as file:
            for _ in range(size):
                file.write(b"word " * (MEGABYTE // 5))
        found = whorl.fingerprint(path)
        assert found.symbols == size * (MEGABYTE // 5) * 4

    @pytest.mark.parametrize("preset", ["text", "web"])
    def test_nul_bytes(self, tmp_path, preset):
        prose = b"the keeper climbed ninety steps\n" * 100
        plain = whorl.fingerprint(put(tmp_path, "plain.txt", prose), preset)
        spoiled = whorl.fingerprint(put(tmp_path, "nul.txt", prose.replace(b"\n", b"\0\n", 20)), preset)
        assert spoiled.hashes.tolist() == plain.hashes.tolist()
        with pytest.raises(whorl.DocumentError, match=r"zeros\.txt: binary \(it has NUL bytes\), not text"):
            whorl.fingerprint(put(tmp_path, "zeros.txt", bytes(5 * MEGABYTE)), preset)

    def test_lone_surrogates(self, tmp_path):
        prose = "the keeper climbed ninety steps " * 30
        expected = whorl.fingerprint(prose).hashes.tolist()
        assert whorl.fingerprint(prose.replace(" ", "\ud800 ")).hashes.tolist() == expected
        data = prose.encode().replace(b" ", b" \xed\xa0\x80 ")
        assert whorl.fingerprint(put(tmp_path, "surrogates.txt", data)).symbols > 0


@pytest.mark.usefixtures("bounded")
class TestDocuments:
    def test_a_billion_laughs(self, tmp_path):
        lines = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
        bomb = f'<!DOCTYPE x [<!ENTITY l0 "ha">{lines}]><w:document xmlns:w="{W}"><w:t>&l9;</w:t></w:document>'
        path = put(tmp_path, "laughs.docx", zipped({"word/document.xml": bomb}))
        with pytest.raises(whorl.DocumentError, match=r"laughs\.docx: cannot be read as DOCX: .*declares entities"):
            whorl.fingerprint(path)

    def test_a_truncated_and_a_bit_flipped_pdf(self, tmp_path):
        pytest.importorskip("pypdfium2", reason="reading PDF needs pypdfium2")
        whole = pdf([["The keeper climbed ninety steps", "and lit the lamp"]] * 2)
        for at in (20, len(whole) // 3, len(whole) // 2, len(whole) - 40):
            flipped = whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1 :]
            for data in (whole[:at], flipped):
                assert text_or_reason(put(tmp_path, "paper.pdf", data), "paper.pdf: cannot be read as PDF: ")


@pytest.mark.usefixtures("bounded")
class TestArchives:
    def test_every_bad_member_is_reported_and_the_good_ones_are_compared(self, tmp_path):
        path = tmp_path / "class.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr("One.java", HONEST)
            archive.writestr("Two.java", HONEST)
            archive.writestr("../Evil.java", HONEST)
            archive.writestr("bomb.java", bytes(300 * MEGABYTE))
            linked = zipfile.ZipInfo("link.java")
            linked.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(linked, "/etc/passwd")
        found = whorl.compare_all(path, "code")
        assert [it.name for it in found.submissions] == ["One.java", "Two.java"]
        reasons = {it.name.rpartition("/")[2]: it.reason for it in found.skipped}
        assert ".." in reasons["Evil.java"]
        assert reasons["bomb.java"].startswith(("too large", "perhaps a bomb"))
        assert "link" in reasons["link.java"]
        assert len(found.pairs) == 1

    def test_entries_that_overlap(self, tmp_path):
        first = local(b"a.py", b"a = 1\n" * 9, 54, 0, 0)
        directory = central(b"a.py", 54, 54, 0, 0, 0) + central(b"b.py", 54, 54, 0, 10, 0)
        items = list(walk(put(tmp_path, "overlap.zip", ended(first, directory, 2))))
        assert {item.name for item in items} == {"a.py", "b.py"}
        assert all(isinstance(item, whorl.Skipped) and item.reason for item in items)

    def test_100_000_entries(self, tmp_path):
        """More than the rules allow: refused by its directory, before anything is unpacked."""
        directory = b"".join(central(b"%06d" % number, 0, 0, 0, 0, 0) for number in range(100_000))
        path = put(tmp_path, "many.docx", ended(b"PK\3\4" + bytes(26) + b"word/", directory, 0xFFFF))
        with pytest.raises(whorl.DocumentError, match=r"many\.docx: cannot be read as DOCX: too many entries"):
            whorl.fingerprint(path)
