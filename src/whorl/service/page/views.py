"""View models for templates: hits with their passages, texts, jobs and clusters."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any

from markupsafe import Markup

from whorl.formats.code.languages import LANGUAGES
from whorl.model import TITLE, title_of
from whorl.report.markup import Look, TextMark, coarse, code, colour, has_many, lines, segments
from whorl.report.words import counted
from whorl.scheme import Scheme
from whorl.service.documents import StoredDocument
from whorl.service.jobs import ServiceJob
from whorl.service.search import CONTEXT, OwnHit, PassageSide, SharedPassage, TextRange

# Passages of one hit that are shown: more than a person compares at once. The longest come first.
SHOWN = 12
# Characters of one passage that are shown on a side: some screens of text. How much is left out is told.
LONGEST = 6_000
# A context begins and ends between words where one does within so many characters.
WORD = 24
# Between the dots and the text: they stay on its line.
GLUE = "\N{NO-BREAK SPACE}"
# From so many characters on a side scrolls, and must be reachable by keyboard.
SCROLLS = 500


@dataclass(frozen=True, slots=True)
class ExcerptSide:
    """A passage in one of the two texts: where, as markup, and whether it is long enough to scroll."""

    lines: str
    excerpt: Markup
    scrolls: bool


@dataclass(frozen=True, slots=True)
class ExcerptView:
    """A passage with its number, from 1, its colour, its length in symbols, and both sides."""

    number: int
    colour: int
    symbols: int
    left: ExcerptSide
    right: ExcerptSide


def passage_views(passages: Sequence[SharedPassage]) -> tuple[ExcerptView, ...]:
    """Return the passages that are shown."""
    return tuple(_view(number, passage) for number, passage in enumerate(passages[:SHOWN], start=1))


def _view(number: int, passage: SharedPassage) -> ExcerptView:
    shade = colour(number)
    left = _side(passage.left, [match.left for match in passage.matches], shade)
    right = _side(passage.right, [match.right for match in passage.matches], shade)
    return ExcerptView(number, shade, passage.symbols, left, right)


def _side(side: PassageSide, runs: Sequence[TextRange], shade: int) -> ExcerptSide:
    if side.text is None:
        return ExcerptSide(_lines(side), Markup(), scrolls=False)
    excerpt = Markup("".join(_pieces(side, side.text, runs, shade)))
    return ExcerptSide(_lines(side), excerpt, scrolls=len(side.text) > SCROLLS)


def _lines(side: PassageSide) -> str:
    """Return the place of a passage; an index that keeps no texts has no line numbers."""
    if side.start_line < 1:
        return ""
    first, last = side.start_line, side.end_line
    return f"line {first:,}" if first == last else f"lines {first:,}–{last:,}"


def _pieces(side: PassageSide, text: str, runs: Sequence[TextRange], shade: int) -> Iterator[str]:
    before = side.before if side.start == len(side.before) else f"…{GLUE}{_later_words(side.before)}"
    if before:
        yield f'<span class="context">{_escaped(before)}</span>'
    yield from _marked(text[:LONGEST], side.start, runs, shade)
    if len(text) > LONGEST:
        yield f' <span class="rest">… {len(text) - LONGEST:,} characters more</span>'
    elif side.after:
        after = side.after if len(side.after) < CONTEXT else f"{_earlier_words(side.after)}{GLUE}…"
        yield f'<span class="context">{_escaped(after)}</span>'


def _marked(text: str, start: int, runs: Sequence[TextRange], shade: int) -> Iterator[str]:
    """Yield the markup of a passage: equal parts strong, different ones faint. Both sides have the same number of
    exact runs, so that the number of one leads to its counterpart."""
    marks = [TextMark(0, len(text), Look.GAP)]
    marks += [TextMark(max(0, run.start - start), run.end - start, Look.MATCH, n) for n, run in enumerate(runs, 1)]
    for segment in segments(len(text), marks):
        look = f'p{shade}" data-m="{segment.passage}' if segment.look is Look.MATCH else f"p{shade} g"
        yield f'<mark class="{look}">{_escaped(text[segment.start : segment.end])}</mark>'


def _later_words(piece: str) -> str:
    """Without the word that was cut at the beginning."""
    cut = next((place for place, letter in enumerate(piece[:WORD]) if letter.isspace()), 0)
    return piece[cut:].lstrip()


def _earlier_words(piece: str) -> str:
    """Without the word that was cut at the end."""
    tail = piece[-WORD:]
    cut = next((place for place, letter in enumerate(reversed(tail)) if letter.isspace()), 0)
    return piece[: len(piece) - cut].rstrip()


def _escaped(piece: str) -> str:
    return (coarse if has_many(piece) else code)(piece.replace("\r\n", "\n"))


# Characters of a text on one page: as much as a browser shows at once on a phone.
TEXT_PART = 50_000
# A part of a text ends at the end of a line, if there is one among its last characters.
LINE_SEARCH = 2_000

# Clusters that a page shows, and documents of each: some screens. The JSON has all.
CLUSTERS, MEMBERS = 50, 20


@dataclass(frozen=True, slots=True)
class HitView:
    """A document that was found, with its passages; ``hidden`` counts those that are not shown. ``title`` is its name
    if it has no title of its own."""

    id: int
    name: str
    title: str
    where: str
    url: str | None
    date: str | None
    contact: str | None
    labels: tuple[str, ...]
    containment: float
    contained: float
    passages: tuple[ExcerptView, ...]
    hidden: int
    prose: bool


@dataclass(frozen=True, slots=True)
class TextView:
    """A part of a text as lines of markup, and where its neighbours begin."""

    lines: Markup
    length: int
    start: int
    end: int
    previous: int | None
    following: int | None

    @property
    def whole(self) -> bool:
        """Whether this is all of it."""
        return self.previous is None and self.following is None


@dataclass(frozen=True, slots=True)
class JobView:
    """A job as a row or a page shows it."""

    id: str
    kind: str
    title: str
    state: str
    open: bool
    tenant: str | None
    submitted: datetime
    started: datetime | None
    ended: datetime | None
    step: str
    done: int
    total: int | None
    message: str


@dataclass(frozen=True, slots=True)
class ClustersView:
    """The largest clusters of a job's result."""

    total: int
    shown: tuple[tuple[dict[str, Any], ...], ...]
    most: int = MEMBERS


