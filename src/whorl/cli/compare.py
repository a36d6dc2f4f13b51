"""``whorl compare``: compare all submissions of a class, as a table, JSON, CSV or a report."""

import json
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import click

from whorl.cli.compare_output import after_comparing, recognised_lines
from whorl.cli.options import (
    THREADS,
    IntegerRange,
    NumberRange,
    as_option,
    backend_options,
    echo_csv,
    format_option,
    limits_options,
    scheme_of,
    scheme_options,
    set_limits,
    spark_session,
    submission_rules_of,
    submission_rules_options,
)
from whorl.cli.progress import stages
from whorl.comparison.compare import compare_all
from whorl.comparison.export import as_json, as_rows, as_sarif
from whorl.comparison.layouts import LAYOUTS
from whorl.comparison.result import Comparison
from whorl.comparison.settings import (
    COUNTS,
    LATE,
    LONG_IN_CODE,
    LONG_IN_PROSE,
    MEASURES,
    THRESHOLD,
    Settings,
    scheme_for,
)
from whorl.engine.cache import MOST, CacheUse, ReadCache, default_folder, is_cache
from whorl.errors import InputError
from whorl.formats.archives.names import printable
from whorl.report.words import counted
from whorl.scheme import Scheme

DEFAULTS = Settings()
# Megabytes of a report at most: more than a disk has.
MOST_MEGABYTES = 1_000_000_000
# The exit status if a pair reaches --fail-on. 1 and 2 are errors.
REACHED = 3
EXISTING = click.Path(path_type=Path, exists=True)

OPTIONS = (
    click.option("--base", multiple=True, type=EXISTING,
                 help="Starter code: anything found in it is ignored. Can be repeated."),
    click.option("--archive", multiple=True, type=EXISTING,
                 help="Earlier submissions: compared with the new ones, not with each other. Can be repeated."),
    click.option("--report", type=click.Path(path_type=Path), help="Write an HTML report to this folder."),
    click.option("--report-size", type=NumberRange(1, MOST_MEGABYTES), metavar="MB",
                 help="Size that the report keeps to. If there is too little room, pairs with low scores show their "
                 "longest passages only, and each page says what it leaves out.  [default: 10, or 0.1 a page]"),
    click.option("--review", type=click.Path(path_type=Path, exists=True, dir_okay=False),
                 help="Review marks, as a report saves them (Save review marks): marks and notes go into the next "
                 "--report, and ignored passages count as starter code."),
    click.option("--jplag", type=click.Path(path_type=Path, dir_okay=False),
                 help="Also write a result file for JPlag's viewer, such as result.jplag. It has the texts."),
    click.option("--title", help="Title of the report.  [default: the names of PATHS]"),
    click.option("--submissions-csv", "roster", type=EXISTING,
                 help="CSV file with a column submission, and any of name, person, assignment, label, date."),
    click.option("--layout", type=click.Choice(LAYOUTS), default=DEFAULTS.layout, show_default=True,
                 help="How PATHS are laid out: recognise the exports of course systems (auto), use each file or folder "
                 "as it is (none), or read this system's export."),
    click.option("--threshold", type=NumberRange(min=0),
                 help=f"Hide pairs below this score (0 to 1).  [default: {THRESHOLD}, or 1 for counts]"),
    click.option("--long", type=IntegerRange(min=0),
                 help="Also list pairs that share so many tokens in a row, or a passage of so many letters, whatever "
                 "their score; 0: off.  [default: 66 tokens, 195 letters; "
                 f"{LONG_IN_CODE} and {LONG_IN_PROSE} times the guarantee]"),
    click.option("--sort", "measure", type=click.Choice([*MEASURES, *LATE]), default=DEFAULTS.measure,
                 show_default=True, help="Measure that ranks the pairs and that --threshold refers to."),
    click.option("--limit", type=IntegerRange(min=1), default=DEFAULTS.limit, show_default=True,
                 help="List at most this many pairs by score, and as many by their longest passage."),
    click.option("--max-share", metavar="N|P%", callback=lambda _context, _option, value: _share(value),
                 help=f"Ignore code found in more than this many submissions.  [default: {DEFAULTS.max_share}]"),
    click.option("--cluster", type=NumberRange(0, 1), default=DEFAULTS.cluster, show_default=True,
                 help="Minimum score to group two submissions."),
    click.option("--group-by", type=click.Choice(["person"]),
                 help="Also group pairs by the same two people over several assignments (see --submissions-csv)."),
    click.option("--no-normal-form", "normal_form", is_flag=True, default=True, flag_value=False,
                 help="Compare programs by their tokens only, without undoing rewrites (normal form)."),
    click.option("--deep", is_flag=True,
                 help="Prose: also find passages with replaced, dropped, added or reordered words."),
    click.option("--summaries", is_flag=True,
                 help="With --deep: also find short summaries of a long passage."),
    click.option("--anonymise", is_flag=True,
                 help="Replace the names of submissions, files and people. Texts stay as they are."),
)  # fmt: skip


