"""Read submissions into a spill buffer: every file of every child of the paths, on several threads."""

import tempfile
import weakref
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whorl.comparison.evidence.finding import SubmissionTexts, Text
from whorl.comparison.layouts import Layout
from whorl.comparison.normal_form import NO_NORMAL_FORM, SubmissionNormalForms, normal_form_of
from whorl.comparison.result import File
from whorl.comparison.settings import ABOUT
from whorl.engine.cache import ReadCache
from whorl.engine.documents import NormalFormStream, WholeDocument, read_wholes
from whorl.engine.hashing import Key
from whorl.engine.sampling import distinct
from whorl.errors import DocumentError, InputError, UnsuitedError
from whorl.formats.archives.kinds import named_archive
from whorl.formats.archives.rules import Rules
from whorl.formats.archives.walk import ChildItem, Walk, children
from whorl.formats.code.languages import AMBIGUOUS, LANGUAGES, extension_of
from whorl.formats.code.normal.form import has_normal_form
from whorl.formats.detection import format_of
from whorl.formats.documents.hidden import FORMATS, hidden_text
from whorl.formats.documents.pages import NO_TEXT
from whorl.formats.encoding import load_content
from whorl.matching.evidence import Evidence, evidence, sift
from whorl.matching.starter_code import StarterCode, merge_spans
from whorl.model import Document, Hashes, Skipped, Span, Symbols
from whorl.scheme import Scheme
from whorl.stores import NO_DOCUMENT, is_index

# Memory limit in bytes: several times the size of a class of a thousand programs.
MEMORY = 64 << 20

_SpilledRow = list[tuple[int, np.dtype[Any], int]]


class SpillBuffer:
    """Rows of arrays, numbered from 0 in the order of insertion."""

    def __init__(self, memory: int = MEMORY) -> None:
        self._memory = memory
        self._rows: list[Sequence[NDArray[Any]] | _SpilledRow] = []
        self._file: IO[bytes] | None = None

    def put(self, arrays: Sequence[NDArray[Any]]) -> int:
        """Add a row and return its number."""
        size = sum(array.nbytes for array in arrays)
        fits = size <= self._memory
        self._memory = self._memory - size if fits else 0
        self._rows.append(arrays if fits else [self._spill(array) for array in arrays])
        return len(self._rows) - 1

    def get(self, number: int) -> list[NDArray[Any]]:
        """Return a row."""
        return [array if isinstance(array, np.ndarray) else self._read(*array) for array in self._rows[number]]

    def _spill(self, array: NDArray[Any]) -> tuple[int, np.dtype[Any], int]:
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="whorl-")  # noqa: SIM115  (closed with the buffer)
            weakref.finalize(self, self._file.close)
        at = self._file.seek(0, 2)
        self._file.write(np.ascontiguousarray(array).data)
        return at, array.dtype, len(array)

    def _read(self, at: int, kind: np.dtype[Any], count: int) -> NDArray[Any]:
        if self._file is None:
            raise RuntimeError("a row was spilled, but there is no file")
        self._file.seek(at)
        return np.frombuffer(self._file.read(count * kind.itemsize), kind)


def stream_digest(symbols: Symbols) -> bytes:
    """Return the digest of a token stream's values, whatever their width."""
    return blake2b(symbols.astype("<u8").tobytes(), digest_size=16).digest()


class ReadFile(NamedTuple):
    """One file of a path's child, read or skipped, with its hidden text, or the reason why that is unknown. ``source``
    is the entry of the path that it is in; ``is_unsuited`` tells that the scheme does not read its kind."""

    path: Path
    child: str
    name: str
    whole: WholeDocument | Skipped
    unseen: tuple[str, ...] = ()
    fault: str = ""
    size: int | None = None
    source: str = ""
    is_unsuited: bool = False
    note: str = ""


class _Member(NamedTuple):
    """A file of a path before it is read. ``note`` tells what is odd about its format."""

    path: Path
    item: ChildItem
    source: str
    note: str = ""


