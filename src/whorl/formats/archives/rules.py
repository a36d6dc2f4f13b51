"""Which files of a collection are read, the limits of an archive and the budget of unpacking, and the interface of
every archive. All defaults of this package are here."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from whorl.formats.archives.gitignore import LONGEST, Allowance, Pattern, parse
from whorl.formats.archives.names import RefusedFileError, RulesError, matchable
from whorl.sandbox.limits import format_bytes

MEGABYTE = 1 << 20

# (least, most) of each limit. Honest source code grows up to 20 times; "most" only guards against slips.
_RANGES: dict[str, tuple[float, float]] = {
    "member": (1, 1 << 40),
    "total": (1, 1 << 46),
    "ratio": (20, 1_000_000),
    "free": (0, 1 << 40),
    "entries": (1, 1 << 31),
    "nesting": (0, 8),
}
_SWITCHES = ("gitignore", "hidden", "generated", "wary")
_PATTERNS = ("include", "exclude")


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Which files are read. Validates itself and reports all faults at once.

    ``include`` and ``exclude`` are .gitignore patterns, matched with whole names: ``*.py``, ``/tests/``,
    ``**/old/*.c``. If ``include`` is given, only files that match a pattern, or lie in a folder that does, are read.
    """

    # Leave out what .gitignore files inside the collection ignore: their author says that it is not theirs to read.
    gitignore: bool = True
    # Take hidden files and folders too (".name"): they hold settings and caches, seldom work.
    hidden: bool = False
    # Take what tools made or fetched too: the table is in ``generated``.
    generated: bool = False
    # Trust no name: read hidden files and folders that have a document's name, and programs in a tool's folder that the
    # tool did not put there; and measure whatever is left out. For work whose author may have something to hide.
    wary: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    # Bytes of one member: it is held in memory, beside the archive that it may be in.
    member: int = 256 * MEGABYTE
    # Bytes unpacked from one archive and the archives in it: half a minute of work.
    total: int = 4096 * MEGABYTE
    # Times that a member, or an archive, may grow when unpacked. Of 1,463 Python files the median grows 4 times in
    # deflate and the worst 20 times; zeros grow 1,030 times.
    ratio: int = 200
    # Bytes to which the ratio does not apply: small files of blanks grow by more, and do no harm.
    free: int = 10 * MEGABYTE
    # Files and folders of one archive and the archives in it: 440 bytes of memory each, 720 while they are listed.
    entries: int = 200_000
    # Archives inside an archive: course systems pack the zips that students hand in.
    nesting: int = 1

    def __post_init__(self) -> None:
        faults = list(_faults(self))
        if faults:
            raise RulesError(faults)

    def included(self) -> tuple[Pattern, ...]:
        """Return the parsed patterns of ``include``."""
        return _parsed(self.include)

    def excluded(self) -> tuple[Pattern, ...]:
        """Return the parsed patterns of ``exclude``."""
        return _parsed(self.exclude)


def _parsed(patterns: tuple[str, ...]) -> tuple[Pattern, ...]:
    return tuple(pattern for text in patterns if (pattern := parse(matchable(text))) is not None)


def _faults(rules: Rules) -> Iterator[str]:
    for name in _SWITCHES:
        if not isinstance(getattr(rules, name), bool):
            yield f"{name}: {getattr(rules, name)!r} is neither True nor False"
    for name in _PATTERNS:
        yield from _pattern_faults(name, getattr(rules, name))
    for name, (least, most) in _RANGES.items():
        value = getattr(rules, name)
        if not isinstance(value, int) or isinstance(value, bool):
            yield f"{name}: {value!r} is not a whole number"
        elif not least <= value <= most:
            yield f"{name}: {value} is out of range; give a number from {least:.15g} to {most:.15g}"


