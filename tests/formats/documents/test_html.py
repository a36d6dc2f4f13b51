"""HTML: what a reader sees, whatever the markup."""

import pytest

from tests.conformance.document import SAMPLES, DocumentConformance
from whorl.errors import InputError
from whorl.formats.documents.frontend import HtmlFrontend
from whorl.formats.documents.html import extract

DEEP = 200_000


class TestHtml(DocumentConformance):
    frontend = HtmlFrontend()
    sample = "page.html"

    def write(self, paragraphs):
        return "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs).encode()

    def variants(self, paragraphs):
        text = self.write(paragraphs).decode()
        yield text.replace("<p>", "<P CLASS='lead' id=x data-a=\"1 > 0\">").replace("</p>", "</P >")
        yield text.replace("<p>", "\n\n  <div>\n<p>").replace("</p>", "</p>\t</div><!-- <p>a</p> -->")
        yield text.replace("ee", "e<b>e</b>").replace("am", "<span style='color:red'>a</span>m<wbr><!---->")
        yield text.replace("</p>", "")
        yield text.replace("é", "&eacute;").replace("T", "&#84;").replace("l", "&#x6C;")
        yield f"<html><head><style>p {{}}</style><script>a<b</script></head><body>{text}</body></html>"
        yield "".join(f"<ul><li>{paragraph}</ul>" for paragraph in paragraphs)
        yield "<table>" + "".join(f"<tr><td>{paragraph}</td></tr>" for paragraph in paragraphs) + "</table>"
        yield "<br>".join(paragraphs)
        yield text + "<template><p>x</p></template><p hidden>x</p><i style='display:none'>x</i><noscript>x</noscript>"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<b>w</b>ord", "word"),
        ("<p>a<p>b</p>c", "a\nb\nc"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<td>a</td><td>b</td>", "a\n\nb"),
        ("<title>a <b> c</title>d", "a <b> c\nd"),
        ("<TITLE>Q&amp;A</TITLE>", "Q&A"),
        ("<textarea><p>&lt;</textarea>", "<p><"),
        ("a<script>b</scrip></SCRIPT >c", "ac"),
        ("a<style/>b", "a"),
        ("a<!-->b<!--->c<!-- x --!>d<!-- x -- > -->e", "abcde"),
        ("a<!doctype x>b<?php c ?>d</>e</ f>g<![CDATA[h]]>", "abdeg"),
        ("1 < 2 <3 & a<", "1 < 2 <3 & a<"),
        ("&lt;b&gt; &amp;lt; &nbsp&notit;", "<b> &lt; \xa0¬it;"),
        ("&#xD800;&#0;&#x110000;&#99999999999;", "\ufffd" * 4),
        ("a<p title='>' x=\">\" y=it's>b", "a\nb"),
        ("a<p hidden>b<p>c</p></p>d", "a\n\nd"),
        ("a<p HIDDEN=''>b</p>c", "a\n\nc"),
        ("a<p class='hidden' title=hidden-x aria-hidden=true>b</p>c", "a\nb\nc"),
        ("a<p title=' hidden '>b</p>c", "a\nb\nc"),
        ('a<i style="x:y; DISPLAY : none">b</i>c', "ac"),
        ("a<i style=display:none>b</i>c", "ac"),
        ("a<i style='overflow: hidden ' data-style='display:none'>b</i>c", "abc"),
        ("a<input hidden>b", "ab"),
        ("a<p hidden>never closed", "a\nnever closed"),
        ("a<b\0>c</b>d", "acd"),
        ("<script>'<p hidden>'</script>a</p>b", "a\nb"),
        ("<xmp><p></xmp>", "<p>"),
        ("a<p Hidden>b</p>c", "a\n\nc"),
        ("a<p title=hidden>b</p>c", "a\nb\nc"),
        ("a<p title='x<y' hidden>b</p>c", "a\n\nc"),
        ("a<p title='x'hidden/>b</p>c", "a\n\nc"),
        ("a<textarea hidden><p></textarea>b", "a\n\nb"),
        ("a<iframe hidden></p></iframe>b", "ab"),
        ("a<i hidden>b<b hidden>c</i>d</b>e", "ae"),
        ("a<p>b<p hidden>c</p>d</p>e", "a\nb\n\nd\ne"),
        ("a<X-Y hidden>b</x-y>c<xyz>d</xyz>", "acd"),
        ("a<div hidden>b<dir>c</div>d", "a\n\nd"),
        ("<template>a<template>b</template>c</template>d", "d"),
        ("a\ud800<b>\udfff</b>", "a\ud800\udfff"),
        ("\ufeffa", "\ufeffa"),
    ],
)
def test_what_is_seen(page, text):
    assert extract(page).text == text


