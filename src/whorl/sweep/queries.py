"""Query sweeps: the pages that hold a document, its contacts, other spellings of a URL, the versions of a page, the
pages that changed, moved or went, and how often they do."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from whorl.clustering import ClusterSettings
from whorl.engine.sampling import distinct
from whorl.errors import DocumentError, InputError
from whorl.model import Document, Hashes
from whorl.storage.segments import Segment
from whorl.sweep import days, is_until
from whorl.sweep.contents import NOTHING, ContentReader, Read, counts, look_up
from whorl.sweep.pairs import LikenessCache, between, likeness, parts
from whorl.sweep.result import (
    Contacts,
    ContentHolder,
    History,
    MemberDocument,
    PageChange,
    PageCluster,
    PageLocations,
    SweepChange,
    SweepChanges,
    SweepStats,
    Version,
)
from whorl.sweep.store import SIGHTING_COLUMNS, Content, Sighting, SweepStore

_OTHER = {"http": "https", "https": "http"}


def spellings(url: str) -> Iterator[str]:
    """Yield other spellings of an address, the nearest first: the other scheme, with or without the last slash,
    ``www.`` and a fragment, in lower case, and combinations."""
    seen = {url}
    try:
        start = urlsplit(url)
    except ValueError:  # such as http://[
        return
    for fragment in (start, start._replace(fragment="")):
        for scheme in _schemes(fragment):
            for host in _hosts(scheme):
                for path in _paths(host):
                    for spelling in (path.geturl(), path.geturl().lower()):
                        if spelling and spelling not in seen:
                            seen.add(spelling)
                            yield spelling


def _schemes(url: SplitResult) -> Iterator[SplitResult]:
    yield url
    if url.scheme in _OTHER:
        yield url._replace(scheme=_OTHER[url.scheme])
    elif not url.scheme and "." in url.path.partition("/")[0]:
        host, slash, path = url.path.partition("/")
        yield url._replace(scheme="https", netloc=host, path=slash + path)
        yield url._replace(scheme="http", netloc=host, path=slash + path)


def _hosts(url: SplitResult) -> Iterator[SplitResult]:
    yield url
    if url.netloc:
        host = url.netloc
        yield url._replace(netloc=host.removeprefix("www.") if host.startswith("www.") else f"www.{host}")


def _paths(url: SplitResult) -> Iterator[SplitResult]:
    yield url
    yield url._replace(path=url.path[:-1] if url.path.endswith("/") else f"{url.path}/")


@dataclass(frozen=True, slots=True)
class SweepQuery:
    """Queries of one committed state. Sweeps after ``until`` are ignored."""

    store: SweepStore
    dates: dict[int, str]
    until: str | None = None

    @classmethod
    def of(cls, store: SweepStore, until: str | None = None) -> "SweepQuery":
        """Query all sweeps of a store, up to a date."""
        dates = {number: date for number, date in store.sweeps().items() if is_until(date, until)}
        if not dates:
            raise InputError(f"{store.path.parent}: no sweep{f' until {until}' if until else ' yet'}")
        return cls(store, dates, until)

    @property
    def newest(self) -> str:
        """The date of the newest sweep."""
        return max(self.dates.values())

    def page(self, url: str) -> int:
        """Return the page at an address. The error for an unknown one suggests other spellings."""
        page = self.store.page(url)
        if page is not None:
            return page
        self.store.check_missing(url)
        near = [other for other in spellings(url) if self.store.page(other) is not None]
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise DocumentError(f"{url}: in no sweep of {self.store.path.parent}{hint}")

    def shown(self, url: str, on: str | None = None) -> Sighting:
        """Return what a page showed last, or last until a date."""
        places = self.store.places_of_page(self.page(url))
        seen = [place for place in places if place.sweep in self.dates and is_until(self.dates[place.sweep], on)]
        if not seen:
            first = min(self._date(place) for place in places)
            raise DocumentError(f"{url}: first seen on {first}: give a later date")
        return max(seen, key=self._when)

    def find(self, url: str, on: str | None = None) -> PageLocations:
        """Find where the content of a page is now."""
        shown = self.shown(url, on)
        content = self.store.content(shown.content)
        head = self.store.head(content.row)
        contents = self.contents(head)
        holders = self.holders(contents, self.store.hashes(content.row))
        last = max(self._date(place) for place in self._seen(self.store.places_of_page(shown.page)))
        gone = min((date for date in self.dates.values() if date > last), default=None)
        return PageLocations(
            url, self._date(shown), self.newest, gone is None, gone, content.digest.hex(),
            self.store.content(head).digest.hex(), len(contents), tuple(holders),
        )  # fmt: skip

    def contents(self, head: int) -> dict[int, int]:
        """Return the contents of a cluster, each with its representative."""
        return {number: row for row in self.store.members(head) for number in self.store.contents_of_row(row)}

    def holders(self, contents: dict[int, int], hashes: Hashes) -> list[ContentHolder]:
        """Return the pages that showed any of the contents, most recently seen first, then by resemblance to
        ``hashes``."""
        alike = LikenessCache(self.store, hashes)
        pages: dict[int, list[Sighting]] = {}
        for number in contents:
            for place in self._seen(self.store.places_of_content(number)):
                pages.setdefault(place.page, []).append(place)
        holders = [self._holder(places, contents, alike) for places in pages.values()]
        holders.sort(key=lambda holder: (-holder.likeness.resemblance, holder.url))
        return sorted(holders, key=lambda holder: holder.last, reverse=True)

    def show(self, url: str) -> PageCluster:
        """Return the document of a page, its cluster, the documents of the cluster, and their pages."""
        content = self.store.content(self.shown(url).content)
        head = self.store.head(content.row)
        alike = LikenessCache(self.store, self.store.hashes(content.row))
        members = [self._member(number, row, alike) for number, row in self.contents(head).items()]
        members.sort(key=lambda member: (-member.likeness.resemblance, member.content))
        return PageCluster(url, content.digest.hex(), self.store.content(head).digest.hex(), tuple(members))

    def _member(self, number: int, row: int, alike: LikenessCache) -> MemberDocument:
        content = self.store.content(number)
        pages = {place.page for place in self._seen(self.store.places_of_content(number))}
        urls = tuple(sorted(map(self.store.url, pages)))
        return MemberDocument(content.digest.hex(), content.kind, self.store.content(row).size, alike.of(row), urls)

    def _holder(self, places: list[Sighting], contents: dict[int, int], alike: LikenessCache) -> ContentHolder:
        """Describe a page by its sightings with the contents."""
        places = sorted(places, key=self._when)
        last = places[-1]
        contact = next((place.contact for place in reversed(places) if place.contact is not None), None)
        first, until = self._date(places[0]), self._date(last)
        digest = self.store.content(last.content).digest.hex()
        likeness = alike.of(contents[last.content])
        return ContentHolder(self.store.url(last.page), contact, first, until, until == self.newest, digest, likeness)

    def _seen(self, places: Iterable[Sighting]) -> list[Sighting]:
        return [place for place in places if place.sweep in self.dates]

    def _date(self, place: Sighting) -> str:
        """Return the date of a sweep, also of one after ``until``: an error names it."""
        return self.dates.get(place.sweep) or self.store.sweeps()[place.sweep]

    def _when(self, place: Sighting) -> tuple[str, int]:
        return self._date(place), place.id


# Postings looked up at a time: some dozen megabytes.
ROOM = 1 << 20


def contacts_of(
    query: SweepQuery, segments: Sequence[Segment], reader: ContentReader, source: str | Path | Document
) -> Contacts:
    """Find everyone who holds a version of a page's document, of a file or of a document."""
    if isinstance(source, str):
        if query.store.page(source) is None and _is_file(source):
            return contacts_of(query, segments, reader, Path(source))
        return _stored(query, source, query.store.content(query.shown(source).content))
    document = source if isinstance(source, Document) else Document(str(source), source)
    read = reader.read_one(document)
    if read.reason is not None:
        raise DocumentError(read.reason, document.name)
    content = _known(query.store, read)
    if content is not None:
        return _stored(query, document.name, content)
    rows = _near(query.store, segments, reader.settings, read)
    contents = {number: row for row in rows for number in query.store.contents_of_row(row)}
    return Contacts(document.name, False, read.digest.hex(), tuple(query.holders(contents, read.hashes)))


