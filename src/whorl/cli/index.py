"""``whorl index``: create an index, add and remove documents, check and back it up."""

import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import click

from whorl.cli.options import (
    THREADS,
    as_option,
    backend_options,
    columns_options,
    format_option,
    leave,
    limits_options,
    rules_of,
    rules_options,
    scheme_of,
    scheme_options,
    set_limits,
    spark_session,
)
from whorl.cli.progress import stages
from whorl.cli.remote import (
    collection_option,
    existing,
    opened,
    places_argument,
    places_of,
    refuse_with_server,
    server_options,
)
from whorl.errors import DocumentError, InputError
from whorl.formats.archives.names import RefusedFileError, printable, reason
from whorl.formats.archives.rules import Rules
from whorl.formats.corpora.read import read
from whorl.formats.corpora.records import CorpusRecord, LabelledColumns
from whorl.index.index import Index
from whorl.index.writer import Added
from whorl.model import Document, Skipped
from whorl.report.words import counted
from whorl.storage.files import TEMPORARY, fsync_folder, rename, translate_os_errors

if TYPE_CHECKING:
    from whorl.client.client import Client

# The database of a service, in the folder of an index.
SERVICE = "service.sqlite"

# The folder for intermediate results of Spark, in the folder of an index.
BETWEEN = "building"

# Documents without text that are named; the others are counted.
NAMED = 3

FOLDER = click.Path(path_type=Path)
EXISTING = click.Path(path_type=Path, exists=True)


# Separates the name of a file and the number of a row in it that was skipped.
_ROW = ", row "

# Metadata that applies to all documents of one command.
FACTS = ("url", "date", "contact", "owner", "labels")


def _facts_options(function: Any) -> Any:
    for option in reversed((
        click.option("--url", help="URL where the documents are published."),
        click.option("--date", help="Date of the documents."),
        click.option("--contact", help="Contact person or address."),
        click.option("--owner", help="Owner of the documents. Several copies by one owner count as one hit."),
        click.option("--label", "labels", multiple=True, help="Label for the documents. Can be repeated."),
        click.option("--sanctioned", is_flag=True,
                     help="Ignore matches with these documents: templates, licences, quotations."),
    )):  # fmt: skip
        function = option(function)
    return function


class _TableColumns(LabelledColumns):
    """The columns of a table of documents. Owners are read in the place of contacts."""

    def missing(self, there: set[str]) -> Iterator[str]:
        """Yield each required column that is absent, with its option here."""
        for column in super().missing(there):
            name, _, option = column.rpartition(" ")
            yield f"{name} {option.replace('contact', 'owner').replace(')', '-column)')}"


@click.group()
def command() -> None:
    """Keep an INDEX of documents: a folder that you can extend and search at any time.

    \b
    Examples:
      whorl index create papers.index --scheme text
      whorl index add papers.index papers/ --owner library
      whorl search papers.index draft.pdf
      whorl index add news.index news.jsonl --id-column key --text-column body --owner-column paper
      whorl index build crawl.index crawl/ --backend spark --master spark://host:7077
      whorl index list --server https://whorl.example.org --collection essays

    With --server, the commands add, list, remove and stats use the server at that address; leave out INDEX. The token
    comes from the variable WHORL_TOKEN or from --token-file. Document names are names within the collection.
    """


@command.command()
@click.argument("index", type=FOLDER)
@scheme_options("text")
@click.option("--no-text", is_flag=True, help="Store fingerprints only, no texts. Passages are then not verified.")
def create(index: Path, scheme_name: str, no_text: bool, **settings: Any) -> None:
    """Create an empty INDEX. Its scheme cannot be changed later. It gets its own secret key."""
    with Index.create(index, scheme_of(scheme_name, settings), text=not no_text) as created:
        click.echo(printable(f"{index}: an empty index, scheme {created.scheme.id}"))


@command.command()
@places_argument("PATHS")
@server_options
@collection_option
@_facts_options
@columns_options
@click.option("--mirror", is_flag=True,
              help="Remove documents whose files no longer exist in PATHS. Rows with an id are kept.")  # fmt: skip
