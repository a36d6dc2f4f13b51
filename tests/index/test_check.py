"""``check_manuscript``: shares against their definition, exclusions, and what cannot be checked."""

import random
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.formats.documents.writers import docx, pdf, w_paragraph
from whorl import Document, DocumentError, Exclusions, InputError, MemoryIndex, Scheme, Span, check_manuscript
from whorl.engine.documents import read_wholes
from whorl.engine.hashing import Key
from whorl.index import base, cover, places, search
from whorl.index import check as manuscripts
from whorl.index.check import RESIDUE, attribute
from whorl.index.cover import PassageFilter
from whorl.index.places import Reason
from whorl.index.search import with_labels
from whorl.matching import chains
from whorl.matching.passage import Measure, covered_once, subtract, union
from whorl.report.provenance import origins

SONG = "The keeper wrote down every evening what the sea had brought him, and what it had taken from him again."
TALE = "A baker fired his three ovens every morning before the village woke, and nobody ever asked him why he did."
RIME = "Eleven painted boats lay upside down on the shingle while their owners argued about the price of tar."
OWN = "Nothing in this sentence was ever written down by anybody else before today."

# Word in German: ids of styles are translated, their names are not; one style is based on a quotation's.
STYLES = """<w:style w:styleId="Zitat"><w:name w:val="Quote"/></w:style>
<w:style w:styleId="Mein"><w:name w:val="Meine Zitate"/><w:basedOn w:val="Zitat"/></w:style>
<w:style w:styleId="Standard"><w:name w:val="Normal"/></w:style>"""


def styled(text: str, style: str) -> str:
    return str(w_paragraph(text)).replace("<w:p>", f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr>')


STYLED = docx(f"{styled(RIME, 'Standard')}{styled(SONG, 'Zitat')}{styled(TALE, 'Mein')}<w:p/>", styles=STYLES)
TEXT = "ab c1\n dé 漢字 _ xyz, " * 4
SPANS = st.lists(st.tuples(st.integers(0, len(TEXT)), st.integers(0, len(TEXT))).map(lambda pair: Span(*sorted(pair))))
SETS = st.lists(SPANS, max_size=5)


def inside(spans: list[Span]) -> set[int]:
    return {place for span in spans for place in range(*span)}


def letters(places: set[int]) -> int:
    return sum(TEXT[place].isalnum() for place in places)


@given(SPANS, SPANS)
def test_sets_of_spans_are_sets_of_places(some, others):
    joined = union(some)
    assert inside(joined) == inside(some)
    assert all(left.end < right.start for left, right in pairwise(joined))
    assert inside(subtract(some, union(others))) == inside(some) - inside(others)


@given(SETS)
def test_covered_once_is_what_one_alone_has(coverages):
    places = [inside(spans) for spans in coverages]
    assert inside(covered_once(coverages)) == {
        place for each in places for place in each if sum(place in other for other in places) == 1
    }


@given(SETS)
@examples(200)
def test_shares_are_those_of_the_definition(coverages):
    """Take the source with most letters left, give it these letters, repeat; small remainders are not counted."""
    total = letters(set(range(len(TEXT))))
    full = [inside(spans) for spans in coverages]
    left, taken, expected = [set(each) for each in full], set[int](), []
    while any(letters(each) for each in left):
        best = max(range(len(left)), key=lambda number: (letters(left[number]), -number))
        rest = left[best] - taken
        if letters(rest) >= RESIDUE or letters(rest) == letters(full[best]):
            alone = full[best] - set().union(*(each for number, each in enumerate(full) if number != best))
            expected.append((best, letters(rest) / total, letters(full[best]) / total, letters(alone) / total, rest))
            taken |= rest
            left = [each - taken for each in left]
        left[best] = set()
    result = attribute(coverages, Measure(TEXT))
    shares = result.shares
    assert [(each.source, each.share, each.total, each.alone, inside(list(each.spans))) for each in shares] == expected
    assert result.similarity == letters(taken) / total
    assert result.similarity == pytest.approx(sum(share.share for share in shares))
    assert sum(len(inside(list(share.spans))) for share in shares) == len(taken)  # no letter is counted twice


@pytest.fixture
def index():
    made = MemoryIndex.create("text")
    made.add(Document("song.txt", SONG, labels=("title=The Song", "own")))
    made.add(Document("both.txt", f"{SONG} {TALE}"))
    made.add(Document("rime.txt", RIME, url="https://example.org/rime", date="2019-05-02", owner="A. Uthor"))
    return made


def check(index: MemoryIndex, text: str | bytes, name: str = "draft.txt", base: tuple[str, ...] = (), **rules: Any):
    documents = [Document(f"base{number}", each) for number, each in enumerate(base)]
    return check_manuscript(index, Document(name, text), exclusions=Exclusions(**rules), base=documents)


def marked(result, attribution) -> dict[str, list[str]]:
    text, sources = result.text, result.sources
    return {
        sources[share.source].document.name: [text[start:end] for start, end in share.spans]
        for share in attribution.shares
    }


def test_each_stretch_belongs_to_the_source_that_explains_most(index):
    result = check(index, f"{OWN}\n\n{SONG} {TALE}\n\n{OWN}\n\n{RIME}")
    assert marked(result, result.raw) == {"both.txt": [f"{SONG} {TALE[:-1]}"], "rime.txt": [RIME[:-1]]}
    both = result.raw.shares[0]
    assert both.alone < both.share == both.total
    assert result.raw == result.counted
    names = [source["title"] for source in result.as_dict()["sources"]]
    assert names == ["both.txt", "rime.txt", "The Song"]


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("« ", " »"), ("»", "«"), ("‘", "’"), ("‚", "‘"), ("'", "'"),
        ("‹", "›"), ("「", "」"), ("『", "』"),
    ],
)  # fmt: skip
def test_quotations_do_not_count_and_stay_in_the_raw_figure(index, opening, closing):
    result = check(index, f"{OWN} It's said: {opening}{SONG}{closing} The dogs' owner adds: {TALE}")
    assert list(marked(result, result.counted).values()) == [[TALE[:-1]]]
    assert result.raw.similarity > 1.5 * result.counted.similarity
    whole = check(index, result.text, quotations=False)
    assert whole.counted.similarity == whole.raw.similarity
    assert whole.places == result.places


