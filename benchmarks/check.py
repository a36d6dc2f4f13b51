"""A manuscript of 300 pages against an index of 100,000 documents: the time of a check, and its page in a browser.

    python -m benchmarks.check [--documents 100000] [--pages 300] [--index FOLDER]

Documents and manuscript are pseudo-English: words follow each other as in the language reference of Python, so
unrelated texts share phrases as real ones do. A tenth of the manuscript is copied from documents of the index.
``--index`` keeps the index there and uses it again.
"""

import argparse
import random
import resource
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import whorl
from benchmarks.corpus import english
from whorl.model import Document
from whorl.report.check import write_checks

# The share of words that follow the one before as in English.
FOLLOWING = 0.35
# Characters of a page, and words of a document.
PAGE = 2_500
WORDS = 250
# Documents that the manuscript copies from, and words of each copied passage.
SOURCES, COPIED = 250, 60


class PseudoEnglish:
    """Random text. Half of the words follow the one before as in English, the others are any words: a fifth of the
    phrases of four words are those of other texts."""

    def __init__(self) -> None:
        words = english(600_000, seed=3).split()
        self._following = defaultdict[str, list[str]](list)
        for word, following in zip(words, [*words[1:], words[0]], strict=True):
            self._following[word].append(following)
        self._words = words

    def words(self, count: int, seed: int) -> list[str]:
        """Return random words; the same for the same seed."""
        chance = random.Random(seed)
        words = [chance.choice(self._words)]
        while len(words) < count:
            words.append(chance.choice(self._following[words[-1]] if chance.random() < FOLLOWING else self._words))
        return words


def documents(language: PseudoEnglish, count: int) -> Iterator[Document]:
    """Yield the documents of the index."""
    for number in range(count):
        yield Document(f"document-{number:06}", _prose(language.words(WORDS, number)), labels=("licence=CC-BY-4.0",))


def manuscript(language: PseudoEnglish, pages: int, count: int) -> str:
    """Return a manuscript of some pages, with passages copied from documents of the index."""
    chance = random.Random(-1)
    words = language.words(pages * PAGE // 6, -2)
    for number in chance.sample(range(count), min(count, SOURCES * pages // 300)):
        at, start = chance.randrange(len(words)), chance.randrange(WORDS - COPIED)
        words[at:at] = language.words(WORDS, number)[start : start + COPIED]
    return _prose(words)[: pages * PAGE]


def _prose(words: list[str]) -> str:
    """Return words in paragraphs of a hundred."""
    return "\n\n".join(" ".join(words[start : start + 100]) for start in range(0, len(words), 100))


def filled(folder: Path, language: PseudoEnglish, count: int) -> whorl.Index:
    """Return the index, made unless it is there."""
    if folder.exists():
        return whorl.Index.open(folder)
    index = whorl.Index.create(folder, "text")
    for _ in index.add_all(documents(language, count), threads=2):
        pass
    index.flush()
    return index


def main() -> None:
    """Fill the index, check the manuscript, open its page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--index", type=Path)
    options = parser.parse_args()
    language = PseudoEnglish()
    with tempfile.TemporaryDirectory() as home:
        with filled(options.index or Path(home) / "index", language, options.documents) as index:
            text = manuscript(language, options.pages, options.documents)
            check = checked(index, Document("manuscript.txt", text))
        show(check, Path(home) / "report")


def checked(index: whorl.Index, document: Document) -> whorl.ManuscriptCheck:
    """Check the manuscript twice, and say what it took."""
    for name in ("first check", "second check"):
        start, cpu = time.perf_counter(), time.process_time()
        check = whorl.check_manuscript(index, document)
        print(
            f"{name}: {time.perf_counter() - start:.2f} s, {time.process_time() - cpu:.2f} s CPU; "
            f"{len(check.sources):,} sources, {check.raw.similarity:.2%} similar, {check.letters:,} letters"
        )
    print(f"memory at most: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")
    return check


def show(check: whorl.ManuscriptCheck, folder: Path) -> None:
    """Write the page and open it in a browser: its size, and the time until it can be used."""
    from playwright.sync_api import sync_playwright

    start = time.perf_counter()
    page = write_checks([check], folder)
    print(f"page: {page.stat().st_size / 1e6:.2f} MB, written in {time.perf_counter() - start:.2f} s")
    program = shutil.which("chromium") or shutil.which("chromium-headless-shell")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for name in ("first visit", "second visit"):
            tab = browser.new_page()
            tab.goto(page.as_uri(), wait_until="load")
            loaded = tab.evaluate("performance.getEntriesByType('navigation')[0].domInteractive")
            ready = tab.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
            print(f"{name}: parsed after {loaded:.0f} ms, usable after {ready:.0f} ms, {clicked(tab)}")
            tab.close()
        browser.close()


def clicked(tab: object) -> str:
    """Return what a click on a mark and an exclusion that is undone take, in milliseconds."""
    script = """() => {
        const timed = (act) => { const start = performance.now(); act(); return performance.now() - start; };
        const click = timed(() => document.querySelector('#text mark').click());
        const box = document.querySelector('#rules input[type=checkbox]');
        return [click, timed(() => box.click())];
    }"""
    click, undo = tab.evaluate(script)  # type: ignore[attr-defined]
    return f"a click takes {click:.0f} ms, undoing an exclusion {undo:.0f} ms"


if __name__ == "__main__":
    main()
