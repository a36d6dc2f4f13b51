"""``whorl check``: check manuscripts against an index, and report what comes from which source."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from whorl.cli.options import (
    IntegerRange,
    NumberRange,
    as_option,
    check_readable,
    format_option,
    leave,
    limits_options,
    query_columns_options,
    query_documents,
    set_limits,
)
from whorl.cli.progress import stages
from whorl.errors import DocumentError, InputError, UnsuitedError
from whorl.formats.archives.names import printable
from whorl.formats.archives.rules import DEFAULT
from whorl.formats.archives.walk import walk
from whorl.formats.corpora.records import OptionColumns
from whorl.formats.corpora.tables import kind
from whorl.formats.encoding import load_content
from whorl.index.check import LIMIT, BaseTexts, Exclusions, ManuscriptCheck, SourcePassage, check_manuscript
from whorl.index.index import Index
from whorl.index.search import with_labels
from whorl.model import Document, Skipped
from whorl.report.words import counted, percent
from whorl.scheme import Scheme

EXISTING = click.Path(path_type=Path, exists=True)

# Seconds for changed words: some thousand sources of a few pages.
DEEP_SECONDS = 60.0

# Sources of a manuscript in a table. --format json and --report have all.
SHOWN = 10


@click.command()
@click.argument("index", type=EXISTING)
@click.argument("manuscripts", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--report", type=click.Path(path_type=Path), metavar="DIR", help="Write a web page for each manuscript.")
@click.option("--count-quotations", is_flag=True, help="Count quotations.  [default: they are left out]")
@click.option("--count-bibliography", is_flag=True, help="Count the bibliography.  [default: it is left out]")
@click.option("--min-words", type=IntegerRange(min=0), default=0, show_default=True,
              help="Leave out passages with fewer words.")  # fmt: skip
@click.option("--exclude-source", "sources", multiple=True, metavar="PATTERN",
              help="Leave out sources whose name, title or URL matches, such as '*/own/*'. Repeatable.")  # fmt: skip
@click.option(
    "--exclude-label",
    "labels",
    multiple=True,
    metavar="PATTERN",
    help="Leave out sources with such a label, such as own or 'licence=GPL-*'. Repeatable.",
)
@click.option(
    "--exclude-owner",
    "owners",
    multiple=True,
    metavar="PATTERN",
    help="Leave out sources of this owner: the author's own earlier work. Repeatable.",
)
@click.option(
    "--exclude-before",
    "before",
    metavar="DATE",
    callback=lambda _context, option, value: _date(option, value),
    help="Leave out sources dated before this day, month or year, such as 2024-05.",
)
@click.option("--exclude-after", "after", metavar="DATE", help="Leave out sources dated after it.",
              callback=lambda _context, option, value: _date(option, value))  # fmt: skip
@click.option("--base", multiple=True, type=EXISTING, metavar="PATH",
              help="Leave out text that is also in these files: templates, standard phrases. Repeatable.")  # fmt: skip
@click.option(
    "--label",
    "wanted_labels",
    multiple=True,
    metavar="PATTERN",
    help="Look only at documents with such a label, such as 'licence=*'. Repeatable: those with the same key are "
    "alternatives, others must all be there.",
)
@click.option("--limit", type=IntegerRange(min=1), default=LIMIT, show_default=True,
              help="List at most this many sources. All count.")  # fmt: skip
@click.option("--deep", is_flag=True, help="Look for passages whose words were changed, too. For prose.")
@click.option(
    "--deep-seconds",
    type=NumberRange(min=0, min_open=True),
    metavar="SECONDS",
    default=DEEP_SECONDS,
    show_default=True,
    help="Time for --deep, for each manuscript. A note says which part of the sources was looked at.",
)
@query_columns_options
@as_option
@limits_options
@format_option("table", "json", "spdx", "cyclonedx")
def command(index: Path, manuscripts: tuple[Path, ...], as_format: str | None, form: str, **options: Any) -> None:
    """Check MANUSCRIPTS against the documents in INDEX; - reads standard input.

    Similarity is the share of the letters that are found in a source. No letter is counted twice: each belongs to the
    source that explains most. Quotations, bibliography and the other exclusions are left out; the figure without
    exclusions is shown beside it. On the page of --report every exclusion can be undone.

    --deep finds paraphrases: passages of prose in which words were replaced, added or moved. They count as a whole. It
    compares the manuscript with the 200 sources that most likely have one, by their rare phrases.

    A folder is checked file by file. Each row of a JSONL, Parquet or WARC file is a manuscript of its own. Programs are
    compared by their tokens, so names and line ends do not matter. For each release that a file shares code with, the
    table has the lines and the licence: labels of the index such as purl=pkg:generic/zlib@1.3 and licence=Zlib say
    which release a document belongs to. --format spdx (2.3) and --format cyclonedx (1.5) write a bill of materials as
    JSON.

    The exit code is 1 if a manuscript could not be read; the others are checked.

    \b
    Examples:
      whorl check papers.index draft.pdf --report draft-report
      whorl check papers.index draft.docx --min-words 8 --exclude-owner 'A. Author' --base template.docx
      whorl check papers.index draft.pdf --deep --report draft-report
      whorl check papers.index draft.pdf --exclude-after 2024-05 --label 'journal=*'
      whorl check papers.index chapter1.md chapter2.md --format json
      whorl check papers.index drafts.jsonl --text-column body
      whorl check opensource.index Main.java --report provenance
      whorl check opensource.index src --format spdx > provenance.spdx.json
    """
    set_limits(options["parse_seconds"], options["parse_memory"])
    for manuscript in manuscripts:
        if not manuscript.is_dir():
            check_readable(manuscript)
    if options["report"] is not None:
        from whorl.report.write import check_folder

        check_folder(options["report"].resolve())
    rules = Exclusions(
        quotations=not options["count_quotations"], bibliography=not options["count_bibliography"],
        **{name: options[name] for name in ("min_words", "sources", "labels", "owners", "before", "after")},
    )  # fmt: skip
    arguments = {
        "exclusions": rules, "limit": options["limit"], "wanted": with_labels(options["wanted_labels"]),
        "deep_seconds": options["deep_seconds"] if options["deep"] else None,
    }  # fmt: skip
    columns = OptionColumns(id=options["id_column"], text=options["text_column"])
    named, inside, skipped = _documents(manuscripts, as_format, columns)
    with Index.open(index) as opened:
        arguments["base"] = _base(options["base"], opened.scheme, skipped)
        checks = list(_checked(opened, [*named, *inside], arguments, {each.name for each in named}, skipped))
    if form in ("spdx", "cyclonedx"):
        _write_provenance(checks, ", ".join(path.resolve().name for path in manuscripts), form)
    else:
        _show([check for _, check in checks], form, is_tree=any(path.is_dir() for path in manuscripts))
    _write_report([check for _, check in checks], options["report"], err=form != "table")
    leave(skipped)


def _date(option: click.Parameter, value: str | None) -> str | None:
    """Return the date in an option; say which one if it is wrong."""
    try:
        Exclusions(before=value) if option.name == "before" else Exclusions(after=value)
    except InputError as error:
        raise click.BadParameter(str(error).removeprefix(f"{option.name}: ")) from error
    return value


def _documents(
    manuscripts: tuple[Path, ...], as_format: str | None, columns: OptionColumns
) -> tuple[list[Document], list[Document], list[Skipped]]:
    """Return the manuscripts that are named, also as rows of a table, those in folders, and what is skipped."""
    skipped: list[Skipped] = []
    files = tuple(str(manuscript) for manuscript in manuscripts if not manuscript.is_dir())
    named, inside = list(query_documents(files, as_format, columns, skipped)), list[Document]()
    for manuscript in manuscripts:
        for item in walk(manuscript) if manuscript.is_dir() else ():
            name = f"{manuscript}/{item.name}"
            if isinstance(item, Skipped):
                skipped.append(item._replace(name=name))
            elif isinstance(item.content, Path) and kind(item.content, item.name, columns, DEFAULT):
                skipped.append(Skipped(name, "a table: name the file itself to check its rows", expected=True))
            else:
                inside.append(Document(name, item.content, format=as_format))
    return named, inside, skipped


def _checked(
    index: Index, documents: list[Document], arguments: dict[str, Any], named: set[str], skipped: list[Skipped]
) -> Iterator[tuple[Document, ManuscriptCheck]]:
    """Yield each document with its check; append those that cannot be checked to ``skipped``. A text in a folder of
    programs is no failure, unless it is one of the ``named`` manuscripts."""
    with stages() as progress:
        for done, document in enumerate(documents, 1):
            try:
                yield document, check_manuscript(index, document, **arguments)
            except DocumentError as error:
                is_expected = isinstance(error, UnsuitedError) and document.name not in named
                skipped.append(Skipped(document.name, error.reason, expected=is_expected))
            if progress is not None:
                progress("checking", done, len(documents))


def _write_provenance(checks: list[tuple[Document, ManuscriptCheck]], name: str, form: str) -> None:
    from whorl.report.provenance import CheckedFile, cyclonedx, spdx

    files = [CheckedFile(document.name, _bytes(document), check) for document, check in checks]
    click.echo(json.dumps((spdx if form == "spdx" else cyclonedx)(files, name), indent=1))


def _bytes(document: Document) -> bytes:
    content = load_content(document.content)
    return content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")


def _base(paths: tuple[Path, ...], scheme: Scheme, skipped: list[Skipped]) -> BaseTexts:
    """Read the texts that do not count, once for all manuscripts; append those that cannot be read to ``skipped``."""
    texts = BaseTexts(scheme)
    for path in paths:
        before, reasons = len(texts), set[str]()
        for item in walk(path):
            name = f"{path}/{item.name}"
            try:
                if isinstance(item, Document):
                    texts.add(Document(name, item.content))
                else:
                    skipped.append(item._replace(name=name, reason=f"in the base: {item.reason}"))
            except DocumentError as error:
                reasons.add(error.reason)
                is_expected = isinstance(error, UnsuitedError)
                skipped.append(Skipped(name, f"in the base: {error.reason}", expected=is_expected))
        if len(texts) == before:
            reason = "no documents found" if not reasons else "no document can be read"
            raise InputError(f"--base: {path}: {reasons.pop() if len(reasons) == 1 else reason}")
    return texts


def _show(checks: list[ManuscriptCheck], form: str, *, is_tree: bool) -> None:
    if form == "json":
        click.echo(json.dumps([check.as_dict() for check in checks], indent=1))
        return
    shown = [check for check in checks if check.sources or not is_tree]
    for check in shown:
        _print(check)
    if others := len(checks) - len(shown):
        click.echo(f"{counted(others, 'file')} without a source")


def _write_report(checks: list[ManuscriptCheck], report: Path | None, *, err: bool) -> None:
    if report is not None and checks:
        from whorl.report.check import write_checks

        click.echo(printable(f"report: {write_checks(checks, report)}"), err=err)


def _print(check: ManuscriptCheck) -> None:
    raw, left = percent(check.raw.similarity), percent(check.counted.similarity)
    click.secho(printable(check.name), bold=True)
    click.echo(f"{left:>5} similar; {raw} without exclusions")
    for note in check.notes:
        click.secho(printable(f"note: {note}"), fg="yellow")
    rows, common = _origin_rows(check) if check.has_tokens else (list(_source_rows(check)), [])
    shown = min(SHOWN, check.limit)
    for share, about in rows[:shown]:
        click.echo(f"{percent(share):>5}  {about}")
    if more := rows[shown:]:
        click.echo(f"{percent(sum(share for share, _ in more)):>5}  {counted(len(more), 'source')} more")
    if common:
        releases = counted(len(common), "release")
        click.secho(f"       not counted: common code in {releases}, most in {common[0][1]}", dim=True)
    for source in check.sources:
        if source.excluded:
            click.secho(printable(f"       left out: {source.title}: {source.excluded}"), dim=True)


def _source_rows(check: ManuscriptCheck) -> Iterator[tuple[float, str]]:
    """Yield the share of each source that counts, and a line about it, with the number of passages that count."""
    counting: dict[str, list[SourcePassage]] = {}
    for source, passage, _ in check.counted_passages():
        counting.setdefault(source.document.name, []).append(passage)
    for share in check.counted.shares:
        source = check.sources[share.source]
        name = "" if source.title == source.document.name else f"  ({printable(source.document.name)})"
        shown = counting[source.document.name]
        passages = counted(len(shown), "passage")
        if edited := sum(passage.is_edited for passage in shown):
            passages += f", {edited} with changed words"
        yield share.share, f"{printable(source.title)}{name}, {passages}"


def _origin_rows(check: ManuscriptCheck) -> tuple[list[tuple[float, str]], list[tuple[float, str]]]:
    """Return the releases that explain code, and those that share only common code with it: name, best document,
    lines and licence."""
    from whorl.report.provenance import full_name, line_ranges, lines_text, origins

    rows: tuple[list[tuple[float, str]], list[tuple[float, str]]] = [], []
    for origin in origins(check):
        name, document = printable(full_name(origin.release)), printable(origin.document.name)
        title = name if name == document else f"{name}  ({document})"
        licence = f"licence {printable(origin.release.licence)}" if origin.release.licence else "no licence given"
        lines = lines_text(line_ranges(check.text, origin.spans))
        rows[origin.is_common].append((origin.share, f"{title}, lines {lines}, {licence}"))
    return rows