def test_words_around_a_quotation_that_the_source_has_by_chance_do_not_count(index):
    index.add(Document("long.txt", f"Yesterday they sang: {RIME} Nobody listened to them. {TALE} {OWN}"))
    result = check(index, f"As ever they sang: “{RIME}” Nobody answered the call, said my aunt.")
    assert any("Nobody" in text for texts in marked(result, result.raw).values() for text in texts)
    assert result.counted.similarity == 0
    whole = check(index, f"Yesterday they sang: “{RIME}” Nobody listened to them. {TALE}")
    assert "Yesterday they sang: " in marked(whole, whole.counted)["long.txt"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.html", f"<p>{RIME}</p><blockquote>{SONG} <q>Yes, yes.</q> {TALE}</blockquote><p>End</p>"),
        ("a.html", f"<p>{RIME}</p><q>Oh<blockquote>{SONG}<BlockQuote>No.</BLOCKQUOTE> {TALE}</blockquote><p>End</p>"),
        ("a.tex", f"{RIME} \\enquote{{{SONG} \\emph{{So}} \\}} {TALE}}} End."),
        ("a.tex", f"{RIME} \\textquote[p. 3][.]{{{SONG}}} \\foreignquote*{{ngerman}}{{{TALE}}} End."),
        ("a.tex", f"{RIME} \\blockcquote[see][3]{{knuth}}{{{SONG} {TALE}}} \\enquote{{never closed"),
        ("a.tex", f"{RIME} \\begin{{quote}}{SONG} \\begin{{quote}}No.\\end{{quote}} {TALE} \\end{{quote}} End."),
        ("a.md", f"{RIME}\n\n> *{SONG[:40]}*{SONG[40:]}\n> {TALE}\n\nEnd."),
        ("a.html", f"<p>{RIME}</p><blockquote><p>{SONG}</p>{TALE}</blockquote><p>End</p>"),
        ("a.md", f"> {SONG}\n{TALE}\n\n{RIME}\n\nEnd."),
        ("a.md", f"{RIME}\n> # {SONG}\n> - {TALE}\n\nEnd."),
        ("a.html", f"<p>{RIME}</p><!-- <q> --><q>{SONG}</q> and <q>{TALE}</q><p>End <q>\ue000</p>"),
        ("a.tex", f"{RIME}\n\\begin{{quote}}{SONG} {TALE}\\end{{quote}} End."),
        ("a.tex", f"{RIME}\n\\begin{{thebibliography}}{{99}}\\bibitem{{a}} {SONG} {TALE}\\end{{thebibliography}}"),
        ("a.docx", STYLED),
        ("a.txt", f"{RIME}\n\n> {SONG}\n> {TALE}\n\nEnd."),
    ],
)
def test_block_quotes_of_formats(index, name, text):
    result = check(index, text, name)
    assert marked(result, result.counted) == {"rime.txt": [RIME[:-1]]}
    assert result.raw.similarity > 0.8


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
@pytest.mark.parametrize(("form", "quoted"), [("text", "> {}"), ("markdown", "> {}"), ("html", "<q>{}</q>")])
def test_line_ends_do_not_matter(index, form, quoted, ending):
    said = "He said “so.”\n\n“Open\n\nReferences\n\n[1] A. Bee, 2003.\n"
    body = f"Words of my own.\n\n{quoted.format('A quoted line.')}\n\n{said}"

    def shown(text):
        result = check_manuscript(index, Document("a", text, format=form))
        return {
            reason: ["".join(result.text[slice(*span)].split()) for span in spans]
            for reason, spans in result.places.items()
        }

    assert shown(body.replace("\n", ending)) == shown(body)
    assert len(shown(body)[Reason.QUOTATION]) == 2
    assert len(shown(body)[Reason.BIBLIOGRAPHY]) == 1


def test_a_hundred_thousand_quotations_are_read_at_once(index, monkeypatch):
    """A page full of quotations was read once for each of them, in a worker."""
    readings: list[str] = []
    extracted = places._extracted

    def counting(*arguments: Any) -> str:
        readings.append(extracted(*arguments))
        return readings[-1]

    monkeypatch.setattr(places, "_extracted", counting)
    page = f"<p>{RIME}</p>" + "<q>a</q> b " * 20_000 + f"<blockquote>{SONG}</blockquote>"
    result = check(index, page, "many.html")
    assert marked(result, result.counted) == {"rime.txt": [RIME[:-1]]}
    assert len(result.places[Reason.QUOTATION]) == 20_001
    assert len(readings) == 1


