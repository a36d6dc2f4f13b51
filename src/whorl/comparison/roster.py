"""Read the roster of a class, and replace names for an anonymous comparison."""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from hashlib import blake2b
from io import StringIO
from pathlib import Path, PurePosixPath

from whorl.comparison.intake import ReadSubmission
from whorl.comparison.layouts import Layout, RosterRecord
from whorl.errors import DocumentError, InputError
from whorl.formats.archives.kinds import named_archive
from whorl.formats.archives.names import printable
from whorl.formats.detection import extensions
from whorl.formats.encoding import decode
from whorl.model import Skipped

KEYS = ("submission", "filename")
# Between columns; a spreadsheet writes what its country does, or tabs. With equal counts, the first one.
DELIMITERS = ",;\t"
LONGEST_HEAD = 200  # characters of the first line that an error quotes
# Hexadecimal digits of an anonymous name: two of a thousand submissions are alike once in thirty classes.
ALIAS = 6
COLUMNS = tuple(field.name for field in fields(RosterRecord))
# The names of these columns in Dodona and Dolos.
SYNONYMS = {"full_name": "person", "labels": "label", "created_at": "date"}


def read_roster(path: Path) -> dict[str, RosterRecord]:
    """Read the records of a CSV file, keyed by the submissions' file and folder names.

    The first line names the columns: ``submission`` (or ``filename``), and any of ``name``, ``person``,
    ``assignment``, ``label`` and ``date``. ``full_name``, ``labels`` and ``created_at`` are synonyms. Ignore other
    columns.
    """
    try:
        text = decode(path.read_bytes()).text
    except OSError as error:
        raise DocumentError(f"cannot read {path}: {error.strerror}") from error
    try:
        return dict(_records(path, text))
    except csv.Error as error:
        raise InputError(f"{path}: not CSV: {error}") from error


def _records(path: Path, text: str) -> Iterator[tuple[str, RosterRecord]]:
    head = text.partition("\n")[0]
    rows = csv.DictReader(StringIO(text, newline=""), delimiter=max(DELIMITERS, key=head.count))
    columns = {(name or "").strip().lower(): name for name in rows.fieldnames or ()}
    key = next((columns[name] for name in KEYS if name in columns), None)
    if key is None:
        names = printable(", ".join(columns))[:LONGEST_HEAD] or "nothing"
        raise InputError(f"{path}: the first line must name a column 'submission'; it has {names}")
    used = {SYNONYMS[name]: columns[name] for name in SYNONYMS if name in columns}
    used |= {name: columns[name] for name in COLUMNS if name in columns}
    seen: set[str] = set()
    shown: set[str] = set()
    for row in rows:
        name = (row[key] or "").strip()
        if not name:
            continue  # an empty row at the end of a spreadsheet
        if name in seen:
            raise InputError(f"{path}, line {rows.line_num}: {name!r} is listed twice")
        seen.add(name)
        record = RosterRecord(**{column: _value(row, source) for column, source in used.items()})
        if record.name is not None and record.name in shown:
            raise InputError(f"{path}, line {rows.line_num}: two submissions have the name {record.name!r}")
        shown.add(record.name or "")
        yield name, record


def _value(row: Mapping[str, str | None], column: str) -> str | None:
    return " ".join((row[column] or "").split()) or None


def records_of(
    entries: Sequence[ReadSubmission], roster: Mapping[str, RosterRecord], layouts: Mapping[Path, Layout]
) -> tuple[dict[str, RosterRecord], list[Skipped]]:
    """Return the records of submissions by their names, and the rows without a submission. A row names a submission as
    its folder or one of its files does, or without its ending if no other has that name; if an archived one has the
    same name, the row belongs to the new one. Facts of a row replace those of the layout."""
    fresh = {name for entry in entries if not entry.archived for name in _names(entry)}
    times = Counter((entry.archived, name) for entry in entries for name in {*_names(entry), _stem(entry.child)})
    records, used = {}, set()
    for entry in entries:
        stem = _stem(entry.child)
        in_path = [*_names(entry), *([stem] if times[entry.archived, stem] == 1 else [])]
        names = [entry.name, *(name for name in in_path if not (entry.archived and name in fresh))]
        rows = [name for name in dict.fromkeys(names) if name in roster]
        used.update(rows)
        record = layouts[entry.path].records.get(entry.child) if entry.path in layouts else None
        if rows:
            record = _merged(record or RosterRecord(), roster[rows[0]])
        if record is not None:
            records[entry.name] = record
    reason = "in the roster, but not submitted"
    missing = [name for name in roster if name not in used]
    return records, [Skipped(name, reason, 0, expected=True, submission=name) for name in missing]


