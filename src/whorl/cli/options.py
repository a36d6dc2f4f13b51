"""Options that several commands share, and their conversion into typed values."""

import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from whorl.catalog import FRONTENDS, SELECTORS
from whorl.engine.hashing import Key
from whorl.errors import DocumentError, InputError, SchemeError, UnknownNameError
from whorl.formats.archives.names import printable
from whorl.model import Document, Skipped
from whorl.sandbox.limits import RANGES, Limits
from whorl.scheme import PRESETS, Scheme, preset
from whorl.stores import store_in

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from whorl.formats.archives.rules import Rules
    from whorl.formats.corpora.records import Columns

# Documents that are listed one by one, if they were skipped for the same reason.
NAMED = 10

F = TypeVar("F", bound=Callable[..., Any])


class NumberRange(click.FloatRange):
    """A number between bounds, called a number in help and errors: not a float range. Neither NaN, which is in every
    range, nor infinite."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Convert an argument to a number."""
        try:
            number: float = super().convert(value, param, ctx)
        except click.BadParameter as error:
            if isinstance(value, str) and (written := _as_number(value)) is not None:
                super().convert(written, param, ctx)  # if that is out of range, it says so
                self.fail(f"{error.message.rstrip('.')}: write {written:g}", param, ctx)
            raise
        if not isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


def _as_number(text: str) -> float | None:
    """Return the number that is meant by a percentage or by a decimal comma; None for any other text."""
    matched = re.fullmatch(r"\s*(\d+)(?:[.,](\d+))?\s*(%)?\s*", text)
    if matched is None or not ({",", "%"} & set(text)):
        return None
    return float(f"{matched[1]}.{matched[2] or 0}") / (100 if matched[3] else 1)


class IntegerRange(click.IntRange):
    """An integer between bounds, called an integer in help and errors. It has 64 bits."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Convert an argument to an integer."""
        number: int = super().convert(value, param, ctx)
        if not -sys.maxsize <= number <= sys.maxsize:
            self.fail(f"{value} is too large.", param, ctx)
        return number


# Numbers of threads or processes. Each takes memory, so a mistyped number could take all of it.
THREADS, WORKERS = IntegerRange(1, 1024), IntegerRange(0, 1024)


# The scheme that is chosen by looking at the documents.
AUTO = "auto"

BACKENDS = ("local", "spark")

# Scheme settings with an option of their own, which overrides the scheme.
SETTINGS = {
    "frontend": (str, "Front-end that reads the documents (see 'whorl formats')."),
    "symbols": (str, "Unit of comparison: characters, words or consonants."),
    "k": (int, "Length of a k-gram, in symbols. Shorter matches are not found."),
    "w": (int, "Length of a window, in k-grams."),
    "t": (
        int,
        "Guarantee, in symbols: every shared passage of this length is found. Sets --w to t - k + 1.",
    ),
    "select": (str, "Selector of fingerprints (see 'whorl formats')."),
    "p": (int, "Modulus, for the selectors mod and safe-mod."),
    "n": (int, "Number of fingerprints, for the selectors minima, rarity and random."),
    "letters": (int, "Number of first letters that decide rarity, for the selector rarity."),
    "r": (int, "Lower bound of the inner k-mer length, for the selector mod-minimizer."),
}


def scheme_options(default: str) -> Callable[[F], F]:
    """Add --scheme and an option for each of its settings."""
    auto = " auto: code if there are programs among the documents, otherwise text." if default == AUTO else ""

    def decorate(command: F) -> F:
        for name, (kind, text) in reversed(SETTINGS.items()):
            known = {"select": _selectors, "frontend": _frontends}.get(name)
            command = click.option(f"--{name}", type=kind, help=text, shell_complete=known)(command)
        return click.option(
            "--scheme", "scheme_name", default=default, show_default=True, metavar="NAME|FILE", shell_complete=_schemes,
            help=f"Fingerprinting scheme: a preset ({', '.join(sorted(PRESETS))}) or a .toml or .json file.{auto}",
        )(command)  # fmt: skip

    return decorate


def _selectors(_context: click.Context, _option: click.Parameter, incomplete: str) -> list["CompletionItem"]:
    return _beginning(SELECTORS.declared, incomplete)


def _frontends(_context: click.Context, _option: click.Parameter, incomplete: str) -> list["CompletionItem"]:
    return _beginning(FRONTENDS.declared, incomplete)