@dataclass(frozen=True)
class SubmissionReader:
    """Read the files of paths. ``format`` overrides their detected format, ``languages`` the detected language of files
    with certain extensions. ``normal_form`` adds the normal form of programs. ``layouts`` says which files of an export
    belong together. Files in ``cache`` are not read again."""

    scheme: Scheme
    key: Key
    rules: Rules
    threads: int
    format: str | None = None
    normal_form: bool = False
    layouts: Mapping[Path, Layout] = field(default_factory=dict)
    cache: ReadCache | None = None
    languages: Mapping[str, str] = field(default_factory=dict)
    _seen: set[Path] = field(default_factory=set)

    def read(self, paths: Iterable[Path], part: range | None = None) -> Iterator[ReadFile]:
        """Yield every file of every child of the paths, in order and once. ``part`` is the share of one of several
        readers, as in ``Walk``."""
        coming: deque[_Member] = deque()
        documents = self._documents(paths, coming, part)
        wholes = read_wholes(
            documents, self.scheme, self.key, self.threads, normal_form=self.normal_form, cache=self.cache
        )
        for whole in wholes:
            yield from _skipped(coming)
            path, (child, inside, item), source, note = coming.popleft()
            if isinstance(whole, DocumentError):
                expected = isinstance(whole, UnsuitedError)
                skipped = Skipped(item.name, whole.reason, 1, _size(item), expected)
                yield ReadFile(path, child, inside, skipped, source=source, is_unsuited=expected)
            else:
                yield ReadFile(path, child, inside, whole, *_unseen(item, whole), _size(item), source, note=note)
        yield from _skipped(coming)

    def _documents(self, paths: Iterable[Path], coming: deque[_Member], part: range | None) -> Iterator[Document]:
        """Yield the documents alone; append all members, skipped files included, to ``coming``."""
        for member in self._members(paths, part):
            document = member.item.item
            if isinstance(document, Skipped):
                coming.append(member)
                continue
            stated = replace(document, format=self.format or self._common_language(document))
            note = "" if self.format or stated.format is None else _overruled(document, stated.format)
            coming.append(member._replace(note=note))
            yield stated if stated.format else document

    def _common_language(self, document: Document) -> str | None:
        """Return the language in which files with the document's extension are read, if it is a program."""
        chosen = self.languages.get(extension_of(document.name))
        if chosen is None or document.format is not None:
            return None
        try:
            return chosen if format_of(document) in LANGUAGES else None
        except DocumentError:
            return None  # it is reported when it is read

    def _members(self, paths: Iterable[Path], part: range | None) -> Iterator[_Member]:
        for path in paths:
            place = path.resolve()
            for item, source in self._items(path, part):
                # A file has its own name; a member of a folder or an archive has its name inside.
                name = item.item.name
                whole = place if name == place.name and not place.is_dir() else place / name
                if whole not in self._seen:
                    self._seen.add(whole)
                    yield _Member(path, item, source)

    def child(self, path: Path, name: str) -> str:
        """Return the submission of a file of a path, by its name in the walk."""
        return self.layouts[path].child(name) if path in self.layouts else name.partition("/")[0]

    def _items(self, path: Path, part: range | None) -> Iterator[tuple[ChildItem, str]]:
        """Yield the items of a path with the submissions that they belong to, and the entries that they are in."""
        if path in self.layouts:
            yield from map(self.layouts[path].member, Walk(path, self.rules, part).items())
        else:
            items = _indexed(path) if is_index(path) else children(path, self.rules, part)
            yield from ((item, item.child) for item in items)


def _unseen(item: Document | Skipped, whole: WholeDocument) -> tuple[tuple[str, ...], str]:
    """Return the text that a document's pages do not show, and the reason if that is unknown."""
    if isinstance(item, Skipped) or whole.format not in FORMATS:
        return (), ""
    try:
        return hidden_text(load_content(item.content), whole.format), ""
    except DocumentError as error:
        return (), f"hidden text was not searched: {error}"