def test_sources_are_left_out_by_label_name_title_and_url(index):
    text = f"{SONG}\n\n{OWN}\n\n{RIME}"
    cases: list[tuple[dict[str, Any], str]] = [
        ({"labels": ("own",)}, "song.txt"),
        ({"labels": ("title=*",)}, "song.txt"),
        ({"owners": ("A. Uthor",)}, "rime.txt"),
        ({"before": "2020"}, "rime.txt"),
        ({"before": "2019-06"}, "rime.txt"),
        ({"after": "2019-05-01"}, "rime.txt"),
        ({"sources": ("song.*",)}, "song.txt"),
        ({"sources": ("The S*",)}, "song.txt"),
        ({"sources": ("https://example.org/*",)}, "rime.txt"),
    ]
    for rules, name in cases:
        result = check(index, text, **rules)
        assert [source.document.name for source in result.sources if source.excluded] == [name]
        assert name not in marked(result, result.counted)
        assert name in marked(result, result.raw)


@pytest.mark.parametrize(
    ("dated", "rules", "counts"),
    [
        ("2024", {"before": "2024-05"}, True),
        ("2024-04", {"before": "2024-05"}, False),
        ("2024-04-30T23:59:59Z", {"before": "2024-05"}, False),
        ("20240512", {"after": "2024-05-31"}, True),
        ("20240601", {"after": "2024-05-31"}, False),
        ("2024", {"after": "2024-05-31"}, True),
        ("2024-02", {"after": "2024-02-28"}, True),
        ("2025-01-01", {"after": "2024"}, False),
    ],
)
def test_a_source_is_left_out_if_all_days_of_its_date_are(index, dated, rules, counts):
    index.add(Document("tale.txt", TALE, date=dated))
    result = check(index, f"{OWN} {TALE}", **rules)
    (source,) = (source for source in result.sources if source.document.name == "tale.txt")
    assert (not source.excluded) == counts
    assert result.notes == ()


@pytest.mark.parametrize("dated", ["May 2019", "2024-13", "soon"])
def test_a_date_that_is_none_leaves_nothing_out(index, dated):
    index.add(Document("tale.txt", TALE, date=dated))
    result = check(index, TALE, after="2024-05-31")
    assert not any(source.excluded for source in result.sources)
    assert any(f"such as {dated!r}" in note for note in result.notes)
    assert check(index, TALE).notes == ()
    with pytest.raises(InputError, match="before: '2024-13-45' is no date"):
        Exclusions(before="2024-13-45")


@pytest.mark.parametrize("base", [1, 1_001])
def test_a_phrase_in_a_thousand_base_documents_is_left_out(index, base):
    assert check(index, f"{OWN} {SONG}", base=(SONG,) * base).counted.similarity == 0


def test_a_base_document_that_cannot_be_read_is_named(index):
    base = [Document("junk.docx", b"no office file" * 100)]
    with pytest.raises(InputError, match=r"base: junk\.docx: cannot be read as DOCX") as raised:
        check_manuscript(index, Document("draft.txt", SONG), base=base)
    assert not isinstance(raised.value, DocumentError)


@pytest.mark.parametrize("unseen", [*"\u200b\u200d\u2060\u00ad\ufeff\u034f\u2062\u115f\u3164\U000e0041"])
def test_what_cannot_be_seen_does_not_count(index, unseen):
    """Those in one's own words lowered the similarity, those in copied words raised it."""
    text = f"{SONG} {OWN}"
    plain = check(index, text)
    for hidden in (f"{SONG} {OWN[:9]}{unseen * 30_000}{OWN[9:]}", f"{SONG[:9]}{unseen * 30_000}{SONG[9:]} {OWN}"):
        result = check(index, hidden)
        assert (result.letters, result.raw.similarity) == (plain.letters, plain.raw.similarity)
        assert result.measure.words([Span(0, len(hidden))]) == plain.measure.words([Span(0, len(text))])


def test_a_copy_of_a_text_is_all_of_it(index):
    assert check(index, f"{SONG} {TALE}").raw.similarity == 1


def test_what_is_copied_inside_a_run_of_letters_counts(index):
    random_letters = random.Random(3)
    dna = "".join(random_letters.choices("acgt", k=900))
    index.add(Document("gene.txt", dna))
    result = check(index, f"{'gattaca' * 40}{dna[300:600]}{'tgc' * 90}")
    assert result.raw.similarity == pytest.approx(300 / (280 + 300 + 270), abs=0.02)
    assert all(passage.spans for source in result.sources for passage in source.passages)


def test_letters_of_scripts_without_spaces_are_words():
    text = "他说 灯塔看守人, (2) อา and don’t exa\u00admple e\u0301a"
    assert Measure(text).words([Span(0, len(text))]) == 2 + 5 + 1 + 2 + 1 + 2 + 1 + 1


def test_short_passages_and_base_texts_are_left_out(index):
    text = f"{SONG}\n\n{OWN}\n\n{TALE}\n\n{OWN}\n\n{RIME}"
    result = check(index, text, base=(SONG,))
    assert marked(result, result.counted) == {"both.txt": [TALE[:-1]], "rime.txt": [RIME[:-1]]}
    result = check(index, text, base=(f"Standard phrase: {SONG}",))
    assert result.text[slice(*result.places[Reason.BASE][0])] == SONG[:-1]
    assert check(index, text, min_words=100).counted.similarity == 0
    assert check(index, RIME, min_words=17).counted.similarity > 0.9
    assert check(index, RIME, min_words=19).counted.similarity == 0
    with pytest.raises(InputError, match=r"min_words: -1 .*; before: 'May' is no date"):
        Exclusions(min_words=-1, before="May")


def test_parts_of_words_are_not_marked(index):
    result = check(index, f"{SONG[:60]}zzz {OWN}")
    (stretches,) = marked(result, result.raw).values()
    assert stretches == ["The keeper wrote down every evening what the sea had"]


