"""Reads submissions: every file of every child of some paths, on several threads, onto the shelf."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import numpy as np

from whorl.collection.children import Member, children
from whorl.collection.rules import Rules
from whorl.comparison.evidence.finding import Text, Written
from whorl.comparison.evidence.hidden import hidden_text
from whorl.comparison.result import File
from whorl.comparison.second import Normalised, nothing, taken
from whorl.comparison.shelf import Shelf
from whorl.errors import DocumentError, InputError
from whorl.fingerprinting.whole import Second, Whole, read_wholes
from whorl.frontends.source import held
from whorl.hashing.hasher import hasher
from whorl.hashing.key import Key
from whorl.index.place import is_index
from whorl.matching.evidence import Evidence, evidence, sift
from whorl.matching.sanction import Sanction
from whorl.model import Document, Hashes, Skipped, Span
from whorl.scheme import Scheme

# Formats that have pages, on which text can be hidden.
PAGED = ("html", "pdf")

Sanctions = tuple[Sanction | None, Sanction | None]


class Found(NamedTuple):
    """One file of a path's child, read, or left out; and the text in it that its page does not show, or why
    that is not known."""

    path: Path
    child: str
    name: str
    whole: Whole | Skipped
    unseen: tuple[str, ...] = ()
    fault: str = ""


@dataclass(frozen=True)
class Reader:
    """How the files of paths are read. ``format`` is what they are, if somebody says so. ``normal_form``: programs get
    theirs beside their tokens."""

    scheme: Scheme
    key: Key
    rules: Rules
    threads: int
    format: str | None = None
    normal_form: bool = False
    _seen: set[Path] = field(default_factory=set)

    def read(self, paths: Iterable[Path], part: range | None = None) -> Iterator[Found]:
        """Every file of every child of the paths, in order; each once, however often it is given. ``part`` are those
        that one of several readers reads, as ``Walk`` has it."""
        coming: deque[tuple[Path, Member]] = deque()
        documents = self._documents(paths, coming, part)
        wholes = read_wholes(documents, self.scheme, self.key, self.threads, normal_form=self.normal_form)
        for whole in wholes:
            yield from _skipped(coming)
            path, (child, inside, item) = coming.popleft()
            if isinstance(whole, DocumentError):
                yield Found(path, child, inside, Skipped(item.name, str(whole)))
            else:
                yield Found(path, child, inside, whole, *_unseen(item, whole))
        yield from _skipped(coming)

    def _documents(
        self, paths: Iterable[Path], coming: deque[tuple[Path, Member]], part: range | None
    ) -> Iterator[Document]:
        """The documents alone; ``coming`` has them with what they belong to, and what is left out between them."""
        for path, member in self._members(paths, part):
            coming.append((path, member))
            if isinstance(member.item, Document):
                yield replace(member.item, format=self.format or member.item.format)

    def _members(self, paths: Iterable[Path], part: range | None) -> Iterator[tuple[Path, Member]]:
        for path in paths:
            place = path.resolve()
            for member in _indexed(path) if is_index(path) else children(path, self.rules, part):
                # A path that is a file has its own name; what is in a folder or an archive has the name in it.
                whole = place if member.item.name == place.name and not place.is_dir() else place / member.item.name
                if whole not in self._seen:
                    self._seen.add(whole)
                    yield path, member


def _unseen(item: Document | Skipped, whole: Whole) -> tuple[tuple[str, ...], str]:
    """The text that the page of a document does not show, if it has a page; and why that is not known, if so."""
    if isinstance(item, Skipped) or whole.format not in PAGED:
        return (), ""
    try:
        return hidden_text(held(item.content), whole.format), ""
    except DocumentError as error:
        return (), f"hidden text was not looked for: {error}"


def _skipped(coming: deque[tuple[Path, Member]]) -> Iterator[Found]:
    """What is left out before the next document."""
    while coming and isinstance(item := coming[0][1].item, Skipped):
        path, (child, inside, _) = coming.popleft()
        yield Found(path, child, inside, item)


@dataclass(slots=True)
class Entry:
    """A submission while it is read: its files, their rows on the shelf, and their fingerprints. ``child`` is its name
    in its path, ``name`` is one that no other has."""

    child: str
    path: Path
    archived: bool
    name: str = ""
    files: list[File] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    hashes: list[Hashes] = field(default_factory=list)
    unseen: list[tuple[str, ...]] = field(default_factory=list)
    symbols: int = 0
    normal: Normalised = field(default_factory=lambda: Normalised([], [], [], []))

    def distinct(self) -> Hashes:
        """Its fingerprints, each once, ascending."""
        return np.unique(np.concatenate([*self.hashes, np.zeros(0, np.uint64)]))

    def fingerprints(self) -> int:
        """How many that are."""
        return len(self.distinct())

    def digest(self) -> bytes:
        """What tells these fingerprints from others."""
        return blake2b(self.distinct().tobytes()).digest()


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Submissions by name, the archived ones last. Those of one name get their path before it."""
    found = sorted(entries, key=lambda entry: (entry.archived, entry.child, str(entry.path)))
    times = Counter(entry.child for entry in found)
    for entry in found:
        entry.name = _longer(entry) if times[entry.child] > 1 else entry.child
    return found


