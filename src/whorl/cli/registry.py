"""``whorl registry``: Koala. Register documents, ask where a text comes from, rotate what is stored."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from whorl.cli.options import (
    SETTINGS,
    as_option,
    asked,
    format_option,
    limits_options,
    rules_of,
    rules_options,
    scheme_of,
    set_limits,
)
from whorl.cli.progress import stages
from whorl.cli.registry_output import print_changes, print_entries, print_hits, print_pairs, print_rotation
from whorl.corpus.read import read
from whorl.corpus.records import CONTACT, Columns, Fault
from whorl.corpus.seen import Seen
from whorl.errors import DocumentError, InputError, SchemeError
from whorl.model import Document, Skipped
from whorl.registry.entry import Entry
from whorl.registry.registry import Registry
from whorl.registry.rotation import due
from whorl.registry.search import THRESHOLD
from whorl.registry.texts import id_of, texts
from whorl.registry.witness import witnesses
from whorl.registry.writer import Changed
from whorl.scheme import Scheme

FOLDER = click.Path(path_type=Path)
EXISTING = click.Path(path_type=Path, exists=True)

# Days in what --older-than counts.
UNITS = {"": 1, "d": 1, "w": 7, "m": 30, "y": 365}

# What create can be told about the scheme, and what of it 0 turns off.
RECIPE = {
    "k": "Consonants in a substring.",
    "search": "Substrings that are searched for.",
    "stored": "Substrings that are stored, of those.",
    "bits": "Bits that are kept of each.",
    "letters": "First letters by which rarity is told.",
    "prolog": "Characters that are left out at the beginning; 0: none.",
    "common": "Substrings in so many documents are ignored; 0: none are.",
    "cap": "So many of them are ignored at the most; 0: any number.",
}
OFF = ("prolog", "common", "cap")


@click.group()
def command() -> None:
    """Keep a REGISTRY of documents in under 500 bytes each, and ask where a text comes from (Heintze's Koala).

    A registry keeps no texts: a few substrings of each document, drawn by a secret key and drawn again now and then,
    its id, date, address and contact.

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
        create = click.option(f"--{name}", type=click.IntRange(min=least), help=text)(create)
    return create


@command.command()
@click.argument("registry", type=FOLDER)
@click.option("--scheme", "scheme_name", default="koala", show_default=True, metavar="NAME|FILE",
              help="A preset, or a .toml or .json file with a scheme.")  # fmt: skip
@click.option("--select", type=click.Choice(["rarity", "minima", "random"]), help="How substrings are chosen.")
@_recipe_options
@format_option("table", "json")
def create(registry: Path, scheme_name: str, select: str | None, form: str, **given: int | None) -> None:
    """Make an empty REGISTRY. Its scheme is fixed for its life, and it draws a secret key of its own.

    \b
    Examples:
      whorl registry create papers.registry
      whorl registry create trial.registry --select minima --stored 200 --common 0 --cap 0
    """
    with Registry.create(registry, _scheme(scheme_name, select, given)) as made:
        told = {"registry": str(registry), "scheme": made.scheme.id, **made.scheme.as_dict()}
    print_pairs(told, form)


@command.command()
@click.argument("registry", type=EXISTING)
@click.argument("paths", nargs=-1, required=True, type=EXISTING)
@click.option("--id", "id_column", default="id", show_default=True, help="Column of JSONL and Parquet: the id.")
@click.option("--text", "text_column", default="text", show_default=True, help="The text.")
@click.option("--url", "url_column", default="url", show_default=True, help="The address.")
@click.option("--date", "date_column", default="date", show_default=True, help="The date.")
@click.option("--contact-column", default=CONTACT, show_default=True, help="Whom to write to.")
@click.option("--contact", help="Whom to write to about documents that do not say it.")
@click.option("--base-url", metavar="URL", help="Where folders and files are published: their names are put after it.")
@click.option("--of-date", metavar="DATE", help="The date of documents that do not say it.")
@as_option
@rules_options
@limits_options
@click.option("--threads", type=click.IntRange(min=1), default=2, show_default=True, help="Threads that read.")
@format_option("table", "json")
def add(registry: Path, paths: tuple[Path, ...], form: str, **given: Any) -> None:
    """Register the documents in PATHS: folders, archives, files, JSONL, Parquet, WARC. Same ids are replaced.

    The id of a file is its path as it is given; that of a row is its id. Each document is there whole or not at all;
    Ctrl-C keeps what was added.

    \b
    Examples:
      whorl registry add papers.registry papers/ --base-url https://example.org/ --contact library@example.org
      whorl registry add news.registry news.jsonl --id key --text body --contact-column editor
    """
    set_limits(given["parse_seconds"], given["parse_memory"], given["threads"])
    skipped: list[Skipped] = []
    with Registry.open(registry) as opened, stages() as progress:
        changes = opened.add_all(_documents(paths, given, skipped), threads=given["threads"])
        states = _counted(changes, skipped, "adding", progress)
    print_changes(states, skipped, form)
    if not states and not skipped:
        raise InputError("no document was found")


@command.command()
@click.argument("registry", type=EXISTING)
@click.argument("files", nargs=-1, required=True)
@click.option(
    "--limit", type=click.IntRange(min=1), default=10, show_default=True, help="Show at most so many documents."
)
@click.option("--threshold", type=click.FloatRange(0, 1, min_open=True), default=THRESHOLD, show_default=True,
              help="The least match ratio that is shown.")  # fmt: skip
@click.option("--verify", "sources", multiple=True, type=EXISTING, metavar="PATH",
              help="Texts for exact passages: index, folder, archive, table or file. Can be given again.")  # fmt: skip
@click.option("--no-count", is_flag=True, help="Do not count the search: for a registry that cannot be written to.")
@click.option("--explain", is_flag=True, help="Show what the search cost.")
@as_option
@limits_options
@format_option("table", "json")
def search(registry: Path, files: tuple[str, ...], as_format: str | None, form: str, **given: Any) -> None:
    """Find the documents in REGISTRY that FILES come from; - reads standard input.

    Per document: the match ratio, which is the share of its stored substrings that the file has; a warning if the
    lengths differ much; and with --verify the passages that both have.

    \b
    Examples:
      whorl registry search papers.registry draft.pdf
      whorl registry search papers.registry draft.txt --verify papers/ --format json
      whorl registry search papers.registry - --threshold 0.01 < draft.txt
    """
    set_limits(given["parse_seconds"], given["parse_memory"])
    documents = list(asked(files, as_format))
    sources = given["sources"]
    with Registry.open(registry) as opened:
        options = {"threshold": given["threshold"], "limit": given["limit"], "count": not given["no_count"]}
        answers = [(document, opened.search(document, **options)) for document in documents]
    shown = [(document, hits, witnesses(hits, document, sources) if sources else None) for document, hits in answers]
    print_hits(shown, form, given["explain"])


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
            raise DocumentError(f"{registry}: no document is called {', '.join(missing)}: nothing was removed")
        removed = opened.remove(*ids)
    print_pairs({"removed": len(removed)}, form)


@command.command("list")
@click.argument("registry", type=EXISTING)
@click.option("--suspicious", is_flag=True, help="Only those that are searched for unusually often.")
@format_option("table", "json")
def list_(registry: Path, suspicious: bool, form: str) -> None:
    """List the documents of REGISTRY: when their fingerprints were drawn, how often they were searched for since, and
    how often with a text less than half as long.

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
    """Show how large REGISTRY is, all told and a document.

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
              help="An index, folder, archive, table or file with the texts. Can be given again.")  # fmt: skip