def _size(item: Document | Skipped) -> int | None:
    """Return the size of a document in bytes; None for a text or an unreadable file."""
    if isinstance(item, Skipped) or isinstance(item.content, str):
        return None
    if isinstance(item.content, bytes):
        return len(item.content)
    try:
        return item.content.stat().st_size
    except OSError:
        return None


def _skipped(coming: deque[_Member]) -> Iterator[ReadFile]:
    """Yield the skipped files before the next document."""
    while coming and isinstance(item := coming[0].item.item, Skipped):
        path, (child, inside, _), source, _ = coming.popleft()
        yield ReadFile(path, child, inside, item, source=source)


def _overruled(document: Document, chosen: str) -> str:
    """Return a note if a file alone would be read in another language than the one chosen for its extension."""
    detected = format_of(document)
    if detected == chosen:
        return ""
    most = f"as most .{extension_of(document.name)} files of this comparison are"
    return f"read as {chosen}, {most}; on its own it would be read as {detected}"


@dataclass(slots=True)
class ReadSubmission:
    """A submission while it is read: its files, their rows in the spill buffer, and their fingerprints. ``child`` is
    its name in its path, ``name`` is unique. ``sources`` are the entries of the path that it is made of. ``streams``
    has the digest of each file's tokens."""

    child: str
    path: Path
    archived: bool
    name: str = ""
    files: list[File] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    hashes: list[Hashes] = field(default_factory=list)
    unseen: list[tuple[str, ...]] = field(default_factory=list)
    streams: list[bytes] = field(default_factory=list)
    symbols: int = 0
    sources: list[str] = field(default_factory=list)
    person: str | None = None
    normal: SubmissionNormalForms = field(default_factory=lambda: SubmissionNormalForms([], [], [], []))

    def distinct(self) -> Hashes:
        """Return the fingerprints, ascending and distinct."""
        return distinct(np.concatenate([*self.hashes, np.zeros(0, np.uint64)]))

    def fingerprints(self) -> int:
        """Return the number of distinct fingerprints."""
        return len(self.distinct())

    def digest(self) -> bytes:
        """Return a digest of the fingerprints."""
        return blake2b(self.distinct().tobytes()).digest()


def count_files(paths: Iterable[Path], base: Iterable[Path], rules: Rules) -> int | None:
    """Return the number of files to read, those of starter code included; None if some are in archives or indexes. No
    file is opened."""
    count = 0
    for path, rules_here in (*((path, rules) for path in paths), *((path, _rules_of_base(rules)) for path in base)):
        names = [] if is_index(path) else list(Walk(path, rules_here).names())
        if not names or any(map(named_archive, names)):
            return None
        count += len(names)
    return count


def _rules_of_base(rules: Rules) -> Rules:
    """Return the rules for starter code. Patterns select files of submissions, which lie in other folders."""
    return replace(rules, include=(), exclude=())


def common_languages(entries: Iterable[ReadSubmission]) -> dict[str, str]:
    """Return the language of most files with an extension, for each extension whose files were read in languages that
    cannot be compared. The content of a file decides between the languages of its extension, so a comment would be
    enough to hide a copy."""
    counts: dict[str, Counter[str]] = {}
    for entry in entries:
        for file in entry.files:
            extension = extension_of(file.name)
            if extension in AMBIGUOUS and file.format in LANGUAGES:
                counts.setdefault(extension, Counter())[file.format] += 1
    return {
        extension: max(counted, key=lambda name: (counted[name], extension in LANGUAGES[name].extensions))
        for extension, counted in counts.items()
        if len({(LANGUAGES[name].family, has_normal_form(name)) for name in counted}) > 1
    }


