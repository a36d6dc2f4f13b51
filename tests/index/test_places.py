"""Quotations and bibliographies of a text: what begins, ends and is none."""

from types import SimpleNamespace
from typing import Any

import pytest

from whorl.index import places
from whorl.index.places import bibliography, quotations

SONG = "The keeper wrote down every evening what the sea had brought him, and what it had taken from him again."
TALE = "A baker fired his three ovens every morning before the village woke, and nobody ever asked him why he did."
OWN = "Nothing in this sentence was ever written down by anybody else before today."
CHINESE = (
    "灯塔看守人每天晚上都写下大海带给他的一切以及从他那里夺走的一切没有人问过他为什么要这样做因为村里人都还在睡觉。" * 2
)


@pytest.mark.parametrize(
    "text",
    [
        'a 5" pipe and 6 more',
        "the dogs' bone isn't here",
        "rock 'n roll",
        "one “open\n\nnothing closes it” there",
        "x > y",
        f"the '90s were good. {SONG} The dogs' tails",
        f"a 5” pipe. {SONG} A 6” pipe",
        f"ce mot », dit-il. {SONG} Et « voilà",
        f"צה״ל. {SONG} ארה״ב",
    ],
)
def test_what_is_no_quotation(text):
    assert quotations(text) == []


@pytest.mark.parametrize("before", ["", "He said: ", "“Yes,” he said. "])
def test_a_quotation_of_two_paragraphs(before):
    text = f"{before}“First it goes on\n\n“and then it ends.” Then not."
    assert [text[start:end] for start, end in quotations(text)][-2:] == ["“First it goes on", "“and then it ends.”"]


@pytest.mark.parametrize("note", ["1", "¹", "12", "¹²", "[1]"])
@pytest.mark.parametrize(("opening", "closing"), ["“”", "„“", "»«", '""', "‘’"])
def test_the_number_of_a_note_may_follow_a_quotation(opening, closing, note):
    quoted = f"{opening}{SONG}{closing}"
    text = f"He wrote: {quoted}{note} {TALE} They said {opening}yes{closing}."
    assert [text[start:end] for start, end in quotations(text)] == [quoted, f"{opening}yes{closing}"]


@pytest.mark.parametrize(
    ("quoted", "text"),
    [
        ("”Ja, det är så”", "Han sade: {} och gick. {}, sade hon."),
        ("»Niin se on»", "Hän sanoi: {}, ja lähti ({})."),
        ("“그렇습니다”", "그는 {}라고 말했다. 그리고 {}고 했다."),
        ("“ใช่แล้ว”", "เขาพูดว่า{}แล้วก็ไป และ {}"),
        ("״כן בהחלט״", "הוא אמר {} והלך. {}, אמרה."),
    ],
    ids=["Swedish", "Finnish", "Korean", "Thai", "Hebrew"],
)
def test_quotations_in_the_marks_of_other_languages(quoted, text):
    text = text.format(quoted, quoted)
    assert [text[start:end] for start, end in quotations(text)] == [quoted, quoted]


@pytest.mark.parametrize(("opening", "closing"), ["“”", "「」", "『』", "‘’", '""', "«»"])
def test_quotations_in_scripts_without_spaces(opening, closing):
    quoted = f"{opening}灯塔看守人每天晚上都写下来{closing}"
    text = f"他说{quoted}然后走了，又说{quoted}。"
    assert [text[start:end] for start, end in quotations(text)] == [quoted, quoted]


ENTRIES = "Keeper, J. (1998). Gauges. Journal of Tides, 12, pp. 3–40.\n\nBaker, S. (2004). Ovens. Village Press.\n\n"
HEADINGS = [
    "References", "5. REFERENCES", "## Bibliography", "Works cited", "Literaturverzeichnis", "Literatur", "Références",
    "Bibliografía", "Referencias bibliográficas", "Riferimenti bibliografici", "Referências", "Literatuurlijst",
    "Källor", "Lähteet", "Kaynakça", "Список литературы", "Βιβλιογραφία", "参考文献", "참고문헌",
    "ביבליוגרפיה", "רשימת מקורות", "قائمة المصادر والمراجع", "منابع", "บรรณานุกรม", "Tài liệu tham khảo",
    "Daftar Pustaka", "संदर्भ ग्रंथ सूची",
]  # fmt: skip


