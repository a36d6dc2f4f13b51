"""Which kernel runs: the compiled one, or its pure twin when WHORL_KERNEL=twin asks for it. Never chosen silently.

The twin is the specification, written to be read; it is hundreds of times slower. Tests run on both. Callers ask for
the module that they need by a function of its name each time, so a test can switch.
"""

import importlib
import os
from functools import cache
from types import ModuleType

from whorl.errors import KernelError

NAMES = ("native", "twin")


def name() -> str:
    """The kernel in force: ``native`` unless the environment says ``twin``."""
    wanted = os.environ.get("WHORL_KERNEL", "native")
    if wanted not in NAMES:
        raise KernelError(f"WHORL_KERNEL is {wanted!r}: set it to native or twin, or unset it")
    return wanted


def core() -> ModuleType:
    """The engine's loops: hashing and selection."""
    return _load(name())


def text() -> ModuleType:
    """The text front-end's loops."""
    return _load(f"{name()}_text")


def words() -> ModuleType:
    """The text front-end's words."""
    return _load(f"{name()}_words")


def rolling() -> ModuleType:
    """The paper's rolling hashes."""
    return _load(f"{name()}_rolling")


def utf8() -> ModuleType:
    """The decoder of UTF-8."""
    return _load(f"{name()}_utf8")


def html() -> ModuleType:
    """The walk over a web page."""
    return _load(f"{name()}_html")


def entities() -> ModuleType:
    """The entities of a web page's text."""
    return _load(f"{name()}_entities")


def matching() -> ModuleType:
    """What documents share: pairs, matches, the choice among them."""
    return _load(f"{name()}_matching")


def segments() -> ModuleType:
    """The blocks of the index's segment files."""
    return _load(f"{name()}_segments")


def postings() -> ModuleType:
    """Columns of postings."""
    return _load(f"{name()}_postings")


def jsonl() -> ModuleType:
    """Lines of JSON."""
    return _load(f"{name()}_jsonl")


def files() -> ModuleType:
    """Hashes read from a file."""
    return _load(f"{name()}_files")


def pairs() -> ModuleType:
    """Pairs of documents that share shingles."""
    return _load(f"{name()}_pairs")


def tallies() -> ModuleType:
    """Pairs of documents counted."""
    return _load(f"{name()}_tallies")


def crowds() -> ModuleType:
    """What the members of a crowd share."""
    return _load(f"{name()}_crowds")


def seen() -> ModuleType:
    """Tables of digests that were seen."""
    return _load(f"{name()}_seen")


def shingles() -> ModuleType:
    """The shingles of many documents at once."""
    return _load(f"{name()}_shingles")


@cache
def _load(module: str) -> ModuleType:
    try:
        return importlib.import_module(f"whorl.kernel.{module}")
    except ImportError as error:
        raise KernelError(
            f"the compiled kernel is missing ({error}): reinstall with a C compiler at hand (pip install .), "
            "or set WHORL_KERNEL=twin to run the slow pure-Python twin"
        ) from error