def in_order(entries: Iterable[ReadSubmission]) -> list[ReadSubmission]:
    """Sort submissions by name, archived ones last. Prefix equal names with their path."""
    ordered = sorted(entries, key=lambda entry: (entry.archived, entry.child, str(entry.path)))
    times = Counter(entry.child for entry in ordered)
    for entry in ordered:
        entry.name = _with_path(entry) if times[entry.child] > 1 else entry.child
    return ordered


class SubmissionIntake:
    """Collect submissions in reading order. ``progress`` is called with the number of files read."""

    def __init__(
        self,
        reader: SubmissionReader,
        buffer: SpillBuffer,
        progress: Callable[[int], object],
        starter_code: StarterCode | None = None,
    ) -> None:
        self._reader, self._buffer, self._progress = reader, buffer, progress
        self.starter_code = starter_code
        self._entries: dict[tuple[bool, Path, str], ReadSubmission] = {}
        self.skipped: list[Skipped] = []
        self._skipped_inside: list[Skipped] = []  # those that are not a whole submission
        self.base: list[SubmissionTexts] = []
        self._files = 0

    def read_starter_code(self, paths: Sequence[Path]) -> None:
        """Read the starter code in these paths: anything found in it is ignored."""
        if paths:
            before = len(self.skipped)
            reader = replace(self._reader, rules=_rules_of_base(self._reader.rules))
            wholes = list(self._wholes(reader, paths, is_base=True))
            read = [(file, whole) for file, whole in wholes if NO_TEXT not in whole.fingerprints.notes]
            scans = (file for file, whole in wholes if NO_TEXT in whole.fingerprints.notes)
            self.skipped += [Skipped(file.name, NO_TEXT, size=file.size) for file in scans]
            self.base += [
                SubmissionTexts(file.child, (Text(file.name, whole.format, whole.text),)) for file, whole in read
            ]
            if not read:
                why = next((f" ({item.name}: {item.reason})" for item in self.skipped[before:]), "")
                raise InputError(f"the starter code has no readable file: {', '.join(map(str, paths))}{why}")
            self.skipped[before:] = [
                item._replace(reason=f"in the base: {item.reason}", submission="") for item in self.skipped[before:]
            ]
            self.starter_code = StarterCode(
                [(whole.format, whole.text, whole.stream) for _, whole in read], self._reader.scheme, self._reader.key
            )

    def take(self, paths: Iterable[Path], *, archived: bool, part: range | None = None) -> None:
        """Read all children of the paths, or those of one part."""
        before = len(self._skipped_inside)
        for file, whole in self._wholes(self._reader, paths, part):
            key = archived, file.path, file.child
            entry = self._entries.setdefault(key, ReadSubmission(file.child, file.path, archived))
            entry.unseen.append(file.unseen)
            if file.source not in entry.sources:
                entry.sources.append(file.source)
            self._add(entry, file, whole)
        self.skipped += self._without_documents(self._skipped_inside[before:])

    def _without_documents(self, skipped: Iterable[Skipped]) -> Iterator[Skipped]:
        """Yield a record for each submission whose files were all skipped by rules, so that it is not lost silently.
        Its files are counted by their own records."""
        read = {entry.child for entry in self._entries.values()}
        files: dict[str, list[Skipped]] = {}
        for item in skipped:
            if item.submission and item.submission not in read:
                files.setdefault(item.submission, []).append(item)
        for child, items in files.items():
            if not all(item.expected for item in items):
                continue
            size = sum(item.size or 0 for item in items)
            reasons = {item.reason for item in items}
            why = f": {reasons.pop()}" if len(reasons) == 1 else ""
            yield Skipped(f"{child}/", f"nothing in it can be compared{why}", 0, size, submission=child)

    def _wholes(
        self, reader: SubmissionReader, paths: Iterable[Path], part: range | None = None, *, is_base: bool = False
    ) -> Iterator[tuple[ReadFile, WholeDocument]]:
        for file in reader.read(paths, part):
            if isinstance(file.whole, Skipped):
                # Whoever puts a store's files beside a program could hide it.
                is_expected = file.whole.expected and not file.whole.reason.endswith(NO_DOCUMENT)
                if file.is_unsuited and file.name == file.child and not is_base and not ABOUT.match(file.name):
                    is_expected = False  # prose that is a whole submission, not a file beside programs
                self.skipped.append(_of_submission(file.whole._replace(expected=is_expected), file))
                if file.name != file.child:
                    self._skipped_inside.append(self.skipped[-1])
            else:
                yield file, file.whole
            self._files += 1
            self._progress(self._files)

    def entries(self) -> list[ReadSubmission]:
        """Return the submissions, in order."""
        return in_order(self._entries.values())

    def _add(self, entry: ReadSubmission, file: ReadFile, whole: WholeDocument) -> None:
        spans = None if self.starter_code is None else self.starter_code.spans(whole.format, whole.text, whole.stream)
        sifted = sift(whole.stream, whole.fingerprints, spans)
        plain = evidence(sifted)
        notes = (*whole.fingerprints.notes, *filter(None, [file.fault, file.note]))
        if whole.normal_form is not None and whole.normal_form.missing:
            notes = (*notes, f"no normal form: {whole.normal_form.missing}")
        facts = File(
            file.name, whole.format, len(plain), sifted.sanctioned, notes, file.size, whole.digest, whole.cells
        )
        entry.files.append(facts)
        entry.rows.append(self._buffer.put(_row(plain, whole.text)))
        entry.hashes.append(plain.hashes)
        entry.streams += [stream_digest(plain.symbols)] if len(plain) else []
        entry.symbols += len(plain)
        if self._reader.normal_form:
            merged = None if spans is None else merge_spans(spans, whole.text, whole.stream)
            self._add_normal_form(entry.normal, whole.normal_form, merged, plain)

    def _add_normal_form(
        self,
        normal: SubmissionNormalForms,
        normal_form: NormalFormStream | None,
        spans: Sequence[Span] | None,
        plain: Evidence,
    ) -> None:
        """Add the file's normal form, or else its plain fingerprints."""
        has_one = normal_form is not None and len(normal_form.fingerprints) > 0
        form = normal_form_of(normal_form, spans) if normal_form is not None and has_one else NO_NORMAL_FORM
        normal.rows.append(self._buffer.put(form.evidence.row()))
        normal.hashes.append(form.grams if has_one else plain.hashes)
        normal.statements.append(form.statements)
        normal.standing.append(form.standing)
        normal.forms += has_one
        normal.seconds += 0.0 if normal_form is None else normal_form.seconds


