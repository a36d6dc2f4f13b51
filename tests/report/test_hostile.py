"""Names, labels and sources that try to run: none does, and none makes an element. And long ones, which make no page
wider than the screen."""

import re
from dataclasses import replace
from itertools import chain

import pytest

from tests.report.conftest import Watch
from tests.report.sample import Source as Text
from tests.report.sample import side
from whorl.comparison.result import Cluster, Comparison, File, Group, Pair, Submission
from whorl.matching.passage import Match, Passage
from whorl.matching.score import Score, ScorePart
from whorl.model import Skipped, Span
from whorl.report.write import write
from whorl.scheme import preset

RUN = "window.__xss=1"

PAYLOADS = (
    f"<script>{RUN}</script>", f"</script><script>{RUN}</script>", f"<SCRIPT>{RUN}</SCRIPT>",
    f"<scr<script>ipt>{RUN}</scr</script>ipt>", f"<script src=data:text/javascript,{RUN}></script>",
    "<script src=//example.test/x.js></script>", f"<img src=x onerror={RUN}>", f"<img src=x onerror='{RUN}'>",
    f'<img src=x onerror="{RUN}">', f"<img/src/onerror={RUN}>", f"<IMG SRC=x ONERROR={RUN}>",
    "<img src=//example.test/beacon.png>", f"<svg onload={RUN}>", f"<svg/onload={RUN}>",
    f"<svg><script>{RUN}</script></svg>", f"<svg><animate onbegin={RUN} attributeName=x dur=1s>",
    f"<body onload={RUN}>", f"<iframe src=javascript:{RUN}></iframe>", f"<iframe srcdoc='<script>{RUN}</script>'>",
    f"<object data=javascript:{RUN}>", f"<embed src=javascript:{RUN}>", f"<a href=javascript:{RUN}>x</a>",
    f"<form action=javascript:{RUN}><button>x</button></form>", f"<input autofocus onfocus={RUN}>",
    f"<select autofocus onfocus={RUN}>", f"<textarea autofocus onfocus={RUN}>", f"<details open ontoggle={RUN}>",
    f"<video><source onerror={RUN}></video>", f"<audio src=x onerror={RUN}>", f"<marquee onstart={RUN}>",
    f"<math><mtext></mtext><mglyph><img src=x onerror={RUN}></math>", "<base href=//example.test/>",
    f"<meta http-equiv=refresh content='0;url=javascript:{RUN}'>", "<link rel=stylesheet href=//example.test/x.css>",
    "<style>@import '//example.test/x.css';</style>", "</style><style>body{display:none}</style>",
    f"</title><script>{RUN}</script>", f"</textarea><script>{RUN}</script>", f"</noscript><script>{RUN}</script>",
    f"--><script>{RUN}</script><!--", f"<!--<script>{RUN}</script>", f"]]><script>{RUN}</script>",
    f'"><script>{RUN}</script>', f"'><script>{RUN}</script>", f'" onmouseover="{RUN}', f"' onfocus='{RUN}' autofocus='",
    f'" autofocus onfocus="{RUN}" x="', f"` onerror={RUN} `", f"javascript:{RUN}",
    f"data:text/html,<script>{RUN}</script>",
    f"';{RUN};//", f'";{RUN};//', f"\\';{RUN};//", f'\\";{RUN};//', f"${{{RUN}}}", f"`;{RUN};//",
    f"\u2028{RUN}\u2029", f"</script\t><script\n>{RUN}</script >", "{{ 7 * 7 }}", "{% include 'pair.html' %}",
    "{{ ''.__class__.__mro__ }}", "${7*7}", f"&lt;script&gt;{RUN}&lt;/script&gt;",
    f"&#60;script&#62;{RUN}&#60;/script&#62;",
    f"\x00<script>{RUN}</script>", f"<\x00script>{RUN}</script>", f"\ufeff<script>{RUN}</script>",
    f"\ud83c<script>{RUN}</script>", f"\u202e<script>{RUN}</script>", "../../../../etc/passwd", "..\\..\\x.html",
    "__proto__", "constructor", f"<template><script>{RUN}</script></template>", f"<dialog open onclose={RUN}>",
    f"<x onclick={RUN} tabindex=1 id=x autofocus onfocus={RUN}>", "<plaintext>",
    f"<keygen autofocus onfocus={RUN}>", f"<isindex action=javascript:{RUN}>", f"<xmp><script>{RUN}</script>",
)  # fmt: skip