def _pattern_faults(name: str, patterns: Any) -> Iterator[str]:
    if not isinstance(patterns, tuple):
        yield f"{name}: {patterns!r} is not a tuple of patterns"
        return
    for text in patterns:
        if not isinstance(text, str):
            yield f"{name}: {text!r} is not a pattern"
        elif text.startswith("!"):
            yield f'{name}: {text!r} is negated; write it without the "!", or escape it as \\!'
        elif text.startswith("#"):
            yield f"{name}: {text!r} is a comment in .gitignore; escape the # as \\#"
        elif not text.strip():
            yield f"{name}: the pattern is empty"
        elif "\n" in text or len(text.encode("utf-8", "replace")) > LONGEST:
            yield f"{name}: {text[:40]!r} is not one line of at most {LONGEST} bytes"
        elif not _usable(text):
            yield f"{name}: {text!r} can match nothing: is a bracket or a backslash left open?"


def _usable(text: str) -> bool:
    try:
        pattern = parse(matchable(text))
    except UnicodeEncodeError:  # half a surrogate pair, which no name on disk has
        return False
    return pattern is not None and pattern.possible


DEFAULT = Rules()

# For submissions: their authors do not decide what is compared. An archive of exports has the archives of students.
SUBMISSIONS = Rules(gitignore=False, wary=True, nesting=2)


# Bytes of all names of an archive: they are held together. 335 for each of 200,000 entries.
NAMES = 64 << 20


class Budget:
    """Counts unpacked bytes and entries. Spent bytes are never given back."""

    def __init__(self, packed: int, rules: Rules) -> None:
        self._rules = rules
        self._most = min(rules.total, max(rules.free, rules.ratio * packed))
        self._bytes = 0
        self._entries = 0
        self._names = 0
        self.patterns = Allowance()

    def spend(self, size: int) -> None:
        """Count bytes before they are unpacked."""
        if self._bytes + size > self._most:
            if self._most == self._rules.total:
                raise RefusedFileError(f"too large: one archive may unpack to {format_bytes(self._most, 0)} in all")
            raise RefusedFileError(
                f"perhaps a bomb: an archive may expand {self._rules.ratio} times when it is unpacked"
            )
        self._bytes += size

    def enter(self, name: bytes = b"") -> None:
        """Count a file or a folder, and its name in the archive's directory."""
        self._entries += 1
        self._names += len(name)
        if self._names > NAMES:
            raise RefusedFileError(
                f"too many long names: the names of one archive may have {format_bytes(NAMES, 0)} together"
            )
        if self._entries > self._rules.entries:
            raise RefusedFileError(f"too many entries: one archive may have {self._rules.entries:,}")

    def check_member(self, size: int, packed: int | None = None) -> None:
        """Refuse a member that is too large or expands too much."""
        if size > self._rules.member:
            raise RefusedFileError(
                f"too large: {format_bytes(size, 0)}; one member may have {format_bytes(self._rules.member, 0)}"
            )
        if packed is not None and size > max(self._rules.free, self._rules.ratio * packed):
            raise RefusedFileError(
                f"perhaps a bomb: it would expand more than {self._rules.ratio} times when it is unpacked"
            )


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """A file in an archive: its path and offset."""

    parts: tuple[str, ...]
    at: int
    size: int


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry of an archive's directory that is not read: a folder, or a refused member.

    ``name`` is as the archive states it; "" means the archive itself.
    """

    name: str
    parts: tuple[str, ...] = ()
    refused: str = ""


M = TypeVar("M", bound=ArchiveMember)


class Archive(Protocol, Generic[M]):
    """An archive that is read without unpacking it to disk."""

    def listing(self) -> Iterator[M | Listed]:
        """Yield every member in the archive's order; raise ``RefusedFileError`` if the whole archive is refused."""
        ...

    def read(self, members: Iterable[M]) -> Iterator[tuple[M, bytes | RefusedFileError]]:
        """Yield each member with its content, or with the reason why it is refused."""
        ...

    def read_small(self, member: M, most: int) -> bytes:
        """Return the content of a small member that is needed before the others."""
        ...
