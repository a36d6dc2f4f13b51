"""``whorl registry``: register documents, find the source of a text, rotate stored substrings (Koala)."""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from whorl.cli.options import (
    SETTINGS,
    THREADS,
    IntegerRange,
    NumberRange,
    as_option,
    format_option,
    leave,
    limits_options,
    print_each,
    query_columns_options,
    query_documents,
    rules_of,
    rules_options,
    scheme_of,
    set_limits,
)
from whorl.cli.progress import stages
from whorl.cli.registry_output import (
    SearchOutcome,
    print_changes,
    print_entries,
    print_hits,
    print_pairs,
    print_rotation,
)
from whorl.errors import DocumentError, InputError, SchemeError
from whorl.formats.archives.names import printable
from whorl.formats.corpora.read import read
from whorl.formats.corpora.records import CONTACT, Columns, DigestSet, Fault, OptionColumns
from whorl.model import Document, Skipped
from whorl.registry.reading import id_of
from whorl.registry.registry import Registry, due, rotation
from whorl.registry.search import THRESHOLD, witnesses
from whorl.registry.store import RegistryEntry
from whorl.registry.writer import Changed
from whorl.report.words import counted
from whorl.scheme import Scheme

FOLDER = click.Path(path_type=Path)
EXISTING = click.Path(path_type=Path, exists=True)

# Days in what --older-than counts.
UNITS = {"": 1, "d": 1, "w": 7, "m": 30, "y": 365}

# Scheme settings of ``create``; 0 turns off those in ``OFF``.
RECIPE = {
    "k": "Length of a substring, in consonants.",
    "search": "Number of substrings that a search draws.",
    "stored": "Number of them that are stored.",
    "bits": "Bits stored of each substring.",
    "letters": "Number of first letters that decide rarity.",
    "prolog": "Characters to skip at the beginning; 0: none.",
    "common": "Ignore substrings found in this many documents; 0: ignore none.",
    "cap": "Ignore at most this many substrings; 0: no limit.",
}
OFF = ("prolog", "common", "cap")


@click.group()
def command() -> None:
    """Keep a REGISTRY of documents in under 500 bytes each, and find the source of a text (Heintze's Koala).

    A registry stores no texts. It stores a few substrings of each document, chosen by a secret key and replaced from
    time to time, with the id, date, URL and contact.

    \b
    Examples:
      whorl registry create papers.registry
      whorl registry add papers.registry papers/ --contact library@example.org
      whorl registry search papers.registry draft.pdf --verify papers/
      whorl registry rotate papers.registry --texts papers/ --older-than 180d
    """


def _recipe_options(create: Any) -> Any:
    for name, text in reversed(RECIPE.items()):
        least = 0 if name in OFF else 1
        create = click.option(f"--{name}", type=IntegerRange(min=least), help=text)(create)
    return create


@command.command()
@click.argument("registry", type=FOLDER)
@click.option("--scheme", "scheme_name", default="koala", show_default=True, metavar="NAME|FILE",
              help="Fingerprinting scheme: a preset, or a .toml or .json file.")  # fmt: skip
@click.option("--select", type=click.Choice(["rarity", "minima", "random"]), help="How to choose the substrings.")
@_recipe_options
@format_option("table", "json")
def create(registry: Path, scheme_name: str, select: str | None, form: str, **options: int | None) -> None:
    """Create an empty REGISTRY. Its scheme cannot be changed later. It gets its own secret key.

    \b
    Examples:
      whorl registry create papers.registry
      whorl registry create trial.registry --select minima --stored 200 --common 0 --cap 0
    """
    with Registry.create(registry, _scheme(scheme_name, select, options)) as created:
        figures = {"registry": str(registry), "scheme": created.scheme.id, **created.scheme.as_dict()}
    print_pairs(figures, form)


