"""Scripts without spaces: the letters of a shingle are as many as make words, so that pages are not alike by chance."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from whorl.clustering.reading import ShingleReader, joined_letters
from whorl.engine.hashing import Key
from whorl.formats.corpora.records import DigestSet
from whorl.formats.text import FEW_SYMBOLS, LONG_WORD, SHORT_WORD, TextFrontend, half_letters, may_have_letters
from whorl.scheme import resolve

FRONT = TextFrontend("words")

# Frequent words of Thai, Burmese, Chinese and Japanese.
LANGUAGES = {
    "Thai": "การ ความ เป็น ที่ ของ และ ใน มี ไม่ ได้ ให้ จะ กับ ว่า คน นี้ ไป มา อยู่ หรือ แต่ ประเทศ รัฐบาล ประชาชน สังคม เศรษฐกิจ "
    "โรงเรียน นักเรียน หนังสือ ภาษา ข้อมูล ระบบ เทคโนโลยี คอมพิวเตอร์ บริษัท ธุรกิจ ตลาด ราคา เงิน ปี เดือน วัน เวลา",
    "Burmese": "မြန်မာ နိုင်ငံ အစိုးရ ပြည်သူ ပညာရေး ကျောင်း စာအုပ် ဘာသာ စကား နှစ် လ ရက် အချိန် ငွေ ဈေး ကုမ္ပဏီ သည် များ ကို မှ တွင်",
    "Chinese": "中国 政府 人民 社会 经济 教育 学校 学生 书 语言 数据 系统 技术 电脑 网络 公司 市场 价格 钱 年 的 是",
    "Japanese": "日本 政府 国民 社会 経済 教育 学校 学生 本 言語 データ 技術 会社 市場 価格 年 は が を に の",
}


def page(chance: random.Random, words: list[str], count: int = 400) -> list[str]:
    return chance.choices(words, k=count)


@pytest.mark.parametrize("language", LANGUAGES)
def test_unrelated_pages_share_little(language):
    chance, words = random.Random(1), LANGUAGES[language].split()
    pages = ["".join(page(chance, words)) for _ in range(8)]
    pairs = whorl.cluster(pages, measure="containment", threshold=0.001, modulus=1).pairs
    # Four letters, instead of the letters of four words, would make it 0.1 to 0.4.
    assert np.median(pairs.measure("containment")) < 0.05


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_copy_with_one_word_in_twenty_replaced_is_found(language):
    chance, words = random.Random(2), LANGUAGES[language].split()
    pages = [page(chance, words) for _ in range(20)]
    copies = [[chance.choice(words) if chance.random() < 0.05 else word for word in each] for each in pages]
    members = whorl.cluster(["".join(each) for each in (*pages, *copies)]).members
    assert [member.cluster for member in members[20:]] == [member.cluster for member in members[:20]]
    assert len({member.cluster for member in members}) == 20


texts = st.lists(st.text("กขคงม中文字ひ o", max_size=30) | st.text("abo ", max_size=9), max_size=5)


@given(texts, st.integers(1, 6))
def test_a_letter_stands_for_the_letters_of_its_words(contents, k):
    streams = [np.asarray(FRONT.stream(text).symbols, np.uint64) for text in contents]
    bounds = np.cumsum([0, *map(len, streams)])
    joined = joined_letters(np.concatenate([np.empty(0, np.uint64), *streams]), bounds, k)
    wanted = [_letters(symbols, place, k) for symbols in streams for place in range(len(symbols))]
    assert len(set(zip(wanted, joined.tolist(), strict=True))) == len(set(wanted)) == len(set(joined.tolist()))


def _letters(symbols: np.ndarray, place: int, k: int) -> tuple[int, ...]:
    """The letters that are joined, by the definition: those of k words less k - 1, which the next symbols begin."""
    halves = half_letters(symbols).tolist()
    end = place + 1
    while end < len(symbols) and halves[end] == halves[place] and end - place < halves[place] * k // 2 - k + 1:
        end += 1
    return tuple(symbols[place:end].tolist())


@given(texts)
def test_documents_read_together_do_not_change_each_other(contents):
    documents = [whorl.Document(str(number), text) for number, text in enumerate(contents)]
    reader = ShingleReader(resolve("pages"), Key.PUBLIC, DigestSet())
    together = reader.read(documents).shingles.tolist() if documents else []
    assert together == [value for each in documents for value in reader.read([each]).shingles.tolist()]


def test_every_letter_is_known_by_its_first_bytes():
    characters = [chr(code) for code in range(0x800, 0x32400) if not 0xD800 <= code < 0xE000]
    stream = FRONT.stream("\n".join(characters))
    halves = half_letters(np.asarray(stream.symbols, np.uint64))
    letters = np.unique(stream.starts[halves > 0] // 2)
    encoded = [character.encode() for character in characters]
    bounds = np.cumsum([0, *map(len, encoded)])
    may = may_have_letters(np.frombuffer(b"".join(encoded), np.uint8), bounds)
    assert may[letters].all()
    assert len(letters) > 90_000
    usual = "Größe — “quoted”, naïve… 한국어 हिन्दी tiếng Việt 🎉 ✓ русский עברית العربية".encode()
    assert not may_have_letters(np.frombuffer(usual, np.uint8), np.array([0, len(usual)])).any()


def test_letters_of_a_word():
    halves = half_letters(np.asarray(FRONT.stream("o ไทย 中文 ひら カタ ລາວ a1 한국").symbols, np.uint64)).tolist()
    long, short = [LONG_WORD] * 3, [SHORT_WORD] * 2
    assert halves == [0, *long, *short, *short, 0, *long, 0, 0]


@given(st.text(alphabet="o ไทย中文ひカລາ한1", max_size=60))
def test_few_words_are_looked_up_as_many_are(text):
    symbols = np.asarray(FRONT.stream(text).symbols, np.uint64)
    many = np.concatenate([symbols, np.zeros(FEW_SYMBOLS, np.uint64)])
    assert half_letters(symbols).tolist() == half_letters(many)[: len(symbols)].tolist()
