"""The collection of the Koala experiments: drawn, or the documents of a corpus with versions derived from some."""

from functools import lru_cache
from itertools import islice
from pathlib import Path

from experiments.corpus.texts import lot
from experiments.koala.classes import texts
from experiments.reproduction.setting import Setting
from experiments.technical.collection import DERIVED_IN, DOCUMENTS, Entry, collection, versions
from experiments.technical.reports import MEAN_WORDS
from whorl.errors import InputError

# Documents of a quick run, and their words: enough for accidents between them, few enough for a second.
QUICK, QUICK_WORDS = 140, 7000

# Folders that ``make corpus`` makes. Web pages are the last resort: the others are technical documents.
FOLDERS = ("pdf", "man", "pages")


@lru_cache(maxsize=1)
def documents(setting: Setting) -> tuple[Entry, ...]:
    """Return the collection; kept, because every table is of the same one."""
    count = setting.many(DOCUMENTS, QUICK)
    if setting.corpus is None:
        return tuple(collection(count, setting.seed, setting.many(MEAN_WORDS, QUICK_WORDS)))
    return tuple(_gathered(setting.corpus, count, setting.seed))


def _gathered(folder: Path, count: int, seed: int) -> list[Entry]:
    """Long documents of a corpus, and versions of one in eight; text between what was taken is that of others."""
    derived = count // DERIVED_IN
    found = list(islice(texts(_files(folder)), count))
    if len(found) < count:
        raise InputError(f"{folder}: {len(found)} documents of prose are long enough, and {count} are needed")
    originals, others = found[: count - derived], found[count - derived :]
    entries = [Entry(f"document-{number}", text) for number, text in enumerate(originals)]
    return [*entries, *versions(originals, derived, seed, others.__getitem__)]


def _files(folder: Path) -> list[Path]:
    """In the order of a draw, one version of each document: the first folder below a kind is a release."""
    homes = [folder / name for name in FOLDERS if (folder / name).is_dir()]
    if not homes:
        return [folder]
    wanted = homes if len(homes) == 1 else [home for home in homes if home.name != FOLDERS[-1]]
    files = (path for home in wanted for path in sorted(home.rglob("*")) if path.is_file())
    drawn: dict[bytes, Path] = {}
    for path in files:
        home = next(home for home in wanted if path.is_relative_to(home))
        drawn.setdefault(lot(path.relative_to(home).as_posix()), path)
    return [path for _, path in sorted(drawn.items())]