@as_option
@rules_options
@limits_options
@click.option("--threads", type=THREADS, default=2, show_default=True, help="Threads that read documents.")
@format_option("table", "json")
def add(places: tuple[str, ...], as_format: str | None, form: str, **options: Any) -> None:
    """Add the documents in PATHS to INDEX: files, folders, archives, JSONL, Parquet, WARC. Replace equal names.

    Each row of a table is a document; its id is its name. A row's own URL, date and owner are used before --url, --date
    and --owner; --label adds to its labels.

    Unchanged documents are skipped quickly. Each document is added completely or not at all. Ctrl-C keeps the documents
    added so far, and the next run continues. The exit code is 1 if a document could not be read.

    With --server, files are sent over as many connections as --threads. --owner names the tenant that will own the
    documents; this needs an admin token.
    """
    index, given_paths = places_of(places, options["server"], "PATHS")
    paths = tuple(existing(path, "PATHS...") for path in given_paths)
    if index is None:
        refuse_with_server("parse_seconds", "parse_memory")
    set_limits(options["parse_seconds"], options["parse_memory"], options["threads"])
    result, seen = _AddResult(), set[str]()
    with opened(index, options) as place, stages() as progress:
        documents = _documents(paths, options, result.skipped, seen, _facts(options, as_format))
        _add(place, documents, options, result, progress)
        if options["mirror"]:
            result.states["removed"] = len(place.remove(*_gone(place, paths, seen, result.skipped)))
    _tell(result, form)


@command.command()
@click.argument("index", type=FOLDER)
@click.argument("paths", nargs=-1, required=True, type=EXISTING)
@backend_options
@click.option("--no-text", is_flag=True, help="Store fingerprints only, no texts. Passages are then not verified.")
@_facts_options
@columns_options
@scheme_options("text")
@as_option
@rules_options
@limits_options
@click.option("--threads", type=THREADS, default=2, show_default=True, help="Threads that read documents.")
@format_option("table", "json")
def build(
    index: Path, paths: tuple[Path, ...], scheme_name: str, as_format: str | None, form: str, **options: Any
) -> None:
    """Create INDEX from the documents in PATHS in one step: files, folders, archives, JSONL, Parquet, WARC.

    With --backend spark, the cluster reads the documents and writes the segments of the index. All machines must reach
    INDEX and PATHS under these names. The result is an ordinary index. Spark reads no tables: they are skipped.

    INDEX appears when it is complete: if the command is stopped or fails, there is none.
    """
    set_limits(options["parse_seconds"], options["parse_memory"], options["threads"])
    scheme = scheme_of(scheme_name, options)
    result = _AddResult()
    with _complete(index) as fresh, Index.create(fresh, scheme, text=not options["no_text"]) as place:
        if options["backend"] == "spark":
            result.states["added"] = _built(place, paths, as_format, options, result.skipped)
        else:
            documents = _documents(paths, options, result.skipped, set(), _facts(options, as_format))
            with stages() as progress:
                _add(place, documents, options, result, progress)
            place.flush()
    _tell(result, form)


@contextmanager
def _complete(folder: Path) -> Iterator[Path]:
    """Yield a folder beside the one that is wanted, and give it its name at the end. After an error nothing stays."""
    with translate_os_errors(folder, "create"):
        if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
            raise InputError(f"{folder}: already exists: choose another name, or remove it")
    place = folder.resolve()
    fresh = place.with_name(f".{place.name}.{token_hex(4)}{TEMPORARY}")
    try:
        yield fresh
        rename(fresh, folder)
        fsync_folder(place.parent)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)  # the first error is the one to report
        raise


def _built(
    place: Index, paths: tuple[Path, ...], as_format: str | None, options: dict[str, Any], skipped: list[Skipped]
) -> int:
    spark = spark_session(options["master"])
    from whorl.spark.index import build as build_on_spark

    limits = options["parse_seconds"], options["parse_memory"], 1
    between = place.folder / BETWEEN
    try:
        count, left_out = build_on_spark(
            spark, place, paths, rules_of(options), _name, stages=str(between.resolve()), text=not options["no_text"],
            sanctioned=options["sanctioned"], facts=_facts(options, as_format), ready=lambda: set_limits(*limits),
        )  # fmt: skip
    finally:
        spark.stop()
        shutil.rmtree(between, ignore_errors=True)
    skipped += left_out
    return count


def _facts(options: dict[str, Any], as_format: str | None) -> dict[str, Any]:
    return {**{name: options[name] for name in FACTS}, "format": as_format}


@dataclass
class _AddResult:
    """The number of documents in each state after adding, the documents that were skipped, and the names of those that
    have nothing to find."""

    states: Counter[str] = field(default_factory=Counter)
    skipped: list[Skipped] = field(default_factory=list)
    without_text: list[str] = field(default_factory=list)


def _add(
    place: "Index | Client", documents: Iterator[Document], options: dict[str, Any], result: _AddResult,
    progress: Callable[[str, int, int | None], object] | None,
) -> None:  # fmt: skip
    """Add documents, and note the outcome of each in ``result``."""
    added = place.add_all(documents, sanctioned=options["sanctioned"], threads=options["threads"])
    for done, outcome in enumerate(added, 1):
        if isinstance(outcome, Added):
            result.states[outcome.state] += 1
            if outcome.symbols == 0:
                result.without_text.append(outcome.name)
        else:
            result.skipped.append(outcome)
        if progress is not None:
            progress("adding", done, None)