def _of_submission(item: Skipped, file: ReadFile) -> Skipped:
    """Add the submission to a skipped file. An empty submission is never expected."""
    is_empty = file.name == file.child != "." and (item.files == 0 or item.size == 0)
    return item._replace(submission=file.child, expected=item.expected and not is_empty)


def _indexed(path: Path) -> Iterator[ChildItem]:
    """Yield the documents of an index, each as a submission."""
    from whorl.index.index import Index  # imports the database, which few comparisons need

    with Index.open(path) as index:
        for entry in index.entries():
            yield ChildItem(entry.name, entry.name, index.document(entry.name))


def _with_path(entry: ReadSubmission) -> str:
    return str(entry.path) if entry.path.name == entry.child else f"{entry.path}/{entry.child}"


def _row(evidence: Evidence, text: str) -> list[np.typing.NDArray[np.generic]]:
    letters = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    return [*evidence.columns(), letters]


def evidence_of(row: list[np.typing.NDArray[np.generic]]) -> Evidence:
    """Return the evidence in a row of the spill buffer."""
    return Evidence(*row[:-1])  # type: ignore[arg-type]


def unpack(row: list[np.typing.NDArray[np.generic]]) -> tuple[Evidence, str]:
    """Return the evidence and the text in a row of the spill buffer."""
    return evidence_of(row), row[-1].tobytes().decode("utf-8", "surrogatepass")
