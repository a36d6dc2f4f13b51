"""``whorl sweep``: dated crawls of a collection. Find moved pages, changes, and holders of a version."""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import click
from click.core import ParameterSource

from whorl.cli.options import (
    SETTINGS,
    IntegerRange,
    NumberRange,
    echo_csv,
    format_option,
    rules_of,
    rules_options,
    scheme_of,
    scheme_options,
)
from whorl.cli.progress import stages
from whorl.clustering import MEASURES, ClusterSettings
from whorl.corpus_clustering import read_base
from whorl.errors import InputError
from whorl.formats.archives.names import printable
from whorl.formats.corpora.read import read
from whorl.formats.corpora.records import CONTACT, Columns, CorpusRecord, DigestSet, Fault, Unchanged, kinds_of_faults
from whorl.model import Document, Hashes, Skipped
from whorl.report.words import counted
from whorl.scheme import Scheme
from whorl.sweep import check_same, check_scheme, normalise
from whorl.sweep.queries import BUCKETS, GONE, MOVED, STATES
from whorl.sweep.result import (
    AddedDocuments,
    Contacts,
    ContentLikeness,
    History,
    PageCluster,
    PageLocations,
    ScreenedDocument,
    SweepChanges,
    SweepStats,
    Version,
)
from whorl.sweep.screening import DUPLICATE, NEW, OVERLAP, OVERLAPS, UNREAD
from whorl.sweep.sweep import Sweep, is_sweep

DEFAULTS = ClusterSettings()
FOLDER = click.Path(path_type=Path)
EXISTING = click.Path(path_type=Path, exists=True)

# Separates the file name and the row number in the name of a document.
ROW = ", row "