def _options(command: Any) -> Any:
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@click.command()
@click.argument("paths", nargs=-1, metavar="PATHS...", type=EXISTING,
                callback=lambda context, _argument, paths: _some(context, paths))  # fmt: skip
@_options
@backend_options
@click.option("--stages", "between", type=click.Path(path_type=Path),
              help="With --backend spark: folder for intermediate results, reachable by all machines. The same "
              "command resumes from it.  [default: a temporary folder on this machine]")  # fmt: skip
@scheme_options("auto")
@as_option
@submission_rules_options
@limits_options
@click.option(
    "--threads",
    type=THREADS,
    default=DEFAULTS.threads,
    show_default="one per core",
    help="Threads that read, and processes that parse.",
)
@click.option(
    "--cache",
    "cache_folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Folder that keeps what was read of each file, so that the next run reads only what is new.  "
    "[default: whorl in the user's folder for caches]",
)
@click.option("--no-cache", is_flag=True, help="Read every file, and keep nothing.")
@click.option("--fail-on", type=NumberRange(0, 1), metavar="SCORE",
              help=f"Exit with status {REACHED} if a pair has at least this score (0 to 1), for scripts.")  # fmt: skip
@format_option("table", "json", "csv", "sarif")
def command(
    paths: tuple[Path, ...], report: Path | None, report_size: float | None, jplag: Path | None, review: Path | None,
    title: str | None, group_by: str | None, as_format: str | None, form: str, parse_seconds: float, parse_memory: int,
    fail_on: float | None, **options: Any,
) -> None:  # fmt: skip
    """Compare all submissions in PATHS with each other, rank the pairs, and show what they share.

    Each file, folder or archive directly inside a PATH is one submission. A PATH may be a folder or an archive of
    submissions; any other file is one submission. Downloads from Moodle, Canvas, Gradescope, Blackboard, GitHub
    Classroom, nbgrader, Dodona and Dolos are recognised: each person is one submission, under the right name.

    Programs are compared by their tokens, so that names, layout and comments do not matter. Other files are compared by
    their text.

    \b
    Examples:
      whorl compare homework/
      whorl compare homework.zip --base template/ --archive last-year.zip --report report/
      whorl compare submissions.zip --layout canvas
      whorl compare alice.py bob.py --format json
      whorl compare homework/ --fail-on 0.8 --format sarif > homework.sarif
      whorl compare essays/ --scheme text --threshold 0.3 --format csv
      whorl compare essays/ --deep --report report/
      whorl compare programs/ --backend spark --master spark://host:7077 --stages /shared/stages
    """
    if report is not None:
        from whorl.report.write import check_folder

        check_folder(report)  # before hours of work
    elif report_size is not None:
        raise click.UsageError("--report-size MB limits the report: add --report FOLDER")
    if jplag is not None:
        from whorl.comparison.jplag import check_jplag

        check_jplag(jplag)
    marks = _marks(review, report)
    set_limits(parse_seconds, parse_memory, options["threads"])
    settings = _settings(options, as_format)
    _check_fail_on(fail_on, Settings(**settings))
    scheme = scheme_of(options.pop("scheme_name"), options, lambda: scheme_for(paths, Settings(**settings)))
    with (
        _with_ignored(options, marks),
        _compared(paths, scheme, settings, options, (parse_seconds, parse_memory)) as comparison,
    ):
        names = ", ".join(path.resolve().name for path in paths) if not options["anonymise"] else "Submissions"
        for line in recognised_lines(comparison):
            click.echo(printable(line), err=form != "table")
        comparison = _with_run(comparison, options, review)
        if jplag is not None:
            from whorl.comparison.jplag import write_jplag

            write_jplag(comparison, jplag, datetime.now().astimezone())
        page = None if report is None else _written(comparison, report, title or names, marks, report_size)
        _show(comparison, form, group_by is not None)
        advice = after_comparing(comparison, paths, options["base"], options["include"])
    if page is not None:
        click.echo(printable(f"report: {page}"), err=form != "table")
    if advice is not None:
        click.echo(printable(advice), err=True)
    reached = 0 if fail_on is None else sum(pair.score >= fail_on for pair in comparison.pairs)
    if reached:
        pairs = "1 pair scores" if reached == 1 else f"{reached:,} pairs score"
        click.echo(f"{pairs} at least {fail_on:g}: exit status {REACHED}, as --fail-on asks", err=True)
        click.get_current_context().exit(REACHED)


