"""Who holds a document: from a page to its content, from there to the cluster, its contents, and their pages.

Lost and found and the list of contacts are both this; they differ in what they start from and in what they show.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from whorl.errors import DocumentError, InputError
from whorl.model import Hashes
from whorl.sweeps import result
from whorl.sweeps.dates import is_until
from whorl.sweeps.likeness import Likenesses
from whorl.sweeps.result import Found, Holder, Member
from whorl.sweeps.rows import Shown
from whorl.sweeps.spelling import spellings
from whorl.sweeps.store import SweepStore


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks one committed state. ``until`` leaves out what was seen later."""

    store: SweepStore
    dates: dict[int, str]
    until: str | None = None

    @classmethod
    def of(cls, store: SweepStore, until: str | None = None) -> "Asker":
        """With the sweeps that there are."""
        dates = {number: date for number, date in store.sweeps().items() if is_until(date, until)}
        if not dates:
            raise InputError(f"{store.path.parent}: there is no sweep{f' until {until}' if until else ' in it yet'}")
        return cls(store, dates, until)

    @property
    def newest(self) -> str:
        """The date of the newest sweep."""
        return max(self.dates.values())

    def page(self, url: str) -> int:
        """The page at an address; an error that names other spellings if there is none."""
        found = self.store.page(url)
        if found is not None:
            return found
        self.store.check_missing(url)
        near = [other for other in spellings(url) if self.store.page(other) is not None]
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise DocumentError(f"{url}: no sweep of {self.store.path.parent} saw it{hint}")

    def shown(self, url: str, on: str | None = None) -> Shown:
        """What a page showed last, of what was seen, or what it showed on a date or last before it."""
        places = self.store.places_of_page(self.page(url))
        seen = [place for place in places if place.sweep in self.dates and is_until(self.dates[place.sweep], on)]
        if not seen:
            first = min(self._date(place) for place in places)
            raise DocumentError(f"{url}: it was first seen on {first}, not before: ask for a later date")
        return max(seen, key=self._when)

    def find(self, url: str, on: str | None = None) -> Found:
        """Where what a page showed is now."""
        shown = self.shown(url, on)
        content = self.store.content(shown.content)
        head = self.store.head(content.row)
        contents = self.contents(head)
        holders = self.holders(contents, self.store.hashes(content.row))
        alive = any(self._date(place) == self.newest for place in self._seen(self.store.places_of_page(shown.page)))
        return Found(
            url, self._date(shown), self.newest, alive, content.digest.hex(), self.store.content(head).digest.hex(),
            len(contents), tuple(holders),
        )  # fmt: skip

    def contents(self, head: int) -> dict[int, int]:
        """The contents of a cluster, each with the one that stands for it."""
        return {number: row for row in self.store.members(head) for number in self.store.contents_of_row(row)}

    def holders(self, contents: dict[int, int], asked: Hashes) -> list[Holder]:
        """The pages that showed any of some contents: those that were last seen with one first, then the most alike."""
        alike = Likenesses(self.store, asked)
        pages: dict[int, list[Shown]] = {}
        for number in contents:
            for place in self._seen(self.store.places_of_content(number)):
                pages.setdefault(place.page, []).append(place)
        found = [self._holder(places, contents, alike) for places in pages.values()]
        found.sort(key=lambda holder: (-holder.likeness.resemblance, holder.url))
        return sorted(found, key=lambda holder: holder.last, reverse=True)

    def show(self, url: str) -> result.Shown:
        """A page, its document, the cluster, the documents of the cluster, their pages."""
        content = self.store.content(self.shown(url).content)
        head = self.store.head(content.row)
        alike = Likenesses(self.store, self.store.hashes(content.row))
        members = [self._member(number, row, alike) for number, row in self.contents(head).items()]
        members.sort(key=lambda member: (-member.likeness.resemblance, member.content))
        return result.Shown(url, content.digest.hex(), self.store.content(head).digest.hex(), tuple(members))

    def _member(self, number: int, row: int, alike: Likenesses) -> Member:
        content = self.store.content(number)
        pages = {place.page for place in self._seen(self.store.places_of_content(number))}
        urls = tuple(sorted(map(self.store.url, pages)))
        return Member(content.digest.hex(), content.kind, self.store.content(row).size, alike.of(row), urls)

    def _holder(self, places: list[Shown], contents: dict[int, int], alike: Likenesses) -> Holder:
        """A page, by the places at which it showed some of the contents."""
        places = sorted(places, key=self._when)
        last = places[-1]
        contact = next((place.contact for place in reversed(places) if place.contact is not None), None)
        first, until = self._date(places[0]), self._date(last)
        digest = self.store.content(last.content).digest.hex()
        likeness = alike.of(contents[last.content])
        return Holder(self.store.url(last.page), contact, first, until, until == self.newest, digest, likeness)

    def _seen(self, places: Iterable[Shown]) -> list[Shown]:
        return [place for place in places if place.sweep in self.dates]

    def _date(self, place: Shown) -> str:
        """Of a sweep that is after the limit, too: an error names it."""
        return self.dates.get(place.sweep) or self.store.sweeps()[place.sweep]

    def _when(self, place: Shown) -> tuple[str, int]:
        return self._date(place), place.id
