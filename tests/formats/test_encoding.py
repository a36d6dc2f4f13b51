"""Any bytes become text: the right encoding, one U+FFFD for each broken byte, the same text in blocks of any size."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.examples import examples
from whorl.errors import DocumentError
from whorl.formats import encoding
from whorl.formats.encoding import TextReader, decode, detect
from whorl.formats.text import TextFrontend

PROSE = "Der Käse, „gut“ — naïve façade, 漢字, жук, \U0001f600; "
WESTERN = "Der Käse ist gut, naïve façade, “quoted” text. "


class TestMarks:
    @pytest.mark.parametrize(("mark", "name"), encoding.MARKS)
    def test_every_mark(self, mark, name):
        decoded = decode(mark + PROSE.encode(name))
        assert (decoded.text, decoded.encoding, decoded.replaced) == (PROSE, name, 0)

    def test_a_mark_overrules_what_is_declared(self):
        assert decode(codecs.BOM_UTF16_LE + "a".encode("utf-16-le"), "koi8-r").encoding == "utf-16-le"

    def test_half_a_character_at_the_end(self):
        assert decode(codecs.BOM_UTF16_LE + b"a\0b").text == "a\ufffd"


class TestUtf8:
    @given(st.text())
    def test_valid_utf8_is_read_as_it_is(self, text):
        data = text.encode("utf-8", "replace")
        if not data.startswith(tuple(mark for mark, _ in encoding.MARKS)):
            decoded = decode(data)
            assert decoded.text == data.decode("utf-8")
            assert (decoded.encoding, decoded.replaced) == ("utf-8", 0)

    @given(st.integers(1, 400))
    def test_a_file_cut_anywhere_is_still_utf8(self, length):
        data = (PROSE * 6).encode()[: 30 + length]
        decoded = decode(data)
        whole = data.decode("utf-8", "ignore")
        assert decoded.encoding == "utf-8"
        assert decoded.text.rstrip("\ufffd") == whole
        assert decoded.replaced == len(decoded.text) - len(whole) == len(data) - len(whole.encode())

    @given(st.integers(0, 100), st.sampled_from([0xFF, 0x80, 0xC3, 0xE2]))
    def test_one_bad_byte_is_one_replacement(self, at, byte):
        data = ((PROSE * 3)[:at] + "  ").encode(), bytes([byte]), ("  " + (PROSE * 3)[at:]).encode()
        decoded = decode(b"".join(data))
        assert decoded.text == data[0].decode() + "\ufffd" + data[2].decode()
        assert (decoded.encoding, decoded.replaced) == ("utf-8", 1)

    def test_a_real_replacement_character_is_no_damage(self):
        assert decode("é\ufffdé".encode()).replaced == 0
        assert decode("éé\ufffdé".encode() + b"\xff").replaced == 1

    def test_one_high_byte_in_ascii_is_cp1252(self):
        decoded = decode(b"caf\xe9 au lait")
        assert (decoded.text, decoded.encoding) == ("café au lait", "cp1252")


class TestDeclared:
    @pytest.mark.parametrize(
        "charset", ["koi8-r", "windows-1251", "iso-8859-5", "gb18030", "shift_jis", "euc-jp", "big5"]
    )
    def test_by_the_caller(self, charset):
        text = "жук и жаба " * 5 if charset != "big5" else "漢字" * 9
        assert decode(text.encode(charset), charset).text == text

    @pytest.mark.parametrize(
        "head",
        [
            '<html><head><meta charset="koi8-r">',
            '<META http-equiv="Content-Type" content="text/html; charset=KOI8-R">',
            '<?xml version="1.0" encoding="koi8-r"?>',
            "#!/usr/bin/python\n# -*- coding: koi8-r -*-\n",
            "# vim: set fileencoding=koi8-r :\n",
        ],
    )
    def test_inside(self, head):
        text = head + "жук и жаба"
        assert decode(text.encode("koi8-r")).text == text

    def test_beyond_the_first_kilobyte_nothing_is_declared(self):
        assert decode(b" " * 1024 + b'<meta charset="koi8-r">\xd6').encoding == "cp1252"

    @pytest.mark.parametrize(
        "charset", ["nonsense", "x" * 999, "base64", "idna", "unicode_escape", "utf-7", "a\0b", "ü"]
    )
    def test_what_is_no_charset_is_ignored(self, charset):
        assert decode(b"caf\xe9", charset).encoding == "cp1252"

    def test_latin_1_is_read_as_its_superset(self):
        assert decode(b"\x93quoted\x94", "iso-8859-1").text == "“quoted”"

    def test_seven_bit_and_wide_charsets_come_before_utf8(self):
        assert decode("漢字".encode("iso2022_jp"), "iso-2022-jp").text == "漢字"
        assert decode("ab".encode("utf-16-le"), "utf-16").text == "ab"
        assert decode(b'<meta charset="utf-16">ab').encoding == "utf-8"

    def test_utf8_is_believed_before_a_declaration(self):
        assert decode(PROSE.encode(), "iso-8859-1").text == PROSE


class TestFallback:
    def test_cp1252(self):
        decoded = decode(WESTERN.encode("cp1252"))
        assert (decoded.text, decoded.encoding, decoded.replaced) == (WESTERN, "cp1252", 0)

    def test_bytes_that_cp1252_lacks(self):
        decoded = decode(b"\x81\x8d\xe9")
        assert (decoded.text, decoded.replaced) == ("\ufffd\ufffdé", 2)


charsets = st.sampled_from(
    [
        None,
        None,
        "utf-16-le",
        "utf-32-be",
        "gb18030",
        "shift_jis",
        "euc_kr",
        "iso2022_jp",
        "iso2022_kr",
        "hz",
        "big5hkscs",
        "koi8-r",
    ]
)
MARKS = [codecs.BOM_UTF8, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE]
BROKEN = [b"\x1b", b"\x1b$B", b"~{", b"\xe2\x82", b"\xf0\x9f", b"\xff", b"\xd8\x00", b"\x81", b"\x0e"]
SOUND = [b"ab", b"\n", b"\x00", "é".encode(), "漢".encode(), b'<meta charset="gbk">']
DECLARED = [b"# coding: utf-7", b"#coding=gbk\n", b'<?xml encoding="iso-2022-jp"?>', b"<meta charset=hz>", b"CODING"]
pieces = st.sampled_from([*MARKS, *BROKEN, *SOUND])
data = st.binary(max_size=60) | st.lists(pieces, max_size=14).map(b"".join)


class TestAnyBytes:
    @examples(300)
    @given(data=data, declared=charsets)
    def test_nothing_raises(self, data, declared):
        decoded = decode(data, declared)
        assert decoded.replaced <= decoded.text.count("\ufffd")
        assert decoded.replaced <= len(data)

    @examples(1000)
    @given(st.lists(st.sampled_from([b"ab", b"\n", b"\x1b$B", b"~{", b"\0", b"\r", *DECLARED])).map(b"".join))
    def test_what_seems_plain_is_decoded_as_anything_else(self, data):
        decoded = decode(data)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(encoding, "is_plain_ascii", lambda _: False)
            assert decode(data) == decoded

    @pytest.fixture(scope="class")
    @staticmethod
    def path(tmp_path_factory):
        return tmp_path_factory.mktemp("documents") / "document"

    @given(data=data, declared=charsets, block=st.integers(1, 7) | st.integers(8, 80))
    def test_blocks_of_any_size_give_the_same_text(self, path, data, declared, block):
        path.write_bytes(data)
        reader = TextReader(path, declared, block)
        decoded = decode(data, declared)
        chunks = list(reader)
        assert "".join(chunks) == decoded.text
        assert reader.encoding == decoded.encoding
        assert all(chunks)

    @pytest.mark.parametrize("block", range(1, 8))
    @pytest.mark.parametrize(
        "text", [PROSE.encode() * 3 + b"\xe2\x82", WESTERN.encode("cp1252"), b"\xff\xfe\x00\xd8a\x00b"]
    )
    def test_small_blocks(self, path, text, block):
        path.write_bytes(text)
        assert "".join(TextReader(path, block=block)) == decode(text).text

    def test_a_reader_can_be_read_twice(self, path):
        path.write_bytes(PROSE.encode())
        reader = TextReader(path, block=3)
        assert list(reader) == list(reader)

    def test_what_cannot_be_read_is_a_document_error(self, tmp_path):
        for path in (tmp_path, tmp_path / "missing"):
            with pytest.raises(DocumentError, match="cannot be read"):
                TextReader(path)


def test_declared_utf8_that_is_broken_is_read_to_its_end():
    """A declaration outweighs one broken byte; what follows the byte must not be lost."""
    page = b'<meta charset="utf-8"> begin \xe6 the rest'
    assert not detect([page]).is_plain_utf8
    found = whorl.fingerprint(whorl.Document("", page, format="text"), whorl.Scheme(k=3, w=2))
    assert found.symbols == len(TextFrontend().stream(decode(page).text))


class TestWideWithoutMark:
    @pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
    @pytest.mark.parametrize("block", [1, 3, 7, 1024])
    def test_the_nul_bytes_tell(self, name, block):
        data = ("int main(void) { return 0; }\n" * 9).encode(name)
        assert detect(data[at : at + block] for at in range(0, len(data), block)).name == name

    def test_a_few_wide_letters_among_them(self):
        text = "// Größe ist 漢字\nint main(void) { return 0; }\n"
        assert decode(text.encode("utf-16-le")).text == text

    def test_a_comment_in_utf16_makes_no_other_encoding(self):
        data = b"/*" + "comment".encode("utf-16-le") * 100 + b"*/" + b"int main(void) { return 0; }\n" * 100
        assert decode(data).encoding == "utf-8"
