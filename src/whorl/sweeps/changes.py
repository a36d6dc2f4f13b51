"""How pages change: often and how much, how many move, appear and die (section "Characterizing how pages change").

All pages are gone through once, in the order of their numbers; what is held is a few numbers a page that came or went.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from urllib.parse import urlsplit

from whorl.sweeps.dates import days
from whorl.sweeps.history import spans
from whorl.sweeps.likeness import between
from whorl.sweeps.result import Stats, SweepChange
from whorl.sweeps.rows import SHOWN_COLUMNS, Shown
from whorl.sweeps.store import SweepStore

# A changed page is counted under the greatest of these that its resemblance to the version before reaches. 1: only its
# form changed.
BUCKETS = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)

COUNTS = ("pages", "new", "returned", "gone", "unchanged", "changed")


@dataclass(slots=True)
class _Tally:
    """Counts of one sweep."""

    counts: Counter[str] = field(default_factory=Counter)
    changes: list[int] = field(default_factory=lambda: [0] * len(BUCKETS))
    # Clusters that a page shows which was not in the sweep before, and the servers on which.
    arrived: dict[int, set[str]] = field(default_factory=dict)
    # The cluster and the server of each page that is gone.
    left: list[tuple[int, str]] = field(default_factory=list)


def statistics(store: SweepStore) -> Stats:
    """All sweeps against the ones before, and all of them together."""
    dates = store.sweeps()
    counted = _Changes(store, {number: at for at, number in enumerate(dates)}, list(dates.values()))
    for page, places in _pages(store):
        counted.add(page, places)
    heads = dict(store.scan("clusters", "content, head"))
    return counted.told(store.total("contents"), len(heads), len(set(heads.values())))


class _Changes:
    """What is counted on the way through all pages."""

    def __init__(self, store: SweepStore, order: dict[int, int], dates: list[str]) -> None:
        self._store, self._order, self._dates = store, order, dates
        self._sweeps = [_Tally() for _ in dates]
        self._pages = self._versions = 0
        self._version_days = self._page_days = 0.0

    def add(self, page: int, places: list[Shown]) -> None:
        """All that a page ever showed."""
        self._pages += 1
        server = server_of(self._store.url(page))
        found = list(spans(places, self._order))
        self._versions += len(found)
        self._version_days += sum(days(self._dates[span.first], self._dates[span.last]) for span in found)
        self._page_days += days(self._dates[found[0].first], self._dates[found[-1].last])
        shown: dict[int, int] = {}  # of a page that shows several contents in a sweep, the last counts
        for span in found:
            shown.update(dict.fromkeys(range(span.first, span.last + 1), span.content))
        self._visits(shown, server)

    def _visits(self, shown: dict[int, int], server: str) -> None:
        first = min(shown)
        for at, content in shown.items():
            tally = self._sweeps[at]
            tally.counts["pages"] += 1
            if at - 1 in shown:
                self._visit(tally, shown[at - 1], content)
            else:
                tally.counts["new" if at == first else "returned"] += 1
                tally.arrived.setdefault(self._cluster(content), set()).add(server)
            if at + 1 not in shown and at + 1 < len(self._sweeps):
                self._sweeps[at + 1].counts["gone"] += 1
                self._sweeps[at + 1].left.append((self._cluster(content), server))

    def _visit(self, tally: _Tally, before: int, content: int) -> None:
        if before == content:
            tally.counts["unchanged"] += 1
            return
        tally.counts["changed"] += 1
        resemblance = between(self._store, before, content).resemblance
        tally.changes[bisect_right(BUCKETS, resemblance) - 1] += 1

    def _cluster(self, content: int) -> int:
        return self._store.head(self._store.content(content).row)

    def told(self, contents: int, documents: int, clusters: int) -> Stats:
        """The counts as records."""
        sweeps = tuple(_change(date, tally) for date, tally in zip(self._dates, self._sweeps, strict=True))
        changed = sum(sweep.changed for sweep in sweeps)
        visits = changed + sum(sweep.unchanged for sweep in sweeps)
        return Stats(
            sweeps, self._pages, contents, documents, clusters, self._versions,
            self._version_days / max(1, self._versions), self._page_days / max(1, self._pages),
            changed / visits if visits else None,
        )  # fmt: skip


def server_of(url: str) -> str:
    """The server of an address; empty for what is none."""
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


def _pages(store: SweepStore) -> Iterator[tuple[int, list[Shown]]]:
    rows: Iterable[Shown] = (
        Shown(*row) for row in store.scan("places", SHOWN_COLUMNS.removesuffix(", seal"), "page, id")
    )
    for page, places in groupby(rows, lambda place: place.page):
        yield page, list(places)
