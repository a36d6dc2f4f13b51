"""Searches and checks, for the API and the page: the tenant's index, near-duplicates, the registry, lost and found."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from markupsafe import Markup

from whorl.errors import DocumentError, InputError
from whorl.index.check import LIMIT, Exclusions, ManuscriptCheck, check_hits, refuse_large
from whorl.index.cover import Timer
from whorl.index.search import Cost, Hit, Hits, with_labels
from whorl.index.store import Entry
from whorl.matching.passage import Passage, Side
from whorl.model import Document
from whorl.registry import search as registry_search
from whorl.report.check import check_page
from whorl.service.authentication import Principal, TokenScope
from whorl.service.context import Context
from whorl.service.disclosure import ForeignMatch, Level, Overlap
from whorl.service.documents import LARGE, StoredDocument, stored_document, visible_entry
from whorl.service.naming import checked_fact, checked_name, qualified_name_of
from whorl.service.problems import Problem
from whorl.service.settings import Others
from whorl.service.tenant_index import IndexQuery, LargeSearchError, TenantIndex
from whorl.sweep.result import PageLocations, ScreenedDocument
from whorl.sweep.screening import OVERLAP

# Letters of context before and after a passage: a line of print.
CONTEXT = 80

# Seconds that a document waits while another is added to the sweeps.
WRITER_WAIT = 30.0

# Hits of one search: more than a person reads; a script that wants all lists the index.
MOST_HITS = 100

# From here on two documents are roughly the same: Broder's 50%.
NEAR = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """A search request. ``window`` and ``look_ups`` ask less of the index and get an estimate; ``only`` asks for one
    document."""

    content: bytes | str
    name: str = "query"
    format: str | None = None
    limit: int = 10
    window: int | None = None
    look_ups: int | None = None
    passages: bool = True
    only: int | None = None
    with_text: bool = True


@dataclass(frozen=True, slots=True)
class PassageSide:
    """One side of a passage: where it stands, what it says, and what stands before and after it. ``text`` is None if
    the index keeps no texts; lines are 0 then."""

    start: int
    end: int
    start_line: int
    end_line: int
    text: str | None
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class TextRange:
    """A range of a text, in code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ExactMatch:
    """Equal symbols on both sides of a passage."""

    left: TextRange
    right: TextRange
    symbols: int


@dataclass(frozen=True, slots=True)
class SharedPassage:
    """A passage shared by the query (left) and a document (right), with its exact matches."""

    left: PassageSide
    right: PassageSide
    symbols: int
    matches: tuple[ExactMatch, ...]


@dataclass(frozen=True, slots=True)
class OwnHit:
    """A document of one's own that shares something with the query: the figures are ``whorl.index.search.Hit``'s."""

    document: StoredDocument
    score: float
    resemblance: float
    containment: float
    contained: float
    shared: int
    others: int
    verified: bool
    passages: tuple[SharedPassage, ...]


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The result of a search. ``text`` is the query's own text, to which left sides of passages refer, "" if it is not
    wanted; ``foreign``
    is the part about others' documents; ``cost`` counts own documents alone."""

    name: str
    text: str
    hits: tuple[OwnHit, ...]
    foreign: tuple[ForeignMatch, ...]
    cost: Cost
    notes: tuple[str, ...]


def search(context: Context, principal: Principal, query: SearchQuery) -> SearchAnswer:
    """Return the documents that share most with a text, best first."""
    principal.require(TokenScope.SEARCH)
    document = Document(checked_name(query.name), query.content, format=query.format)
    limit = max(1, min(query.limit, MOST_HITS))
    index_query = IndexQuery(
        document=document, tenant=principal.tenant, everyone=principal.is_admin, limit=limit, window=query.window,
        look_ups=query.look_ups, passages=query.passages, only=query.only,
    )  # fmt: skip
    answer = _answer(context, principal, document.name, _found(context, principal, index_query, query.with_text))
    context.note(principal, "search", "", f"{len(answer.hits)} own, {len(answer.foreign)} of others")
    return answer