TOGETHER = 10

COUNT_ELEMENTS = """() => {
  const counts = {};
  for (const element of document.querySelectorAll("*:not(i.hidden)")) {
    counts[element.localName] = (counts[element.localName] ?? 0) + 1;
    for (const { name } of element.attributes) counts[`@${name}`] = (counts[`@${name}`] ?? 0) + 1;
  }
  return counts;
}"""


USE_GRAPH = """() => {
  for (const node of document.querySelectorAll("#graph .node")) {
    node.dispatchEvent(new PointerEvent("pointerenter"));
    node.dispatchEvent(new MouseEvent("click"));
  }
}"""


def harmless(payload: str, number: int) -> str:
    """As long as the payload, of letters and digits only, and like no other."""
    return re.sub(r"[^\n]", "x", payload[:-2]) + f"{number:02d}"


def source(payload: str) -> str:
    return f"{payload}\n# {payload}\nx = '{payload}'\n" + "y = 1\n"


def bundles(payloads: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Each payload alone, then many together: few pages that have them all."""
    alone = [(payload,) for payload in payloads]
    together = [payloads[start : start + TOGETHER] for start in range(0, len(payloads), TOGETHER)]
    return [*alone, *together]


def comparison(payloads: tuple[str, ...]) -> Comparison:
    """Payloads are names, labels, dates, people, assignments, names and formats of files, notes and sources."""
    every = bundles(payloads)
    pairs = tuple(pair(every, number) for number in range(0, len(every), 2))
    return Comparison(
        scheme=preset("code"),
        submissions=tuple(submission(bundle, i % 2 == 1) for i, bundle in enumerate(every)),
        pairs=pairs,
        clusters=tuple(cluster(pairs, number) for number in range(0, len(pairs), 2)),
        groups=tuple(Group(text, text, 0.5, (0,)) for text in payloads),
        skipped=tuple(Skipped(text, text) for text in payloads),
        threshold=0.2,
        measure=payloads[0],
        scores=(1,) * 101,
        omitted=3,
        compared=1000,
        long=66,
        identical=tuple((number, number + 1) for number in range(0, len(every), 2)),
        text=lambda submission, file: source(every[submission][file]),
    )


def submission(bundle: tuple[str, ...], archived: bool) -> Submission:
    name = " ".join(bundle)
    files = tuple(File(text, text, 9, (Span(0, 9),), (text,)) for text in bundle)
    return Submission(name, files, 9, 3, archived, name, name, name, name)


def pair(every: list[tuple[str, ...]], number: int) -> Pair:
    passages = tuple(passage(left, right) for left, right in zip(every[number], every[number + 1], strict=True))
    score = Score(tuple(ScorePart(text, 0.9, 0.9) for text in every[number]), 7, 0.5)
    return Pair(number, number + 1, score, 3, 0.5, 0.5, 7, passages)


def cluster(pairs: tuple[Pair, ...], number: int) -> Cluster:
    """Two pairs in a row, or the last one."""
    both = pairs[number : number + 2]
    members = tuple(chain(*((pair.left, pair.right) for pair in both)))
    return Cluster(members, tuple(range(number, number + len(both))))


def passage(left: str, right: str) -> Passage:
    whole = Match(Span(0, len(left)), Span(0, len(right)), 5)
    part = Match(Span(len(left) + 3, len(left) + 9), Span(9, 12), 2)
    sides = [side(Text(text, source(text)), 0, 40) for text in (left, right)]
    return Passage(sides[0], sides[1], 7, (whole, part))


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """A hostile report, and the same with letters for payloads."""
    folder = tmp_path_factory.mktemp("hostile")
    mild = tuple(harmless(payload, number) for number, payload in enumerate(PAYLOADS))
    for name, payloads in (("hostile", PAYLOADS), ("harmless", mild)):
        write(comparison(payloads), folder / name, title=" ".join(payloads))
    return folder


def pages(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*.html"))


def some_pages(folder):
    """The overview, the lists, the pages that have all payloads together, and some of those that have two."""
    alone = len(PAYLOADS) // 2
    every = pages(folder)
    of_class = [path for path in every if path.parent.name == ""]
    pairs, submissions, clusters = (
        [path for path in every if path.parent.name == kind] for kind in ("pair", "submission", "cluster")
    )
    assert len(clusters) > 10
    return [
        *of_class, *pairs[:alone:5], *pairs[alone:], *submissions[: 2 * alone : 10], *submissions[2 * alone :],
        *clusters[::4], *clusters[alone // 2 :],
    ]  # fmt: skip


def test_there_are_enough_payloads():
    assert len(set(PAYLOADS)) == len(PAYLOADS) >= 60
    assert len(PAYLOADS) % (2 * TOGETHER) == 0


def test_what_runs_would_be_seen(browser):
    page = browser.new_page()
    watch = Watch(page)
    page.set_content(f"<img src='http://example.test/x.png' onerror='{RUN}; console.log(1)'>")
    page.wait_for_function("window.__xss === 1")
    assert any(fault.startswith("request") for fault in watch.faults)
    assert any(fault.startswith("console") for fault in watch.faults)
    page.close()


def test_names_of_files_on_disk_are_numbers(reports):
    name = re.compile(r"(?:index|submissions)\.html|(?:pair|submission|cluster)/\d{4}\.html")
    assert all(name.fullmatch(str(path)) for path in pages(reports / "hostile"))


def test_nothing_runs_and_no_element_is_made(page, reports):
    assert pages(reports / "hostile") == pages(reports / "harmless")
    for path in some_pages(reports / "hostile"):
        page.goto((reports / "harmless" / path).as_uri())
        expected = page.evaluate(COUNT_ELEMENTS)
        page.goto((reports / "hostile" / path).as_uri())
        assert page.evaluate(COUNT_ELEMENTS) == expected, path
        page.keyboard.press("n")
        assert page.evaluate("window.__xss") is None, path


def test_nothing_runs_when_the_overview_is_used(page, reports):
    page.goto((reports / "hostile" / "index.html").as_uri())
    page.locator("#table").get_by_role("button", name="Left", exact=True).click()
    page.evaluate(USE_GRAPH)
    page.locator("#only").click()
    page.locator("#rows").select_option("1000")
    page.locator("#filter-text").fill("<script>")
    assert page.locator("#table tbody tr").count() > 5
    assert page.evaluate("window.__xss") is None


LONG = tuple(f"{'x' * 198}{number:02}" for number in range(2 * TOGETHER))


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """A report in which no name can be broken at a space. Measures and parts of scores have names of ours."""
    made = comparison(LONG)
    score = Score((ScorePart("tokens", 0.9, 0.9),), 7, 0.5)
    pairs = tuple(replace(pair, score_parts=score) for pair in made.pairs)
    folder = tmp_path_factory.mktemp("long")
    write(replace(made, measure="score", pairs=pairs), folder, title="T" * 200)
    return folder


@pytest.mark.parametrize("width", [360, 1366])
def test_long_names_make_no_page_wider_than_the_screen(page, long, width):
    page.set_viewport_size({"width": width, "height": 740})
    kinds = {path.parent.name: path for path in pages(long)}
    assert set(kinds) == {"", "pair", "submission", "cluster"}
    for path in (*kinds.values(), "index.html"):
        page.goto((long / path).as_uri())
        page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_on_a_phone_columns_beside_long_names_can_be_read(page, long):
    page.set_viewport_size({"width": 360, "height": 740})
    for path in ("submissions.html", "submission/0001.html"):
        page.goto((long / path).as_uri())
        names = page.locator(".evidence tbody td:first-child")
        assert max(cell.bounding_box()["width"] for cell in names.all()) < 300


def test_names_are_read_as_they_are(page, reports):
    page.goto((reports / "hostile" / "index.html").as_uri())
    page.locator("#rows").select_option("1000")
    names = set(chain(*(page.locator(f"#table td:nth-child({n}) bdi").all_text_contents() for n in (2, 3))))
    plain = {payload for payload in PAYLOADS if payload.isascii() and payload.isprintable()}
    assert plain <= names
