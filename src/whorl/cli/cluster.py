"""``whorl cluster``: near-duplicates of a whole collection, and questions about them."""

import json
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import click

from whorl.cli.options import (
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
from whorl.clustering.features import Features
from whorl.clustering.measuring import Measured
from whorl.clustering.output import KEEPS, write, write_pairs
from whorl.clustering.records import Item, Texts
from whorl.clustering.result import Clustering
from whorl.clustering.run import SKETCH, Progress, Run
from whorl.clustering.settings import MEASURES, THRESHOLDS, ClusterSettings
from whorl.collection.rules import Rules
from whorl.corpus.parquet import check_arrow
from whorl.corpus.read import read_sheets, size
from whorl.corpus.records import Columns, Fault, Record
from whorl.corpus.seen import Seen
from whorl.corpus.sheets import Sheet
from whorl.errors import InputError
from whorl.scheme import Scheme

DEFAULTS = ClusterSettings()
EXISTING = click.Path(path_type=Path, exists=True)

# Within the folder of the result: what the phases left, so that a run goes on, and another threshold is quick.
PHASES = "phases"

OPTIONS = (
    click.option("-o", "--out", required=True, type=click.Path(path_type=Path),
                 help="The folder of the result: documents.parquet, pairs.parquet, keep.txt, summary.html and .json."),
    click.option("--measure", type=click.Choice(MEASURES), default=DEFAULTS.measure, show_default=True,
                 help="Alike as wholes, or the smaller a part of the larger."),
    click.option("--threshold", type=click.FloatRange(0, 1, min_open=True),
                 help="The least that makes two documents a pair.  [default: "
                 + ", ".join(f"{least} for {measure}" for measure, least in THRESHOLDS.items()) + "]"),
    click.option("--common", type=click.IntRange(min=2), default=DEFAULTS.common, show_default=True,
                 help="Shingles in more documents than this are ignored: forms, licences, navigation."),
    click.option("--super-shingles", is_flag=True,
                 help="Look only at documents that share a super shingle: quicker, for documents that are much alike."),
    click.option("--estimate", is_flag=True, help="Trust the sketches, and verify nothing."),
    click.option("--closure", is_flag=True,
                 help="The plain connected components. By default nearly all pairs of a cluster are alike."),
    click.option("--keep", type=click.Choice(list(KEEPS)), default="representative", show_default=True,
                 help="Which document of a cluster keep.txt names."),
    click.option("--memory", default="1G", show_default=True, metavar="SIZE", callback=lambda *given: _bytes(given[2]),
                 help="Memory for sorting, such as 500M; more goes to the disk."),
    click.option("--workers", type=click.IntRange(min=0), default=0, help="Threads; 0, the default, is one a core."),
    click.option("--fresh", is_flag=True, help="Begin anew, whatever a run before has left in the folder."),
    click.option("--discard", is_flag=True,
                 help="Remove what another run over this folder could go on from: it takes more room than the texts."),
    click.option("--query", multiple=True, metavar="URL|ID",
                 help="Show the cluster of a document, in a folder that is done; - reads a list. Can be given again."),
    click.option("--id", "id_column", default="id", show_default=True, help="Column of JSONL and Parquet: the id."),
    click.option("--text", "text_column", default="text", show_default=True, help="The text."),
    click.option("--url", "url_column", default="url", show_default=True, help="The address."),
    click.option("--date", "date_column", default="date", show_default=True, help="The date."),
    click.option("--features", "features_column", help="Lists of integers or strings in place of texts: any objects."),
)  # fmt: skip


def _options(command: Any) -> Any:
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@click.command()
@click.argument("corpus", nargs=-1, type=EXISTING)
@_options
@backend_options
@scheme_options("pages")
@rules_options
@limits_options
@format_option("table", "json")
def command(corpus: tuple[Path, ...], out: Path, form: str, **given: Any) -> None:
    """Group the documents of CORPUS (folders, archives, JSONL, Parquet, WARC) into clusters of near-duplicates.

    The four phases of Broder, Glassman, Manasse and Zweig: sketch, sort, count pairs, join. What the sketches find is
    verified on all shingles. A run that was stopped goes on when the same command is given again. Over a folder that is
    done, another threshold or --closure repeats the last phase only, and CORPUS can be left out.

    \b
    Examples:
      whorl cluster pages/ -o clusters/
      whorl cluster -o clusters/ --threshold 0.8
      whorl cluster -o clusters/ --query http://example.org/page.html
      whorl cluster corpus.jsonl --id doc_id --text body -o clusters/
      whorl cluster papers/ --measure containment --threshold 0.8 -o clusters/
      whorl cluster songs.parquet --features notes -o clusters/
      whorl cluster crawl/ --backend spark --master spark://host:7077 -o clusters/
    """
    if given["query"]:
        _answer(out, given["query"], form)
        return
    named = [field.name for field in fields(DEFAULTS) if given.get(field.name) is not None]
    settings = ClusterSettings(**{name: given[name] for name in named})
    set_limits(given["parse_seconds"], given["parse_memory"], settings.threads)
    scheme = scheme_of(given.pop("scheme_name"), given)
    source = _Source(corpus, _columns(given), rules_of(given))
    check_arrow()
    _prepare(out, bool(corpus), given["fresh"])
    with ThreadPoolExecutor(1) as pool:
        pairs: Future[None] | None = None
        if given["backend"] == "spark":
            found, faults = _on_spark(out / PHASES, source, scheme, settings, given["master"])
        else:
            found, faults, pairs = _clustered(out, source, scheme, settings, pool)
        left_out = [{"file": fault.path, "row": fault.row, "reason": fault.reason} for fault in faults]
        left_out += [{"file": item.name, "row": 0, "reason": item.reason} for item in found.skipped]
        if pairs is None:
            write_pairs(found.ids, found.pairs, out)
        told = write(found, out, settings, given["keep"], left_out)
        from whorl.report.clusters import write_clusters  # a page's templates take long to import

        write_clusters(out)
        if pairs is not None:
            pairs.result()
    if given["discard"]:
        shutil.rmtree(out / PHASES)
    _show({**told, "skipped": left_out}, form)
    if found.skipped or any(not fault.left_out for fault in faults):
        sys.exit(1)


class _Source:
    """The documents of the corpus, and what is wrong with it, told as they are read."""

    def __init__(self, paths: tuple[Path, ...], columns: Columns, rules: Rules) -> None:
        self.paths, self.columns, self.rules = paths, columns, rules
        self.faults: list[dict[str, Any]] = []

    def described(self) -> str:
        """What tells one corpus from another; nothing if none is named."""
        if not self.paths:
            return ""
        paths = [[str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns] for path in self.paths]
        return json.dumps([paths, asdict(self.columns), asdict(self.rules)], default=str)

    def items(self, progress: Progress | None) -> Iterator[Item | Sheet]:
        """Every document. How far it is, is told in bytes."""
        seen, behind = Seen(), 0
        sizes = [size(path, self.rules) for path in self.paths]
        for path, length in zip(self.paths, sizes, strict=True):
            prefix = f"{path.name}/" if len(self.paths) > 1 else ""
            for item in read_sheets(path, self.columns, self.rules, seen=seen, prefix=prefix):
                if isinstance(item, Fault):
                    self.faults.append(asdict(item))
                    continue
                if progress is not None:
                    progress(SKETCH, behind + item.offset, sum(sizes))
                yield item if isinstance(item, Sheet) else _item(item)
            behind += length


def _item(record: Record) -> Item:
    document = record.document
    if record.features is not None:
        return Features(record.id, record.features, document.url, document.date)
    return document if document.name == record.id else replace(document, name=record.id)


def _clustered(
    out: Path, source: _Source, scheme: Scheme, settings: ClusterSettings, pool: ThreadPoolExecutor
) -> tuple[Clustering, list[Fault], Future[None] | None]:
    """All phases that are not done yet, and what was wrong with the corpus when it was read. If there may be more
    threads, that of the pool meanwhile reads in what writing takes, and then writes the pairs."""
    written: list[Future[None]] = []

    def paired(ids: Texts, pairs: Measured) -> None:
        written.append(pool.submit(write_pairs, ids, pairs, out, settings.threads))

    with stages() as progress, Run(out / PHASES, scheme, settings, source.described(), progress) as run:
        run.sketch(source.items(progress), source.faults)
        if settings.threads > 1:
            # Not while documents are read: importing holds the interpreter's lock, which reading needs.
            pool.submit(_make_ready)
        run.pair()
        found = run.join(paired if settings.threads > 1 else None)
        return found, [Fault(**fault) for fault in run.faults], written[0] if written else None


def _make_ready() -> None:
    from whorl.report.clusters import make_ready

    make_ready()


def _on_spark(
    folder: Path, source: _Source, scheme: Scheme, settings: ClusterSettings, master: str
) -> tuple[Clustering, list[Fault]]:
    """The same on Spark, whose machines must all reach the corpus and the folder under these paths."""
    spark = spark_session(master)
    from whorl.backends.spark.files import clustered

    try:
        return clustered(
            spark, source.paths, source.columns, source.rules, scheme, folder, source.described(), settings
        )
    finally:
        spark.stop()


def _columns(given: dict[str, Any]) -> Columns:
    return Columns(
        id=given["id_column"],
        text=given["text_column"],
        url=given["url_column"],
        date=given["date_column"],
        features=given["features_column"],
    )


def _prepare(out: Path, is_named: bool, fresh: bool) -> None:
    """Refuse a folder that is not ours, or that has nothing to go on from if no corpus is named."""
    ours = (out / PHASES).is_dir()
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not ours)):
        raise InputError(f"{out}: there is something in it: choose another folder, or empty it")
    if not is_named and (fresh or not ours):
        raise InputError(f"{out}: there is nothing to go on from; name the documents, too")
    if fresh and ours:
        shutil.rmtree(out / PHASES)
    out.mkdir(parents=True, exist_ok=True)


