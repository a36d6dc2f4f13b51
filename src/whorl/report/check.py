"""A manuscript as a web page: each stretch in the colour of its best source, what was left out in grey."""

import json
import shutil
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from secrets import token_hex
from typing import Any

from markupsafe import Markup

from whorl._version import VERSION
from whorl.errors import InputError
from whorl.index.check import RESIDUE, ManuscriptCheck, ManuscriptSource, SourcePassage
from whorl.index.places import Reason
from whorl.model import TITLE, Span
from whorl.report.markup import coarse, code, colour, has_many, link, plain, short
from whorl.report.pages import page_name, render
from whorl.report.write import KIND, check_folder, swap
from whorl.stores import REPORT_MARKER

# Characters of a source's passage that a page holds: a screen. When passages and their context have used the room, the
# others are cut to their beginning, so that a page stays below 5 MB.
LONGEST, ROOM, BEGINNING = 3_000, 1_500_000, 100
# Letters of a source that are shown before and after a passage: a line.
CONTEXT = 80

# Characters of a block of the text at least: a screen or two. The browser lays out only the blocks that are seen.
BLOCK = 4_000

# The name of each kind of place on the page.
PLACES = {
    Reason.QUOTATION: "Quotations",
    Reason.BIBLIOGRAPHY: "Bibliography",
    Reason.BASE: "Standard phrases (base)",
}


def write_checks(checks: Sequence[ManuscriptCheck], folder: Path) -> Path:
    """Write a page for each manuscript, and a list if there are several; return the path of the first page.

    An existing folder must be empty or hold a report, which is replaced at the end, so that a failed run leaves it.
    """
    folder = folder.resolve()
    check_folder(folder)
    fresh = folder.with_name(f".{folder.name}.{token_hex(4)}.new")
    try:
        fresh.mkdir(parents=True)
        try:
            _fill(checks, fresh)
            swap(fresh, folder)
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)  # the first error is the one to report
            raise
    except OSError as error:
        raise InputError(f"{folder}: cannot write the report: {error.strerror or error}") from error
    return folder / "index.html"


def _fill(checks: Sequence[ManuscriptCheck], folder: Path) -> None:
    if len(checks) == 1:
        (folder / "index.html").write_bytes(check_page(checks[0]).encode())
    else:
        for number, check in enumerate(checks):
            (folder / page_name(number)).write_bytes(check_page(check, ("index.html", "All manuscripts")).encode())
        rows = [(page_name(number), check) for number, check in enumerate(checks)]
        (folder / "index.html").write_bytes(render("checks", rows=rows).encode())
    (folder / REPORT_MARKER).write_text(json.dumps({"kind": KIND, "version": VERSION}) + "\n", "utf-8")


def check_page(check: ManuscriptCheck, back: tuple[str, str] | None = None, notice: str = "") -> str:
    """Render the page of a manuscript. ``back`` is the address and the name of a link to where it came from; ``notice``
    is shown above the text."""
    pieces = _Pieces(check)
    places = [
        (reason.value, name, len(check.places[reason])) for reason, name in PLACES.items() if reason in check.places
    ]
    return render(
        "check", check=check, back=back, notice=notice, text=pieces.markup(), facts=pieces.facts(), places=places,
        prose=not check.is_program,
        has_tokens=check.has_tokens,
    )  # fmt: skip


