"""Reads real files of all formats: fetches Debian packages, unpacks them into a temporary folder, and walks them.

For a person with Debian (``make real``): needs ``apt-get``, ``dpkg-deb`` and a network. Prints a table: format, files,
those with a stream, those that were left out and why, the slowest file, megabytes a second. Exits with 1 if anything
but a reason came of a file. ``--folder`` reads a folder that is there already instead.
"""

import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import click

from whorl.errors import DocumentError
from whorl.formats.archives.rules import Rules
from whorl.formats.archives.walk import walk
from whorl.formats.code.languages import LANGUAGES
from whorl.formats.reading import choose
from whorl.model import Document, Skipped
from whorl.scheme import Scheme, preset

# What has files of each format, in packages of some megabytes.
PACKAGES = (
    "python3.11-doc",  # HTML and text
    "postgresql-doc-15",  # HTML
    "postgresql-server-dev-15",  # C headers of a large project
    "libpython3.11-minimal",  # Python
    "libruby3.1",  # Ruby
    "perl-modules-5.36",  # Perl
    "golang-1.19-src",  # Go
    "libjs-jquery",  # JavaScript
    "developers-reference",  # PDF, EPUB
    "debian-reference-en",  # PDF, HTML
    "debian-handbook",  # EPUB
    "fftw-docs",  # PostScript, HTML
    "r-doc-pdf",  # PDF of thousands of pages
    "gnuplot-doc",  # PDF
    "texlive-lang-italian",  # LaTeX, PDF
    "groff",  # PostScript, PDF
    "pandoc-data",  # DOCX, ODT, PPTX
    "python3-docx",  # DOCX
    "r-cran-officer",  # DOCX, PPTX
    "libreoffice-common",  # ODT templates
    "latex2rtf-doc",  # LaTeX, RTF
    "python-ipywidgets-doc",  # notebooks
    "python-notebook-doc",  # notebooks
    "unrtf",
)

# Files of one format that are read; a package with ten thousand of one kind proves no more.
MOST = 1500

# Seconds between two lines of progress.
EVERY = 20.0


@dataclass
class Row:
    """What came of the files of one format."""

    files: int = 0
    streams: int = 0
    size: int = 0
    seconds: float = 0.0
    slowest: tuple[float, str] = (0.0, "")
    reasons: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)


def fetch(packages: tuple[str, ...], folder: Path) -> Path:
    """Fetch packages and unpack them. One that is not there is said, and passed over."""
    unpacked = folder / "unpacked"
    unpacked.mkdir()
    for package in packages:
        done = subprocess.run(["apt-get", "download", package], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            click.echo(f"not fetched: {package}: {done.stderr.strip().splitlines()[-1:]}", err=True)
    for archive in sorted(folder.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", str(archive), str(unpacked / archive.name.partition("_")[0])], check=True)
    return unpacked


def read_all(folder: Path) -> tuple[dict[str, Row], list[str]]:
    """Return a row for each format, and what went wrong: anything that is neither a stream nor a reason."""
    rows: dict[str, Row] = defaultdict(Row)
    faults: list[str] = []
    result = time.monotonic()
    for item in walk(folder, Rules(generated=True, hidden=True, gitignore=False)):
        if isinstance(item, Skipped):
            rows["(walk)"].files += 1
            rows["(walk)"].reasons[_kind(item.reason)] += 1
            continue
        faults += _read(item, rows)
        if time.monotonic() - result > EVERY:
            result = time.monotonic()
            click.echo(f"… {sum(row.files for row in rows.values()):,} files", err=True)
    return rows, faults


def _read(document: Document, rows: dict[str, Row]) -> Iterator[str]:
    """Read one document under its scheme, into its row; yields what went wrong."""
    started = time.monotonic()
    name = "(no format)"
    try:
        choice = choose(_scheme(document), document)
        name = choice.format
        if rows[name].files >= MOST:
            return
        streams = [choice.frontend.read(piece) for piece in choice.frontend.pieces(document)]
    except DocumentError as error:
        rows[name].reasons[_kind(str(error).rpartition(": ")[2])] += 1
    except Exception as error:
        yield f"{document.name}: {type(error).__name__}: {error}"
    else:
        rows[name].streams += bool(streams)
        rows[name].notes.update({_kind(stream.note) for stream in streams if stream.note})
    _count(rows[name], document, time.monotonic() - started)


def _scheme(document: Document) -> Scheme:
    """Programs as code, all else as text."""
    try:
        found = choose(preset("text"), document).format
    except DocumentError:
        return preset("text")
    return preset("code" if found in LANGUAGES and found != "html" else "text")


def _count(row: Row, document: Document, seconds: float) -> None:
    content = document.content
    row.files += 1
    row.size += content.stat().st_size if isinstance(content, Path) else len(content)
    row.seconds += seconds
    row.slowest = max(row.slowest, (seconds, document.name))


def _kind(reason: str) -> str:
    """Return a reason without the names and numbers that differ from file to file."""
    words = ("#" if any(letter.isdigit() for letter in word) else word for word in reason.split())
    return " ".join(word for word in words if "/" not in word)[:70]


def show(rows: dict[str, Row]) -> None:
    """The table."""
    for name, row in sorted(rows.items()):
        speed = row.size / max(row.seconds, 1e-9) / 1e6
        result = "; ".join(f"{count} × {reason}" for reason, count in row.reasons.most_common(4))
        noted = "; ".join(f"{count} × {note}" for note, count in row.notes.most_common(3))
        slow = f"{row.slowest[0]:.2f} s {row.slowest[1].rpartition('/')[2]}" if row.slowest[1] else ""
        click.echo(
            f"{name:18} {row.files:6} files {row.streams:6} streams {row.size / 1e6:8.1f} MB {speed:7.2f} MB/s  {slow}"
            + (f"\n{'':20}left out: {result}" if result else "")
            + (f"\n{'':20}noted: {noted}" if noted else "")
        )
    total = sum(row.files for row in rows.values())
    click.echo(f"{total:,} files, {sum(row.streams for row in rows.values()):,} with a stream")


@click.command()
@click.option("--folder", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Read this folder.")
@click.option("--package", "packages", multiple=True, help="Another Debian package than the default ones.")
def main(folder: Path | None, packages: tuple[str, ...]) -> None:
    """Read real files of all formats, and show what became of them."""
    with tempfile.TemporaryDirectory(prefix="whorl-real-") as temporary:
        Path(temporary).chmod(0o755)  # apt-get fetches as another user
        rows, faults = read_all(folder or fetch(packages or PACKAGES, Path(temporary)))
    show(rows)
    for fault in faults:
        click.echo(f"FAULT {fault}", err=True)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
