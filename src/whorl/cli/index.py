"""``whorl index``: make an index, add and remove documents, look after it."""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whorl.cli.options import (
    as_option,
    backend_options,
    format_option,
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
from whorl.collection.rules import Rules
from whorl.collection.walk import walk
from whorl.errors import DocumentError, InputError
from whorl.index.index import Index
from whorl.index.writer import Added
from whorl.model import Document, Skipped

if TYPE_CHECKING:
    from whorl.client.client import Client

# Within the folder of an index that is built on Spark: what lies between its stages.
BETWEEN = "building"

FOLDER = click.Path(path_type=Path)
EXISTING = click.Path(path_type=Path, exists=True)


# What can be said of all documents that come together.
FACTS = ("url", "date", "contact", "owner", "labels")


def _facts_options(function: Any) -> Any:
    for option in reversed((
        click.option("--url", help="Where the documents are published."),
        click.option("--date", help="Their date."),
        click.option("--contact", help="Whom to ask about them."),
        click.option("--owner", help="Whose they are: one owner's copies of a text count once."),
        click.option("--label", "labels", multiple=True, help="A word about them. Can be given again."),
        click.option("--sanctioned", is_flag=True,
                     help="What stands in them is no evidence: templates, licences, quotations."),
    )):  # fmt: skip
        function = option(function)
    return function


@click.group()
def command() -> None:
    """Keep fingerprints of documents in an INDEX: a folder that can be asked, changed and asked again for years.

    \b
    Examples:
      whorl index create papers.index --scheme text
      whorl index add papers.index papers/ --owner library
      whorl search papers.index draft.pdf
      whorl index build crawl.index crawl/ --backend spark --master spark://host:7077
      whorl index list --server https://whorl.example.org --collection essays

    With --server, add, list, remove and stats leave INDEX out and ask the server at that address. Its token is taken
    from the variable WHORL_TOKEN or from the file that --token-file names. Names are those within the collection.
    """


@command.command()
@click.argument("index", type=FOLDER)
@scheme_options("text")
@click.option("--no-text", is_flag=True, help="Keep fingerprints only: passages are then told, but not verified.")
def create(index: Path, scheme_name: str, no_text: bool, **settings: Any) -> None:
    """Make an empty INDEX. Its scheme is fixed for its life, and it draws a secret key of its own."""
    with Index.create(index, scheme_of(scheme_name, settings), text=not no_text) as made:
        click.echo(f"{index}: an empty index, scheme {made.scheme.id}")


@command.command()
@places_argument("PATHS")
@server_options
@collection_option
@_facts_options
@click.option("--mirror", is_flag=True, help="Remove documents of these PATHS that are gone.")
@as_option
@rules_options
@limits_options
@click.option("--threads", type=click.IntRange(min=1), default=2, show_default=True, help="Threads that read.")
@format_option("table", "json")
def add(places: tuple[str, ...], as_format: str | None, form: str, **given: Any) -> None:
    """Add the documents in PATHS (files, folders, archives) to INDEX, or replace those of the same names.

    What did not change costs one hash. Each document is there whole or not at all; Ctrl-C keeps what was added, and the
    next run goes on. With --server, files are sent as they are, on as many connections as --threads says; --owner is
    the tenant to whom they are to belong, which only an admin's token may choose.
    """
    index, given_paths = places_of(places, given["server"], "PATHS")
    paths = tuple(existing(path, "PATHS...") for path in given_paths)
    if index is None:
        refuse_with_server("parse_seconds", "parse_memory")
    set_limits(given["parse_seconds"], given["parse_memory"], given["threads"])
    states: Counter[str] = Counter()
    skipped: list[Skipped] = []
    seen: set[str] = set()
    with opened(index, given) as place, stages() as progress:
        documents = _documents(paths, rules_of(given), skipped, seen, _facts(given, as_format))
        _add(place, documents, given, states, skipped, progress)
        if given["mirror"]:
            states["removed"] = len(place.remove(*_gone(place, paths, seen, skipped)))
    _tell(states, skipped, form)


@command.command()
@click.argument("index", type=FOLDER)
@click.argument("paths", nargs=-1, required=True, type=EXISTING)
@backend_options
@click.option("--no-text", is_flag=True, help="Keep fingerprints only: passages are then told, but not verified.")
@_facts_options
@scheme_options("text")
@as_option
@rules_options
@limits_options
@click.option("--threads", type=click.IntRange(min=1), default=2, show_default=True, help="Threads that read.")
@format_option("table", "json")
def build(
    index: Path, paths: tuple[Path, ...], scheme_name: str, as_format: str | None, form: str, **given: Any
) -> None:
    """Make INDEX of the documents in PATHS (files, folders, archives) at once: create and add in one.

    On Spark, tasks read the documents and write the index's segments, one range of hashes each. INDEX and PATHS must
    be reached under these names by all machines. What comes out is an index like any other.
    """
    set_limits(given["parse_seconds"], given["parse_memory"], given["threads"])
    scheme = scheme_of(scheme_name, given)
    states: Counter[str] = Counter()
    skipped: list[Skipped] = []
    with Index.create(index, scheme, text=not given["no_text"]) as place:
        if given["backend"] == "spark":
            states["added"] = _built(place, paths, as_format, given, skipped)
        else:
            documents = _documents(paths, rules_of(given), skipped, set(), _facts(given, as_format))
            with stages() as progress:
                _add(place, documents, given, states, skipped, progress)
            place.flush()
    _tell(states, skipped, form)


def _built(
    place: Index, paths: tuple[Path, ...], as_format: str | None, given: dict[str, Any], skipped: list[Skipped]
) -> int:
    spark = spark_session(given["master"])
    from whorl.backends.spark.index import build as build_on_spark

    limits = given["parse_seconds"], given["parse_memory"], 1
    between = place.folder / BETWEEN
    try:
        count, left_out = build_on_spark(
            spark, place, paths, rules_of(given), _name, stages=str(between.resolve()), text=not given["no_text"],
            sanctioned=given["sanctioned"], facts=_facts(given, as_format), ready=lambda: set_limits(*limits),
        )  # fmt: skip
    finally:
        spark.stop()
        shutil.rmtree(between, ignore_errors=True)
    skipped += left_out
    return count


def _facts(given: dict[str, Any], as_format: str | None) -> dict[str, Any]:
    return {**{name: given[name] for name in FACTS}, "format": as_format}


def _add(
    place: "Index | Client", documents: Iterator[Document], given: dict[str, Any], states: Counter[str],
    skipped: list[Skipped], progress: Callable[[str, int, int | None], object] | None,
) -> None:  # fmt: skip
    """Add documents; what became of each is noted."""
    added = place.add_all(documents, sanctioned=given["sanctioned"], threads=given["threads"])
    for done, found in enumerate(added, 1):
        if isinstance(found, Added):
            states[found.state] += 1
        else:
            skipped.append(found)
        if progress is not None:
            progress("adding", done, None)


@command.command()
@places_argument("NAMES")
@server_options
@collection_option
def remove(places: tuple[str, ...], **given: Any) -> None:
    """Remove the documents called NAMES from INDEX."""
    index, names = places_of(places, given["server"], "NAMES")
    with opened(index, given) as place:
        missing = [name for name in names if place.entry(name) is None]
        if missing:
            where = index or given["server"]
            raise DocumentError(f"{where}: no document is called {', '.join(missing)}: nothing was removed")
        place.remove(*names)
    click.echo(f"{len(names)} removed")


@command.command("list")
@places_argument()
@server_options
@collection_option
@format_option("table", "json")
def list_(places: tuple[str, ...], form: str, **given: Any) -> None:
    """List the documents of INDEX, or those of a server's collection."""
    index, _ = places_of(places, given["server"])
    with opened(index, given) as place:
        entries = (entry.as_dict() for entry in place.entries())
        if form == "json":
            click.echo(json.dumps(list(entries), indent=1))
            return
        for entry in entries:
            owner = f"  {entry['owner']}" if "owner" in entry else ""
            click.echo(f"{entry['fingerprints']:8,}  {entry['format']:10}  {entry['name']}{owner}")


@command.command()
@places_argument()
@server_options
@format_option("table", "json")
def stats(places: tuple[str, ...], form: str, **given: Any) -> None:
    """Show how large INDEX is, or what a server tells of itself."""
    index, _ = places_of(places, given["server"])
    with opened(index, given) as place:
        told = {"scheme": place.scheme.id, **asdict(place.stats())} if isinstance(place, Index) else place.stats()
    if form == "json":
        click.echo(json.dumps(told))
        return
    for name, value in told.items():
        click.echo(f"{name:12} {value:,}" if isinstance(value, int) else f"{name:12} {value}")


@command.command()
@click.argument("index", type=EXISTING)
def verify(index: Path) -> None:
    """Read all of INDEX and check it against its checksums."""
    with Index.open(index) as place:
        place.verify()
        click.echo(f"{index}: {len(place):,} documents, all sound")


@command.command()
@click.argument("index", type=EXISTING)
def compact(index: Path) -> None:
    """Write all fingerprints of INDEX into one segment, without what was removed: the fastest to search."""
    with Index.open(index) as place:
        place.compact()
        click.echo(f"{index}: {place.stats().segments} segment")


@command.command()
@click.argument("index", type=EXISTING)
@click.option("--texts", is_flag=True, help="With the texts.")
def export(index: Path, texts: bool) -> None:
    """Print the documents of INDEX, one JSON object a line. The secret key is never printed."""
    with Index.open(index) as place, place.reading():
        for entry in place.entries():
            text = {"text": place.text(entry.name)} if texts else {}
            click.echo(json.dumps({**entry.as_dict(), **text}))


def _documents(
    paths: tuple[Path, ...], rules: Rules, skipped: list[Skipped], seen: set[str], facts: dict[str, Any]
) -> Iterator[Document]:
    """Every document of the paths under the name that it has from here; what is left out is noted."""
    for path in paths:
        for item in walk(path, rules):
            name = _name(path, item.name)
            if isinstance(item, Skipped):
                skipped.append(Skipped(name, item.reason))
            elif name not in seen:
                seen.add(name)
                yield Document(name, item.content, **facts)


def _name(path: Path, inside: str) -> str:
    """A file's own path; for what is in a folder or an archive, the path with the name in it."""
    return path.as_posix() if path.name == inside and not path.is_dir() else f"{path.as_posix()}/{inside}"


def _gone(place: "Index | Client", paths: tuple[Path, ...], seen: set[str], skipped: list[Skipped]) -> list[str]:
    """The documents of the paths that are no longer there. What is there but was left out now, a file or all of a
    folder, is not gone."""
    left_out = {item.name for item in skipped}
    folders = tuple(name for name in left_out if name.endswith("/"))
    names = [entry.name for entry in place.entries() if _is_under(entry.name, paths)]
    return [name for name in names if name not in seen and name not in left_out and not name.startswith(folders)]


def _is_under(name: str, paths: tuple[Path, ...]) -> bool:
    return any(name == path.as_posix() or name.startswith(f"{path.as_posix()}/") for path in paths)


def _tell(states: Counter[str], skipped: list[Skipped], form: str) -> None:
    if form == "json":
        left_out = [{"file": item.name, "reason": item.reason} for item in skipped]
        click.echo(json.dumps({**states, "skipped": left_out}))
        return
    click.echo(", ".join(f"{count:,} {state}" for state, count in states.items()) or "nothing to add")
    for item in skipped:
        click.echo(f"left out: {item.name}: {item.reason}", err=True)
    if not states and not skipped:
        raise InputError("no document was found")
