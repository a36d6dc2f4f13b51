"""What ``whorl sweep`` prints for people: the answers of sweeps as lines."""

from collections.abc import Iterator

from whorl.sweeps.changes import BUCKETS
from whorl.sweeps.result import Added, Contacts, Found, History, Likeness, Shown, Stats, Version

# Columns that two dates with "to" between them take.
PERIOD = 24

# The counts of a sweep, and their headings.
COUNTS = {
    "pages": "pages", "new": "new", "returned": "returned", "gone": "gone", "unchanged": "unchanged",
    "changed": "changed", "moved_within": "moved within", "moved_between": "between",
}  # fmt: skip


def added(done: Added) -> Iterator[str]:
    """What an add did."""
    yield f"{done.documents:,} documents added, {done.contents:,} with new content"
    yield f"pages: {done.pages:,}, sweeps: {done.sweeps:,}, pairs of documents that are alike: {done.pairs:,}"


def found(told: Found) -> Iterator[str]:
    """Where a document is."""
    state = "still there" if told.alive else "gone"
    yield f"{told.url}: shown on {told.shown}, {state} on {told.newest}"
    for place in told.places:
        own = "  (the page itself)" if place.url == told.url else ""
        yield f"{place.last}  {_percent(place.likeness)}  {place.url}{own}"


def history(told: History) -> Iterator[str]:
    """The versions of a page."""
    for version in told.versions:
        if version.missed:
            yield f"{'':{PERIOD}}  gone for {version.missed:,} sweep{'s' if version.missed > 1 else ''}"
        yield f"{_period(version.first, version.last):{PERIOD}}  {_change(version)}"
    if told.gone is not None:
        yield f"{told.gone:{PERIOD}}  gone"


def stats(told: Stats) -> Iterator[str]:
    """All sweeps, and what holds over them."""
    widths = {name: max(8, len(title) + 2) for name, title in COUNTS.items()}
    yield "".join([f"{'sweep':20}", *(f"{title:>{widths[name]}}" for name, title in COUNTS.items())])
    for row in told.sweeps:
        yield "".join([f"{row.date:20}", *(f"{getattr(row, name):{width},}" for name, width in widths.items())])
    changes = [sum(column) for column in zip(*(row.changes for row in told.sweeps), strict=True)]
    if any(changes):
        yield ""
        yield "changed pages by their resemblance to the version before"
        for low, count in zip(BUCKETS, changes, strict=True):
            yield f"{'only the form' if low == 1 else f'{low:.0%} or more':20}{count:8,}"
    rate = "" if told.change_rate is None else f"; {told.change_rate:.1%} of visits found a change"
    yield ""
    yield f"{told.pages:,} pages, {told.contents:,} contents, {told.clusters:,} clusters{rate}"
    yield f"a version lived {told.mean_version_days:,.1f} days on average, a page {told.mean_page_days:,.1f}, at least"


def contacts(told: Contacts) -> Iterator[str]:
    """Everyone who holds a version."""
    where = "" if told.stored else " (in no sweep itself)"
    yield f"{told.name}{where}: {len(told.holders):,} pages hold a version, or held one"
    for holder in told.holders:
        until = "now" if holder.current else holder.last
        period = f"{holder.first} to {until}"
        yield f"{period:{PERIOD}}  {_percent(holder.likeness)}  {holder.contact or '-'}  {holder.url}"


def shown(told: Shown) -> Iterator[str]:
    """From a URL to all URLs of its cluster."""
    yield told.url
    yield f"document {told.content}"
    yield f"cluster  {told.cluster}, {len(told.documents):,} documents"
    for member in told.documents:
        yield f"  {member.content}  {_percent(member.likeness)}  {member.kind}".rstrip()
        yield from (f"    {url}" for url in member.urls)


def _change(version: Version) -> str:
    alike = version.likeness
    if alike is None:
        return "the first version"
    return (
        f"resembles {alike.resemblance:.1%}, has {alike.has:.1%} of the one before, which had {alike.within:.1%} of it"
    )


def _percent(alike: Likeness) -> str:
    return f"{alike.resemblance:6.1%}"


def _period(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"