@command.command()
@places_argument("NAMES")
@server_options
@collection_option
def remove(places: tuple[str, ...], **options: Any) -> None:
    """Remove the documents called NAMES from INDEX."""
    index, names = places_of(places, options["server"], "NAMES")
    with opened(index, options) as place:
        missing = [name for name in names if place.entry(name) is None]
        if missing:
            where = index or options["server"]
            raise DocumentError(f"{where}: no document is called {', '.join(missing)}. Nothing was removed")
        place.remove(*names)
    click.echo(f"{len(names)} removed")


@command.command("list")
@places_argument()
@server_options
@collection_option
@format_option("table", "json")
def list_(places: tuple[str, ...], form: str, **options: Any) -> None:
    """List the documents of INDEX, or of a collection on a server."""
    index, _ = places_of(places, options["server"])
    with opened(index, options) as place:
        entries = (entry.as_dict() for entry in place.entries())
        if form == "json":
            click.echo(json.dumps(list(entries), indent=1))
            return
        for entry in entries:
            owner = f"  {entry['owner']}" if "owner" in entry else ""
            click.echo(printable(f"{entry['fingerprints']:8,}  {entry['format']:10}  {entry['name']}{owner}"))


@command.command()
@places_argument()
@server_options
@format_option("table", "json")
def stats(places: tuple[str, ...], form: str, **options: Any) -> None:
    """Show the size of INDEX, or the usage of a server."""
    index, _ = places_of(places, options["server"])
    with opened(index, options) as place:
        figures = {"scheme": place.scheme.id, **asdict(place.stats())} if isinstance(place, Index) else place.stats()
    if form == "json":
        click.echo(json.dumps(figures))
        return
    for name, value in figures.items():
        click.echo(printable(f"{name:12} {value:,}" if isinstance(value, int) else f"{name:12} {value}"))


@command.command()
@click.argument("index", type=EXISTING)
def verify(index: Path) -> None:
    """Check INDEX, and the data of a service in it, against their checksums."""
    with Index.open(index) as place:
        place.verify()
        count = len(place)
    if (index / SERVICE).exists():
        from whorl.service.database import ServiceDatabase
        from whorl.service.jobs import JobQueue
        from whorl.service.workspace import JOBS_FOLDER

        with ServiceDatabase(index / SERVICE) as service:
            service.verify()
            JobQueue(service, index / JOBS_FOLDER).verify()
    click.echo(printable(f"{index}: {counted(count, 'document')}, all sound"))


@command.command()
@click.argument("index", type=EXISTING)
@click.argument("copy", type=FOLDER)
def backup(index: Path, copy: Path) -> None:
    """Copy INDEX, and the data of a service in it, to the new folder COPY. The index may stay in use.

    Searches continue; writers wait while segments are linked, or copied to another disk. At the end COPY is checked.
    It is an ordinary index.

    \b
    Example:
      whorl index backup papers.index /backup/papers-2026-11-16.index
    """
    from whorl.service.database import back_up

    count = back_up(index, copy)
    click.echo(printable(f"{copy}: {counted(count, 'document')}, all sound"))


@command.command()
@click.argument("index", type=EXISTING)
def compact(index: Path) -> None:
    """Merge all segments of INDEX into one and drop removed documents, for the fastest search."""
    with Index.open(index) as place:
        place.compact()
        click.echo(printable(f"{index}: {place.stats().segments} segment"))


@command.command()
@click.argument("index", type=EXISTING)
@click.argument("names", nargs=-1)
@format_option("table", "json")
def purge(index: Path, names: tuple[str, ...], form: str) -> None:
    """Delete all traces of removed documents, and of those called NAMES, from the files of INDEX, and check.

    Removing a document only hides it. The exit code is 1 if something is left. Stop other programs that use INDEX
    first.
    """
    with Index.open(index) as place:
        entries = {name: place.entry(name) for name in names}
        if missing := [name for name, entry in entries.items() if entry is None]:
            raise DocumentError(f"{index}: no document is called {', '.join(missing)}. Nothing was purged")
        report = place.purge(entry.id for entry in entries.values() if entry is not None)
    if form == "json":
        click.echo(json.dumps(report.as_dict(), indent=1))
    else:
        for line in report.remains:
            click.echo(printable(f"left: {line}"))
        left = "traces are left" if report.remains else "no trace is left"
        click.echo(f"{len(report.removed):,} removed; {report.searched_bytes:,} bytes searched: {left}")
    if not report.is_clean:
        sys.exit(1)