def near_duplicates(
    context: Context, principal: Principal, number: int, *, threshold: float = NEAR, limit: int = 10
) -> tuple[OwnHit, ...]:
    """Return the near-duplicates of a document in the index, most similar first."""
    principal.require(TokenScope.SEARCH)
    limit = max(1, min(limit, MOST_HITS))
    with context.reading(principal) as index, index.reading():
        entry = visible_entry(index, principal, number)
        index_query = IndexQuery(
            document=index.document(entry.name), tenant=principal.tenant, everyone=principal.is_admin,
            limit=limit + 1, passages=False, alike=True,
        )  # fmt: skip
    hits = _found(context, principal, index_query, with_text=False).hits
    alike = [hit for hit in hits if hit.document.id != number and hit.resemblance >= threshold]
    return tuple(sorted(alike, key=lambda hit: -hit.resemblance)[:limit])


@dataclass(frozen=True, slots=True)
class FoundHits:
    """The hits of a search that its principal owns, the overlap with documents of others, how many letters were read,
    and the text, if it is wanted."""

    hits: tuple[OwnHit, ...]
    others: Overlap
    cost: Cost
    notes: tuple[str, ...]
    letters: int
    text: str


def _found(context: Context, principal: Principal, query: IndexQuery, with_text: bool) -> FoundHits:
    """Search beside other small searches, or in a process with a low priority if there is much to read."""
    content, target = query.document.content, f"{__name__}:{find_hits.__name__}"
    hits: FoundHits | None = None
    if not isinstance(content, bytes | str) or len(content) <= LARGE:
        with context.searching(principal) as searcher:
            hits = searcher.call(target, principal, query, with_text, LARGE)
    if hits is None:
        with context.in_process(principal) as process:
            hits = process.call(target, principal, query, with_text)
    return hits


def find_hits(
    index: TenantIndex, principal: Principal, query: IndexQuery, with_text: bool, most: int | None = None
) -> FoundHits | None:
    """Search an index. Return None if there is more than ``most`` to read."""
    with suppress(LargeSearchError), index.reading():
        outcome = index.ask(query, most)
        hits = outcome.hits
        owned, text = _owned(index, principal, hits), hits.text if with_text else ""
        return FoundHits(owned, outcome.others, hits.cost, hits.notes, len(hits.text), text)
    return None


def _answer(context: Context, principal: Principal, name: str, found: FoundHits) -> SearchAnswer:
    foreign, note = _disclosed(context, principal, found.others, found.letters)
    notes = (*found.notes, *([note] if note else []))
    return SearchAnswer(name, found.text, found.hits, foreign, found.cost, notes)


def _disclosed(
    context: Context, principal: Principal, overlap: Overlap, letters: int
) -> tuple[tuple[ForeignMatch, ...], str]:
    """Return what the policy lets a principal learn of others' documents, and a note about it, or ""."""
    levels, note = context.disclosure.disclose(principal, overlap, letters, context.settings.others)
    return tuple(_foreign(context, principal, levels)), note


def _owned(index: TenantIndex, principal: Principal, hits: Hits) -> tuple[OwnHit, ...]:
    """Keep the hits that the principal owns according to their rows; ``Ownership`` only helps to rank."""
    if not all(index.ownership.agrees(hit.document) for hit in hits):
        index.ownership.forget()
    return tuple(_shown(index, hit, hits.text) for hit in hits if principal.owns(hit.document))


def _foreign(context: Context, principal: Principal, levels: Sequence[tuple[int, Level]]) -> Iterator[ForeignMatch]:
    """Yield the disclosed matches whose documents still exist."""
    if not levels:
        return
    with context.reading(principal) as index:
        entries = [index.find(number) for number, _ in levels]
    for (_, level), entry in zip(levels, entries, strict=True):
        if entry is not None and not principal.owns(entry):  # it may have become one's own
            yield ForeignMatch(level, entry.contact if context.settings.others is Others.CONTACT else None)


