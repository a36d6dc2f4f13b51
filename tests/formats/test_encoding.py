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


# A few sentences of one story in each language.
STORY = {
    "ru": "Смотритель маяка каждый вечер записывал в тетрадь, что принесло ему море. Он жил один.",
    "uk": "Доглядач маяка щовечора записував у зошит, що принесло йому море. Він жив сам, і листи приходили рідко.",
    "el": "Ο φύλακας του φάρου έγραφε κάθε βράδυ στο τετράδιο τι του έφερε η θάλασσα. Ζούσε μόνος του στο νησί.",
    "cs": "Strážce majáku si každý večer zapisoval do sešitu, co mu přineslo moře. Žil úplně sám v tmavé věži.",
    "pl": "Latarnik każdego wieczoru zapisywał w zeszycie, co przyniosło mu morze. Żył całkiem sam.",
    "ja": "灯台守は毎晩、海が運んできたものを帳面に書いていました。"
    "彼は一人で島に住んでいて、手紙はほとんど来ませんでした。",
    "zh": "看守灯塔的人每天晚上都在本子上写下大海给他带来的东西。他一个人住在岛上，很少收到来信。",
    "zh-tw": "看守燈塔的人每天晚上都在本子上寫下大海給他帶來的東西。他一個人住在島上，很少收到來信。",
    "ko": "등대지기는 매일 저녁 바다가 가져다 준 것을 공책에 적었다. 그는 섬에서 혼자 살았고 편지는 거의 오지 않았다.",
    "fr": "Le gardien du phare notait chaque soir dans son cahier ce que la mer lui avait apporté."
    " Isolé, «\xa0à l’écart\xa0».",
    "de": "Der Leuchtturmwärter schrieb jeden Abend in sein Heft, was das Meer brachte: „Nüsse, Äste, Fläschchen“.",
    "es": "El farero anotaba cada noche qué le había traído el mar. ¿Por qué? Vivía solo allí desde hacía muchos años.",
    "sv": "Fyrvaktaren skrev varje kväll i häftet vad havet hade fört med sig. Han bodde ensam på ön.",
    "pt": "O faroleiro escrevia todas as noites no caderno o que o mar lhe trazia."
    " Não tinha ninguém; as estações passavam.",
    "is": "Vitavörðurinn skrifaði á hverju kvöldi í bókina það sem hafið hafði fært honum. Hann bjó einn á eyjunni.",
}
GUESSED = [
    *(("ru", each) for each in ("cp1251", "koi8-r", "cp866", "iso8859-5")), ("uk", "cp1251"), ("uk", "koi8-u"),
    ("el", "iso8859-7"), ("el", "cp1253"), ("cs", "cp1250"), ("cs", "iso8859-2"), ("pl", "cp1250"), ("pl", "iso8859-2"),
    *(("ja", each) for each in ("shift_jis", "euc_jp", "iso2022_jp")), ("zh", "gbk"), ("zh", "gb18030"),
    ("zh-tw", "big5"), ("ko", "euc_kr"), ("fr", "mac-roman"), ("de", "cp850"),
]  # fmt: skip
WESTERN_LANGUAGES = ("fr", "de", "es", "sv", "pt", "is")


class TestGuessed:
    @pytest.mark.parametrize(("language", "charset"), GUESSED)
    def test_legacy_text_is_read_in_its_encoding_and_a_note_says_so(self, language, charset):
        text = STORY[language] * 2
        text = text.encode(charset, "ignore").decode(charset)
        data = text.encode(charset)
        assert decode(data).text == text
        assert detect([data]).note == f"read as {decode(data).encoding}, which was guessed: save it as UTF-8 to be sure"

    @pytest.mark.parametrize("charset", ["cp1251", "koi8-r", "shift_jis", "gbk"])
    def test_few_comments_of_a_program_tell(self, charset):
        language = {"shift_jis": "ja", "gbk": "zh"}.get(charset, "ru")
        comments = [f"# {part}\n" for part in STORY[language].replace("。", ".").split(".") if part]
        program = "".join(comment + "value = compute(value, 17)\n" * 40 for comment in comments)
        assert decode(program.encode(charset)).text == program

    @pytest.mark.parametrize("language", WESTERN_LANGUAGES)
    def test_western_text_stays_cp1252_without_a_note(self, language):
        for text in (STORY[language], STORY[language] * 30, *STORY[language].split(), STORY[language].upper()):
            data = text.encode("cp1252")
            assert decode(data).text == text
            assert detect([data]).note == ""

    @pytest.mark.parametrize(
        "text",
        [
            "“word” and ‘word’ – it’s fine…",
            "”A” ”B”-s ”C”",
            "18 × 20 × 30 mm ± 2",
            "naïve",
            "ÄÖÜ",
            "• a • b •c •d •e •f",
            "10 °C, 5 µm²",
        ],
    )
    def test_quotation_marks_and_signs_are_no_letters(self, text):
        assert decode(text.encode("cp1252")).text == text

    def test_a_declared_encoding_is_not_guessed(self):
        data = STORY["ru"].encode("cp1251")
        assert decode(data, "cp1252").encoding == "cp1252"
        assert detect([data], "cp1252").note == ""

    def test_letters_that_fit_nowhere_are_told(self):
        encoding = detect([b"a\xacb\xafc\xa6d\xa8e\xb8f " * 5])
        assert encoding.name == "cp1252"
        assert "its letters are unusual" in encoding.note

    @pytest.mark.parametrize("block", [1, 2, 3, 7, 100])
    @pytest.mark.parametrize(("language", "charset"), [("ja", "iso2022_jp"), ("ja", "euc_jp"), ("ru", "koi8-r")])
    def test_blocks_of_any_size_are_guessed_alike(self, language, charset, block, tmp_path):
        path = tmp_path / "story.txt"
        path.write_bytes((STORY[language]).encode(charset))
        assert "".join(TextReader(path, block=block)) == STORY[language]

    @pytest.mark.parametrize("end", [b"", b"\x1b(B", b"\x1b[0m"])
    def test_escape_sequences_of_a_terminal_are_no_japanese(self, end):
        data = b"\x1b[31mred\x1b$x" + end
        assert decode(data).text == data.decode("ascii")

    def test_every_front_end_passes_the_note_on(self):
        koi8, html = STORY["ru"].encode("koi8-r"), "<!DOCTYPE html><p>" + STORY["ru"]
        documents = [
            whorl.Document("a.txt", koi8), whorl.Document("a.md", koi8), whorl.Document("a.tex", koi8),
            whorl.Document("a.html", html.encode("koi8-r")),
        ]  # fmt: skip
        notes = [whorl.fingerprint(document, "text").notes for document in documents]
        program = b"# " + koi8 + b"\nvalue = compute(value, 17)\n"
        notes.append(whorl.fingerprint(whorl.Document("a.py", program), "code").notes)
        assert notes == [("read as koi8-r, which was guessed: save it as UTF-8 to be sure",)] * 5


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