@command.command()
@click.argument("index", type=EXISTING)
@click.option("--texts", is_flag=True, help="Include the texts.")
def export(index: Path, texts: bool) -> None:
    """Print the documents of INDEX, one JSON object per line. The secret key is never printed."""
    with Index.open(index) as place, place.reading():
        for entry in place.entries():
            text = {"text": place.text(entry.name)} if texts else {}
            click.echo(json.dumps({**entry.as_dict(), **text}))


def _documents(
    paths: tuple[Path, ...], options: dict[str, Any], skipped: list[Skipped], seen: set[str], facts: dict[str, Any]
) -> Iterator[Document]:
    """Yield the documents of the paths under their names; append the others to ``skipped``."""
    for path in paths:
        try:
            for record in _records(path, options, rules_of(options), skipped):
                name = _record_name(path, record)
                if name not in seen:
                    seen.add(name)
                    yield _document(name, record.document, facts)
                elif record.row:
                    skipped.append(Skipped(name, "another document has the same id; the first one is kept"))
        except (OSError, RefusedFileError) as error:
            skipped.append(Skipped(path.as_posix(), reason(error)))


def _records(path: Path, options: dict[str, Any], rules: Rules, skipped: list[Skipped]) -> Iterator[CorpusRecord]:
    """Yield the documents of a path, rows with their labels; append the others to ``skipped``."""
    columns = _TableColumns(
        **{name: options[f"{name}_column"] for name in ("id", "text", "url", "date")},
        contact=options["owner_column"], listed=options["labels_column"], valued=options["label_columns"],
    )  # fmt: skip
    for record in read(path, columns, rules):
        if isinstance(record, CorpusRecord):
            yield record
        else:
            row = f"{_ROW}{record.row}" if record.row else ""
            skipped.append(Skipped(_name(path, record.path) + row, record.reason, expected=record.left_out))


def _document(name: str, document: Document, facts: dict[str, Any]) -> Document:
    """Return a document with the facts that hold for all; its own facts come first."""
    return replace(
        document, name=name, url=document.url or facts["url"], date=document.date or facts["date"],
        contact=facts["contact"], owner=document.contact or facts["owner"],
        labels=tuple(dict.fromkeys((*document.labels, *facts["labels"]))), format=facts["format"] or document.format,
    )  # fmt: skip


def _record_name(path: Path, record: CorpusRecord) -> str:
    """Return the name of a document: the id of a row, or else the path of its file."""
    if record.row and record.id != f"{record.path}:{record.row}":
        return record.id
    row = f":{record.row}" if record.row else ""
    return _name(path, record.path) + row


def _name(path: Path, inside: str) -> str:
    """Return the name of a document: its path, followed by its name inside a folder or an archive."""
    return path.as_posix() if path.name == inside and not path.is_dir() else f"{path.as_posix()}/{inside}"


def _gone(place: "Index | Client", paths: tuple[Path, ...], seen: set[str], skipped: list[Skipped]) -> list[str]:
    """Return the documents under the paths that no longer exist. What was skipped still exists, with all that is in it;
    an empty folder has nothing in it."""
    there = [item.name for item in skipped if not (item.name.endswith("/") and item.reason == "empty")]
    left_out = {*there, *(name.rpartition(_ROW)[0] for name in there)}
    names = [entry.name for entry in place.entries() if _is_under(entry.name, paths)]
    return [name for name in names if name not in seen and left_out.isdisjoint(_around(name))]


def _around(name: str) -> Iterator[str]:
    """Yield the name of a document, of the file that it is a row of, and of the archives and folders around it."""
    yield name
    file, _, row = name.rpartition(":")
    if row.isdecimal():
        yield file
    for place, character in enumerate(name):
        if character == "/":
            yield name[:place]
            yield name[: place + 1]


def _is_under(name: str, paths: tuple[Path, ...]) -> bool:
    return any(name == path.as_posix() or name.startswith(f"{path.as_posix()}/") for path in paths)


def _tell(result: _AddResult, form: str) -> None:
    if form == "json":
        left_out = [{"file": item.name, "reason": item.reason} for item in result.skipped]
        click.echo(json.dumps({**result.states, "skipped": left_out, "without_text": result.without_text}))
        leave(result.skipped, shown=False)
        return
    click.echo(", ".join(f"{count:,} {state}" for state, count in result.states.items()) or "nothing to add")
    if not result.states and not result.skipped:
        raise InputError("no documents found")
    if result.without_text:
        click.echo(f"note: {_without_text(result.without_text)}", err=True)
    leave(result.skipped)


def _without_text(names: list[str]) -> str:
    documents = counted(len(names), "document has", "documents have")
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    scans = ". Scanned pages need OCR first" if any(name.lower().endswith(".pdf") for name in names) else ""
    return f"{documents} no text to compare: {', '.join(map(printable, names[:NAMED]))}{more}{scans}"
