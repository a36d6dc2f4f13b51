"""The walk over a page equals its specification on every input, in time that grows with the page and nothing else."""

import random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.conformance.document import SAMPLES
from tests.examples import examples
from tests.kernel.specification import html as specification
from whorl.formats.documents.html import elements, key
from whorl.kernel import native_html
from whorl.kernel.constants import BREAKS, ENDS, HIDES, VOID

# Whatever can begin, end or divide a token, and what only looks like it.
# fmt: off
SOUP = [
    "<", ">", "/", "=", '"', "'", "!", "?", "-", "--", "-->", "--!>", "<!--", "<!-->", "<!--->", "<!doctype", "</",
    "</>", "<?", ":", "a", "B", "h1", "1", "É", "\U0001f600", "\ud800", "ſ", "<p>", "</p>", "<P", "<div", "<b>",
    "</b>", "<br/>", "<main>", "</main>", "<nav>", "</nav>", "<template>", "</template>", "<x-y>", "</X-Y>",
    "<blockquote", "<script>", "</script>", "</SCRIPT", "<style", "<title>", "</title>", "</titl", "<textarea",
    "</textarea/", "<xmp>", "hidden", "HIDDEN", "hidden=", "style=", 'STYLE="display:none"', "style='display", ":'",
    "none", '"display', "display:", "display:none", "style=display:none", 'class="', *" \t\n\f\r\v\xa0",
]
# fmt: on

soup = st.lists(st.one_of(st.sampled_from(SOUP), st.text(max_size=3)), max_size=40).map("".join)


def buffer(text):
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)


def both(page):
    """The text and the tags of a page, by the specification, after checking that the compiled walk agrees."""
    (text, tags), (expected, expected_tags) = (
        module.visible(buffer(page), *elements()) for module in (native_html, specification)
    )
    assert text.tobytes() == expected.tobytes()
    assert tags.tolist() == expected_tags.tolist()
    return expected.tobytes().decode("utf-8", "surrogatepass"), expected_tags.tolist()


@given(soup)
@examples(2000)
@example("")
@example("<")
@example("</")
@example("<!")
@example("<!--")
@example("<!---")
@example("<!--->")
@example("<!----!>a")
@example("<!-- -")
@example("<p")
@example("<p style=display:none")
@example("<p style='display:none")
@example("<script>a</script")
@example("<title>a</title>b</title")
def test_tag_soup(page):
    both(page)


def test_damaged_pages():
    chance = random.Random(1)
    page = (SAMPLES / "page.html").read_text(encoding="utf-8")
    for _ in range(300):
        start, end = sorted(chance.choices(range(len(page)), k=2))
        damage = "".join(chance.choices(SOUP, k=chance.randrange(4)))
        both(page[: start + 1] + damage + page[min(end, start + chance.randrange(30)) :])
        both(page[start:] + page[:end])


def test_truncated_pages():
    page = (SAMPLES / "page.html").read_text(encoding="utf-8")
    for length in range(0, len(page), 3):
        both(page[:length])


def test_a_row_for_each_tag(each_kernel):
    _, tags = native_html.visible(buffer("a<P hidden>b</p><input hidden><template>c<i>d"), *elements())
    assert tags.tolist() == [
        [2, 3, BREAKS | HIDES, 1],
        [14, 15, BREAKS | ENDS, 3],
        [17, 22, VOID, 4],
        [31, 39, BREAKS | HIDES, 4],
        [42, 43, 0, 6],
    ]


def test_keys_are_apart():
    names = [b"a", b"b", b"h1", b"h2", b"1", b"aa", b"blockquote", b"figcaption"]
    assert len({key(name) for name in names}) == len(names)
    assert key(b"BlockQuote") == key(b"blockquote")
    for name in (b"", b"a-b", b"elevenchars", "é".encode(), b"a@", b"[", b"a`"):
        assert key(name) == 0


def test_too_many_elements():
    keys = np.arange(1, 258, dtype=np.uint64)
    with pytest.raises(ValueError, match="too many"):
        native_html.visible(buffer("<p>"), keys, np.zeros(len(keys), np.uint8))


LONG = 5 << 20


@pytest.mark.parametrize(
    ("page", "length", "tags"),
    [
        pytest.param("<" * LONG, LONG, 0, id="less than"),
        pytest.param("<a" * LONG, 0, 1, id="one endless name"),
        pytest.param("<p>" * (LONG // 3), LONG // 3, LONG // 3, id="tags and nothing else"),
        pytest.param("<!--" + "-" * LONG, 0, 0, id="dashes"),
        pytest.param("<!--" + "--!" * (LONG // 3), 0, 0, id="nearly the end of a comment"),
        pytest.param("<a " + "b " * LONG, 0, 1, id="attributes"),
        pytest.param("<a " + "=" * LONG, 0, 1, id="equals signs"),
        pytest.param("<a b='" + '<a b="' * (LONG // 6), 0, 1, id="quotes"),
        pytest.param("<a style='" + "display " * (LONG // 8), 0, 1, id="displays"),
        pytest.param("<a style='" + "display" + " " * LONG + "'>", 0, 1, id="blanks in a style"),
        pytest.param("<a " + "style=display" * (LONG // 16), 0, 1, id="styles"),
        pytest.param("<script>" + "</script" * (LONG // 8), 0, 1, id="nearly the end of a script"),
        pytest.param("<title>" + "</" * (LONG // 2), LONG // 2 * 2 + 1, 1, id="nearly end tags"),
        pytest.param("<?" * (LONG // 2), 0, 0, id="instructions"),
        pytest.param("a\ud800<b>" * (LONG // 8), LONG // 2, LONG // 8, id="lone surrogates"),
    ],
)
def test_hostile_pages_take_one_pass(page, length, tags):
    text, rows = native_html.visible(buffer(page), *elements())
    assert (len(text), len(rows)) == (length, tags)
