"""Measure how pages change: the versions of one page, the pages that changed, moved or went, and how often they do."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from urllib.parse import urlsplit

from whorl.errors import InputError
from whorl.sweep import days
from whorl.sweep.pairs import between
from whorl.sweep.result import History, PageChange, SweepChange, SweepChanges, SweepStats, Version
from whorl.sweep.store import SIGHTING_COLUMNS, Sighting, SweepStore


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