class _Pieces:
    """The manuscript, cut at every bound of a match, a place, a page or a block. The page's script counts in pieces."""

    def __init__(self, check: ManuscriptCheck) -> None:
        self._check, self._room = check, ROOM
        spans = [span for source in check.sources for passage in source.passages for span in passage.spans]
        spans += [span for each in check.places.values() for span in each]
        self._pages = {mark.start: mark.number for mark in check.marks if mark.kind == "page"}
        self._blocks = set(_blocks(check.text))
        ends = {0, len(check.text), *self._pages, *self._blocks, *(place for span in spans for place in span)}
        self._bounds = sorted(ends)
        self._touched = {piece for span in spans for piece in range(*self._range(span))}

    def facts(self) -> dict[str, Any]:
        """Return the data of the page's script: pieces with their letters and words, places, sources."""
        check, measure = self._check, self._check.measure
        pieces = [Span(*bounds) for bounds in pairwise(self._bounds)]
        return {
            "letters": measure.total,
            "residue": RESIDUE,
            "limit": check.limit,
            "pieces": [[measure.letters([piece]), measure.words([piece])] for piece in pieces],
            "places": {reason.value: self._ranges(spans) for reason, spans in check.places.items()},
            "sources": [self._source(source) for source in check.sources],
        }

    def markup(self) -> Markup:
        """Return the text in blocks, with a mark around every piece that a source or a place touches."""
        shown = coarse if has_many(self._check.text) else code
        owners = self._owners()
        out = ["<div>"]
        for number, (start, end) in enumerate(pairwise(self._bounds)):
            if start in self._blocks:
                out.append("</div><div>")
            if start in self._pages:
                out.append(f'<b class="page" id="page{self._pages[start]}">Page {self._pages[start]}</b>')
            content = shown(self._check.text[start:end].replace("\r\n", "\n"))
            rank = owners.get(number, 0)
            look = f"p{colour(rank)}" if rank else "x"
            out.append(
                f'<mark class="{look}" data-i="{number}">{content}</mark>' if number in self._touched else content
            )
        return Markup("".join([*out, "</div>"]))

    def _owners(self) -> dict[int, int]:
        """Return the rank of the source that explains each piece, from 1."""
        shares = enumerate(self._check.counted.shares, 1)
        return {piece: rank for rank, share in shares for span in share.spans for piece in range(*self._range(span))}

    def _range(self, span: Span) -> tuple[int, int]:
        return bisect_left(self._bounds, span.start), bisect_left(self._bounds, span.end)

    def _ranges(self, spans: Iterable[Span]) -> list[tuple[int, int]]:
        return [self._range(span) for span in spans]

    def _source(self, source: ManuscriptSource) -> dict[str, Any]:
        entry = source.document
        labels = [plain(label) for label in entry.labels if not label.startswith(TITLE)]
        about = [
            plain(fact)
            for fact in (entry.name if source.title != entry.name else None, entry.date, entry.owner)
            if fact
        ]
        return {
            "title": short(source.title), "about": [*about, *labels],
            "url": link(entry.url).href if entry.url else None,
            "excluded": plain(source.excluded), "passages": [self._passage(passage) for passage in source.passages],
        }  # fmt: skip

    def _passage(self, shared: SourcePassage) -> dict[str, Any]:
        left, right = shared.passage.left, shared.passage.right
        page = self._check.page(left.start)
        here = f"line {left.start_line:,}" if page is None else f"page {page:,}"
        there = f"line {right.start_line:,}" if right.start_line else ""
        edited = {"edited": True} if shared.is_edited else {}
        tokens = {} if shared.tokens is None else {"tokens": shared.tokens}
        text, has_room = shared.text or "", self._room > 0
        most = LONGEST if has_room else BEGINNING
        shown = text if len(text) <= most else f"{text[:most]}…"
        before = shared.before[-CONTEXT:] if has_room else ""
        after = shared.after[:CONTEXT] if has_room and shown == text else ""
        self._room -= len(before) + len(shown) + len(after)
        texts = [before, None if shared.text is None else shown, after]
        return {"pieces": self._ranges(shared.spans), "here": here, "there": there, "texts": texts, **tokens, **edited}


def _blocks(text: str) -> Iterator[int]:
    """Yield the places where a block of the text begins, other than the first: always after a line break."""
    place = text.find("\n", BLOCK)
    while 0 <= place < len(text) - 1:
        yield place + 1
        place = text.find("\n", place + 1 + BLOCK)