@pytest.mark.parametrize("heading", HEADINGS)
def test_the_bibliography_begins_at_its_heading_and_ends_at_the_next_part(heading):
    text = f"{SONG} References are below.\n\n{heading}\n\n{ENTRIES}Appendix A\n\n{TALE}"
    assert [text[start:end] for start, end in bibliography(text)] == [f"{heading}\n\n{ENTRIES}"]


@pytest.mark.parametrize("heading", ["נספח א", "الملاحق", "ملحق 1", "پیوست", "ภาคผนวก ก", "Phụ lục A", "Lampiran 1"])
def test_an_appendix_in_any_script_ends_the_bibliography(heading):
    text = f"{SONG}\n\nReferences\n\n{ENTRIES}{heading}\n\n{TALE}"
    assert [text[start:end] for start, end in bibliography(text)] == [f"References\n\n{ENTRIES}"]


def test_many_headings_are_read_at_once(monkeypatch):
    """Each looks for its end in its own list, not in all of the text behind it."""
    looked: list[str] = []

    def found(text: str) -> list[Any]:
        looked.append(text)
        return []

    monkeypatch.setattr(places, "_AFTER", SimpleNamespace(finditer=found))
    text = "".join(f"References\n\n{ENTRIES}{'prose ' * 50}\n\n" for _ in range(100))
    assert len(bibliography(text)) == 100
    assert looked == [text]


def test_a_bibliography_ends_before_prose():
    prose = " ".join([OWN] * 4)
    text = f"References\n\n{ENTRIES}{prose}"
    assert [text[start:end] for start, end in bibliography(text)] == [f"References\n\n{ENTRIES}"]


def test_entries_in_a_row_are_a_bibliography_without_a_heading():
    lines = "[1] A. Keeper. Gauges. 1998.\n[2] S. Baker. Ovens. 2004.\n[3] T. Miller. Wells. 2011."
    text = f"{SONG}\n{lines}\n{TALE}"
    assert [text[start:end] for start, end in bibliography(text)] == [lines]
    assert bibliography(f"{SONG}\n[1] A. Keeper. Gauges. 1998.\nIn 1998 the sea rose. {TALE}") == []


CHINESE_ENTRIES = "[1] 张三. 灯塔的历史[J]. 海洋学报, 2019, 3(2): 12-15.\n\n[2] 李四. 大海[M]. 2004年.\n\n"


@pytest.mark.parametrize("following", ["", "# 第二章\n\n", "附录A\n\n", "附录一 表格\n\n", "致谢\n\n", "付録B\n\n"])
def test_a_chinese_bibliography_ends_before_prose(following):
    """Prose without spaces was one word, so that a list went on to the end of the text."""
    text = f"{CHINESE}\n\n参考文献\n\n{CHINESE_ENTRIES}{following}{CHINESE}\n"
    (span,) = bibliography(text)
    assert text[slice(*span)].strip() == f"参考文献\n\n{CHINESE_ENTRIES}".strip()


@pytest.mark.parametrize(
    "following", ["# Chapter 2\n\n", "Methods\n\n", "Bijlage A\n\n", "Apêndice A\n\n", "Bilaga A\n\n"]
)
def test_a_bibliography_ends_before_several_short_paragraphs(following):
    """None of them alone is long enough to be no reference."""
    text = f"{SONG}\n\nReferences\n\n{ENTRIES}{following}{SONG}\n\n{TALE}\n\n{SONG}\n"
    (span,) = bibliography(text)
    assert text[slice(*span)].strip() == f"References\n\n{ENTRIES}".strip()


@pytest.mark.parametrize("heading", ["Reading", "2. Literature", "Bronnen", "References", "参考文献"])
def test_a_heading_without_references_begins_no_bibliography(heading):
    assert bibliography(f"{OWN}\n\n{heading}\n\n{SONG}\n\n{TALE}\n\nWriting\n\n{OWN}") == []
    assert bibliography(f"Contents\n\n{heading}\n\nChapter\n\n{CHINESE}") == []