def test_comments_of_a_program_are_not_compared_and_not_counted():
    code = "\n".join(f"def f{n}(a, b):\n    return [a * {n} + b for a in range(b)]" for n in range(5))
    head = "# A licence, a history and a long explanation in a comment at the head.\n" * 20
    with MemoryIndex.create("code") as programs:
        programs.add(Document("origin.py", head + code))
        whole = check_manuscript(programs, Document("copy.py", head + code))
        half = check_manuscript(programs, Document("copy.py", head + code + "\n" + "x = {1: y} if z else -w\n" * 9))
    assert whole.raw.similarity == whole.counted.similarity == 1
    assert whole.letters < len(code)
    assert half.raw.similarity == pytest.approx(whole.letters / half.letters, abs=0.05)


def test_programs_have_no_quotations():
    index = MemoryIndex.create("code")
    lines = [f'    total{n} = read("file {n}") + {n} * factor[{n}]\n    print(total{n}, "done")\n' for n in range(9)]
    index.add(Document("old.py", "def work(factor):\n" + "".join(lines)))
    result = check_manuscript(index, Document("new.py", "import os\n\ndef other(k):\n" + "".join(lines)))
    assert result.counted == result.raw
    assert result.raw.similarity > 0.7
    assert result.is_program


IDIOM = "for item in items:\n    if item not in seen:\n        seen.append(item)\n        print(item)\n"
FUNCTION = """def merge(left, right, key):
    merged, at = [], 0
    while left and at < len(right):
        if key(left[0]) <= key(right[at]):
            merged.append(left.pop(0))
        else:
            merged, at = merged + [right[at]], at + 1
    return {"all": merged + left, **{str(each): -each for each in right[at:]}}
"""


def idioms(count: int) -> Iterator[Document]:
    """Programs that share three lines, each with code of its own."""
    for number in range(count):
        own = "".join(f"x{n} = {'not ' * (number >> n & 1)}y{'[0]' * (number >> n & 2)} or z{n}\n" for n in range(6))
        yield Document(f"idiom{number}.py", own + IDIOM)


def test_common_code_does_not_count():
    """Nearly all of any program is found in a large index, in idioms of a few lines: such a figure says nothing."""
    with MemoryIndex.create("code") as programs:
        for each in idioms(30):
            programs.add(each)
        programs.add(Document("origin.py", FUNCTION))
        text = f"class Own:\n    names = [str, int]\n\n{IDIOM}\n\n{FUNCTION}\ndel Own.names[1:]\n{IDIOM}"
        check = check_manuscript(programs, Document("mine.py", text))
        everything = check_manuscript(programs, Document("mine.py", text), exclusions=Exclusions(min_tokens=0))
    assert [check.sources[share.source].document.name for share in check.counted.shares] == ["origin.py"]
    assert check.counted.similarity < check.raw.similarity - 0.2
    assert everything.counted == everything.raw == check.raw
    common = {source.document.name: source.passages[0].is_common(check.exclusions) for source in check.sources}
    assert not common.pop("origin.py")
    assert all(common.values())


@pytest.mark.parametrize(
    ("mine", "is_counted"), [(range(100, 160), False), ([f"'name{n}'" for n in range(60)], True)], ids=["other", "copy"]
)
def test_a_table_counts_if_its_words_are_the_same(mine, is_counted):
    """A table of numbers has the tokens of every other table, however long it is."""
    source = range(100, 160) if not is_counted else mine
    with MemoryIndex.create("code") as programs:
        programs.add(Document("table.py", f"numbers = [{', '.join(map(str, source))}]\n"))
        check = check_manuscript(programs, Document("mine.py", f"rows = [{', '.join(map(str, mine))}]\n"))
    assert check.raw.similarity > 0.9
    assert check.counted.similarity == (check.raw.similarity if is_counted else 0)


def test_code_that_is_common_in_a_large_index_counts_in_a_small_one():
    with MemoryIndex.create("code") as programs:
        programs.add(Document("one.py", IDIOM + "y = [x * x for x in seen if x]\n"))
        small = check_manuscript(programs, Document("mine.py", f"a = {{}}\n{IDIOM}y = [z * z for z in seen if z]\n"))
        for each in idioms(60):
            programs.add(each)
        large = check_manuscript(programs, Document("mine.py", f"a = {{}}\n{IDIOM}y = [z * z for z in seen if z]\n"))
    assert 0 < (small.exclusions.min_tokens or 0) < (large.exclusions.min_tokens or 0)
    assert small.counted.similarity == small.raw.similarity


def test_prose_has_no_limit_of_tokens(index):
    result = check(index, SONG)
    assert result.exclusions.min_tokens is None
    assert "tokens" not in result.as_dict()["sources"][0]["passages"][0]


def test_pages_of_a_pdf(index):
    result = check_manuscript(index, Document("draft.pdf", pdf([[OWN], [SONG]])))
    (passage,) = result.as_dict()["sources"][0]["passages"]
    assert passage["left"]["page"] == 2
    assert check(index, SONG).page(0) is None


def test_a_pdf_with_a_password_and_one_without_text_are_refused(index):
    with pytest.raises(DocumentError, match="it is encrypted: save it without a password"):
        check_manuscript(index, Document("secret.pdf", pdf([[SONG]], encrypt=True)))
    with pytest.raises(DocumentError, match=r"scan.pdf: no text: scanned pages need OCR first"):
        check_manuscript(index, Document("scan.pdf", pdf([[""]])))