def _date(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
    if text is None:
        return None
    try:
        return normalise(text)
    except InputError as error:
        raise click.BadParameter(str(error)) from error


def _bytes(_: click.Context, __: click.Parameter, text: str) -> int:
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    number, unit = (text[:-1], units.get(text[-1:].upper(), 0)) if text[-1:].isalpha() else (text, 1)
    if not (number.isascii() and number.isdigit()) or not unit:
        raise click.BadParameter(f"{text!r} is not a size: give a number of bytes, or 500M or 2G")
    return int(number) * unit


OPTIONS = (
    click.option("--date", callback=_date, help="Date of the sweep: an ISO 8601 date or time."),
    click.option("--own-dates", is_flag=True,
                 help="Put each dated row or WARC record into the sweep of its own date, the others into --date."),
    click.option("--prefix", default="", metavar="URL",
                 help="URL of a mirrored folder: prepended to the names of its files."),
    click.option("--threshold", type=NumberRange(0, 1, min_open=True),
                 help=f"Minimum similarity of a pair (0 to 1).  [default: {DEFAULTS.threshold}]"),
    click.option("--measure", type=click.Choice(MEASURES),
                 help=f"Compare whole documents, or the smaller with the larger.  [default: {DEFAULTS.measure}]"),
    click.option("--common", type=IntegerRange(min=2),
                 help="Shingles in more documents than this propose no candidates, but still count."
                 f"  [default: {DEFAULTS.common}]"),
    click.option("--base", multiple=True, type=EXISTING, metavar="PATH",
                 help="Boilerplate, such as a licence: text that is also in it does not count. Repeatable; only when "
                 "SWEEP is created."),
    click.option("--closure", is_flag=True, default=None, help="Use connected components as clusters."),
    click.option("--memory", default="1G", show_default=True, metavar="SIZE", callback=_bytes,
                 help="Memory for sorting and verifying, such as 500M; larger data goes to disk."),
    click.option("--id", "id_column", default="id", show_default=True, help="Column of the id, in JSONL and Parquet."),
    click.option("--text", "text_column", default="text", show_default=True, help="Column of the text."),
    click.option("--url", "url_column", default="url", show_default=True,
                 help="Column of the URL. Rows without a URL use the id."),
    click.option("--date-column", default="date", show_default=True, help="Column of the date, for --own-dates."),
    click.option("--contact", "contact_column", default=CONTACT, show_default=True, help="Column of the contact."),
)  # fmt: skip


def _options(command: Any) -> Any:
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@click.group()
def command() -> None:
    """Record dated sweeps of a collection in a folder SWEEP, and find out what happened to its pages.

    A sweep is one dated crawl of the whole collection: a page that is missing from it is gone. Known content is skipped
    quickly. New content is merged into the clusters of all sweeps.

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
def add(sweep: Path, corpus: tuple[Path, ...], form: str, **options: Any) -> None:
    """Add the documents of CORPUS (folders, archives, JSONL, Parquet, WARC) to the sweep of a date.

    The first add creates SWEEP and fixes its scheme, --threshold, --measure, --common and --closure. CORPUS is added
    completely or, if the command is interrupted, not at all. You may add to the same date again, and dates in any
    order.

    \b
    Examples:
      whorl sweep add site.sweep crawl.jsonl --date 2026-01-05 --url address --contact webmaster
      whorl sweep add site.sweep mirror/ --date 2026-02-02 --prefix http://example.org/
      whorl sweep add site.sweep crawl.warc.gz --own-dates
    """
    if options["date"] is None and not options["own_dates"]:
        raise click.UsageError("Missing option '--date': give the date of the sweep, or '--own-dates'.")
    columns = Columns(
        id=options["id_column"], text=options["text_column"], url=options["url_column"], date=options["date_column"],
        contact=options["contact_column"],
    )  # fmt: skip
    seen, faults = DigestSet(), list[Fault]()
    # Raise for unreadable files before anything is created.
    items = [read(path, columns, rules_of(options), seen=seen, prefix=options["prefix"]) for path in corpus]
    with _opened(sweep, options) as opened, stages() as progress:
        documents = _documents(chain.from_iterable(items), faults)
        done = opened.add(
            documents, options["date"], own_dates=options["own_dates"], memory=options["memory"], progress=progress
        )
    _tell_added(done, faults, form)


def _opened(sweep: Path, options: dict[str, Any]) -> Sweep:
    """Open the sweeps, or create them. Raise if they were created with other settings."""
    fixed = {name: options[name] for name in ("threshold", "measure", "common", "closure") if options[name] is not None}
    scheme = scheme_of(options["scheme_name"], options)
    if not is_sweep(sweep):
        return Sweep.create(sweep, scheme, base=_base(options, scheme), **fixed)
    if options["base"]:
        raise InputError(f"--base: fixed when {sweep} was created: leave the option out, or create another store")
    opened = Sweep.open(sweep)
    try:
        check_same(opened.settings, fixed)
        source = click.get_current_context().get_parameter_source
        if any(source(name) != ParameterSource.DEFAULT for name in ("scheme_name", *SETTINGS)):
            check_scheme(opened.scheme, scheme)
    except InputError:
        opened.close()
        raise
    return opened


def _base(options: dict[str, Any], scheme: Scheme) -> Hashes:
    return read_base(options["base"], Columns(text=options["text_column"]), rules_of(options), scheme)


def _documents(items: Iterable[CorpusRecord | Fault], faults: list[Fault]) -> Iterator[Document]:
    for item in items:
        if isinstance(item, Unchanged):
            yield replace(item.page, name=f"{item.path}{ROW}{item.row}")
        elif isinstance(item, Fault):
            faults.append(item)
        else:
            # Messages about a document name its row.
            name = item.id if not item.row else f"{item.path}{ROW}{item.row}"
            yield replace(item.document, name=name, url=item.document.url or item.id)


def _tell_added(done: AddedDocuments, faults: list[Fault], form: str) -> None:
    left_out: list[dict[str, Any]] = [
        {"file": fault.path, "row": fault.row, "reason": fault.reason} for fault in faults
    ]
    left_out += [_refused(item) for item in done.skipped]
    _tell({**asdict(done), "skipped": left_out}, _added_lines(done), form)
    for kind in kinds_of_faults(left_out) if form != "json" else ():
        click.echo(printable(f"skipped: {kind}"), err=True)
    if done.skipped or any(not fault.left_out for fault in faults):
        sys.exit(1)
    if not done.documents:
        raise InputError("no documents found")


def _refused(item: Skipped) -> dict[str, str | int]:
    """Return a document that could not be read, with the row that ``_documents`` put into its name."""
    name, mark, row = item.name.rpartition(ROW)
    is_row = bool(mark) and row.isdigit()
    return {"file": name if is_row else item.name, "row": int(row) if is_row else 0, "reason": item.reason}


SCREEN_OPTIONS = (
    click.option("--add", "adds", is_flag=True, help="Add the documents that are no duplicates to SWEEP."),
    click.option("--date", metavar="DATE", callback=_date, help="With --add: date of the sweep.  [default: today]"),
    click.option("--overlap", type=NumberRange(0, 1, min_open=True), default=OVERLAP, show_default=True,
                 help="Minimum share of either document that both must have for an overlap (0 to 1)."),
    click.option("--id", "id_column", default="id", show_default=True, help="Column of the id."),
    click.option("--text", "text_column", default="text", show_default=True, help="Column of the text."),
    click.option("--url", "url_column", default="url", show_default=True,
                 help="Column of the URL. Rows without a URL use the id."),
)  # fmt: skip


def _screen_options(command: Any) -> Any:
    for option in reversed(SCREEN_OPTIONS):
        command = option(command)
    return command


@command.command()
@click.argument("sweep", type=FOLDER)
@click.argument("corpus", nargs=-1, required=True, type=EXISTING)
@_screen_options
@rules_options
@format_option("table", "json", "jsonl")
def screen(sweep: Path, corpus: tuple[Path, ...], form: str, **options: Any) -> None:
    """Say of each document of CORPUS whether it is new, a duplicate of one in SWEEP, or overlaps some.

    A duplicate reaches the threshold of SWEEP with a document in it. With --add, new documents are stored, duplicates
    are not, and each document is also compared with those before it in CORPUS. --format jsonl writes a line for each,
    with --add only when all of them are stored. Make an empty SWEEP with whorl dedup --index or whorl sweep add.

    \b
    Examples:
      whorl sweep screen seen.sweep candidates.jsonl --format jsonl
      whorl sweep screen seen.sweep shard-7.parquet --add --format jsonl > answers.jsonl
    """
    columns = Columns(id=options["id_column"], text=options["text_column"], url=options["url_column"], date=None)
    seen, faults = DigestSet(), list[Fault]()
    items = [read(path, columns, rules_of(options), seen=seen) for path in corpus]
    documents = _documents(chain.from_iterable(items), faults)
    with Sweep.open(sweep) as opened, stages() as progress, TemporaryFile("w+", encoding="utf-8") as file:
        answers = SpooledAnswers(file)
        if options["adds"]:
            when = options["date"] or datetime.now(UTC).date().isoformat()
            opened.add_new(documents, when, answers.add, overlap=options["overlap"], progress=progress)
        else:
            for answer in opened.screen(documents, overlap=options["overlap"]):
                answers.add(answer)
        answers.tell(form)
    skipped = [{"file": fault.path, "row": fault.row, "reason": fault.reason} for fault in faults]
    for kind in kinds_of_faults(skipped):
        click.echo(printable(f"skipped: {kind}"), err=True)
    if answers.counts[UNREAD] or any(not fault.left_out for fault in faults):
        sys.exit(1)
    if not answers.counts.total():
        raise InputError("no documents found")


class SpooledAnswers:
    """Answers about documents, in a file until all are known: those of an add hold only when it is complete."""

    def __init__(self, file: IO[str]) -> None:
        self._file, self.counts = file, Counter[str]()

    def add(self, answer: ScreenedDocument) -> None:
        """Note an answer."""
        self.counts[answer.state] += 1
        self._file.write(json.dumps(asdict(answer)) + "\n")

    def tell(self, form: str) -> None:
        """Print every answer, or how many there are of each kind."""
        self._file.seek(0)
        states = {"new": NEW, "duplicates": DUPLICATE, "overlaps": OVERLAPS, "unread": UNREAD}
        counts = {"documents": self.counts.total(), **{name: self.counts[state] for name, state in states.items()}}
        if form == "jsonl":
            for line in self._file:
                click.echo(line, nl=False)
        elif form == "json":
            click.echo(json.dumps({**counts, "answers": [json.loads(line) for line in self._file]}))
        else:
            click.echo(
                f"{counted(counts['documents'], 'document')}: {counts['new']:,} new, "
                f"{counted(counts['duplicates'], 'duplicate')}, "
                f"{counts['overlaps']:,} new that overlap others"
            )


@command.command()
@click.argument("sweep", type=FOLDER)
@click.argument("url")
@click.option("--as-of", metavar="DATE", callback=_date, help="Ignore sweeps after this date.")
@click.option(
    "--shown",
    metavar="DATE",
    callback=_date,
    help="Find the version that the page showed on this date, instead of its last version.",
)
@format_option("table", "json")  # fmt: skip
def find(sweep: Path, url: str, as_of: str | None, shown: str | None, form: str) -> None:
    """Find where the document that URL once showed is now.

    Lists all pages that ever showed a version of the document: the most recently seen first, then the most similar.

    \b
    Examples:
      whorl sweep find site.sweep http://example.org/lost.html
      whorl sweep find site.sweep http://example.org/sold.html --shown 2025-12-31
    """
    with Sweep.open(sweep) as opened:
        result = opened.find(url, as_of=as_of, shown=shown)
    _tell(asdict(result), _find_lines(result), form)


@command.command()
@click.argument("sweep", type=FOLDER)
@click.argument("url")
@format_option("table", "json")
def history(sweep: Path, url: str, form: str) -> None:
    """List the versions of the page at URL, and how much each changed.

    For each version: its resemblance to the previous version, the share of the previous version that it kept, and the
    share of it that was already there.

    \b
    Example:
      whorl sweep history site.sweep http://example.org/news.html
    """
    with Sweep.open(sweep) as opened:
        result = opened.history(url)
    _tell(asdict(result), _history_lines(result), form)


@command.command()
@click.argument("sweep", type=FOLDER)
@click.option(
    "--date", metavar="DATE", callback=_date, help="Sweep to compare with the one before it.  [default: the newest]"
)
@click.option(
    "--state",
    "states",
    type=click.Choice(STATES),
    multiple=True,
    default=(GONE, MOVED),
    show_default=True,
    help="Pages to list. Repeatable.",
)
@format_option("table", "json", "csv")
def changes(sweep: Path, date: str | None, states: tuple[str, ...], form: str) -> None:
    """List the pages that are gone or have moved since the previous sweep, by URL.

    A page that is gone has moved if a page that was not in the previous sweep shows a version of its document; the list
    has its address. --state also lists pages that are new, have returned, or have changed.

    \b
    Examples:
      whorl sweep changes site.sweep
      whorl sweep changes site.sweep --date 2026-02-01 --state moved --format csv > redirects.csv
      whorl sweep changes site.sweep --state new --state changed
    """
    with Sweep.open(sweep) as opened:
        result = opened.changes(date)
    result = replace(result, pages=tuple(page for page in result.pages if page.state in states))
    if form == "csv":
        echo_csv(_changes_rows(result))
    else:
        _tell(asdict(result), _changes_lines(result), form)


@command.command()
@click.argument("sweep", type=FOLDER)
@format_option("table", "json")
def stats(sweep: Path, form: str) -> None:
    """Show how often and how much pages change, and how many move, appear and disappear.

    Each sweep is compared with the previous one. A page that disappeared has moved if a new page, on the same server or
    on another, shows a version of its document.

    \b
    Example:
      whorl sweep stats site.sweep --format json
    """
    with Sweep.open(sweep) as opened:
        result = opened.stats()
    _tell({**asdict(result), "buckets": BUCKETS}, _stats_lines(result), form)


@command.command()
@click.argument("sweep", type=FOLDER)
@click.argument("copy", type=FOLDER)
def backup(sweep: Path, copy: Path) -> None:
    """Copy SWEEP to the new folder COPY. The store may stay in use.

    Questions continue; COPY has the sweeps that are complete. If another process is adding a sweep, the command waits
    for a minute. At the end COPY is checked. It is an ordinary sweep store.

    \b
    Example:
      whorl sweep backup site.sweep /backup/site-2026-11-16.sweep
    """
    with Sweep.open(sweep) as opened:
        count = opened.back_up(copy)
    click.echo(printable(f"{copy}: {counted(count, 'sweep')}, all sound"))


@command.command()
@click.argument("sweep", type=FOLDER)
def verify(sweep: Path) -> None:
    """Check SWEEP against its checksums.

    \b
    Example:
      whorl sweep verify site.sweep
    """
    with Sweep.open(sweep) as opened:
        opened.verify()
        click.echo(printable(f"{sweep}: {counted(len(opened.sweeps()), 'sweep')}, all sound"))


@command.command()
@click.argument("sweep", type=FOLDER)
@click.argument("document", metavar="URL|ID|FILE")
@format_option("table", "json")
def contacts(sweep: Path, document: str, form: str) -> None:
    """List everyone who holds a version of a document: pages, contacts, dates and similarity.

    Name the document by the URL or id of a page (its last version), or by a FILE. A file that is in no sweep is looked
    up by its shingles.

    \b
    Examples:
      whorl sweep contacts site.sweep http://example.org/ruling.html
      whorl sweep contacts site.sweep ruling.html --format json
    """
    with Sweep.open(sweep) as opened:
        result = opened.contacts(document)
    _tell(asdict(result), _contacts_lines(result), form)


@command.command()
@click.argument("sweep", type=FOLDER)
@click.argument("url")
@format_option("table", "json")
def show(sweep: Path, url: str, form: str) -> None:
    """Show the document of URL, its cluster, and the documents and URLs of the cluster.

    \b
    Example:
      whorl sweep show site.sweep http://example.org/news.html
    """
    with Sweep.open(sweep) as opened:
        result = opened.show(url)
    _tell(asdict(result), _shown_lines(result), form)


def _tell(value: dict[str, Any], lines: Iterable[str], form: str) -> None:
    click.echo(json.dumps(value) if form == "json" else "\n".join(map(printable, lines)))


# Columns that two dates with "to" between them take.
PERIOD = 24

# The counts of a sweep, and their headings.
COUNTS = {
    "pages": "pages", "new": "new", "returned": "returned", "gone": "gone", "unchanged": "unchanged",
    "changed": "changed", "moved_within": "moved within", "moved_between": "between",
}  # fmt: skip


def _added_lines(done: AddedDocuments) -> Iterator[str]:
    """Describe an add."""
    yield f"{counted(done.documents, 'document')} added, {done.contents:,} with new content"
    yield f"pages: {done.pages:,}, sweeps: {done.sweeps:,}, pairs of documents that are alike: {done.pairs:,}"


def _find_lines(result: PageLocations) -> Iterator[str]:
    """Where a document is."""
    state = f"still there on {result.newest}" if result.gone is None else f"gone on {result.gone}"
    yield f"{result.url}: shown on {result.shown}, {state}"
    for place in result.places:
        note = "  (the page itself)" if place.url == result.url else ""
        yield f"{place.last}  {_percent(place.likeness)}  {place.url}{note}"


def _history_lines(result: History) -> Iterator[str]:
    """The versions of a page."""
    for version in result.versions:
        if version.missed:
            yield f"{'':{PERIOD}}  gone for {counted(version.missed, 'sweep')}"
        yield f"{_period(version.first, version.last):{PERIOD}}  {_change(version)}"
    if result.gone is not None:
        yield f"{result.gone:{PERIOD}}  gone"


def _changes_lines(result: SweepChanges) -> Iterator[str]:
    """Each page, and where it is now."""
    counts = Counter(page.state for page in result.pages)
    summary = ", ".join(f"{count:,} {state}" for state, count in sorted(counts.items())) or "no such page"
    yield f"{result.date}, compared with {result.before}: {summary}"
    for page in result.pages:
        share = "" if page.resemblance is None else f"{page.resemblance:6.1%}  "
        yield f"{page.state:8}  {share}{page.url}"
        yield from (f"{'':8}  -> {url}" for url in page.moved_to)


def _changes_rows(result: SweepChanges) -> Iterator[list[object]]:
    """A row for each page; for a moved one, a row for each of its new addresses."""
    from whorl.comparison.export import cell  # the other commands do without it

    yield ["date", "before", "state", "url", "moved_to", "resemblance"]
    for page in result.pages:
        for target in page.moved_to or ("",):
            share = "" if page.resemblance is None else page.resemblance
            yield [result.date, result.before, page.state, cell(page.url), cell(target), share]


def _stats_lines(result: SweepStats) -> Iterator[str]:
    """All sweeps, and what holds over them."""
    widths = {name: max(8, len(title) + 2) for name, title in COUNTS.items()}
    yield "".join([f"{'sweep':20}", *(f"{title:>{widths[name]}}" for name, title in COUNTS.items())])
    for row in result.sweeps:
        yield "".join([f"{row.date:20}", *(f"{getattr(row, name):{width},}" for name, width in widths.items())])
    changes = [sum(column) for column in zip(*(row.changes for row in result.sweeps), strict=True)]
    if any(changes):
        yield ""
        yield "changed pages by their resemblance to the version before"
        for low, count in zip(BUCKETS, changes, strict=True):
            yield f"{'only the form' if low == 1 else f'{low:.0%} or more':20}{count:8,}"
    rate = "" if result.change_rate is None else f"; {result.change_rate:.1%} of visits found a change"
    yield ""
    contents, clusters = counted(result.contents, "content"), counted(result.clusters, "cluster")
    yield f"{counted(result.pages, 'page')}, {contents}, {clusters}{rate}"
    days = f"{result.mean_version_days:,.1f} days on average, a page {result.mean_page_days:,.1f}"
    yield f"a version lived {days}, at least"


def _contacts_lines(result: Contacts) -> Iterator[str]:
    """Everyone who holds a version."""
    where = "" if result.stored else " (in no sweep itself)"
    pages = counted(len(result.holders), "page holds", "pages hold")
    yield f"{result.name}{where}: {pages} a version, or held one"
    for holder in result.holders:
        until = "now" if holder.current else holder.last
        period = f"{holder.first} to {until}"
        yield f"{period:{PERIOD}}  {_percent(holder.likeness)}  {holder.contact or '-'}  {holder.url}"


def _shown_lines(result: PageCluster) -> Iterator[str]:
    """From a URL to all URLs of its cluster."""
    yield result.url
    yield f"document {result.content}"
    yield f"cluster  {result.cluster}, {counted(len(result.documents), 'document')}"
    for member in result.documents:
        yield f"  {member.content}  {_percent(member.likeness)}  {member.kind}".rstrip()
        yield from (f"    {url}" for url in member.urls)


def _change(version: Version) -> str:
    alike = version.likeness
    if alike is None:
        return "the first version"
    return (
        f"resembles {alike.resemblance:.1%}, has {alike.has:.1%} of the one before, which had {alike.within:.1%} of it"
    )


def _percent(alike: ContentLikeness) -> str:
    return f"{alike.resemblance:6.1%}"


def _period(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"
