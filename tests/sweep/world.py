"""Sweeps as a plain list of what was seen, and every question answered from it by its definition."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import whorl
from whorl import Document, Scheme
from whorl.sweep.queries import BUCKETS
from whorl.sweep.result import ContentLikeness

# Stores of tests that make hundreds are in memory where the system has such a place: none of them waits for a disk.
FAST = "/dev/shm" if Path("/dev/shm").is_dir() else None

SCHEME = Scheme(symbols="words", k=2, select="full")


@dataclass(frozen=True)
class Seen:
    """A page showed a text on a date."""

    url: str
    date: str
    text: str
    contact: str | None = None

    @property
    def document(self) -> Document:
        return Document(self.url, self.text, contact=self.contact)


def digest(text: str) -> str:
    return sha256(text.encode()).digest()[:16].hex()


def alike(asked: str, other: str) -> ContentLikeness:
    shares = whorl.containment(asked, other, SCHEME), whorl.containment(other, asked, SCHEME)
    return ContentLikeness(whorl.resemblance(asked, other, SCHEME), *shares)


class World:
    """All that was seen, in the order in which it was added."""

    def __init__(self, seen: Iterable[Seen], clusters: Iterable[Iterable[str]] = ()) -> None:
        """``clusters``: the digests of texts that are in one."""
        self.seen = list(seen)
        self.dates = sorted({each.date for each in self.seen})
        self.texts = list(dict.fromkeys(each.text for each in self.seen))
        digests = {digest(text): text for text in self.texts}
        self.cluster = {digests[each]: number for number, group in enumerate(clusters) for each in group}

    def clustered(self, **settings: Any) -> set[frozenset[str]]:
        """The clusters of all texts at once, as digests."""
        found: dict[int, set[str]] = {}
        for text, member in zip(self.texts, whorl.cluster(self.texts, SCHEME, **settings).members, strict=True):
            found.setdefault(member.cluster, set()).add(digest(text))
        return set(map(frozenset, found.values()))

    def of(self, url: str) -> list[Seen]:
        """What a page showed, by date; of one sweep, each text where it came last."""
        mine = [each for each in self.seen if each.url == url]
        found = []
        for date in self.dates:
            there = [each.text for each in mine if each.date == date]
            last = sorted(set(there), key=lambda text: max(at for at, each in enumerate(there) if each == text))
            found += [Seen(url, date, text) for text in last]
        return found

    def urls(self) -> list[str]:
        return sorted({each.url for each in self.seen})

    def last(self, url: str, until: str = "9") -> str:
        """What a page showed last."""
        return [each.text for each in self.of(url) if each.date <= until][-1]

    def places(self, text: str, until: str = "9") -> list[tuple[str, str, str, bool, ContentLikeness]]:
        """Every page with a text of the same cluster: page, first and last date, whether it is there now, likeness."""
        newest = max(date for date in self.dates if date <= until)
        found = []
        for url in self.urls():
            held = [
                each for each in self.of(url) if each.date <= until and self.cluster[each.text] == self.cluster[text]
            ]
            if held:
                last = held[-1]
                found.append((url, held[0].date, last.date, last.date == newest, alike(text, last.text)))
        found.sort(key=lambda place: (-place[4].resemblance, place[0]))
        return sorted(found, key=lambda place: place[2], reverse=True)

    def versions(self, url: str) -> list[tuple[str, str, str, int, ContentLikeness | None]]:
        """Text, first and last date, sweeps without the page before it, likeness to the version before."""
        rows = self.of(url)
        runs: list[list[Seen]] = []
        for each in rows:
            last = runs[-1][-1] if runs else None
            if last is not None and last.text == each.text and self._apart(last.date, each.date) == 1:
                runs[-1].append(each)
            else:
                runs.append([each])
        found: list[tuple[str, str, str, int, ContentLikeness | None]] = []
        for number, run in enumerate(runs):
            before = runs[number - 1][-1] if number else None
            missed = 0 if before is None else max(0, self._apart(before.date, run[0].date) - 1)
            result = None if before is None else alike(before.text, run[0].text)
            found.append((run[0].text, run[0].date, run[-1].date, missed, result))
        return found

    def gone(self, url: str) -> str | None:
        later = [date for date in self.dates if date > self.of(url)[-1].date]
        return later[0] if later else None

    def shown(self, date: str) -> dict[str, str]:
        """What each page of a sweep showed last in it."""
        return {each.url: each.text for url in self.urls() for each in self.of(url) if each.date == date}

    def change(self, date: str) -> dict[str, object]:
        """A sweep against the one before."""
        at = self.dates.index(date)
        now, before = self.shown(date), self.shown(self.dates[at - 1]) if at else {}
        earlier = {url for day in self.dates[:at] for url in self.shown(day)}
        both = now.keys() & before.keys()
        changed = [url for url in both if now[url] != before[url]]
        buckets = [0] * len(BUCKETS)
        for url in changed:
            resemblance = alike(before[url], now[url]).resemblance
            buckets[max(number for number, low in enumerate(BUCKETS) if resemblance >= low)] += 1
        moved = self._moved(now, before)
        return {
            "date": date, "pages": len(now), "new": len(now.keys() - earlier),
            "returned": len((now.keys() & earlier) - before.keys()), "gone": len(before.keys() - now.keys()),
            "unchanged": len(both) - len(changed), "changed": len(changed), "changes": tuple(buckets),
            "moved_within": sum(moved), "moved_between": len(moved) - sum(moved),
        }  # fmt: skip

    def _moved(self, now: dict[str, str], before: dict[str, str]) -> list[bool]:
        """For each page that is gone and whose document is at a page that was not there: is one on its server?"""
        found = []
        for url in before.keys() - now.keys():
            new = [other for other in now.keys() - before.keys() if self._same(now[other], before[url])]
            if new:
                found.append(any(urlsplit(other).hostname == urlsplit(url).hostname for other in new))
        return found

    def _same(self, one: str, other: str) -> bool:
        return self.cluster[one] == self.cluster[other]

    def _apart(self, first: str, last: str) -> int:
        return self.dates.index(last) - self.dates.index(first)
