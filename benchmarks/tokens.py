"""Source code to tokens, beside Pygments' lexers on the same files, and what the workers around the parsers cost.

The files are Python's own modules, C headers and, if a folder or a zip of them is given, Java programs:
``python -m benchmarks.tokens --java PATH``.
"""

import argparse
import sysconfig
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from pygments.lexer import Lexer
from pygments.lexers.c_cpp import CLexer
from pygments.lexers.jvm import JavaLexer
from pygments.lexers.python import PythonLexer

from benchmarks.measure import in_turns, ratio
from whorl.formats.code import frontend as code
from whorl.formats.code.frontend import CodeFrontend
from whorl.formats.code.tokens import tokens
from whorl.model import Document, Stream
from whorl.sandbox import Sandbox

ROUNDS = 3
FILES = 120

# A folder of coursework: as many files, of about a kilobyte.
SMALL_FILES, SMALL_SIZE = 500, 1_000


def parsed(language: str, files: list[bytes]) -> Callable[[], object]:
    """Whorl's tokens of all files: from bytes in any encoding to arrays, in this process."""
    frontend = CodeFrontend(language)
    return lambda: [
        len(tokens(piece.language, piece.data).symbols)
        for data in files
        for piece in frontend.pieces(Document("", data))
    ]


def lexed(lexer: Lexer, files: list[bytes]) -> Callable[[], object]:
    """Pygments' tokens of all files."""
    return lambda: [sum(1 for _ in lexer.get_tokens(data.decode("utf-8", "replace"))) for data in files]


def sandboxed(sandbox: Sandbox, language: str, files: list[bytes]) -> Callable[[], object]:
    """Whorl's tokens of all files, made by workers, as a folder of documents is read."""
    frontend = CodeFrontend(language)

    def run() -> list[Stream]:
        with mock.patch.object(code, "default_sandbox", return_value=sandbox):
            pieces = (piece for data in files for piece in frontend.pieces(Document("", data)))
            return list(frontend.read_all(pieces))

    return run


def java(path: Path) -> list[bytes]:
    """Return the Java programs of a folder or a zip."""
    if path.is_dir():
        return [file.read_bytes() for file in sorted(path.rglob("*.java"))]
    with zipfile.ZipFile(path) as archive:
        return [archive.read(name) for name in sorted(archive.namelist()) if name.endswith(".java")]


def compare(language: str, files: list[bytes], lexer: Lexer) -> None:
    """Whorl and Pygments in turns, by the processor's clock."""
    size = sum(map(len, files))
    timings = in_turns({"Pygments": lexed(lexer, files), "Whorl": parsed(language, files)}, ROUNDS)
    print(f"{language}: {len(files)} files, {size / 1e6:.2f} MB")
    for name, timing in timings.items():
        print(f"  {name:9} {size / timing.median / 1e6:6.2f} MB/s")
    print(f"  Whorl is {ratio(timings['Pygments'], timings['Whorl'])}")


def compare_workers(language: str, files: list[bytes]) -> None:
    """In this process, with one worker and with two, in turns, by the clock on the wall."""
    with Sandbox(1) as one, Sandbox(2) as two:
        work = {
            "in process": parsed(language, files),
            "one worker": sandboxed(one, language, files),
            "two workers": sandboxed(two, language, files),
        }
        timings = in_turns(work, 2 * ROUNDS + 1, time.perf_counter)
    print(f"workers: {len(files)} {language} files of {sum(map(len, files)) // len(files)} bytes")
    print(f"  one worker takes {ratio(timings['one worker'], timings['in process'])} the time of the process itself")
    print(f"  two workers are {ratio(timings['one worker'], timings['two workers'])} as fast as one")


def pieces(files: list[bytes]) -> list[bytes]:
    """Small programs: the files cut at line ends."""
    found: list[bytes] = []
    for data in files:
        lines = data.splitlines(keepends=True)
        while lines and len(found) < SMALL_FILES:
            piece = b""
            while lines and len(piece) < SMALL_SIZE:
                piece += lines.pop(0)
            found.append(piece)
    return found


def main() -> None:
    """A few lines a language."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--java", type=Path, help="a folder or a zip of Java programs")
    given = parser.parse_args()
    modules = [path.read_bytes() for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[:FILES]]
    headers = [path.read_bytes() for path in sorted(Path(sysconfig.get_path("include")).rglob("*.h"))[:FILES]]
    programs = java(given.java) if given.java else []
    compare("python", modules, PythonLexer())
    compare("c", headers, CLexer())
    if programs:
        compare("java", programs, JavaLexer())
    compare_workers(*(("java", pieces(programs)) if programs else ("python", pieces(modules))))


if __name__ == "__main__":
    main()
