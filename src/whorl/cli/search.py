"""``whorl search``: find the documents in an index that share text or code with a file."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from whorl.cli.options import (
    IntegerRange,
    as_option,
    format_option,
    leave,
    limits_options,
    print_each,
    print_line,
    query_columns_options,
    query_documents,
    set_limits,
)
from whorl.cli.progress import stages
from whorl.cli.remote import opened, places_argument, places_of, refuse_with_server, server_options
from whorl.clustering.query import HitGroup, group_hits
from whorl.formats.archives.names import printable
from whorl.formats.corpora.records import OptionColumns
from whorl.index.index import Index
from whorl.index.search import Hit, Hits, with_labels
from whorl.matching.passage import Passage
from whorl.model import TITLE, Document, Skipped, title_of
from whorl.report.words import counted

if TYPE_CHECKING:
    from whorl.client.client import Client

# Options without effect with --server: the server has its own limits.
_LOCAL = ("grouped", "labels", "excluded_labels", "parse_seconds", "parse_memory")


# Passages in a table, and letters of each. --format json has all.
PASSAGES = 3
LETTERS = 70

# Names of near-identical documents shown under the best of them.
NAMES = 5

# How much a document of another owner shares, as a server discloses it.
_LEVELS = {"some": "some of it", "much": "much of it", "most": "most of it"}


@click.command()
@places_argument("FILES")
@server_options
@click.option(
    "--limit", type=IntegerRange(min=1), default=10, show_default=True, help="Show at most this many documents."
)
@click.option(
    "--window",
    type=IntegerRange(min=1),
    help="Use a larger window than the index: fewer look-ups, but estimated scores.",
)
@click.option(
    "--look-ups",
    type=IntegerRange(min=1),
    help="Look up only this many hashes, smallest first: faster, but estimated scores.",
)
@click.option("--no-passages", is_flag=True, help="Rank the documents, but do not show passages.")
@click.option(
    "--group",
    "grouped",
    is_flag=True,
    help="Group near-identical documents under the best of them. The index must store texts.",
)
@click.option(
    "--label",
    "labels",
    multiple=True,
    metavar="PATTERN",
    help="Find only documents with such a label, such as 'licence=*'. Repeatable: those with the same key are "
    "alternatives, others must all be there.",
)
@click.option(
    "--exclude-label",
    "excluded_labels",
    multiple=True,
    metavar="PATTERN",
    help="Find no documents with such a label. Repeatable.",
)
@click.option("--explain", is_flag=True, help="Show the cost of the search.")
@query_columns_options
@as_option
@limits_options
@format_option("table", "json", "jsonl")
def command(places: tuple[str, ...], as_format: str | None, form: str, explain: bool, **arguments: Any) -> None:
    """Find the documents in INDEX that share text or code with FILES; - reads standard input.

    Each row of a JSONL, Parquet or WARC file is a query of its own; --format jsonl writes one line per query.

    For each document: the score, the resemblance, the share of the file that the document contains, the share of the
    document that the file contains, and the shared passages.

    With --server, leave out INDEX to search the server at that address. The token comes from the variable WHORL_TOKEN
    or from --token-file.

    \b
    Examples:
      whorl search papers.index draft.pdf
      whorl search code.index - --as java --format json < Main.java
      whorl search papers.index draft.txt --look-ups 50 --explain
      whorl search pages.index page.html --group --limit 50
      whorl search code.index Parser.java --label licence=MIT --label 'licence=BSD-*'
      whorl search papers.index drafts.jsonl --text-column body --format jsonl > hits.jsonl
      whorl search --server https://whorl.example.org draft.pdf
    """
    index, files = places_of(places, arguments["server"], "FILES")
    if index is None:
        refuse_with_server(*_LOCAL)
    set_limits(arguments["parse_seconds"], arguments["parse_memory"])
    skipped: list[Skipped] = []
    columns = OptionColumns(id=arguments["id_column"], text=arguments["text_column"])
    documents = query_documents(files, as_format, columns, skipped)
    options = {name: arguments[name] for name in ("limit", "window", "look_ups")}
    options["passages"] = not arguments["no_passages"]
    answers: list[dict[str, Any]] = []
    with opened(index, arguments) as place, stages() as progress:
        show = print_line if form == "jsonl" else answers.append
        print_each(documents, lambda each: _answer(place, each, options, arguments), show, skipped, progress)
    if form == "json":
        click.echo(json.dumps(answers, indent=1))
    for answer in answers if form == "table" else ():
        _print_answer(answer, explain)
    leave(skipped)


def _answer(
    place: "Index | Client", document: Document, options: dict[str, Any], arguments: dict[str, Any]
) -> dict[str, Any]:
    """Search an index or a server; both give the same JSON."""
    if not isinstance(place, Index):
        return place.search(document, **options)
    wanted = with_labels(arguments["labels"], arguments["excluded_labels"])
    with place.reading():  # hits stay readable even if another process removes them
        hits = place.search(document, wanted=wanted, **options)
        return _as_json(place, document, hits, group_hits(place, hits) if arguments["grouped"] else None)


def _as_json(opened: Index, document: Document, hits: Hits, groups: list[HitGroup] | None) -> dict[str, Any]:
    answer = {
        "name": document.name,
        "hits": [_hit(opened, hit, hits.text) for hit in hits],
        "cost": asdict(hits.cost),
        "notes": list(hits.notes),
    }
    return answer if groups is None else {**answer, "groups": [_group(group) for group in groups]}


def _group(group: HitGroup) -> dict[str, Any]:
    alike = [{"document": name, "resemblance": resemblance} for name, resemblance in _alike(group)]
    return {"document": group.hits[0].document.name, "alike": alike}


def _alike(group: HitGroup) -> list[tuple[str, float]]:
    """Return the other documents of a group: name, and resemblance to the best."""
    names = [hit.document.name for hit in group.hits]
    return list(zip(names, group.resemblances, strict=True))[1:]


def _hit(opened: Index, hit: Hit, text: str) -> dict[str, Any]:
    measures = {name: getattr(hit, name) for name in ("score", "resemblance", "containment", "contained", "shared")}
    other = opened.text(hit.document.name) if hit.passages and hit.verified else None
    passages = [_passage(passage, text, other) for passage in hit.passages]
    answer = {"document": hit.document.as_dict(), **measures, "others": hit.others}
    return {**answer, "verified": hit.verified, "passages": passages}


def _passage(passage: Passage, text: str, other: str | None) -> dict[str, Any]:
    """Return a passage with the text of both sides; an index without texts has no text for the right side."""
    left, right = passage.left, passage.right
    quoted = {} if other is None else {"text": other[right.start : right.end]}
    return {
        "left": {**left._asdict(), "text": text[left.start : left.end]},
        "right": {**right._asdict(), **quoted},
        "symbols": passage.symbols,
    }


def _print_answer(answer: dict[str, Any], explain: bool) -> None:
    """Print the hits of one file, each with its best passages."""
    click.secho(printable(answer["name"]), bold=True)
    for note in answer["notes"]:
        click.secho(printable(f"note: {note}"), fg="yellow")
    if explain:
        words = ", ".join(f"{name.replace('_', '-')} {value:,}" for name, value in answer["cost"].items())
        click.secho(words, dim=True)
    if not answer["hits"] and not answer.get("foreign"):
        click.echo("no document in the index shares a passage with it")
    for hit, alike in _shown(answer):
        _print_hit(hit)
        _print_alike(alike)
        _print_passages(hit)
    _print_foreign(answer.get("foreign", []))


def _shown(answer: dict[str, Any]) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Yield the hits to print, each with its near-identical documents."""
    if "groups" not in answer:
        yield from ((hit, []) for hit in answer["hits"])
        return
    by_name = {hit["document"]["name"]: hit for hit in answer["hits"]}
    yield from ((by_name[group["document"]], group["alike"]) for group in answer["groups"])


