"""``whorl fingerprint``: the fingerprints of documents, for people and for scripts."""

import json
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Any

import click

from whorl.cli.options import (
    THREADS,
    IntegerRange,
    as_option,
    check_readable,
    format_option,
    key_of,
    key_option,
    limits_options,
    named_document,
    scheme_of,
    scheme_options,
    set_limits,
)
from whorl.cli.progress import bar
from whorl.engine.documents import excerpts
from whorl.engine.fingerprints import Fingerprints, fingerprint, selector
from whorl.engine.hashing import Key
from whorl.formats.archives.names import printable
from whorl.model import Document
from whorl.scheme import Scheme

# Rows of a table by default.
ROWS = 20

# Parts of JSON written at once: writing each on its own would take longer than making it.
BATCH = 4096


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@scheme_options("text")
@key_option
@as_option
@limits_options
@click.option("--limit", type=IntegerRange(min=0),
              help="Show at most this many fingerprints per document.  [default: 20 in a table]")  # fmt: skip
@click.option("--threads", type=THREADS, default=1, show_default=True, help="Threads per document.")
@format_option("table", "json")
def command(
    files: tuple[Path, ...], scheme_name: str, key_file: Path | None, as_format: str | None, limit: int | None,
    threads: int, parse_seconds: float, parse_memory: int, form: str, **settings: Any,
) -> None:  # fmt: skip
    """Show the fingerprints of FILES: hashes, positions, the text of each k-gram, and measured and expected density;
    - reads standard input.

    \b
    Examples:
      whorl fingerprint essay.txt
      whorl fingerprint essay.txt --k 30 --t 79
      whorl fingerprint a.txt b.html --scheme web --format json
      whorl fingerprint Main.java --scheme code
      whorl fingerprint main.inc --scheme code --as php
      whorl fingerprint essay.txt --select mod-minimizer --k 100 --w 50
    """
    set_limits(parse_seconds, parse_memory)
    key = key_of(key_file)
    scheme = scheme_of(scheme_name, settings).with_key(key.id)
    for file in files:
        check_readable(file)
    show = _print_json if form == "json" else _print_tables
    documents = (named_document(str(file), as_format) for file in files)
    show(((document, _fingerprint(document, scheme, key, threads)) for document in documents), scheme, limit)


def _fingerprint(document: Document, scheme: Scheme, key: Key, threads: int) -> Fingerprints:
    with bar(document.content) if isinstance(document.content, Path) else nullcontext() as progress:
        return fingerprint(document, scheme, key=key, threads=threads, progress=progress)


def _expected(scheme: Scheme) -> float | None:
    return selector(scheme).density(scheme.k)


def _print_json(documents: Iterator[tuple[Document, Fingerprints]], scheme: Scheme, limit: int | None) -> None:
    """Write one JSON document piece by piece: the fingerprints may not fit into memory."""
    parts = _json(documents, scheme, limit)
    while batch := "".join(islice(parts, BATCH)):
        click.echo(batch, nl=False)


def _json(documents: Iterator[tuple[Document, Fingerprints]], scheme: Scheme, limit: int | None) -> Iterator[str]:
    head = {"id": scheme.id, **scheme.as_dict(), "guarantee": scheme.guarantee}
    yield f'{{"scheme": {json.dumps(head)}, "documents": ['
    for number, (document, fingerprints) in enumerate(documents):
        summary = json.dumps(_summary(document, fingerprints, _expected(scheme)))
        yield f'{"," if number else ""}\n{summary[:-1]}, "fingerprints": ['
        for row, fields in enumerate(_rows(document, fingerprints, limit)):
            yield f"{',' if row else ''}\n{json.dumps(fields)}"
        yield "]}"
    yield "]}\n"


def _summary(document: Document, fingerprints: Fingerprints, expected: float | None) -> dict[str, Any]:
    return {
        "name": document.name,
        "symbols": fingerprints.symbols,
        "grams": fingerprints.grams,
        "count": len(fingerprints),
        "density": fingerprints.density,
        "expected_density": expected,
        "notes": list(fingerprints.notes),
    }


def _rows(document: Document, fingerprints: Fingerprints, limit: int | None) -> Iterator[dict[str, Any]]:
    rows = zip(
        fingerprints.hashes, fingerprints.positions, fingerprints.spans, excerpts(document, fingerprints), strict=True
    )
    for hashed, position, span, text in islice(rows, limit):
        yield {
            "hash": f"{int(hashed):016x}",
            "position": int(position),
            "start": span.start,
            "end": span.end,
            "text": text,
        }


def _print_tables(documents: Iterator[tuple[Document, Fingerprints]], scheme: Scheme, limit: int | None) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    console.print(f"[bold]scheme[/] {scheme.id}: {_in_words(scheme)}", soft_wrap=True)
    for document, fingerprints in documents:
        console.print()
        _print_table(console, document, fingerprints, scheme, ROWS if limit is None else limit)


def _in_words(scheme: Scheme) -> str:
    numbers = ", ".join(f"{name} = {value}" for name in ("k", "w", "p", "n", "r") if (value := getattr(scheme, name)))
    promise = "" if scheme.guarantee is None else f"; every shared passage of {scheme.guarantee} symbols is found"
    return f"{scheme.symbols}, {scheme.select}, {numbers}{promise}"


def _print_table(console: Any, document: Document, fingerprints: Fingerprints, scheme: Scheme, limit: int) -> None:
    from rich.table import Table
    from rich.text import Text

    console.print(Text(printable(document.name), "bold"), soft_wrap=True)
    console.print(_in_numbers(fingerprints, _expected(scheme)), soft_wrap=True)
    for note in fingerprints.notes:
        console.print(Text(printable(f"note: {note}"), "yellow"), soft_wrap=True)
    if not len(fingerprints) or not limit:
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    # A minimum width keeps long texts from squeezing the numbers.
    table.add_column("hash", no_wrap=True, min_width=16)
    table.add_column("position", justify="right", no_wrap=True, min_width=8)
    last = fingerprints.spans[min(limit, len(fingerprints)) - 1]
    table.add_column("span", no_wrap=True, min_width=len(f"{last.start}–{last.end}"))
    table.add_column("text", overflow="ellipsis", no_wrap=True, ratio=1)
    for row in _rows(document, fingerprints, limit):
        visible = printable(" ".join(row["text"].split()))
        table.add_row(row["hash"], str(row["position"]), f"{row['start']}–{row['end']}", Text(visible))
    console.print(table)
    if len(fingerprints) > limit:
        console.print(f"… and {len(fingerprints) - limit:,} more: --limit {len(fingerprints)} shows all", style="dim")


def _in_numbers(fingerprints: Fingerprints, expected: float | None) -> str:
    if fingerprints.grams == 0:
        return f"{fingerprints.symbols:,} symbols: fewer than k = {fingerprints.scheme.k}, so there are no fingerprints"
    theory = "no theoretical value" if expected is None else f"theory {expected:.4f}"
    return (
        f"{fingerprints.symbols:,} symbols, {fingerprints.grams:,} k-grams, {len(fingerprints):,} fingerprints: "
        f"density {fingerprints.density:.4f} ({theory})"
    )
