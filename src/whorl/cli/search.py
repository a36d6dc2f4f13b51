"""``whorl search``: where does this text come from?"""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from whorl.cli.options import as_option, asked, format_option, limits_options, set_limits
from whorl.cli.remote import opened, places_argument, places_of, refuse_with_server, server_options
from whorl.clustering.grouping import HitGroup, group_hits
from whorl.index.index import Index
from whorl.index.search import Hit, Hits
from whorl.matching.passage import Passage
from whorl.model import Document

if TYPE_CHECKING:
    from whorl.client.client import Client

# What only an index in a folder can do: a server reads documents under limits of its own.
_LOCAL = ("grouped", "parse_seconds", "parse_memory")


@click.command()
@places_argument("FILES")
@server_options
@click.option(
    "--limit", type=click.IntRange(min=1), default=10, show_default=True, help="Show at most this many documents."
)
@click.option(
    "--window", type=click.IntRange(min=1), help="A larger window than the index's: fewer look-ups, an estimate."
)
@click.option(
    "--look-ups", type=click.IntRange(min=1), help="Look up only so many hashes, the smallest first: an estimate."
)
@click.option("--no-passages", is_flag=True, help="Rank only.")
@click.option(
    "--group",
    "grouped",
    is_flag=True,
    help="Show near-identical documents under the best of them. The index must keep texts.",
)
@click.option("--explain", is_flag=True, help="Show what the search cost.")
@as_option
@limits_options
@format_option("table", "json")
def command(places: tuple[str, ...], as_format: str | None, form: str, explain: bool, **given: Any) -> None:
    """Find the documents in INDEX that FILES share most with; - reads standard input.

    Per document: the score; the resemblance; how much of the file the document contains; how much of the document the
    file contains; and the passages that both have.

    With --server, INDEX is left out, and the server at that address is asked. Its token is taken from the variable
    WHORL_TOKEN or from the file that --token-file names.

    \b
    Examples:
      whorl search papers.index draft.pdf
      whorl search code.index - --as java --format json < Main.java
      whorl search papers.index draft.txt --look-ups 50 --explain
      whorl search pages.index page.html --group --limit 50
      whorl search --server https://whorl.example.org draft.pdf
    """
    index, files = places_of(places, given["server"], "FILES")
    if index is None:
        refuse_with_server(*_LOCAL)
    set_limits(given["parse_seconds"], given["parse_memory"])
    documents = list(asked(files, as_format))
    options = {name: given[name] for name in ("limit", "window", "look_ups")}
    with opened(index, given) as place:
        answers = [_answer(place, each, {**options, "passages": not given["no_passages"]}, given) for each in documents]
    if form == "json":
        click.echo(json.dumps(answers, indent=1))
        return
    from whorl.cli.search_tables import print_answer

    for answer in answers:
        print_answer(answer, explain)


def _answer(
    place: "Index | Client", document: Document, options: dict[str, Any], given: dict[str, Any]
) -> dict[str, Any]:
    """What is known of a document, from an index or from a server, in the same words."""
    if not isinstance(place, Index):
        return place.search(document, **options)
    with place.reading():  # a hit that another process removes meanwhile is still there to be grouped and quoted
        hits = place.search(document, **options)
        return _as_json(place, document, hits, group_hits(place, hits) if given["grouped"] else None)


def _as_json(opened: Index, document: Document, hits: Hits, groups: list[HitGroup] | None) -> dict[str, Any]:
    told = {
        "name": document.name,
        "hits": [_hit(opened, hit, hits.text) for hit in hits],
        "cost": asdict(hits.cost),
        "notes": list(hits.notes),
    }
    return told if groups is None else {**told, "groups": [_group(found) for found in groups]}


def _group(found: HitGroup) -> dict[str, Any]:
    alike = [{"document": name, "resemblance": resemblance} for name, resemblance in _alike(found)]
    return {"document": found.hits[0].document.name, "alike": alike}


def _alike(found: HitGroup) -> list[tuple[str, float]]:
    """Those of a group that are shown under the best: the name of each, and its resemblance to the best."""
    names = [hit.document.name for hit in found.hits]
    return list(zip(names, found.resemblances, strict=True))[1:]


def _hit(opened: Index, hit: Hit, text: str) -> dict[str, Any]:
    measures = {name: getattr(hit, name) for name in ("score", "resemblance", "containment", "contained", "shared")}
    other = opened.text(hit.document.name) if hit.passages and hit.verified else None
    passages = [_passage(passage, text, other) for passage in hit.passages]
    told = {"document": hit.document.as_dict(), **measures, "others": hit.others}
    return {**told, "verified": hit.verified, "passages": passages}


def _passage(passage: Passage, text: str, other: str | None) -> dict[str, Any]:
    """A passage with the text of both sides; an index without texts has none for the right one."""
    left, right = passage.left, passage.right
    quoted = {} if other is None else {"text": other[right.start : right.end]}
    return {
        "left": {**left._asdict(), "text": text[left.start : left.end]},
        "right": {**right._asdict(), **quoted},
        "symbols": passage.symbols,
    }
