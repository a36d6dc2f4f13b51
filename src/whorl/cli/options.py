"""Options that several commands share: raw arguments become typed values here and nowhere else."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from whorl.catalog import SELECTORS
from whorl.errors import DocumentError, InputError, SchemeError, UnknownNameError
from whorl.frontends.sandbox.limits import Limits
from whorl.hashing.key import Key
from whorl.model import Document
from whorl.scheme import PRESETS, Scheme, preset

if TYPE_CHECKING:
    from whorl.collection.rules import Rules

F = TypeVar("F", bound=Callable[..., Any])

# The name of the scheme that the documents decide.
AUTO = "auto"

# Where a command can run.
BACKENDS = ("local", "spark")

# Scheme settings that can be given one by one; each overrides the scheme's own.
SETTINGS = {
    "frontend": (str, "Front-end: see 'whorl formats'."),
    "symbols": (str, "What a symbol is: characters, words or consonants."),
    "k": (int, "Symbols in a k-gram: nothing shorter is found."),
    "w": (int, "Window, in k-grams."),
    "t": (
        int,
        "Guarantee, in symbols: all that is at least this long is found (instead of --w: w = t - k + 1).",
    ),
    "select": (str, "Selector: see 'whorl formats'."),
    "p": (int, "Modulus of the selectors mod and safe-mod."),
    "n": (int, "Size of the selectors minima, rarity and random."),
    "letters": (int, "First letters by which the selector rarity tells what is rare."),
    "r": (int, "Shortest inner gram of the mod-minimizers."),
}


def scheme_options(default: str) -> Callable[[F], F]:
    """--scheme and its single settings."""
    auto = " auto: code if there are programs among the documents, else text." if default == AUTO else ""

    def decorate(command: F) -> F:
        for name, (kind, text) in reversed(SETTINGS.items()):
            command = click.option(f"--{name}", type=kind, help=text)(command)
        return click.option(
            "--scheme", "scheme_name", default=default, show_default=True, metavar="NAME|FILE",
            help=f"A preset ({', '.join(sorted(PRESETS))}) or a .toml or .json file with a scheme.{auto}",
        )(command)  # fmt: skip

    return decorate


def key_option(command: F) -> F:
    """--key-file."""
    return click.option(
        "--key-file", type=click.Path(path_type=Path),
        help="File with a secret key of 32 hexadecimal digits; without it the public key is used.",
    )(command)  # fmt: skip


def rules_options(command: F) -> F:
    """Which files of folders and archives are read."""
    options = (
        click.option("--include", multiple=True, metavar="PATTERN",
                     help="Read only files that match, such as '*.java'. Can be given again."),
        click.option("--exclude", multiple=True, metavar="PATTERN",
                     help="Leave out files and folders that match. Can be given again."),
        click.option("--no-gitignore", is_flag=True, help="Read what .gitignore files name, too."),
        click.option("--hidden", is_flag=True, help="Read hidden files and folders, too."),
        click.option("--generated", is_flag=True, help="Read what tools made or fetched, such as node_modules, too."),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def rules_of(given: dict[str, Any]) -> "Rules":
    """The rules that the options describe."""
    from whorl.collection.rules import Rules

    return Rules(
        include=given["include"], exclude=given["exclude"], gitignore=not given["no_gitignore"],
        hidden=given["hidden"], generated=given["generated"],
    )  # fmt: skip


def limits_options(command: F) -> F:
    """What a parser may use for one file before it is stopped."""
    seconds, memory = Limits().seconds, Limits().memory >> 20
    options = (
        click.option("--parse-seconds", type=float, default=seconds, show_default=True,
                     help="Time that a parser may take for one file."),
        click.option("--parse-memory", type=int, default=memory, show_default=True, metavar="MB",
                     help="Memory that a parser may take for one file."),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def set_limits(seconds: float, memory: int, workers: int | None = None) -> None:
    """Let the parsers of this process use no more than the options say."""
    from whorl.frontends.sandbox.default import configure

    configure(Limits(seconds=seconds, memory=memory << 20), workers)


def backend_options(command: F) -> F:
    """--backend and --master: where it runs."""
    for option in (
        click.option("--master", default="local[*]", show_default=True, metavar="URL",
                     help="With --backend spark: the master, such as spark://host:7077 or yarn."),
        click.option("--backend", type=click.Choice(BACKENDS), default="local", show_default=True,
                     help="Where it runs: on this machine, or on Spark, for what no one machine holds."),
    ):  # fmt: skip
        command = option(command)
    return command


def spark_session(master: str) -> Any:
    """A session of Spark."""
    try:
        from whorl.backends.spark.session import session
    except ImportError as error:
        raise InputError(f'Spark needs {error.name}, which is missing: pip install "whorl[spark]"') from error
    return session(master)


def as_option(command: F) -> F:
    """--as: what the documents are, whatever their content and names tell."""
    return click.option(
        "--as", "as_format", metavar="FORMAT", callback=_known_format,
        help="Take the documents for this format or language (see 'whorl formats'); by default content and name tell.",
    )(command)  # fmt: skip


def _known_format(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
    from whorl.frontends.detection import names

    if name is not None and name not in names():
        raise click.BadParameter(str(UnknownNameError("format", name, names())))
    return name


def format_option(*choices: str) -> Callable[[F], F]:
    """--format, the first choice being the default."""
    return click.option(
        "--format", "form", type=click.Choice(choices), default=choices[0], show_default=True,
        help="How to print the result.",
    )  # fmt: skip


def scheme_of(scheme_name: str, settings: dict[str, Any], auto: Callable[[], Scheme] | None = None) -> Scheme:
    """The scheme that the options describe; ``auto`` finds one out if its name is that."""
    base = auto() if auto is not None and scheme_name == AUTO else _named_scheme(scheme_name)
    given = {name: settings[name] for name in SETTINGS if settings[name] is not None}
    return _overridden(base, given)


def key_of(path: Path | None) -> Key:
    """The key that --key-file names, or the public one."""
    if path is None:
        return Key.PUBLIC
    try:
        return Key.from_hex(_read(path, "--key-file").strip())
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


def _overridden(base: Scheme, given: dict[str, Any]) -> Scheme:
    """The base with some settings replaced. Another selector, or --t, starts from the settings that still apply."""
    settings = base.as_dict() | given
    if "t" in given and "w" not in given:
        settings.pop("w", None)
    if "frontend" in given and "symbols" not in given:
        settings.pop("symbols", None)
    if "select" in given and given["select"] in SELECTORS:
        idle = {"w", "p", "n", "r", "letters"} - {*SELECTORS.row(given["select"]).takes, *given}
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


def asked(files: tuple[str, ...], as_format: str | None) -> Iterator[Document]:
    """The documents that are asked about; - is standard input."""
    for file in files:
        if file == "-":
            yield Document("-", sys.stdin.buffer.read(), format=as_format)
        else:
            check_readable(Path(file))
            yield Document(file, Path(file), format=as_format)


def check_readable(path: Path) -> None:
    """Complain of a file that cannot be read before any work is done or anything is printed."""
    if path.is_dir():
        raise DocumentError(f"{path} is a directory: give the files in it")
    try:
        path.open("rb").close()
    except OSError as error:
        raise DocumentError(f"cannot read {path}: {error.strerror}") from error