def test_the_figures_do_not_depend_on_the_limit(index):
    """The limit was one of the sources that counted: a manuscript with many sources seemed more original."""
    sentences = [f"{SONG[:50]}{number} {TALE[:40]}{number} {RIME[:30]}{number * 7}" for number in range(30)]
    for number, sentence in enumerate(sentences):
        index.add(Document(f"part{number}.txt", sentence))
    document = Document("draft.txt", f"{OWN}\n\n".join(sentences))
    few, many = (check_manuscript(index, document, limit=limit) for limit in (2, 500))
    assert few.raw == many.raw
    assert few.counted == many.counted
    listed = few.as_dict()
    assert [source["document"]["name"] for source in listed["sources"]] == [
        few.sources[number].document.name for number in few.ranked()[:2]
    ]
    assert listed["further"]["sources"] == len(few.sources) - 2 >= 28
    shares = sum(source["raw"]["share"] for source in listed["sources"])
    assert listed["further"]["raw"] + shares == pytest.approx(few.raw.similarity)
    assert many.as_dict()["further"] == {"sources": 0, "raw": 0, "counted": 0}


def explained_both_ways(documents: list[str], draft: str, scheme: Scheme):
    """Return the hits with texts that were filtered first, and those with all texts aligned."""
    with MemoryIndex.create(scheme) as index, pytest.MonkeyPatch.context() as patch:
        for number, text in enumerate(documents):
            index.add(Document(f"{number}.txt", text))
        filtered = index.explain(Document("draft.txt", draft))
        patch.setattr(PassageFilter, "suits", staticmethod(lambda _: False))
        return filtered, index.explain(Document("draft.txt", draft))


