"""``whorl cluster``: near-duplicates of a whole collection."""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from whorl.cli.options import format_option, rules_of, rules_options, scheme_of, scheme_options
from whorl.cli.progress import stages
from whorl.clustering.cluster import cluster
from whorl.clustering.result import Clustering
from whorl.clustering.settings import MEASURES, ClusterSettings
from whorl.corpus.parquet import DOCUMENTS, PAIRS, write_table
from whorl.corpus.read import read
from whorl.corpus.records import Columns, Fault
from whorl.corpus.seen import Seen
from whorl.errors import InputError
from whorl.model import Document

DEFAULTS = ClusterSettings()
EXISTING = click.Path(path_type=Path, exists=True)

OPTIONS = (
    click.option("-o", "--out", required=True, type=click.Path(path_type=Path),
                 help="The folder that gets documents.parquet, pairs.parquet, keep.txt and summary.json."),
    click.option("--threshold", type=click.FloatRange(0, 1, min_open=True), default=DEFAULTS.threshold,
                 show_default=True, help="The least that makes two documents a pair."),
    click.option("--measure", type=click.Choice(MEASURES), default=DEFAULTS.measure, show_default=True,
                 help="Alike as wholes, or the smaller a part of the larger."),
    click.option("--common", type=click.IntRange(min=2), default=DEFAULTS.common, show_default=True,
                 help="Shingles in more documents than this are ignored: forms, licences, navigation."),
    click.option("--estimate", is_flag=True, help="Trust the sketches, and verify nothing."),
    click.option("--closure", is_flag=True,
                 help="The plain connected components. By default members must be a pair with their representative."),
    click.option("--memory", default="1G", show_default=True, metavar="SIZE", callback=lambda *given: _bytes(given[2]),
                 help="Memory for sorting, such as 500M; more goes to the disk."),
    click.option("--id", "id_column", default="id", show_default=True, help="Column of JSONL and Parquet: the id."),
    click.option("--text", "text_column", default="text", show_default=True, help="The text."),
    click.option("--url", "url_column", default="url", show_default=True, help="The address."),
    click.option("--date", "date_column", default="date", show_default=True, help="The date."),
)  # fmt: skip


def _options(command: Any) -> Any:
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@click.command()
@click.argument("corpus", nargs=-1, required=True, type=EXISTING)
@_options
@scheme_options("web")
@rules_options
@format_option("table", "json")
def command(corpus: tuple[Path, ...], out: Path, form: str, **given: Any) -> None:
    """Group the documents of CORPUS (folders, archives, JSONL, Parquet, WARC) into clusters of near-duplicates.

    The four phases of Broder, Glassman, Manasse and Zweig: sketch, sort, count pairs, join. What the sketches find is
    verified on all shingles.

    \b
    Examples:
      whorl cluster pages/ -o clusters/
      whorl cluster corpus.jsonl --id doc_id --text body -o clusters/
      whorl cluster papers/ --measure containment --threshold 0.8 -o clusters/
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out}: there is something in it: choose another folder, or empty it")
    columns = Columns(
        id=given["id_column"], text=given["text_column"], url=given["url_column"], date=given["date_column"]
    )
    settings = {name: given[name] for name in ("threshold", "measure", "common", "estimate", "closure", "memory")}
    scheme = scheme_of(given.pop("scheme_name"), given)
    faults: list[Fault] = []
    facts: dict[str, tuple[str | None, str | None]] = {}
    out.mkdir(parents=True, exist_ok=True)
    with stages() as progress:
        documents = _documents(corpus, columns, rules_of(given), faults, facts)
        found = cluster(documents, scheme, folder=out, progress=progress, **settings)
    told = _written(found, out, facts)
    _show(told, found, faults, form)


def _documents(
    corpus: tuple[Path, ...], columns: Columns, rules: Any, faults: list[Fault],
    facts: dict[str, tuple[str | None, str | None]],
) -> Iterator[Document]:  # fmt: skip
    seen = Seen()
    for path in corpus:
        for item in read(path, columns, rules, seen=seen, prefix=f"{path.name}/" if len(corpus) > 1 else ""):
            if isinstance(item, Fault):
                faults.append(item)
            else:
                facts[item.id] = item.document.url, item.document.date
                yield replace(item.document, name=item.id)


def _written(found: Clustering, out: Path, facts: dict[str, tuple[str | None, str | None]]) -> dict[str, Any]:
    """The files of the folder, and what is said of them."""
    members = found.members
    write_table(
        out / "documents.parquet",
        {
            **{name: [getattr(member, name) for member in members] for name in list(DOCUMENTS)[:5]},
            "url": [facts[member.id][0] for member in members],
            "date": [facts[member.id][1] for member in members],
        },
        DOCUMENTS,
    )
    ids = [member.id for member in members]
    pairs = found.pairs
    write_table(
        out / "pairs.parquet",
        {
            "left": [ids[number] for number in pairs.left.tolist()],
            "right": [ids[number] for number in pairs.right.tolist()],
            **{name: getattr(pairs, name) for name in list(PAIRS)[2:]},
        },
        PAIRS,
    )
    kept = [member.id for member in members if member.id == member.representative]
    (out / "keep.txt").write_text("".join(f"{name}\n" for name in kept), "utf-8", "surrogateescape")
    clusters = found.clusters()
    told = {
        "scheme": found.scheme.id,
        "documents": len(members),
        "clusters": len(clusters),
        "in_clusters": sum(map(len, clusters)),
        "largest": len(clusters[0]) if clusters else 0,
        "kept": len(kept),
        "pairs": len(pairs),
        "common_shingles": found.common,
        "kinds": dict(Counter(member.kind for member in members)),
    }
    (out / "summary.json").write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    return told


def _show(told: dict[str, Any], found: Clustering, faults: list[Fault], form: str) -> None:
    wrong = [fault for fault in faults if not fault.left_out]
    left_out = [{"file": fault.path, "row": fault.row, "reason": fault.reason} for fault in faults]
    left_out += [{"file": item.name, "row": 0, "reason": item.reason} for item in found.skipped]
    if form == "json":
        click.echo(json.dumps({**told, "skipped": left_out}))
    else:
        click.echo(
            f"{told['documents']:,} documents: {told['clusters']:,} clusters with {told['in_clusters']:,} of them, the "
            f"largest of {told['largest']:,}; {told['kept']:,} to keep; {told['pairs']:,} pairs"
        )
        for item in left_out:
            row = f", row {item['row']}" if item["row"] else ""
            click.echo(f"left out: {item['file']}{row}: {item['reason']}", err=True)
    if wrong or found.skipped:
        sys.exit(1)


def _bytes(text: str) -> int:
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    number, unit = (text[:-1], units.get(text[-1:].upper(), 0)) if text[-1:].isalpha() else (text, 1)
    if not number.isdigit() or not unit:
        raise click.BadParameter(f"{text!r} is no size: give a number of bytes, or one such as 500M or 2G")
    return int(number) * unit