def _marks(review: Path | None, report: Path | None) -> dict[tuple[str, str], Any]:
    """Read the review marks. Without a report, only ignored passages have an effect."""
    if review is None:
        return {}
    from whorl.report.write import read_review

    marks = read_review(review)
    if report is None and not any(mark.ignored for mark in marks.values()):
        raise click.UsageError("--review FILE puts marks into a report: add --report FOLDER")
    return marks


@contextmanager
def _with_ignored(options: dict[str, Any], marks: dict[tuple[str, str], Any]) -> Iterator[None]:
    """Add the passages that a review ignores to the starter code."""
    if not any(mark.ignored for mark in marks.values()):
        yield
        return
    from whorl.report.write import write_ignored

    with tempfile.TemporaryDirectory(prefix="whorl-ignored-") as folder:
        named = options["base"]
        options["base"] = (*named, *write_ignored(marks, Path(folder)))
        yield


def _with_run(comparison: Comparison, options: dict[str, Any], review: Path | None) -> Comparison:
    """Add the command. Files of ignored passages are named as the review that has them."""
    run = comparison.run
    if run is None or options["anonymise"]:
        return comparison
    temporary = "/whorl-ignored-"
    base = [path for path in run.base if temporary not in path]
    base += [f"ignored passages of {review}"] * (len(base) < len(run.base))
    command = shlex.join(["whorl", *sys.argv[1:]])
    return replace(comparison, run=replace(run, base=tuple(base), command=command))


def _check_fail_on(fail_on: float | None, settings: Settings) -> None:
    """Refuse a score that unlisted pairs may have."""
    if fail_on is None:
        return
    if settings.measure != "score":
        raise click.BadParameter(f"it needs --sort score, not {settings.measure}", param_hint="'--fail-on'")
    if fail_on < settings.least:
        raise click.BadParameter(
            f"{fail_on:g} is below the threshold, {settings.least:g}; add --threshold {fail_on:g}",
            param_hint="'--fail-on'",
        )


@contextmanager
def _compared(
    paths: tuple[Path, ...],
    scheme: Scheme,
    settings: dict[str, Any],
    options: dict[str, Any],
    limits: tuple[float, int],
) -> Iterator[Comparison]:
    """Compare, and keep the texts available until the block ends."""
    sources = {name: options[name] for name in ("base", "archive", "roster")}
    if options["backend"] == "local":
        with _cache(options) as cache, stages() as progress:
            comparison = compare_all(paths, scheme, **sources, progress=progress, cache=cache, **settings)
        yield comparison
        return
    spark = spark_session(options["master"])
    from whorl.spark import compare_all as on_spark

    with tempfile.TemporaryDirectory(prefix="whorl-spark-") as temporary:
        try:
            yield on_spark(
                spark, paths, scheme, **sources, **settings,
                folder=str((options["between"] or Path(temporary)).resolve()),
                ready=lambda: set_limits(*limits, 1),
            )  # fmt: skip
        finally:
            spark.stop()