def _answer(out: Path, names: tuple[str, ...], form: str) -> None:
    """The clusters of some documents."""
    from whorl.clustering.query import Clusters  # a run that asks nothing does without

    asked = [line.strip() for name in names for line in (sys.stdin if name == "-" else [name])]
    answer = Clusters.open(out).ask([name for name in asked if name])
    from whorl.report.answer import answer_text

    click.echo(json.dumps(answer.as_dict()) if form == "json" else answer_text(answer))
    if answer.unknown:
        sys.exit(1)


def _show(told: dict[str, Any], form: str) -> None:
    if form == "json":
        click.echo(json.dumps(told))
        return
    click.echo(
        f"{told['documents']:,} documents: {told['clusters']:,} clusters with {told['in_clusters']:,} of them, the "
        f"largest of {told['largest']:,}; {told['kept']:,} to keep; {told['pairs']:,} pairs"
    )
    for item in told["skipped"]:
        row = f", row {item['row']}" if item["row"] else ""
        click.echo(f"left out: {item['file']}{row}: {item['reason']}", err=True)


def _bytes(text: str) -> int:
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    number, unit = (text[:-1], units.get(text[-1:].upper(), 0)) if text[-1:].isalpha() else (text, 1)
    if not number.isdigit() or not unit:
        raise click.BadParameter(f"{text!r} is no size: give a number of bytes, or one such as 500M or 2G")
    return int(number) * unit
