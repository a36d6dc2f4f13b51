"""Extensions that several languages use: what the beginning of a file must hold to be another's than the table says.

Each pattern looks for what begins a line and only the one language can say; the first that is found decides. All are
linear: none has a repetition that another one can follow on the same signs.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

_CPP_HEADER = rb"""
    ^[ \t]*(?:class\s+\w+[^;\n]*[{:]|namespace\s+\w|template\s*<|(?:public|private|protected)\s*:|using\s+\w)
"""
_OBJECTIVE_C = rb"^[ \t]*(?:@(?:interface|implementation|protocol|class|end|import)\b|\#import\b)"
_PROLOG = rb"^(?::-|[a-z]\w*\([^()\n]*\)[ \t]*(?::-|\.[ \t]*(?:%[^\n]*)?\r?$))"
_PLSQL = rb"""
    ^[ \t]*(?:create\s+(?:or\s+replace\s+)?(?:procedure|function|package|trigger)\b|declare[ \t]*\r?$|begin[ \t]*\r?$)
"""
_SML = rb"^(?:[ \t]*(?:structure|signature|datatype)\s+\w|functor\s+\w|fun\s+\w[^-\n]*=|val\s+\w+\s*=)"
_MIPS = rb"(?:\$(?:zero|at|[vatsk][0-9]|[gsf]p|ra)\b|^[ \t]*\.(?:globl|asciiz)\b|\bsyscall\b)"


def _pattern(text: bytes, flags: int = 0) -> re.Pattern[bytes]:
    return re.compile(text, re.M | re.X | flags)


# The languages to try, in order, beside the one that has the extension in its row.
AMBIGUOUS: Mapping[str, tuple[tuple[str, re.Pattern[bytes]], ...]] = MappingProxyType(
    {
        "h": (("objective-c", _pattern(_OBJECTIVE_C)), ("cpp", _pattern(_CPP_HEADER))),
        "m": (("objective-c", _pattern(_OBJECTIVE_C + rb"|^[ \t]*(?:\#include\b|//)")),),
        "p": (("prolog", _pattern(_PROLOG)),),
        "pl": (("prolog", _pattern(_PROLOG)),),
        "sql": (("plsql", _pattern(_PLSQL, re.I)),),
        "ml": (("sml", _pattern(_SML)),),
        "asm": (("mips", _pattern(_MIPS)),),
        "s": (("assembly-8086", _pattern(rb"^[ \t]*(?:section|segment|org)\b|\bint\s+(?:21h|0x)", re.I)),),
    }
)
