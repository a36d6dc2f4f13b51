"""The results of queries of sweeps."""

from dataclasses import dataclass

from whorl.model import Skipped


@dataclass(frozen=True, slots=True)
class AddedDocuments:
    """The result of an add: documents read, new distinct contents, pages and sweeps in the store now, pairs of similar
    contents, and skipped documents."""

    documents: int
    contents: int
    pages: int
    sweeps: int
    pairs: int
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class ContentLikeness:
    """A content compared with the query: the resemblance; the share of the query that it has (``has``); the share of it
    that the query has (``within``)."""

    resemblance: float
    has: float
    within: float


@dataclass(frozen=True, slots=True)
class ScreenMatch:
    """A stored document that a screened one repeats or overlaps: the page that first showed it, how they are alike
    (``kind``: identical, lexical, shingle, near, contained or overlap), and how similar it is."""

    of: str
    kind: str
    likeness: ContentLikeness


@dataclass(frozen=True, slots=True)
class ScreenedDocument:
    """The answer about a screened document. ``state``: "new"; "duplicate" of the one match; "overlaps", new but with
    large parts of the matches, the largest first; or "unread", for this ``reason``."""

    name: str
    state: str
    matches: tuple[ScreenMatch, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ScreeningCounts:
    """The number of screened documents in each state, and of documents in the store afterwards. Documents that overlap
    others are not among the new ones."""

    documents: int
    new: int
    duplicates: int
    overlaps: int
    unread: int
    stored: int


@dataclass(frozen=True, slots=True)
class ContentHolder:
    """A page that holds, or held, a version of a document: the dates of the first and the last sweep with it, whether
    that is the newest sweep, the newest known contact, and how similar its newest version is."""

    url: str
    contact: str | None
    first: str
    last: str
    current: bool
    content: str
    likeness: ContentLikeness


@dataclass(frozen=True, slots=True)
class PageLocations:
    """Where a page's document is now: the last date on which the page showed it, whether the page itself is in the
    newest sweep (``alive``), the first sweep without it if it is not (``gone``, as in ``History``), and the places of
    all versions, the newest first. ``content`` and ``cluster`` are digests:
    of what the page showed, and of the representative of the cluster."""

    url: str
    shown: str
    newest: str
    alive: bool
    gone: str | None
    content: str
    cluster: str
    documents: int
    places: tuple[ContentHolder, ...]


@dataclass(frozen=True, slots=True)
class Version:
    """The content of a page from one sweep to another. ``likeness`` compares it with the previous version. ``missed``
    counts the sweeps without the page between both."""

    content: str
    first: str
    last: str
    sweeps: int
    missed: int
    likeness: ContentLikeness | None


@dataclass(frozen=True, slots=True)
class History:
    """The versions of a page, the oldest first, and the first sweep without it, if it is gone."""

    url: str
    versions: tuple[Version, ...]
    gone: str | None


@dataclass(frozen=True, slots=True)
class Contacts:
    """Everyone who holds a version of a document. ``stored``: a sweep saw the document itself, and the holders are
    those of its cluster; otherwise it was looked up by its shingles."""

    name: str
    stored: bool
    content: str
    holders: tuple[ContentHolder, ...]


@dataclass(frozen=True, slots=True)
class MemberDocument:
    """A document of a cluster: its digest, how it equals its representative, how many shingles it has, how similar it
    is to the query, and its URLs."""

    content: str
    kind: str
    shingles: int
    likeness: ContentLikeness
    urls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageCluster:
    """The paper's chain of queries: a URL, its document, the cluster, the documents of the cluster, their URLs."""

    url: str
    content: str
    cluster: str
    documents: tuple[MemberDocument, ...]


@dataclass(frozen=True, slots=True)
class SweepChange:
    """A sweep compared with the previous one. ``returned`` pages are in an earlier sweep, but not in the previous one.
    ``changes`` counts changed pages by resemblance, in the ``BUCKETS`` of ``whorl.sweep.queries``. A ``moved`` page is
    gone, and a page that was not in the previous sweep shows its document: on the same server, or on another."""

    date: str
    pages: int
    new: int
    returned: int
    gone: int
    unchanged: int
    changed: int
    changes: tuple[int, ...]
    moved_within: int
    moved_between: int


@dataclass(frozen=True, slots=True)
class PageChange:
    """A page that is not as it was in the previous sweep. Its ``state`` is gone, moved, new, returned or changed. A
    moved page is gone, and the pages ``moved_to``, which were not in the previous sweep, show its document. A changed
    page has a ``resemblance`` to its previous version."""

    url: str
    state: str
    moved_to: tuple[str, ...] = ()
    resemblance: float | None = None


@dataclass(frozen=True, slots=True)
class SweepChanges:
    """The pages of the sweep of a date that are not as they were in the sweep ``before``, by URL."""

    date: str
    before: str
    pages: tuple[PageChange, ...]


@dataclass(frozen=True, slots=True)
class SweepStats:
    """All sweeps, and figures over all of them. Lifetimes are in days, from the first to the last sweep with a version
    or a page: a lower bound. ``change_rate`` is the share of visits with another content than in the previous sweep;
    None if no page was visited twice."""

    sweeps: tuple[SweepChange, ...]
    pages: int
    contents: int
    documents: int
    clusters: int
    versions: int
    mean_version_days: float
    mean_page_days: float
    change_rate: float | None
