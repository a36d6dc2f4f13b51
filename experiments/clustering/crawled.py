"""The documents of the clustering experiments, and their clusters: made once, for several sections tell of them."""

from functools import lru_cache
from itertools import islice
from pathlib import Path

import whorl
from experiments.crawl.pages import Crawl
from experiments.reproduction.setting import Setting, paper
from experiments.reproduction.webpages import web_pages
from whorl.formats.corpora.read import read
from whorl.formats.corpora.records import CorpusRecord

# A thousandth of the paper's crawl; and enough pages for shares to settle in a quick run.
PAGES, QUICK = 30_000, 3_000

THRESHOLD: float = paper("clustering")["crawl"]["threshold"]


@lru_cache(maxsize=1)
def documents(setting: Setting) -> tuple[whorl.Document, ...]:
    """Return the crawl; of a corpus, its smallest table of texts, or its web pages."""
    count = setting.many(PAGES, QUICK)
    if setting.corpus is None:
        return tuple(Crawl(count, setting.seed).documents())
    tables = sorted(setting.corpus.glob("*.jsonl"), key=lambda path: path.stat().st_size)
    if tables:
        return tuple(islice(_rows(tables[0]), count))
    texts = web_pages(setting, count).texts
    return tuple(whorl.Document(f"page-{number}", text) for number, text in enumerate(texts))


def _rows(table: Path) -> list[whorl.Document]:
    return [record.document for record in read(table) if isinstance(record, CorpusRecord)]


@lru_cache(maxsize=4)
def clustered(setting: Setting, guarded: bool = False, supers: bool = False) -> whorl.Clustering:
    """Clusters at the paper's threshold: of pairs that sketches find, joined as they come. ``guarded``: pairs are
    verified, and chains are not followed, as Whorl does by itself."""
    return whorl.cluster(
        documents(setting), "web", threshold=THRESHOLD, closure=not guarded, estimate=not guarded, super_shingles=supers
    )
