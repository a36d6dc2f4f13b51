"""Markdown: the prose and the code, without the markup."""

import pytest

from tests.conformance.document import SAMPLES, DocumentConformance
from whorl.formats.documents.frontend import MarkdownFrontend
from whorl.formats.documents.markdown import extract


class TestMarkdown(DocumentConformance):
    frontend = MarkdownFrontend()
    sample = "notes.md.txt"

    def write(self, paragraphs):
        return "\n\n".join(paragraphs).encode()

    def variants(self, paragraphs):
        text = self.write(paragraphs).decode()
        yield text.replace("\n", "\r\n")
        yield text.replace("keeper", "**kee**per").replace("lamp", "*lamp*").replace("dusk", "__dusk__")
        yield text.replace("keeper", "[keeper](https://example.org 'x')").replace("lamp", "[lamp][l]") + "\n\n[l]: /l"
        yield text.replace("keeper", "`keeper`").replace("lamp", "~~la~~mp").replace("é", "&eacute;")
        yield text.replace("keeper", "<b class='x'>kee</b>per<!-- x -->")
        yield "\n\n".join(f"## {paragraph} ##" for paragraph in paragraphs)
        yield "\n\n".join(f"{paragraph}\n===" for paragraph in paragraphs)
        yield "\n".join(f"> - {paragraph}" for paragraph in paragraphs)
        yield "\n".join(f"{number}. {paragraph}" for number, paragraph in enumerate(paragraphs))
        yield "\n|---|\n".join(f"| {paragraph} |" for paragraph in paragraphs)
        yield "\n***\n".join(paragraphs)
        yield f"---\ntitle: x\n---\n{text}"
        yield f"```x\n{text}\n```\n"
        yield f"~~~~\n{text}"


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ("**w**ord *a* ***b*** _c_ __d__ ~~e~~", "word a b c d e"),
        ("**a *b* c** *d **e** f*", "a b c d e f"),
        ("snake_case_name __init__ 2 * 3 * 4 2*3", "snake_case_name init 2 * 3 * 4 2*3"),
        (r"\*a\* \<b> \[c](d) \`e`", "*a* <b> [c](d) `e`"),
        ("`a*b*` ``c`d`` `*e", "a*b* c`d `*e"),
        ("[a](b) [c](<d e> 'f') [g](h_(i)) [j]() [k] [l][m]", "a c g j [k] [l][m]"),
        ("[a][b] [B][] [b] x[0][1]\n\n[b]: /c 'd'", "a B b x[0][1]"),
        ("[a] b\n\n[a]:\n  /c\n[d]: e f", "a b\n\n[d]: e f"),
        ("[`a`] b\n\n[`a`]: /c", "a b"),
        ("[![a](b.png)](c) ![d][e]\n\n[e]: f", "a d"),
        ("<https://a.b/c_d_e> <a@b.c>", "https://a.b/c_d_e a@b.c"),
        ("a < b, a <b and Vec<T", "a < b, a <b and Vec<T"),
        ("a<br>b <i>c</i>d &amp; &lt;", "a\nb cd & <"),
        ("# a\n## b ##\n#c\nd #e", "a\nb\n#c\nd #e"),
        ("a\n===\nb\n---\n* * *\n___", "a\n\nb"),
        ("> a\n> > b\n\n- [ ] c\n  * d\n2) e", "a\nb\n\nc\nd\ne"),
        ("| a | b |\n|---|:-:|\n| *c* | d |", "| a | b |\n\n| c | d |"),
        ("a[^1]\n\n[^1]: b", "a \n\n b"),
        ("```\n*a* <b> &amp;\n``\n[c](d)\n```\n*e*", "*a* <b> &amp;\n``\n[c](d)\n\ne"),
        ("~~~ x\n```\n~~~~\na", "```\n\na"),
        ("- ```\n  *a*\n  ```", "*a*"),
        ("+++\na = 1\n+++\nb", "b"),
        ("---\nnever closed\n\na", "never closed\n\na"),
        ("a\n\n---\n\nb: c\n\n---\n", "a\n\nb: c"),
        ("a <!--> b <!-- c --> d <!-- e", "a  b  d"),
        ("a << b <<c> d", "a << b < d"),
        ("# C# \n## a  ##\t\n## #\nb  \nc\\\nd\\ ##\n# e # ##", "C# \na\n#\nb\nc\\\nd\\\ne #"),
        ("*a **b ***c*** d** e*", "a b c d e"),
    ],
)
def test_what_is_kept(document, text):
    assert extract(document).text == text


def test_the_sample():
    text = extract((SAMPLES / "notes.md.txt").read_bytes()).text
    assert text.startswith(
        "The lighthouse\n\nThe keeper climbed one hundred and ninety steps every evening, and lit the lamp"
    )
    for seen in ("the log book, Log or https://example.org/auto. a gull", "2 * 3 * 4, a*b*c <tag> and *no emphasis*"):
        assert seen in text
    for seen in ("© 1911, x < y.", "strong and stressed", "# a comment <b>\n    return lamp ** 2", "Hidden details"):
        assert seen in text
    for unseen in ("Not part", "oil", "gull.png", "The log", "never seen", "---", "python", "[x]"):
        assert unseen not in text


LINKS = ["[", "![", "[a](", "[a](b '", "[a]: ", "[^a]", "(())", "[a](b()", "[a][b]"]
INLINE = [
    "<",
    "`` ",
    "*",
    "*a ",
    "_a ",
    "**a",
    "~~a",
    "`",
    "` `` ",
    "<a ",
    "<a b='",
    "<!--",
    "<b>",
    "\\",
    "&",
    "|-",
    "#",
    " #",
]
LINES = ["```\n", "~~~\n```\n", "<div>\n", "> ", "- ", "- -", "1. ", " ", "\t", "\n", "---\n", "a\n=\n", "    a\n"]


@pytest.mark.parametrize("unit", [*LINKS, *INLINE, *LINES])
def test_hostile_documents(unit):
    document = unit * (200_000 // len(unit)) + "x"
    assert len(extract(document).text) <= len(document)