PIECES = st.sampled_from(
    ["one two ", "three 漢字漢字 ", "four five ", "séven eight nine ", "ten ", "e\u0301 ", "\u0301", "aaaaaaaaaaaaaa "]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


@given(st.lists(TEXTS, max_size=5), TEXTS, st.sampled_from(["characters", "words", "consonants"]), st.integers(1, 40))
@examples(150)
def test_texts_that_cannot_share_a_passage_are_left_out_without_loss(documents, draft, symbols, reach):
    """Alignment of every text gives the same hits, passages and notes."""
    k = 2 if symbols == "words" else 4
    scheme = Scheme(symbols=symbols, k=k, w=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chains, "REACH", reach)
        filtered, aligned = explained_both_ways(documents, draft, scheme)
    assert filtered == aligned


def test_a_text_that_repeats_a_phrase_everywhere_is_not_filtered(monkeypatch):
    monkeypatch.setattr(cover, "MOST_SHARED", 10)
    text = "one two three four five six seven " * 3
    filtered, aligned = explained_both_ways([text], text, Scheme(k=4, w=3))
    assert len(filtered) == 1
    assert filtered == aligned


def test_each_stretch_is_explained_whatever_else_shares_its_fingerprints(index):
    """Documents that share fingerprints, but no passage, come before the one that has the passage."""
    for number in range(20):
        index.add(
            Document(f"near{number}.txt", f"{SONG[:26]} {number} {TALE[8:34]} {number} {RIME[5:30]} {OWN}{number}")
        )
    index.add(Document("last.txt", f"Zero. {TALE} One."))
    result = check(index, f"{TALE}\n\n{SONG[:30]}", labels=("none",), sources=("both.txt",))
    assert "last.txt" in marked(result, result.counted)


def test_everything_that_counts_is_explained_by_sources_that_count(index):
    for number in range(9):
        index.add(Document(f"own{number}.txt", f"{number} {SONG} {TALE} {RIME}", labels=("own",)))
    result = check(index, f"{SONG}\n\n{RIME}", labels=("own",), sources=("both.txt",))
    assert marked(result, result.counted) == {"rime.txt": [RIME[:-1]]}


def test_another_source_takes_the_place_of_one_that_does_not_count(index):
    result = check(index, f"{OWN} {SONG} {TALE}", sources=("both.txt",))
    assert marked(result, result.counted) == {"song.txt": [SONG[:-1]]}


def test_an_empty_manuscript_is_refused_with_a_reason(index):
    with pytest.raises(DocumentError, match=r"empty.txt: no text to check"):
        check(index, "  \n ", "empty.txt")


def test_a_source_of_the_wrong_date_is_no_source_and_one_without_a_date_is(index):
    result = check(index, SONG, after="1900")
    assert "song.txt" in marked(result, result.counted)
    assert not any(source.excluded for source in check(index, RIME, before="2019-05-02", after="2019-05-02").sources)


def test_only_documents_with_the_labels_are_sources(index):
    index.add(Document("mit.txt", f"{SONG} a", labels=("licence=MIT", "version=2")))
    index.add(Document("bsd.txt", f"{SONG} b", labels=("licence=BSD-3-Clause", "version=1")))
    cases = [
        (("licence=MIT",), (), {"mit.txt"}),
        (("licence=*",), (), {"mit.txt", "bsd.txt"}),
        (("licence=MIT", "licence=BSD-*"), (), {"mit.txt", "bsd.txt"}),
        (("licence=*", "version=1"), (), {"bsd.txt"}),
        (("licence=*",), ("version=1",), {"mit.txt"}),
        ((), ("licence=*", "own"), {"both.txt"}),
    ]
    for labels, excluded, names in cases:
        wanted = with_labels(labels, excluded)
        result = check_manuscript(index, Document("draft.txt", SONG), wanted=wanted)
        assert {source.document.name for source in result.sources} == names
        assert {hit.document.name for hit in index.search(SONG, wanted=wanted)} == names
    assert with_labels(()) is None


@pytest.mark.parametrize(
    ("name", "content", "most"), [("a.txt", b"x" * 101, "100 bytes"), ("a.pdf", b"%PDF-1.7" * 40, "300 bytes")]
)
def test_a_manuscript_that_is_too_large_is_refused_before_it_is_read(index, monkeypatch, tmp_path, name, content, most):
    monkeypatch.setattr(manuscripts, "MOST_TEXT", 100)
    monkeypatch.setattr(manuscripts, "MOST_BYTES", 300)
    (tmp_path / name).write_bytes(content)
    for document in (Document(name, tmp_path / name), Document(name, content)):
        with pytest.raises(DocumentError, match=rf"{name}: too large: \d+ bytes, of at most {most} as one document"):
            check_manuscript(index, document)


def test_the_origin_of_a_snippet_is_found_beside_large_programs_that_have_its_idioms():
    """Programs that had all of its fingerprints here and there were read, and not the one that has them in a row."""
    lines = [
        f"    a{n} = b{n}[c{n}{'.d' * (n % 4)}] {'+-*/'[n % 4]} f{n}({', '.join('xyz'[: n % 3 + 1])})\n"
        for n in range(12)
    ]
    pairs = ["".join(lines[n : n + 2]) for n in range(11)]
    with MemoryIndex.create("code") as index:
        for number in range(6):
            index.add(
                Document(f"large{number}.py", "".join(f"def g{n}():\n{pair}\n" for n, pair in enumerate(pairs)) * 3)
            )
        index.add(Document("origin.py", f"def origin():\n{''.join(lines)}"))
        names = {hit.document.name for hit in index.explain(Document("mine.py", f"def mine():\n{''.join(lines)}"))}
    assert "origin.py" in names


EDITED = random.Random(7)
LONG = [
    " ".join("".join(EDITED.choices("abcdefghijklmnoprstu", k=EDITED.randint(3, 8))) for _ in range(120))
    for _ in range(9)
]


def replaced(text: str, every: int) -> str:
    """Return a text with another word in the place of each so-manieth."""
    return " ".join(f"zz{number}zz" if number % every == 0 else word for number, word in enumerate(text.split()))


@pytest.fixture(scope="module")
def archive():
    made = MemoryIndex.create("text")
    for number, text in enumerate(LONG[:6]):
        made.add(Document(f"{number}.txt", f"{LONG[6]} {text}"))
    return made


@pytest.mark.parametrize("every", [10, 7, 5])
def test_a_deep_check_marks_an_edited_passage_as_a_whole(archive, every):
    paraphrase = replaced(LONG[2], every)
    text = f"{LONG[7]}\n\n{paraphrase}\n\n{LONG[8]}"
    plain, deep = (check_manuscript(archive, Document("a", text), deep_seconds=limit) for limit in (None, 60))
    assert plain.counted.similarity < deep.counted.similarity == pytest.approx(1 / 3, abs=0.05)
    source = deep.sources[deep.counted.shares[0].source]
    assert source.document.name == "2.txt"
    (edited,) = (passage for passage in source.passages if passage.is_edited)
    start, (span,) = text.index(paraphrase), edited.spans
    assert abs(span.start - start) < 60
    assert abs(span.end - start - len(paraphrase)) < 60
    assert deep.as_dict()["sources"][0]["passages"][0]["edited"]
    assert "Changed words were looked for in the only document that shares a phrase with it" in deep.notes


def test_two_copies_of_a_sentence_are_not_one_edited_passage(index):
    """All between a quotation and the same sentence in the bibliography was said to be copied with changed words."""
    text = f"{OWN}\n\nHe said: «{SONG}»\n\n{TALE}\n\n{RIME}\n\nLiteratur\n\n{SONG} 1998."
    plain, deep = (check_manuscript(index, Document("a", text), deep_seconds=limit) for limit in (None, 60))
    assert deep.counted == plain.counted
    assert deep.raw == plain.raw


def test_moved_clauses_are_one_edited_passage(archive):
    words = replaced(LONG[4], 12).split()
    clauses = [" ".join(words[start : start + 8]) for start in range(0, len(words), 8)]
    moved = " ".join(clause for pair in zip(clauses[1::2], clauses[::2], strict=False) for clause in pair)
    deep = check_manuscript(archive, Document("a", f"{LONG[7]}\n\n{moved}"), deep_seconds=60)
    assert deep.counted.similarity == pytest.approx(0.5, abs=0.06)


def test_a_deep_check_marks_nothing_in_other_texts_and_keeps_plain_passages(archive):
    other = check_manuscript(archive, Document("a", f"{LONG[7]} {LONG[8]}"), deep_seconds=60)
    assert other.raw.similarity == 0
    assert other.notes == ("Changed words were looked for in no document: none has enough words in common with it",)
    copied = Document("a", f"{LONG[7]}\n\n{LONG[3]}\n\n{LONG[8]}")
    plain, deep = (check_manuscript(archive, copied, deep_seconds=limit) for limit in (None, 60))
    assert (plain.counted, plain.sources) == (deep.counted, deep.sources)


def test_a_deep_check_says_what_it_did_not_look_at_when_its_time_is_over(archive):
    text = f"{LONG[6]}\n\n{replaced(LONG[1], 5)}"
    result = check_manuscript(archive, Document("a", text), deep_seconds=1e-9)
    assert result.notes == (
        "The time limit of 1e-09 seconds was reached: changed words were looked for in no document",
    )
    assert result.counted.similarity > 0.4  # plain passages are there


def test_a_long_copy_in_many_documents_does_not_hide_an_edited_one(archive, monkeypatch):
    monkeypatch.setattr(base, "DEEP_SOURCES", 2)
    text = f"{LONG[6]}\n\n{LONG[7]}\n\n{replaced(LONG[5], 6)}"
    result = check_manuscript(archive, Document("a", text), deep_seconds=60)
    edited = [source.document.name for source in result.sources if any(each.is_edited for each in source.passages)]
    assert edited == ["5.txt"]
    assert "Changed words were looked for in the 2 likeliest of 6 documents that share a phrase with it" in result.notes


def test_only_prose_can_be_checked_deeply():
    with MemoryIndex.create("code") as programs, pytest.raises(InputError, match="deep"):
        check_manuscript(programs, Document("a.py", "x = 1"), deep_seconds=1)


def program(name: str) -> str:
    return f"def {name}_add({name}, other):\n    total = {name} + other * 2\n    return [{name}, total]\n"


def test_names_decide_among_programs_with_the_same_tokens(monkeypatch):
    """An idiom is in many programs: those that have the names of the manuscript are read first."""
    monkeypatch.setattr(base, "FIRST_READ", 2)
    with MemoryIndex.create("code") as programs:
        for number in range(30):
            programs.add(Document(f"{number}.py", program(f"value{number}")))
        result = check_manuscript(programs, Document("mine.py", f"print(1)\n{program('value23')}print(2)\n"))
    assert "23.py" in [source.document.name for source in result.sources]


def test_repeated_names_decide_among_programs_with_the_same_tokens(monkeypatch):
    """A copy with other names repeats them at the same places, also if hundreds of programs have its tokens."""
    monkeypatch.setattr(base, "FIRST_READ", 3)
    names = [random.Random(number).choices("abcde", k=36) for number in range(30)]

    def sums(letters: Sequence[str], prefix: str) -> str:
        rows = zip(*(iter(prefix + letter for letter in letters),) * 3, strict=True)
        return "".join(f"{one} = {two} + {three}\n" for one, two, three in rows)

    with MemoryIndex.create("code") as programs:
        for number, letters in enumerate(names):
            content = f"print({number})\n{sums(letters, f'p{number}_')}"
            programs.add(Document(f"{number}.py", content, labels=(f"purl=pkg:generic/sums@{number}",)))
        result = check_manuscript(programs, Document("mine.py", sums(names[23], "other_")))
    assert [origin.release.version for origin in origins(result)] == ["23"]


def test_signs_in_strings_decide_like_names(monkeypatch):
    """A table of emoji has no word, and was said to come from any other table."""
    monkeypatch.setattr(base, "FIRST_READ", 2)
    tables = [[chr(0x1F300 + 20 * number + sign) for sign in range(15)] for number in range(20)]
    with MemoryIndex.create("code") as programs:
        for number, signs in enumerate(tables):
            programs.add(Document(f"{number}.py", f"signs = {signs}\n", labels=(f"purl=pkg:generic/signs@{number}",)))
        mine = "".join(f'    "{sign}",\n' for sign in tables[13])
        result = check_manuscript(programs, Document("mine.py", f"{mine}\nprint(2)\n"))
    assert [origin.release.version for origin in origins(result)] == ["13"]


def test_more_programs_are_considered_for_a_snippet(monkeypatch):
    """Hundreds of programs have the tokens of a short snippet: its origin was not one of those that were considered."""
    monkeypatch.setattr(base, "FIRST_READ", 2)
    monkeypatch.setattr(cover, "TIED", 4)
    with MemoryIndex.create("code") as programs:
        for number in range(30):
            programs.add(Document(f"{number}.py", program(f"value{number}")))
        mine = Document("mine.py", f"print(1)\n{program('value23')}print(2)\n")
        monkeypatch.setattr(cover, "SNIPPET", 5)
        assert "23.py" not in [source.document.name for source in check_manuscript(programs, mine).sources]
        monkeypatch.setattr(cover, "SNIPPET", 500)
        assert "23.py" in [source.document.name for source in check_manuscript(programs, mine).sources]


def test_names_decide_though_other_programs_continue_like_the_lines_around_a_list(monkeypatch):
    """A list that was cut out with the end of an import: only programs with as many names before it were considered."""
    monkeypatch.setattr(base, "FIRST_READ", 3)

    def rows(prefix: str, count: int) -> str:
        return "".join(f"    {prefix.replace('#', str(number))},\n" for number in range(count))

    kinds = rows('"kind#"', 30)
    with MemoryIndex.create("code") as programs:
        programs.add(Document("origin.py", f"x = {{}}\n__all__ = [\n{kinds}]\nprint(x.y.z)\n"))
        for number in range(30):
            table = rows(f'"other#x{number}"', 31)
            programs.add(
                Document(f"{number}.py", f"def f(\n{rows('a#', 20)}):\n    table = [\n{table}]\n\nprint('x')\n")
            )
        mine = f"{rows('name#', 20)})\n\n__all__ = [\n{kinds}\nprint('the end')\n"
        result = check_manuscript(programs, Document("mine.py", mine))
    assert "origin.py" in [source.document.name for source in result.sources]


def test_common_fingerprints_count_in_a_run(monkeypatch):
    idiom = "import os\nimport sys\n\n\ndef main(args):\n    for each in args:\n        print(each)\n    return 0\n"
    ending = "\n\nif len(sys.argv) > 2 and sys.argv[1] != 'x':\n    main([sys.argv[2]])\n"
    other = "\n\nwhile True:\n    x = [y for y in range(9) if y]\n    assert x\n"
    monkeypatch.setattr(search, "COMMON_OWNERS", 10)
    with MemoryIndex.create("code") as programs:
        for number in range(5):  # they have the ending, and not the idiom before it
            programs.add(Document(f"{number}.py", f"class A:\n    b = 1\n    c = 2\n{ending}"))
        for number in range(5, 25):
            programs.add(Document(f"{number}.py", f"{idiom}{other if number < 24 else ending}"))
        monkeypatch.setattr(base, "FIRST_READ", 1)
        result = check_manuscript(programs, Document("mine.py", f"{idiom}{ending}"))
    assert result.sources[0].document.name == "24.py"
    assert result.raw.similarity > 0.8


def test_a_snippet_with_common_fingerprints_only_has_its_origin_as_a_source(monkeypatch):
    monkeypatch.setattr(search, "COMMON_OWNERS", 10)
    monkeypatch.setattr(base, "FIRST_READ", 2)
    with MemoryIndex.create("code") as programs:
        for number in range(30):
            programs.add(Document(f"{number}.py", program(f"value{number}")))
        result = check_manuscript(programs, Document("mine.py", program("value23")))
        others = check_manuscript(
            programs, Document("mine.py", program("value23")), wanted=lambda entry: entry.name < "2"
        )
    assert "23.py" in [source.document.name for source in result.sources]
    assert others.sources
    assert all(source.document.name < "2" for source in others.sources)


@pytest.mark.parametrize("key", [b"test key 0......", b"test key 3......"])
def test_a_longer_run_by_chance_hides_no_origin(monkeypatch, key):
    """The line after a snippet happens to continue like another program; the names are those of the origin."""
    monkeypatch.setattr(base, "FIRST_READ", 2)
    monkeypatch.setattr(Key, "random", classmethod(lambda cls: cls(key)))
    with MemoryIndex.create("code") as programs:
        for number in range(30):
            programs.add(Document(f"{number}.py", program(f"value{number}")))
        for number in range(3):
            programs.add(Document(f"chance{number}.py", f"{program('chance')}print({number})\n"))
        result = check_manuscript(programs, Document("mine.py", f"{program('value23')}print(9)\n"))
    assert "23.py" in [source.document.name for source in result.sources]


def test_programs_are_parsed_together_with_the_passages_of_a_search(monkeypatch):
    """A check parses the sources as a batch, a search one at a time."""
    sizes = list[int]()

    def read(documents: Any, *rest: Any) -> Any:
        sizes.append(len(documents))
        return read_wholes(documents, *rest)

    monkeypatch.setattr(base, "read_wholes", read)
    manuscript = Document("mine.py", f"{program('value3')}print(1)\n{program('value4')}")
    with MemoryIndex.create("code") as programs:
        for number in range(9):
            programs.add(Document(f"{number}.py", program(f"value{number}") * (1 + number % 3)))
        hits = {hit.document.name: hit.passages for hit in programs.search(manuscript)}
        explained = {hit.document.name: hit.passages for hit in programs.explain(manuscript)}
    assert sizes[0] > 1
    assert explained
    assert explained.items() <= hits.items()


def w_hidden(text: str) -> str:
    return str(w_paragraph(text)).replace("<w:t>", '<w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:t>')


def test_letters_that_are_not_seen_do_not_lower_the_similarity():
    index = MemoryIndex.create("text")
    index.add(Document("song", SONG))
    padding = " ".join(f"Padding number {number} says nothing of its own." for number in range(20))
    check = check_manuscript(index, Document("draft.docx", docx(w_paragraph(SONG) + w_hidden(padding))))
    assert check.counted.similarity == check.raw.similarity == 1
    assert check.letters == sum(map(str.isalnum, SONG))
    (note,) = check.notes
    amount = sum(map(str.isalnum, padding))
    assert note.startswith(f"{amount:,} letters of this file are not shown on its pages (“Padding number 0")
    assert "do not count" in note


def test_letters_that_are_shown_in_reverse_order_are_noted():
    index = MemoryIndex.create("text")
    index.add(Document("song", SONG))
    lines = [f"\u202e{line[::-1]}\u202c" for line in SONG.splitlines()]
    check = check_manuscript(index, Document("draft.txt", "\n".join(lines)))
    (note,) = check.notes
    assert note.startswith(f"{sum(map(str.isalnum, SONG))} letters of this file are shown in reverse order (U+202E)")
    assert not check_manuscript(index, Document("draft.txt", SONG + "\u202e mark")).notes


def test_letters_that_are_not_seen_count_if_a_source_has_them():
    index = MemoryIndex.create("text")
    index.add(Document("song", SONG))
    check = check_manuscript(index, Document("draft.docx", docx(w_paragraph(OWN) + w_hidden(SONG))))
    assert check.letters == sum(map(str.isalnum, SONG + OWN))
    assert check.counted.similarity > 0.5


def test_hidden_letters_between_the_words_are_noted():
    index = MemoryIndex.create("text")
    index.add(Document("song", SONG))
    seen = [str(w_paragraph(word + " ")) for word in SONG.split() * 2]
    runs = "".join(word + w_hidden("zq ") for word in seen).replace("</w:p><w:p>", "")
    (note,) = check_manuscript(index, Document("draft.docx", docx(runs))).notes
    assert note.endswith("they count, so the similarity may be too low")


def test_few_letters_that_are_not_seen_are_no_matter():
    index = MemoryIndex.create("text")
    index.add(Document("song", SONG))
    assert check_manuscript(index, Document("draft.docx", docx(w_paragraph(SONG) + w_hidden("a label")))).notes == ()
