"""What templates are given: documents, hits, texts and jobs as a person reads them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from markupsafe import Markup

from whorl.frontends.code.languages import LANGUAGES
from whorl.report.markup import lines
from whorl.report.words import count
from whorl.scheme import Scheme
from whorl.service.documents import Stored
from whorl.service.jobs import Job
from whorl.service.page.excerpts import PassageView, passage_views
from whorl.service.searching import OwnHit

# Characters of a text on one page: as much as a browser shows at once on a phone.
TEXT_PART = 50_000
# A part of a text ends at the end of a line, if there is one among its last characters.
LINE_SEARCH = 2_000

# Clusters that a page shows, and documents of each: some screens. The JSON has all.
CLUSTERS, MEMBERS = 50, 20


@dataclass(frozen=True, slots=True)
class HitView:
    """A document that was found, with its passages; ``hidden`` counts those that are not shown."""

    id: int
    name: str
    where: str
    url: str | None
    date: str | None
    contact: str | None
    labels: tuple[str, ...]
    containment: float
    contained: float
    passages: tuple[PassageView, ...]
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
    """A hit as it is shown."""
    document, passages = hit.document, passage_views(hit.passages)
    where = "/".join(part for part in (document.tenant, document.collection) if part)
    return HitView(
        document.id, document.name, where, document.url, document.date, document.contact, document.labels,
        hit.containment, hit.contained, passages, len(hit.passages) - len(passages), not is_program(document),
    )  # fmt: skip


def is_program(document: Stored) -> bool:
    """Whether a document is source code, which is shown in letters of one width."""
    return document.format in LANGUAGES


def unit(scheme: Scheme) -> str:
    """What one symbol is called."""
    return (scheme.symbols or "symbols").removesuffix("s")


def text_view(text: str, asked: int) -> TextView:
    """The part of a text that begins at a place, or as near before it as there is one."""
    start = min(max(0, asked), max(0, len(text) - 1))
    end = min(len(text), start + TEXT_PART)
    if end < len(text):
        last = text.rfind("\n", max(start, end - LINE_SEARCH), end)
        end = last + 1 if last > start else end
    previous = None if start == 0 else max(0, start - TEXT_PART)
    return TextView(lines(text[start:end], (), "l"), len(text), start, end, previous, end if end < len(text) else None)


def job_view(job: Job) -> JobView:
    """A job as it is shown."""
    return JobView(
        job.id, job.kind, _title(job), job.state.value, not job.state.is_over, job.tenant, job.submitted, job.started,
        job.ended, job.step, job.done, job.total, job.message,
    )  # fmt: skip


def _title(job: Job) -> str:
    given = job.settings.get("title")
    if given:
        return str(given)
    if job.kind == "cluster":
        return f"Near-duplicates in {job.settings.get('collection') or 'all collections'}"
    return {"compare": "Comparison of submissions", "purge": "Purge of deleted documents"}.get(
        job.kind, "Removal of documents that were kept long enough"
    )


def summary(job: Job) -> str:
    """What came of a job, in a sentence."""
    told = job.result or {}
    if job.kind == "compare":
        skipped = f" {count(told.get('skipped', 0), 'file was', 'files were')} left out." if told.get("skipped") else ""
        found = f"{count(told.get('pairs', 0), 'pair')} of {count(told.get('submissions', 0), 'submission')} to look at"
        return f"{found}, {count(told.get('clusters', 0), 'cluster')}.{skipped}"
    if job.kind == "cluster":
        return f"{count(told.get('documents', 0), 'document')} looked at."
    return f"{count(told.get('documents', told.get('expired', 0)), 'document')}."


def clusters_view(path: Path) -> ClustersView:
    """The result of a clustering, read from its file."""
    clusters: Sequence[dict[str, Any]] = json.loads(path.read_text("utf-8"))["clusters"]
    return ClustersView(len(clusters), tuple(tuple(cluster["members"]) for cluster in clusters[:CLUSTERS]))
