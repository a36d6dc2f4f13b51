"""Makes examples/crawl: two visits to a small invented web, for the tutorial about corpora.

    python tools/make_docs_corpus.py

Pages are drawn from a seed, so that the tutorial's figures stay what they are; a test makes them again. Most pages are
on their own. Some have mirrors, copies in another layout and edited versions; a month later some have changed, moved,
gone or come.
"""

import json
import random
from dataclasses import dataclass, replace
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "examples" / "crawl"
SEED = 1997

# Enough of each that two pages rarely draw the same four words in a row.
WHO = (
    "the keeper", "a pilot", "the harbour master", "our baker", "an old surveyor", "the ferry woman",
    "a clockmaker", "the school", "a painter", "the parish", "two brothers", "the night nurse", "a rope maker",
    "the librarian", "a carter", "the tailor",
)  # fmt: skip
DID = (
    "mended", "weighed", "measured", "sold", "counted", "painted", "lost", "found", "carried", "described",
    "borrowed", "buried", "opened", "moved", "drew", "cleaned", "photographed", "repaired", "inherited", "forgot",
)  # fmt: skip
WHAT = (
    "the west wall", "a crate of lamps", "eleven bells", "the tide table", "a map of the marsh", "every net",
    "the green shed", "her boat", "a letter from abroad", "the oldest chain", "three barrels of salt",
    "a broken mast", "the choir stalls", "an orchard gate", "the signal mast", "a bag of keys", "the flood marks",
    "a box of lenses", "some good rope", "the harbour light",
)  # fmt: skip
WHEN = (
    "before the evening bell", "on a Tuesday in March", "while it rained", "after the long frost",
    "without telling anybody", "for the second time", "at slack water", "as agreed in the minutes",
    "with great care", "in the year of the storm", "by lantern light", "for less than it was worth",
    "at the request of the council", "between two tides", "when nobody looked",
)  # fmt: skip

# Sentences on a page: a screenful.
SENTENCES = 14

TITLES = (
    "rules", "news", "map", "boats", "nets", "lamps", "history", "choir", "market", "tides", "school", "ferry",
    "salt", "ropes", "clocks", "letters", "orchard", "bells", "storms", "keys", "lenses", "marsh", "walls",
    "barrels", "nurses", "painters", "pilots", "minutes",
)  # fmt: skip
HOST, MIRROR, OTHER = "http://harbour.example", "http://mirror.example", "http://anglers.example"


@dataclass(frozen=True)
class Page:
    """One page of the web, as a visit finds it."""

    url: str
    text: str

    def moved(self, host: str, folder: str = "") -> "Page":
        """Return the same on another host or in another folder."""
        return replace(self, url=f"{host}/{folder}{self.url.rpartition('/')[2]}")


def sentence(draw: random.Random) -> str:
    """One sentence that nobody has said before."""
    said = f"{draw.choice(WHO)} {draw.choice(DID)} {draw.choice(WHAT)} {draw.choice(WHEN)}."
    return said[0].upper() + said[1:]


def written(draw: random.Random, title: str) -> Page:
    """Return a page of its own."""
    return Page(f"{HOST}/{title}.html", " ".join(sentence(draw) for _ in range(SENTENCES)))


def edited(draw: random.Random, page: Page, changes: int) -> Page:
    """Return the page with some sentences replaced."""
    sentences = page.text.split(". ")
    for place in draw.sample(range(len(sentences)), changes):
        sentences[place] = sentence(draw).removesuffix(".")
    return replace(page, text=". ".join(sentences))


def january(draw: random.Random) -> list[Page]:
    """Twenty-eight pages of one host, twelve more that are copies of some kind."""
    pages = [written(draw, title) for title in TITLES]
    copies = [page.moved(MIRROR) for page in pages[:5]]
    copies += [replace(page, text=page.text.upper()).moved(MIRROR) for page in pages[5:8]]
    copies += [edited(draw, page, 2).moved(OTHER) for page in (pages[0], pages[8], pages[9], pages[10])]
    return pages + copies


def february(draw: random.Random, before: list[Page]) -> list[Page]:
    """Return the same web a month later: two pages moved, three changed, two gone, one came."""
    moved = [page.moved(HOST, "archive/") for page in before[11:13]]
    changed = [edited(draw, page, changes) for page, changes in zip(before[14:17], (1, 4, 9), strict=True)]
    return before[:11] + moved + changed + before[19:] + [written(draw, "harbour-day")]


def lines(pages: list[Page], date: str) -> str:
    """Return the pages as JSONL."""
    rows = ({"id": f"{date}-{number:02}", "url": page.url, "text": page.text} for number, page in enumerate(pages, 1))
    return "".join(json.dumps(row) + "\n" for row in rows)


def files() -> dict[str, str]:
    """Return what is in each file."""
    draw = random.Random(SEED)
    first = january(draw)
    return {"january.jsonl": lines(first, "2026-01"), "february.jsonl": lines(february(draw, first), "2026-02")}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, content in files().items():
        (FOLDER / name).write_text(content, "utf-8")
