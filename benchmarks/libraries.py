"""Libraries beside Whorl's own code: JSON lines, WARC, ignore files, checksums (docs/decisions/0024-libraries.md).

Those of the first three are no dependencies: ``pip install msgspec orjson fastwarc pathspec`` first.
"""

import gzip
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.corpus import english
from benchmarks.measure import in_turns, ratio
from whorl.formats.archives.gitignore import Allowance, Ignores
from whorl.formats.corpora.read import read, read_sheets
from whorl.storage.checksums import seal
from whorl.storage.connection import Connection

ROUNDS = 5
ROWS, RECORDS, LENGTH, SEALED = 5_000, 3_000, 4_000, 200_000
PATTERNS = ["*.pyc", "__pycache__/", "build/", "/dist", "!keep.py", "docs/**/*.html", "*.egg-info", "node_modules/",
            ".venv", "a?b*.c", "[abc]x.py", "**/tmp/**"] * 3  # fmt: skip
NAMES = [f"src/p{number % 37}/q{number % 11}/file{number}.{'py' if number % 3 else 'pyc'}" for number in range(20_000)]

# A pattern that makes a matcher go back over the same letters again and again.
HOSTILE, HOSTILE_NAME = "*a*a*a*a*a*a*a*a*a*a*b", "a" * 28


def texts(count: int) -> Iterator[str]:
    """Return stretches of English."""
    text, chance = english(20_000_000), random.Random(1)
    for _ in range(count):
        start = chance.randrange(len(text) - LENGTH)
        yield text[start : start + LENGTH]


def json_lines(folder: Path) -> None:
    """Measure rows of JSON from bytes to id and text."""
    path = folder / "rows.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number, text in enumerate(texts(ROWS)):
            row = {"id": f"d{number}", "url": f"http://x/{number}", "date": "2026-01-01", "text": text}
            file.write(json.dumps({**row, "meta": {"a": [1, 2, 3]}}, ensure_ascii=False) + "\n")

    def each_line(decode: Callable[[bytes], Any]) -> Callable[[], None]:
        def run() -> None:
            with path.open("rb") as file:
                for line in file:
                    decode(line)["text"].encode()

        return run

    work = {
        "whorl": lambda: sum(1 for _ in read_sheets(path)),
        "msgspec": each_line(import_module("msgspec.json").decode),
        "orjson": each_line(import_module("orjson").loads),
        "json": each_line(json.loads),
    }
    timings = in_turns(work, ROUNDS)
    for name, timing in timings.items():
        speed = timing.speed(path.stat().st_size)
        print(f"JSON lines  {name:9} {speed}, {ratio(timing, timings['whorl'])} of Whorl's time")


def record(number: int, text: str) -> bytes:
    """Return a response in a WARC record."""
    body = f"<html><body><p>{text}</p></body></html>".encode()
    response = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
    fields = (
        "WARC/1.0", "WARC-Type: response", f"WARC-Target-URI: http://x/{number}", "WARC-Date: 2026-01-01T00:00:00Z",
        f"WARC-Record-ID: <urn:{number}>", "Content-Type: application/http", f"Content-Length: {len(response)}", "", "",
    )  # fmt: skip
    return "\r\n".join(fields).encode() + response + b"\r\n\r\n"


def warc(folder: Path) -> None:
    """Measure records of WARC from bytes to address and body, plain and compressed one by one."""
    iterator = import_module("fastwarc.warc").ArchiveIterator
    records = [record(number, text) for number, text in enumerate(texts(RECORDS))]
    size = sum(map(len, records))
    for name, parts in (("pages.warc", records), ("pages.warc.gz", list(map(gzip.compress, records)))):
        path = folder / name
        path.write_bytes(b"".join(parts))

        def by_library(path: Path = path) -> None:
            with path.open("rb") as file:
                for item in iterator(file, parse_http=True):
                    item.headers.get("WARC-Target-URI")
                    item.reader.read()

        def by_whorl(path: Path = path) -> None:
            for _ in read(path):
                pass

        timings = in_turns({"fastwarc": by_library, "whorl": by_whorl}, ROUNDS)
        for tool, timing in timings.items():
            print(f"{name:13} {tool:9} {timing.speed(size)}, {ratio(timing, timings['fastwarc'])} of FastWARC's time")


def ignore_files() -> None:
    """Measure names against patterns, and one hostile pattern."""
    specification = import_module("pathspec").GitIgnoreSpec
    rules, _ = Ignores().within(b"", "\n".join(PATTERNS).encode(), Allowance())
    spec, names = specification.from_lines(PATTERNS), [name.encode() for name in NAMES]
    work = {
        "whorl": lambda: sum(rules.ignore(name, False) for name in names),
        "pathspec": lambda: sum(spec.match_file(name) for name in NAMES),
    }
    timings = in_turns(work, ROUNDS)
    for name, timing in timings.items():
        print(f"ignore files  {name:9} {timing.median:.2f} s, {ratio(timing, timings['whorl'])} of Whorl's time")
    hostile, _ = Ignores().within(b"", HOSTILE.encode(), Allowance())
    hostile_spec = specification.from_lines([HOSTILE])
    for name, match in (
        ("whorl", lambda: hostile.ignore(HOSTILE_NAME.encode(), False)),
        ("pathspec", lambda: hostile_spec.match_file(HOSTILE_NAME)),
    ):
        start = time.process_time()
        match()
        print(f"a hostile pattern  {name:9} {time.process_time() - start:.4f} s")


def checksums(folder: Path) -> None:
    """Measure rows of SQLite with our seals, with SQLite's page checksums, and without either."""

    def fields(number: int) -> tuple[int, str, str, int]:
        return number, f"document-{number}.txt", f"http://example.org/{number}", 3 * number

    def measure(name: str, with_seals: bool, with_pages: bool) -> str:
        with closing(Connection(folder / f"{name}.db", create=True, with_checksums=with_pages)) as connection:
            start = time.process_time()
            connection.sqlite.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name, url, size, seal); BEGIN")
            rows = ((*fields(number), seal(*fields(number)) if with_seals else 0) for number in range(SEALED))
            connection.sqlite.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", rows)
            connection.sqlite.execute("COMMIT")
            written = time.process_time()
            for row in connection.sqlite.execute("SELECT * FROM t"):
                if with_seals and seal(*row[:4]) != row[4]:
                    raise AssertionError("a row differs from its seal")
            times = written - start, time.process_time() - written
        return " / ".join(f"{seconds / SEALED * 1e6:.1f}" for seconds in times)

    for kind, seals, pages in (("none", False, False), ("seals", True, False), ("page checksums", False, True)):
        print(f"checksums  {kind:14} {measure(kind, seals, pages)} µs a row, written / read")


def main() -> None:
    """Measure all."""
    with tempfile.TemporaryDirectory() as folder:
        json_lines(Path(folder))
        warc(Path(folder))
        checksums(Path(folder))
    ignore_files()


if __name__ == "__main__":
    main()