def _print_hit(hit: dict[str, Any]) -> None:
    document = hit["document"]
    more = f", who has {hit['others']:,} more" if hit["others"] else ""
    owner = f"  ({document['owner']}{more})" if document.get("owner") else ""
    shares = f"{100 * hit['score']:4.0f}%  resembles {100 * hit['resemblance']:.0f}%, "
    words = f"has {100 * hit['containment']:.0f}% of the file, {100 * hit['contained']:.0f}% of it is in the file"
    labels = document.get("labels", [])
    title = title_of(document["name"], labels, document.get("url"))
    click.echo(printable(f"{shares}{words}  {title}{owner}"))
    about = [] if title == document["name"] else [document["name"]]
    if about := [*about, *(label for label in labels if not label.startswith(TITLE))]:
        click.secho(f"       {printable(', '.join(about))}", dim=True)


def _print_alike(alike: list[dict[str, Any]]) -> None:
    if alike:
        names = ", ".join(f"{each['document']} ({100 * each['resemblance']:.0f}%)" for each in alike[:NAMES])
        more = f" and {len(alike) - NAMES:,} more" if len(alike) > NAMES else ""
        click.echo(printable(f"       and {len(alike):,} near-identical: {names}{more}"))


def _print_passages(hit: dict[str, Any]) -> None:
    passages = hit["passages"]
    if passages and not hit["verified"]:
        click.secho("       not verified: the index stores no texts", fg="yellow")
    for passage in passages[:PASSAGES]:
        left, right = passage["left"], passage["right"]
        quoted = printable(" ".join(right.get("text", "").split()))
        quoted = quoted if len(quoted) <= LETTERS else quoted[: LETTERS - 1] + "…"
        lines = f"line {left['start_line']} is line {right['start_line']}" if hit["verified"] else "somewhere"
        click.secho(f"       {passage['symbols']:6,} symbols, {lines}: {quoted}", dim=True)
    if len(passages) > PASSAGES:
        click.secho(f"       and {counted(len(passages) - PASSAGES, 'passage')} more", dim=True)


def _print_foreign(foreign: list[dict[str, str]]) -> None:
    for each in foreign:
        contact = f": ask {each['contact']}" if "contact" in each else ""
        words = _LEVELS.get(each.get("level", ""), "something of it")
        click.echo(printable(f"       a document of another owner has {words}{contact}"))
