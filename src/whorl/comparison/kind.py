"""Whether a class handed in programs or prose."""

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from whorl.catalog import FRONTENDS
from whorl.collection.walk import walk
from whorl.comparison.settings import Settings
from whorl.errors import DocumentError
from whorl.frontends.code.languages import LANGUAGES
from whorl.frontends.detection import format_of
from whorl.model import Document, Skipped
from whorl.scheme import Scheme, preset

# Files that are looked at. A class that has no program among so many hands in none.
LOOK = 500


def scheme_for(paths: Iterable[Path], settings: Settings) -> Scheme:
    """The preset ``code`` if there is a program or a notebook among the files, else ``text``."""
    if settings.format is not None:
        return preset("code" if _is_code(settings.format) else "text")
    items = islice((item for path in paths for item in walk(path, settings.rules)), LOOK)
    return preset("code" if any(_is_program(item) for item in items) else "text")


def _is_program(item: Document | Skipped) -> bool:
    if isinstance(item, Skipped):
        return False
    try:
        return _is_code(format_of(item))
    except DocumentError:
        return False  # binary: it is reported when the files are read


def _is_code(name: str) -> bool:
    """Web pages are prose unless a program is beside them."""
    return name == "notebook" or (name in LANGUAGES and name not in FRONTENDS.declared)