def _shown(index: TenantIndex, hit: Hit, text: str) -> OwnHit:
    other = index.text_of(hit.document) if hit.passages and hit.verified else None
    passages = tuple(_passage(passage, text, other) for passage in hit.passages)
    return OwnHit(
        stored_document(hit.document), hit.score, hit.resemblance, hit.containment, hit.contained, hit.shared,
        hit.others, hit.verified, passages,
    )  # fmt: skip


def _passage(passage: Passage, text: str, other: str | None) -> SharedPassage:
    runs = (ExactMatch(TextRange(*match.left), TextRange(*match.right), match.symbols) for match in passage.matches)
    return SharedPassage(_side(passage.left, text), _side(passage.right, other), passage.symbols, tuple(runs))


def _side(side: Side, text: str | None) -> PassageSide:
    start, end, lines = side.start, side.end, (side.start_line, side.end_line)
    if text is None:
        return PassageSide(start, end, *lines, None, "", "")
    return PassageSide(
        start, end, *lines, text[start:end], text[max(0, start - CONTEXT) : start], text[end : end + CONTEXT]
    )


# Seconds after which a check stops reading sources and says so. It runs at a low priority, beside other requests.
CHECK_SECONDS = 60.0

# Seconds of a check for changed words.
DEEP_SECONDS = 20.0

# Where the notice about others' documents belongs on the page of a check, which is rendered in another process. No
# text of a document can contain it: "<" is escaped.
NOTICE = "<!--others-->"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckQuery:
    """A manuscript to check. Text of the ``base`` files does not count. Only documents with one of the ``labels`` are
    sources, if there are any. ``as_page`` asks for the page, not for JSON."""

    content: bytes | str
    name: str = "manuscript"
    format: str | None = None
    exclusions: Exclusions = Exclusions()  # noqa: RUF009 - frozen
    base: tuple[Document, ...] = ()
    labels: tuple[str, ...] = ()
    limit: int = LIMIT
    deep: bool = False
    as_page: bool = False


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """A check against one's own documents, as a page or as JSON; how many letters were read, and how many documents are
    sources; and the overlap with documents of others."""

    content: str
    letters: int
    sources: int
    others: Overlap


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """The result of a check, as a page or as JSON, and the part about others' documents."""

    content: str
    foreign: tuple[ForeignMatch, ...]
    note: str


def check(context: Context, principal: Principal, query: CheckQuery) -> CheckAnswer:
    """Check a manuscript against one's own documents, in a process of its own: it may have to read many of them."""
    principal.require(TokenScope.SEARCH)
    checked_name(query.name)
    with context.in_process(principal) as process:
        outcome: CheckOutcome = process.call(f"{__name__}:{checked_manuscript.__name__}", principal, query)
    foreign, note = _disclosed(context, principal, outcome.others, outcome.letters)
    context.note(principal, "check", "", f"{outcome.sources} own, {len(foreign)} of others")
    return CheckAnswer(outcome.content, foreign, note)


def checked_manuscript(index: TenantIndex, principal: Principal, query: CheckQuery) -> CheckOutcome:
    """Check a manuscript against the documents of a principal."""
    document = Document(query.name, query.content, format=query.format)
    refuse_large(document, index.scheme)
    asked = IndexQuery(document=document, tenant=principal.tenant, everyone=principal.is_admin)
    rules = query.exclusions
    counts = rules.counts
    counted = None if counts is None else lambda entry: counts(_shown_entry(entry, principal))
    with index.reading():
        outcome = index.explain_own(
            asked, Timer(CHECK_SECONDS), wanted=with_labels(query.labels), counted=counted,
            deep_seconds=DEEP_SECONDS if query.deep else None,
        )  # fmt: skip
        owned = [hit for hit in outcome.hits if principal.owns(hit.document)]
        stored = {hit.document.id: stored_document(hit.document) for hit in owned}
        shown = tuple(replace(hit, document=_shown_entry(hit.document, principal)) for hit in owned)
        hits = replace(outcome.hits, hits=shown)
        result = check_hits(index, document, hits, rules, base=query.base, limit=query.limit)
    content = (
        check_page(result, ("/check", "Check another"), Markup(NOTICE)) if query.as_page else _json(result, stored)
    )
    return CheckOutcome(content, len(hits.text), len(result.sources), outcome.others)