@command.command()
@click.argument("registry", type=EXISTING)
@click.argument("paths", nargs=-1, required=True, type=EXISTING)
@click.option("--id", "id_column", default="id", show_default=True, help="Column of the id, in JSONL and Parquet.")
@click.option("--text", "text_column", default="text", show_default=True, help="Column of the text.")
@click.option("--url", "url_column", default="url", show_default=True, help="Column of the URL.")
@click.option("--date", "date_column", default="date", show_default=True, help="Column of the date.")
@click.option("--contact-column", default=CONTACT, show_default=True, help="Column of the contact.")
@click.option("--contact", help="Contact for documents without one.")
@click.option("--base-url", metavar="URL", help="URL of the published files: the name of each file is appended.")
@click.option("--of-date", metavar="DATE", help="Date for documents without one.")
@as_option
@rules_options
@limits_options
@click.option("--threads", type=THREADS, default=2, show_default=True, help="Threads that read documents.")
@format_option("table", "json")
def add(registry: Path, paths: tuple[Path, ...], form: str, **options: Any) -> None:
    """Register the documents in PATHS: folders, archives, files, JSONL, Parquet, WARC. Replace equal ids.

    The id of a file is its path as given; the id of a row is in its id column. Each document is added completely or not
    at all. Ctrl-C keeps the documents added so far. The exit code is 1 if a document could not be read.

    \b
    Examples:
      whorl registry add papers.registry papers/ --base-url https://example.org/ --contact library@example.org
      whorl registry add news.registry news.jsonl --id key --text body --contact-column editor
    """
    set_limits(options["parse_seconds"], options["parse_memory"], options["threads"])
    skipped: list[Skipped] = []
    with Registry.open(registry) as opened, stages() as progress:
        changes = opened.add_all(_documents(paths, options, skipped), threads=options["threads"])
        states = _counted(changes, skipped, progress)
    print_changes(states, skipped, form)
    if not states and not skipped:
        raise InputError("no documents found")
    if any(not item.expected for item in skipped):
        sys.exit(1)


@command.command()
@click.argument("registry", type=EXISTING)
@click.argument("files", nargs=-1, required=True)
@click.option(
    "--limit", type=IntegerRange(min=1), default=10, show_default=True, help="Show at most this many documents."
)
@click.option("--threshold", type=NumberRange(0, 1, min_open=True), default=THRESHOLD, show_default=True,
              help="Hide documents below this match ratio (0 to 1).")  # fmt: skip
@click.option("--verify", "sources", multiple=True, type=EXISTING, metavar="PATH",
              help="Show exact passages from an index, folder, archive or file. Can be repeated.")  # fmt: skip
@click.option("--no-count", is_flag=True, help="Do not count this search. Needed for a read-only registry.")
@click.option("--explain", is_flag=True, help="Show the cost of the search.")
@query_columns_options
@as_option
@limits_options
@format_option("table", "json", "jsonl")
def search(registry: Path, files: tuple[str, ...], as_format: str | None, form: str, **options: Any) -> None:
    """Find registered documents that share text with FILES; - reads standard input.

    Each row of a JSONL, Parquet or WARC file is a query of its own; --format jsonl writes one line per query.

    For each document: the match ratio (the share of its stored substrings found in the file), a warning if the lengths
    differ greatly, and with --verify the shared passages. --id-column and --text-column hold for tables of queries and
    of texts.

    \b
    Examples:
      whorl registry search papers.registry draft.pdf
      whorl registry search papers.registry draft.txt --verify papers/ --format json
      whorl registry search papers.registry - --threshold 0.01 < draft.txt
      whorl registry search papers.registry drafts.jsonl --text-column body --format jsonl > hits.jsonl
    """
    set_limits(options["parse_seconds"], options["parse_memory"])
    skipped: list[Skipped] = []
    columns = OptionColumns(id=options["id_column"], text=options["text_column"])
    documents = query_documents(files, as_format, columns, skipped)
    sources, explain = options["sources"], options["explain"]
    search_options = {"threshold": options["threshold"], "limit": options["limit"], "count": not options["no_count"]}
    answers: list[SearchOutcome] = []

    with Registry.open(registry) as opened, stages() as progress:

        def answer(document: Document) -> SearchOutcome:
            hits = opened.search(document, **search_options)
            return document, hits, witnesses(hits, document, sources, columns) if sources else None

        show = (lambda each: print_hits([each], form, explain)) if form == "jsonl" else answers.append
        print_each(documents, answer, show, skipped, progress)
    if form != "jsonl":
        print_hits(answers, form, explain)
    leave(skipped)


