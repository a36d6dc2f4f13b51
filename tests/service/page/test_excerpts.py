"""Passages as markup: what is read is what the texts say, and nothing of them becomes an element."""

from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from tests.examples import examples
from whorl.report.markup import HIDDEN
from whorl.service.page.views import LONGEST, SCROLLS, SHOWN, passage_views
from whorl.service.search import CONTEXT, ExactMatch, PassageSide, SharedPassage, TextRange

LETTERS = st.text(st.characters(exclude_categories=["Cs", "Cc"]).filter(lambda letter: not HIDDEN.match(letter)))


def shown(text: str | None, before: str = "", after: str = "", start: int | None = None, line: int = 1) -> PassageSide:
    begin = len(before) if start is None else start
    return PassageSide(begin, begin + len(text or ""), line, line + 2, text, before, after)


def view(side: PassageSide):
    return passage_views([SharedPassage(side, side, 7, whole(side))])[0].left


def whole(side: PassageSide) -> tuple[ExactMatch, ...]:
    """One exact run over all of a passage."""
    return (ExactMatch(TextRange(side.start, side.end), TextRange(side.start, side.end), 7),)


def read(markup: str) -> str:
    node = LexborHTMLParser(f"<div id=x>{markup}</div>").css_first("#x")
    assert node is not None
    return node.text()


@given(LETTERS, LETTERS.filter(bool), LETTERS)
@examples(60)
def test_what_is_read_is_what_the_text_says(before, text, after):
    found = view(shown(text, before[:CONTEXT], after[: CONTEXT - 1]))
    assert read(found.excerpt) == (before[:CONTEXT] + text + after[: CONTEXT - 1]).replace("\r\n", "\n")
    mark = LexborHTMLParser(found.excerpt).css_first("mark")
    assert mark is not None
    assert mark.text() == text.replace("\r\n", "\n")


@given(st.text())
@examples(60)
def test_any_text_makes_the_same_elements(text):
    found = LexborHTMLParser(view(shown(f"<b onclick=x>{text}</mark><script>")).excerpt)
    names = {node.tag for node in found.css("body *")}
    assert names <= {"mark", "span", "i"}


def test_where_the_text_goes_on_dots_stand_between_words():
    found = view(shown("copied", "utting words here ", " and then words cutt".rjust(CONTEXT), start=500))
    assert read(found.excerpt).startswith("…\xa0words here copied")
    assert read(found.excerpt).endswith("words\xa0…")


def test_a_long_passage_is_cut_and_says_so():
    found = view(shown("x" * (LONGEST + 1234)))
    assert "1,234 characters more" in read(found.excerpt)
    assert len(read(found.excerpt)) < LONGEST + 100


def test_only_long_sides_take_the_focus():
    assert not view(shown("x" * SCROLLS)).scrolls
    assert view(shown("x" * (SCROLLS + 1))).scrolls


def test_without_texts_only_the_place_is_unknown():
    found = view(PassageSide(3, 9, 0, 0, None, "", ""))
    assert (found.excerpt, found.lines) == ("", "")


def test_no_more_passages_than_a_person_compares():
    passages = [SharedPassage(shown("x"), shown("x"), 1, whole(shown("x")))] * (SHOWN + 5)
    views = passage_views(passages)
    assert [each.number for each in views] == list(range(1, SHOWN + 1))


def test_characters_that_would_turn_the_text_are_named():
    assert "RLO" in view(shown("a\u202eb")).excerpt
    assert "\u202e" not in view(shown("a\u202eb")).excerpt


def test_what_differs_within_a_passage_is_faint_and_runs_have_their_numbers():
    side = shown("equal other equal", "before ")
    runs = (ExactMatch(TextRange(7, 12), TextRange(7, 12), 5), ExactMatch(TextRange(19, 24), TextRange(19, 24), 5))
    excerpt = LexborHTMLParser(passage_views([SharedPassage(side, side, 10, runs)])[0].right.excerpt)
    strong = [(mark.attributes.get("data-m"), mark.text()) for mark in excerpt.css("mark:not(.g)")]
    assert strong == [("1", "equal"), ("2", "equal")]
    assert [mark.text() for mark in excerpt.css("mark.g")] == [" other "]
