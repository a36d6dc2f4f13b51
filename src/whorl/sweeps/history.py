"""What one page showed over time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from whorl.sweeps.likeness import between
from whorl.sweeps.result import History, Version
from whorl.sweeps.rows import Shown
from whorl.sweeps.store import SweepStore


@dataclass(frozen=True, slots=True)
class Span:
    """A page showed a content from one sweep to another, without a gap. Sweeps are counted in the order of dates."""

    content: int
    first: int
    last: int


def spans(places: Iterable[Shown], order: dict[int, int]) -> Iterator[Span]:
    """The versions of a page. A new one begins where the content is another, or where the page was gone meanwhile."""
    current: Span | None = None
    for place in sorted(places, key=lambda place: (order[place.sweep], place.id)):
        at = order[place.sweep]
        if current is not None and current.content == place.content and at - current.last <= 1:
            current = Span(current.content, current.first, at)
            continue
        if current is not None:
            yield current
        current = Span(place.content, at, at)
    if current is not None:
        yield current


def history(store: SweepStore, url: str, page: int) -> History:
    """The versions of a page, each against the one before, and since when it is gone."""
    dates = store.sweeps()
    order = {number: at for at, number in enumerate(dates)}
    days = list(dates.values())
    versions: list[Version] = []
    before: Span | None = None
    for span in spans(store.places_of_page(page), order):
        alike = None if before is None else between(store, before.content, span.content)
        missed = 0 if before is None else max(0, span.first - before.last - 1)
        digest = store.content(span.content).digest.hex()
        count = span.last - span.first + 1
        versions.append(Version(digest, days[span.first], days[span.last], count, missed, alike))
        before = span
    is_gone = before is not None and before.last + 1 < len(days)
    return History(url, tuple(versions), days[before.last + 1] if before is not None and is_gone else None)
