"""``whorl compare``: all pairs of a class of submissions, as a table, JSON, CSV or a report."""

import csv
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
from whorl.comparison.compare_all import compare_all
from whorl.comparison.export import as_json, as_rows
from whorl.comparison.kind import scheme_for
from whorl.comparison.result import Comparison
from whorl.comparison.scores import MEASURES
from whorl.comparison.settings import COUNTS, LATE, THRESHOLD, Settings
from whorl.scheme import Scheme

DEFAULTS = Settings()
EXISTING = click.Path(path_type=Path, exists=True)

OPTIONS = (
    click.option("--base", multiple=True, type=EXISTING,
                 help="Sanctioned material, such as template code: it is no evidence. Can be given again."),
    click.option("--archive", multiple=True, type=EXISTING,
                 help="Earlier submissions: compared with the new ones, never with each other. Can be given again."),
    click.option("--report", type=click.Path(path_type=Path), help="Write a report for people into this folder."),
    click.option("--title", help="The report's title.  [default: the names of PATHS]"),
    click.option("--submissions-csv", "roster", type=EXISTING,
                 help="CSV file with a column submission, and any of name, person, assignment, label, date."),
    click.option("--threshold", type=click.FloatRange(min=0),
                 help=f"The least that a reported pair must have.  [default: {THRESHOLD}, or 1 of what is counted]"),
    click.option("--sort", "measure", type=click.Choice([*MEASURES, *LATE]), default=DEFAULTS.measure,
                 show_default=True, help="The measure that ranks the pairs, and that --threshold is of."),
    click.option("--limit", type=click.IntRange(min=1), default=DEFAULTS.limit, show_default=True,
                 help="Report at most this many pairs."),
    click.option("--max-share", metavar="N|P%", callback=lambda _context, _option, value: _share(value),
                 help=f"What more submissions have than this is common, not copied.  [default: {DEFAULTS.max_share}]"),
    click.option("--cluster", type=click.FloatRange(0, 1), default=DEFAULTS.cluster, show_default=True,
                 help="The least score that puts two submissions into one cluster."),
    click.option("--group-by", type=click.Choice(["person"]),
                 help="Show first the same two people over several assignments (see --submissions-csv)."),
    click.option("--no-normal-form", "normal_form", is_flag=True, default=True, flag_value=False,
                 help="Compare programs by their tokens alone, not in their normal form too."),
    click.option("--deep", is_flag=True,
                 help="Prose: find passages whose words were replaced, dropped, added or put in another order too."),
    click.option("--summaries", is_flag=True,
                 help="With --deep: find short passages that were drawn together from a long text too."),
    click.option("--anonymise", is_flag=True,
                 help="Give submissions, files and people other names. What the texts say stays."),
)  # fmt: skip


def _options(command: Any) -> Any:
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@click.command()
@click.argument("paths", nargs=-1, required=True, type=EXISTING)
@_options
@backend_options
@click.option("--stages", "between", type=click.Path(path_type=Path),
              help="With --backend spark: a folder that all machines reach, for what lies between the steps; the same "
              "command goes on from it.  [default: a temporary one, of this machine]")  # fmt: skip
@scheme_options("auto")
@as_option
@rules_options
@limits_options
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    default=DEFAULTS.threads,
    show_default="one a core",
    help="Threads that read, and processes that parse.",
)
@format_option("table", "json", "csv")
def command(
    paths: tuple[Path, ...], report: Path | None, title: str | None, group_by: str | None, as_format: str | None,
    form: str, parse_seconds: float, parse_memory: int, **given: Any,
) -> None:  # fmt: skip
    """Compare all submissions in PATHS with each other, rank the pairs, and show what they share.

    Each child of a PATH is a submission: a file, a folder of files, or an archive. A PATH that is an archive is opened;
    one that is any other file is a submission itself. Programs are compared by their tokens, other files by their text:
    names, layout and comments do not count.

    \b
    Examples:
      whorl compare homework/
      whorl compare homework.zip --base template/ --archive last-year.zip --report report/
      whorl compare alice.py bob.py --format json
      whorl compare essays/ --scheme text --threshold 0.3 --format csv
      whorl compare essays/ --deep --report report/
      whorl compare programs/ --backend spark --master spark://host:7077 --stages /shared/stages
    """
    if report is not None:
        from whorl.report.write import check_folder

        check_folder(report)  # before hours of work, not after them
    set_limits(parse_seconds, parse_memory, given["threads"])
    settings = _settings(given, as_format)
    scheme = scheme_of(given.pop("scheme_name"), given, lambda: scheme_for(paths, Settings(**settings)))
    with _compared(paths, scheme, settings, given, (parse_seconds, parse_memory)) as found:
        names = ", ".join(path.resolve().name for path in paths) if not given["anonymise"] else "Submissions"
        page = None if report is None else _written(found, report, title or names)
        _show(found, form, group_by is not None)
    if page is not None:
        click.echo(f"report: {page}", err=form != "table")


@contextmanager
def _compared(
    paths: tuple[Path, ...], scheme: Scheme, settings: dict[str, Any], given: dict[str, Any], limits: tuple[float, int]
) -> Iterator[Comparison]:
    """The comparison, and while it is shown what its texts are in."""
    sources = {name: given[name] for name in ("base", "archive", "roster")}
    if given["backend"] == "local":
        with stages() as progress:
            found = compare_all(paths, scheme, **sources, progress=progress, **settings)
        yield found
        return
    spark = spark_session(given["master"])
    from whorl.backends.spark import compare_all as on_spark

    with tempfile.TemporaryDirectory(prefix="whorl-spark-") as temporary:
        try:
            yield on_spark(
                spark, paths, scheme, **sources, **settings,
                folder=str((given["between"] or Path(temporary)).resolve()),
                ready=lambda: set_limits(*limits, 1),
            )  # fmt: skip
        finally:
            spark.stop()


def _settings(given: dict[str, Any], as_format: str | None) -> dict[str, Any]:
    if given["threshold"] is not None and given["threshold"] > 1 and given["measure"] not in COUNTS:
        raise click.BadParameter(f"{given['threshold']:g} is not a share from 0 to 1", param_hint="'--threshold'")
    names = (
        "threshold", "measure", "limit", "cluster", "anonymise", "threads", "max_share", "normal_form", "deep",
        "summaries",
    )  # fmt: skip
    return {name: given[name] for name in names if given[name] is not None} | {
        "rules": rules_of(given),
        "format": as_format,
    }


def _share(text: str | None) -> int | float | None:
    """A number of submissions, or a share of all of them."""
    if text is None:
        return None
    try:
        return float(text.removesuffix("%")) / 100 if text.endswith("%") else int(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is neither a number of submissions nor a percentage") from error


def _written(found: Comparison, folder: Path, title: str) -> Path:
    from whorl.report.write import write

    return write(found, folder, title=title)


def _show(found: Comparison, form: str, by_person: bool) -> None:
    if form == "json":
        click.echo(json.dumps(as_json(found)))  # indented, it would take ten times as long
    elif form == "csv":
        csv.writer(sys.stdout, lineterminator="\n").writerows(as_rows(found))
    else:
        from whorl.cli.pairs import print_tables

        print_tables(found, by_person)
        forms = found.normal_forms
        if forms is not None and forms.files and sys.stderr.isatty():  # never the same twice, so beside the results
            click.echo(f"normal form of {forms.files:,} files: {forms.seconds:.2f} s of processor time", err=True)
