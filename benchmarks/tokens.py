"""Source code to tokens, beside Pygments' lexers on the same files: Python's own modules and C headers.

The parser is called directly; what the sandbox around it costs is the matter of ``benchmarks.sandbox``.
"""

import sysconfig
from collections.abc import Callable
from pathlib import Path

from pygments.lexer import Lexer  # comes with rich
from pygments.lexers.c_cpp import CLexer
from pygments.lexers.python import PythonLexer

from benchmarks.measure import in_turns, ratio
from whorl.frontends.code.tokens import tokens

ROUNDS = 3
FILES = 120


def parsed(language: str, files: list[bytes]) -> Callable[[], object]:
    """Whorl's tokens of all files."""
    return lambda: [len(tokens(language, data).symbols) for data in files]


def lexed(lexer: Lexer, files: list[bytes]) -> Callable[[], object]:
    """Pygments' tokens of all files."""
    return lambda: [sum(1 for _ in lexer.get_tokens(data.decode("utf-8", "replace"))) for data in files]


def main() -> None:
    """One line a language and tool."""
    headers = sorted(Path(sysconfig.get_path("include")).rglob("*.h"))
    modules = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    for language, paths, lexer in (("python", modules, PythonLexer()), ("c", headers, CLexer())):
        files = [path.read_bytes() for path in paths[:FILES]]
        size = sum(map(len, files))
        timings = in_turns({"Pygments": lexed(lexer, files), "Whorl": parsed(language, files)}, ROUNDS)
        print(f"{language}: {len(files)} files, {size / 1e6:.2f} MB")
        for name, timing in timings.items():
            print(f"  {name:9} {size / timing.median / 1e6:6.2f} MB/s")
        print(f"  Whorl is {ratio(timings['Pygments'], timings['Whorl'])}")


if __name__ == "__main__":
    main()
