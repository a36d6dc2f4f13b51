"""Where does this text come from, and what is nearly the same as this document? What the API and the page both ask."""

from dataclasses import dataclass

from whorl.index.search import Cost, Hit, Hits
from whorl.matching.passage import Passage, Side
from whorl.model import Document
from whorl.service.desk import Desk
from whorl.service.documents import Stored, found, stored
from whorl.service.naming import checked_name
from whorl.service.policy import Foreign, Overlap, levels
from whorl.service.principal import Principal
from whorl.service.reader import Asked, Reader
from whorl.service.settings import Others
from whorl.service.tokens import Scope

# Letters of context before and after a passage: a line of print.
CONTEXT = 80

# Hits of one search: more than a person reads; a script that wants all lists the index.
MOST_HITS = 100

# From here on two documents are roughly the same: Broder's 50%.
NEAR = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked. ``window`` and ``look_ups`` ask less of the index and get an estimate; ``only`` asks for one
    document."""

    content: bytes | str
    name: str = "query"
    format: str | None = None
    limit: int = 10
    window: int | None = None
    look_ups: int | None = None
    passages: bool = True
    only: int | None = None


@dataclass(frozen=True, slots=True)
class Shown:
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
class Stretch:
    """A piece of a text: from ``start`` up to ``end``, counted in code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Run:
    """Symbols that are equal on both sides of a passage."""

    left: Stretch
    right: Stretch
    symbols: int


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """What the query (left) and a document (right) share, and the exact runs in it."""

    left: Shown
    right: Shown
    symbols: int
    matches: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class OwnHit:
    """A document of one's own that shares something with the query: the figures are ``whorl.index.search.Hit``'s."""

    document: Stored
    score: float
    resemblance: float
    containment: float
    contained: float
    shared: int
    others: int
    verified: bool
    passages: tuple[FoundPassage, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search tells. ``text`` is the query's own text, into which left sides of passages point; ``foreign`` what
    may be told of others' documents; ``cost`` counts own documents alone."""

    name: str
    text: str
    hits: tuple[OwnHit, ...]
    foreign: tuple[Foreign, ...]
    cost: Cost
    notes: tuple[str, ...]


def search(desk: Desk, principal: Principal, query: Query) -> Answer:
    """The documents that share most with a text, best first."""
    principal.require(Scope.SEARCH)
    document = Document(checked_name(query.name), query.content, format=query.format)
    limit = max(1, min(query.limit, MOST_HITS))
    asked = Asked(
        document=document, tenant=principal.tenant, everyone=principal.is_admin, limit=limit, window=query.window,
        look_ups=query.look_ups, passages=query.passages, only=query.only,
    )  # fmt: skip
    with desk.searching() as index, index.reading():
        answer = _answer(desk, principal, index, asked)
    desk.note(principal, "search", "", f"{len(answer.hits)} own, {len(answer.foreign)} of others")
    return answer


def near(
    desk: Desk, principal: Principal, number: int, *, threshold: float = NEAR, limit: int = 10
) -> tuple[OwnHit, ...]:
    """The documents that are nearly the same as one in the index, the most alike first."""
    principal.require(Scope.SEARCH)
    limit = max(1, min(limit, MOST_HITS))
    with desk.searching() as index, index.reading():
        entry = found(index, principal, number)
        asked = Asked(
            document=index.document(entry.name), tenant=principal.tenant, everyone=principal.is_admin,
            limit=limit + 1, passages=False, alike=True,
        )  # fmt: skip
        hits = _owned(index, principal, index.ask(asked).hits)
    alike = [hit for hit in hits if hit.document.id != number and hit.resemblance >= threshold]
    return tuple(sorted(alike, key=lambda hit: -hit.resemblance)[:limit])


def _answer(desk: Desk, principal: Principal, index: Reader, asked: Asked) -> Answer:
    told = index.ask(asked)
    hits = _owned(index, principal, told.hits)
    foreign = _foreign(index, told.others, len(told.hits.text), desk.settings.others)
    return Answer(asked.document.name, told.hits.text, hits, foreign, told.hits.cost, told.hits.notes)


def _owned(index: Reader, principal: Principal, hits: Hits) -> tuple[OwnHit, ...]:
    """The hits that are the principal's own, by their rows: what was learned of owners only helps to rank."""
    if not all(index.holdings.agrees(hit.document) for hit in hits):
        index.holdings.forget()
    return tuple(_shown(index, hit, hits.text) for hit in hits if principal.owns(hit.document))


def _foreign(index: Reader, overlap: Overlap, letters: int, others: Others) -> tuple[Foreign, ...]:
    told = levels(overlap, letters, others)
    if others is not Others.CONTACT:
        return tuple(Foreign(level) for _, level in told)
    return tuple(Foreign(level, index.numbered(number).contact) for number, level in told)


def _shown(index: Reader, hit: Hit, text: str) -> OwnHit:
    other = index.text_of(hit.document) if hit.passages and hit.verified else None
    passages = tuple(_passage(passage, text, other) for passage in hit.passages)
    return OwnHit(
        stored(hit.document), hit.score, hit.resemblance, hit.containment, hit.contained, hit.shared, hit.others,
        hit.verified, passages,
    )  # fmt: skip


def _passage(passage: Passage, text: str, other: str | None) -> FoundPassage:
    runs = (Run(Stretch(*match.left), Stretch(*match.right), match.symbols) for match in passage.matches)
    return FoundPassage(_side(passage.left, text), _side(passage.right, other), passage.symbols, tuple(runs))


def _side(side: Side, text: str | None) -> Shown:
    start, end, lines = side.start, side.end, (side.start_line, side.end_line)
    if text is None:
        return Shown(start, end, *lines, None, "", "")
    return Shown(start, end, *lines, text[start:end], text[max(0, start - CONTEXT) : start], text[end : end + CONTEXT])