def test_the_sample():
    text = extract((SAMPLES / "page.html").read_bytes()).text
    assert text.startswith("The lighthouse & the sea\n\nHome\n\nLogbook\n\nThe lighthouse\n\nThe keeper")
    for seen in ("“always\nbefore dusk”", "Café and naïve", "Monday\n\n4", "if lamp < 2", "Unbelievable", "closed the"):
        assert seen in text
    for unseen in ("not text", "not shown", "Neither", "this", "scripts", "Nothing yet", "comment", "navy", "no</p>"):
        assert unseen not in text


def test_the_main_content_only():
    text = extract((SAMPLES / "page.html").read_bytes(), main_only=True).text
    assert text.startswith("The lighthouse\n\nThe keeper")
    assert text.endswith("closed the book.")
    assert "not shown" not in text
    assert extract("<nav>a</nav><div>b<aside>c</aside></div><footer>d", main_only=True).text == "b\n\nd"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("a<main>b</main>c<main>d<i hidden>e</i></main>f", "b\n\nd"),
        ("a<main>b<main>c</main>d</main>e", "b\nc\nd"),
        ("a<main>b<p hidden>c</main>d</p>e<main>f</main>", "b\n\nf"),
        ("a<main>b<nav>c</nav>", "a\nb"),
        ("<form>a<form>b</form>c</form>d", "d"),
    ],
)
def test_what_is_main(page, text):
    assert extract(page, main_only=True).text == text


def test_a_byte_order_mark():
    assert extract("\ufeffé".encode()).text == extract("\ufeffé".encode("utf-16-le")).text == "é"


def test_broken_utf8_that_is_declared():
    assert extract(b"<meta charset=utf-8>a\xe6b").text == "a\ufffdb"


def test_both_kernels_agree(each_kernel):
    content = (SAMPLES / "page.html").read_bytes()
    assert extract(content).text.startswith(
        "The lighthouse & the sea\n\nHome\n\nLogbook\n\nThe lighthouse\n\nThe keeper"
    )
    assert extract("<p>a<p hidden>b</p>c&eacute;<main>d</main>", main_only=True).text == "d"


def test_the_declared_encoding():
    page = '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r"><p>маяк'
    assert extract(page.encode("koi8-r")).text == "маяк"


def test_an_unknown_kind_of_symbol():
    with pytest.raises(InputError, match="unknown kind"):
        HtmlFrontend("tokens")


@pytest.mark.parametrize(
    ("page", "text"),
    [
        pytest.param("<div>" * DEEP + "a", "a", id="nested"),
        pytest.param("<div>" * DEEP + "a" + "</div>" * DEEP, "a", id="nested and closed"),
        pytest.param("<b>" * DEEP + "a<p>b", "a\nb", id="unclosed formatting"),
        pytest.param("".join(f"<p><font id={n}>" for n in range(DEEP)) + "a", "a", id="formatting to reconstruct"),
        pytest.param("a<!--" + "-x <" * (5 << 18), "a", id="unclosed comment"),
        pytest.param("a" + "<!-- " * (1 << 20), "a", id="unclosed comments"),
        pytest.param("a<script>" + "</scrip <script> '\"" * (1 << 18), "a", id="unclosed script"),
        pytest.param("a<p x='" + "y" * (1 << 20) + "'>b", "a\nb", id="long attribute"),
        pytest.param("a<p x='" + '="<' * (1 << 19), "a", id="unclosed attribute"),
        pytest.param("a<p" + " style= hidden" * (1 << 17) + ">b", "a\nb", id="many attributes"),
        pytest.param("<p hidden>" * DEEP + "a", "a", id="hidden, unclosed"),
        pytest.param("<p hidden>" * DEEP + "b" + "</p>" * DEEP + "a", "a", id="hidden, nested"),
        pytest.param("".join(f"<x{n} hidden>" for n in range(DEEP)) + "a", "a", id="many names"),
        pytest.param("a" + "<p hidden>b</p>" * DEEP, "a", id="many hidden"),
        pytest.param("a<" * (1 << 20), "a", id="unclosed tags"),
        pytest.param("</div>" * DEEP + "a", "a", id="end tags alone"),
        pytest.param("\0" * (1 << 20) + "a", "\ufffd" * (1 << 20) + "a", id="zeros"),
        pytest.param("<" * (5 << 20), "<" * (5 << 20), id="less than"),
        pytest.param("a\n<!--" + "x" * (5 << 20), "a", id="long comment"),
        pytest.param("&lt;&amp;&bogus" * DEEP, "<&&bogus" * DEEP, id="entities"),
        pytest.param(f"&#{'9' * 100_000};&#{'0' * 100_000}65;&#x{'f' * 100_000};", "\ufffd" * 3, id="long numbers"),
        pytest.param("a\n" + " \t" * (1 << 20) + "b", "a\n" + " \t" * (1 << 20) + "b", id="blanks"),
        pytest.param("\n \n" * (1 << 20) + "a", "a", id="blank lines"),
    ],
)
def test_hostile_pages(page, text):
    assert extract(page).text == text
    assert len(extract(page.encode(), main_only=True).text) <= len(text)