def _known(store: SweepStore, read: Read) -> Content | None:
    """Return a content with the same bytes, symbols or shingles, or None."""
    columns = (("digest", read.digest), ("lexical", read.lexical), ("shingles", read.shingles))
    equal = (store.known(column, digest) for column, digest in columns if digest != NOTHING)
    return next((content for content in equal if content is not None), None)


def _is_file(name: str) -> bool:
    """Return whether a file has this name. A URL may be no valid file name: too long, or with a zero byte."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _stored(query: SweepQuery, name: str, content: Content) -> Contacts:
    contents = query.contents(query.store.head(content.row))
    holders = query.holders(contents, query.store.hashes(content.row))
    return Contacts(name, True, content.digest.hex(), tuple(holders))


def _near(store: SweepStore, segments: Sequence[Segment], settings: ClusterSettings, read: Read) -> list[int]:
    """Return the contents that would form a pair with this one, if it were added."""
    having = counts(segments, read.sketch)
    # If it were added, one more content would have each value.
    values, having = read.sketch[having < settings.common], having[having < settings.common]
    candidates = set[int]()
    for first, last in parts(having, ROOM):
        candidates.update(distinct(look_up(segments, values[first:last])[1]).tolist())
    near = []
    for row in sorted(candidates):
        alike = likeness(read.hashes, store.hashes(row))
        measure = alike.resemblance if settings.measure == "resemblance" else max(alike.has, alike.within)
        if measure >= settings.threshold:
            near.append(row)
    return near


@dataclass(frozen=True, slots=True)
class VersionSpan:
    """A page showed a content from one sweep to another, without a gap. Sweeps are numbered by date."""

    content: int
    first: int
    last: int


def spans(places: Iterable[Sighting], order: dict[int, int]) -> Iterator[VersionSpan]:
    """Return the versions of a page. A new one begins where the content changes, or after a gap."""
    current: VersionSpan | None = None
    for place in sorted(places, key=lambda place: (order[place.sweep], place.id)):
        at = order[place.sweep]
        if current is not None and current.content == place.content and at - current.last <= 1:
            current = VersionSpan(current.content, current.first, at)
            continue
        if current is not None:
            yield current
        current = VersionSpan(place.content, at, at)
    if current is not None:
        yield current


def history(store: SweepStore, url: str, page: int) -> History:
    """Return the versions of a page, each compared with the previous one, and the first sweep without the page."""
    dates = store.sweeps()
    order = {number: at for at, number in enumerate(dates)}
    days = list(dates.values())
    versions: list[Version] = []
    before: VersionSpan | None = None
    for span in spans(store.places_of_page(page), order):
        alike = None if before is None else between(store, before.content, span.content)
        missed = 0 if before is None else max(0, span.first - before.last - 1)
        digest = store.content(span.content).digest.hex()
        count = span.last - span.first + 1
        versions.append(Version(digest, days[span.first], days[span.last], count, missed, alike))
        before = span
    is_gone = before is not None and before.last + 1 < len(days)
    return History(url, tuple(versions), days[before.last + 1] if before is not None and is_gone else None)


# A changed page is counted in the greatest bucket that its resemblance to the previous version reaches. 1: only its
# form changed.
BUCKETS = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)

COUNTS = ("pages", "new", "returned", "gone", "unchanged", "changed")


@dataclass(slots=True)
class _Tally:
    """Counts of one sweep."""

    counts: Counter[str] = field(default_factory=Counter)
    changes: list[int] = field(default_factory=lambda: [0] * len(BUCKETS))
    # The clusters of pages that were not in the previous sweep, and their servers.
    arrived: dict[int, set[str]] = field(default_factory=dict)
    # The cluster and the server of each page that is gone.
    left: list[tuple[int, str]] = field(default_factory=list)


def statistics(store: SweepStore) -> SweepStats:
    """Compare each sweep with the previous one, and summarise all of them."""
    dates = store.sweeps()
    counted = _Changes(store, {number: at for at, number in enumerate(dates)}, list(dates.values()))
    for page, places in _pages(store):
        counted.add(page, places)
    heads = dict(store.scan("clusters", "content, head"))
    return counted.summary(store.total("contents"), len(heads), len(set(heads.values())))


# The states of pages that are listed.
STATES = GONE, MOVED, NEW, RETURNED, CHANGED = ("gone", "moved", "new", "returned", "changed")


def page_changes(store: SweepStore, date: str | None = None) -> SweepChanges:
    """List the pages that are not as they were in the previous sweep; by default in the newest."""
    dates = store.sweeps()
    listed, order = list(dates.values()), {number: at for at, number in enumerate(dates)}
    if date is not None and date not in listed:
        raise InputError(f"{store.path.parent}: no sweep on {date}; there are {', '.join(listed[-5:])}")
    at = len(listed) - 1 if date is None else listed.index(date)
    if at == 0:
        raise InputError(
            f"{store.path.parent}: {listed[0]} is the first sweep; there is none before to compare it with"
        )
    left, changes, arrived = list[tuple[str, int]](), list[PageChange](), dict[int, list[str]]()
    for page, places in _pages(store):
        shown = _shown(spans(places, order))
        before, now, url = shown.get(at - 1), shown.get(at), store.url(page)
        if before is not None and now is None:
            left.append((url, _cluster(store, before)))
        elif before is None and now is not None:
            arrived.setdefault(_cluster(store, now), []).append(url)
            changes.append(PageChange(url, NEW if min(shown) == at else RETURNED))
        elif before is not None and now is not None and before != now:
            changes.append(PageChange(url, CHANGED, resemblance=between(store, before, now).resemblance))
    changes += [_departure(url, arrived.get(cluster, ())) for url, cluster in left]
    return SweepChanges(listed[at], listed[at - 1], tuple(sorted(changes, key=lambda change: change.url)))


def _departure(url: str, others: Iterable[str]) -> PageChange:
    """Describe a page that is gone; those that show its document now on the same server come first."""
    server = server_of(url)
    others = sorted(others, key=lambda other: (server_of(other) != server, other))
    return PageChange(url, MOVED if others else GONE, tuple(others))


def _shown(versions: Iterable[VersionSpan]) -> dict[int, int]:
    """Return the content of a page in each sweep; of several in one sweep, the last."""
    shown: dict[int, int] = {}
    for span in versions:
        shown.update(dict.fromkeys(range(span.first, span.last + 1), span.content))
    return shown


def _cluster(store: SweepStore, content: int) -> int:
    return store.head(store.content(content).row)


class _Changes:
    """The counts of one pass over all pages."""

    def __init__(self, store: SweepStore, order: dict[int, int], dates: list[str]) -> None:
        self._store, self._order, self._dates = store, order, dates
        self._sweeps = [_Tally() for _ in dates]
        self._pages = self._versions = 0
        self._version_days = self._page_days = 0.0

    def add(self, page: int, places: list[Sighting]) -> None:
        """Count a page by all its sightings."""
        self._pages += 1
        server = server_of(self._store.url(page))
        versions = list(spans(places, self._order))
        self._versions += len(versions)
        self._version_days += sum(days(self._dates[span.first], self._dates[span.last]) for span in versions)
        self._page_days += days(self._dates[versions[0].first], self._dates[versions[-1].last])
        self._visits(_shown(versions), server)

    def _visits(self, shown: dict[int, int], server: str) -> None:
        first = min(shown)
        for at, content in shown.items():
            tally = self._sweeps[at]
            tally.counts["pages"] += 1
            if at - 1 in shown:
                self._visit(tally, shown[at - 1], content)
            else:
                tally.counts["new" if at == first else "returned"] += 1
                tally.arrived.setdefault(_cluster(self._store, content), set()).add(server)
            if at + 1 not in shown and at + 1 < len(self._sweeps):
                self._sweeps[at + 1].counts["gone"] += 1
                self._sweeps[at + 1].left.append((_cluster(self._store, content), server))

    def _visit(self, tally: _Tally, before: int, content: int) -> None:
        if before == content:
            tally.counts["unchanged"] += 1
            return
        tally.counts["changed"] += 1
        resemblance = between(self._store, before, content).resemblance
        tally.changes[bisect_right(BUCKETS, resemblance) - 1] += 1

    def summary(self, contents: int, documents: int, clusters: int) -> SweepStats:
        """Return the counts as records."""
        sweeps = tuple(_change(date, tally) for date, tally in zip(self._dates, self._sweeps, strict=True))
        changed = sum(sweep.changed for sweep in sweeps)
        visits = changed + sum(sweep.unchanged for sweep in sweeps)
        return SweepStats(
            sweeps, self._pages, contents, documents, clusters, self._versions,
            self._version_days / max(1, self._versions), self._page_days / max(1, self._pages),
            changed / visits if visits else None,
        )  # fmt: skip


def server_of(url: str) -> str:
    """Return the server of an address; "" if it has none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # such as http://[
        return ""


def _change(date: str, tally: _Tally) -> SweepChange:
    counts = {name: tally.counts[name] for name in COUNTS}
    moved = [server in tally.arrived[cluster] for cluster, server in tally.left if cluster in tally.arrived]
    within = sum(moved)
    return SweepChange(
        date, **counts, changes=tuple(tally.changes), moved_within=within, moved_between=len(moved) - within
    )


def _pages(store: SweepStore) -> Iterator[tuple[int, list[Sighting]]]:
    rows: Iterable[Sighting] = (Sighting(*row) for row in store.scan("places", SIGHTING_COLUMNS, "page, id"))
    for page, places in groupby(rows, lambda place: place.page):
        yield page, list(places)
