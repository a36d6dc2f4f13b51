"""``whorl cluster``, ``whorl dedup`` and ``whorl decontaminate``: cluster the near-duplicates of a collection, query
the clusters, or write the collection again without them, without repeats, or without the items of evaluations."""

import errno
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import click

from whorl.cli.options import (
    WORKERS,
    IntegerRange,
    NumberRange,
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
from whorl.clustering import MEASURES, MODULI, THRESHOLDS, ClusterSettings
from whorl.clustering.output import KEEPS
from whorl.corpus_clustering import cluster_corpus, verify
from whorl.corpus_decontamination import ACTIONS, SHORTEST_ITEM, THRESHOLD
from whorl.corpus_decontamination import decontaminate as decontaminate_corpus
from whorl.corpus_dedup import DOCUMENT, PASSAGE_UNIT, POLICIES, SHORTEST, TOKENS
from whorl.corpus_dedup import dedup as dedup_corpus
from whorl.errors import StoreIOError
from whorl.formats.archives.names import printable
from whorl.formats.corpora.records import UNITS, Columns, kinds_of_faults
from whorl.formats.corpora.remote import is_address
from whorl.report.words import counted

DEFAULTS = ClusterSettings()


class _CorpusPath(click.Path):
    """A path that exists, or the address of an object store, which stays a text."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if is_address(value) else super().convert(value, param, ctx)


EXISTING = _CorpusPath(path_type=Path, exists=True)

BOILERPLATE_HELP = (
    "Text in more than N documents, such as a menu, does not count; 0 counts all.  [default: one document in 10, but "
    "100 at least and 1,000 at most]"
)

# How documents are compared, for both commands.
MEASURING = (
    click.option("--measure", type=click.Choice(MEASURES), default=DEFAULTS.measure, show_default=True,
                 help="Resemblance compares whole documents; containment finds a part in a larger one."),
    click.option("--threshold", type=NumberRange(0, 1, min_open=True),
                 help="Minimum measure of a pair (0 to 1).  [default: "
                 + ", ".join(f"{least} for {measure}" for measure, least in THRESHOLDS.items()) + "]"),
    click.option("--common", type=IntegerRange(min=2), default=DEFAULTS.common, show_default=True,
                 help="Shingles in more documents than this propose no candidates."),
    click.option("--modulus", type=IntegerRange(min=1), metavar="N",
                 help="Sketches keep one shingle in N, a power of two; with 1, no pair is missed, at more cost. "
                 "[default: " + ", ".join(f"{number} for {measure}" for measure, number in MODULI.items()) + "]"),
    click.option("--base", multiple=True, type=EXISTING, metavar="PATH",
                 help="Boilerplate, such as a licence or a template: text that is also in it does not count. "
                 "Repeatable."),
    click.option("--super-shingles", is_flag=True,
                 help="Compare only documents that share a super shingle: faster, finds only close copies."),
    click.option("--closure", is_flag=True,
                 help="Use plain connected components. By default nearly all pairs of a cluster are alike."),
    click.option("--strict", is_flag=True,
                 help="Keep no two documents that are a pair. By default a document is compared with its cluster."),
    click.option("--memory", default="1G", show_default=True, metavar="SIZE", callback=lambda *args: _bytes(args[2]),
                 help="Memory for sorting, such as 500M; the rest goes to disk."),
    click.option("--workers", type=WORKERS, default=0,
                 help="Number of threads; 0, the default, is one per core."),
)  # fmt: skip

OPTIONS = (
    click.option("-o", "--out", required=True, type=click.Path(path_type=Path),
                 help="Output folder: documents.parquet, pairs.parquet, keep.txt, keep.parquet, summary.html, ..."),
    *MEASURING,
    click.option("--boilerplate", type=IntegerRange(min=0), metavar="N", help=BOILERPLATE_HELP),
    click.option("--estimate", is_flag=True, help="Use the estimates of the sketches; skip verification."),
    click.option("--keep", type=click.Choice(list(KEEPS)), default="representative", show_default=True,
                 help="Document of each cluster that keep.txt lists."),
    click.option("--fresh", is_flag=True, help="Start over; discard what an earlier run left in the folder."),
    click.option("--discard", is_flag=True,
                 help="Remove the files a later run would resume from. They are larger than the texts."),
    click.option("--verify", is_flag=True,
                 help="Check the checksums of all files in a finished output folder."),
    click.option("--query", multiple=True, metavar="URL|ID",
                 help="Show the cluster of a document in a finished output folder; - reads a list. Repeatable."),
    click.option("--id", "id_column", default="id", show_default=True, help="Column of a table with the id."),
    click.option("--text", "text_column", default="text", show_default=True, help="Column with the text."),
    click.option("--url", "url_column", default="url", show_default=True, help="Column with the URL."),
    click.option("--date", "date_column", default="date", show_default=True, help="Column with the date."),
    click.option("--features", "features_column",
                 help="Lists of integers or strings instead of texts, to cluster other objects."),
)  # fmt: skip


DEDUP_OPTIONS = (
    click.option("-o", "--out", required=True, type=click.Path(path_type=Path),
                 help="Output folder: the files of CORPUS without duplicates, and _whorl/ with the report."),
    click.option("--keep", type=click.Choice(POLICIES), default="first", show_default=True,
                 help="Which of several near-duplicates stays."),
    click.option("--unit", type=click.Choice((DOCUMENT, PASSAGE_UNIT, *UNITS)), default=DOCUMENT, show_default=True,
                 help="Remove near-duplicate documents, or cut repeated passages, paragraphs or lines from the texts."),
    click.option("--tokens", type=IntegerRange(min=2), default=TOKENS, show_default=True,
                 help="Shortest repeat that --unit passage cuts, in words (characters of Chinese, Thai, ...)."),
    click.option("--shortest", type=IntegerRange(min=1), default=SHORTEST, show_default=True,
                 help="Shortest paragraph or line that is cut, and least text that a row keeps, in characters."),
    click.option("--mark", is_flag=True,
                 help="With --unit passage: write the spans of repeats as attributes beside the data; cut nothing."),
    click.option("--boilerplate", type=IntegerRange(min=0), metavar="N", help=BOILERPLATE_HELP
                 + " With --unit passage: tell passages in more than N documents of one host from other repeats."),
    click.option("--index", metavar="STORE", type=click.Path(path_type=Path),
                 help="Also remove what is like a document of this store, and add what stays: for shards that come one "
                 "after another. Made if it does not exist."),
    click.option("--rank", metavar="COLUMN", help="Column of numbers for --keep highest, such as a quality score."),
    *MEASURING,
    click.option("--fresh", is_flag=True, help="Start over; remove what an earlier run wrote to the folder."),
    click.option("--text", default="text", show_default=True, help="Column with the text."),
    click.option("--id", "id_column", default="id", show_default=True, help="Column with the id, for --mark."),
    click.option("--url", "url_column", default="url", show_default=True,
                 help="Column with the URL, for --boilerplate."),
    click.option("--date", help="Column with the date for --keep newest.  [default: date]"),
)  # fmt: skip


DECONTAMINATE_OPTIONS = (
    click.option("--against", required=True, multiple=True, type=EXISTING, metavar="EVALS",
                 help="Table of items: JSONL, JSON array, CSV, Parquet or Arrow. Repeatable."),
    click.option("-o", "--out", required=True, type=click.Path(path_type=Path),
                 help="Output folder: the files of CORPUS without the items, and _whorl/ with the report."),
    click.option("--item", multiple=True, metavar="COLUMN",
                 help="Column of EVALS with texts; repeatable.  [default: those of text, question, problem, prompt, "
                 "input, query, instruction, sentence, passage and context that are there]"),
    click.option("--action", type=click.Choice(ACTIONS), default=ACTIONS[0], show_default=True,
                 help="Drop rows that hold an item, cut the item, or write its span as an attribute beside the data."),
    click.option("--threshold", type=NumberRange(0, 1, min_open=True), default=THRESHOLD, show_default=True,
                 help="Minimum share of an item's words that a row must hold (0 to 1)."),
    click.option("--common", type=IntegerRange(min=1),
                 help="Four words in a row that more documents have are a common phrase and do not count.  "
                 "[default: 10, or one document in 1,000]"),
    click.option("--shortest", type=IntegerRange(min=1), default=SHORTEST, show_default=True,
                 help="Least text that a row keeps after a cut, in characters."),
    click.option("--text", default="text", show_default=True, help="Column of CORPUS with the text."),
    click.option("--id", "id_column", default="id", show_default=True, help="Column with the id of items and rows."),
    click.option("--fresh", is_flag=True, help="Start over; remove what an earlier run wrote to the folder."),
    click.option("--workers", type=WORKERS, default=0,
                 help="Number of threads; 0, the default, is one per core."),
)  # fmt: skip


def _with(options: Sequence[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


@click.command()
@click.argument("corpus", nargs=-1, type=EXISTING)
@_with(OPTIONS)
@backend_options
@scheme_options("pages")
@rules_options
@limits_options
@format_option("table", "json")
def command(corpus: tuple[Path, ...], out: Path, form: str, **options: Any) -> None:
    """Group the documents of CORPUS into clusters of near-duplicates.

    CORPUS is folders, archives and tables: JSONL, JSON arrays, CSV, Parquet, Arrow, WARC and WET.

    The four phases of Broder, Glassman, Manasse and Zweig: sketch, sort, count pairs, join. Candidate pairs are
    verified on all shingles. Run the same command again to resume a stopped run. In a finished folder, another
    threshold or --closure repeats only the last phase, and CORPUS can be omitted.

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
    if options["verify"]:
        verify(out)
        click.echo(printable(f"{out}: all files are intact"))
        return
    if options["query"]:
        _query(out, options["query"], form)
        return
    settings = _settings(options)
    set_limits(options["parse_seconds"], options["parse_memory"], settings.threads)
    scheme = scheme_of(options.pop("scheme_name"), options)
    with _naming(out), stages() as progress, _spark(options["backend"], options["master"]) as spark:
        result = cluster_corpus(
            corpus, out, scheme, columns=_columns(options), rules=rules_of(options), base=options["base"],
            keep=options["keep"], strict=options["strict"], fresh=options["fresh"], discard=options["discard"],
            spark=spark, progress=progress, **asdict(settings),
        )  # fmt: skip
    _show({**result.summary, "skipped": result.left_out()}, form)
    if not result.is_complete:
        sys.exit(1)


def _settings(options: Mapping[str, Any]) -> ClusterSettings:
    named = [field.name for field in fields(DEFAULTS) if options.get(field.name) is not None]
    return ClusterSettings(**{name: options[name] for name in named})


@click.command()
@click.argument("corpus", nargs=-1, required=True, type=EXISTING)
@_with(DEDUP_OPTIONS)
@scheme_options("pages")
@rules_options
@limits_options
@format_option("table", "json")
def dedup(corpus: tuple[Path, ...], out: Path, form: str, **options: Any) -> None:
    """Write CORPUS again to the folder OUT without near-duplicates: the same files, rows, columns and compression.

    CORPUS is JSONL (plain or .gz, .zst, .bz2, .xz), Parquet, and folders of these or of single documents. Of each
    cluster, found as by whorl cluster, one row stays. Rows without a text stay. _whorl/report.json counts what was
    removed by file and reason, and _whorl/removed.parquet lists it, each row with the one that stays. Run the same
    command again to resume a stopped run.

    --index compares each shard with all that came before it, without reading those again: give the same store every
    time. The first row stays. A stopped run that is given again gets the same answers.

    --unit passage keeps the documents and cuts every sequence of 50 words (--tokens) that occurred before, anywhere
    in the corpus; the first copy stays. _whorl/passages.parquet lists the cuts.

    \b
    Examples:
      whorl dedup corpus.jsonl.gz -o clean/
      whorl dedup shards/ -o clean/ --threshold 0.8
      whorl dedup january/ -o clean/january --index seen.sweep
      whorl dedup february/ -o clean/february --index seen.sweep
      whorl dedup shards/ -o clean/ --unit passage
      whorl dedup shards/ -o attributes/repeats --unit passage --mark --boilerplate 20
      whorl dedup shards/ -o clean/ --unit paragraph
      whorl dedup shards/ -o clean/ --keep highest --rank quality
      whorl dedup crawl.parquet -o clean/ --text body --keep newest --date fetched
    """
    settings = _settings(options)
    set_limits(options["parse_seconds"], options["parse_memory"], settings.threads)
    scheme = scheme_of(options.pop("scheme_name"), options)
    if options["unit"] != DOCUMENT:
        _refuse_settings(options["unit"])
    with _naming(out), stages() as progress:
        result = dedup_corpus(
            corpus, out, scheme, text=options["text"], date=options["date"], rank=options["rank"],
            rules=rules_of(options), base=options["base"], keep=options["keep"], strict=options["strict"],
            index=options["index"], unit=options["unit"], shortest=options["shortest"],
            tokens=options["tokens"], mark=options["mark"], boilerplate=options["boilerplate"],
            id=options["id_column"], url=options["url_column"], fresh=options["fresh"], progress=progress,
            **_passed_on(settings, options),
        )  # fmt: skip
    _show_report(result.report, form)
    if not result.is_complete:
        sys.exit(1)


@click.command()
@click.argument("corpus", nargs=-1, required=True, type=EXISTING)
@_with(DECONTAMINATE_OPTIONS)
@scheme_options("pages")
@rules_options
@limits_options
@format_option("table", "json")
def decontaminate(corpus: tuple[Path, ...], out: Path, form: str, **options: Any) -> None:
    """Write CORPUS again to the folder OUT without the items of evaluation sets.

    CORPUS is JSONL, Parquet, text files, and folders of these. Other documents, such as HTML, are copied unsearched and
    make the exit status 1. A row that holds an item is dropped, the item is cut from it, or it is marked. An item
    is held if most of its words are there, close together and in order, so small edits do not hide it. Phrases in many
    documents, such as "which of the following", count for nothing. Items of fewer than 8 words are not looked for.
    _whorl/leaks.parquet lists each row with the item and its span.

    \b
    Examples:
      whorl decontaminate shards/ --against gsm8k.jsonl --against mmlu.parquet -o clean/
      whorl decontaminate shards/ --against evals.jsonl --item question --item answer -o clean/ --action cut
      whorl decontaminate shards/ --against evals.jsonl -o attributes/leaks --action mark
    """
    set_limits(options["parse_seconds"], options["parse_memory"], ClusterSettings(workers=options["workers"]).threads)
    scheme = scheme_of(options.pop("scheme_name"), options)
    names = ("against", "text", "action", "threshold", "common", "shortest", "fresh", "workers")
    with _naming(out), stages() as progress:
        result = decontaminate_corpus(
            corpus, out, scheme=scheme, id=options["id_column"], items=options["item"], rules=rules_of(options),
            progress=progress, **{name: options[name] for name in names},
        )  # fmt: skip
    _show_report(result.report, form)
    if not result.is_complete:
        sys.exit(1)


def _passed_on(settings: ClusterSettings, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a unit: parts of texts are compared exactly, so only the cost is left to choose. An index
    has settings of its own, which those that are given must equal."""
    if options["unit"] != DOCUMENT:
        return {"memory": settings.memory, "workers": settings.workers}
    if options["index"] is not None:
        return {name: options[name] for name in _given("measure", "threshold", "common", "modulus", "super_shingles",
                                                       "closure", "memory", "workers")}  # fmt: skip
    return {name: value for name, value in asdict(settings).items() if name != "boilerplate"}


def _refuse_settings(unit: str) -> None:
    """Refuse options that have no effect on parts of texts, which are compared exactly."""
    for name in _given("keep", "rank", "date", "base", "strict", "index", "measure", "threshold", "common",
                       "modulus", "super_shingles", "closure"):  # fmt: skip
        raise click.UsageError(f"--{name.replace('_', '-')} has no effect with --unit {unit}; leave it out")


def _given(*names: str) -> list[str]:
    """Return the options that are on the command line."""
    source = click.get_current_context().get_parameter_source
    return [name for name in names if source(name) is click.core.ParameterSource.COMMANDLINE]


# Parts of texts, as they are counted.
_CUT = {"passage": ("passage", "passages"), "boilerplate": ("of boilerplate", "of boilerplate"),
        "paragraph": ("paragraph", "paragraphs"), "line": ("line", "lines"), "leak": ("item", "items")}  # fmt: skip


def _show_report(report: dict[str, Any], form: str) -> None:
    if form == "json":
        click.echo(json.dumps(report))
        return
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in report["kinds"].items() if kind not in _CUT)
    done = "marked" if report.get("mark") else "found" if "items" in report else "cut"
    cuts = "".join(f"; {counted(count, *_CUT[kind])} {done}" for kind, count in report["kinds"].items() if kind in _CUT)
    click.echo(
        f"{counted(report['documents'], 'document')}: {report['kept']:,} stay, {report['removed']:,} removed"
        f"{f' ({kinds})' if kinds else ''}{cuts}; {report['bytes_written']:,} of {report['bytes_read']:,} bytes"
    )
    faults = [{"file": fault["path"], "row": fault["row"], "reason": fault["reason"]} for fault in report["faults"]]
    skipped = [{"file": name, "row": 0, "reason": reason} for name, reason in report["skipped"]]
    for kind in kinds_of_faults([*faults, *skipped]):
        click.echo(printable(f"no document: {kind}"), err=True)
    _warn_of_dates(report)
    if report.get("short_items"):
        less = f"of fewer than {SHORTEST_ITEM} words"
        items = counted(report["short_items"], f"item {less} was", f"items {less} were")
        click.echo(f"{items} not looked for", err=True)
    if report.get("common_items"):
        click.echo(
            f"{report['common_items']:,} of {report['items']:,} items cannot be found: nearly all of their words are "
            "phrases of many documents or items, which do not count; raise --common to count those of documents",
            err=True,
        )
    if "index" in report:
        index = report["index"]
        stored = counted(index["stored"], "document")
        click.echo(f"{index['overlaps']:,} share large parts with another; the index has {stored}")
    if not report["documents"]:
        click.echo("no document was read; see whorl dedup --help for what CORPUS can be", err=True)


# What the system says if a file cannot grow, by its number; libraries that write Parquet give none.
_FULL = (None, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


@contextmanager
def _naming(out: Path) -> Iterator[None]:
    """Name the folder of the output if it cannot be written to: an error of writing names no file."""
    try:
        yield
    except OSError as error:
        if error.filename or error.errno not in _FULL:
            raise
        raise StoreIOError(out, "write", error.strerror or str(error)) from error


@contextmanager
def _spark(backend: str, master: str) -> Iterator[Any]:
    """Start a Spark session if that backend was chosen, and stop it at the end."""
    spark = spark_session(master) if backend == "spark" else None
    try:
        yield spark
    finally:
        if spark is not None:
            spark.stop()


def _columns(options: dict[str, Any]) -> Columns:
    return Columns(
        id=options["id_column"],
        text=options["text_column"],
        url=options["url_column"],
        date=options["date_column"],
        features=options["features_column"],
    )


def _query(out: Path, names: tuple[str, ...], form: str) -> None:
    """Print the clusters of some documents."""
    from whorl.clustering.query import Clusters  # not needed to cluster

    lines = [line.strip() for name in names for line in (sys.stdin if name == "-" else [name])]
    answer = Clusters.open(out).ask([name for name in lines if name])
    from whorl.report.cluster_views import answer_text

    click.echo(json.dumps(answer.as_dict()) if form == "json" else answer_text(answer))
    if answer.unknown:
        sys.exit(1)


def _show(summary: dict[str, Any], form: str) -> None:
    if form == "json":
        click.echo(json.dumps(summary))
        return
    click.echo(
        f"{counted(summary['documents'], 'document')}: {counted(summary['clusters'], 'cluster')} with "
        f"{summary['in_clusters']:,} of them, the largest of {summary['largest']:,}; {summary['kept']:,} to keep; "
        f"{counted(summary['pairs'], 'pair')}"
    )
    for kind in kinds_of_faults(summary["skipped"]):
        click.echo(printable(f"left out: {kind}"), err=True)
    _warn_of_dates(summary)
    if not summary["documents"]:
        click.echo("no document was read; see whorl cluster --help for what CORPUS can be", err=True)


def _warn_of_dates(summary: Mapping[str, Any]) -> None:
    if summary["keep"] == "newest" and summary["undated"]:
        click.echo(
            f"--keep newest: {summary['undated']:,} of {summary['documents']:,} documents have no date, or none "
            "that can be read, and count as the oldest; name the column with --date",
            err=True,
        )


def _bytes(text: str) -> int:
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    number, unit = (text[:-1], units.get(text[-1:].upper(), 0)) if text[-1:].isalpha() else (text, 1)
    if not (number.isascii() and number.isdigit()) or not unit:
        raise click.BadParameter(f"{text!r} is not a size; give a number of bytes, such as 500M or 2G")
    return int(number) * unit