@command.command()
@click.argument("registry", type=EXISTING)
@click.argument("ids", nargs=-1, required=True)
@format_option("table", "json")
def remove(registry: Path, ids: tuple[str, ...], form: str) -> None:
    """Remove the documents with these IDS from REGISTRY.

    \b
    Example:
      whorl registry remove papers.registry papers/old.pdf
    """
    with Registry.open(registry) as opened:
        missing = [name for name in dict.fromkeys(ids) if opened.entry(name) is None]
        if missing:
            raise DocumentError(f"{registry}: no document is called {', '.join(missing)}. Nothing was removed")
        removed = opened.remove(*ids)
    print_pairs({"removed": len(removed)}, form)


@command.command("list")
@click.argument("registry", type=EXISTING)
@click.option("--suspicious", is_flag=True, help="List only documents that are searched unusually often.")
@format_option("table", "json")
def list_(registry: Path, suspicious: bool, form: str) -> None:
    """List the documents of REGISTRY: when their fingerprints were drawn, how often they were found since, and how
    often with a text less than half as long.

    \b
    Example:
      whorl registry list papers.registry --suspicious
    """
    with Registry.open(registry) as opened:
        entries = list(due(opened, suspicious=True)) if suspicious else list(opened.entries())
        print_entries(entries, opened.activity(), form)


@command.command()
@click.argument("registry", type=EXISTING)
@format_option("table", "json")
def stats(registry: Path, form: str) -> None:
    """Show the size of REGISTRY, in total and per document.

    \b
    Example:
      whorl registry stats papers.registry --format json
    """
    with Registry.open(registry) as opened:
        print_pairs({"scheme": opened.scheme.id, **asdict(opened.stats())}, form)


@command.command()
@click.argument("registry", type=EXISTING)
@click.argument("ids", nargs=-1)
@click.option("--texts", "sources", multiple=True, required=True, type=EXISTING, metavar="PATH",
              help="Texts of the documents: index, folder, archive, table or file. Can be repeated.")  # fmt: skip
@click.option("--older-than", metavar="AGE", callback=lambda *options: _days(options[2]),
              help="Rotate documents whose fingerprints are at least this old: 180d, 26w, 6m or 1y.")  # fmt: skip
@click.option("--suspicious", is_flag=True, help="Rotate documents that are searched unusually often.")
@click.option("--limit", type=IntegerRange(min=1),
              help="Rotate at most this many documents, oldest first. Those that have no text or a changed one do not "
              "count.")  # fmt: skip
@query_columns_options
@limits_options
@click.option("--threads", type=THREADS, default=2, show_default=True, help="Threads that read documents.")
@format_option("table", "json")
def rotate(registry: Path, ids: tuple[str, ...], form: str, **options: Any) -> None:
    """Replace the stored fingerprints of documents in REGISTRY: those with these IDS, those that are due, or all.

    Knowledge about the old fingerprints is then useless to an attacker. Searches continue meanwhile. Documents whose
    text is not found or has changed are listed with their URL and contact.

    \b
    Examples:
      whorl registry rotate papers.registry --texts papers/ --older-than 180d --limit 1000
      whorl registry rotate papers.registry --texts papers.index --suspicious
    """
    set_limits(options["parse_seconds"], options["parse_memory"], options["threads"])
    columns = OptionColumns(id=options["id_column"], text=options["text_column"])
    with Registry.open(registry) as opened, stages() as progress:
        run = rotation(opened, _wanted(opened, ids, options), options["limit"])
        result = run.run(options["sources"], options["threads"], progress, columns)
    print_rotation(result, form)


@command.command()
@click.argument("registry", type=EXISTING)
@click.argument("copy", type=click.Path(path_type=Path))
def backup(registry: Path, copy: Path) -> None:
    """Copy REGISTRY to the new folder COPY. The registry may stay in use.

    Searches continue; writers wait while segments are linked, or copied to another disk. At the end COPY is checked.
    It is an ordinary registry, and contains the secret key.

    \b
    Example:
      whorl registry backup papers.registry /backup/papers-2026-11-16.registry
    """
    with Registry.open(registry) as opened:
        count = opened.back_up(copy)
    click.echo(printable(f"{copy}: {counted(count, 'document')}, all sound"))


