"""What sweeps tell."""

from dataclasses import dataclass

from whorl.model import Skipped


@dataclass(frozen=True, slots=True)
class Added:
    """What an add did: documents that were read, distinct contents that were new, pages and sweeps there are now, pairs
    of contents that are alike, and what was left out."""

    documents: int
    contents: int
    pages: int
    sweeps: int
    pairs: int
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike a version is to the one that was asked about: the resemblance; how much of the one asked about it has;
    how much of it the one asked about has."""

    resemblance: float
    has: float
    within: float


@dataclass(frozen=True, slots=True)
class Holder:
    """A page that holds, or held, a version of a document: on which dates it was first and last seen there, whether it
    is in the newest sweep, the newest contact that was given, and how alike its newest version is."""

    url: str
    contact: str | None
    first: str
    last: str
    current: bool
    content: str
    likeness: Likeness


@dataclass(frozen=True, slots=True)
class Found:
    """Where a page's document is: when the page last showed it, whether the page itself is in the newest sweep, and the
    places of all versions, the newest first. ``content`` and ``cluster`` are digests: of what the page showed, and of
    the document that stands for the cluster."""

    url: str
    shown: str
    newest: str
    alive: bool
    content: str
    cluster: str
    documents: int
    places: tuple[Holder, ...]


@dataclass(frozen=True, slots=True)
class Version:
    """What a page showed from one sweep to another. ``likeness`` is to the version before: how alike, how much of that
    one this one has, how much of this one was there. ``missed`` counts the sweeps between both without the page."""

    content: str
    first: str
    last: str
    sweeps: int
    missed: int
    likeness: Likeness | None


@dataclass(frozen=True, slots=True)
class History:
    """The versions of a page, the oldest first, and the first sweep since which it is gone, if it is."""

    url: str
    versions: tuple[Version, ...]
    gone: str | None


@dataclass(frozen=True, slots=True)
class Contacts:
    """Everyone who holds a version of a document. ``stored``: the document itself was seen in a sweep, and its
    cluster tells who; otherwise it was looked up."""

    name: str
    stored: bool
    content: str
    holders: tuple[Holder, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """A document of a cluster: its digest, how it is equal to the one that stands for it, how many shingles it has, how
    alike it is to the one asked about, and its URLs."""

    content: str
    kind: str
    shingles: int
    likeness: Likeness
    urls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """The paper's chain of queries: a URL, its document, the cluster, the documents of the cluster, their URLs."""

    url: str
    content: str
    cluster: str
    documents: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class SweepChange:
    """A sweep against the one before. ``returned`` pages were there earlier, but not in the one before. ``changes``
    counts changed pages by their resemblance, as ``BUCKETS`` of ``whorl.sweeps.changes`` divides it. ``moved`` pages
    are gone, and a page that was not in the sweep before shows their document: on the same server, or on another."""

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
class Stats:
    """All sweeps, and what holds over all of them. Lives are in days, from the first to the last time that a version or
    a page was seen: at least that long. ``change_rate`` is the share of visits that found another content than the
    sweep before; None if no page was visited twice."""

    sweeps: tuple[SweepChange, ...]
    pages: int
    contents: int
    documents: int
    clusters: int
    versions: int
    mean_version_days: float
    mean_page_days: float
    change_rate: float | None
