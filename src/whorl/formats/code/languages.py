"""The table of programming languages, and how to detect the language of a file by its name or content."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from types import MappingProxyType

from whorl.errors import UnknownNameError
from whorl.formats.code.row import Language
from whorl.formats.code.rows_lexed import LEXED, PLAIN
from whorl.formats.code.rows_parsed import PARSED

_CPP_HEADER = rb"""
    ^[ \t]*(?:class\s+\w+[^;\n]*[{:]|namespace\s+\w|template\s*<|(?:public|private|protected)\s*:|using\s+\w)
"""
_OBJECTIVE_C = rb"^[ \t]*(?:@(?:interface|implementation|protocol|class|end|import)\b|\#import\b)"
_PROLOG = rb"^(?::-|[a-z]\w*\([^()\n]*\)[ \t]*(?::-|\.[ \t]*(?:%[^\n]*)?\r?$))"
_PLSQL = rb"""(?i)
    ^[ \t]*(?:create\s+(?:or\s+replace\s+)?(?:procedure|function|package|trigger)\b|declare[ \t]*\r?$|begin[ \t]*\r?$)
"""
_SML = rb"^(?:[ \t]*(?:structure|signature|datatype)\s+\w|functor\s+\w|fun\s+\w[^-\n]*=|val\s+\w+\s*=)"
_MIPS = rb"(?:\$(?:zero|at|[vatsk][0-9]|[gsf]p|ra)\b|^[ \t]*\.(?:globl|asciiz)\b)"


@cache
def _pattern(text: bytes) -> re.Pattern[bytes]:
    """Compile a pattern when it is needed first: most runs and all workers need none of them."""
    return re.compile(text, re.M | re.X)


# The languages to try, in order, beside the one that has the extension in its row.
AMBIGUOUS: Mapping[str, tuple[tuple[str, bytes], ...]] = MappingProxyType(
    {
        "h": (("objective-c", _OBJECTIVE_C), ("cpp", _CPP_HEADER)),
        "m": (("objective-c", _OBJECTIVE_C + rb"|^[ \t]*(?:\#include\b|//)"),),
        "p": (("prolog", _PROLOG),),
        "pl": (("prolog", _PROLOG),),
        "sql": (("plsql", _PLSQL),),
        "ml": (("sml", _SML),),
        "asm": (("mips", _MIPS),),
        "s": (("assembly-8086", rb"(?i)^[ \t]*(?:section|segment|org)\b|\bint\s+(?:21h|0x)"),),
    }
)

# Lines that one language has and neither the others nor prose have, for files whose names tell nothing.
_LOOKS: Mapping[str, bytes] = MappingProxyType(
    {
        "c": rb"""
            \s*(?:\#\s*(?:include\s*(?:<[\w/]+\.h>|")|define|ifdef|ifndef|endif)\b|typedef\s+struct\b
            |.*\b(?:printf|scanf|malloc|free|sizeof|strlen|struct\s\w+\s\*)\s*\(?|.*\b(?:int|char|void|double|float)\s\*+\w)""",
        "cpp": rb"""
            \s*(?:\#\s*include\s*<[a-z_]+(?:/\w+\.h)?>|using\s+(?:namespace|\w+\s*=)|template\s*<|(?:public|private):
            |.*(?:\bstd::|\bcout\b|\bcin\b|\bendl\b|\bvector<|\.push_back\())""",
        "csharp": rb"""
            \s*(?:using\s+[A-Z][\w.]*;|namespace\s+[A-Z][\w.]*\s*[{;]?\s*$|.*\bConsole\.|.*\bstring(?:\[\])?\s+\w+\s*[=;,)]
            |.*\{\s*get;|.*\bforeach\s*\(|internal\s|.*\.(?:Length|Count|Add|ToString)\b)""",
        "go": rb"""
            (?:package\s+\w+\s*$|func\s.*\{\s*$|import\s+[("]|type\s+\w+\s+(?:struct|interface)\b|\s+.*:=
            |\s*\w+,\s*\w+\s*:=|.*\bfmt\.)""",
        "java": rb"""
            \s*(?:import\s+(?:static\s+)?[a-z][\w.]*[*\w];|package\s+[\w.]+;|@Override\b|.*\bSystem\.(?:out|in|err|exit)\b
            |(?:public|private|protected)\s+(?:static\s+|final\s+|abstract\s+)*[\w<>[\],\s]+[;{(=]|.*\bboolean\b
            |.*\b(?:String|Integer|List|Map|ArrayList|HashMap|Scanner)(?:<[^>]*>|\[\])*\s+\w+|.*\.(?:length|size)\(\)
            |(?:abstract\s+|final\s+)?class\s+\w+[^:]*\{\s*$|static\s+\w[\w<>[\]]*\s+\w+\(.*\{\s*$|.*\bthrows\s)""",
        "javascript": rb"""
            \s*(?:(?:export\s+)?(?:const|let|var)\s+[\w{[].*=(?!.*\bmut\b)|.*\bfunction\b.*\(|.*\bconsole\.\w+\(
            |module\.exports|import\s.*\sfrom\s|.*\)\s*=>|for\s*\((?:let|const|var)\b|.*===)""",
        "php": rb"\s*(?:<\?php\b|\$\w+\s*(?:=|->|\[|\+\+)|echo\s|(?:public\s+)?function\s.*\$)",
        "python": rb"""
            \s*(?:(?:async\s+)?def\s+\w+\(|class\s+\w+.*:\s*$|import\s+[\w., ]+$|from\s+[\w.]+\s+import\b
            |return\b[^;]*$|(?:if|elif|while|for|with|else|try|except)\b.*:\s*$|print\(.*\)\s*$)""",
        "ruby": rb"""
            \s*(?:def\s+\w+[^:{]*$|end\s*$|require(?:_relative)?\s+['"]|puts\b|attr_\w+\s+:|.*\bdo\s*(?:\|.*\|)?\s*$)""",
        "rust": rb"""
            \s*(?:(?:pub\s+)?fn\s+\w+|let\s+[\w(].*=|use\s+\w+::|impl\b.*\{|\#!?\[\w+|match\s.*\{\s*$
            |.*\b(?:println|vec|format)!|.*->\s*[\w<&]+.*\{\s*$|.*&(?:mut|str)\b|.*\.(?:iter|unwrap|len|collect)\()""",
    }
)  # fmt: skip

# So many lines must look like a program, and this share of all that are not blank: a listing in prose has fewer. Where
# two lines of five end as in C, one line tells which of its relatives it is.
_TELLING, _SHARE = 5, 0.25
_ENDED, _ENDED_SHARE = re.compile(rb".*(?:[;{}]|\*/)\s*$"), 0.4
# Lines to inspect, and characters of each, which bounds the time of the patterns.
_LINES, _LINE = 500, 200


def by_looks(head: bytes) -> str | None:
    """Return the language whose patterns match most lines; None if few match."""
    lines = [line[:_LINE] for line in head.splitlines() if line.strip()][:_LINES]
    counts = {name: sum(map(bool, map(_pattern(text).match, lines))) for name, text in _LOOKS.items()}
    best = max(counts, key=lambda name: counts[name])
    ended = sum(1 for line in lines if _ENDED.match(line))
    is_like_c = ended >= max(_TELLING, _ENDED_SHARE * len(lines))
    return best if counts[best] >= (1 if is_like_c else max(_TELLING, _SHARE * len(lines))) else None


ROWS = tuple(
    row if row.family else row._replace(family=row.name)
    for row in sorted((*PLAIN, *PARSED, *LEXED), key=lambda row: row.name)
)

LANGUAGES: Mapping[str, Language] = MappingProxyType({row.name: row for row in ROWS})

_BY_EXTENSION = {extension: row.name for row in ROWS for extension in row.extensions}
_BY_FILE = {file: row.name for row in ROWS for file in row.files}
_BY_INTERPRETER = {interpreter: row.name for row in ROWS for interpreter in row.interpreters}

_SHEBANG = re.compile(rb"#![ \t]*(?:\S*/env[ \t]+(?:-\S+[ \t]+|\w+=\S*[ \t]+)*)?(?:\S*/)?([A-Za-z][A-Za-z_-]*)")


def language(name: str) -> Language:
    """Return the row of this name; raise ``UnknownNameError`` if there is none."""
    if name not in LANGUAGES:
        raise UnknownNameError("language", name, LANGUAGES)
    return LANGUAGES[name]


def detect(name: str, head: bytes) -> str | None:
    """Return the language of a file by its extension, else by its whole name, else by the interpreter in its first
    line; None if unknown. ``head``, the beginning of the file, decides where several languages share an extension."""
    extension = extension_of(name)
    by_extension = _BY_EXTENSION.get(extension)
    if by_extension is not None:
        return _by_content(extension, head) or by_extension
    return _BY_FILE.get(re.split(r"[/\\]", name)[-1].lower()) or _by_interpreter(head)


def is_program(name: str) -> bool:
    """Return whether a file has the name of a program."""
    return extension_of(name) in _BY_EXTENSION


def extension_of(name: str) -> str:
    """Return the extension of a file's name, in small letters and without the dot; empty if it has none."""
    stem, dot, extension = re.split(r"[/\\]", name)[-1].lower().rpartition(".")
    return extension if stem and dot else ""


def guess(name: str, head: bytes) -> str | None:
    """Return the language of a text whose name does not tell it: by an extension before the last one (``main.py.png``),
    or by its lines; None if it looks like no program."""
    inner = re.split(r"[/\\]", name)[-1].rstrip("~").rpartition(".")[0] if "~" not in name[-1:] else name.rstrip("~")
    return detect(inner, head) if is_program(inner) else by_looks(head)


@cache
def installed(name: str) -> bool:
    """Return whether the reader of a language is installed; without it the plain lexer reads the language."""
    row = language(name)
    if row.reader == "own":
        return True
    top = row.module.partition(".")[0]
    return find_spec(top) is not None and (row.reader == "pygments" or find_spec("tree_sitter") is not None)


def missing(name: str) -> str:
    """Return the command that installs the reader of a language."""
    extra = language(name).extra
    return f'pip install "whorl[{extra}]"' if extra else "pip install whorl"


def _by_content(extension: str, head: bytes) -> str | None:
    return next((name for name, text in AMBIGUOUS.get(extension, ()) if _pattern(text).search(head)), None)


def _by_interpreter(head: bytes) -> str | None:
    shebang = _SHEBANG.match(head)
    return _BY_INTERPRETER.get(shebang[1].decode("ascii").lower()) if shebang else None