def _schemes(_context: click.Context, option: click.Parameter, incomplete: str) -> list["CompletionItem"]:
    """Complete the name of a preset, or else of a file."""
    from click.shell_completion import CompletionItem

    names = [*PRESETS, *([AUTO] if option.default == AUTO else [])]
    return _beginning(names, incomplete) or [CompletionItem(incomplete, type="file")]


def _formats(_context: click.Context, _option: click.Parameter, incomplete: str) -> list["CompletionItem"]:
    from whorl.formats.detection import names

    return _beginning(names(), incomplete)


def _beginning(names: Iterable[str], incomplete: str) -> list["CompletionItem"]:
    """Return the names that begin like a word that is being typed."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in sorted(names) if name.startswith(incomplete)]


def key_option(command: F) -> F:
    return click.option(
        "--key-file", type=click.Path(path_type=Path),
        help="File with a secret key of 32 hexadecimal digits.  [default: the public key]",
    )(command)  # fmt: skip


def rules_options(command: F) -> F:
    """Add the options that choose the files of folders and archives."""
    return _decorated(
        command,
        *PATTERN_OPTIONS,
        click.option("--no-gitignore", is_flag=True, help="Also read files that .gitignore excludes."),
        click.option("--hidden", is_flag=True, help="Also read hidden files and folders."),
        GENERATED_OPTION,
    )


def submission_rules_options(command: F) -> F:
    """Add the options that choose the files of submissions. A .gitignore of an author has no effect by default."""
    return _decorated(
        command,
        *PATTERN_OPTIONS,
        click.option("--gitignore/--no-gitignore", default=False, show_default=True,
                     help="Skip files that a .gitignore in a submission excludes."),
        click.option("--hidden", is_flag=True,
                     help="Also read hidden files without a known extension. Other hidden files are always read."),
        GENERATED_OPTION,
    )  # fmt: skip


PATTERN_OPTIONS = (
    click.option("--include", multiple=True, metavar="PATTERN",
                 help="Read only matching files, such as '*.java'. Can be repeated."),
    click.option("--exclude", multiple=True, metavar="PATTERN",
                 help="Skip matching files and folders. Can be repeated."),
)  # fmt: skip
GENERATED_OPTION = click.option("--generated", is_flag=True,
                                help="Also read generated and downloaded folders, such as node_modules.")  # fmt: skip


def _decorated(command: F, *options: Callable[[F], F]) -> F:
    for option in reversed(options):
        command = option(command)
    return command


def rules_of(options: dict[str, Any]) -> "Rules":
    """Return the rules that the options describe."""
    from whorl.formats.archives.rules import Rules

    return Rules(
        include=options["include"], exclude=options["exclude"], gitignore=not options["no_gitignore"],
        hidden=options["hidden"], generated=options["generated"],
    )  # fmt: skip


def submission_rules_of(options: dict[str, Any]) -> "Rules":
    """Return the rules that ``submission_rules_options`` describe."""
    from whorl.formats.archives.rules import SUBMISSIONS

    names = ("include", "exclude", "gitignore", "hidden", "generated")
    return replace(SUBMISSIONS, **{name: options[name] for name in names})


def limits_options(command: F) -> F:
    """Add the limits of a parser for one file."""
    seconds, memory = Limits().seconds, Limits().memory >> 20
    least, most = (int(size) >> 20 for size in RANGES["memory"])
    options = (
        click.option("--parse-seconds", type=float, metavar="SECONDS", default=seconds, show_default=True,
                     help="Limit of processor time for parsing one file, in seconds."),
        click.option("--parse-memory", type=IntegerRange(least, most), default=memory, show_default=True, metavar="MB",
                     help="Memory limit for parsing one file."),
        jail_option,
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def jail_option(command: F) -> F:
    return click.option(
        "--require-jail", is_flag=True, expose_value=False, callback=_require_jail,
        help="Refuse to run if the kernel cannot sandbox parsers (Landlock and seccomp).",
    )(command)  # fmt: skip


def _require_jail(_context: click.Context, _option: click.Parameter, is_given: bool) -> None:
    from whorl.sandbox.pool import require_jail

    if is_given:
        require_jail()


def set_limits(seconds: float, memory: int, workers: int | None = None) -> None:
    """Let the parsers of this process use no more than the options say."""
    from whorl.sandbox.pool import configure

    configure(Limits(seconds=seconds, memory=memory << 20), workers)


def backend_options(command: F) -> F:
    for option in (
        click.option("--master", default="local[*]", show_default=True, metavar="URL",
                     help="Spark master, such as spark://host:7077 or yarn (with --backend spark)."),
        click.option("--backend", type=click.Choice(BACKENDS), default="local", show_default=True,
                     help="Run on this machine or on a Spark cluster."),
    ):  # fmt: skip
        command = option(command)
    return command


def spark_session(master: str) -> Any:
    try:
        from whorl.spark.stages import session
    except ImportError as error:
        raise InputError(f'--backend spark needs {error.name}: pip install "whorl[spark]"') from error
    return session(master)


def as_option(command: F) -> F:
    return click.option(
        "--as", "as_format", metavar="FORMAT", callback=_known_format, shell_complete=_formats,
        help="Read all documents as this format or language (see 'whorl formats').  [default: detect]",
    )(command)  # fmt: skip


def _known_format(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
    from whorl.formats.detection import names

    if name is not None and name not in names():
        raise click.BadParameter(str(UnknownNameError("format", name, names())))
    return name


def format_option(*choices: str) -> Callable[[F], F]:
    """Add --format; the first choice is the default."""
    return click.option(
        "--format", "form", type=click.Choice(choices), default=choices[0], show_default=True,
        help="Output format.",
    )  # fmt: skip


def scheme_of(scheme_name: str, settings: dict[str, Any], auto: Callable[[], Scheme] | None = None) -> Scheme:
    """Return the scheme that the options describe. ``auto`` chooses one for the name "auto"."""
    base = auto() if auto is not None and scheme_name == AUTO else _named_scheme(scheme_name)
    options = {name: settings[name] for name in SETTINGS if settings[name] is not None}
    return _overridden(base, options)


def key_of(path: Path | None) -> Key:
    """Return the key in --key-file, or the public key."""
    if path is None:
        return Key.PUBLIC
    text = _read(path, "--key-file").strip()
    try:
        return Key.from_hex(text)
    except InputError as error:
        raise InputError(f"--key-file: {path}: {error}") from error


def _named_scheme(name: str) -> Scheme:
    path = Path(name)
    readers = {".toml": Scheme.from_toml, ".json": Scheme.from_json}
    try:
        return readers[path.suffix](_read(path, "--scheme")) if path.suffix in readers else preset(name)
    except SchemeError as error:
        raise SchemeError([f"--scheme: {path}: {fault}" for fault in error.faults]) from error
    except UnknownNameError as error:
        raise InputError(f"--scheme: {error}, or a .toml or .json file") from error


def _overridden(base: Scheme, options: dict[str, Any]) -> Scheme:
    """Replace settings of a scheme. Drop the settings that another selector or --t makes meaningless."""
    settings = base.as_dict() | options
    if "t" in options and "w" not in options:
        settings.pop("w", None)
    if "frontend" in options and "symbols" not in options:
        settings.pop("symbols", None)
    if "select" in options and options["select"] in SELECTORS:
        idle = {"w", "p", "n", "r", "letters"} - {*SELECTORS.row(options["select"]).takes, *options}
        settings = {name: value for name, value in settings.items() if name not in idle}
    try:
        return Scheme.from_dict(settings)
    except SchemeError as error:
        raise SchemeError([f"--{fault}" for fault in error.faults]) from error


def _read(path: Path, option: str) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise DocumentError(f"{option}: cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{option}: {path} is not UTF-8 text") from error


# Column of a table → its default name and its help.
COLUMNS = {
    "id": ("id", "Column of JSONL or Parquet with the id, which becomes the name of the document."),
    "text": ("text", "Column with the text."),
    "url": ("url", "Column with the URL."),
    "date": ("date", "Column with the date."),
    "owner": (None, "Column with the owner.  [default: none]"),
    "labels": (None, "Column with a list of labels.  [default: none]"),
}


def columns_options(command: F) -> F:
    """Add the options that name the columns of a table of documents."""
    for column, (name, text) in reversed(COLUMNS.items()):
        command = click.option(f"--{column}-column", default=name, show_default=True, help=text)(command)
    about = "Column whose value becomes a label: --label-column licence adds licence=MIT. Can be repeated."
    return click.option("--label-column", "label_columns", multiple=True, help=about)(command)


def query_columns_options(command: F) -> F:
    """Add the options that name the columns of a table of queries or texts."""
    return _decorated(
        command,
        click.option("--id-column", default="id", show_default=True, help="Column of a table with the id."),
        click.option("--text-column", default="text", show_default=True, help="Column with the text."),
    )


def query_documents(
    files: tuple[str, ...], as_format: str | None, columns: "Columns", skipped: list[Skipped]
) -> Iterator[Document]:
    """Yield the documents to search for; - is standard input, and each row of a table is a document.

    All files are checked before the first document. Rows without a document are appended to ``skipped``.
    """
    return chain.from_iterable([_queries(file, as_format, columns, skipped) for file in files])


def _queries(file: str, as_format: str | None, columns: "Columns", skipped: list[Skipped]) -> Iterable[Document]:
    path = Path(file)
    if file == "-" or path.is_fifo():
        return [named_document(file, as_format)]
    check_readable(path)
    from whorl.formats.archives.rules import DEFAULT
    from whorl.formats.corpora.tables import kind

    table = kind(path, path.name, columns, DEFAULT, any_name=True)
    if table in ("csv", "json"):  # a document, unless it has the column of texts
        table = kind(path, path.name, columns, DEFAULT)
    if table is None:
        return [Document(file, path, format=as_format)]
    from whorl.formats.corpora.read import read

    return _row_queries(read(path, columns), as_format, skipped)


def _row_queries(rows: Iterable[Any], as_format: str | None, skipped: list[Skipped]) -> Iterator[Document]:
    from whorl.formats.corpora.records import Fault

    for row in rows:
        if isinstance(row, Fault):
            skipped.append(Skipped(f"{row.path}, row {row.row}", row.reason, expected=row.left_out))
        else:
            yield replace(row.document, format=as_format or row.document.format)


def print_each(
    documents: Iterable[Document], answer: Callable[[Document], Any], show: Callable[[Any], object],
    skipped: list[Skipped], progress: Callable[[str, int, int | None], object] | None,
) -> None:  # fmt: skip
    """Show the answer to each query as soon as it is known. A row that cannot be read is appended to ``skipped``; a
    file that cannot be read is an error."""
    for done, document in enumerate(documents, 1):
        try:
            show(answer(document))
        except DocumentError as error:
            if isinstance(document.content, Path) or document.name == "-":
                raise
            skipped.append(Skipped(document.name, error.reason))
        if progress is not None:
            progress("searching", done, None)


def print_line(answer: Any) -> None:
    """Print an answer as one line of JSON."""
    click.echo(json.dumps(answer))


def leave(skipped: list[Skipped], *, shown: bool = True) -> None:
    """Print the skipped documents; exit with code 1 if one of them could not be read. Documents that the rules skip do
    not count."""
    if shown:
        echo_skipped(skipped)
    if any(not item.expected for item in skipped):
        sys.exit(1)


def echo_skipped(skipped: Iterable[Skipped]) -> None:
    """Print the skipped documents. Those that a rule skips, such as all other files beside ``--include``, have one line
    for each reason if there are many."""
    by_reason: dict[tuple[str, bool], list[str]] = {}
    for item in skipped:
        by_reason.setdefault((item.reason, item.expected), []).append(item.name)
    for (reason, is_expected), names in by_reason.items():
        if is_expected and len(names) > NAMED:
            names = [f"{len(names):,} times, first {names[0]}"]
        for name in names:
            click.echo(printable(f"skipped: {name}: {reason}"), err=True)


def echo_csv(rows: Iterable[Iterable[object]]) -> None:
    """Write CSV to standard output by ``click.echo``, whose errors are known as those of the output."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    click.echo(written.getvalue(), nl=False, color=True)  # else control characters of names would be removed


def named_document(file: str, as_format: str | None) -> Document:
    """Return the document of a file; - is standard input. A pipe, such as ``<(...)``, is read now: it can be read only
    once."""
    path = Path(file)
    content = sys.stdin.buffer.read() if file == "-" else path.read_bytes() if path.is_fifo() else path
    return Document(file, content, format=as_format)


def check_readable(path: Path) -> None:
    """Raise DocumentError for an unreadable file before any work is done or anything is printed."""
    if path.is_dir():
        store = store_in(path)
        advice = f"{store}: name it before the files" if store else "a folder: name the files in it"
        raise DocumentError(advice, str(path))
    if path == Path("-") or path.is_fifo():
        return
    if path.is_char_device() or path.is_block_device() or path.is_socket():
        raise DocumentError("a device or a socket: name a file", str(path))
    try:
        path.open("rb").close()
    except OSError as error:
        raise DocumentError(f"cannot be read: {error.strerror}", str(path)) from error