@contextmanager
def _cache(options: dict[str, Any]) -> Iterator[ReadCache | None]:
    """Open the cache, and at the end report its faults. A run goes on without the default folder."""
    if options["no_cache"]:
        if options["cache_folder"] is not None:
            raise click.UsageError("--cache and --no-cache exclude each other: give one of them")
        yield None
        return
    try:
        cache = ReadCache(options["cache_folder"] or default_folder())
    except InputError as error:
        if options["cache_folder"] is not None:
            raise
        click.echo(printable(f"{error}; every file is read"), err=True)
        yield None
        return
    yield cache
    for fault in cache.faults:
        click.echo(printable(fault), err=True)


@click.group()
def cache() -> None:
    """Show or clear the cache of whorl compare: what it read of each file, so that the next run of a class reads only
    what is new.

    \b
    Examples:
      whorl cache show
      whorl cache clear
    """


CACHE_FOLDER = click.option(
    "--cache", "folder", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
    help="The folder, if it is not the default one.",
)  # fmt: skip


@cache.command()
@CACHE_FOLDER
def show(folder: Path | None) -> None:
    """Show where the cache is, and how large."""
    place = folder or default_folder()
    use = ReadCache(place).use() if is_cache(place) else CacheUse(0, 0)
    size = f"{use.size / 1e6:,.1f} MB, at most {MOST / 1e6:,.0f} MB"
    click.echo(printable(f"{place}: {counted(use.entries, 'entry', 'entries')} in {size}"))


@cache.command()
@CACHE_FOLDER
def clear(folder: Path | None) -> None:
    """Remove everything in the cache."""
    place = folder or default_folder()
    use = ReadCache(place).clear() if is_cache(place) else CacheUse(0, 0)
    click.echo(printable(f"{place}: removed {counted(use.entries, 'entry', 'entries')}, {use.size / 1e6:,.1f} MB"))


def _some(context: click.Context, paths: tuple[Path, ...]) -> tuple[Path, ...]:
    if not paths and not context.resilient_parsing:
        raise click.UsageError(
            "Missing argument 'PATHS...': name the folder or archive of the submissions, "
            "for example: whorl compare homework/ --report report/"
        )
    return paths


def _settings(options: dict[str, Any], as_format: str | None) -> dict[str, Any]:
    if options["threshold"] is not None and options["threshold"] > 1 and options["measure"] not in COUNTS:
        raise click.BadParameter(f"{options['threshold']:g} is not between 0 and 1", param_hint="'--threshold'")
    names = (
        "threshold", "long", "measure", "limit", "cluster", "anonymise", "threads", "max_share", "normal_form", "deep",
        "summaries", "layout",
    )  # fmt: skip
    return {name: options[name] for name in names if options[name] is not None} | {
        "rules": submission_rules_of(options),
        "format": as_format,
    }


def _share(text: str | None) -> int | float | None:
    """Parse a number of submissions or a percentage of them."""
    if text is None:
        return None
    try:
        share = float(text.removesuffix("%")) / 100 if text.endswith("%") else int(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is neither a number of submissions nor a percentage") from error
    if not 0 < share <= (1 if text.endswith("%") else share):
        raise click.BadParameter(f"{text!r} is out of range; give a number of submissions, or more than 0% up to 100%")
    return share


def _written(
    comparison: Comparison, folder: Path, title: str, review: dict[tuple[str, str], Any], megabytes: float | None
) -> Path:
    from whorl.report.write import write

    size = None if megabytes is None else int(megabytes * 1_000_000)
    with stages() as progress:
        shown = None if progress is None else partial(progress, "report")
        return write(comparison, folder, title=title, review=review, size=size, progress=shown)


def _show(comparison: Comparison, form: str, by_person: bool) -> None:
    if form == "sarif":
        click.echo(json.dumps(as_sarif(comparison)))
    elif form == "json":
        click.echo(json.dumps(as_json(comparison)))  # indenting would take ten times as long
    elif form == "csv":
        echo_csv(as_rows(comparison))
    else:
        from whorl.cli.compare_output import print_tables

        print_tables(comparison, by_person)
        forms = comparison.normal_forms
        if forms is not None and forms.files and sys.stderr.isatty():  # differs from run to run
            click.echo(f"normal form: {forms.files:,} files, {forms.seconds:.2f} s of CPU time", err=True)