class Intake:
    """All submissions, in the order in which they come. ``progress`` is told how many files are done."""

    def __init__(
        self, reader: Reader, shelf: Shelf, progress: Callable[[int], object], sanctions: Sanctions = (None, None)
    ) -> None:
        self._reader, self._shelf, self._progress = reader, shelf, progress
        self._sanction, self._second_sanction = sanctions
        self._entries: dict[tuple[bool, Path, str], Entry] = {}
        self.skipped: list[Skipped] = []
        self.base: list[Written] = []
        self._files = 0

    def sanction(self, paths: Sequence[Path]) -> None:
        """What stands in these paths is no evidence."""
        if paths:
            before = len(self.skipped)
            read = list(self._wholes(paths))
            wholes = [whole for _, whole in read]
            self.base += [Written(found.child, (Text(found.name, each.format, each.text),)) for found, each in read]
            self.skipped[before:] = [
                Skipped(item.name, f"in the base: {item.reason}") for item in self.skipped[before:]
            ]
            if not wholes:
                raise InputError(f"the base holds nothing that can be read: {', '.join(map(str, paths))}")
            hashes = hasher(self._reader.key, self._reader.scheme.k)
            self._sanction = Sanction([whole.stream for whole in wholes], hashes)
            self._second_sanction = Sanction([whole.second.stream for whole in wholes if whole.second], hashes)

    def take(self, paths: Iterable[Path], *, archived: bool, part: range | None = None) -> None:
        """Read all children of the paths, or those of one part."""
        for found, whole in self._wholes(paths, part):
            key = archived, found.path, found.child
            entry = self._entries.setdefault(key, Entry(found.child, found.path, archived))
            entry.unseen.append(found.unseen)
            self._add(entry, found, whole)

    def _wholes(self, paths: Iterable[Path], part: range | None = None) -> Iterator[tuple[Found, Whole]]:
        for found in self._reader.read(paths, part):
            if isinstance(found.whole, Skipped):
                self.skipped.append(found.whole)
            else:
                yield found, found.whole
            self._files += 1
            self._progress(self._files)

    def entries(self) -> list[Entry]:
        """The submissions, in order."""
        return in_order(self._entries.values())

    @property
    def sanctions(self) -> Sanctions:
        """What is no evidence, of the plain stream and of the normal form."""
        return self._sanction, self._second_sanction

    def _add(self, entry: Entry, found: Found, whole: Whole) -> None:
        part = sift(whole.stream, whole.fingerprints, self._sanction)
        own = evidence(part)
        notes = (*whole.fingerprints.notes, *filter(None, [found.fault]))
        if whole.second is not None and whole.second.missing:
            notes = (*notes, f"no normal form: {whole.second.missing}")
        entry.files.append(File(found.name, whole.format, len(own), part.sanctioned, notes))
        entry.rows.append(self._shelf.put(_row(own, whole.text)))
        entry.hashes.append(own.hashes)
        entry.symbols += len(own)
        if self._reader.normal_form:
            self._add_second(entry.normal, whole.second, part.sanctioned, own)

    def _add_second(
        self, normal: Normalised, second: Second | None, sanctioned: Sequence[Span], plain: Evidence
    ) -> None:
        """The file's normal form; if it has none, its plain fingerprints stand in."""
        is_there = second is not None and len(second.fingerprints) > 0
        found = taken(second, self._second_sanction, sanctioned) if second is not None and is_there else nothing()
        normal.rows.append(self._shelf.put(found.marked.row()))
        normal.hashes.append(found.grams if is_there else plain.hashes)
        normal.statements.append(found.statements)
        normal.standing.append(found.standing)
        normal.forms += is_there
        normal.seconds += 0.0 if second is None else second.seconds


def _indexed(path: Path) -> Iterator[Member]:
    """The documents of an index: each is a submission."""
    from whorl.index.index import Index  # brings the database with it, which few comparisons need

    with Index.open(path) as index:
        for entry in index.entries():
            yield Member(entry.name, entry.name, index.document(entry.name))


def _longer(entry: Entry) -> str:
    return str(entry.path) if entry.path.name == entry.child else f"{entry.path}/{entry.child}"


def _row(own: Evidence, text: str) -> list[np.typing.NDArray[np.generic]]:
    letters = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    return [own.symbols, own.starts, own.ends, own.bounds, own.files, own.hashes, own.places, own.barred, letters]


def own_evidence(row: list[np.typing.NDArray[np.generic]]) -> Evidence:
    """The evidence of a file, of a row of the shelf."""
    return Evidence(*row[:-1])  # type: ignore[arg-type]


def unpacked(row: list[np.typing.NDArray[np.generic]]) -> tuple[Evidence, str]:
    """A row of the shelf: the evidence of a file and its text."""
    return own_evidence(row), row[-1].tobytes().decode("utf-8", "surrogatepass")
