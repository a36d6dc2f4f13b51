"""A crawl as a file: JSONL with texts or with lists of integers."""

import json
from dataclasses import dataclass
from pathlib import Path

from experiments.crawl.pages import SHINGLE, Crawl, Page


@dataclass(frozen=True)
class Written:
    """What is in a file: documents, their shingles with repeats, and bytes."""

    documents: int
    shingles: int
    bytes: int


def write(crawl: Crawl, path: Path, one_in: int | None = None) -> Written:
    """Write every page, one at a time. ``one_in``: feature lists, thinned to one in so many, in place of texts."""
    documents = shingles = size = 0
    with path.open("w", encoding="ascii") as file:
        for page in crawl:
            line = _line(page, one_in)
            documents, size = documents + bool(line), size + file.write(line)
            shingles += len(page.words) - SHINGLE + 1
    return Written(documents, shingles, size)


def _line(page: Page, one_in: int | None) -> str:
    """Return the line of a page. One of which no shingle is kept has no features, and so no line."""
    fields = {"id": page.id, "url": page.url, "date": page.date}
    if one_in is None:
        return json.dumps({**fields, "text": page.text}) + "\n"
    features = page.features(one_in).tolist()
    return json.dumps({**fields, "features": features}) + "\n" if features else ""
