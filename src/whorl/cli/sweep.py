"""``whorl sweep``: dated sweeps over a collection. Lost and found, how pages change, who holds a version."""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from whorl.cli import sweep_tables as tables
from whorl.cli.options import SETTINGS, format_option, rules_of, rules_options, scheme_of, scheme_options
from whorl.cli.progress import stages
from whorl.clustering.settings import MEASURES, ClusterSettings
from whorl.corpus.read import read
from whorl.corpus.records import CONTACT, Columns, Fault, Record
from whorl.corpus.seen import Seen
from whorl.errors import InputError
from whorl.model import Document, Skipped
from whorl.sweeps import settings
from whorl.sweeps.changes import BUCKETS
from whorl.sweeps.dates import normal
from whorl.sweeps.place import is_store
from whorl.sweeps.result import Added
from whorl.sweeps.sweep import Sweep

DEFAULTS = ClusterSettings()
FOLDER = click.Path(path_type=Path)
EXISTING = click.Path(path_type=Path, exists=True)

# Between the name of a file and the number of a row in it, in the names of documents.
ROW = ", row "


def _date(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
    if text is None:
        return None
    try:
        return normal(text)
    except InputError as error:
        raise click.BadParameter(str(error)) from error


def _bytes(_: click.Context, __: click.Parameter, text: str) -> int:
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    number, unit = (text[:-1], units.get(text[-1:].upper(), 0)) if text[-1:].isalpha() else (text, 1)
    if not (number.isascii() and number.isdigit()) or not unit:
        raise click.BadParameter(f"{text!r} is no size: give a number of bytes, or one such as 500M or 2G")
    return int(number) * unit


OPTIONS = (
    click.option("--date", callback=_date, help="The date of the sweep: a day or a moment, as ISO 8601 writes them."),
    click.option("--own-dates", is_flag=True,
                 help="A row or WARC record that has a date belongs to the sweep of that day; the others to --date."),
    click.option("--prefix", default="", metavar="URL",
                 help="Put before names that the corpus does not give itself: the address of a mirrored folder."),
    click.option("--threshold", type=click.FloatRange(0, 1, min_open=True),
                 help=f"The least that makes two documents a pair.  [default: {DEFAULTS.threshold}]"),
    click.option("--measure", type=click.Choice(MEASURES),
                 help=f"Alike as wholes, or the smaller a part of the larger.  [default: {DEFAULTS.measure}]"),
    click.option("--common", type=click.IntRange(min=2),
                 help=f"Shingles in more documents than this are ignored.  [default: {DEFAULTS.common}]"),
    click.option("--closure", is_flag=True, default=None, help="Clusters are the plain connected components."),
    click.option("--memory", default="1G", show_default=True, metavar="SIZE", callback=_bytes,
                 help="Memory for sorting and verifying, such as 500M; more goes to the disk."),
    click.option("--id", "id_column", default="id", show_default=True, help="Column of JSONL and Parquet: the id."),
    click.option("--text", "text_column", default="text", show_default=True, help="The text."),
    click.option("--url", "url_column", default="url", show_default=True, help="The address; without one, the id is."),
    click.option("--date-column", default="date", show_default=True, help="The date, for --own-dates."),
    click.option("--contact", "contact_column", default=CONTACT, show_default=True, help="Whom to write to."),
)  # fmt: skip


def _options(command: Any) -> Any:
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@click.group()
def command() -> None:
    """Keep dated sweeps over a collection in a folder SWEEP, and ask what became of its pages.

    A sweep is one dated pass over the whole collection: a page that is not in it is gone. Content that was seen before
    costs one digest; what is new is merged into the clusters of all that was ever seen.

    \b
    Examples:
      whorl sweep add site.sweep crawl-january.jsonl --date 2026-01-05
      whorl sweep add site.sweep crawl-february.warc.gz --date 2026-02-02
      whorl sweep find site.sweep http://example.org/lost.html
      whorl sweep history site.sweep http://example.org/news.html
      whorl sweep stats site.sweep
      whorl sweep contacts site.sweep ruling.html
    """


@command.command()
@click.argument("sweep", type=FOLDER)
@click.argument("corpus", nargs=-1, required=True, type=EXISTING)
@_options
@scheme_options("pages")
@rules_options
@format_option("table", "json")
def add(sweep: Path, corpus: tuple[Path, ...], form: str, **given: Any) -> None:
    """Add the documents of CORPUS (folders, archives, JSONL, Parquet, WARC) to the sweep of a date.

    SWEEP is made if it is not there; its scheme, --threshold, --measure, --common and --closure are fixed then. All of
    CORPUS is added or, if the command is stopped, nothing. The same date may be added to again, and dates may come in
    any order.

    \b
    Examples:
      whorl sweep add site.sweep crawl.jsonl --date 2026-01-05 --url address --contact webmaster
      whorl sweep add site.sweep mirror/ --date 2026-02-02 --prefix http://example.org/
      whorl sweep add site.sweep crawl.warc.gz --own-dates
    """
    if given["date"] is None and not given["own_dates"]:
        raise click.UsageError("Missing option '--date': the date of the sweep (or '--own-dates').")
    columns = Columns(
        id=given["id_column"], text=given["text_column"], url=given["url_column"], date=given["date_column"],
        contact=given["contact_column"],
    )  # fmt: skip
    seen, faults = Seen(), list[Fault]()
    # What cannot be read at all is told before anything is made.
    items = [read(path, columns, rules_of(given), seen=seen, prefix=given["prefix"]) for path in corpus]
    with _opened(sweep, given) as opened, stages() as progress:
        documents = _documents(chain.from_iterable(items), faults)
        done = opened.add(
            documents, given["date"], own_dates=given["own_dates"], memory=given["memory"], progress=progress
        )
    _tell_added(done, faults, form)


def _opened(sweep: Path, given: dict[str, Any]) -> Sweep:
    """The store, made if it is not there; one that is there must have been made with what is asked for."""
    fixed = {name: given[name] for name in ("threshold", "measure", "common", "closure") if given[name] is not None}
    scheme = scheme_of(given["scheme_name"], given)
    if not is_store(sweep):
        return Sweep.create(sweep, scheme, **fixed)
    opened = Sweep.open(sweep)
    try:
        settings.check_same(opened.settings, fixed)
        source = click.get_current_context().get_parameter_source
        if any(source(name) != ParameterSource.DEFAULT for name in ("scheme_name", *SETTINGS)):
            settings.check_scheme(opened.scheme, scheme)
    except InputError:
        opened.close()
        raise
    return opened


def _documents(items: Iterable[Record | Fault], faults: list[Fault]) -> Iterator[Document]:
    for item in items:
        if isinstance(item, Fault):
            faults.append(item)
        else:
            # What is wrong with a document is told with its row.
            name = item.id if not item.row else f"{item.path}{ROW}{item.row}"
            yield replace(item.document, name=name, url=item.document.url or item.id)


def _tell_added(done: Added, faults: list[Fault], form: str) -> None:
    left_out: list[dict[str, Any]] = [
        {"file": fault.path, "row": fault.row, "reason": fault.reason} for fault in faults
    ]
    left_out += [_refused(item) for item in done.skipped]
    _tell({**asdict(done), "skipped": left_out}, tables.added(done), form)
    for item in left_out if form != "json" else ():
        row = f", row {item['row']}" if item["row"] else ""
        click.echo(f"left out: {item['file']}{row}: {item['reason']}", err=True)
    if done.skipped or any(not fault.left_out for fault in faults):
        sys.exit(1)
    if not done.documents:
        raise InputError("no document was found")


def _refused(item: Skipped) -> dict[str, str | int]:
    """A document that could not be read, with the row that ``_documents`` put into its name."""
    name, mark, row = item.name.rpartition(ROW)
    is_row = bool(mark) and row.isdigit()
    return {"file": name if is_row else item.name, "row": int(row) if is_row else 0, "reason": item.reason}


@command.command()
@click.argument("sweep", type=FOLDER)
@click.argument("url")
@click.option("--as-of", metavar="DATE", callback=_date, help="Leave out what was seen after this date.")
@click.option(
    "--shown",
    metavar="DATE",
    callback=_date,
    help="Ask for what the page showed on this date, or last before it, and not for what it showed last.",
)
@format_option("table", "json")  # fmt: skip
def find(sweep: Path, url: str, as_of: str | None, shown: str | None, form: str) -> None:
    """Lost and found: the newest places of what URL once showed.

    Of all pages that ever showed a version of that document, those that were seen last come first, then those that are
    most like what is lost.

    \b
    Examples:
      whorl sweep find site.sweep http://example.org/lost.html
      whorl sweep find site.sweep http://example.org/sold.html --shown 2025-12-31
    """
    with Sweep.open(sweep) as opened:
        found = opened.find(url, as_of=as_of, shown=shown)
    _tell(asdict(found), tables.found(found), form)


@command.command()
@click.argument("sweep", type=FOLDER)
@click.argument("url")
@format_option("table", "json")
def history(sweep: Path, url: str, form: str) -> None:
    """The versions of the page at URL, and how much each is like the one before.

    Of each version: its resemblance to the one before, how much of that one it has, and how much of it was in that one
    already.

    \b
    Example:
      whorl sweep history site.sweep http://example.org/news.html
    """
    with Sweep.open(sweep) as opened:
        told = opened.history(url)
    _tell(asdict(told), tables.history(told), form)


@command.command()
@click.argument("sweep", type=FOLDER)
@format_option("table", "json")
def stats(sweep: Path, form: str) -> None:
    """How often and how much pages change, and how many move, appear and die.

    Each sweep is told against the one before it. A page that is gone has moved if a page that was not there before
    shows a version of its document: on the same server, or on another.

    \b
    Example:
      whorl sweep stats site.sweep --format json
    """
    with Sweep.open(sweep) as opened:
        told = opened.stats()
    _tell({**asdict(told), "buckets": BUCKETS}, tables.stats(told), form)


@command.command()
@click.argument("sweep", type=FOLDER)
@click.argument("document", metavar="URL|ID|FILE")
@format_option("table", "json")
def contacts(sweep: Path, document: str, form: str) -> None:
    """Everyone who holds a version of a document: pages, contacts, dates, and how alike.

    The document is what a page showed last, by its URL or id, or a FILE. A file that no sweep saw is looked up by its
    shingles.

    \b
    Examples:
      whorl sweep contacts site.sweep http://example.org/ruling.html
      whorl sweep contacts site.sweep ruling.html --format json
    """
    with Sweep.open(sweep) as opened:
        told = opened.contacts(document)
    _tell(asdict(told), tables.contacts(told), form)


@command.command()
@click.argument("sweep", type=FOLDER)
@click.argument("url")
@format_option("table", "json")
def show(sweep: Path, url: str, form: str) -> None:
    """The document of URL, its cluster, the documents of the cluster, and their URLs.

    \b
    Example:
      whorl sweep show site.sweep http://example.org/news.html
    """
    with Sweep.open(sweep) as opened:
        told = opened.show(url)
    _tell(asdict(told), tables.shown(told), form)


def _tell(value: dict[str, Any], lines: Iterable[str], form: str) -> None:
    click.echo(json.dumps(value) if form == "json" else "\n".join(lines))
