"""HTML pages of a reproduction: those of a corpus on disk, or of the synthetic crawl; and their text."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

from experiments.corpus.pages import SUFFIXES
from experiments.corpus.texts import drawn, text
from experiments.crawl.html import html
from experiments.crawl.pages import Crawl
from experiments.reproduction.setting import Setting
from whorl.errors import InputError
from whorl.formats.documents.frontend import HtmlFrontend
from whorl.model import Document


@dataclass(frozen=True)
class WebPages:
    """Texts of pages, and the bytes that they had as HTML."""

    texts: tuple[str, ...]
    bytes: int

    def __len__(self) -> int:
        return len(self.texts)


@lru_cache(maxsize=1)
def web_pages(setting: Setting, count: int) -> WebPages:
    """Return the first ``count`` pages; kept, because several experiments read the same ones."""
    found = list(islice(_drawn(setting, count) if setting.corpus is None else _gathered(setting.corpus), count))
    if not found:
        raise InputError(f"{setting.corpus}: no web pages below it: files that end in {', '.join(sorted(SUFFIXES))}")
    return WebPages(tuple(text for text, _ in found), sum(size for _, size in found))


def _drawn(setting: Setting, count: int) -> Iterator[tuple[str, int]]:
    for page in Crawl(count, setting.seed):
        data = html(page, setting.seed).encode()
        yield HtmlFrontend().extract(Document(page.id, data)).text, len(data)


def _gathered(folder: Path) -> Iterator[tuple[str, int]]:
    """Versions of a page come together, as ``drawn`` orders them: copies are as frequent in a part as in all."""
    home = folder / "pages" if (folder / "pages").is_dir() else folder
    for name in drawn(home):
        path = home / name
        yield text(path), path.stat().st_size