def hit_view(hit: OwnHit) -> HitView:
    """Return a hit as it is shown."""
    document, passages = hit.document, passage_views(hit.passages)
    where = "/".join(part for part in (document.tenant, document.collection) if part)
    return HitView(
        document.id, document.name, title_of(document.name, document.labels, document.url), where, document.url,
        document.date, document.contact, tuple(label for label in document.labels if not label.startswith(TITLE)),
        hit.containment, hit.contained, passages, len(hit.passages) - len(passages), not is_program(document),
    )  # fmt: skip


def is_program(document: StoredDocument) -> bool:
    """Return whether a document is source code, which is shown in a monospaced font."""
    return document.format in LANGUAGES


def unit(scheme: Scheme) -> str:
    """Return the name of one symbol."""
    return (scheme.symbols or "symbols").removesuffix("s")


def text_view(text: str, wanted: int) -> TextView:
    """Return the part of a text that begins at a position, or the nearest part before it."""
    start = min(max(0, wanted), max(0, len(text) - 1))
    end = min(len(text), start + TEXT_PART)
    if end < len(text):
        last = text.rfind("\n", max(start, end - LINE_SEARCH), end)
        end = last + 1 if last > start else end
    previous = None if start == 0 else max(0, start - TEXT_PART)
    return TextView(lines(text[start:end], (), "l"), len(text), start, end, previous, end if end < len(text) else None)


def job_view(job: ServiceJob) -> JobView:
    """Return a job as it is shown."""
    return JobView(
        job.id, job.kind, _title(job), job.state.value, not job.state.is_over, job.tenant, job.submitted, job.started,
        job.ended, job.step, job.done, job.total, job.message,
    )  # fmt: skip


def _title(job: ServiceJob) -> str:
    title = job.settings.get("title")
    if title:
        return str(title)
    if job.kind == "cluster":
        return f"Near-duplicates in {job.settings.get('collection') or 'all collections'}"
    return {"compare": "Comparison of submissions", "purge": "Purge of deleted documents"}.get(
        job.kind, "Removal of documents that were kept long enough"
    )


def summary(job: ServiceJob) -> str | None:
    """Return the outcome of a job, in a sentence; None if there is none, or none any more."""
    figures = job.result
    if figures is None:
        return None
    if job.kind == "compare":
        left_out = figures.get("skipped", 0)
        skipped = f" {counted(left_out, 'file was', 'files were')} skipped." if left_out else ""
        submissions = counted(figures.get("submissions", 0), "submission")
        pairs = f"{counted(figures.get('pairs', 0), 'pair')} of {submissions} listed"
        return f"{pairs}, {counted(figures.get('clusters', 0), 'cluster')}.{skipped}"
    if job.kind == "cluster":
        return f"{counted(figures.get('documents', 0), 'document')} looked at."
    return f"{counted(figures.get('documents', figures.get('expired', 0)), 'document')}."


def clusters_view(file: IO[bytes]) -> ClustersView:
    """Read the result of a clustering from its file."""
    clusters: Sequence[dict[str, Any]] = json.load(file)["clusters"]
    return ClustersView(len(clusters), tuple(tuple(cluster["members"]) for cluster in clusters[:CLUSTERS]))