@click.option("--older-than", metavar="AGE", callback=lambda *given: _days(given[2]),
              help="Those whose fingerprints are at least so old: 180d, 26w, 6m or 1y.")  # fmt: skip
@click.option("--suspicious", is_flag=True, help="Those that are searched for unusually often.")
@click.option("--limit", type=click.IntRange(min=1), help="So many at the most, the oldest first.")
@limits_options
@click.option("--threads", type=click.IntRange(min=1), default=2, show_default=True, help="Threads that read.")
@format_option("table", "json")
def rotate(registry: Path, ids: tuple[str, ...], form: str, **given: Any) -> None:
    """Draw new stored fingerprints for documents of REGISTRY: those with these IDS, those that are due, or all.

    What somebody learned about the old ones is worth nothing then. Searches go on meanwhile. A document whose text is
    not found is told, with its address and contact.

    \b
    Examples:
      whorl registry rotate papers.registry --texts papers/ --older-than 180d --limit 1000
      whorl registry rotate papers.registry --texts papers.index --suspicious
    """
    set_limits(given["parse_seconds"], given["parse_memory"], given["threads"])
    skipped: list[Skipped] = []
    with Registry.open(registry) as opened, stages() as progress:
        wanted = {entry.name: entry for entry in _wanted(opened, ids, given)}
        found = texts(given["sources"], wanted)
        left = dict(wanted)
        changes = opened.rotate(_taken(found, left), threads=given["threads"])
        states = _counted(changes, skipped, "rotating", progress)
    print_rotation(states, skipped, list(left.values()), form)