@command.command()
@click.argument("registry", type=EXISTING)
@format_option("table", "json")
def verify(registry: Path, form: str) -> None:
    """Check REGISTRY against its checksums.

    \b
    Example:
      whorl registry verify papers.registry
    """
    with Registry.open(registry) as opened:
        opened.verify()
        print_pairs({"registry": str(registry), "documents": len(opened), "sound": True}, form)


@command.command()
@click.argument("registry", type=EXISTING)
@format_option("table", "json")
def compact(registry: Path, form: str) -> None:
    """Merge all segments of REGISTRY into one: the smallest, and the fastest to search.

    \b
    Example:
      whorl registry compact papers.registry
    """
    with Registry.open(registry) as opened:
        opened.compact()
        print_pairs({"scheme": opened.scheme.id, **asdict(opened.stats())}, form)


def _scheme(name: str, select: str | None, options: dict[str, int | None]) -> Scheme:
    """Return the named scheme with the given settings replaced; 0 turns a rule off."""
    base = scheme_of(name, dict.fromkeys(SETTINGS))
    settings = {**base.as_dict(), **({} if select is None else {"select": select})}
    settings |= {"n" if name == "search" else name: value for name, value in options.items() if value is not None}
    if settings["select"] != "rarity" and options["letters"] is None:
        settings.pop("letters", None)
    if settings.get("common") == 0 and options["cap"] is None:
        settings.pop("cap", None)
    try:
        return Scheme.from_dict({name: value for name, value in settings.items() if value != 0})
    except SchemeError as error:
        raise SchemeError([f"--{fault.replace('n: ', 'search: ', 1)}" for fault in error.faults]) from error


def _documents(paths: tuple[Path, ...], options: dict[str, Any], skipped: list[Skipped]) -> Iterator[Document]:
    """Yield the documents of the paths under their ids; append the others to ``skipped``."""
    columns = Columns(
        id=options["id_column"], text=options["text_column"], url=options["url_column"], date=options["date_column"],
        contact=options["contact_column"],
    )  # fmt: skip
    seen = DigestSet()
    for path in paths:
        for record in read(path, columns, rules_of(options)):
            if isinstance(record, Fault):
                row = f", row {record.row}" if record.row else ""
                skipped.append(Skipped(record.path + row, record.reason, expected=record.left_out))
                continue
            name = id_of(path, record)
            if not seen.add(name):
                skipped.append(Skipped(name, "another document has the same id; the first one is kept"))
                continue
            document = record.document
            base = None if options["base_url"] is None or record.row else options["base_url"] + record.id
            yield replace(
                document, name=id_of(path, record), url=document.url or base, date=document.date or options["of_date"],
                contact=document.contact or options["contact"], format=options["as_format"] or document.format,
            )  # fmt: skip


def _wanted(opened: Registry, ids: tuple[str, ...], options: dict[str, Any]) -> list[RegistryEntry]:
    """Return the documents to rotate."""
    if ids:
        entries = [(name, opened.entry(name)) for name in dict.fromkeys(ids)]
        missing = [name for name, entry in entries if entry is None]
        if missing:
            raise DocumentError(f"{opened.folder}: no document is called {', '.join(missing)}. Nothing was rotated")
        return [entry for _, entry in entries if entry is not None]
    return list(due(opened, older_than=options["older_than"], suspicious=options["suspicious"]))


def _counted(
    changes: Iterator[Changed | Skipped],
    skipped: list[Skipped],
    progress: Callable[[str, int, int | None], object] | None,
) -> Counter[str]:
    """Count the documents by state."""
    states: Counter[str] = Counter()
    for done, change in enumerate(changes, 1):
        if isinstance(change, Changed):
            states[change.state] += 1
        else:
            skipped.append(change)
        if progress is not None:
            progress("adding", done, None)
    return states


def _days(text: str | None) -> int | None:
    """Convert an age into days."""
    if text is None:
        return None
    matched = re.fullmatch(r"(\d{1,6})([dwmy]?)", text.strip().lower())
    if matched is None:
        raise click.BadParameter(f"{text!r} is not an age: give a number of days, or 180d, 26w, 6m or 1y")
    return int(matched[1]) * UNITS[matched[2]]