def _names(entry: ReadSubmission) -> list[str]:
    """Return the names of a submission's folder or file, and of the entries that it is in."""
    return [entry.child, *entry.sources]


def _stem(name: str) -> str:
    """Return the name of a document or an archive without its ending, such as ``.py`` or ``.tar.gz``. Return any other
    name, such as that of a folder ``jane.doe``, as it is."""
    path = PurePosixPath(name)
    is_known = path.suffix[1:].lower() in extensions() or named_archive(name) is not None
    return path.stem.removesuffix(".tar") if is_known else name


def shown_names(entries: Sequence[ReadSubmission], records: Mapping[str, RosterRecord]) -> list[str]:
    """Return the names of submissions as they are shown: those of their records, with their own where others have the
    same. Review marks refer to them."""
    names = [records.get(entry.name, RosterRecord()).name or entry.name for entry in entries]
    times = Counter(names)
    return [
        name if times[name] == 1 or name == entry.name else f"{name} ({entry.name})"
        for name, entry in zip(names, entries, strict=True)
    ]


def _merged(record: RosterRecord, row: RosterRecord) -> RosterRecord:
    stated = {column: value for column in COLUMNS if (value := getattr(row, column)) is not None}
    return replace(record, **stated)


def anonymise(
    entries: Sequence[ReadSubmission], records: Mapping[str, RosterRecord]
) -> tuple[list[ReadSubmission], dict[str, RosterRecord]]:
    """Rename the submissions and their files. Return the submissions in the order of their new names, archived ones
    last, and the renamed records.

    A name comes from the contents of the files. So it reveals neither the old name nor its order, and stays when others
    are added or other code is ignored: review marks refer to it.
    """
    key = class_key(entries)
    ordered = sorted(entries, key=lambda entry: (_contents(entry), _digest(entry.name, key)))
    people = dict.fromkeys(record.person for entry in ordered if (record := records.get(entry.name)) and record.person)
    aliases = {person: f"person-{number:03}" for number, person in enumerate(people, 1)}
    renamed, times = dict[str, RosterRecord](), Counter[str]()
    for entry in ordered:
        record = records.get(entry.name, RosterRecord())
        alias = f"work-{_contents(entry).hex()[:ALIAS]}"
        times[alias] += 1
        entry.name = alias if times[alias] == 1 else f"{alias}-{times[alias]}"
        entry.files = [replace(file, name=_alias(i, file.name)) for i, file in enumerate(entry.files, 1)]
        renamed[entry.name] = replace(record, name=None, person=aliases.get(record.person or ""))
    return sorted(ordered, key=lambda entry: (entry.archived, entry.name)), renamed


def class_key(entries: Sequence[ReadSubmission]) -> bytes:
    """Return a key for digests of names: other classes have other digests, so nobody can look them up in a table."""
    return blake2b(b"".join(sorted(map(_contents, entries)))).digest()


def _contents(entry: ReadSubmission) -> bytes:
    """Return a digest of a submission's files, or of its fingerprints if those of files are unknown."""
    digests = sorted(file.digest for file in entry.files)
    return blake2b("".join(digests).encode()).digest() if all(digests) else entry.digest()


def anonymise_skipped(skipped: Sequence[Skipped], entries: Sequence[ReadSubmission]) -> list[Skipped]:
    """Rename skipped files, after the submissions were renamed: after those of the submission that were compared."""
    aliases, key = {entry.child: entry.name for entry in entries}, class_key(entries)
    others = {item.submission for item in skipped if item.submission} - aliases.keys()
    ordered = sorted(others, key=lambda name: _digest(name, key))
    aliases |= {child: f"work-{number}" for number, child in enumerate(ordered, 1)}
    files = Counter({entry.name: len(entry.files) for entry in entries})
    renamed = []
    for item in skipped:
        submission = aliases.get(item.submission, "")
        files[submission] += 1
        renamed.append(_renamed(item, _alias(files[submission], item.name), submission))
    return renamed


def _renamed(item: Skipped, alias: str, submission: str) -> Skipped:
    return item._replace(name=alias, reason=item.reason.replace(item.name, alias), submission=submission)


def _alias(number: int, name: str) -> str:
    """Return a file alias with a known extension only: text after a dot may be part of a name."""
    suffix = PurePosixPath(name).suffix.lower()
    return f"file-{number}{suffix if suffix[1:] in extensions() else ''}"


def _digest(text: str, key: bytes) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), key=key).digest()