@command.command()
@click.argument("registry", type=EXISTING)
@format_option("table", "json")
def verify(registry: Path, form: str) -> None:
    """Read all of REGISTRY and check it against its checksums.

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
    """Write all fingerprints of REGISTRY into one segment: the smallest, and the fastest to search.

    \b
    Example:
      whorl registry compact papers.registry
    """
    with Registry.open(registry) as opened:
        opened.compact()
        print_pairs({"scheme": opened.scheme.id, **asdict(opened.stats())}, form)


def _scheme(name: str, select: str | None, given: dict[str, int | None]) -> Scheme:
    """The named scheme with what is given in its place; 0 turns a rule off."""
    base = scheme_of(name, dict.fromkeys(SETTINGS))
    settings = {**base.as_dict(), **({} if select is None else {"select": select})}
    settings |= {"n" if name == "search" else name: value for name, value in given.items() if value is not None}
    if settings["select"] != "rarity" and given["letters"] is None:
        settings.pop("letters", None)
    if settings.get("common") == 0 and given["cap"] is None:
        settings.pop("cap", None)
    try:
        return Scheme.from_dict({name: value for name, value in settings.items() if value != 0})
    except SchemeError as error:
        raise SchemeError([f"--{fault.replace('n: ', 'search: ', 1)}" for fault in error.faults]) from error


def _documents(paths: tuple[Path, ...], given: dict[str, Any], skipped: list[Skipped]) -> Iterator[Document]:
    """Every document of the paths under its id; what is left out is noted."""
    columns = Columns(
        id=given["id_column"], text=given["text_column"], url=given["url_column"], date=given["date_column"],
        contact=given["contact_column"],
    )  # fmt: skip
    seen = Seen()
    for path in paths:
        for record in read(path, columns, rules_of(given), seen=seen, prefix=""):
            if isinstance(record, Fault):
                row = f", row {record.row}" if record.row else ""
                skipped.append(Skipped(record.path + row, record.reason))
                continue
            document = record.document
            base = None if given["base_url"] is None or record.row else given["base_url"] + record.id
            yield replace(
                document, name=id_of(path, record), url=document.url or base, date=document.date or given["of_date"],
                contact=document.contact or given["contact"], format=given["as_format"] or document.format,
            )  # fmt: skip


def _wanted(opened: Registry, ids: tuple[str, ...], given: dict[str, Any]) -> list[Entry]:
    """The documents that are to be rotated."""
    if ids:
        found = [(name, opened.entry(name)) for name in dict.fromkeys(ids)]
        missing = [name for name, entry in found if entry is None]
        if missing:
            raise DocumentError(f"{opened.folder}: no document is called {', '.join(missing)}: nothing was rotated")
        return [entry for _, entry in found if entry is not None]
    return list(due(opened, older_than=given["older_than"], suspicious=given["suspicious"]))[: given["limit"]]


def _taken(found: Iterator[Document], left: dict[str, Entry]) -> Iterator[Document]:
    """The documents that were found, which are then no longer missing."""
    for document in found:
        left.pop(document.name, None)
        yield document


def _counted(
    changes: Iterator[Changed | Skipped],
    skipped: list[Skipped],
    stage: str,
    progress: Callable[[str, int, int | None], object] | None,
) -> Counter[str]:
    """How many documents there are in each state."""
    states: Counter[str] = Counter()
    for done, change in enumerate(changes, 1):
        if isinstance(change, Changed):
            states[change.state] += 1
        else:
            skipped.append(change)
        if progress is not None:
            progress(stage, done, None)
    return states


def _days(text: str | None) -> int | None:
    """An age in days."""
    if text is None:
        return None
    found = re.fullmatch(r"(\d{1,6})([dwmy]?)", text.strip().lower())
    if found is None:
        raise click.BadParameter(f"{text!r} is no age: give days, or one such as 180d, 26w, 6m or 1y")
    return int(found[1]) * UNITS[found[2]]
