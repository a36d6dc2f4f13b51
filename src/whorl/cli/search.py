"""``whorl search``: where does this text come from?"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from whorl.cli.options import as_option, asked, format_option, limits_options, set_limits
from whorl.clustering.grouping import HitGroup, group_hits
from whorl.index.index import Index
from whorl.index.search import Hit, Hits
from whorl.matching.passage import Passage
from whorl.model import Document

# Passages and letters of each that a person reads in a table; --format json has all.
PASSAGES = 3
LETTERS = 70

# Names of near-identical documents that are shown under the best of them.
NAMES = 5


@click.command()
@click.argument("index", type=click.Path(path_type=Path, exists=True))
@click.argument("files", nargs=-1, required=True)
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
def command(index: Path, files: tuple[str, ...], as_format: str | None, form: str, explain: bool, **given: Any) -> None:
    """Find the documents in INDEX that FILES share most with; - reads standard input.

    Per document: the score; the resemblance; how much of the file the document contains; how much of the document the
    file contains; and the passages that both have.

    \b
    Examples:
      whorl search papers.index draft.pdf
      whorl search code.index - --as java --format json < Main.java
      whorl search papers.index draft.txt --look-ups 50 --explain
      whorl search pages.index page.html --group --limit 50
    """
    set_limits(given["parse_seconds"], given["parse_memory"])
    documents = list(asked(files, as_format))
    options = {"limit": given["limit"], "window": given["window"], "look_ups": given["look_ups"]}
    with Index.open(index) as opened:
        answers = []
        for document in documents:
            with opened.reading():  # a hit that another process removes meanwhile is still there to be grouped
                hits = opened.search(document, **options, passages=not given["no_passages"])
                answers.append((document, hits, group_hits(opened, hits) if given["grouped"] else None))
        if form == "json":
            click.echo(json.dumps([_as_json(opened, *answer) for answer in answers], indent=1))
            return
        for answer in answers:
            _print(opened, *answer, explain)


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


def _print(opened: Index, document: Document, hits: Hits, groups: list[HitGroup] | None, explain: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text(document.name, "bold"), soft_wrap=True)
    for note in hits.notes:
        console.print(Text(f"note: {note}", "yellow"), soft_wrap=True)
    if explain:
        told = ", ".join(f"{name.replace('_', '-')} {value:,}" for name, value in asdict(hits.cost).items())
        console.print(Text(told, "dim"), soft_wrap=True)
    if not len(hits):
        console.print("nothing in the index shares a fingerprint with it")
    for shown in [HitGroup((hit,), (1.0,)) for hit in hits] if groups is None else groups:
        _print_hit(console, shown.hits[0])
        _print_alike(console, shown)
        _print_passages(console, opened, shown.hits[0])


def _print_hit(console: Any, hit: Hit) -> None:
    from rich.text import Text

    more = f", who has {hit.others:,} more" if hit.others else ""
    owner = f"  ({hit.document.owner}{more})" if hit.document.owner else ""
    shares = f"{100 * hit.score:4.0f}%  resembles {100 * hit.resemblance:.0f}%, "
    told = f"has {100 * hit.containment:.0f}% of the file, {100 * hit.contained:.0f}% of it is in the file"
    console.print(Text(f"{shares}{told}  {hit.document.name}{owner}"), soft_wrap=True)


def _print_alike(console: Any, found: HitGroup) -> None:
    from rich.text import Text

    alike = _alike(found)
    if alike:
        names = ", ".join(f"{name} ({100 * resemblance:.0f}%)" for name, resemblance in alike[:NAMES])
        more = f" and {len(alike) - NAMES:,} more" if len(alike) > NAMES else ""
        console.print(Text(f"       and {len(alike):,} near-identical: {names}{more}"), soft_wrap=True)


def _print_passages(console: Any, opened: Index, hit: Hit) -> None:
    from rich.text import Text

    if hit.passages and not hit.verified:
        console.print(Text("       not verified: the index keeps no texts", "yellow"))
    text = opened.text(hit.document.name) if hit.passages and hit.verified else ""
    for passage in hit.passages[:PASSAGES]:
        quoted = " ".join(text[passage.right.start : passage.right.end].split())
        quoted = quoted if len(quoted) <= LETTERS else quoted[: LETTERS - 1] + "…"
        lines = f"line {passage.left.start_line} is line {passage.right.start_line}" if hit.verified else "somewhere"
        console.print(Text(f"       {passage.symbols:6,} symbols, {lines}: {quoted}", "dim"), soft_wrap=True)
    if len(hit.passages) > PASSAGES:
        console.print(Text(f"       and {len(hit.passages) - PASSAGES:,} passages more", "dim"))