def _shown_entry(entry: Entry, principal: Principal) -> Entry:
    """Return an entry under the name that its owner gave it. Only admins, who see all documents, see owners."""
    return replace(entry, name=qualified_name_of(entry).name, owner=entry.owner if principal.is_admin else None)


def _json(result: ManuscriptCheck, stored: dict[int, StoredDocument]) -> str:
    fields = result.as_dict()
    sources = [{**source, "document": asdict(stored[source["document"]["id"]])} for source in fields["sources"]]
    return json.dumps({**fields, "sources": sources})


def search_registry(
    context: Context, principal: Principal, content: bytes | str, *, name: str = "query", format: str | None = None,  # noqa: A002 - the API's own word
    threshold: float = registry_search.THRESHOLD, limit: int = 10,
) -> registry_search.RegistryHits:  # fmt: skip
    """Return the registered documents that a text comes from, best first. Everybody may search a registry: it stores no
    texts, and its documents were registered to be found."""
    principal.require(TokenScope.SEARCH)
    document = Document(checked_name(name), content, format=format)
    with context.registry(principal) as opened:
        hits = opened.search(document, threshold=threshold, limit=max(1, min(limit, MOST_HITS)))
    context.note(principal, "search registry", "", f"{len(hits.hits)} found")
    return hits


def screen(
    context: Context, principal: Principal, content: bytes | str, *, name: str, format: str | None = None,  # noqa: A002 - the API's own word
    overlap: float = OVERLAP, add: bool = False,
) -> ScreenedDocument:  # fmt: skip
    """Return whether a document is new, a duplicate of one in the sweeps, or overlaps some. ``add``: store it in the
    sweep of today unless it is a duplicate, for admins: all tenants share the sweeps."""
    principal.require(TokenScope.ADMIN if add else TokenScope.SEARCH)
    document, answers = Document(checked_name(name), content, format=format), list[ScreenedDocument]()
    with context.sweep(principal) as opened:
        if add:
            context.check_room(opened.folder)
        try:
            if add:
                today = datetime.now(UTC).date().isoformat()
                opened.add_new([document], today, answers.append, overlap=overlap, wait=WRITER_WAIT)
            else:
                answers += opened.screen([document], overlap=overlap)
        except InputError as error:
            raise Problem(422, _without_path(error, opened.folder)) from error
    if answers[0].reason is not None:
        raise Problem(422, answers[0].reason)
    context.note(principal, "screen", name, answers[0].state)
    return answers[0]


def lost_and_found(
    context: Context, principal: Principal, url: str, *, as_of: str | None = None, shown: str | None = None
) -> PageLocations:
    """Return what a page last showed, and where that is now."""
    principal.require(TokenScope.SEARCH)
    checked_fact(url, "url")
    with context.sweep(principal) as opened:
        try:
            result = opened.find(url, as_of=as_of, shown=shown)
        except DocumentError as error:
            raise Problem(404, _without_path(error, opened.folder)) from error
        except InputError as error:
            raise Problem(422, _without_path(error, opened.folder)) from error
    context.note(principal, "lost and found", url)
    return result


def _without_path(error: InputError, folder: Path) -> str:
    """Remove the path of the sweeps from a message."""
    return str(error).replace(str(folder), "the sweeps")
